"""Writers of repaired cells: new values in the spelling of the other cells of a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from gramian.tables import Table, number_texts, pyarrow, writing_of_column

SOME_CELLS = 100_000
"""Number of cells that show how the cells of a column are written."""
CellWriter = Callable[[Any], str]


def cell_writer(table: Table, name: str) -> CellWriter | None:
    """Return a function that writes values as the cells of a column are written.

    The result is None if the column has numbers in several spellings, times with an offset from
    UTC, or truth values.

    Parameters
    ----------
    table : Table
        A text file.
    name : str
        The column.
    """
    kind = table.columns[name]
    if getattr(kind, "tz", None) or name in table.without_zone or pyarrow().types.is_boolean(kind):
        return None
    written, cells = _some_cells(table, name)
    decimal = "." if table.style is None else table.style.decimal
    as_number: Callable[[float], str]
    if name in table.spellings:
        writing = writing_of_column(cells, decimal)
        if writing is None:
            return None
        as_number = writing.text
    else:
        signs = {each for each in ".," if any(each in cell for cell in cells)}
        decimal = signs.pop() if len(signs) == 1 else decimal
        least = _least_decimals(cells, decimal)

        def as_number(value: float) -> str:
            return _padded(cell_text(value, decimal), decimal, least)

    with_t = bool(cells) and all("T" in each for each in cells)
    all_quoted = bool(written) and all(each.startswith(b'"') for each in written)
    special = re.compile(f'["\r\n{re.escape(table.delimiter or ",")}]')

    def write(value: Any) -> str:
        text = as_number(value) if isinstance(value, float) else cell_text(value)
        if with_t and isinstance(value, datetime):
            text = text.replace(" ", "T")
        if all_quoted or special.search(text):
            text = '"' + text.replace('"', '""') + '"'
        return text

    return write


def _some_cells(table: Table, name: str) -> tuple[list[bytes], list[str]]:
    """Return cells of a column that are not empty, as they are written and without quotes."""
    reader, written, contents = table.cells(), list[bytes](), list[str]()
    for piece in table.pieces([name]):
        column = reader.take(piece.num_rows, [name])[name]
        written += [each for each in column.to_pylist() if each.strip()]
        contents += [each.strip() for each in reader.text(column).to_pylist() if each is not None]
        if len(written) >= SOME_CELLS:
            break
    return written, contents


def _least_decimals(cells: Sequence[str], decimal: str) -> int:
    """Return the number of decimals that each number of a column has at least."""
    pattern = re.compile(rf"[+-]?\d+(?:{re.escape(decimal)}(\d*))?")
    found = map(pattern.fullmatch, cells)
    return min((len(each[1] or "") for each in found if each), default=0)


def _padded(text: str, decimal: str, least: int) -> str:
    """Return a number as text with at least some number of decimals."""
    if not least or not re.fullmatch(r"-?\d+\D?\d*", text):
        return text
    whole, _, decimals = text.partition(decimal)
    return f"{whole}{decimal}{decimals:0<{least}}"


def cell_text(value: Any, decimal: str = ".") -> str:
    """Return a cell as it is written in a text file; empty if there is none.

    Parameters
    ----------
    value : object
        The cell.
    decimal : str, default="."
        The decimal sign.
    """
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    column = pyarrow().chunked_array([pyarrow().array([value])])
    text: str = number_texts(column, decimal)[0].as_py()
    return text.removesuffix(decimal + "0")
