"""Coder: converts columns to numbers: text to codes 0, 1, 2, ..., dates to days or seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.given_data import as_given
from gramian._support.types import Array
from gramian.laws.columns._key import cell
from gramian.tables import (
    LARGEST_WHOLE,
    Clock,
    clocks_of,
    dates_in_text,
    is_beyond_floats,
    is_usable,
    plain,
    pyarrow,
    telling_dates,
)

MOST_LEVELS = 200_000
"""Largest number of labels of a text column that get a code; all others get the last code."""


class Levels(Sequence[str]):
    """The distinct labels of a text column, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._labels: list[str] = []

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, index: Any) -> Any:
        return self._labels[index]

    def codes(self, values: Sequence[Any]) -> Array:
        """Return the code of each value's label, NaN if it is missing; new labels get new codes."""
        known, found = self._codes, np.empty(len(values))
        for i, value in enumerate(values):
            label = value if type(value) is str else _label(value)
            if label is None:
                found[i] = np.nan
                continue
            if label not in known and len(known) < MOST_LEVELS:
                known[label] = len(known)
                self._labels.append(label)
            found[i] = known.get(label, MOST_LEVELS - 1)
        return found


def _label(value: Any) -> str | None:
    found = cell(value)
    if isinstance(found, float):
        return str(int(found)) if found.is_integer() else str(found)
    return found


class Coder:
    """Converts columns to numbers; a label has the same code in all pieces of a table.

    Attributes
    ----------
    labels : dict from int to Levels
        For each text column, by its index: the labels.
    clocks : dict from int to Clock
        For each date column, by its index: the clock that converts dates to numbers. All clocks
        have one origin.
    """

    def __init__(self) -> None:
        self.labels: dict[int, Levels] = {}
        self.clocks: dict[int, Clock] = {}
        self._dates: dict[int, NDArray[np.datetime64]] = {}

    def learn(self, columns: Sequence[Any]) -> None:
        """Learn the labels and the clocks of a table that is read piece by piece.

        Parameters
        ----------
        columns : sequence of arrays
            All columns of one piece, as in `numbers`.
        """
        for i, column in enumerate(columns):
            values = plain_array(column)
            if values.dtype.kind == "M":
                known = self._dates.get(i, values[:0])
                self._dates[i] = telling_dates(np.concatenate([known, values]))
            elif self._is_text(i, values):
                self._codes(i, values)
        self.clocks = clocks_of(self._dates)

    def numbers(self, columns: Sequence[Any]) -> Array:
        """Return columns as an array of numbers of shape (n_rows, n_columns).

        Clocks are made of these columns unless `learn` made them before.

        Parameters
        ----------
        columns : sequence of arrays
            All columns of a data frame or of an Arrow table.
        """
        if not columns:
            raise ValueError("X has no columns.")
        arrays = [plain_array(column) for column in columns]
        dates = {i: values for i, values in enumerate(arrays) if values.dtype.kind == "M"}
        self.clocks = self.clocks or clocks_of(dates)
        found = np.empty((len(arrays[0]), len(arrays)), order="F")
        for i, values in enumerate(arrays):
            found[:, i] = self._number(i, values)
        return found

    def _number(self, i: int, values: NDArray[Any]) -> Array:
        if values.dtype.kind == "M":
            return self.clocks[i].numbers(values)
        if self._is_text(i, values):
            return self._codes(i, values)
        if values.dtype.kind == "m":
            return _seconds(values)
        numbers: Array = values.astype(np.float64)
        return numbers

    def _is_text(self, i: int, values: NDArray[Any]) -> bool:
        return values.dtype.kind == "O" or (i in self.labels and values.dtype.kind != "m")

    def _codes(self, i: int, values: NDArray[Any]) -> Array:
        return self.labels.setdefault(i, Levels()).codes(values.tolist())


def numbers_of(column: Any, clock: Clock | None = None) -> Array:
    """Return a column as the numbers from which a law computes.

    Parameters
    ----------
    column : array-like
        Numbers, durations or dates; dates may be texts in ISO 8601.
    clock : Clock, optional
        Converts dates to the numbers in which the law was found; None if it was found in numbers.
    """
    values = np.asarray(column)
    if values.dtype.kind in "fiub":
        return values.astype(np.float64, copy=False)
    values = plain_array(column)
    if values.dtype.kind == "O" and clock is not None:
        dates = dates_in_text(values.tolist())
        values = values if dates is None else dates
    if values.dtype.kind == "M":
        if clock is None:
            raise ValueError("The law was found in a column of numbers, and the column has dates.")
        return clock.numbers(values)
    return _seconds(values) if values.dtype.kind == "m" else values.astype(np.float64)


def _seconds(durations: NDArray[Any]) -> Array:
    """Return durations in seconds; NaN where a duration is missing."""
    seconds = durations.astype("timedelta64[us]").astype(np.int64) / 1e6
    return np.where(np.isnat(durations), np.nan, seconds)


def plain_array(column: Any) -> NDArray[Any]:
    """Return a column as an array of numbers or dates; of Python objects if it holds text.

    Parameters
    ----------
    column : array-like
        A column of a data frame, of an Arrow table, or of an array.
    """
    if hasattr(column, "combine_chunks"):
        return _from_arrow(column)
    if getattr(getattr(column, "dt", None), "tz", None) is not None:
        column = column.dt.tz_localize(None)  # months and hours are those of the local time
    column = as_given(column)
    values = np.asarray(column)
    if values.dtype.kind in "iu" and len(values) and _extreme(values) > LARGEST_WHOLE:
        return values.astype(str).astype(object)  # floats would round them
    if values.dtype.kind in "fiubMm":
        return values
    values = np.asarray(column, dtype=object)
    cells = [cell(each) for each in values.tolist()]
    if all(each is None or isinstance(each, float) for each in cells):
        return np.array([np.nan if each is None else each for each in cells], dtype=np.float64)
    return values


def _extreme(values: NDArray[Any]) -> int:
    """Return the largest absolute value of whole numbers."""
    return max(abs(int(values.min())), abs(int(values.max())))


def _from_arrow(column: Any) -> NDArray[Any]:
    """Return an Arrow column as an array; a time of the day becomes the seconds since midnight.

    Cells that no law can use, such as lists, are missing values, as in columns of Python objects.
    """
    if not is_usable(column.type) and not pyarrow().types.is_dictionary(column.type):
        return np.full(len(column), np.nan)
    if is_beyond_floats(column):
        return np.asarray(column.cast(pyarrow().string()).to_pylist(), dtype=object)
    table = pyarrow().table([column], names=["column"])
    found = plain(table).column(0)
    return plain_array(found.to_numpy())
