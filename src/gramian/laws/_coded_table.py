"""Tables that can be read again and again: text and dates as numbers, block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.lookups import Coder
from gramian.tables import Clock, Table, as_array, open_dataset, open_tables

BLOCK_ROWS = 50_000


@dataclass(frozen=True)
class CodedTable:
    """A table that can be read again and again."""

    names: tuple[str, ...]
    named: bool
    """Whether the names are the table's own."""
    blocks: Callable[[], Iterator[Array]]
    """Reads it once, from the first row to the last."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The columns of text, whose numbers are codes of these labels."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """The columns of dates, and how they became numbers."""

    def ordered(self) -> CodedTable:
        """Return the table with text before numbers, each in the order of its names, if it has any.

        What is found then does not depend on the order of columns. Of what follows from each other,
        the first is kept: text rather than its codes.
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
        """The columns that hold numbers, or dates."""
        return [i for i in range(len(self.names)) if i not in self.labels]


def of_blocks(
    names: Iterable[Any] | None,
    n_columns: int,
    blocks: Callable[[], Iterator[Array]],
    coder: Coder | None = None,
) -> CodedTable:
    """Open a table of numbers, some of which may stand for labels and dates.

    Parameters
    ----------
    names : iterable or None
        The names of the columns, if they have any.
    n_columns : int
        How many columns there are.
    blocks : callable
        Reads the table once.
    coder : Coder, optional
        What made numbers of labels and dates.
    """
    coder = coder or Coder()
    known = None if names is None else [str(each) for each in names]
    every = tuple(names_or_numbers(known, n_columns))
    return CodedTable(every, known is not None, blocks, coder.labels, coder.clocks)


def of_array(
    array: Array, names: Iterable[Any] | None = None, coder: Coder | None = None
) -> CodedTable:
    """Open numbers that are in memory; parameters are those of `of_blocks`."""

    def blocks() -> Iterator[Array]:
        for start in range(0, len(array), BLOCK_ROWS):
            yield array[start : start + BLOCK_ROWS]

    return of_blocks(names, array.shape[1], blocks, coder)


def of_columns(names: Iterable[Any] | None, columns: Sequence[Any]) -> CodedTable:
    """Open columns of any kind that are in memory."""
    coder = Coder()
    return of_array(coder.numbers(columns), names, coder)


def of_files(data: Any) -> CodedTable | None:
    """Open files with columns that are no numbers; None if all are numbers, or there is no file.

    Parameters
    ----------
    data : object
        What the user gave: a path, several, a PyArrow dataset, or a table of this library.
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

    It is read once to see its labels, and the first and last of its dates.

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
    """Return a clock for the dates of two: it begins with the first, and counts what both can."""
    first = min(one.origin, other.origin, key=lambda each: np.datetime64(each, "us"))
    return Clock(first, one.unit if one.unit == other.unit else "seconds")


def _columns(frame: Any) -> list[Any]:
    if hasattr(frame, "column_names"):
        return [frame.column(i) for i in range(frame.num_columns)]
    return [frame[each] for each in frame.columns]
