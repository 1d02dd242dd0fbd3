"""The distinct values of a variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._threads import AddProduct
from gramian._types import Array
from gramian.orthogonalize._common import Direction
from gramian.rows import RowBlock, Work

SAME = 1e-9
"""Values of a variable, whose variance is one, that differ by less are the same."""


@dataclass(frozen=True)
class Levels(Work):
    """Finds the distinct values of a variable; where they exceed a limit, some of them."""

    direction: Direction
    limit: int

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that has seen nothing."""
        return _Worker(self)

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Put the values that two workers saw together."""
        return [distinct_levels(np.append(sums[0], others[0]))]


class _Worker:
    def __init__(self, work: Levels) -> None:
        self._work = work
        self.sums: list[Array] = [np.empty(0)]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Look at a row block."""
        levels = self.sums[0]
        if len(levels) <= self._work.limit:
            new = self._work.direction.of(item[1].x, item[1].root)
            self.sums = [distinct_levels(np.append(levels, new))]


def distinct_levels(values: Array) -> Array:
    """Return the distinct values up to rounding, in increasing order."""
    values = np.unique(values)
    return values[np.diff(values, prepend=-np.inf) > SAME]
