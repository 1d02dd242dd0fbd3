"""Surface x̂(u) = Bᵀf(u): its points and its tangents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import qr

from gramian._support.types import Array
from gramian.core.manifold._surface_terms import Terms


@dataclass(frozen=True)
class Surface:
    """Surface with the points x̂(u) = Bᵀf(u): u are coordinates, f functions, B coefficients.

    Points are centred rows.
    """

    terms: Terms
    coefficients: Array
    """The matrix B, of shape (n_terms, n_columns)."""
    compact: bool = True
    """True if the search may replace columns by fewer `axes`; False if cells may be missing."""

    def __call__(self, u: Array) -> Array:
        """Return the points at the coordinates `u`: one row of the result per row of `u`."""
        return self.terms(u).T @ self.coefficients

    @cached_property
    def axes(self) -> Array | None:
        """Orthonormal axes (columns of a matrix) that span the surface, or None to use the columns.

        The part of a row that is orthogonal to the axes does not change its nearest point. The
        value is None if the axes are not fewer than the columns, or if ``compact=False``.
        """
        n_terms, n_columns = self.coefficients.shape
        if n_terms >= n_columns or not self.compact:
            return None
        axes = qr(self.coefficients.T, mode="economic", check_finite=False)[0]
        return np.asarray(axes, dtype=np.float64)

    @cached_property
    def along_axes(self) -> Array:
        """The matrix B in the coordinates of `axes`, of shape (n_terms, n_axes)."""
        return self.coefficients if self.axes is None else self.coefficients @ self.axes

    @cached_property
    def unit(self) -> float:
        """Approximate mean squared distance of points from their mean, divided by `n_variables`."""
        return float(np.sum(self.coefficients[1:] ** 2)) / self.terms.n_variables

    @cached_property
    def tangents(self) -> Array:
        """Coefficients of the derivatives ∂x̂/∂u, as sums of terms, in the coordinates of `axes`.

        The shape is (n_lower, n_variables * n_axes); the terms have the indices `terms.lower`.
        """
        place = np.zeros(len(self.terms), dtype=np.intp)
        place[self.terms.lower] = np.arange(len(self.terms.lower))
        b = self.along_axes
        tangents = np.zeros((len(self.terms.lower), self.terms.n_variables, b.shape[1]))
        for variable, slope in enumerate(self.terms.slopes):
            part = slope.factors[:, np.newaxis] * b[slope.which]
            np.add.at(tangents[:, variable], place[slope.lower], part)
        return tangents.reshape(len(tangents), -1)
