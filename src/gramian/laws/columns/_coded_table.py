"""Coded tables: tables whose text and dates are numbers, read block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.laws.columns._coder import Coder
from gramian.tables import Clock, Table, as_array, open_dataset, open_tables

BLOCK_ROWS = 50_000
"""Number of rows of a block of an array."""


@dataclass(frozen=True)
class CodedTable:
    """A table of numbers that can be read several times; text and dates are coded as numbers."""

    names: tuple[str, ...]
    named: bool
    """True if the table has names of its own."""
    blocks: Callable[[], Iterator[Array]]
    """Reads the table once, from the first row to the last."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Columns of text, with the labels that their codes number."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """Columns of dates, with the clocks that turn dates into numbers."""

    def ordered(self) -> CodedTable:
        """Return the table with text before numbers, each in the order of names.

        The laws then do not depend on the order of the columns. If two columns follow from each
        other, the first is kept: text rather than its codes.
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

    @property
    def numbers(self) -> list[int]:
        """The columns of numbers or dates."""
        return [i for i in range(len(self.names)) if i not in self.labels]


def of_blocks(
    names: Iterable[Any] | None,
    n_columns: int,
    blocks: Callable[[], Iterator[Array]],
    coder: Coder | None = None,
) -> CodedTable:
    """Open a table of row blocks; some numbers may be codes of labels or dates.

    Parameters
    ----------
    names : iterable or None
        The names of the columns; None if they have no names.
    n_columns : int
        The number of columns.
    blocks : callable
        Reads the table once.
    coder : Coder, optional
        The coder of labels and dates.
    """
    coder = coder or Coder()
    known = None if names is None else [str(each) for each in names]
    every = tuple(names_or_numbers(known, n_columns))
    return CodedTable(every, known is not None, blocks, coder.labels, coder.clocks)


def of_array(
    array: Array, names: Iterable[Any] | None = None, coder: Coder | None = None
) -> CodedTable:
    """Open an array in memory; the parameters are those of `of_blocks`."""

    def blocks() -> Iterator[Array]:
        for start in range(0, len(array), BLOCK_ROWS):
            yield array[start : start + BLOCK_ROWS]

    return of_blocks(names, array.shape[1], blocks, coder)


def of_columns(names: Iterable[Any] | None, columns: Sequence[Any]) -> CodedTable:
    """Open columns of any kind in memory."""
    coder = Coder()
    return of_array(coder.numbers(columns), names, coder)


def of_files(data: Any) -> CodedTable | None:
    """Open files that have columns of text or dates; return None for other data.

    Parameters
    ----------
    data : object
        A path, several paths, a PyArrow dataset, or a `Table`.
    """
    table = _files(data)
    if table is None:
        return None
    if table.of_numbers:
        if not isinstance(data, Table):
            return None

        def blocks() -> Iterator[Array]:
            for piece in table.pieces(table.names):
                yield as_array(piece)

        return of_blocks(table.names, len(table.names), blocks)
    return of_frames(table.names, lambda: table.pieces(table.names))


def _files(data: Any) -> Table | None:
    if isinstance(data, Table):
        return data
    if isinstance(data, str | os.PathLike):
        return open_tables([data])
    if isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike):
        return open_tables(data)
    module = type(data).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(data, "get_fragments"):
        return open_dataset(data)
    return None


def of_frames(names: Sequence[str], frames: Callable[[], Iterable[Any]]) -> CodedTable:
    """Open a table that comes in pieces, each a data frame or an Arrow table.

    The table is read once to find its labels, and its first and last dates.

    Parameters
    ----------
    names : sequence of str
        The columns.
    frames : callable
        Reads the pieces once.
    """
    first, looked = Coder(), dict[int, Clock]()
    for columns in map(_columns, frames()):
        if len(columns[0]):
            first.numbers(columns)
            for i, clock in first.clocks.items():
                looked[i] = clock if i not in looked else earlier(looked[i], clock)
            first.clocks.clear()
    coder = Coder(looked, first.labels)

    def blocks() -> Iterator[Array]:
        for columns in map(_columns, frames()):
            yield coder.numbers(columns)

    return of_blocks(names, len(names), blocks, coder)


def earlier(one: Clock, other: Clock) -> Clock:
    """Return a clock for the dates of two clocks: the earlier origin, and the finer unit."""
    first = min(one.origin, other.origin, key=lambda each: np.datetime64(each, "us"))
    return Clock(first, one.unit if one.unit == other.unit else "seconds")


def _columns(frame: Any) -> list[Any]:
    if hasattr(frame, "column_names"):
        return [frame.column(i) for i in range(frame.num_columns)]
    return [frame[each] for each in frame.columns]
