"""Nonlinear corrections of the values that fill missing cells.

A linear model fills the missing cells of a row with expected values. A correction adds a function
of the filled row to the expected value of one column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from gramian._support.types import Array, IntArray

N_FACTORS = 8
"""Number of columns that are multiplied in `ProductsOfTwo`: the columns with the largest
correlation with the column to fill."""
N_WAVES = 300
"""Number of random cosine functions in `Waves`."""
LENGTHS = (1.0, 0.5, 0.25)
"""Wavelengths that are tried for `Waves`, relative to the typical distance of two rows; the
leave-one-out error decides."""
MOST_DEVIATIONS = 5.0
"""Products are limited to this number of standard deviations from their mean, because they become
very large on rows far from the data."""
LEAST_RELEVANCE = 0.05
"""Smallest weight of a column in the distance of two rows; otherwise the weight is the correlation
with the column to fill."""
RELATIVE_PENALTIES = 10.0 ** np.arange(-7, 0.1, 0.5)
"""Ridge penalties that are tried, relative to the largest eigenvalue of FᵀF, where F has the
centred function values."""
LEAST_FREE = 1e-3
"""Smallest value of 1 - leverage that is used as a divisor of leave-one-out residuals."""
MOST_FREEDOM = 0.7
"""Largest number of degrees of freedom of a ridge fit, divided by the number of rows; penalties
with more are skipped."""


RowFunctions = Callable[[Array], Array]
"""Function that maps filled rows to function values, with one column per function."""


@dataclass(frozen=True)
class ProductsOfTwo:
    """Squares and products of two of the chosen columns, scaled to mean 0 and variance 1."""

    columns: IntArray
    mean: Array
    deviation: Array

    def __call__(self, rows: Array) -> Array:
        """Return the products of two columns for each row, one column per product.

        They are scaled to mean 0 and variance 1, and values beyond ±`MOST_DEVIATIONS` are cut.
        """
        products = _products(rows[:, self.columns])
        return np.clip((products - self.mean) / self.deviation, -MOST_DEVIATIONS, MOST_DEVIATIONS)

    @classmethod
    def of(cls, rows: Array, relevance: Array) -> ProductsOfTwo:
        """Return the products of the `N_FACTORS` columns with the largest relevance.

        The relevance of a column is its absolute correlation with the column to fill.
        """
        columns = np.argsort(-relevance, kind="stable")[:N_FACTORS]
        products = _products(rows[:, columns])
        deviation = products.std(axis=0)
        return cls(columns, products.mean(axis=0), np.where(deviation > 0, deviation, 1.0))


def _products(x: Array) -> Array:
    first, second = np.triu_indices(x.shape[1])
    return x[:, first] * x[:, second]


@dataclass(frozen=True)
class Waves:
    """Cosines in random directions; their linear combinations are smooth functions of all columns.

    Inner products of their values approximate a Gaussian kernel of the distance between two rows.
    In this distance, columns are weighted by their relevance, the absolute correlation with the
    column to fill (random features of Rahimi and Recht).
    """

    directions: Array
    phases: Array

    def __call__(self, rows: Array) -> Array:
        """Return the values of the waves, cos(rows @ directions + phases), one column per wave."""
        waves: Array = np.cos(rows @ self.directions + self.phases)
        return waves

    @classmethod
    def of(cls, rows: Array, relevance: Array, share: float) -> Waves:
        """Return random waves whose length is `share` times the typical distance of two rows.

        Parameters
        ----------
        rows : array of shape (n_rows, n_columns)
            The filled rows.
        relevance : array of shape (n_columns,)
            The absolute correlation of each column with the column to fill.
        share : float
            The length of the waves, as a share of the typical distance.
        """
        scale = np.maximum(relevance, LEAST_RELEVANCE)
        rng = np.random.default_rng(0)
        # The mean squared distance of two rows is twice their variance.
        length = share * np.sqrt(2 * np.sum(scale**2 * rows.var(axis=0)))
        directions = scale[:, np.newaxis] * rng.standard_normal((rows.shape[1], N_WAVES))
        return cls(directions / (length or 1.0), rng.uniform(0, 2 * np.pi, N_WAVES))


@dataclass(frozen=True)
class Correction:
    """Fitted ridge regression on functions of the filled rows, which corrects expected cells."""

    functions: RowFunctions
    coefficients: Array
    offset: float

    def __call__(self, rows: Array) -> Array:
        """Return the number to add to the expected cell of each row."""
        correction: Array = self.functions(rows) @ self.coefficients + self.offset
        return correction


def best_correction(rows: Array, target: Array, relevance: Array) -> Correction | None:
    """Return the correction with the smallest leave-one-out error; None if no correction helps.

    Products and waves are tried, each with several penalties.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        Rows that were filled without using the cells of the column to fill.
    target : array of shape (n_rows,)
        The residuals of the linear model for the column to fill.
    relevance : array of shape (n_columns,)
        The absolute correlation of each column with the column to fill.
    """
    best, least = None, float(np.mean(target**2))
    kinds: Sequence[RowFunctions] = [
        ProductsOfTwo.of(rows, relevance),
        *(Waves.of(rows, relevance, share) for share in LENGTHS),
    ]
    for functions in kinds:
        values = functions(rows)
        mean, offset = values.mean(axis=0), float(target.mean())
        values -= mean
        y = target - offset
        # Older versions of SciPy reserve too little memory for "evd" and a matrix of one entry.
        several = values.shape[1] > 1
        sizes, vectors = eigh(
            values.T @ values, check_finite=False, driver="evd" if several else "ev"
        )
        sizes = np.maximum(sizes, 0.0)
        along = values @ vectors
        products = along.T @ y
        for penalty in sizes[-1] * RELATIVE_PENALTIES if sizes[-1] > 0 else ():
            shrunk = 1 / (sizes + penalty)
            leverage = 1 / len(y) + along**2 @ shrunk
            if leverage.mean() > MOST_FREEDOM:
                continue
            missed = (y - along @ (shrunk * products)) / np.maximum(1 - leverage, LEAST_FREE)
            error = float(np.mean(missed**2))
            if error < least:
                coefficients = vectors @ (shrunk * products)
                best = Correction(functions, coefficients, offset - float(mean @ coefficients))
                least = error
    return best
