"""Rows of a coded table, as laws read them: columns by name, with their texts and dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns._coded_table import CodedTable


class TableRows(Mapping[str, NDArray[Any]]):
    """Some rows of a coded table as a mapping from column names to columns.

    A column of text has texts, with None for a missing one; a column of dates has dates.

    Parameters
    ----------
    table : CodedTable
        The table.
    rows : array of shape (n_rows, n_columns)
        The rows, in which texts and dates are replaced by numbers.
    """

    def __init__(self, table: CodedTable, rows: Array) -> None:
        self._table, self._rows = table, rows
        self._columns: dict[str, NDArray[Any]] = {}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self._table.names)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.names)

    def __len__(self) -> int:
        return len(self._table.names)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            self._columns[name] = self._decoded(self._places[name])
        return self._columns[name]

    def _decoded(self, i: int) -> NDArray[Any]:
        numbers = self._rows[:, i]
        if i in self._table.clocks:
            return self._table.clocks[i].dates(numbers)
        if i not in self._table.labels:
            return numbers
        labels = np.empty(len(self._table.labels[i]) + 1, dtype=object)
        labels[:-1] = list(self._table.labels[i])  # the last one stays None
        missing = np.isnan(numbers)
        return np.asarray(labels[np.where(missing, len(labels) - 1, numbers).astype(np.intp)])

    def numbers(self, name: str) -> Array:
        """Return a column as numbers: codes of texts, and dates as their clock counts.

        Parameters
        ----------
        name : str
            The name of the column.
        """
        found: Array = self._rows[:, self._places[name]]
        return found

    def taken(self, rows: NDArray[Any]) -> TableRows:
        """Return some of the rows.

        Parameters
        ----------
        rows : array
            A mask of the rows, or their indices.
        """
        return TableRows(self._table, self._rows[rows])
