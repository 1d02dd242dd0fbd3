"""The column that names rows, such as a number of an order: all its values differ."""

from __future__ import annotations

from collections.abc import Sequence

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
    for i, name in enumerate(names):
        if is_text(kinds[name]) or (i == 0 and is_number(kinds[name])):
            for at_most in (FIRST_ROWS, None):
                cells = _as_names(table, name, at_most)
                if cells is None:
                    break
            else:
                return name, cells or []
    return None


def _as_names(table: Table, name: str, at_most: int | None) -> list[str] | None:
    """Return the first cells of a column as text; None if they do not name rows."""
    compute = pyarrow().compute
    column = table.read([name], at_most=at_most).column(name)
    if column.null_count or compute.count_distinct(column).as_py() < len(column):
        return None
    cells = column.to_pylist()
    if is_number(column.type):
        if not all(float(each).is_integer() for each in cells):
            return None
        return [str(int(each)) for each in cells]
    return None if max(map(len, cells), default=0) > LONGEST else cells
