"""Tables with text and dates, as blocks of numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._types import Array
from gramian.lookups import Coder
from gramian.tables._clock import Clock
from gramian.tables._kinds import as_array, is_number
from gramian.tables._open import open_dataset, open_tables
from gramian.tables._table import Table as FileTable


@dataclass(frozen=True)
class Opened:
    """A table that was opened: names if it has any, columns, and what reads its rows."""

    names: Sequence[str] | None
    width: int
    blocks: Callable[[], Iterator[Array]]
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    clocks: Mapping[int, Clock] = field(default_factory=dict)


def of_columns(
    names: Iterable[Any] | None,
    columns: Sequence[Any],
    block_rows: int,
    array: Array | None = None,
) -> Opened:
    """Open columns that are in memory.

    Parameters
    ----------
    names : iterable or None
        Their names.
    columns : sequence of arrays
        The columns.
    block_rows : int
        How many rows are read at once.
    array : array of shape (n_rows, n_columns), optional
        The same as numbers, if they are numbers.
    """
    coder = Coder()
    found = coder.numbers(columns) if array is None else array

    def blocks() -> Iterator[Array]:
        for start in range(0, len(found), block_rows):
            yield found[start : start + block_rows]

    named = None if names is None else [str(each) for each in names]
    return Opened(named, found.shape[1], blocks, coder.labels, coder.clocks)


def of_files(data: Any) -> Opened | None:
    """Open files with columns that are no numbers; None if all are numbers, or there is no file.

    Parameters
    ----------
    data : object
        What the user gave: a path, several, a PyArrow dataset, or a table of this library.
    """
    table = _files(data)
    if table is None:
        return None
    if all(map(is_number, table.columns.values())):
        if not isinstance(data, FileTable):
            return None

        def blocks() -> Iterator[Array]:
            for piece in table.pieces(table.names):
                yield as_array(piece)

        return Opened(table.names, len(table.names), blocks)
    return of_frames(table.names, lambda: table.pieces(table.names))


def _files(data: Any) -> FileTable | None:
    if isinstance(data, FileTable):
        return data
    if isinstance(data, str | os.PathLike):
        return open_tables([data])
    if isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike):
        return open_tables(data)
    module = type(data).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(data, "get_fragments"):
        return open_dataset(data)
    return None


def of_frames(names: Sequence[str], frames: Callable[[], Iterable[Any]]) -> Opened:
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

    return Opened([*names], len(names), blocks, coder.labels, coder.clocks)


def earlier(one: Clock, other: Clock) -> Clock:
    """Return a clock for the dates of two: it begins with the first, and counts what both can."""
    first = min(one.origin, other.origin, key=lambda each: np.datetime64(each, "us"))
    return Clock(first, one.unit if one.unit == other.unit else "seconds")


def _columns(frame: Any) -> list[Any]:
    if hasattr(frame, "column_names"):
        return [frame.column(i) for i in range(frame.num_columns)]
    return [frame[each] for each in frame.columns]
