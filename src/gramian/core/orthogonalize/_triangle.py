"""Lower triangular matrices that grow by blocks, and products shared out among threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np

from gramian._support.blas import add_product, solve_lower
from gramian._support.threads import AddProduct, Item, product_for, share_out
from gramian._support.types import Array

MERGE_BELOW = 64
"""Number of rows below which a block is merged with the next: large products are faster."""


class BlockTriangle:
    """A lower triangular matrix that grows by blocks of rows, the upper half never stored.

    Parameters
    ----------
    first : array of shape (n, n)
        The first block.
    """

    def __init__(self, first: Array) -> None:
        self._blocks: list[tuple[Array, Array]] = [(np.empty((len(first), 0)), first)]

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
        """Return the matrix as an array, with zeros above the diagonal."""
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
    """Cut a range into parts of nearly equal length."""
    edges = np.linspace(0, length, n_parts + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def subtract_square(lower: Array, w: Array, n_workers: int) -> None:
    """Subtract ``w @ w.T`` from a lower triangle."""

    def subtract(multiply: AddProduct, pair: tuple[slice, slice]) -> None:
        rows, columns = pair
        part = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        multiply(part, w[rows], w[columns].T)
        lower[rows, columns] -= part

    pairs = itertools.combinations_with_replacement(reversed(split(len(w), n_workers)), 2)
    share_out(pairs, workers(subtract, n_workers))


def workers(work: Callable[[AddProduct, Item], None], n: int) -> list[Callable[[Item], None]]:
    """Return `n` workers, each with its own function for matrix products."""
    return [partial(work, product_for(n)) for _ in range(n)]
