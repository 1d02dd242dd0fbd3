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
"""A combination of codes with less than this share of the largest variance is constant."""


@dataclass(frozen=True)
class Manifold:
    """A surface, and how its coordinates are told as codes."""

    surface: Surface
    start: Start
    search: NearestSearch
    mixing: Array
    """Coordinates are ``codes @ mixing + offset``."""
    offset: Array
    lines: Array
    """E[code · x]: what the columns gain, to first order, when a code grows by one."""
    unit: float = 1.0
    """The surface is fitted to rows divided by this."""

    def encode(self, x: Array, present: Mask | None = None) -> tuple[Array, Array]:
        """Return the codes of the nearest points of centred rows, and the squared distances.

        Parameters
        ----------
        x : array of shape (n_rows, n_columns)
            The rows; what stands in cells that are missing is where the search begins.
        present : array of bool, optional
            Which cells are not missing, by default all. Others do not count. Of a row without any
            nothing is known: its codes are missing.
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
        """Return where the search for the codes begins."""
        return self._codes(self.start(x / x.dtype.type(self.unit)))

    def decode(self, codes: Array) -> Array:
        """Return the points of these codes, centred."""
        return self.unit * self.surface(codes @ self.mixing + self.offset)

    @cached_property
    def _unmixing(self) -> Array:
        return np.asarray(np.linalg.inv(self.mixing), dtype=np.float64)

    def lifted(self, axes: Array) -> Manifold:
        """Return the same for rows that were expressed in orthonormal axes, the rows of a matrix.

        Parameters
        ----------
        axes : array of shape (n_axes, n_columns)
            The axes.
        """
        surface = replace(self.surface, coefficients=self.surface.coefficients @ axes)
        lifted = replace(
            self, surface=surface, start=self.start.lifted(axes), lines=self.lines @ axes
        )
        return lifted._signed()

    def _signed(self) -> Manifold:
        """Return the same with the largest entry of each line positive."""
        largest = np.argmax(np.abs(self.lines), axis=1)
        signs = np.where(self.lines[np.arange(len(self.lines)), largest] < 0, -1.0, 1.0)
        signs = signs[:, np.newaxis]
        return replace(self, mixing=signs * self.mixing, lines=signs * self.lines)

    def _codes(self, u: Array) -> Array:
        codes: Array = (u - self.offset) @ self._unmixing
        return codes.astype(u.dtype, copy=False)


def orient_codes(surface: Surface, start: Start, search: NearestSearch, u: TermMoments) -> Manifold:
    """Choose codes: uncorrelated, of variance 1, by how much they explain linearly.

    With a flat surface they are PCA's, divided by their standard deviations.

    Parameters
    ----------
    surface, start, search
        The surface, and how its nearest points are found.
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
    """Begin at the coordinates along directions, scaled to variance 1.

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
