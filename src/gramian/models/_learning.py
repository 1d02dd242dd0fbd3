"""What is to be done to the columns of a table, found out piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.tables import Clock

AT_ONCE = 2**24
"""At most this many values are kept at once where medians are looked for: 128 MB."""
ColumnValues = dict[str, NDArray[Any]]
Pieces = Callable[[], Iterable[ColumnValues]]
"""Reads a table once: columns of floats, of dates, or of text as objects."""


@dataclass
class Seen:
    """What was seen of a table."""

    n_rows: int = 0
    n_values: Counter[str] = field(default_factory=Counter)
    """How many values of each column are there."""
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    """The columns of text, and how often they have each label."""
    dates: dict[str, NDArray[np.datetime64]] = field(default_factory=dict)
    """The columns of dates: the first, and some with a time of the day."""

    @property
    def clocks(self) -> dict[str, Clock]:
        """How dates become numbers."""
        return {name: Clock.of(times) for name, times in self.dates.items()}

    @property
    def empty(self) -> list[str]:
        """The columns without any value."""
        return [name for name, count in self.n_values.items() if not count]


def look(pieces: Pieces, labels_of: Callable[[NDArray[Any]], Iterable[Any]]) -> Seen:
    """Read a table once.

    Parameters
    ----------
    pieces : callable
        Reads it.
    labels_of : callable
        Writes values as text, missing ones as NaN.
    """
    seen = Seen()
    for piece in pieces():
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
                timed = there[there != there.astype("datetime64[D]")]
                known = seen.dates.get(name, there[:0])
                seen.dates[name] = np.concatenate([known, np.sort(there)[:1], timed[:1]])
    return seen


def typical(
    pieces: Callable[[], Iterable[Array]], n_rows: int, how: Literal["mean", "median"]
) -> Array:
    """Return the mean or the median of each column; NaN is missing.

    Parameters
    ----------
    pieces : callable
        Reads the numbers of a table once.
    n_rows : int
        How many rows it has.
    how : {"mean", "median"}
        What is asked for. For medians the table is read again and again if it is large.
    """
    if how == "mean":
        sums = [(np.nansum(x, axis=0), np.sum(~np.isnan(x), axis=0)) for x in pieces()]
        mean: Array = sum(each for each, _ in sums) / sum(count for _, count in sums)
        return mean
    step = max(1, AT_ONCE // max(1, n_rows))
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


def most_frequent(labels: Counter[str], categories: Sequence[str]) -> float:
    """Return the number of the most frequent category; of equals, the first."""
    return float(max(range(len(categories)), key=lambda i: (labels[categories[i]], -i)))
