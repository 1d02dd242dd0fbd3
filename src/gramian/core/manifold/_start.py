"""Where the search for the nearest point of a row begins: a linear estimate of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import pinv

from gramian._support.types import Array, IntArray

FLAT = 1e-3
"""A direction of the linear part that is shorter than this, relative to the longest, tells nothing
about the coordinates."""


class Start(Protocol):
    """Estimates coordinates from rows."""

    @property
    def linear(self) -> LinearStart:
        """What is linear in the estimates: they themselves, or cosines and sines of angles."""
        ...

    def __call__(self, x: Array) -> Array:
        """Return the estimates, one row a sample."""
        ...

    def lifted(self, axes: Array) -> Start:
        """Return the same for rows that were expressed in orthonormal axes, by rows."""
        ...


@dataclass(frozen=True)
class LinearStart:
    """The coordinates of the nearest point of a flat surface."""

    matrix: Array
    """From columns to variables: (n_columns, n_variables)."""
    offset: Array

    @property
    def linear(self) -> LinearStart:
        """The estimates themselves."""
        return self

    def __call__(self, x: Array) -> Array:
        """Return the estimates, one row a sample."""
        return x @ self.matrix.astype(x.dtype, copy=False) + self.offset.astype(x.dtype)

    def lifted(self, axes: Array) -> LinearStart:
        """Return the same for rows that were expressed in orthonormal axes, by rows."""
        return LinearStart(axes.T @ self.matrix, self.offset)


@dataclass(frozen=True)
class AngleStart:
    """Angles in planes: for closed curves, which no projection to a line can tell apart."""

    linear: LinearStart
    """The start of the cosines of all angles, and then of their sines."""
    frequency: float
    """An angle is this times the variable."""

    def __call__(self, x: Array) -> Array:
        """Return the estimates, one row a sample."""
        both = self.linear(x)
        n = both.shape[1] // 2
        angles: Array = np.arctan2(both[:, n:], both[:, :n])
        return angles / x.dtype.type(self.frequency)

    def lifted(self, axes: Array) -> AngleStart:
        """Return the same for rows that were expressed in orthonormal axes, by rows."""
        return AngleStart(self.linear.lifted(axes), self.frequency)


@dataclass(frozen=True)
class TermMoments:
    """Means and products of functions g on the rows, and with the rows."""

    mean: Array
    covariance: Array
    with_x: Array
    """E[g xᵀ], rows being centred."""

    @classmethod
    def of(cls, gram: Array, with_x: Array, which: IntArray) -> TermMoments:
        """Take those of some terms from the sums over all; the constant is the first term."""
        mean = gram[0, which]
        return cls(mean, gram[np.ix_(which, which)] - np.outer(mean, mean), with_x[which])

    def start(self) -> LinearStart:
        """Estimate the functions by projecting rows on the plane that fits best linearly."""
        plane = pinv(self.covariance, rtol=1e-12) @ self.with_x
        # lengths for deviations of one, so that units do not matter
        units = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        matrix = pinv(units[:, np.newaxis] * plane, rtol=FLAT) * units
        return LinearStart(np.asarray(matrix, dtype=np.float64), self.mean)
