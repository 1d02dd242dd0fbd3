"""Table in memory: centre and scale a dense array, and sum over its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramian._support.blas import second_moments, times
from gramian._support.types import Array, IntArray
from gramian.core.rows._checksum import checksum_of
from gramian.core.rows._covariance import MatrixCovariance
from gramian.core.rows._equal_rows import effective_count
from gramian.core.rows._protocol import CONSTANT, MemoryRows, RowBlock

AnyTable = TypeVar("AnyTable", bound=Any)
CACHE_BYTES = 2**30
"""Largest size, in bytes, of a cache of function values for tables in memory. Values that do not
fit in the cache are computed again in every step."""
NARROW = 1e-152
"""Smallest spread (largest minus smallest value) of a column that is accepted: the squares of
smaller differences lose digits in float64."""


class SpreadError(ValueError):
    """Error for a column whose squared values are too large or too small for float64.

    Parameters
    ----------
    column : int
        The number of the column.
    spread : float
        The largest value of the column minus its smallest value.
    too_wide : bool
        True if the spread is too large, False if it is too small.
    name : str, optional
        The name of the column in the message; by default, the message gives its number.
    """

    def __init__(self, column: int, spread: float, too_wide: bool, name: str | None = None) -> None:
        super().__init__(column, spread, too_wide, name)  # pickle needs these arguments
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
    """Mean and scale of the columns of a table: rows are transformed to ``(X - mean) / scale``."""

    mean: Array
    scale: Array
    """Divisor of each column: its own standard deviation (scale="column"), or the largest standard
    deviation of all columns (scale="table"); 1 instead of a deviation of zero."""
    varies: NDArray[np.bool_]
    """True for columns that are not constant."""
    checksum: int | None = None
    """Checksum of the rows, see `checksum_of`; None if no checksum was requested."""
    mean_rest: Array | float = 0.0
    """Means minus `mean`, which is rounded: it matters if means are far larger than deviations."""

    def apply(self, X: Array, weights: Array | None) -> RowBlock:
        """Return new rows, centred, scaled and multiplied by the square roots of their weights."""
        X, root = roots_of(X, weights)
        x = np.subtract(X, self.mean, order="C")
        x /= self.scale
        x *= root[:, np.newaxis]
        return RowBlock(x, root)


class ArrayRows(MemoryRows):
    """Table in memory whose rows are a centred and scaled dense array.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Centred and scaled rows, each multiplied by the square root of its weight.
    root : array of shape (n_rows,)
        The square roots of the row weights; the weights add up to one.
    groups : sequence of arrays of int, optional
        The indices of the rows of each group, if groups of rows are left out together.
    """

    def __init__(self, x: Array, root: Array, groups: Sequence[IntArray] | None = None) -> None:
        self.x = x
        self.root = root
        self.groups = groups
        self.n_columns = x.shape[1]
        self.effective_n_rows = effective_count(root**2)
        self.cache_bytes = CACHE_BYTES
        """Largest size, in bytes, of each cache of function or variable values between two
        passes."""

    @property
    def whole(self) -> RowBlock:
        """All rows of the table, as one `RowBlock`."""
        return RowBlock(self.x, self.root)

    def rotate(self, basis: Array) -> tuple[ArrayRows, Array]:
        """Return the rows in coordinates along `basis`, and their standard deviations.

        See `Rows.rotate`.
        """
        x = times(self.x, basis.T)
        deviations = standardize(x)
        return ArrayRows(x, self.root, self.groups), deviations

    def covariance(self) -> Array:
        """Return E[XXᵀ] of the scaled columns; only its lower triangle is valid."""
        return second_moments(self.x)

    def residual_covariance(self) -> MatrixCovariance:
        """Return E[XXᵀ] of the scaled columns as an object whose method `subtract` updates it.

        `subtract` removes the part that fitted functions explain.
        """
        return MatrixCovariance(self.covariance())

    def dense(self) -> ArrayRows:
        """Return these rows unchanged, because they are dense already."""
        return self


def standardize(x: Array) -> Array:
    """Divide the columns of `x` by their norms, in place; return the norms.

    The norm of a constant column is 0, and the column is not divided.
    """
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

    Columns are first mapped to [0, 1]. So a mean far from zero or values near the limits of float64
    cost no accuracy, and constant columns become exact zeros.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Finite values.
    weights : array of shape (n_rows,), or None
        Weights of the rows: not negative, not all zero; None for equal weights. Rows of weight zero
        are removed.
    scale : {"column", "table"}
        "column" scales each column to variance 1. "table" divides all columns by the largest
        standard deviation of a column.
    checksum : bool, default=False
        True to compute a checksum of the rows.

    Returns
    -------
    rows : ArrayRows
        The centred and scaled rows.
    centring : Centring
        The mean and the scale of the columns, to apply them to other rows.
    """
    found = checksum_of(X, weights) if checksum else None
    X, root = roots_of(X, weights)
    low = X.min(axis=0)
    spread = spread_of(low, X.max(axis=0), scaled=True)
    unit = np.where(spread > 0, spread, 1.0)
    x = np.subtract(X, low, order="C")  # C order: every block of rows is contiguous
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
    """Return the largest minus the smallest value of each column; raise if squares leave float64.

    Parameters
    ----------
    low, high : arrays of shape (n_columns,)
        The smallest and the largest value of each column.
    scaled : bool
        True if columns are divided by their spread before squares are computed. Then the error for
        a small spread is raised only if the spread of every column is too small.
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
    """Return two arrays: factors for columns in [0, 1], and divisors for the original columns.

    Both scale the columns as `scale` says.

    Parameters
    ----------
    unit : array of shape (n_columns,)
        The divisors that mapped the original columns to [0, 1].
    deviation : array of shape (n_columns,)
        The standard deviations of the columns in [0, 1].
    scale : {"column", "table"}
        "column" scales each column to variance 1, "table" divides all columns by the largest
        standard deviation.
    """
    deviations = unit * deviation
    if scale == "column":
        factor = 1 / np.where(deviation > 0, deviation, 1.0)
        return factor, np.where(deviation > 0, deviations, 1.0)
    widest = deviations.max(initial=0.0) or 1.0
    return unit / widest, np.full(len(unit), widest)


def roots_of(X: AnyTable, weights: Array | None) -> tuple[AnyTable, Array]:
    """Return (rows of positive weight, square roots of their weights after scaling to sum 1)."""
    if weights is None:
        n = X.shape[0]
        return X, np.full(n, n**-0.5)
    present = weights > 0
    weights = weights[present] / weights.max()  # so that the sum does not overflow
    return X[present], np.sqrt(weights / weights.sum())
