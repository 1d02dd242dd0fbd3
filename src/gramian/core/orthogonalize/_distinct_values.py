"""The distinct values of variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.orthogonalize._orthogonalizer import Direction
from gramian.core.rows import RowBlock, Rows, Work

SAME = 1e-9
"""Values of a variable, whose variance is one, that differ by less are the same."""


@dataclass(frozen=True)
class LevelWork(Work):
    """Finds the distinct values of variables; where they exceed a limit, some of them."""

    directions: Sequence[Direction]
    limit: int

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that has seen nothing."""
        return _Worker(self)

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Put the values that two workers saw together."""
        return [distinct_levels(np.append(*pair)) for pair in zip(sums, others, strict=True)]


class _Worker:
    def __init__(self, work: LevelWork) -> None:
        self._work = work
        self.sums: list[Array] = [np.empty(0) for _ in work.directions]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Look at a row block."""
        for i, direction in enumerate(self._work.directions):
            levels = self.sums[i]
            if len(levels) <= self._work.limit:
                new = direction.of(item[1])
                self.sums[i] = distinct_levels(np.append(levels, new))


class KnownLevels:
    """The distinct values of every variable that was asked for.

    Columns are all looked at when the first of them is asked for, so that it takes one pass over
    the rows in place of one a step.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._of_columns: dict[int, list[Array]] = {}

    def of(self, direction: Direction, limit: int) -> Array:
        """Return the values of a variable in increasing order; beyond the limit, some of them."""
        axis = direction.axis
        if not isinstance(axis, int):
            return self._rows.sum(LevelWork([direction], limit))[0]
        if limit not in self._of_columns:
            columns = [Direction(i, 1.0) for i in range(self._rows.n_columns)]
            self._of_columns[limit] = self._rows.sum(LevelWork(columns, limit))
        return self._of_columns[limit][axis] / direction.deviation


def distinct_levels(values: Array) -> Array:
    """Return the distinct values up to rounding, in increasing order."""
    values = np.unique(values)
    return values[np.diff(values, prepend=-np.inf) > SAME]
