"""Reproduction check: laws must give the columns that they replace, in every row.

A law is found in a sample of rows, and judged by its largest term. Before a column is dropped, its
law is computed from the kept columns in all rows, by the function that also reconstructs rows. The
result is rounded to the decimals with which the column is written in the table. It must be the
column: no cell may differ, and an empty cell must come back empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._any_law import solutions
from gramian.laws._relation_collection import Relations
from gramian.laws.columns import CodedTable, Printed, Rounding, open_coded_table, sample_of
from gramian.laws.forms import ColumnLaw, computed_in_turn

FAR = 0.03
"""A cell is missed by far if the error is more than this share of the deviation of its column.

Functions that drop a column have an error of a hundredth of its deviation."""


class Reproduction(NamedTuple):
    """Columns that laws compute again from the others."""

    laws: dict[str, ColumnLaw]
    """The laws, by the column that they compute, in the order of computation."""
    kept: list[str]
    """Columns that must be kept: a law misses one of their cells by far, or the user says so."""
    n_wrong: dict[str, int]
    """For each computed column, the number of cells that its law does not give."""
    n_rows: int
    """The number of rows of the table."""


def reproducible(
    found: Relations,
    X: Any,
    keep: Sequence[str],
    prefer: Sequence[str],
    exceptions: float = 0.0,
) -> Reproduction:
    """Return the columns to drop with their laws, and the columns that must be kept.

    The laws are those of `Relations.redundant`; their results are rounded as the columns are
    printed, with the middle between two numbers rounded to even or up, whichever gives more cells.
    A law that misses a cell of its column is refused, and the choice is then made again. A column
    without another law must be kept if a cell is missed by far. Otherwise its other columns were
    rounded after it was computed: functions of them may give it as well as any function does.

    Parameters
    ----------
    found : Relations
        The laws of the table.
    X : object
        The table, of any kind that `relations` accepts.
    keep, prefer : sequence of str
        The parameters of `Relations.redundant`.
    exceptions : float, default=0.0
        The largest share of the rows in which a column may differ from its law.
    """
    table = open_coded_table(X, found.feature_names)
    columns, refused = dict[str, PrintedColumn](), dict[str, str]()
    n_wrong, n_rows, far = dict[str, int](), 0, set[str]()
    while laws := found.redundant(keep, prefer, refused):
        if not columns:
            given = {each.column for law in found for each in solutions(law)}
            columns = _columns(table, given)
        n_rows, laws, n_wrong = _best_rounded(laws, table, columns)
        missed = first_missed(laws, n_wrong, exceptions * n_rows)
        if not missed:
            break
        far |= _missed_by_far(laws, missed, table, columns)
        refused |= {str(laws[name]): name for name in missed}
    kept = [*keep, *dict.fromkeys(name for name in refused.values() if name in far - laws.keys())]
    return Reproduction(laws, kept, {name: n_wrong[name] for name in laws}, n_rows)


@dataclass(frozen=True)
class PrintedColumn:
    """Facts about a column that decide if a computed column is the column."""

    place: int
    """Index of the column in the table."""
    printed: Printed
    """Decimals of all cells of the column."""
    deviation: float
    """Standard deviation of the column in a sample of the rows."""

    def rounding(self, *, half_up: bool) -> Rounding:
        """Return the rounding to the decimals of the column."""
        return replace(self.printed.rounding, half_up=half_up)

    def is_given(self, values: Array, cells: Array) -> NDArray[np.bool_]:
        """Return for each cell True if a computed value, rounded as the column is, is the cell.

        Parameters
        ----------
        values : array of shape (n_rows,)
            The computed values; NaN for an empty cell.
        cells : array of shape (n_rows,)
            The cells of the table; NaN where a cell is empty.
        """
        return self.printed.given(values, cells, self.deviation)


def printed_columns(X: Any, names: Iterable[str]) -> dict[str, PrintedColumn]:
    """Return facts about columns of numbers that laws may compute, by name.

    Parameters
    ----------
    X : object
        The table, of any kind that `relations` accepts.
    names : iterable of str
        The names of the columns.
    """
    return _columns(open_coded_table(X, None), names)


def _columns(table: CodedTable, names: Iterable[str]) -> dict[str, PrintedColumn]:
    """Return facts about columns of a table, by name.

    Parameters
    ----------
    table : CodedTable
        All rows of the table.
    names : iterable of str
        The names of the columns.
    """
    sample = sample_of(table, 0).rows
    places = {name: table.names.index(name) for name in names}
    printed = {name: Printed.of(sample[:, i]) for name, i in places.items()}
    for block in table.blocks():
        for name, i in places.items():
            printed[name] = printed[name].joined(block[:, i])
    return {
        name: PrintedColumn(i, printed[name], _deviation(sample[:, i]))
        for name, i in places.items()
    }


def _best_rounded(
    laws: Mapping[str, ColumnLaw], table: CodedTable, columns: Mapping[str, PrintedColumn]
) -> tuple[int, dict[str, ColumnLaw], dict[str, int]]:
    """Return the number of rows, laws that round as the columns were, and missed cells by column.

    Parameters are those of `_counted`.
    """
    n_rows = 0

    def counted(half_up: set[str]) -> dict[str, int]:
        nonlocal n_rows
        n_wrong, n_rows = _counted(_rounded(laws, columns, half_up), table, columns)
        return n_wrong

    half_up, n_wrong = best_rounding(laws, counted)
    return n_rows, _rounded(laws, columns, half_up), n_wrong


def best_rounding(
    laws: Mapping[str, ColumnLaw], counted: Callable[[set[str]], dict[str, int]]
) -> tuple[set[str], dict[str, int]]:
    """Return the columns in which the middle is rounded up, and the missed cells of each column.

    First, all columns round the middle to even. A column with missed cells is then rounded up, and
    stays so if fewer cells are missed. A column that is computed from it comes afterwards.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    counted : callable
        Returns the number of missed cells by column, if some columns are rounded up.
    """
    half_up, tried = set[str](), set[str]()
    n_wrong = counted(half_up)
    while others := {*first_missed(laws, n_wrong, 0)} - tried:
        tried |= others
        again = counted(half_up ^ others)
        better = {name for name in others if again[name] < n_wrong[name]}
        half_up ^= better
        n_wrong = again if better == others else counted(half_up)
    return half_up, n_wrong


def _rounded(
    laws: Mapping[str, ColumnLaw], columns: Mapping[str, PrintedColumn], half_up: Collection[str]
) -> dict[str, ColumnLaw]:
    """Return laws whose results are rounded as their columns are printed.

    The middle between two numbers is rounded up in the columns `half_up`, else to even.
    """
    return {
        name: law.rounded_to(columns[name].rounding(half_up=name in half_up))
        for name, law in laws.items()
    }


def _counted(
    laws: Mapping[str, ColumnLaw], table: CodedTable, columns: Mapping[str, PrintedColumn]
) -> tuple[dict[str, int], int]:
    """Return for each column the number of cells that its law does not give, and all rows.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    table : CodedTable
        All rows of the table.
    columns : mapping from str to PrintedColumn
        Facts about the columns that laws compute.
    """
    n_rows, n_wrong = 0, dict.fromkeys(laws, 0)
    for block, made in _computed(laws, table):
        for name, values in made.items():
            column = columns[name]
            cells = block[:, column.place]
            same = column.is_given(values, cells)
            n_wrong[name] += int((~same).sum())
        n_rows += len(block)
    return n_wrong, n_rows


def _computed(
    laws: Mapping[str, ColumnLaw], table: CodedTable
) -> Iterator[tuple[Array, Mapping[str, Array]]]:
    """Yield all rows of a table in blocks, each with the columns that laws compute from the others.

    Parameters are those of `_counted`.
    """
    for block in table.blocks():
        kept = {name: block[:, i] for i, name in enumerate(table.names) if name not in laws}
        yield block, computed_in_turn(laws.values(), kept, len(block))


def _missed_by_far(
    laws: Mapping[str, ColumnLaw],
    missed: Sequence[str],
    table: CodedTable,
    columns: Mapping[str, PrintedColumn],
) -> set[str]:
    """Return the columns of which a law misses a cell by far, or gives an empty cell.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    missed : sequence of str
        Columns that their law does not give in all cells.
    table : CodedTable
        All rows of the table.
    columns : mapping from str to PrintedColumn
        Facts about the columns that laws compute.
    """
    far = set[str]()
    for block, made in _computed(laws, table):
        for name in {*missed} - far:
            column = columns[name]
            cells = block[:, column.place]
            near = np.abs(made[name] - cells) <= FAR * column.deviation
            if not (near | (np.isnan(made[name]) & np.isnan(cells))).all():
                far.add(name)
    return far


def first_missed(
    laws: Mapping[str, ColumnLaw], n_wrong: Mapping[str, int], most: float
) -> list[str]:
    """Return the columns that their law does not give in too many cells.

    A column that is computed from such a column is not returned: its law may give it when the
    other column is kept.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    n_wrong : mapping from str to int
        For each column, the number of cells that its law does not give.
    most : float
        The largest number of such cells of a column.
    """
    missed, doubtful = list[str](), set[str]()
    for name, law in laws.items():
        if doubtful.intersection(law.columns):
            doubtful.add(name)
        elif n_wrong[name] > most:
            missed.append(name)
            doubtful.add(name)
    return missed


def _deviation(column: Array) -> float:
    """Return the standard deviation of the values of a column; 0 if it has none."""
    there = column[np.isfinite(column)]
    return float(np.std(there)) if len(there) else 0.0
