"""Literal implementation of the paper's pseudo-code: one function at a time, subtracted once.

NumPy vectorizes over the rows; a loop goes over the functions. The benchmarks time the library
against this code. It is not the oracle: a single pass of classical Gram-Schmidt loses
orthogonality, and `tests/oracle.py` defines the correct result.
"""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NOTHING = 1e-8
"""Residual share of a function at or below which the function is dropped."""


class Orthonormal:
    """Orthonormal functions so far, the constant first (Algorithm 1)."""

    def __init__(self, n_rows: int) -> None:
        self.functions = [np.ones(n_rows)]

    def add(self, g: Array) -> tuple[float, Array | None]:
        """Return the norm of the residual of g, and the new function or None."""
        rest = g.copy()
        for f in self.functions:
            rest -= (g @ f / len(g)) * f  # E[gf] f
        norm = float(np.sqrt(rest @ rest / len(g)))
        if norm <= NOTHING * np.sqrt(g @ g / len(g)):
            return 0.0, None
        rest /= norm
        self.functions.append(rest)
        return norm, rest


class Multilinear:
    """Products of at most `degree` distinct variables, added variable by variable."""

    def __init__(self, degree: int) -> None:
        self._degree = degree
        self._products: list[tuple[int, Array | None]] = [(0, None)]

    def substitute(self, z: Array) -> list[tuple[int, Array]]:
        """Return the functions that contain the new variable, each with its degree."""
        new = [
            (size + 1, z if values is None else values * z)
            for size, values in self._products
            if size < self._degree
        ]
        self._products += new
        return new


def gfr(X: Array, degree: int, n_components: int | None, threshold: float = 0.0) -> Array:
    """Return the directions of Algorithm 2."""
    X = X - X.mean(axis=0)
    n_rows = len(X)
    basis, family = Orthonormal(n_rows), Multilinear(degree)
    residual = X.copy()
    directions: list[Array] = []
    for j in count():
        values, vectors = np.linalg.eigh(residual.T @ residual / n_rows)
        if j == n_components or values[-1] <= threshold:
            break
        directions.append(vectors[:, -1])
        z = X @ directions[-1]
        for _, g in family.substitute(z / z.std()):
            _, f = basis.add(g)
            if f is not None:
                residual -= np.outer(f, f @ X / n_rows)  # E[Xf] f
    return np.reshape(directions, (-1, X.shape[1]))


def uffs(X: Array, degree: int) -> Array:
    """Return the Fourier norms of the features, in the features' units and order."""
    X = X - X.mean(axis=0)
    scale = X.std(axis=0)
    basis, family = Orthonormal(len(X)), Multilinear(degree)
    norms = np.zeros(X.shape[1])
    for i, column in enumerate((X / scale).T):
        for size, g in family.substitute(column):
            norm, _ = basis.add(g)
            if size == 1:
                norms[i] = norm * scale[i]
    return norms
