"""Lower triangular matrix to which blocks are appended, and products in several threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np

from gramian._support.blas import add_product, solve_lower
from gramian._support.threads import AddProduct, Item, product_for, share_out
from gramian._support.types import Array

MERGE_BELOW = 64
"""A block with fewer rows than this is merged with the next block: large matrix products are
faster."""


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
        """Append rows to L: the rectangle `left`, and to its right the triangle `diagonal`."""
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
        """Return L as a square array, with zeros above the diagonal."""
        n = sum(len(diagonal) for _, diagonal in self._blocks)
        matrix = np.zeros((n, n))
        for left, diagonal in self._blocks:
            start, stop = left.shape[1], left.shape[1] + len(diagonal)
            matrix[start:stop, :start] = left
            matrix[start:stop, start:stop] = diagonal
        return matrix

    def solve(self, b: Array, multiply: AddProduct = add_product) -> None:
        """Solve ``L @ y == b``; y overwrites b."""
        for left, diagonal in self._blocks:
            start = left.shape[1]
            rows = b[start : start + len(diagonal)]
            multiply(rows, left, b[:start], -1.0)
            solve_lower(diagonal, rows)

    def solve_transposed(self, b: Array) -> None:
        """Solve ``L.T @ y == b``; y overwrites b."""
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
    """Subtract ``w @ w.T`` from the lower triangle of a matrix, in place, in several threads."""

    def subtract(multiply: AddProduct, pair: tuple[slice, slice]) -> None:
        rows, columns = pair
        part = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        multiply(part, w[rows], w[columns].T)
        lower[rows, columns] -= part

    pairs = itertools.combinations_with_replacement(reversed(split(len(w), n_workers)), 2)
    share_out(pairs, workers(subtract, n_workers))


def workers(work: Callable[[AddProduct, Item], None], n: int) -> list[Callable[[Item], None]]:
    """Return `n` functions of an item that call ``work(multiply, item)``, one for each thread.

    Each has its own function `multiply` for matrix products.
    """
    return [partial(work, product_for(n)) for _ in range(n)]
