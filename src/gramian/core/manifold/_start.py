"""Starts of the search for nearest points: linear estimates of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import pinv

from gramian._support.types import Array, IntArray

FLAT = 1e-3
"""Length of a direction of the linear part, relative to the longest, below which it says nothing
about coordinates."""


class Start(Protocol):
    """Estimates coordinates from rows."""

    @property
    def linear(self) -> LinearStart:
        """Linear part of the estimates: the estimates, or cosines and sines of angles."""
        ...

    def __call__(self, x: Array) -> Array:
        """Return the estimates, one row a sample."""
        ...

    def lifted(self, axes: Array) -> Start:
        """Return the start in the original columns, if rows were given in orthonormal axes."""
        ...


@dataclass(frozen=True)
class LinearStart:
    """The coordinates of the nearest point of a flat surface."""

    matrix: Array
    """Matrix from columns to variables, of shape (n_columns, n_variables)."""
    offset: Array

    @property
    def linear(self) -> LinearStart:
        """The estimates themselves."""
        return self

    def __call__(self, x: Array) -> Array:
        """Return the estimates, one row a sample."""
        return x @ self.matrix.astype(x.dtype, copy=False) + self.offset.astype(x.dtype)

    def lifted(self, axes: Array) -> LinearStart:
        """Return the start in the original columns, if rows were given in orthonormal axes."""
        return LinearStart(axes.T @ self.matrix, self.offset)


@dataclass(frozen=True)
class AngleStart:
    """Angles in planes, for closed curves, whose points no projection to a line tells apart."""

    linear: LinearStart
    """Linear estimates of the cosines of all angles, then of their sines."""
    frequency: float
    """Ratio of the angle to the variable."""

    def __call__(self, x: Array) -> Array:
        """Return the estimates, one row a sample."""
        both = self.linear(x)
        n = both.shape[1] // 2
        angles: Array = np.arctan2(both[:, n:], both[:, :n])
        return angles / x.dtype.type(self.frequency)

    def lifted(self, axes: Array) -> AngleStart:
        """Return the start in the original columns, if rows were given in orthonormal axes."""
        return AngleStart(self.linear.lifted(axes), self.frequency)


@dataclass(frozen=True)
class TermMoments:
    """Means and covariances of functions g, and their products with the rows."""

    mean: Array
    covariance: Array
    with_x: Array
    """E[g xᵀ], rows being centred."""

    @classmethod
    def of(cls, gram: Array, with_x: Array, which: IntArray) -> TermMoments:
        """Return the moments of some terms, given the sums of all; the constant is term 0."""
        mean = gram[0, which]
        return cls(mean, gram[np.ix_(which, which)] - np.outer(mean, mean), with_x[which])

    def start(self) -> LinearStart:
        """Return a start that projects rows on the plane that fits the functions best."""
        plane = pinv(self.covariance, rtol=1e-12) @ self.with_x
        # Lengths per standard deviation, so that units do not matter.
        units = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        matrix = pinv(units[:, np.newaxis] * plane, rtol=FLAT) * units
        return LinearStart(np.asarray(matrix, dtype=np.float64), self.mean)
