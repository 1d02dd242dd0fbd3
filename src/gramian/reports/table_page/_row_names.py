"""The column that names rows, such as a number of an order: all its values differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gramian.tables import Table, is_number, is_text, pyarrow

MOST_ROWS = 1_000_000
"""In a table of more rows, no column is searched."""
FIRST_ROWS = 1_000
"""Most columns are refused by so many rows."""
LONGEST = 40
"""Longest text that is a name, and no remark."""


def row_names(table: Table, names: Sequence[str], n_rows: int) -> tuple[str, list[str]] | None:
    """Return the leftmost column that names the rows, and its cells; None if there is none.

    Its cells are text, or whole numbers if it is the first column. All differ, and none is empty.

    Parameters
    ----------
    table : Table
        The table.
    names : sequence of str
        Its columns, in order.
    n_rows : int
        The number of its rows.
    """
    if not 1 < n_rows <= MOST_ROWS:
        return None
    kinds = table.columns
    some = [
        name
        for i, name in enumerate(names)
        if is_text(kinds[name]) or (i == 0 and is_number(kinds[name]))
    ]
    if not some:
        return None
    first = table.read(some, at_most=FIRST_ROWS)
    for name in some:
        if _as_names(first.column(name).slice(0, FIRST_ROWS)) is not None:
            cells = _as_names(table.read([name]).column(name))
            if cells is not None:
                return name, cells
    return None


def _as_names(column: Any) -> list[str] | None:
    """Return the cells of a column as text; None if they do not name rows."""
    distinct = pyarrow().compute.count_distinct(column).as_py()
    if column.null_count or distinct < len(column):
        return None
    cells = column.to_pylist()
    if is_number(column.type):
        whole = all(float(each).is_integer() for each in cells)
        return [str(int(each)) for each in cells] if whole else None
    return None if max(map(len, cells), default=0) > LONGEST else cells
