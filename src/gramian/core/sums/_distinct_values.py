"""Distinct values of variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.core.sums._steps import Direction

SAME_LEVEL = 1e-9
"""Values of a variable of variance 1 that differ by less than this are one level."""


@dataclass(frozen=True)
class LevelWork(BlockWork):
    """Find the distinct values of variables; beyond a limit, only some values."""

    directions: Sequence[Direction]
    limit: int

    def zeros(self) -> list[Array]:
        """Return an empty list of values for each variable."""
        return [np.empty(0) for _ in self.directions]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the values on a row block."""
        for i, direction in enumerate(self.directions):
            if len(sums[i]) <= self.limit:
                sums[i] = distinct_levels(np.append(sums[i], direction.of(rows)))

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Return the distinct values that either of two workers saw."""
        return [distinct_levels(np.append(*pair)) for pair in zip(sums, others, strict=True)]


class KnownLevels:
    """The distinct values of every variable that was asked for.

    The first question about a column finds the values of all columns: one pass over the rows, not
    one for each step.

    Parameters
    ----------
    rows : Rows
        The table.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._of_columns: dict[int, list[Array]] = {}

    def of(self, direction: Direction, limit: int) -> Array:
        """Return the values of a variable in increasing order; beyond the limit, only some."""
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
    return values[np.diff(values, prepend=-np.inf) > SAME_LEVEL]
