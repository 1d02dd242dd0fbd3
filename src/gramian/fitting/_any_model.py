"""Result of a fit of any kind: its steps, and the facts that summaries and reports show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from gramian._support.types import Array, IntArray
from gramian._support.words import names_or_numbers
from gramian.core.pursuit import StopReason
from gramian.fitting._cautions import Caution, Remedy
from gramian.fitting._gaps import Gaps
from gramian.fitting._kept_variables import KeptVariables

STOPPED: dict[StopReason, str] = {
    "n_components": "the number asked for was reached",
    "n_features_to_select": "the number asked for was reached",
    "threshold": "no residual was above the threshold",
    "explained_variance": "the share asked for was explained",
    "early_stopping": "the residual on held-out rows no longer fell",
    "saturated": "the functions span all rows",
    "exhausted": "all residuals were rounding errors",
    "max_functions": "the largest number of functions was reached",
}
"""Reasons to stop, in words."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Numbers about each step of a fit: residual variances, functions added and dropped."""

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
    n_copies: int = field(default=0, kw_only=True)
    """Number of rows that are equal to an earlier row."""

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant."""
        return 1 + int(self.n_kept.sum())


@dataclass(frozen=True, eq=False)
class Record(Steps):
    """Numbers about each step of a fit: also the penalties, and residual variances of other rows.

    Other rows are new rows (an estimate by cross-validation) and held-out rows.
    """

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
    """Parameters that reports and certificates compare with the result of a fit."""

    threshold: float | None = None
    """Residual variance, or share of variance, below which a candidate is not chosen."""
    relative: bool = False
    """True if the threshold is a share of each variance."""
    explained: float | None = None
    """Share of the total variance to explain."""
    any_alpha: bool = False
    """True if left-out or held-out rows were to choose the penalty."""


@dataclass(frozen=True, eq=False)
class AnyModel(ABC):
    """Result of a fit of any kind, without the rows."""

    algorithm: str
    """The name of the estimator."""
    names: tuple[str, ...] | None
    """The names of the columns; None if the table has no names."""
    mean: Array
    """The means of the columns."""
    scale: Array | None
    """Divisors of the columns, with ``scale=True``; else None. Residual variances and errors are
    those of the scaled columns; all other numbers are in the units of the table."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.mean)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, or x0, x1, ..."""
        return names_or_numbers(self.names, self.n_columns)

    @property
    def selects(self) -> bool:
        """True if the kept variables are columns of the table."""
        return False

    @property
    def explains(self) -> bool:
        """True if `left` is the share of variance that kept variables do not explain."""
        return True

    @property
    def eliminates(self) -> bool:
        """True if the fit began with all candidates, and left-out rows decided which to drop.

        Candidates are columns, or directions of a basis.
        """
        return False

    @property
    def by_feature(self) -> bool:
        """True if the fit chose kept variables one by one, so that `left` has a value for each."""
        return True

    @property
    @abstractmethod
    def thing(self) -> str:
        """The word for a kept variable: "feature", "component" and so on."""

    @property
    @abstractmethod
    def kept_names(self) -> list[str]:
        """The names of the kept variables, in the order of choice."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows of the fit."""

    @property
    @abstractmethod
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant."""

    @property
    @abstractmethod
    def freedom(self) -> float:
        """The effective number of functions: penalties make it smaller than `n_functions`."""

    @property
    @abstractmethod
    def left(self) -> Array:
        """The share of variance that is not explained before each step, and after the last step.

        The first value is 1.
        """

    @property
    def held_out_left(self) -> float | None:
        """The share of the variance of held-out rows that is not explained after the last step.

        The value is None if no rows were held out.
        """
        return None

    @property
    @abstractmethod
    def ending(self) -> str:
        """The sentence that says why the fit ended."""

    @property
    @abstractmethod
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""

    @property
    @abstractmethod
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes of parameters that help if there are too many functions, the best first."""

    def scaled(self, rows: Array) -> Array:
        """Return rows in the units of residual variances: divided by `scale` if there is one."""
        return rows if self.scale is None else rows / self.scale.astype(rows.dtype, copy=False)

    def deviations(self, rows: Array) -> Array:
        """Return rows minus their mean as float64, in the units of residual variances.

        The first row is subtracted before the mean is computed. Ids of 10¹⁷ would lose their
        deviations if the mean or the scale came first.
        """
        rows = rows.astype(np.float64, copy=False)
        shifted = rows - rows[:1]
        return self.scaled(shifted - shifted.mean(axis=0))


@dataclass(frozen=True, eq=False)
class SteppedModel(AnyModel):
    """Result of a fit that chooses the kept variables step by step."""

    kept: KeptVariables
    record: Steps
    asked: Asked = field(default_factory=Asked, kw_only=True)
    gaps: Gaps | None = field(default=None, kw_only=True)
    """Treatment of missing values; None if no value was missing. Model files do not hold it."""

    @property
    def selects(self) -> bool:
        """True if the kept variables are columns of the table."""
        return self.kept.selects

    @property
    def thing(self) -> str:
        """The word for a kept variable: "feature", "component" and so on."""
        return self.kept.thing

    @property
    def kept_names(self) -> list[str]:
        """The names of the kept variables, in the order of choice."""
        return self.kept.names(self.column_names, self.algorithm)

    @property
    def n_rows(self) -> int:
        """The number of rows of the fit."""
        return self.record.n_rows

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant."""
        return self.record.n_functions

    @property
    def freedom(self) -> float:
        """The largest effective number of functions of any step.

        Penalties make this number smaller than the number of functions.
        """
        return float(self.record.degrees_of_freedom.max())

    @property
    def left(self) -> Array:
        """The share of variance that is not explained before each step, and after the last step.

        The first value is 1.
        """
        return self.record.total / (self.record.total[0] or 1.0)

    @property
    def ending(self) -> str:
        """The sentence that says why the fit ended."""
        return f"The fit stopped because {STOPPED[self.record.stop_reason]}."
