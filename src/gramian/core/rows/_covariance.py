"""Residual covariance of the columns, as a matrix or as an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.linalg import blas

from gramian._support.blas import subtract_second_moments, threads_for, times
from gramian._support.types import Array

DENSE_BELOW = 300
"""Number of columns below which a direct eigenvalue method is faster than iterations."""
ITERATE_FROM = 32
"""Number of columns below which an operator is written out as a matrix."""
MAX_VECTORS = 32
"""Largest number of eigenvectors of an operator computed at once: they may be very long."""


class ResidualCovariance(Protocol):
    """The residual covariance Σ_j, from which functions are subtracted step by step."""

    size: int
    """The number of columns."""

    @property
    def trace(self) -> float:
        """The sum of all residual variances."""
        ...

    def pairs(self, n: int) -> tuple[int, bool]:
        """Return how many eigenpairs to find if n are useful, and True to find them iteratively."""
        ...

    def diagonal(self) -> Array:
        """Return the residual variances of the columns."""
        ...

    def times(self, vector: Array) -> Array:
        """Return the product with a vector."""
        ...

    def lower(self) -> Array:
        """Return the matrix in Fortran's order; only its lower triangle is valid."""
        ...

    def copy(self) -> ResidualCovariance:
        """Return an independent copy."""
        ...

    def subtract(self, coefficients: Array) -> None:
        """Subtract E[Xf̂]E[Xf̂]ᵀ of new functions, given E[Xf̂] by rows (Lemma 2(a))."""
        ...

    def deflate(self, vector: Array) -> None:
        """Remove the variance that rounding errors left along a unit vector."""
        ...


class MatrixCovariance:
    """A residual covariance in memory.

    Parameters
    ----------
    lower : array of shape (d, d)
        Its lower triangle, in Fortran's order. It is overwritten when functions are subtracted.
    """

    def __init__(self, lower: Array) -> None:
        self._lower = lower
        self.size = len(lower)

    @property
    def trace(self) -> float:
        """The sum of all residual variances."""
        return float(np.trace(self._lower))

    def pairs(self, n: int) -> tuple[int, bool]:
        """Return how many eigenpairs to find if n are useful, and True to find them iteratively."""
        n = min(n, self.size)
        return n, self.size >= DENSE_BELOW and n <= self.size // 10

    def diagonal(self) -> Array:
        """Return the residual variances of the columns."""
        return self._lower.diagonal()

    def times(self, vector: Array) -> Array:
        """Return the product with a vector."""
        product: Array = blas.dsymv(1.0, self._lower, vector, lower=1)
        return product

    def lower(self) -> Array:
        """Return the matrix in Fortran's order; only its lower triangle is valid."""
        return self._lower

    def copy(self) -> MatrixCovariance:
        """Return an independent copy."""
        return MatrixCovariance(self._lower.copy(order="F"))

    def subtract(self, coefficients: Array) -> None:
        """Subtract E[Xf̂]E[Xf̂]ᵀ of new functions, given E[Xf̂] by rows (Lemma 2(a))."""
        with threads_for(coefficients.size * coefficients.shape[1] / 2):
            subtract_second_moments(self._lower, coefficients)

    def deflate(self, vector: Array) -> None:
        """Remove the variance that rounding errors left along a unit vector."""
        with threads_for(0):  # products with vectors are small
            image = self.times(vector)
            image -= 0.5 * (vector @ image) * vector
            blas.dsyr2(-1.0, image, vector, a=self._lower, lower=1, overwrite_a=1)


class OperatorCovariance:
    """A residual covariance that is never written out: a product with X and Xᵀ, minus low rank.

    With directions V that were deflated, it is (I - VVᵀ)(E[XXᵀ] - CᵀC)(I - VVᵀ), where C holds
    E[Xf̂] by rows. It takes the memory of C and V.

    Parameters
    ----------
    times : callable
        Multiplies E[XXᵀ] with a vector.
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
        """The sum of all residual variances."""
        return self._trace

    def pairs(self, n: int) -> tuple[int, bool]:
        """Return how many eigenpairs to find if n are useful, and True to find them iteratively."""
        d = self.size
        return min(n, d, max(2, min(MAX_VECTORS, d // 10))), d >= ITERATE_FROM

    def diagonal(self) -> Array:
        """Return the residual variances of the columns."""
        return self._diagonal

    def times(self, vector: Array) -> Array:
        """Return the product with a vector."""
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
        """Return the matrix, written out column by column: for small d, or if iterations fail."""
        d = self.size
        matrix = np.empty((d, d), order="F")
        for i in range(d):
            unit = np.zeros(d)
            unit[i] = 1.0
            matrix[:, i] = self.times(unit)
        return matrix

    def copy(self) -> OperatorCovariance:
        """Return an independent copy."""
        other = OperatorCovariance(self._times, self._diagonal)
        other._trace = self._trace
        other._coefficients = self._coefficients.copy()
        other._finished = self._finished.copy()
        return other

    def subtract(self, coefficients: Array) -> None:
        """Subtract E[Xf̂]E[Xf̂]ᵀ of new functions, given E[Xf̂] by rows (Lemma 2(a))."""
        squares = np.einsum("ij,ij->j", coefficients, coefficients)
        self._coefficients.append(coefficients)
        self._diagonal = self._diagonal - squares
        self._trace -= float(squares.sum())

    def deflate(self, vector: Array) -> None:
        """Remove the variance that rounding errors left along a unit vector."""
        self._trace -= float(vector @ self.times(vector))
        self._finished.append(vector)
