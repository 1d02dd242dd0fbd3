"""Cautions: doubts about a fit as objects, from which warnings, reports and commands make text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np

from gramian._support.types import Array

if TYPE_CHECKING:
    from gramian.fitting._any_model import AnyModel

MAX_LOSS = 1e-6
"""Largest loss of orthogonality without a caution."""
MAX_OVER_MEDIAN = 100.0
"""Ratio of the largest to the median standard deviation above which there is a caution."""


class Remedy(Enum):
    """A change of parameters that may help in the next fit."""

    AUTO_ALPHA = auto()
    AUTO_DEGREE = auto()
    LOWER_DEGREE = auto()
    FEWER_FEATURES = auto()
    MORE_ROWS = auto()
    QR_SOLVER = auto()
    BETTER_FAMILY = auto()
    SCALE = auto()
    ALL_ROWS = auto()


FEWER_FUNCTIONS = (Remedy.LOWER_DEGREE, Remedy.FEWER_FEATURES, Remedy.MORE_ROWS)
"""Remedies against too many functions that every estimator has."""


@dataclass(frozen=True)
class Caution:
    """A doubt about a fit. Each kind is a subclass, whose fields are the facts."""

    remedies: tuple[Remedy, ...]
    """Changes that help, the best first."""


@dataclass(frozen=True)
class NearLaw:
    """A law that computes a column, except in some rows."""

    column: str
    law: str
    """Right-hand side of the law, as text."""
    n_exceptions: int
    """Number of rows that break the law."""
    n_rows: int
    """Number of rows in which all columns of the law are present."""
    dropped: bool = False
    """True if the column is dropped, because the user allows exceptions; else it is kept."""


@dataclass(frozen=True)
class Saturation(Caution):
    """The functions span all rows, so that every residual is zero."""

    n_steps: int
    n_rows: int


@dataclass(frozen=True)
class Overfitting(Caution):
    """The number of functions is more than half of the number of rows."""

    n_functions: float
    """Effective number of functions."""
    n_rows: int


@dataclass(frozen=True)
class NearDependence(Caution):
    """The functions are nearly linearly dependent: rounding errors are visible in the results."""

    loss: float
    """Loss of orthogonality: the relative error of residual variances."""


@dataclass(frozen=True)
class UnequalUnits(Caution):
    """One column varies far more than most, and the algorithm compares variances of columns."""

    algorithm: str
    column: str
    ratio: float
    """Standard deviation of the column, divided by the median of all columns that vary."""


@dataclass(frozen=True)
class TrimmedRows(Caution):
    """Rows with wrong cells took no part in the fit."""

    n_trimmed: int
    n_rows: int
    """Number of rows with the trimmed ones."""


def of_trimmed(n_trimmed: int, n_fitted: int) -> Iterator[Caution]:
    """Yield a caution if rows were trimmed.

    Parameters
    ----------
    n_trimmed : int
        Number of trimmed rows.
    n_fitted : int
        Number of rows of the fit.
    """
    if n_trimmed:
        yield TrimmedRows((Remedy.ALL_ROWS,), n_trimmed, n_trimmed + n_fitted)


def of_functions(
    n_functions: float, n_rows: int, saturated_after: int | None, remedies: tuple[Remedy, ...]
) -> Iterator[Caution]:
    """Yield a caution if there are too many functions for the number of rows.

    Parameters
    ----------
    n_functions : float
        Effective number of functions.
    n_rows : int
        Number of rows.
    saturated_after : int or None
        Number of steps after which the functions span all rows; None if they do not.
    remedies : tuple of Remedy
        Changes of parameters that help, for the caution.
    """
    if saturated_after is not None:
        yield Saturation(remedies, saturated_after, n_rows)
    elif 2 * n_functions > n_rows:
        yield Overfitting(remedies, n_functions, n_rows)


def of_dependence(loss: float) -> Iterator[Caution]:
    """Yield a caution if the loss of orthogonality, which rounding errors cause, is too large."""
    if loss > MAX_LOSS:
        yield NearDependence((Remedy.QR_SOLVER, Remedy.BETTER_FAMILY), loss)


def of_units(model: AnyModel, variances: Array) -> Iterator[Caution]:
    """Yield a caution if one column varies so much that most other columns do not count.

    Parameters
    ----------
    model : AnyModel
        The fit, which compares the variances of columns.
    variances : array of shape (n_columns,)
        Variances of the columns.
    """
    deviations = np.sqrt(variances)
    varying = deviations[deviations > 0]
    if len(varying) and deviations.max() > MAX_OVER_MEDIAN * np.median(varying):
        largest = int(np.argmax(deviations))
        ratio = float(deviations[largest] / np.median(varying))
        yield UnequalUnits((Remedy.SCALE,), model.algorithm, model.column_names[largest], ratio)
