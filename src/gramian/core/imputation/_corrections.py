"""Nonlinear corrections of the linear expectation of a cell, by functions of the completed row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from gramian._support.types import Array, IntArray

N_FACTORS = 8
"""Number of columns in products: those most correlated with the column to be filled."""
N_WAVES = 300
"""Number of waves."""
LENGTHS = (1.0, 0.5, 0.25)
"""Wavelengths, as shares of the typical distance of two rows; left-out rows choose one."""
MOST_DEVIATIONS = 5.0
"""Limit of products, in deviations from their mean: products explode where there are no rows."""
LEAST_RELEVANCE = 0.05
"""Lower bound of a column's correlation as its weight in distances."""
RELATIVE_PENALTIES = 10.0 ** np.arange(-7, 0.1, 0.5)
"""Penalties, relative to the largest eigenvalue of the functions' covariance."""
LEAST_FREE = 1e-3
"""Lower bound of 1 - leverage, the share of a row's fit that other rows decide."""
MOST_FREEDOM = 0.7
"""Largest number of degrees of freedom of a fit, relative to the rows."""


RowFunctions = Callable[[Array], Array]
"""Returns the values of functions on completed rows, one column per function."""


@dataclass(frozen=True)
class ProductsOfTwo:
    """Squares and products of some columns."""

    columns: IntArray
    mean: Array
    deviation: Array

    def __call__(self, rows: Array) -> Array:
        """Return the products, one column each, scaled to variance 1 and limited."""
        products = _products(rows[:, self.columns])
        return np.clip((products - self.mean) / self.deviation, -MOST_DEVIATIONS, MOST_DEVIATIONS)

    @classmethod
    def of(cls, rows: Array, relevance: Array) -> ProductsOfTwo:
        """Return the products of the most relevant columns."""
        columns = np.argsort(-relevance, kind="stable")[:N_FACTORS]
        products = _products(rows[:, columns])
        deviation = products.std(axis=0)
        return cls(columns, products.mean(axis=0), np.where(deviation > 0, deviation, 1.0))


def _products(x: Array) -> Array:
    first, second = np.triu_indices(x.shape[1])
    return x[:, first] * x[:, second]


@dataclass(frozen=True)
class Waves:
    """Cosines in random directions: their sums are smooth functions of all columns.

    Their inner products tend to a Gaussian kernel of the distance between rows, in which columns
    count by their relevance (Rahimi and Recht's random features).
    """

    directions: Array
    phases: Array

    def __call__(self, rows: Array) -> Array:
        """Return the cosines, one column each."""
        waves: Array = np.cos(rows @ self.directions + self.phases)
        return waves

    @classmethod
    def of(cls, rows: Array, relevance: Array, share: float) -> Waves:
        """Draw waves whose length is a share of the typical distance of two rows."""
        scale = np.maximum(relevance, LEAST_RELEVANCE)
        rng = np.random.default_rng(0)
        # The mean squared distance of two rows is twice their variance.
        length = share * np.sqrt(2 * np.sum(scale**2 * rows.var(axis=0)))
        directions = scale[:, np.newaxis] * rng.standard_normal((rows.shape[1], N_WAVES))
        return cls(directions / (length or 1.0), rng.uniform(0, 2 * np.pi, N_WAVES))


@dataclass(frozen=True)
class Correction:
    """A ridge regression on functions."""

    functions: RowFunctions
    coefficients: Array
    offset: float

    def __call__(self, rows: Array) -> Array:
        """Return the correction of the linear expectation for each row."""
        correction: Array = self.functions(rows) @ self.coefficients + self.offset
        return correction


def best_correction(rows: Array, target: Array, relevance: Array) -> Correction | None:
    """Return the best correction of linear expectations; None if no correction helps.

    Functions and penalty have the smallest leave-one-out error.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        Rows completed without the cells of the target.
    target : array of shape (n_rows,)
        The residuals of the target's linear expectation.
    relevance : array of shape (n_columns,)
        The absolute correlation of each column with the one to be filled.
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
        # Older versions of SciPy give "evd" too little room for a matrix of one entry.
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
