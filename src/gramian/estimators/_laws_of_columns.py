"""Laws for GFA: the laws that drop columns, and the laws that would do so except in some rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scipy.sparse import issparse

from gramian._support.types import IntArray
from gramian._support.words import names_or_numbers
from gramian.fitting import ArrayData, CheckedData, NearLaw

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw, Relations

SEED = 0
"""Seed that chooses the rows which confirm laws."""
MOST_CELLS = 2**24
"""Largest number of cells of a sparse matrix that is searched for laws by default: 128 MB."""


@dataclass(frozen=True)
class LawsOfColumns:
    """Laws of a table, as GFA uses them."""

    laws: tuple[ColumnLaw, ...] = ()
    """Laws that compute columns, in the order of computation. These columns are dropped."""
    alternatives: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """From each computed column to the columns that could be dropped in its place."""
    near: tuple[NearLaw, ...] = ()
    """Laws with exceptions, which drop no column, or drop it as the user allows."""
    stay: frozenset[str] = frozenset()
    """Columns of laws with exceptions. Functions do not drop them: the exceptions would be lost."""


def laws_of_data(data: CheckedData, *, all_rows: bool) -> Relations | None:
    """Return the laws of a table; None if it has too few values.

    Parameters
    ----------
    data : CheckedData
        The table.
    all_rows : bool
        True if the table has all rows of a fit: known laws are then not searched again.
    """
    # The import takes a while.
    from gramian.laws import TooFewValuesError, known_or_found, relations

    table, groups = _observed(data)
    names = names_or_numbers(data.names, data.n_columns)
    search = partial(relations, table, names, tolerance=0, random_state=SEED, groups=groups)
    try:
        return known_or_found(names, search) if all_rows else search()
    except TooFewValuesError:
        return None


def laws_of_columns(
    data: CheckedData,
    every: Relations | None,
    *,
    keep: Sequence[int],
    prefer: Sequence[int],
    exceptions: float,
) -> LawsOfColumns:
    """Choose the laws that drop columns.

    Parameters
    ----------
    data : CheckedData
        The table.
    every : Relations or None
        The laws of the table.
    keep, prefer : sequence of int
        Indices of the columns that must be kept, and of those to keep rather than others.
    exceptions : float
        Largest share of the rows that may break a law which drops a column.
    """
    from gramian.laws import names_units, reproducible, solutions

    if every is None:
        return LawsOfColumns()
    names = names_or_numbers(data.names, data.n_columns)
    some = tuple(each for each in every if not names_units(each, names))
    found = replace(every, relations=some).allowing(exceptions)
    wanted = [names[i] for i in keep]
    table, _ = _observed(data)
    again = reproducible(found, table, wanted, [names[i] for i in prefer], exceptions)
    laws, kept = again.laws, again.kept
    near = [(each, [*solutions(each)]) for each in found if each.n_exceptions]
    # A law that misses a cell of a column ties its columns all the same: functions keep them, too.
    missed = {*kept}.difference(wanted)
    tied = [each for each in found if missed.intersection(each.columns)]
    stay = {one.column for _, solved in near for one in solved}
    stay = (stay | {name for each in tied for name in each.columns}) - laws.keys()
    return LawsOfColumns(
        tuple(laws.values()),
        found.alternatives(laws, keep=kept),
        tuple(
            NearLaw(one.column, one.text, each.n_exceptions, each.n_rows)
            for each, solved in near
            for one in solved[:1]
            if one.column not in laws
        )
        + tuple(
            NearLaw(name, law.text, again.n_wrong[name], again.n_rows, dropped=True)
            for name, law in laws.items()
            if again.n_wrong[name]
        ),
        frozenset(stay),
    )


def _observed(data: CheckedData) -> tuple[Any, IntArray | None]:
    """Return the rows of a table with a positive weight, and the numbers of their groups."""
    table, groups = data.whole, None
    if isinstance(data, ArrayData):
        groups = data.groups
        if data.weights is not None:
            table = table[data.weights > 0]
            groups = None if groups is None else groups[data.weights > 0]
    return table, groups


def may_have_laws(data: CheckedData) -> bool:
    """Return True if laws are searched by default, which is not so for a large sparse matrix.

    The search needs all cells of the matrix in memory.
    """
    if not isinstance(data, ArrayData):
        return True
    n_rows, n_columns = data.table.shape
    return not issparse(data.table) or bool(n_rows * n_columns <= MOST_CELLS)
