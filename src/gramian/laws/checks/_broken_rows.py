"""Broken rows: for each law some rows that break it, with their cells and the value it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian.laws.checks._check_result import CheckResult
from gramian.laws.checks._checking import values_of_law
from gramian.laws.checks._unreadable import read_as_before
from gramian.laws.columns import ColumnFacts, TableRows, open_coded_table
from gramian.laws.forms import ColumnLaw, LawCheck


class BrokenRow(NamedTuple):
    """A row that breaks a law.

    `row` is its position, counted from 0. `cells` are the cells in the columns of the law, by name;
    None is an empty cell. `expected` is the value that the law gives for its column, with the
    decimals of the column; None for an equation of several columns.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> checks = gramian.relations(table).checks
    >>> table["gross"][7] = 1000
    >>> ((row,),) = checks.broken_rows(table, checks.check(table))
    >>> row.row, row.cells["gross"], row.expected < 1000
    (7, 1000.0, True)
    """

    row: int
    cells: Mapping[str, Any]
    expected: Any


def broken_rows(
    checks: Sequence[LawCheck],
    facts: Sequence[ColumnFacts],
    table: Any,
    result: CheckResult,
    most: int,
) -> tuple[tuple[BrokenRow, ...], ...]:
    """Return for each law the first rows that break it.

    Parameters
    ----------
    checks : sequence of LawCheck
        The laws.
    facts : sequence of ColumnFacts
        The columns of the table in which the laws were found.
    table : object
        The table that was checked.
    result : CheckResult
        The result of the check of these laws.
    most : int
        The largest number of rows of each law.
    """
    opened = open_coded_table(table, None)
    if not opened.named and len(opened.names) == len(facts):
        opened = open_coded_table(table, [each.name for each in facts])
    read = read_as_before(opened, facts)
    decimals = {each.name: each.decimals for each in facts}
    wanted = [each.rows[:most] for each in result.laws]
    found: list[list[BrokenRow]] = [[] for _ in checks]
    before: list[Any] = [None for _ in checks]
    start = 0
    for rows, given in read.rows():
        shown = read.as_given(rows, given)
        for i, check in enumerate(checks):
            here = wanted[i][(wanted[i] >= start) & (wanted[i] < start + rows.n_rows)] - start
            law = check.law
            if len(wanted[i]) and isinstance(law, ColumnLaw) and law.looks_back:
                made, before[i] = values_of_law(check, rows, before[i])
                made = made[here]
            elif len(here):
                made, _ = values_of_law(check, rows.taken(here), None)
            else:
                continue
            expected = _as_printed(made, check, rows, decimals)
            cells = {name: shown[name][here] for name in check.columns}
            for k, place in enumerate(here.tolist()):
                row = {name: _plain(column[k]) for name, column in cells.items()}
                found[i].append(BrokenRow(start + place, row, expected[k]))
        start += rows.n_rows
    return tuple(map(tuple, found))


def _as_printed(
    made: NDArray[Any], check: LawCheck, rows: TableRows, decimals: Mapping[str, int | None]
) -> list[Any]:
    """Return the values that a law gives as cells of its column: dates, or rounded numbers."""
    name = check.column
    if name is None:
        return [None] * len(made)
    clock = getattr(check.law, "clocks", {}).get(name)
    if clock is not None and made.dtype.kind == "f":
        made = clock.dates(made)
    elif made.dtype.kind == "f" and decimals.get(name) is not None:
        made = np.round(made, decimals[name] or 0) + 0.0
    return [_plain(each) for each in made]


def _plain(cell: Any) -> Any:
    """Return a cell as a Python object: a number, text, date, or None for an empty cell."""
    value = cell.item() if isinstance(cell, np.generic) else cell
    return None if value is None or value != value else value
