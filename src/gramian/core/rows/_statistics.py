"""Means, variances and covariance of a table, computed in one pass, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gramian._support.blas import second_moments
from gramian._support.types import Array
from gramian.core.rows._array import Centring, spread_of
from gramian.core.rows._checksum import MASK, checksum_of
from gramian.core.rows._observations import RowSample, times_repeated


@dataclass(frozen=True)
class Statistics:
    """Statistics of some rows: weights, and the mean, products and range of the columns."""

    n_rows: int
    """Number of rows that have a positive weight."""
    weight: float
    squared_weight: float
    shift: Array
    """One of the rows; it is subtracted from all rows before sums are computed."""
    offset: Array
    """Mean of the columns minus `shift`. Two numbers per mean keep more digits than one number,
    which matters if the mean is large in comparison with the deviations."""
    products: Array
    """Σ w (x - mean)(x - mean)ᵀ over rows x of weight w: the lower triangle of this matrix, or a
    vector with its diagonal."""
    low: Array
    high: Array
    sample: RowSample
    """Some of the different rows; it shows whether rows are copies of each other."""
    checksum: int | None = None
    """Checksum of the rows, see `checksum_of`; None if no checksum was requested."""

    @property
    def mean(self) -> Array:
        """The means of the columns."""
        return self.shift + self.offset

    @property
    def effective_n_rows(self) -> float:
        """Effective number of rows (Kish): (Σw)² / Σw², where w are the weights of the rows.

        Copies of a row count as one row that has their weight.
        """
        return self.weight**2 / self.squared_weight / self.n_copies

    @cached_property
    def n_copies(self) -> float:
        """Typical number of copies of a row; 1 if equal rows are observations of their own."""
        if (self.sample.copies == 1).all():
            return 1.0
        if self.sample.shows_copies:
            n_rows = self.weight**2 / self.squared_weight
            return max(1.0, n_rows / self.sample.effective_n_rows)
        equal_weights = self.weight == self.squared_weight == self.n_rows
        return float(times_repeated(self.sample.copies)) if equal_weights else 1.0

    @property
    def variances(self) -> Array:
        """The variances of the columns."""
        squares = self.products if self.products.ndim == 1 else self.products.diagonal()
        variances: Array = np.where(self.high > self.low, squares / self.weight, 0.0)
        return variances


def statistics_of(
    x: Array, weights: Array | None, *, covariance: bool, checksum: bool = False
) -> Statistics:
    """Return the statistics of the rows `x`.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The rows.
    weights : array of shape (n_rows,), or None
        The weights of the rows; None if all weights are 1.
    covariance : bool
        True to sum the products of all pairs of columns, False to sum the squares only.
    checksum : bool, default=False
        True to compute a checksum of the rows.
    """
    found = checksum_of(x, weights) if checksum else None
    if weights is None:
        weights = np.ones(len(x))
    x, weights = x[weights > 0], weights[weights > 0]
    if not len(x):
        d = x.shape[1]
        zero = np.zeros((d, d) if covariance else d, order="F")
        low, high = np.full(d, np.inf), np.full(d, -np.inf)
        sample = RowSample.of(x, weights)
        return Statistics(0, 0.0, 0.0, np.zeros(d), np.zeros(d), zero, low, high, sample, found)
    weight = float(weights.sum())
    shift = x[0].copy()
    centred = x - shift
    offset = weights @ centred / weight
    centred -= offset
    centred *= np.sqrt(weights)[:, np.newaxis]
    products = second_moments(centred) if covariance else np.einsum("ij,ij->j", centred, centred)
    low, high = x.min(axis=0), x.max(axis=0)
    squared_weight = float(weights @ weights)
    sample = RowSample.of(x, weights)
    return Statistics(
        len(x), weight, squared_weight, shift, offset, products, low, high, sample, found
    )


def merge_statistics(a: Statistics, b: Statistics) -> Statistics:
    """Return the statistics of two sets of rows together, without loss of digits.

    The formulas are those of Chan, Golub and LeVeque.
    """
    if not a.n_rows or not b.n_rows:
        return a if a.n_rows else b
    weight = a.weight + b.weight
    step = (b.shift - a.shift) + (b.offset - a.offset)
    between = a.weight * b.weight / weight
    outer = step * step if a.products.ndim == 1 else np.tril(np.multiply.outer(step, step))
    return Statistics(
        a.n_rows + b.n_rows,
        weight,
        a.squared_weight + b.squared_weight,
        a.shift,
        a.offset + step * (b.weight / weight),
        np.asfortranarray(a.products + b.products + between * outer),
        np.minimum(a.low, b.low),
        np.maximum(a.high, b.high),
        a.sample.merge(b.sample),
        None if a.checksum is None or b.checksum is None else (a.checksum + b.checksum) & MASK,
    )


def centring_of(statistics: Statistics, scaling: Literal["column", "table"]) -> Centring:
    """Return the mean and the scale of the columns.

    Parameters
    ----------
    statistics : Statistics
        The statistics of all rows.
    scaling : {"column", "table"}
        "column" scales each column to variance 1, "table" divides all columns by the largest
        standard deviation.

    Raises
    ------
    SpreadError
        If the squares of a column are too large or too small for float64.
    """
    deviations = np.sqrt(statistics.variances)
    spread_of(statistics.low, statistics.high, scaled=False)
    varies = deviations > 0
    if scaling == "column":
        scale = np.where(varies, deviations, 1.0)
    else:
        scale = np.full(len(deviations), float(deviations.max(initial=0.0)) or 1.0)
    mean = statistics.mean
    rest = statistics.offset - (mean - statistics.shift)
    return Centring(mean, scale, varies, statistics.checksum, rest)


def scaled_covariance(statistics: Statistics, centring: Centring) -> Array:
    """Return the covariance of the scaled columns; only its lower triangle is valid."""
    scale = centring.scale
    covariance: Array = np.asfortranarray(statistics.products / statistics.weight)
    covariance /= scale[:, np.newaxis]
    covariance /= scale
    return covariance
