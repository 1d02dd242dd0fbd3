"""A fitted manifold: codes with mean 0, variance 1 and a fixed orientation."""

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
"""Share of the largest variance below which a combination of codes is constant."""


@dataclass(frozen=True)
class Manifold:
    """A surface, the search for nearest points, and the map from coordinates to codes."""

    surface: Surface
    start: Start
    search: NearestSearch
    mixing: Array
    """Matrix of the map: coordinates are ``codes @ mixing + offset``."""
    offset: Array
    lines: Array
    """E[code · x]: change of the columns, to first order, per unit of a code."""
    unit: float = 1.0
    """Divisor of the rows to which the surface is fitted."""

    def encode(self, x: Array, present: Mask | None = None) -> tuple[Array, Array]:
        """Return the codes of the nearest points of centred rows, and the squared distances.

        Parameters
        ----------
        x : array of shape (n_rows, n_columns)
            The rows; values in missing cells are used for the start of the search.
        present : array of bool, optional
            True for cells that are not missing; by default all. Missing cells do not count. A row
            without any value has missing codes.
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
        """Return the codes at which the search begins."""
        return self._codes(self.start(x / x.dtype.type(self.unit)))

    def decode(self, codes: Array) -> Array:
        """Return the points of the surface at given codes, centred."""
        return self.unit * self.surface(codes @ self.mixing + self.offset)

    @cached_property
    def _unmixing(self) -> Array:
        return np.asarray(np.linalg.inv(self.mixing), dtype=np.float64)

    def lifted(self, axes: Array) -> Manifold:
        """Return the manifold in the original columns, if rows were given in orthonormal axes.

        Parameters
        ----------
        axes : array of shape (n_axes, n_columns)
            The axes, by rows.
        """
        surface = replace(self.surface, coefficients=self.surface.coefficients @ axes)
        lifted = replace(
            self, surface=surface, start=self.start.lifted(axes), lines=self.lines @ axes
        )
        return lifted._signed()

    def _signed(self) -> Manifold:
        """Return the manifold with the largest entry of each line positive."""
        largest = np.argmax(np.abs(self.lines), axis=1)
        signs = np.where(self.lines[np.arange(len(self.lines)), largest] < 0, -1.0, 1.0)
        signs = signs[:, np.newaxis]
        return replace(self, mixing=signs * self.mixing, lines=signs * self.lines)

    def _codes(self, u: Array) -> Array:
        codes: Array = (u - self.offset) @ self._unmixing
        return codes.astype(u.dtype, copy=False)


def orient_codes(surface: Surface, start: Start, search: NearestSearch, u: TermMoments) -> Manifold:
    """Return the manifold whose codes are uncorrelated, of variance 1, by variance explained.

    With a flat surface, codes are those of PCA, divided by their standard deviations.

    Parameters
    ----------
    surface, start, search
        The surface, and the start and the search of its nearest points.
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
    """Return the start at coordinates along directions, scaled to variance 1.

    Parameters
    ----------
    components : array of shape (n_components, n_columns)
        The directions.
    covariance : array of shape (n_columns, n_columns)
        The covariance of the rows.
    """
    variances = np.einsum("ij,ij->i", components @ covariance, components)
    deviations = np.sqrt(np.where(variances > 0, variances, 1.0))
    return LinearStart(components.T / deviations, np.zeros(len(components)))
