"""Equal rows: copies of a row count as one row that has their weight.

A row that is left out of a fit must be unknown to the fit. A copy that stays would predict it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse
from scipy.sparse.csgraph import connected_components

from gramian._support.groups import in_order
from gramian._support.types import Array, IntArray

Hashes = NDArray[np.uint64]
MIX = np.uint64(0x9E3779B97F4A7C15)
"""Odd number near 2⁶⁴ divided by the golden ratio, which spreads the bits of a product."""
HALF = np.uint64(32)
ROUNDED = 1e-6
"""Values are rounded to this share of the spread of a column before they are hashed."""
MOST_MEDIANS = 10.0
"""Largest weight of a row, in medians of all weights, that the effective number of rows counts."""
FIRST_ROWS = 500
"""Number of rows in which a column without equal values is searched."""
PIECE_CELLS = 2**18
"""Number of cells that are hashed or compared at once."""


class DistinctRows(NamedTuple):
    """The different rows of a table, in the order in which they first appear."""

    table: Any
    weights: Array | None
    """Sum of the weights of all equal rows; None if all rows are different and have no weights."""
    copies: IntArray
    """How many rows of the table are equal to each row."""
    groups: IntArray | None = None
    """The number of the group of each row, if groups of rows are left out together; else None."""

    def take(self, which: IntArray | NDArray[np.bool_]) -> DistinctRows:
        """Return some of the different rows; `which` is an index array or a mask."""
        weights = None if self.weights is None else self.weights[which]
        groups = None if self.groups is None else self.groups[which]
        return DistinctRows(self.table[which], weights, self.copies[which], groups)

    def written_out(self) -> tuple[Any, Array | None]:
        """Return all rows, each as often as it occurs, and their weights."""
        if (self.copies == 1).all():
            return self.table, self.weights
        assert self.weights is not None
        return (
            np.repeat(self.table, self.copies, axis=0),
            np.repeat(self.weights / self.copies, self.copies),
        )


def all_rows(table: Any, weights: Array | None, groups: IntArray | None = None) -> DistinctRows:
    """Return all rows of positive weight; equal rows are not merged.

    If no two rows are in the same group, the groups say nothing, and the result has no groups.
    """
    if weights is not None and not weights.all():
        groups = None if groups is None else groups[weights > 0]
        table, weights = table[weights > 0], weights[weights > 0]
    if groups is not None and len(np.unique(groups)) == len(groups):
        groups = None
    if weights is not None:
        # Sums of large weights would overflow. Division by a power of two is exact.
        weights = np.ldexp(weights, -np.frexp(weights.max())[1])
    return DistinctRows(table, weights, np.ones(table.shape[0], dtype=np.intp), groups)


def distinct_rows(table: Any, weights: Array | None) -> DistinctRows:
    """Return the different rows of a table; a missing value is equal to a missing value.

    Parameters
    ----------
    table : array or CSR matrix of shape (n_rows, n_columns)
        The rows.
    weights : array of shape (n_rows,), or None
        The weights of the rows; None for equal weights. Rows of weight zero are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.rows import distinct_rows
    >>> distinct_rows(np.array([[3.0], [1.0], [3.0]]), None)
    DistinctRows(table=array([[3.],
           [1.]]), weights=array([2., 1.]), copies=array([2, 1]), groups=None)
    """
    rows = all_rows(table, weights)
    first, number = first_of_equal(rows.table)
    return merged(rows, first, number)


def merged(rows: DistinctRows, first: IntArray, number: IntArray) -> DistinctRows:
    """Return rows of which equal ones are merged; groups that share a row become one group.

    Parameters
    ----------
    rows : DistinctRows
        The result of `all_rows`.
    first, number : arrays of int
        The result of `first_of_equal`.
    """
    if len(first) == len(number):
        return rows
    copies = np.bincount(number)
    weight = copies.astype(np.float64) if rows.weights is None else _sums(number, rows.weights)
    groups = None if rows.groups is None else _linked(number, rows.groups)[first]
    return DistinctRows(rows.table[first], weight, copies, groups)


def _linked(number: IntArray, groups: IntArray) -> IntArray:
    """Return for each row the number of its group, where groups with equal rows are joined.

    Parameters
    ----------
    number : array of shape (n_rows,)
        Equal rows have equal numbers.
    groups : array of shape (n_rows,)
        The number of the group of each row.
    """
    n_groups, n_different = int(groups.max()) + 1, int(number.max()) + 1
    edges = coo_array(
        (np.ones(len(number)), (groups, n_groups + number)), shape=(n_groups + n_different,) * 2
    )
    _, part = connected_components(edges, directed=False)
    return in_order(part[groups].astype(np.intp))


def joined_rows(parts: Sequence[DistinctRows]) -> DistinctRows:
    """Return the different rows of several parts of a table."""
    table = np.concatenate([part.table for part in parts])
    copies = np.concatenate([part.copies for part in parts])
    weights = [part.copies if part.weights is None else part.weights for part in parts]
    first, group = first_of_equal(table)
    if len(first) == len(table) and all(part.weights is None for part in parts):
        return DistinctRows(table, None, copies)
    return DistinctRows(
        table[first],
        _sums(group, np.concatenate(weights)),
        _sums(group, copies).astype(np.intp),
    )


def _sums(group: IntArray, weights: Any) -> Array:
    return np.bincount(group, weights).astype(np.float64, copy=False)


def first_of_equal(table: Any) -> tuple[IntArray, IntArray]:
    """Return the indices of the rows without an equal row before them, and a number for each row.

    Equal rows have equal numbers: 0 for the first row and its copies, 1 for the next different row
    and its copies, and so on.
    """
    n_rows = table.shape[0]
    each = np.arange(n_rows)
    if _has_key(table):
        return each, each
    hashes = row_hashes(table)
    ordered = np.sort(hashes)
    if not (ordered[1:] == ordered[:-1]).any():
        return each, each
    order = np.argsort(hashes, kind="stable")
    starts = np.append(True, ordered[1:] != ordered[:-1])
    alike = np.flatnonzero(~starts)
    starts[alike] = ~_equal(table, order[alike - 1], order[alike])
    first = order[starts]  # the sort is stable: the first of equal rows
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    group = np.empty(n_rows, dtype=np.intp)
    group[order] = place[np.cumsum(starts) - 1]
    return np.sort(first), group


def _has_key(table: Any) -> bool:
    """Return True if a dense column has no equal values, so that no rows can be equal.

    This test is faster than a comparison of whole rows. Only the first column without equal values
    in the first rows is tested.
    """
    if issparse(table):
        return False
    for j, some in enumerate(table[:FIRST_ROWS].T):
        if len(np.unique(some)) == len(some):
            ordered = np.sort(table[:, j])
            return not (np.isnan(ordered[-1]) or (ordered[1:] == ordered[:-1]).any())
    return False


def row_hashes(table: Any) -> Hashes:
    """Return a 64-bit hash of each row; equal rows have equal hashes, dense or sparse."""
    n_rows, n_columns = table.shape
    factors = np.random.default_rng(0).integers(0, 2**64, n_columns, np.uint64) | np.uint64(1)
    hashes = np.zeros(n_rows, dtype=np.uint64)
    if issparse(table):
        cells: Any = table
        row_of = np.repeat(np.arange(n_rows), np.diff(cells.indptr))
        np.add.at(hashes, row_of, mixed_bits(cells.data) * factors[cells.indices])
    else:
        for part in _parts(n_rows, n_columns):
            hashes[part] = np.einsum("ij,j->i", mixed_bits(table[part]), factors)
    return _scrambled(hashes)


def uniform_numbers(hashes: Hashes, seed: int) -> Array:
    """Return a pseudo-random number from 0 to 1 for each hash; each seed gives other numbers."""
    hashes = hashes ^ np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64)
    numbers: Array = np.ldexp(_scrambled(hashes).astype(np.float64), -64)
    return numbers


def unit_free_numbers(table: Any, seed: int, groups: IntArray | None = None) -> Array:
    """Return a pseudo-random number from 0 to 1 for each row, computed from the values of the row.

    Tables in other units, with other signs, or with columns or rows in another order give the same
    number to the same row. Values are rounded before, so that rounding errors rarely change a
    number.

    Parameters
    ----------
    table : array or CSR matrix of shape (n_rows, n_columns)
        The rows, without missing values.
    seed : int
        The seed; another seed gives other numbers.
    groups : array of shape (n_rows,), optional
        The number of the group of each row. The result has a number for each group instead, which
        is computed from all its rows, in any order.
    """
    hashes = _unit_free_hashes(table)
    if groups is not None:
        sums = np.zeros(int(groups.max()) + 1, dtype=np.uint64)
        np.add.at(sums, groups, hashes)
        hashes = sums
    return uniform_numbers(hashes, seed)


def _unit_free_hashes(table: Any) -> Hashes:
    """Return a hash of each row that depends neither on units nor on the order of columns."""
    n_rows = table.shape[0]
    low, high = _extremes(table)
    unit = np.where(high > low, high - low, 1.0)
    hashes = np.zeros(n_rows, dtype=np.uint64)
    if issparse(table):
        stored: Any = table
        columns = stored.indices
        scaled = stored.data / unit[columns]
        centre = np.bincount(columns, scaled, len(low)) / n_rows
        zeros = mixed_bits(np.rint(np.abs(centre) / ROUNDED))
        cells = mixed_bits(np.rint(np.abs(scaled - centre[columns]) / ROUNDED))
        row_of = np.repeat(np.arange(n_rows), np.diff(stored.indptr))
        np.add.at(hashes, row_of, np.subtract(cells, zeros[columns]))
        hashes += zeros.sum(dtype=np.uint64)
        return hashes
    parts = _parts(*table.shape)
    centre = sum(((table[part] - low) / unit).sum(axis=0) for part in parts) / n_rows
    for part in parts:
        sizes = np.abs((table[part] - low) / unit - centre)
        hashes[part] = mixed_bits(np.rint(sizes / ROUNDED)).sum(axis=1, dtype=np.uint64)
    return hashes


def _extremes(table: Any) -> tuple[Array, Array]:
    """Return the smallest and the largest value of each column."""
    low, high = table.min(axis=0), table.max(axis=0)
    if issparse(table):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return low, high


def _parts(n_rows: int, n_columns: int) -> list[slice]:
    """Return slices of the rows that have about `PIECE_CELLS` cells each."""
    step = max(1, PIECE_CELLS // max(n_columns, 1))
    return [slice(start, start + step) for start in range(0, n_rows, step)]


def effective_count(weights: Array) -> float:
    """Return the effective number of rows (Kish): (Σw)² / Σw², where w are their weights.

    A few rows of very large weight would hide how many other rows there are. So weights are limited
    to a multiple of the median.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.rows._equal_rows import effective_count
    >>> effective_count(np.full(4, 0.25))
    4.0
    >>> round(effective_count(np.append(0.5, np.full(100, 0.005))))
    61
    """
    limited = np.minimum(weights, MOST_MEDIANS * np.median(weights))
    return float(limited.sum() ** 2 / np.sum(limited**2))


def _scrambled(hashes: Hashes) -> Hashes:
    """Return new hashes in which each bit depends on all bits of the old hash."""
    for _ in range(2):
        hashes = (hashes ^ (hashes >> HALF)) * MIX
    return hashes ^ (hashes >> HALF)


def mixed_bits(values: Array) -> Hashes:
    """Return the bits of each number as an integer whose lower half depends on all bits.

    The result is 0 for the number 0.
    """
    # Adding zero turns -0.0 into 0.0; there are many patterns of bits for NaN.
    values = np.add(values, 0.0, dtype=np.float64)
    values[np.isnan(values)] = np.nan
    bits = np.ascontiguousarray(values).view(np.uint64)
    bits ^= bits >> HALF
    bits *= MIX
    bits ^= bits >> HALF
    return bits


def _equal(table: Any, some: IntArray, others: IntArray) -> NDArray[np.bool_]:
    """Compare pairs of rows: return True where row ``some[i]`` equals row ``others[i]``."""
    if issparse(table):
        cells: Any = table
        differences = np.asarray(abs(cells[some] - cells[others]).sum(axis=1))
        return np.asarray(differences.ravel() == 0)
    found = np.empty(len(some), dtype=bool)
    for part in _parts(len(some), table.shape[1]):
        one, other = table[some[part]], table[others[part]]
        found[part] = ((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=1)
    return found
