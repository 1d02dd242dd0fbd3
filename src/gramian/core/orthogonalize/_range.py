"""Functions of users whose squares leave the range of float64, scaled by powers of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.orthogonalize._orthogonalizer import Direction
from gramian.core.rows import RowBlock, Rows, Work
from gramian.families import Call

LARGEST = 1e250
"""Sums of squares between this and its inverse lose no digits in float64."""
MAX_EXPONENT = 1000


def out_of_range(squares: Array) -> NDArray[np.bool_]:
    """Return which second moments of functions are too large or too small to be trusted."""
    return ~((squares > 1 / LARGEST) & (squares < LARGEST))


def scaled(rows: Rows, directions: Sequence[Direction], calls: Sequence[Call]) -> list[Call]:
    """Scale functions by powers of two, so that their largest values are near one.

    Parameters
    ----------
    rows : Rows
        The table, which is read once if there is any function.
    directions : sequence of Direction
        The variables.
    calls : sequence of Call
        The functions.
    """
    if not calls:
        return []
    (sizes,) = rows.sum(CallSizes(directions, calls))
    exponents = np.clip(np.frexp(sizes)[1], -MAX_EXPONENT, MAX_EXPONENT)
    scales = np.ldexp(1.0, -exponents).tolist()
    return [replace(call, scale=scale) for call, scale in zip(calls, scales, strict=True)]


@dataclass(frozen=True)
class CallSizes(Work):
    """Finds the largest absolute values of functions."""

    directions: Sequence[Direction]
    calls: Sequence[Call]

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that has seen nothing."""
        return _Worker(self)

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Take the larger of what two workers saw."""
        return [np.maximum(*pair) for pair in zip(sums, others, strict=True)]


class _Worker:
    def __init__(self, work: CallSizes) -> None:
        self._work = work
        self.sums: list[Array] = [np.zeros(len(work.calls))]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Look at a row block."""
        _, rows = item
        z = [each.of(rows, one_thread=True) for each in self._work.directions]
        for i, call in enumerate(self._work.calls):
            self.sums[0][i] = np.abs(call(z)).max(initial=self.sums[0][i])
