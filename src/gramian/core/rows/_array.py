"""Rows of an array in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramian._support.blas import second_moments, times
from gramian._support.types import Array
from gramian.core.rows._checksum import checksum_of
from gramian.core.rows._covariance import MatrixCovariance
from gramian.core.rows._protocol import CONSTANT, MemoryRows, RowBlock

AnyTable = TypeVar("AnyTable", bound=Any)
CACHE_BYTES = 2**30
"""Bytes of function values that are kept between steps; beyond it they are computed anew."""
NARROW = 1e-152
"""Spread of a column below which squares, divided by the number of rows, may lose digits."""


class SpreadError(ValueError):
    """The squares of a column's values leave the range of float64.

    Parameters
    ----------
    column : int
        The number of the column.
    spread : float
        The difference of its largest and its smallest value.
    too_wide : bool
        True if the spread is too large, False if it is too small.
    name : str, optional
        The name of the column, for the message; its number by default.
    """

    def __init__(self, column: int, spread: float, too_wide: bool, name: str | None = None) -> None:
        super().__init__(column, spread, too_wide, name)  # pickle makes the error from these
        self.column = column

    def __str__(self) -> str:
        column, spread, too_wide, name = self.args
        called = f"column {column}, counted from 0," if name is None else f"column {name}"
        return (
            f"The values of {called} differ by up to {spread:.3g}, and the squares of such numbers "
            f"are too {'large' if too_wide else 'small'} to compute a variance with float64. Give "
            f"it in a unit that is 1e{np.log10(spread):.0f} times this one."
        )

    def named(self, name: str) -> SpreadError:
        """Return this error with the name of the column in its message."""
        column, spread, too_wide, _ = self.args
        return SpreadError(column, spread, too_wide, name)


@dataclass(frozen=True)
class Centring:
    """Mean and scale of the columns of a table: rows become ``(X - mean) / scale``."""

    mean: Array
    scale: Array
    """Divisor of each column: its standard deviation, or that of the most variant column; 1 if the
    deviation is zero."""
    varies: NDArray[np.bool_]
    """True for columns that are not constant."""
    checksum: int | None = None
    """Checksum of the rows, None if it was not asked for; see `checksum_of`."""

    def apply(self, X: Array, weights: Array | None) -> RowBlock:
        """Centre and scale other rows, and multiply them with the roots of their weights."""
        X, root = roots_of(X, weights)
        x = np.subtract(X, self.mean, order="C")
        x /= self.scale
        x *= root[:, np.newaxis]
        return RowBlock(x, root)


class ArrayRows(MemoryRows):
    """The rows of a centred and scaled array.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Rows, each times the root of its weight.
    root : array of shape (n_rows,)
        The roots of the weights.
    """

    def __init__(self, x: Array, root: Array) -> None:
        self.x = x
        self.root = root
        self.n_columns = x.shape[1]
        self.effective_n_rows = float(1 / np.sum(root**4))
        """Effective number of rows (Kish): as many rows of equal weight would tell as much."""
        self.cache_bytes = CACHE_BYTES
        """Bytes that values of rows may take from one sum to the next."""

    @property
    def whole(self) -> RowBlock:
        """All rows in one block."""
        return RowBlock(self.x, self.root)

    def rotate(self, basis: Array) -> tuple[ArrayRows, Array]:
        """Express the rows in other coordinates, each scaled to variance 1."""
        x = times(self.x, basis.T)
        deviations = standardize(x)
        return ArrayRows(x, self.root), deviations

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns."""
        return second_moments(self.x)

    def residual_covariance(self) -> MatrixCovariance:
        """Return E[XXᵀ] of the scaled columns in a form that functions can be subtracted from."""
        return MatrixCovariance(self.covariance())

    def dense(self) -> ArrayRows:
        """Return the rows as they are."""
        return self


def standardize(x: Array) -> Array:
    """Divide columns by their norms, in place; return the norms, zero for constant columns."""
    deviations: Array = np.linalg.norm(x, axis=0)
    deviations[deviations**2 <= CONSTANT * deviations.max() ** 2] = 0.0
    x /= np.where(deviations > 0, deviations, 1.0)
    return deviations


def centre(
    X: Array,
    weights: Array | None,
    scale: Literal["column", "table"],
    *,
    checksum: bool = False,
) -> tuple[ArrayRows, Centring]:
    """Centre the columns of X and scale them, each to variance 1 or all by one number.

    Columns are first brought to [0, 1], so that neither a mean far from zero nor values near the
    limits of float64 cost accuracy, and constant columns become exact zeros.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Finite values.
    weights : array of shape (n_rows,), or None
        Non-negative weights, not all zero. Rows of weight zero are left out.
    scale : {"column", "table"}
        "column" gives each column variance 1. "table" divides all columns by the deviation of the
        most variant one.
    checksum : bool, default=False
        True to compute a checksum of the rows.
    """
    found = checksum_of(X, weights) if checksum else None
    X, root = roots_of(X, weights)
    low = X.min(axis=0)
    spread = spread_of(low, X.max(axis=0), scaled=True)
    unit = np.where(spread > 0, spread, 1.0)
    x = np.subtract(X, low, order="C")  # blocks of rows are then contiguous
    x /= unit
    weight = root * root
    shift = weight @ x
    x -= shift
    deviation = np.sqrt(np.einsum("i,ij,ij->j", weight, x, x))
    factor, scales = scales_of(unit, deviation, scale)
    x *= factor
    x *= root[:, np.newaxis]
    return ArrayRows(x, root), Centring(low + unit * shift, scales, deviation > 0, found)


def spread_of(low: Array, high: Array, *, scaled: bool) -> Array:
    """Return how far the values of columns spread; raise if their squares leave float64.

    Parameters
    ----------
    low, high : arrays of shape (n_columns,)
        The smallest and the largest value of each column.
    scaled : bool
        True if columns are divided by their spread before squares are taken: then a column may
        vary too little for its squares, but not all columns.
    """
    with np.errstate(over="ignore"):
        spread: Array = high - low
        too_wide = not np.isfinite(np.sum(spread * spread))
    too_narrow = spread.max() < NARROW if scaled else spread < NARROW
    narrow = np.flatnonzero((spread > 0) & too_narrow)
    if too_wide or len(narrow):
        column = int(np.argmax(spread)) if too_wide else int(narrow[0])
        size = np.nextafter(np.inf, 0) if np.isinf(spread[column]) else spread[column]
        raise SpreadError(column, float(size), too_wide)
    return spread


def scales_of(
    unit: Array, deviation: Array, scale: Literal["column", "table"]
) -> tuple[Array, Array]:
    """Return the factors of columns in [0, 1], and the divisors of the original columns.

    Parameters
    ----------
    unit : array of shape (n_columns,)
        The divisors that brought columns to [0, 1].
    deviation : array of shape (n_columns,)
        The standard deviations of the columns in [0, 1].
    scale : {"column", "table"}
        "column" gives each column variance 1, "table" the most variant one.
    """
    deviations = unit * deviation
    if scale == "column":
        factor = 1 / np.where(deviation > 0, deviation, 1.0)
        return factor, np.where(deviation > 0, deviations, 1.0)
    widest = deviations.max(initial=0.0) or 1.0
    return unit / widest, np.full(len(unit), widest)


def roots_of(X: AnyTable, weights: Array | None) -> tuple[AnyTable, Array]:
    """Return the rows of positive weight, and the roots of their weights, which add up to one."""
    if weights is None:
        n = X.shape[0]
        return X, np.full(n, n**-0.5)
    present = weights > 0
    weights = weights[present] / weights.max()  # so that the sum does not overflow
    return X[present], np.sqrt(weights / weights.sum())
