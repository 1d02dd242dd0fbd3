"""Starts of the search for nearest points: coordinates, estimated by linear functions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import pinv

from gramian._support.types import Array, IntArray

FLAT = 1e-3
"""Relative tolerance of the pseudoinverse in `TermMoments.start`: directions of the plane shorter
than this share of the longest direction are ignored."""


class Start(Protocol):
    """Interface of a start: it estimates the coordinates of the nearest point of each row."""

    @property
    def linear(self) -> LinearStart:
        """The linear functions of the rows from which the estimates are computed.

        They are the coordinates themselves, or the cosines and sines of angles, which are
        coordinates.
        """
        ...

    def __call__(self, x: Array) -> Array:
        """Return estimated coordinates of shape (n_rows, n_variables) for centred rows."""
        ...

    def lifted(self, axes: Array) -> Start:
        """Return this start for the original columns; it was fitted to coordinates along `axes`."""
        ...


@dataclass(frozen=True)
class LinearStart:
    """Start at ``x @ matrix + offset``: the coordinates of the nearest point of a flat surface."""

    matrix: Array
    """Matrix that maps rows to coordinates, of shape (n_columns, n_variables)."""
    offset: Array

    @property
    def linear(self) -> LinearStart:
        """The object itself, because its estimates are linear."""
        return self

    def __call__(self, x: Array) -> Array:
        """Return estimated coordinates of shape (n_rows, n_variables) for centred rows."""
        return x @ self.matrix.astype(x.dtype, copy=False) + self.offset.astype(x.dtype)

    def lifted(self, axes: Array) -> LinearStart:
        """Return this start for the original columns; it was fitted to coordinates along `axes`."""
        return LinearStart(axes.T @ self.matrix, self.offset)


@dataclass(frozen=True)
class AngleStart:
    """Start at the angle of a row in a plane, for closed curves; one plane per coordinate."""

    linear: LinearStart
    """Linear estimates of the cosines of all angles, followed by their sines."""
    frequency: float
    """Factor of the angles: angle = frequency · coordinate."""

    def __call__(self, x: Array) -> Array:
        """Return estimated coordinates of shape (n_rows, n_variables) for centred rows."""
        both = self.linear(x)
        n = both.shape[1] // 2
        angles: Array = np.arctan2(both[:, n:], both[:, :n])
        return angles / x.dtype.type(self.frequency)

    def lifted(self, axes: Array) -> AngleStart:
        """Return this start for the original columns; it was fitted to coordinates along `axes`."""
        return AngleStart(self.linear.lifted(axes), self.frequency)


@dataclass(frozen=True)
class TermMoments:
    """Means and covariances of functions g over the rows, and covariances with the columns."""

    mean: Array
    covariance: Array
    with_x: Array
    """E[g xᵀ] with centred rows x, of shape (n_functions, n_columns)."""

    @classmethod
    def of(cls, gram: Array, with_x: Array, which: IntArray) -> TermMoments:
        """Return the moments of the terms with numbers `which`, from the sums of all terms.

        Term 0 is the constant, so that ``gram[0]`` has the means.
        """
        mean = gram[0, which]
        return cls(mean, gram[np.ix_(which, which)] - np.outer(mean, mean), with_x[which])

    def start(self) -> LinearStart:
        """Return a start that projects rows on the plane of best fit, x ≈ planeᵀ(g - E[g])."""
        plane = pinv(self.covariance, rtol=1e-12) @ self.with_x
        # Lengths for a change of one standard deviation, so that scales of g do not matter.
        units = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        matrix = pinv(units[:, np.newaxis] * plane, rtol=FLAT) * units
        return LinearStart(np.asarray(matrix, dtype=np.float64), self.mean)
