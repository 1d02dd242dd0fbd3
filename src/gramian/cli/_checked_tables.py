"""Tables that a check writes: the rows that break laws, and the table with repaired cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.cli._files import open_target, output_format
from gramian.cli._options import TableOutput
from gramian.laws import SuspectCell
from gramian.tables import (
    DELIMITERS,
    TEXT,
    Table,
    TextStyle,
    in_type,
    number_texts,
    pyarrow,
    with_cells,
)

ADDED = ("check_row", "check_laws", "check_column", "check_found", "check_expected")
"""Names of the columns that a table of broken rows has beside its own."""
SOME_CELLS = 1000
"""Number of cells that show how the numbers of a column are written."""
Cells = Mapping[str, tuple[IntArray, Sequence[Any]]]
"""From the name of a column to the positions of cells and their new values."""


def write_broken(table: Table, cells: Sequence[SuspectCell], output: TableOutput) -> None:
    """Write the rows that break laws, each with these laws and the cell that is likely wrong.

    Parameters
    ----------
    table : Table
        The table that was checked.
    cells : sequence of SuspectCell
        The rows that break laws.
    output : TableOutput
        Options for the table to write.
    """
    rows = np.array([each.row for each in cells], dtype=np.intp)
    added = (
        [str(each.row) for each in cells],
        ["; ".join(each.laws) for each in cells],
        [each.column or " or ".join(each.likely) for each in cells],
        [cell_text(each.found) for each in cells],
        [_expected(each) for each in cells],
    )
    told = dict(zip(_unlike(ADDED, table.names), added, strict=True))
    text = pyarrow().string()

    def broken(piece: Any, start: int) -> Any:
        first, last = np.searchsorted(rows, [start, start + piece.num_rows])
        piece = piece.take(pyarrow().array(rows[first:last] - start))
        for name, values in told.items():
            piece = piece.append_column(name, pyarrow().array(values[first:last], text))
        return piece

    _write(table, output, broken)


def _unlike(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return names of columns, with underscores behind them if a table has such a column."""
    end = ""
    while any(f"{each}{end}" in taken for each in names):
        end += "_"
    return [f"{each}{end}" for each in names]


def _expected(cell: SuspectCell) -> str:
    """Return the value that the laws give, or one for each cell that is as likely wrong."""
    if cell.column is not None or all(each is None for each in cell.values):
        return cell_text(cell.expected)
    return " or ".join("?" if each is None else cell_text(each) for each in cell.values)


def write_repaired(table: Table, cells: Sequence[SuspectCell], output: TableOutput) -> None:
    """Write a table with other values in some cells; all other cells stay as they are written.

    Parameters
    ----------
    table : Table
        The table that was checked.
    cells : sequence of SuspectCell
        The cells to replace by the values that laws give.
    output : TableOutput
        Options for the table to write.
    """
    names = dict.fromkeys(each.column for each in cells if each.column is not None)
    changes: dict[str, tuple[IntArray, list[Any]]] = {}
    for name in names:
        own = [each for each in cells if each.column == name]
        changes[name] = np.array([each.row for each in own]), [each.expected for each in own]

    def repaired(piece: Any, start: int) -> Any:
        for name, (rows, values) in changes.items():
            first, last = np.searchsorted(rows, [start, start + piece.num_rows])
            if first < last:
                i, field = piece.column_names.index(name), piece.schema.field(name)
                mask = np.zeros(piece.num_rows, dtype=bool)
                mask[rows[first:last] - start] = True
                column = _replaced(piece.column(i), mask, values[first:last], table)
                piece = piece.set_column(i, field, column)
        return piece

    _write(table, output, repaired)


def _replaced(column: Any, mask: NDArray[np.bool_], values: list[Any], table: Table) -> Any:
    """Return a column with new values where the mask is True, in the type of the column."""
    arrow = pyarrow()
    kind = column.type
    if kind == arrow.large_binary():  # cells as they are written
        decimal = "." if table.style is None else table.style.decimal
        least = _least_decimals(column, decimal)
        new = arrow.array([_padded(each, decimal, least).encode() for each in values], kind)
    else:
        new = in_type(arrow.array(values), str(kind))
    whole = column.combine_chunks()
    return arrow.chunked_array(
        [arrow.compute.replace_with_mask(whole, arrow.array(mask), _one(new).cast(kind))]
    )


def _least_decimals(column: Any, decimal: str) -> int:
    """Return the number of decimals that each number of a column of written cells has at least."""
    sign = re.escape(decimal.encode())
    written = (re.fullmatch(rb"[+-]?\d+(?:%b(\d*))?" % sign, each) for each in _some(column))
    return min((len(each[1] or b"") for each in written if each), default=0)


def _some(column: Any) -> Iterator[bytes]:
    """Yield the first cells of a column that are not empty, without blanks around them."""
    cells = (each.strip() for each in column.slice(0, SOME_CELLS).to_pylist() if each is not None)
    return (each for each in cells if each)


def _padded(value: Any, decimal: str, least: int) -> str:
    """Return a cell as text; a number has at least some number of decimals."""
    text = cell_text(value, decimal)
    if not least or not isinstance(value, float) or not re.fullmatch(r"-?\d+\D?\d*", text):
        return text
    whole, _, decimals = text.partition(decimal)
    return f"{whole}{decimal}{decimals:0<{least}}"


def _one(column: Any) -> Any:
    """Return a column as one array."""
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


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


def _write(table: Table, output: TableOutput, change: Callable[[Any, int], Any]) -> None:
    """Write a table whose pieces are changed, with its cells as they are written.

    Parameters
    ----------
    table : Table
        The table.
    output : TableOutput
        Options for the table to write.
    change : callable
        Function of a piece of the table, and of the number of rows before, to the new piece.
    """
    format = output_format(output)
    style = TextStyle(DELIMITERS.get(format, ","))
    if table.style is not None and table.format is format:
        style = table.style
    pieces = _changed(table, output, style, change)
    first = next(pieces)
    with open_target(output, first.schema, style) as writer:
        writer.write(first)
        for piece in pieces:
            writer.write(piece)


def _changed(
    table: Table, output: TableOutput, style: TextStyle, change: Callable[[Any, int], Any]
) -> Iterator[Any]:
    """Yield the changed pieces; cells of a text file are bytes if a text file is written."""
    format, n_rows = output_format(output), 0
    as_written = table.format in TEXT and format in TEXT and table.delimiter == style.delimiter
    cells = table.cells() if as_written and not output.escape_formulas else None
    for piece in table.pieces(table.names):
        rows = piece
        if cells is not None:
            rows = with_cells(piece, cells.take(piece.num_rows, table.names))
        yield change(rows, n_rows)
        n_rows += piece.num_rows
