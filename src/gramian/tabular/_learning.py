"""Learning of a preprocessing from a table that is read piece by piece.

Learned are the categories of text, the clocks of dates, and the numbers that fill missing values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.fitting import EmptyColumnError
from gramian.models import (
    ColumnValues,
    Impute,
    Missing,
    Preprocessing,
    about_columns,
    check_numbers,
    columns_of,
    labels_of,
)
from gramian.tables import Clock, clocks_of, telling_dates

MEDIAN_VALUES = 2**24
"""Largest number of values that are in memory while medians are computed: 128 MB."""
Steps = TypeVar("Steps", bound=Preprocessing)
"""Type variable: the class of the preprocessing to make."""


def learned(
    cls: type[Steps],
    pieces: Callable[[], Iterable[Any]],
    columns: Iterable[str],
    *,
    encode: bool,
    impute: Impute | None,
) -> Steps:
    """Learn a preprocessing from a table that is read piece by piece.

    Parameters
    ----------
    cls : type
        Class of the preprocessing to return.
    pieces, columns, encode, impute
        See `Preprocessing.learn_in_pieces`.
    """
    columns = tuple(columns)
    if impute not in (None, *get_args(Impute)):
        raise ValueError(f"impute must be among {get_args(Impute)}; got {impute!r}.")

    def taken() -> Iterator[ColumnValues]:
        """Read the wanted columns piece by piece; raise if a number is infinite."""
        for piece in pieces():
            found = columns_of(piece, columns)
            for name, values in found.items():
                if values.dtype.kind == "f":
                    check_numbers(name, values)
            yield found

    seen = _look(taken())
    text = [name for name in columns if name in seen.labels]
    if text and not encode:
        raise ValueError(
            f"{about_columns(text, 'contains', 'contain')} text. Leave out such columns, or encode "
            "them as numbers."
        )
    categories = {name: tuple(sorted(seen.labels[name])) for name in text}
    plain = cls(columns, categories=categories, clocks=seen.clocks)
    if impute != "mean" and impute != "median":
        done: dict[str | None, Missing] = {None: "refuse", "drop-rows": "drop", "keep": "keep"}
        return replace(plain, missing=done[impute])
    if seen.empty:
        raise EmptyColumnError([columns.index(name) for name in seen.empty], columns)
    fill = _typical(lambda: map(plain.numbers, taken()), seen.n_rows, impute)
    for name, known in categories.items():
        fill[columns.index(name)] = _most_frequent(seen.labels[name], known)
    return replace(plain, missing="fill", impute=fill)


@dataclass
class _Seen:
    """Facts that one reading of a table collects: counts of values and texts, and some dates."""

    n_rows: int = 0
    """Number of rows of the table."""
    n_values: Counter[str] = field(default_factory=Counter)
    """From the name of each column to the number of its cells that are not missing."""
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    """From the name of each text column to the number of cells with each label."""
    dates: dict[str, NDArray[np.datetime64]] = field(default_factory=dict)
    """From the name of each date column to the dates that suffice to make its clock."""

    @property
    def clocks(self) -> dict[str, Clock]:
        """From the name of each date column to the clock that turns its dates into numbers."""
        return clocks_of(self.dates)

    @property
    def empty(self) -> list[str]:
        """Names of the columns in which all cells are missing."""
        return [name for name, count in self.n_values.items() if not count]


def _look(pieces: Iterable[ColumnValues]) -> _Seen:
    """Read all pieces of a table once, and return the facts that were collected."""
    seen = _Seen()
    for piece in pieces:
        seen.n_rows += len(next(iter(piece.values()), ()))
        for name, values in piece.items():
            if values.dtype == object:
                found = [label for label in labels_of(values) if isinstance(label, str)]
                seen.labels.setdefault(name, Counter()).update(found)
                seen.n_values[name] += len(found)
                continue
            there = values[~(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))]
            seen.n_values[name] += len(there)
            if values.dtype.kind == "M":
                known = seen.dates.get(name, there[:0])
                seen.dates[name] = telling_dates(np.concatenate([known, there]))
    return seen


def _typical(
    pieces: Callable[[], Iterable[Array]], n_rows: int, how: Literal["mean", "median"]
) -> Array:
    """Return the mean or the median of each column, without missing values.

    Medians of a large table are computed for a few columns at a time, so that the table is read
    several times.
    """
    if how == "mean":
        sums = [(np.nansum(x, axis=0), np.sum(~np.isnan(x), axis=0)) for x in pieces()]
        mean: Array = sum(each for each, _ in sums) / sum(count for _, count in sums)
        return mean
    step = max(1, MEDIAN_VALUES // max(1, n_rows))
    found: list[Array] = []
    n_columns, start = 1, 0
    while start < n_columns:
        columns = slice(start, start + step)
        parts = []
        for x in pieces():
            n_columns = x.shape[1]
            parts.append(x[:, columns])
        found.append(np.nanmedian(np.concatenate(parts), axis=0))
        start += step
    return np.concatenate(found)


def _most_frequent(labels: Counter[str], categories: Sequence[str]) -> float:
    """Return the index of the most frequent category; the first index if several are tied."""
    return float(max(range(len(categories)), key=lambda i: (labels[categories[i]], -i)))
