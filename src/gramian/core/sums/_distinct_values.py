"""Distinct values (levels) of the chosen variables of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.core.sums._steps import Direction

SAME_LEVEL = 1e-9
"""Smallest difference of two levels of a variable of variance 1: values that differ by less count
as one level."""


@dataclass(frozen=True)
class LevelWork(BlockWork):
    """Work that finds the distinct values of each variable; it may stop after `limit` values."""

    directions: Sequence[Direction]
    limit: int

    def zeros(self) -> list[Array]:
        """Return an empty array of distinct values for each variable."""
        return [np.empty(0) for _ in self.directions]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Merge the distinct values of each variable in a block of rows into `sums`.

        `sums` has one array per variable.
        """
        for i, direction in enumerate(self.directions):
            if len(sums[i]) <= self.limit:
                sums[i] = distinct_levels(np.append(sums[i], direction.of(rows)))

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Return the distinct values of each variable that either of two workers found."""
        return [distinct_levels(np.append(*pair)) for pair in zip(sums, others, strict=True)]


class KnownLevels:
    """Cache of the distinct values of variables.

    The first request for a column finds the distinct values of all columns, so that all columns
    together need one pass over the rows.

    Parameters
    ----------
    rows : Rows
        The table.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._of_columns: dict[int, list[Array]] = {}

    def of(self, direction: Direction, limit: int) -> Array:
        """Return the distinct values of a variable, in increasing order.

        If there are more than `limit`, only some of them are returned, but more than `limit`.
        """
        axis = direction.axis
        if not isinstance(axis, int):
            return self._rows.sum(LevelWork([direction], limit))[0]
        if limit not in self._of_columns:
            columns = [Direction(i, 1.0) for i in range(self._rows.n_columns)]
            self._of_columns[limit] = self._rows.sum(LevelWork(columns, limit))
        return self._of_columns[limit][axis] / direction.deviation


def distinct_levels(values: Array) -> Array:
    """Return the distinct values, increasing; values closer than `SAME_LEVEL` count as one."""
    values = np.unique(values)
    return values[np.diff(values, prepend=-np.inf) > SAME_LEVEL]
