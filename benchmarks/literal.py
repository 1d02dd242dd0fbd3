"""The paper's algorithms as their pseudo-code reads: one function at a time, subtracted once.

NumPy works over the rows; functions are taken one after the other. This is what the library is
timed against. It is no oracle: a single pass of classical Gram-Schmidt loses orthogonality, and
`tests/oracle.py` is there to say what is right.
"""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NOTHING = 1e-8
"""A function of which no more than this share is left adds nothing to the others."""


class Orthonormal:
    """The functions so far, orthonormal, the constant first (Algorithm 1)."""

    def __init__(self, n_rows: int) -> None:
        self.functions = [np.ones(n_rows)]

    def add(self, g: Array) -> tuple[float, Array | None]:
        """Return the norm of what is left of g, and the new function, if there is one."""
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
    """Products of at most `degree` distinct variables, those of a new variable at a time."""

    def __init__(self, degree: int) -> None:
        self._degree = degree
        self._products: list[tuple[int, Array | None]] = [(0, None)]

    def substitute(self, z: Array) -> list[tuple[int, Array]]:
        """Return the functions that need the new variable, each with its degree."""
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
    """Return the Fourier norms of the features, in units of their own, taken in their order."""
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
