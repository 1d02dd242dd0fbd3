"""Fitted manifold, whose codes have mean 0, variance 1 and a fixed order and sign.

Codes are coordinates on the surface after a linear map.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import eigh, svd

from gramian._support.types import Array
from gramian.core.manifold._nearest_points import Mask, NearestSearch
from gramian.core.manifold._start import LinearStart, Start, TermMoments
from gramian.core.manifold._surface import Surface

CONSTANT_CODE = 1e-12
"""A direction of coordinates is constant if its variance is at most this share of the largest
variance."""


@dataclass(frozen=True)
class Manifold:
    """Fitted manifold: a surface, a search for nearest points, a map of coordinates to codes.

    Codes are the coordinates after a linear map, which gives them mean 0 and variance 1.
    """

    surface: Surface
    start: Start
    search: NearestSearch
    mixing: Array
    """Matrix of the map between codes and coordinates: ``coordinates = codes @ mixing +
    offset``."""
    offset: Array
    lines: Array
    """E[code · x], of shape (n_codes, n_columns): approximate change of the columns if a code grows
    by 1."""
    unit: float = 1.0
    """Divisor of the centred rows: the surface was fitted to rows divided by it."""

    def encode(self, x: Array, present: Mask | None = None) -> tuple[Array, Array]:
        """Return the codes of the nearest points of centred rows, and their squared distances.

        Parameters
        ----------
        x : array of shape (n_rows, n_columns)
            The centred rows; values in missing cells are used only for the start of the search.
        present : array of bool, optional
            True for cells that are not missing; by default, no cells are missing. Missing cells do
            not count in distances. The codes of a row without any value are NaN.
        """
        rows = x / x.dtype.type(self.unit)
        if present is None:
            u, errors = self.search(self.surface, self.start, rows)
        else:
            u = np.full((len(x), self.surface.terms.n_variables), np.nan, dtype=x.dtype)
            errors = np.full(len(x), np.nan, dtype=x.dtype)
            whole, some = present.all(axis=1), present.any(axis=1)
            some &= ~whole
            u[whole], errors[whole] = self.search(self.surface, self.start, rows[whole])
            surface = replace(self.surface, compact=False)
            u[some], errors[some] = self.search(surface, self.start, rows[some], present[some])
        return self._codes(u), errors * x.dtype.type(self.unit) ** 2

    def estimate(self, x: Array) -> Array:
        """Return linear estimates of the codes (coordinates on the surface) of centred rows.

        The search for nearest points starts there.
        """
        return self._codes(self.start(x / x.dtype.type(self.unit)))

    def decode(self, codes: Array) -> Array:
        """Return the points of the surface that have the given codes (coordinates on the surface).

        Points are centred rows.
        """
        return self.unit * self.surface(codes @ self.mixing + self.offset)

    @cached_property
    def _unmixing(self) -> Array:
        return np.asarray(np.linalg.inv(self.mixing), dtype=np.float64)

    def lifted(self, axes: Array) -> Manifold:
        """Return the manifold in the original columns, after a fit to rows in orthonormal axes.

        Parameters
        ----------
        axes : array of shape (n_axes, n_columns)
            The orthonormal axes, one per row.
        """
        surface = replace(self.surface, coefficients=self.surface.coefficients @ axes)
        lifted = replace(
            self, surface=surface, start=self.start.lifted(axes), lines=self.lines @ axes
        )
        return lifted._signed()

    def _signed(self) -> Manifold:
        """Return the manifold with signs of codes such that `lines` have positive largest entries.

        In each row of `lines`, the entry of largest absolute value is positive.
        """
        largest = np.argmax(np.abs(self.lines), axis=1)
        signs = np.where(self.lines[np.arange(len(self.lines)), largest] < 0, -1.0, 1.0)
        signs = signs[:, np.newaxis]
        return replace(self, mixing=signs * self.mixing, lines=signs * self.lines)

    def _codes(self, u: Array) -> Array:
        codes: Array = (u - self.offset) @ self._unmixing
        return codes.astype(u.dtype, copy=False)


def orient_codes(surface: Surface, start: Start, search: NearestSearch, u: TermMoments) -> Manifold:
    """Return the manifold with uncorrelated codes of variance 1, ordered by explained variance.

    Codes are the coordinates on the surface after a linear map. For a flat surface, the codes are
    the principal components, divided by their standard deviations.

    Parameters
    ----------
    surface, start, search
        The surface, and the start and the search for its nearest points.
    u : TermMoments
        The moments of the coordinates of all rows.
    """
    values, vectors = eigh(u.covariance)
    values = np.where(values > CONSTANT_CODE * values[-1], values, 1.0)
    root = vectors * np.sqrt(values)  # covariance = root @ root.T
    explained = np.linalg.solve(root, u.with_x)
    rotation, sizes, axes = svd(explained, full_matrices=False)
    lines = sizes[:, np.newaxis] * axes
    return Manifold(surface, start, search, (root @ rotation).T, u.mean, lines)._signed()


def linear_start(components: Array, covariance: Array) -> LinearStart:
    """Return a start whose estimates are the rows times some directions, scaled to variance 1.

    Parameters
    ----------
    components : array of shape (n_components, n_columns)
        The directions, one per row.
    covariance : array of shape (n_columns, n_columns)
        The covariance of the rows.
    """
    variances = np.einsum("ij,ij->i", components @ covariance, components)
    deviations = np.sqrt(np.where(variances > 0, variances, 1.0))
    return LinearStart(components.T / deviations, np.zeros(len(components)))
