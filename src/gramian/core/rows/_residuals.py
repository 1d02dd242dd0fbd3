"""Residuals: the rows of a table minus the functions that were fitted to them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gramian._support.blas import add_product, second_moments
from gramian._support.types import Array
from gramian.core.rows._covariance import MatrixCovariance, ResidualCovariance


class Residuals(Protocol):
    """Interface of residuals: the rows of a table minus fitted functions."""

    @property
    def total(self) -> float:
        """The sum of all squared residuals; infinity if it is not finite."""
        ...

    def of_columns(self) -> Array:
        """Return the sum of squared residuals of each column."""
        ...

    def covariance(self) -> ResidualCovariance:
        """Return RᵀR of the residuals R, or RRᵀ if R has fewer rows than columns.

        RᵀR and RRᵀ have equal eigenvalues except for zeros.
        """
        ...

    def rotate(self, axes: Array) -> Residuals:
        """Return the residuals times each row of `axes`, as residuals with one column per axis."""
        ...

    def subtract(self, functions: Array, coefficients: Array) -> None:
        """Subtract functionsᵀ · coefficients; both arrays have one row for each function."""
        ...


class ArrayResiduals:
    """Residuals that are stored as a dense array in memory.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        The residuals before any function is subtracted. `subtract` overwrites this array.
    """

    def __init__(self, values: Array) -> None:
        self._values = values

    @property
    def total(self) -> float:
        """The sum of all squared residuals; infinity if it is not finite."""
        return or_infinity(float(np.einsum("ij,ij->", self._values, self._values)))

    def of_columns(self) -> Array:
        """Return the sum of squared residuals of each column."""
        squares: Array = np.einsum("ij,ij->j", self._values, self._values)
        return squares

    def covariance(self) -> MatrixCovariance:
        """Return RᵀR of the residuals R, or RRᵀ if R has fewer rows than columns."""
        n_rows, n_columns = self._values.shape
        return MatrixCovariance(
            second_moments(self._values.T if n_columns > n_rows else self._values)
        )

    def rotate(self, axes: Array) -> ArrayResiduals:
        """Return the residuals times each row of `axes`, as residuals with one column per axis."""
        return ArrayResiduals(self._values @ axes.T)

    def subtract(self, functions: Array, coefficients: Array) -> None:
        """Subtract functionsᵀ · coefficients; both arrays have one row for each function."""
        add_product(self._values, functions.T, coefficients, -1.0)


def or_infinity(value: float) -> float:
    """Return `value`, or infinity if `value` is NaN or infinite.

    Fitted functions can overflow on rows that are far from the data of the fit.
    """
    return value if np.isfinite(value) else np.inf
