"""Writing of the table that a command makes with a model, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from gramian.cli._errors import CommandError
from gramian.cli._files import open_target, output_format, style_of
from gramian.cli._options import TableOutput
from gramian.tables import (
    ARRAYS,
    TEXT,
    Table,
    TextStyle,
    is_number,
    number_texts,
    with_cells,
)
from gramian.tabular import Passing, Piece, TableModel

Rewrite = Callable[[TableModel, Table, Passing, Collection[str]], Iterator[Piece]]
"""Type of functions that make a new table with a model and yield it in pieces; they are
`gramian.tabular.reduced` and `gramian.tabular.reconstructed`."""


@dataclass
class Written:
    """Names of the columns, and numbers of rows and cells, of a table that was written."""

    columns: list[str]
    n_read: int = 0
    """Number of rows that were read."""
    n_rows: int = 0
    """Number of rows that were written."""
    n_unknown: int = 0
    """Number of empty cells whose category did not occur in the rows of the fit."""


def write(
    rewrite: Rewrite, model: TableModel, table: Table, others: Passing, output: TableOutput
) -> Written:
    """Make a new table from a table with a model, and write it.

    Parameters
    ----------
    rewrite : callable
        The function that makes the new rows.
    model : TableModel
        The model.
    table : Table
        The table to read.
    others : Passing
        Columns that are copied unchanged.
    output : TableOutput
        Options for the table to write.
    """
    format = output_format(output)
    verbatim = others.ids if format not in ARRAYS else ()
    style = style_of(table, output)
    pieces = rewrite(model, table, others, verbatim)
    if table.format in TEXT and (format in TEXT or table.without_zone):
        pieces = _as_written(pieces, model, table, output, style)
    first = next(pieces)
    written = Written(first.rows.column_names)
    with open_target(output, first.rows.schema, style) as writer:
        for piece in chain([first], pieces):
            if format not in TEXT:
                _check_same_types(first, piece)
            writer.write(piece.rows)
            written.n_read += len(piece.keeps)
            written.n_rows += piece.rows.num_rows
            written.n_unknown += piece.unknown.total()
    return written


def _check_same_types(first: Piece, piece: Piece) -> None:
    """Raise CommandError if a piece has another type of a column than the first piece.

    A computed value may be too large for the type of the column in the fit, such as int8.
    """
    for field, other in zip(first.rows.schema, piece.rows.schema, strict=True):
        if field.type != other.type:
            raise CommandError(
                f"a computed value of column {field.name!r} does not fit {field.type}, the type of "
                "the column in the fit: write a CSV file"
            )


def _as_written(
    pieces: Iterator[Piece],
    model: TableModel,
    table: Table,
    output: TableOutput,
    style: TextStyle,
) -> Iterator[Piece]:
    """Yield pieces whose copied cells are those of the text file that is read, letter by letter.

    Numbers and dates would change their spelling if they were written anew: 1.50, 0x0A, +49301234.
    Formats other than text have values; only times whose offsets differ are copied as text.
    """
    cells, format = table.cells(), output_format(output)
    same = format in TEXT and table.delimiter == style.delimiter
    in_quotes = same and not output.escape_formulas
    filled = model.kept if model.steps.impute is not None else []
    for piece in pieces:
        rows, copied = piece.rows, piece.copied
        if format not in TEXT:
            copied = {name: each for name, each in copied.items() if each in table.without_zone}
        taken = cells.take(len(piece.keeps), list(copied.values()))
        for name, place in copied.items():
            column, i = taken[place].filter(piece.keeps), rows.column_names.index(name)
            if name in filled:
                values = rows.column(i)
                if is_number(values.type):
                    values = number_texts(values, style.decimal)
                rows = rows.set_column(i, name, cells.filled(column, values))
            elif in_quotes:
                rows = with_cells(rows, {name: column})
            else:
                rows = rows.set_column(i, name, cells.text(column))
        yield replace(piece, rows=rows)
