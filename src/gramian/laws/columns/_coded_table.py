"""Coded tables: tables with text and dates replaced by numbers, read in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.laws.columns._coder import Coder
from gramian.tables import Clock, Table, as_array, open_given

BLOCK_ROWS = 50_000
"""Number of rows in each block when a table in memory is read block by block."""


@dataclass(frozen=True)
class CodedTable:
    """A table of numbers that can be read several times; text and dates are replaced by numbers."""

    names: tuple[str, ...]
    named: bool
    """True if the user or the table named the columns; False if the names are x0, x1, ..."""
    blocks: Callable[[], Iterator[Array]]
    """Function that reads the table once and yields its rows, block by block, in their order."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """For each text column, by its index: the labels. The number i in the column is label i."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """For each date column, by its index: the clock that converts its dates to numbers."""

    def ordered(self) -> CodedTable:
        """Return the table with its columns sorted: text columns first, then by name.

        Sorting makes the laws independent of the order in which the user gives the columns. If two
        columns can be computed from each other, the first one is kept: text rather than numbers.
        """
        order = sorted(
            range(len(self.names)),
            key=lambda i: (i not in self.labels, self.names[i] if self.named else ""),
        )
        return CodedTable(
            tuple(self.names[i] for i in order),
            self.named,
            lambda: (block[:, order] for block in self.blocks()),
            {place: self.labels[i] for place, i in enumerate(order) if i in self.labels},
            {place: self.clocks[i] for place, i in enumerate(order) if i in self.clocks},
        )

    def taken(self, rows: NDArray[np.bool_]) -> CodedTable:
        """Return the table with some of its rows; `rows` is a mask of all rows."""

        def blocks() -> Iterator[Array]:
            before = 0
            for block in self.blocks():
                yield block[rows[before : before + len(block)]]
                before += len(block)

        return replace(self, blocks=blocks)

    @property
    def numbers(self) -> list[int]:
        """The indices of all columns that hold numbers or dates, not text."""
        return [i for i in range(len(self.names)) if i not in self.labels]


def of_blocks(
    names: Iterable[Any] | None,
    n_columns: int,
    blocks: Callable[[], Iterator[Array]],
    coder: Coder | None = None,
) -> CodedTable:
    """Return a `CodedTable` of row blocks; some columns may be codes of labels or dates.

    Parameters
    ----------
    names : iterable or None
        The names of the columns; None if they have no names.
    n_columns : int
        The number of columns.
    blocks : callable
        Function that reads the table once and yields arrays of rows.
    coder : Coder, optional
        The coder that replaced labels and dates by the numbers in the blocks.
    """
    coder = coder or Coder()
    known = None if names is None else [str(each) for each in names]
    every = tuple(names_or_numbers(known, n_columns))
    return CodedTable(every, known is not None, blocks, coder.labels, coder.clocks)


def of_array(
    array: Array, names: Iterable[Any] | None = None, coder: Coder | None = None
) -> CodedTable:
    """Return a `CodedTable` of an array in memory; see `of_blocks` for `names` and `coder`."""

    def blocks() -> Iterator[Array]:
        for start in range(0, len(array), BLOCK_ROWS):
            yield array[start : start + BLOCK_ROWS]

    return of_blocks(names, array.shape[1], blocks, coder)


def of_columns(names: Iterable[Any] | None, columns: Sequence[Any]) -> CodedTable:
    """Return a `CodedTable` of columns in memory, which may hold numbers, text or dates."""
    coder = Coder()
    return of_array(coder.numbers(columns), names, coder)


def of_files(data: Any) -> CodedTable | None:
    """Return a `CodedTable` of files or streams, except files of numbers; None for other data.

    Parameters
    ----------
    data : object
        What a user gave as a table, see `open_given`.
    """
    table = open_given(data)
    if table is None:
        return None
    if table.of_numbers and not table.codes:
        if not isinstance(data, Table):
            return None

        def blocks() -> Iterator[Array]:
            for piece in table.pieces(table.names):
                yield as_array(piece)

        return of_blocks(table.names, len(table.names), blocks)
    return of_frames(table.names, lambda: table.pieces(table.names))


def of_frames(names: Sequence[str], frames: Callable[[], Iterable[Any]]) -> CodedTable:
    """Return a `CodedTable` of a table in pieces, each a data frame or an Arrow table.

    All pieces are read once to collect the labels, and the clocks of the date columns.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    frames : callable
        Function that reads the table once and yields its pieces.
    """
    coder = Coder()
    for columns in map(_columns, frames()):
        if len(columns[0]):
            coder.learn(columns)

    def blocks() -> Iterator[Array]:
        for columns in map(_columns, frames()):
            yield coder.numbers(columns)

    return of_blocks(names, len(names), blocks, coder)


def _columns(frame: Any) -> list[Any]:
    if hasattr(frame, "column_names"):
        return [frame.column(i) for i in range(frame.num_columns)]
    return [frame[each] for each in frame.columns]
