"""Observations: rows of a table of which none is a copy of another.

Rows are copies if a column distinguishes most of the different rows: numbers with many digits are
not equal by chance. In a table of few categories, equal rows are observations of their own. Tables
in memory and tables that are read in pieces decide this by the same sample of different rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._support.types import Array, IntArray
from gramian.core.rows._equal_rows import (
    DistinctRows,
    Hashes,
    all_rows,
    effective_count,
    first_of_equal,
    merged,
    mixed_bits,
    row_hashes,
)

FEWEST_LEVELS = 5
"""A column with at most this many values does not show that equal rows are copies."""
MANY_LEVELS = 12
"""A single column shows that equal rows are copies if it has more values than this."""
FILLED = 0.2
"""Share of the places of a grid above which rows on it are equal by chance."""
FEWEST = 2
"""Smallest number of different rows to which a model can be fitted."""
SAMPLE_CELLS = 2**18
"""Number of cells of a sample of different rows, within the two limits below."""
SAMPLE_ROWS = (256, 4096)
MOST_CELLS = 2**24
"""Largest number of cells of a table whose rows are written out as often as their weights say."""


@dataclass(frozen=True)
class RowSample:
    """The different rows whose hashes are smallest, and how often each occurs.

    All copies of a row have the same hash, so that the copies of a sampled row are all counted, and
    the sample does not depend on the order of the rows or on the pieces in which they are read.
    """

    hashes: Hashes
    """Hashes of the sampled rows, ascending."""
    cells: NDArray[np.uint32]
    """32 bits of the hash of each cell of the sampled rows."""
    copies: IntArray
    """Number of rows that are equal to each sampled row."""
    weights: Array
    """Sum of their weights."""

    @classmethod
    def of(cls, x: Array, weights: Array) -> RowSample:
        """Return the sample of an array of rows."""
        hashes = row_hashes(x)
        size = _sample_size(x.shape[1])
        if len(hashes) > 4 * size:  # do not sort all hashes if some suffice
            low = hashes <= np.partition(hashes, 2 * size)[2 * size]
            if len(np.unique(hashes[low])) >= size:
                x, weights, hashes = x[low], weights[low], hashes[low]
        kept, first, group = np.unique(hashes, return_index=True, return_inverse=True)
        cells = (mixed_bits(x[first[:size]]) >> np.uint64(32)).astype(np.uint32)
        copies = np.bincount(group, minlength=len(kept))
        sums = np.bincount(group, weights, len(kept)).astype(np.float64, copy=False)
        return cls(kept[:size], cells, copies[:size], sums[:size])

    def merge(self, other: RowSample) -> RowSample:
        """Return the sample of two sets of rows together."""
        size = _sample_size(self.cells.shape[1])
        hashes, first, group = np.unique(
            np.concatenate([self.hashes, other.hashes]), return_index=True, return_inverse=True
        )
        copies = np.zeros(len(hashes), dtype=np.intp)
        np.add.at(copies, group, np.concatenate([self.copies, other.copies]))
        weights = np.zeros(len(hashes))
        np.add.at(weights, group, np.concatenate([self.weights, other.weights]))
        cells = np.concatenate([self.cells, other.cells])[first[:size]]
        return RowSample(hashes[:size], cells, copies[:size], weights[:size])

    @property
    def shows_copies(self) -> bool:
        """True if equal rows are copies, False if each row is an observation."""
        levels = np.array([len(np.unique(column)) for column in self.cells.T], dtype=np.intp)
        return _tell_copies(levels, len(self.hashes))

    @property
    def effective_n_rows(self) -> float:
        """Effective number of different rows (Kish), of all rows of the table."""
        n_different = float(len(self.hashes))
        if n_different >= _sample_size(self.cells.shape[1]):
            # The largest of n uniform numbers that are the smallest of N is about n / N.
            n_different = (n_different - 1) / np.ldexp(float(self.hashes[-1]), -64)
        return n_different * effective_count(self.weights) / len(self.weights)


def _sample_size(n_columns: int) -> int:
    fewest, most = SAMPLE_ROWS
    return min(most, max(fewest, SAMPLE_CELLS // max(n_columns, 1)))


def _tell_copies(n_levels: IntArray, n_rows: int) -> bool:
    """Return True if different rows have different numbers in a column, or in most columns.

    One column must have many different values for that, because a column of prices has a different
    value for each of a few categories.

    Parameters
    ----------
    n_levels : array of shape (n_columns,)
        The number of different values of each column.
    n_rows : int
        The number of different rows.
    """
    telling = n_levels > max(FEWEST_LEVELS, n_rows / 2)
    return bool(n_levels[telling].max(initial=0) > MANY_LEVELS or 2 * telling.sum() > len(n_levels))


def times_repeated(copies: IntArray) -> int:
    """Return how often a whole table is repeated, from the numbers of copies of its rows."""
    return int(np.gcd.reduce(copies))


def observations(table: Any, weights: Array | None, groups: IntArray | None = None) -> DistinctRows:
    """Return the rows of a table without copies.

    If equal rows are observations of their own, only copies of the whole table are merged, and a
    row of whole weight w is w observations, as w equal rows are.

    Parameters
    ----------
    table, weights
        As in `distinct_rows`.
    groups : array of shape (n_rows,), optional
        The number of the group of each row. Groups that have copies of the same row become one
        group: if one of them were left out, a copy would stay. Rows of rounded numbers that are
        equal by chance are no copies, and do not join groups.
    """
    every = all_rows(table, weights, groups)
    first, number = first_of_equal(every.table)
    differ = len(first) == len(number)
    if len(first) < FEWEST or (differ and weights is None):
        return every
    distinct = merged(every, first, number)
    by_chance = every.groups is not None and _fill_a_grid(distinct.table)
    if _shows_copies(distinct.table) and not by_chance:
        return distinct
    if weights is not None:
        return observations(*_repeated(table, weights, groups)) if _count(table, weights) else every
    if every.groups is not None:  # equal rows of different groups are different rows here
        first, number = first_of_equal(np.column_stack([number, every.groups]).astype(np.float64))
    copies = np.bincount(number)
    times = times_repeated(copies)
    if times == 1:
        return every
    rows = every.take(np.repeat(first, copies // times))
    return rows._replace(copies=np.full(len(rows.copies), times))


def _fill_a_grid(table: Any) -> bool:
    """Return True if different rows are so near to each other that rows are equal by chance.

    Numbers that are rounded to a step lie on a grid. Of each column, the central half of the rows
    is compared with the grid of its smallest step: far cells would make the grid too large.

    Parameters
    ----------
    table : array or CSR matrix of shape (n_rows, n_columns)
        The different rows of a table.
    """
    if issparse(table):
        return False
    n_central, n_places = 0.5 * len(table), 1.0
    for column in table.T:
        values = np.unique(column[~np.isnan(column)])
        if len(values) < FEWEST:
            continue
        low, high = np.quantile(values, (0.25, 0.75))
        n_places *= max(1.0, float((high - low) / np.diff(values).min()))
    return bool(n_central >= FILLED * n_places)


def _count(table: Any, weights: Array) -> bool:
    """Return True if weights are whole numbers, and each row can be written out as often."""
    whole = bool((weights == np.rint(weights)).all())
    return whole and weights.sum() * table.shape[1] <= MOST_CELLS


def _repeated(
    table: Any, weights: Array, groups: IntArray | None
) -> tuple[Any, None, IntArray | None]:
    """Return the arguments of `observations` with each row as often as its whole weight says."""
    rows = np.repeat(np.arange(len(weights)), weights.astype(np.intp))
    return table[rows], None, None if groups is None else groups[rows]


def _shows_copies(table: Any) -> bool:
    """Return True if equal rows of a table with these different rows are copies."""
    if not issparse(table):
        return RowSample.of(table, np.ones(len(table))).shows_copies
    matrix: Any = table
    columns = matrix.tocsc()
    stored = np.split(columns.data, columns.indptr[1:-1])
    levels = np.array([len(np.unique(part)) for part in stored], dtype=np.intp)
    return _tell_copies(levels, matrix.shape[0])
