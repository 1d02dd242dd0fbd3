"""Values that come back: computed columns are compared with the cells of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws import ColumnFacts, ColumnLaw, Rounding
from gramian.tables import Table, as_array, is_date, is_number, is_text

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 20_000
"""Largest number of rows in which values are compared."""
SAME = 1e-9
"""Largest relative difference of equal numbers with all digits."""
A_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class Missed:
    """The cells of a column that a law does not give, and by how much it misses the column."""

    n: int
    """The number of cells that the law does not give."""
    n_compared: int
    typical: float | None = None
    """The root mean square error of all cells, in the units of the column, in days for dates; None
    for text, and if the law gives no number for a cell."""
    largest: float | None = None
    unit: str = ""
    """Words that follow an error: " days" for a column of dates, else empty."""


def missed_values(
    laws: Mapping[str, ColumnLaw], facts: Sequence[ColumnFacts], table: Table, without: IntArray
) -> dict[str, Missed]:
    """Return for each computed column the cells that its law does not give, and its errors.

    The laws compute from kept columns and from each other, in turn. Empty cells do not count.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    facts : sequence of ColumnFacts
        The columns, with their decimals.
    table : Table
        The table.
    without : array of int
        Rows that are not compared, since they break laws.
    """
    used = dict.fromkeys([*laws, *(name for law in laws.values() for name in law.columns)])
    cells = _cells(table, [*used])
    decimals = {each.name: each.decimals for each in facts}
    n_rows = len(next(iter(cells.values()), ()))
    compared = np.ones(n_rows, dtype=bool)
    compared[without[without < n_rows]] = False
    known: dict[str, Any] = {name: column for name, column in cells.items() if name not in laws}
    found = dict[str, Missed]()
    for name, law in laws.items():
        if name not in cells or not {*law.columns} <= {*known}:
            continue
        rounding = Rounding(decimals.get(name))
        for each in (rounding, replace(rounding, half_up=True)):
            with np.errstate(all="ignore"):
                made = np.array(np.broadcast_to(law.rounded_to(each)(known), n_rows))
            missed = _missed(law, made, cells[name], compared)
            if name not in found or missed.n < found[name].n:
                found[name], known[name] = missed, made
            if not missed.n or each.decimals is None:
                break
    return found


def _cells(table: Table, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return columns as arrays: numbers, dates, and texts with None for an empty cell."""
    codes, kinds = table.codes, table.columns
    names = [name for name in names if name not in codes]
    if not names:
        return {}
    return cells_of(table.read(names, at_most=MAX_ROWS), kinds)


def cells_of(rows: pa.Table, kinds: Mapping[str, pa.DataType]) -> dict[str, NDArray[Any]]:
    """Return columns as arrays: numbers, dates, and texts with None for an empty cell.

    Parameters
    ----------
    rows : pyarrow.Table
        Rows of a table.
    kinds : mapping from str to pyarrow.DataType
        The types of its columns.
    """
    found = dict[str, NDArray[Any]]()
    for name in rows.column_names:
        column, kind = rows.column(name), kinds[name]
        if is_number(kind):
            found[name] = as_array(rows.select([name]))[:, 0]
        elif is_date(kind):
            found[name] = column.to_numpy().astype("datetime64[us]")
        elif is_text(kind):
            texts = np.empty(len(column), dtype=object)
            texts[:] = column.to_pylist()
            found[name] = texts
    return found


def _missed(
    law: ColumnLaw, made: NDArray[Any], cells: NDArray[Any], compared: NDArray[np.bool_]
) -> Missed:
    """Compare the cells of a column that are not empty with the values that a law gives."""
    if cells.dtype.kind == "O":
        there = compared & np.array([each is not None for each in cells], dtype=bool)
        return Missed(int((there & (made.astype(object) != cells)).sum()), int(there.sum()))
    if cells.dtype.kind == "M":
        clock = getattr(law, "clocks", {}).get(law.column)
        if clock is not None and made.dtype.kind == "f":
            made = clock.dates(made)
        there = compared & ~np.isnat(cells)
        error = np.abs(made.astype("datetime64[us]")[there] - cells[there]) / A_DAY
        return _errors(error != 0, error, " days")
    there = compared & ~np.isnan(cells)
    with np.errstate(all="ignore"):
        error = np.abs(made[there] - cells[there])
        differ = ~(error <= SAME * np.abs(cells[there]))
    return _errors(differ, error)


def _errors(differ: NDArray[np.bool_], error: Array, unit: str = "") -> Missed:
    """Return the number of cells that differ, and their errors if the law gives all of them."""
    n = int(differ.sum())
    if not n or not np.isfinite(error).all():
        return Missed(n, len(error))
    typical = float(np.sqrt(np.mean(error**2)))
    return Missed(n, len(error), typical, float(np.max(error)), unit)
