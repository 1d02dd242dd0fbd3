"""The triangular factor that takes functions to orthonormal ones, with or without shrinkage.

With E[ffᵀ] + αD = LLᵀ, where D marks the functions that are penalized, f̂ = L⁻¹f and c = E[f̂Xᵀ],
the penalized least-squares fit of X is cᵀf̂ = Bᵀf with B = L⁻ᵀc, and the least value of

    E[(X - Bᵀf)(X - Bᵀf)ᵀ] + α BᵀDB    is    E[XXᵀ] - cᵀc.

So the recursion of Lemma 2(a) holds with shrinkage as it does without.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np

from gramian._blas import add_product, solve_lower
from gramian._threads import AddProduct, Item, product_for, share_out
from gramian._types import Array, IntArray
from gramian.orthogonalize._common import Extension, GrowingRows, pivoted_cholesky

TOLERANCE = 1e-7
"""A function is dropped when orthogonalization leaves less than this share of its second moment.

As for `qr`, this must exceed the rounding errors of what is kept, which the Gram matrix squares.
"""
N_PROBES = 32
"""Random vectors by which the trace of an inverse is estimated."""
MERGE_BELOW = 64
"""Blocks of the factor with fewer rows are merged with the next, for fewer, larger products."""
EPSILON = float(np.finfo(np.float64).eps)


class Factor:
    """A factor L that grows, and E[f̂Xᵀ] of its functions f̂ = L⁻¹f, scaled to norm one.

    Parameters
    ----------
    n_columns : int
        The number of columns of X.
    alpha : float, default=0
        The penalty of every function but the constant and the variables themselves. Infinity
        leaves the others out.
    """

    def __init__(self, n_columns: int, alpha: float = 0.0) -> None:
        self.alpha = alpha
        self.inflation = 1.0
        """The largest second moment of a function over what is left of it after the others are
        subtracted."""
        # The constant function: norm one, and every centred column is orthogonal to it.
        self._order = np.zeros(1, dtype=np.intp)
        """Which functions of the basis are in the factor, in the order in which they came."""
        self._triangle = _BlockTriangle()
        self._coefficients = GrowingRows(np.zeros(n_columns))
        self._penalized = np.empty(0, dtype=np.intp)
        """Which rows of the factor have the penalty on their diagonal."""
        self._probes = GrowingRows(np.zeros(N_PROBES))
        self._random = np.random.default_rng(0)

    def __len__(self) -> int:
        return len(self._order)

    @property
    def degrees_of_freedom(self) -> float:
        """The trace of the matrix that takes X to its fit: the effective number of functions.

        It is n - α trace(D(LLᵀ)⁻¹D), and the trace is the expectation of ‖L⁻¹Dv‖² for vectors v
        of random signs.
        """
        if not 0 < self.alpha < np.inf:
            return float(len(self))
        probes = self._probes.view
        return len(self) - self.alpha * float(np.einsum("ij,ij->", probes, probes)) / N_PROBES

    def factorize(self, gram: Array, with_x: Array, room: int, n_workers: int) -> Extension:
        """Orthogonalize new functions, given their second moments.

        Parameters
        ----------
        gram : array of shape (n_new, n_basis + n_new)
            E[g fᵀ] for the functions of the basis, then for the new ones, all of norm one.
        with_x : array of shape (n_new, n_columns)
            E[g Xᵀ]; overwritten.
        room : int
            The largest number of functions that can still be linearly independent.
        n_workers : int
            The number of threads.
        """
        n = gram.shape[1] - len(gram)
        free = slice(0, 1 if np.isinf(self.alpha) else len(gram))  # z itself comes first
        gram, with_x = gram[free], with_x[free]
        w = self._project(gram, with_x, n_workers)
        left = gram[:, n : n + len(gram)].copy()
        if np.isfinite(self.alpha):
            left[range(1, len(left)), range(1, len(left))] += self.alpha
        _subtract_second_moments(left, w, n_workers)
        factor, pivots, rest = pivoted_cholesky(left, TOLERANCE)
        if len(pivots) < room:
            # What is dropped though more than rounding errors are left of it is out of reach.
            out_of_reach = rest[rest > 1e3 * EPSILON * self.inflation]
            shares = np.append(factor.diagonal() ** 2, out_of_reach)
            self.inflation = max(self.inflation, 1 / float(shares.min(initial=1.0)))
        factor, pivots = factor[:room, :room], pivots[:room]
        coefficients = with_x[pivots]
        solve_lower(factor, coefficients)
        return Extension(pivots, w[pivots], factor, coefficients)

    def _project(self, gram: Array, with_x: Array, n_workers: int) -> Array:
        """Return E[g f̂ᵀ], and subtract from E[g Xᵀ] what is due to the projections on f̂."""
        w = np.empty((len(gram), len(self)))

        def project(multiply: AddProduct, new: slice) -> None:
            part = np.ascontiguousarray(gram[new].T[self._order])
            self._triangle.solve(part, multiply)
            w[new] = part.T
            multiply(with_x[new], w[new], self._coefficients.view, -1.0)

        share_out(_split(len(gram), n_workers), _workers(project, n_workers))
        return w

    def append(self, extension: Extension, indices: IntArray) -> None:
        """Take in new functions; `indices` are those of the pivots in the basis."""
        left, diagonal = extension.left, extension.diagonal
        if 0 < self.alpha < np.inf:
            probes = self._random.choice([-1.0, 1.0], (len(diagonal), N_PROBES))
            probes[extension.pivots == 0] = 0.0  # the variable itself is free
            penalized = len(self) + np.flatnonzero(extension.pivots)
            self._penalized = np.append(self._penalized, penalized)
            add_product(probes, left, self._probes.view, -1.0)
            solve_lower(diagonal, probes)
            self._probes.append(probes)
        self._order = np.append(self._order, indices)
        self._triangle.append(left, diagonal)
        self._coefficients.append(extension.coefficients)

    def fit(self, n_basis: int) -> Array:
        """Return B = L⁻ᵀE[f̂Xᵀ] for all functions of the basis, scaled to norm one."""
        b = self._coefficients.view.copy()
        self._triangle.solve_transposed(b)
        fit = np.zeros((n_basis, b.shape[1]))
        fit[self._order] = b
        return fit

    def moments(self, n_basis: int) -> tuple[Array, Array]:
        """Return E[ffᵀ] and E[fXᵀ] of the functions in the factor, zeros for all others."""
        lower = self._triangle.dense()
        products = lower @ lower.T
        if 0 < self.alpha < np.inf:
            products[self._penalized, self._penalized] -= self.alpha
        gram = np.zeros((n_basis, n_basis))
        gram[np.ix_(self._order, self._order)] = products
        with_x = np.zeros((n_basis, self._coefficients.view.shape[1]))
        with_x[self._order] = lower @ self._coefficients.view
        return gram, with_x


class _BlockTriangle:
    """A lower triangular matrix that grows by blocks of rows, the upper half never stored."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Array, Array]] = [(np.empty((1, 0)), np.ones((1, 1)))]

    def append(self, left: Array, diagonal: Array) -> None:
        """Add rows: a rectangle, and to its right a triangle."""
        if not len(diagonal):
            return
        last_left, last_diagonal = self._blocks[-1]
        before = last_left.shape[1]
        if len(last_diagonal) < MERGE_BELOW:
            upper = np.zeros((len(last_diagonal), len(diagonal)))
            diagonal = np.block([[last_diagonal, upper], [left[:, before:], diagonal]])
            left = np.vstack([last_left, left[:, :before]])
            self._blocks.pop()
        self._blocks.append((left, diagonal))

    def dense(self) -> Array:
        """Return the matrix with its upper half, which is zero."""
        n = sum(len(diagonal) for _, diagonal in self._blocks)
        matrix = np.zeros((n, n))
        for left, diagonal in self._blocks:
            start, stop = left.shape[1], left.shape[1] + len(diagonal)
            matrix[start:stop, :start] = left
            matrix[start:stop, start:stop] = diagonal
        return matrix

    def solve(self, b: Array, add_product: AddProduct) -> None:
        """Solve ``L @ y == b``; y overwrites b."""
        for left, diagonal in self._blocks:
            start = left.shape[1]
            rows = b[start : start + len(diagonal)]
            add_product(rows, left, b[:start], -1.0)
            solve_lower(diagonal, rows)

    def solve_transposed(self, b: Array) -> None:
        """Solve ``L.T @ y == b``; y overwrites b."""
        for left, diagonal in reversed(self._blocks):
            start = left.shape[1]
            rows = b[start : start + len(diagonal)]
            solve_lower(diagonal, rows, transposed=True)
            add_product(b[:start], left.T, rows, -1.0)


def _split(length: int, n_parts: int) -> list[slice]:
    edges = np.linspace(0, length, n_parts + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def _subtract_second_moments(lower: Array, w: Array, n_workers: int) -> None:
    """Subtract ``w @ w.T`` from a lower triangle."""

    def subtract(multiply: AddProduct, pair: tuple[slice, slice]) -> None:
        rows, columns = pair
        part = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        multiply(part, w[rows], w[columns].T)
        lower[rows, columns] -= part

    parts = _split(len(w), n_workers)
    pairs = itertools.combinations_with_replacement(reversed(parts), 2)
    share_out(pairs, _workers(subtract, n_workers))


def _workers(work: Callable[[AddProduct, Item], None], n: int) -> list[Callable[[Item], None]]:
    return [partial(work, product_for(n)) for _ in range(n)]
