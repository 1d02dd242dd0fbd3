"""Residuals of sparse rows, stored without the dense matrix of residuals."""

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
"""Residual sums of squares below this share of a column's initial sum of squares are set to zero:
they are rounding errors."""


class ImplicitResiduals:
    """Residuals X - FᵀC, stored as X, F and C together with the sum of squares of each column.

    Parameters
    ----------
    rows : RowBlock
        The rows.
    scale : array of shape (n_columns,) or float
        Factor that multiplies each column.
    squares : array of shape (n_columns,)
        The sum of squares of each column before the columns are multiplied by `scale`.
    """

    def __init__(self, rows: RowBlock, scale: Array | float, squares: Array) -> None:
        self._rows = rows
        self._scale = np.broadcast_to(scale, rows.n_columns)
        self._squares = squares * self._scale**2
        self._rounding = ROUNDING_OF_SQUARES * self._squares
        self._fits: list[tuple[Array, Array]] = []

    @property
    def total(self) -> float:
        """The sum of all squared residuals; infinity if it is not finite."""
        return or_infinity(float(self.of_columns().sum()))

    def of_columns(self) -> Array:
        """Return the sum of squared residuals of each column."""
        return np.where(self._squares < self._rounding, 0.0, self._squares)

    def covariance(self) -> OperatorCovariance:
        """Return RᵀR of the residuals R, or RRᵀ if R has fewer rows than columns."""
        n_rows = len(self._rows.root)
        if self._rows.n_columns <= n_rows:
            return OperatorCovariance(lambda v: self._back(self._along(v)), self.of_columns())
        # Only the sum of the diagonal is used, so all entries are set to the mean.
        diagonal = np.full(n_rows, self.total / n_rows)
        return OperatorCovariance(lambda u: self._along(self._back(u)), diagonal)

    def _along(self, vector: Array) -> Array:
        """Return the residual matrix times a vector: one value per row."""
        found = self._rows.along(vector * self._scale)
        for functions, coefficients in self._fits:
            found -= times(functions.T, times(coefficients, vector))
        return found

    def _back(self, values: Array) -> Array:
        """Return the transposed residual matrix times a vector: one value per column."""
        found: Array = self._rows.products(values) * self._scale
        for functions, coefficients in self._fits:
            found -= times(coefficients.T, times(functions, values))
        return found

    def rotate(self, axes: Array) -> ArrayResiduals:
        """Return the residuals times each row of `axes`, as residuals with one column per axis."""
        values = np.empty((len(axes), len(self._rows.root)))
        self._rows.along_all(axes * self._scale, out=values)
        for functions, coefficients in self._fits:
            values -= (axes @ coefficients.T) @ functions
        return ArrayResiduals(np.ascontiguousarray(values.T))

    def subtract(self, functions: Array, coefficients: Array) -> None:
        """Subtract functionsᵀ · coefficients; both arrays have one row for each function."""
        # ‖r - fc‖² = ‖r‖² - 2c(fr) + c(ff)c, by column
        products = self._rows.products(functions) * self._scale
        for others, theirs in self._fits:
            products -= (functions @ others.T) @ theirs
        products *= -2.0
        products += (functions @ functions.T) @ coefficients
        self._squares = self._squares + np.einsum("ij,ij->j", coefficients, products)
        self._fits.append((functions, coefficients))
