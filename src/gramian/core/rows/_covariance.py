"""Residual covariance of the columns: a matrix in memory, or products with vectors only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.linalg import blas

from gramian._support.blas import subtract_second_moments, threads_for, times
from gramian._support.types import Array

DENSE_BELOW = 300
"""Smallest number of columns of a covariance matrix for which eigenpairs may be computed
iteratively; for fewer columns, a direct method is faster."""
ITERATE_FROM = 32
"""Smallest number of columns for which eigenpairs of an `OperatorCovariance` are computed
iteratively; for fewer columns, the matrix is computed."""
MAX_VECTORS = 32
"""Largest number of eigenvectors of an `OperatorCovariance` that one search computes: each vector
may be very long."""


class ResidualCovariance(Protocol):
    """Interface of the residual covariance Σ_j; each step subtracts the newly fitted functions."""

    size: int
    """The number of columns."""

    @property
    def trace(self) -> float:
        """The sum of the residual variances of all columns."""
        ...

    def pairs(self, n: int) -> tuple[int, bool]:
        """Return how many eigenvalues with vectors to compute, and True to use iterations.

        The number is at most `n`.
        """
        ...

    def diagonal(self) -> Array:
        """Return the residual variances of the columns."""
        ...

    def times(self, vector: Array) -> Array:
        """Return the residual covariance matrix times `vector`."""
        ...

    def lower(self) -> Array:
        """Return the covariance matrix in Fortran order; only its lower triangle is valid."""
        ...

    def copy(self) -> ResidualCovariance:
        """Return an independent copy of this residual covariance."""
        ...

    def subtract(self, coefficients: Array) -> None:
        """Subtract Σᵢ cᵢcᵢᵀ, where row i of `coefficients` is cᵢ = E[Xf̂ᵢ] (Lemma 2(a))."""
        ...

    def deflate(self, vector: Array) -> None:
        """Set the variance along a unit vector to zero, to remove its rounding errors."""
        ...


class MatrixCovariance:
    """Residual covariance that is stored as a matrix in memory.

    Parameters
    ----------
    lower : array of shape (d, d)
        The covariance in Fortran order; only its lower triangle is used. `subtract` and `deflate`
        overwrite it.
    """

    def __init__(self, lower: Array) -> None:
        self._lower = lower
        self.size = len(lower)

    @property
    def trace(self) -> float:
        """The sum of the residual variances of all columns."""
        return float(np.trace(self._lower))

    def pairs(self, n: int) -> tuple[int, bool]:
        """Return how many eigenvalues with vectors to compute, and True to use iterations.

        The number is at most `n`.
        """
        n = min(n, self.size)
        return n, self.size >= DENSE_BELOW and n <= self.size // 10

    def diagonal(self) -> Array:
        """Return the residual variances of the columns."""
        return self._lower.diagonal()

    def times(self, vector: Array) -> Array:
        """Return the residual covariance matrix times `vector`."""
        product: Array = blas.dsymv(1.0, self._lower, vector, lower=1)
        return product

    def lower(self) -> Array:
        """Return the covariance matrix in Fortran order; only its lower triangle is valid."""
        return self._lower

    def copy(self) -> MatrixCovariance:
        """Return an independent copy of this residual covariance."""
        return MatrixCovariance(self._lower.copy(order="F"))

    def subtract(self, coefficients: Array) -> None:
        """Subtract Σᵢ cᵢcᵢᵀ, where row i of `coefficients` is cᵢ = E[Xf̂ᵢ] (Lemma 2(a))."""
        with threads_for(coefficients.size * coefficients.shape[1] / 2):
            subtract_second_moments(self._lower, coefficients)

    def deflate(self, vector: Array) -> None:
        """Set the variance along a unit vector to zero, to remove its rounding errors."""
        with threads_for(0):  # products with vectors are small
            image = self.times(vector)
            image -= 0.5 * (vector @ image) * vector
            blas.dsyr2(-1.0, image, vector, a=self._lower, lower=1, overwrite_a=1)


class OperatorCovariance:
    """Residual covariance without a stored matrix: only its products with vectors are computed.

    It equals (I - VVᵀ)(E[XXᵀ] - CᵀC)(I - VVᵀ), where the columns of V are the deflated directions
    and row i of C is E[Xf̂ᵢ] of a subtracted function. Only C and V are stored.

    Parameters
    ----------
    times : callable
        Returns E[XXᵀ] times a vector.
    diagonal : array of shape (d,)
        The variances of the columns.
    """

    def __init__(self, times: Callable[[Array], Array], diagonal: Array) -> None:
        self._times = times
        self._diagonal = diagonal
        self._trace = float(diagonal.sum())
        self._coefficients: list[Array] = []
        self._finished: list[Array] = []
        self.size = len(diagonal)

    @property
    def trace(self) -> float:
        """The sum of the residual variances of all columns."""
        return self._trace

    def pairs(self, n: int) -> tuple[int, bool]:
        """Return how many eigenvalues with vectors to compute, and True to use iterations.

        The number is at most `n`.
        """
        d = self.size
        return min(n, d, max(2, min(MAX_VECTORS, d // 10))), d >= ITERATE_FROM

    def diagonal(self) -> Array:
        """Return the residual variances of the columns."""
        return self._diagonal

    def times(self, vector: Array) -> Array:
        """Return the residual covariance matrix times `vector`."""
        vector = self._unfinished(vector)
        image = self._times(vector)
        for coefficients in self._coefficients:
            image -= times(coefficients.T, times(coefficients, vector))
        return self._unfinished(image)

    def _unfinished(self, vector: Array) -> Array:
        for finished in self._finished:
            vector = vector - (finished @ vector) * finished
        return vector

    def lower(self) -> Array:
        """Return the covariance matrix, computed by one product with a unit vector per column."""
        d = self.size
        matrix = np.empty((d, d), order="F")
        for i in range(d):
            unit = np.zeros(d)
            unit[i] = 1.0
            matrix[:, i] = self.times(unit)
        return matrix

    def copy(self) -> OperatorCovariance:
        """Return an independent copy of this residual covariance."""
        other = OperatorCovariance(self._times, self._diagonal)
        other._trace = self._trace
        other._coefficients = self._coefficients.copy()
        other._finished = self._finished.copy()
        return other

    def subtract(self, coefficients: Array) -> None:
        """Subtract Σᵢ cᵢcᵢᵀ, where row i of `coefficients` is cᵢ = E[Xf̂ᵢ] (Lemma 2(a))."""
        squares = np.einsum("ij,ij->j", coefficients, coefficients)
        self._coefficients.append(coefficients)
        self._diagonal = self._diagonal - squares
        self._trace -= float(squares.sum())

    def deflate(self, vector: Array) -> None:
        """Set the variance along a unit vector to zero, to remove its rounding errors."""
        self._trace -= float(vector @ self.times(vector))
        self._finished.append(vector)
