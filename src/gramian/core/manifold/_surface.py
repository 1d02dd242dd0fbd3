"""A surface: its points and its tangents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import qr

from gramian._support.types import Array
from gramian.core.manifold._surface_terms import Terms


@dataclass(frozen=True)
class Surface:
    """The points x̂(u) = Bᵀf(u), centred as the rows are."""

    terms: Terms
    coefficients: Array
    """B: a row for each term, a column for each column of the rows."""
    compact: bool = True
    """True if rows may be expressed in fewer axes; False if some of their cells are missing."""

    def __call__(self, u: Array) -> Array:
        """Return the points at given coordinates, one per row."""
        return self.terms(u).T @ self.coefficients

    @cached_property
    def axes(self) -> Array | None:
        """Orthonormal columns that span the surface; None if they are not fewer than the columns.

        The part of a row orthogonal to the axes does not matter to its nearest point.
        """
        n_terms, n_columns = self.coefficients.shape
        if n_terms >= n_columns or not self.compact:
            return None
        axes = qr(self.coefficients.T, mode="economic", check_finite=False)[0]
        return np.asarray(axes, dtype=np.float64)

    @cached_property
    def along_axes(self) -> Array:
        """B in the coordinates of `axes`."""
        return self.coefficients if self.axes is None else self.coefficients @ self.axes

    @cached_property
    def unit(self) -> float:
        """Approximate mean square of the points' distances from their mean, per variable."""
        return float(np.sum(self.coefficients[1:] ** 2)) / self.terms.n_variables

    @cached_property
    def tangents(self) -> Array:
        """∂x̂/∂u as a combination of the terms of lower degree, along the axes.

        The shape is (n_lower, n_variables * n_axes); the terms are `terms.lower`.
        """
        place = np.zeros(len(self.terms), dtype=np.intp)
        place[self.terms.lower] = np.arange(len(self.terms.lower))
        b = self.along_axes
        tangents = np.zeros((len(self.terms.lower), self.terms.n_variables, b.shape[1]))
        for variable, slope in enumerate(self.terms.slopes):
            part = slope.factors[:, np.newaxis] * b[slope.which]
            np.add.at(tangents[:, variable], place[slope.lower], part)
        return tangents.reshape(len(tangents), -1)
