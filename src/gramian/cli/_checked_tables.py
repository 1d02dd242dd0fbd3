"""Tables that a check writes: the rows that break laws, and the table with repaired cells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.cli._cell_writers import CellWriter, cell_text, cell_writer
from gramian.cli._files import open_target, output_format, style_of
from gramian.cli._options import TableOutput
from gramian.laws import SuspectCell
from gramian.tables import (
    TEXT,
    Table,
    in_type,
    pyarrow,
    with_cells,
)

ADDED = ("check_row", "check_laws", "check_column", "check_found", "check_expected")
"""Names of the columns that a table of broken rows has beside its own."""


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
        return f"{'about ' if cell.about else ''}{cell_text(cell.expected)}"
    return " or ".join("?" if each is None else cell_text(each) for each in cell.values)


def write_repaired(
    table: Table, cells: Sequence[SuspectCell], output: TableOutput, changes: TextIO
) -> list[SuspectCell]:
    """Write a table with other values in some cells; all other cells stay as they are written.

    New values are written in the spelling of their column, such as 2.816,10 €. Cells of a column
    with numbers in several spellings stay; they are returned.

    Parameters
    ----------
    table : Table
        The table that was checked.
    cells : sequence of SuspectCell
        The cells to replace by the values that laws give.
    output : TableOutput
        Options for the table to write.
    changes : text stream
        Is told each change as a line of a CSV file.
    """
    names = dict.fromkeys(each.column for each in cells if each.column is not None)
    writers: dict[str, CellWriter | None] = {}
    if _is_as_written(table, output):
        writers = {name: cell_writer(table, name) for name in names}
    stay = [each for each in cells if writers.get(str(each.column), cell_text) is None]
    new = dict[str, tuple[IntArray, list[Any]]]()
    for name in names:
        own = [each for each in cells if each.column == name]
        if writers.get(name, cell_text) is not None:
            new[name] = np.array([each.row for each in own]), [each.expected for each in own]
    lines = csv.writer(changes, lineterminator="\n")
    lines.writerow(["row", "column", "found", "expected", "laws"])
    for each in cells:
        if each.column in new:
            texts = [cell_text(each.found), cell_text(each.expected)]
            lines.writerow([each.row, each.column, *texts, "; ".join(each.laws)])

    def repaired(piece: Any, start: int) -> Any:
        for name, (rows, values) in new.items():
            first, last = np.searchsorted(rows, [start, start + piece.num_rows])
            if first < last:
                i, field = piece.column_names.index(name), piece.schema.field(name)
                mask = np.zeros(piece.num_rows, dtype=bool)
                mask[rows[first:last] - start] = True
                column = _replaced(piece.column(i), mask, values[first:last], writers.get(name))
                piece = piece.set_column(i, field, column)
        return piece

    _write(table, output, repaired)
    return stay


def _replaced(
    column: Any, mask: NDArray[np.bool_], values: list[Any], write: CellWriter | None
) -> Any:
    """Return a column with new values where the mask is True, in the type of the column."""
    arrow = pyarrow()
    kind = column.type
    if kind == arrow.large_binary() and write is not None:  # cells as they are written
        new = arrow.array([write(each).encode() for each in values], kind)
    else:
        new = in_type(arrow.array(values), str(kind))
    whole = column.combine_chunks()
    return arrow.chunked_array(
        [arrow.compute.replace_with_mask(whole, arrow.array(mask), _one(new).cast(kind))]
    )


def _one(column: Any) -> Any:
    """Return a column as one array."""
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


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
    style = style_of(table, output)
    pieces = _changed(table, output, change)
    first = next(pieces)
    with open_target(output, first.schema, style) as writer:
        writer.write(first)
        for piece in pieces:
            writer.write(piece)


def _is_as_written(table: Table, output: TableOutput) -> bool:
    """Return True if the cells of a text file are copied as they are written."""
    both = table.format in TEXT and output_format(output) in TEXT
    same = table.delimiter == style_of(table, output).delimiter
    return both and same and not output.escape_formulas


def _changed(table: Table, output: TableOutput, change: Callable[[Any, int], Any]) -> Iterator[Any]:
    """Yield the changed pieces; cells of a text file are bytes if a text file is written."""
    n_rows = 0
    cells = table.cells() if _is_as_written(table, output) else None
    for piece in table.pieces(table.names):
        rows = piece
        if cells is not None:
            rows = with_cells(piece, cells.take(piece.num_rows, table.names))
        yield change(rows, n_rows)
        n_rows += piece.num_rows
