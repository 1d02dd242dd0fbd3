"""Lower triangular matrices: a pivoted Cholesky factor, and a matrix to which rows are appended."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import numpy as np
from scipy.linalg import lapack

from gramian._support.blas import MAX_SIDE, add_product, solve_lower, threads_for
from gramian._support.threads import AddProduct, Item, product_for, share_out
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import NOISE

MERGE_BELOW = 64
"""A block with fewer rows than this is merged with the next block: large matrix products are
faster."""
PREFERRED = 1.001
"""Factor that multiplies the first function of a block, the variable itself, so that it is
preferred among pivots of nearly equal size: the other functions may be multiples of the variable
only on the rows of this table."""


def cholesky_columns(a: Array, tolerance: float) -> tuple[Array, IntArray]:
    """Return the pivoted Cholesky factor of the well-conditioned part of a matrix, and the order.

    The matrix is positive semidefinite; only its lower triangle is used.

    Returns
    -------
    lower : array of shape (n, rank)
        The factor. Its first `rank` rows are lower triangular, with squared diagonal entries above
        `tolerance`. ``lower @ lower.T`` approximates ``a[order][:, order]``, and equals it in the
        first `rank` rows and columns.
    order : array of shape (n,)
        The order of the rows and columns of `a`: the `rank` pivots, then the others.
    """
    if a.size == 0 or a.diagonal().max() <= tolerance:
        return np.empty((len(a), 0)), np.arange(len(a))
    scaled = np.array(a, order="F")
    scaled[:, 0] *= PREFERRED
    scaled[0, 0] *= PREFERRED
    # dpstrf multiplies triangles of any size, which is not safe with threads: see MAX_SIDE.
    with threads_for(0) if len(a) > MAX_SIDE else nullcontext():
        packed, order, rank, info = lapack.dpstrf(scaled, tol=tolerance, lower=1, overwrite_a=1)
    if info < 0:
        raise ValueError(f"LAPACK's dpstrf refused its argument {-info}.")
    lower, order = np.tril(packed[:, :rank]), order.astype(np.intp) - 1
    lower[order == 0] /= PREFERRED
    if rank and order[rank - 1] == 0 and lower[rank - 1, -1] ** 2 <= (1 + NOISE) * tolerance:
        lower = lower[:, :-1]  # without the factor PREFERRED, the variable is below the tolerance
    return lower, order


class BlockTriangle:
    """Lower triangular matrix L to which blocks of rows are appended; upper zeros are not stored.

    Parameters
    ----------
    first : array of shape (n, n)
        The first block: a lower triangular matrix.
    """

    def __init__(self, first: Array) -> None:
        self._blocks: list[tuple[Array, Array]] = [(np.empty((len(first), 0)), first)]

    def append(self, left: Array, diagonal: Array) -> None:
        """Append rows to the triangular matrix L.

        Parameters
        ----------
        left : array of shape (n_new, n)
            The entries in the columns that L has so far.
        diagonal : array of shape (n_new, n_new)
            The entries in the new columns: a lower triangular matrix.
        """
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
        """Return the triangular matrix L as a square array, with zeros above the diagonal."""
        n = sum(len(diagonal) for _, diagonal in self._blocks)
        matrix = np.zeros((n, n))
        for left, diagonal in self._blocks:
            start, stop = left.shape[1], left.shape[1] + len(diagonal)
            matrix[start:stop, :start] = left
            matrix[start:stop, start:stop] = diagonal
        return matrix

    def solve(self, b: Array, multiply: AddProduct = add_product) -> None:
        """Solve ``L @ y == b`` for this triangular matrix L; y overwrites b.

        `multiply` is the function for matrix products.
        """
        for left, diagonal in self._blocks:
            start = left.shape[1]
            rows = b[start : start + len(diagonal)]
            multiply(rows, left, b[:start], -1.0)
            solve_lower(diagonal, rows)

    def solve_transposed(self, b: Array) -> None:
        """Solve ``L.T @ y == b`` for this triangular matrix L; y overwrites b."""
        for left, diagonal in reversed(self._blocks):
            start = left.shape[1]
            rows = b[start : start + len(diagonal)]
            solve_lower(diagonal, rows, transposed=True)
            add_product(b[:start], left.T, rows, -1.0)


def split(length: int, n_parts: int) -> list[slice]:
    """Return `n_parts` slices of nearly equal length that cover range(length)."""
    edges = np.linspace(0, length, n_parts + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def subtract_square(lower: Array, w: Array, n_workers: int) -> None:
    """Subtract ``w @ w.T`` from the lower triangle of a matrix, in place, in several threads.

    `n_workers` is the number of threads.
    """

    def subtract(multiply: AddProduct, pair: tuple[slice, slice]) -> None:
        rows, columns = pair
        part = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        multiply(part, w[rows], w[columns].T)
        lower[rows, columns] -= part

    pairs = itertools.combinations_with_replacement(reversed(split(len(w), n_workers)), 2)
    share_out(pairs, workers(subtract, n_workers))


def workers(work: Callable[[AddProduct, Item], None], n: int) -> list[Callable[[Item], None]]:
    """Return `n` functions of an item that call ``work(multiply, item)``, one for each thread.

    Each function passes its own `multiply`, a function for matrix products.
    """
    return [partial(work, product_for(n)) for _ in range(n)]
