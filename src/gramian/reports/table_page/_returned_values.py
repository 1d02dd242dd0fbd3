"""Values that come back: computed columns are compared with the cells of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.laws import ColumnFacts, ColumnLaw, Rounding
from gramian.tables import Table, as_array, is_date, is_number, is_text

MAX_ROWS = 20_000
"""Largest number of rows in which values are compared."""
SAME = 1e-9
"""Largest relative difference of equal numbers with all digits."""


def missed_values(
    laws: Mapping[str, ColumnLaw], facts: Sequence[ColumnFacts], table: Table, without: IntArray
) -> dict[str, int]:
    """Return for each computed column the number of cells that its law does not give.

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
    found = dict[str, int]()
    for name, law in laws.items():
        if name not in cells or not {*law.columns} <= {*known}:
            continue
        rounding = Rounding(decimals.get(name))
        for each in (rounding, replace(rounding, half_up=True)):
            with np.errstate(all="ignore"):
                made = np.array(np.broadcast_to(law.rounded_to(each)(known), n_rows))
            n_missed = int((compared & _differ(law, made, cells[name])).sum())
            if name not in found or n_missed < found[name]:
                found[name], known[name] = n_missed, made
            if not n_missed or each.decimals is None:
                break
    return found


def _cells(table: Table, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return columns as arrays: numbers, dates, and texts with None for an empty cell."""
    codes, kinds = table.codes, table.columns
    names = [name for name in names if name not in codes]
    if not names:
        return {}
    rows = table.read(names, at_most=MAX_ROWS)
    found = dict[str, NDArray[Any]]()
    for name in names:
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


def _differ(law: ColumnLaw, made: NDArray[Any], cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the cells that are not empty and differ from the computed values."""
    if cells.dtype.kind == "O":
        there = np.array([each is not None for each in cells], dtype=bool)
        return np.asarray(there & (made.astype(object) != cells))
    if cells.dtype.kind == "M":
        clock = getattr(law, "clocks", {}).get(law.column)
        if clock is not None and made.dtype.kind == "f":
            made = clock.dates(made)
        return np.asarray(~np.isnat(cells) & (made.astype("datetime64[us]") != cells))
    with np.errstate(all="ignore"):
        near = np.abs(made - cells) <= SAME * np.abs(cells)
    return np.asarray(~np.isnan(cells) & ~near)
