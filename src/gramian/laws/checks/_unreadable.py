"""Unreadable cells: texts among the numbers of a column do not hide the laws of its other cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns import CodedTable, ColumnFacts, TableRows

MOST_UNREADABLE = 0.5
"""Largest share of the labels of a column of numbers that may be no numbers."""


@dataclass(frozen=True)
class ReadTable:
    """A table in which a few texts among numbers are infinite numbers, which break their laws."""

    table: CodedTable
    given: CodedTable
    """The table with these columns as text."""
    values: Mapping[int, Array]
    """The number of each label of these columns, by the index of the column."""
    texts: Mapping[str, str | None]
    """The first such text of each column that is read as numbers; None if it has no such text."""

    def rows(self) -> Iterator[tuple[TableRows, TableRows]]:
        """Yield the rows block by block, as they are read and as they are given."""
        for block in self.given.blocks():
            read = _decoded(block, self.values) if self.values else block
            yield TableRows(self.table, read), TableRows(self.given, block)

    def as_given(self, read: TableRows, given: TableRows) -> Mapping[str, NDArray[Any]]:
        """Return rows with the texts in place of infinite numbers.

        Parameters
        ----------
        read, given : TableRows
            The rows as they are read and as they are given.
        """
        return _AsGiven(read, given, self.texts) if self.texts else read


class _AsGiven(Mapping[str, NDArray[Any]]):
    """Rows in which infinite numbers of some columns are replaced by the texts in their place."""

    def __init__(self, rows: TableRows, given: TableRows, texts: Mapping[str, str | None]) -> None:
        self._rows, self._given, self._texts = rows, given, texts

    def __getitem__(self, name: str) -> NDArray[Any]:
        cells = self._rows[name]
        if name not in self._texts:
            return cells
        return np.where(np.isinf(cells), self._given[name], cells.astype(object))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def read_as_before(table: CodedTable, facts: Sequence[ColumnFacts]) -> ReadTable:
    """Read columns of text as numbers if they were numbers when laws were found.

    Parameters
    ----------
    table : CodedTable
        The table.
    facts : sequence of ColumnFacts
        The columns of the table in which laws were found. A column stays text if more than half of
        its labels are no numbers.
    """
    numbers = {each.name for each in facts if each.type == "number"}
    values, texts = dict[int, Array](), dict[str, str | None]()
    for i, labels in table.labels.items():
        if table.names[i] not in numbers:
            continue
        read = [_number(each) for each in labels]
        wrong = [label for label, value in zip(labels, read, strict=True) if value is None]
        if len(wrong) <= MOST_UNREADABLE * len(labels):
            values[i] = np.array([np.inf if each is None else each for each in read])
            texts[table.names[i]] = wrong[0] if wrong else None
    if not values:
        return ReadTable(table, table, {}, {})

    def blocks() -> Iterator[Array]:
        for block in table.blocks():
            yield _decoded(block, values)

    labels_left = {i: each for i, each in table.labels.items() if i not in values}
    return ReadTable(replace(table, blocks=blocks, labels=labels_left), table, values, texts)


def _decoded(block: Array, values: Mapping[int, Array]) -> Array:
    """Return a block in which codes of labels are replaced by numbers."""
    block = np.array(block, dtype=np.float64)
    for i, known in values.items():
        there = ~np.isnan(block[:, i])
        block[there, i] = known[block[there, i].astype(np.intp)]
    return block


def _number(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None
