"""Residuals of rows after a fit is subtracted."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gramian._support.blas import add_product, second_moments
from gramian._support.types import Array
from gramian.core.rows._covariance import MatrixCovariance, ResidualCovariance


class Residuals(Protocol):
    """Rows minus a fit by functions."""

    @property
    def total(self) -> float:
        """The sum of all squares; infinity if it is not a number."""
        ...

    def of_columns(self) -> Array:
        """Return the sums of squares by column."""
        ...

    def covariance(self) -> ResidualCovariance:
        """Return sums of products of columns, or of rows if there are fewer rows.

        The two matrices have equal eigenvalues except for zeros.
        """
        ...

    def rotate(self, axes: Array) -> Residuals:
        """Express the residuals in other coordinates, whose axes are given by rows."""
        ...

    def subtract(self, functions: Array, coefficients: Array) -> None:
        """Subtract the fit by functions, given with their coefficients by rows."""
        ...


class ArrayResiduals:
    """Residuals in memory.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        The rows. They are overwritten when a fit is subtracted.
    """

    def __init__(self, values: Array) -> None:
        self._values = values

    @property
    def total(self) -> float:
        """The sum of all squares; infinity if it is not a number."""
        return or_infinity(float(np.einsum("ij,ij->", self._values, self._values)))

    def of_columns(self) -> Array:
        """Return the sums of squares by column."""
        squares: Array = np.einsum("ij,ij->j", self._values, self._values)
        return squares

    def covariance(self) -> MatrixCovariance:
        """Return sums of products of columns, or of rows if there are fewer rows."""
        n_rows, n_columns = self._values.shape
        return MatrixCovariance(
            second_moments(self._values.T if n_columns > n_rows else self._values)
        )

    def rotate(self, axes: Array) -> ArrayResiduals:
        """Express the residuals in other coordinates, whose axes are given by rows."""
        return ArrayResiduals(self._values @ axes.T)

    def subtract(self, functions: Array, coefficients: Array) -> None:
        """Subtract the fit by functions, given with their coefficients by rows."""
        add_product(self._values, functions.T, coefficients, -1.0)


def or_infinity(value: float) -> float:
    """Return the value, or infinity if it is not finite: far from the fit, functions are huge."""
    return value if np.isfinite(value) else np.inf
