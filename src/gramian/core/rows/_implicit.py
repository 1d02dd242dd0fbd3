"""Residuals of sparse rows, which are never written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gramian._support.blas import times
from gramian._support.types import Array
from gramian.core.rows._covariance import OperatorCovariance
from gramian.core.rows._residuals import ArrayResiduals, or_infinity

if TYPE_CHECKING:
    from gramian.core.rows._protocol import RowBlock

ROUNDING_OF_SQUARES = 1e-13
"""Share of a column's squares below which its residual is rounding error."""


class ImplicitResiduals:
    """Residuals X - FᵀC, kept as X, F and C, with the sums of squares by column.

    Parameters
    ----------
    rows : RowBlock
        The rows.
    scale : array of shape (n_columns,) or float
        The unit of the columns.
    squares : array of shape (n_columns,)
        The sums of squares of the rows by column, in their own units.
    """

    def __init__(self, rows: RowBlock, scale: Array | float, squares: Array) -> None:
        self._rows = rows
        self._scale = np.broadcast_to(scale, rows.n_columns)
        self._squares = squares * self._scale**2
        self._rounding = ROUNDING_OF_SQUARES * self._squares
        self._fits: list[tuple[Array, Array]] = []

    @property
    def total(self) -> float:
        """The sum of all squares; infinity if it is not a number."""
        return or_infinity(float(self.of_columns().sum()))

    def of_columns(self) -> Array:
        """Return the sums of squares by column."""
        return np.where(self._squares < self._rounding, 0.0, self._squares)

    def covariance(self) -> OperatorCovariance:
        """Return sums of products of columns, or of rows if there are fewer rows."""
        n_rows = len(self._rows.root)
        if self._rows.n_columns <= n_rows:
            return OperatorCovariance(lambda v: self._back(self._along(v)), self.of_columns())
        # Choosers use only the sum of the diagonal.
        diagonal = np.full(n_rows, self.total / n_rows)
        return OperatorCovariance(lambda u: self._along(self._back(u)), diagonal)

    def _along(self, vector: Array) -> Array:
        """Return the residuals times a vector."""
        found = self._rows.along(vector * self._scale)
        for functions, coefficients in self._fits:
            found -= times(functions.T, times(coefficients, vector))
        return found

    def _back(self, values: Array) -> Array:
        """Return the transposed residuals times a vector."""
        found: Array = self._rows.products(values) * self._scale
        for functions, coefficients in self._fits:
            found -= times(coefficients.T, times(functions, values))
        return found

    def rotate(self, axes: Array) -> ArrayResiduals:
        """Express the residuals in other coordinates, whose axes are given by rows."""
        values = np.empty((len(axes), len(self._rows.root)))
        self._rows.along_all(axes * self._scale, out=values)
        for functions, coefficients in self._fits:
            values -= (axes @ coefficients.T) @ functions
        return ArrayResiduals(np.ascontiguousarray(values.T))

    def subtract(self, functions: Array, coefficients: Array) -> None:
        """Subtract the fit by functions, given with their coefficients by rows."""
        # ‖r - fc‖² = ‖r‖² - 2c(fr) + c(ff)c, by column
        products = self._rows.products(functions) * self._scale
        for others, theirs in self._fits:
            products -= (functions @ others.T) @ theirs
        products *= -2.0
        products += (functions @ functions.T) @ coefficients
        self._squares = self._squares + np.einsum("ij,ij->j", coefficients, products)
        self._fits.append((functions, coefficients))
