"""How a fit went, and what was asked of it."""

from __future__ import annotations

from dataclasses import dataclass

from gramian._support.types import Array, IntArray
from gramian.core.pursuit import StopReason


@dataclass(frozen=True, eq=False)
class Record:
    """What the fit saw, step by step, and how it went."""

    largest: Array
    """The largest residual variance before each step and after the last."""
    total: Array
    """The total residual variance, likewise."""
    degrees_of_freedom: Array
    """The effective number of functions, likewise."""
    n_kept: IntArray
    """The number of functions that each step added."""
    n_dropped: IntArray
    """The number of functions that each step dropped as combinations of others."""
    stop_reason: StopReason
    solver: str
    orthogonality_loss: float
    n_rows: int
    """The number of rows of the fit."""
    alpha: float = 0.0
    """The penalty after the last step."""
    alpha_path: Array | None = None
    """The penalty after each step; None where the algorithm knows no penalties."""
    gcv_total: Array | None = None
    """The total residual variance that generalized cross-validation expects on new rows."""
    validation_largest: Array | None = None
    """The largest residual variance of held-out rows, if any were held out."""
    validation_total: Array | None = None

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, the constant among them."""
        return 1 + int(self.n_kept.sum())


@dataclass(frozen=True)
class Asked:
    """What was asked for, as far as a fit is measured against it afterwards."""

    threshold: float | None = None
    """The residual variance that is too little to be chosen."""
    relative: bool = False
    """Whether the threshold is a share of each variance."""
    explained: float | None = None
    """The share of the total variance to explain."""
    any_alpha: bool = False
    """Whether rows left out were to choose the penalty."""
