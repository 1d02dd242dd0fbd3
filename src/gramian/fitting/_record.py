"""Record of a fit, step by step, and the parameters that it is measured against."""

from __future__ import annotations

from dataclasses import dataclass

from gramian._support.types import Array, IntArray
from gramian.core.pursuit import StopReason


@dataclass(frozen=True, eq=False)
class Steps:
    """Residual variances and numbers of functions, step by step."""

    largest: Array
    """Largest residual variance before each step and after the last."""
    total: Array
    """Total residual variance before each step and after the last."""
    degrees_of_freedom: Array
    """Effective number of functions before each step and after the last."""
    n_kept: IntArray
    """Number of functions that each step added."""
    n_dropped: IntArray
    """Number of functions that each step dropped as combinations of others."""
    stop_reason: StopReason
    solver: str
    orthogonality_loss: float
    n_rows: int
    """Number of rows of the fit."""

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant."""
        return 1 + int(self.n_kept.sum())


@dataclass(frozen=True, eq=False)
class Record(Steps):
    """Steps of a fit with penalties, and residuals on other rows."""

    alpha: float
    """Penalty after the last step."""
    alpha_path: Array
    """Penalty after each step."""
    gcv_total: Array
    """Total residual variance on new rows, as estimated by generalized cross-validation."""
    validation_largest: Array | None = None
    """Largest residual variance of held-out rows; None if no rows were held out."""
    validation_total: Array | None = None
    """Total residual variance of held-out rows; None if no rows were held out."""


@dataclass(frozen=True)
class Asked:
    """Parameters that a fit is measured against afterwards."""

    threshold: float | None = None
    """Residual variance, or share of variance, below which a candidate is not chosen."""
    relative: bool = False
    """True if the threshold is a share of each variance."""
    explained: float | None = None
    """Share of the total variance to explain."""
    any_alpha: bool = False
    """True if left-out or held-out rows were to choose the penalty."""
