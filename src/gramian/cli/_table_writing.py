"""Rewritten tables of commands, written piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import chain

from gramian.cli._files import open_target, output_format
from gramian.cli._options import TableOutput
from gramian.tables import ARRAYS, TEXT, Table
from gramian.tabular import Passing, Piece, TableModel

Rewrite = Callable[[TableModel, Table, Passing, Collection[str]], Iterator[Piece]]
"""`gramian.tabular.reduced` or `gramian.tabular.reconstructed`."""


@dataclass
class Written:
    """Counts of a rewritten table."""

    columns: list[str]
    n_read: int = 0
    n_rows: int = 0
    n_unknown: int = 0
    """The number of cells that are empty because no row of the fit had their level."""


def write(
    rewrite: Rewrite, model: TableModel, table: Table, others: Passing, output: TableOutput
) -> Written:
    """Write the rows that a model makes of a table.

    Parameters
    ----------
    rewrite : callable
        Makes the rows.
    model : TableModel
        The model.
    table : Table
        The table.
    others : Passing
        Columns that pass through.
    output : TableOutput
        The file to write.
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
