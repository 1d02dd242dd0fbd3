"""Unreadable cells: a text among the numbers or dates of a column hides no laws of other rows."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns import CodedTable, ColumnFacts, ColumnType, TableRows
from gramian.tables import Clock

MOST_UNREADABLE = 0.5
"""Largest share of the labels of a column of numbers (or dates) that may be no numbers (dates)."""
CLOCK = Clock("1970-01-01", "seconds")
LAST_SECOND = 253_402_300_799.0
"""The end of the year 9999 by this clock: a date that breaks the laws of its column."""


def seconds(label: str) -> float:
    """Return the seconds from 1970 to a date; a ValueError says that there is no such date.

    Parameters
    ----------
    label : str
        The date, such as 2024-03-01 or 2024-03-01 12:30.
    """
    date = datetime.datetime.fromisoformat(label)
    if date.tzinfo is not None:
        raise ValueError("tables read times without an offset")
    return (date - datetime.datetime(1970, 1, 1)) / datetime.timedelta(seconds=1)


READERS: Mapping[ColumnType, tuple[Callable[[str], float], float]] = {
    "number": (float, np.inf),
    "date": (seconds, LAST_SECOND),
}
"""Type of a column → function that reads a label, and the value of a label that it cannot read."""


@dataclass(frozen=True)
class ReadTable:
    """A table in which a few texts are infinite numbers, or far dates, which break their laws."""

    table: CodedTable
    given: CodedTable
    """The table with these columns as text."""
    values: Mapping[int, Array]
    """The number of each label of these columns, by the index of the column."""
    texts: Mapping[str, str | None]
    """The first such text of each column that is read so; None if it has no such text."""

    def rows(self) -> Iterator[tuple[TableRows, TableRows]]:
        """Yield the rows block by block, as they are read and as they are given."""
        for block in self.given.blocks():
            read = _decoded(block, self.values) if self.values else block
            yield TableRows(self.table, read), TableRows(self.given, block)

    def as_given(self, read: TableRows, given: TableRows) -> Mapping[str, NDArray[Any]]:
        """Return rows with the texts as they are given.

        Parameters
        ----------
        read, given : TableRows
            The rows as they are read and as they are given.
        """
        return _AsGiven(read, given, self.texts) if self.texts else read


class _AsGiven(Mapping[str, NDArray[Any]]):
    """Rows in which the texts of some columns stand where they were given."""

    def __init__(self, rows: TableRows, given: TableRows, texts: Mapping[str, str | None]) -> None:
        self._rows, self._given, self._texts = rows, given, texts

    def __getitem__(self, name: str) -> NDArray[Any]:
        cells = self._rows[name]
        if name not in self._texts:
            return cells
        kind: ColumnType = "date" if cells.dtype.kind == "M" else "number"
        texts = self._given[name]
        unread = np.array([x is not None and _read(x, kind) is None for x in texts], dtype=bool)
        return np.where(unread, texts, cells.astype(object))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def read_as_before(table: CodedTable, facts: Sequence[ColumnFacts]) -> ReadTable:
    """Read columns of text as numbers or dates if they were so when laws were found.

    Parameters
    ----------
    table : CodedTable
        The table.
    facts : sequence of ColumnFacts
        The columns of the table in which laws were found. A column stays text if more than half of
        its labels are no numbers, or no dates.
    """
    kinds = {each.name: each.type for each in facts if each.type in READERS}
    values, texts = dict[int, Array](), dict[str, str | None]()
    clocks = {**table.clocks}
    for i, labels in table.labels.items():
        kind = kinds.get(table.names[i])
        if kind is None:
            continue
        read = [_read(each, kind) for each in labels]
        wrong = [label for label, value in zip(labels, read, strict=True) if value is None]
        if len(wrong) <= MOST_UNREADABLE * len(labels):
            far = READERS[kind][1]
            values[i] = np.array([far if each is None else each for each in read])
            clocks |= {i: CLOCK} if kind == "date" else {}
            texts[table.names[i]] = wrong[0] if wrong else None
    if not values:
        return ReadTable(table, table, {}, {})

    def blocks() -> Iterator[Array]:
        for block in table.blocks():
            yield _decoded(block, values)

    labels_left = {i: each for i, each in table.labels.items() if i not in values}
    read_table = replace(table, blocks=blocks, labels=labels_left, clocks=clocks)
    return ReadTable(read_table, table, values, texts)


def _decoded(block: Array, values: Mapping[int, Array]) -> Array:
    """Return a block in which codes of labels are replaced by numbers."""
    block = np.array(block, dtype=np.float64)
    for i, known in values.items():
        there = ~np.isnan(block[:, i])
        block[there, i] = known[block[there, i].astype(np.intp)]
    return block


def _read(label: str, kind: ColumnType) -> float | None:
    try:
        return READERS[kind][0](label)
    except ValueError:
        return None
