"""Writing of the table that a command makes with a model, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import chain

from gramian.cli._files import open_target, output_format
from gramian.cli._options import TableOutput
from gramian.tables import ARRAYS, TEXT, Table
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
    verbatim = [
        *(others.ids if format not in ARRAYS else ()),
        *(others.targets if format in TEXT else ()),
    ]
    pieces = rewrite(model, table, others, verbatim)
    first = next(pieces)
    written = Written(first.rows.column_names)
    with open_target(output, first.rows.schema) as writer:
        for piece in chain([first], pieces):
            writer.write(piece.rows)
            written.n_read += len(piece.keeps)
            written.n_rows += piece.rows.num_rows
            written.n_unknown += piece.n_unknown
    return written
