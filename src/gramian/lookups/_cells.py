"""A table as levels: what may determine, and what may be determined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.lookups._keys import Key
from gramian.tables import Clock

FEWEST_PER_LEVEL = 2.0
"""Labels with fewer rows a level, on average, are names of rows: no evidence."""
PER_NUMBER = 5.0
"""Numbers, and pairs of columns, are causes if a level has this many rows on average."""
ALMOST_ALL = 0.9
"""A text column with more levels than this share of its rows is set aside."""
MOST_FRACTIONS = 50
"""Numbers that are not whole are measured: with more levels, equal ones are equal by chance."""
TELLING_APART = 0.5
"""A column tells rows apart if it has more levels than this share of those that differ."""


@dataclass(frozen=True)
class Cells:
    """The columns of a table, and parts of its dates, as codes of levels.

    Attributes
    ----------
    keys : list of Key
        What may be a cause: columns first, parts of dates behind them.
    x : array of shape (n_rows, n_keys)
        Numbers; those of labels are codes, and NaN is missing.
    codes : array of shape (n_rows, n_keys)
        The levels, numbered; -1 is missing.
    n_levels : list of int
        How many there are of each key.
    labels : set of int
        The keys whose levels are text.
    """

    keys: list[Key]
    x: Array
    codes: IntArray
    n_levels: list[int]
    labels: set[int]
    n_columns: int
    """How many of the keys are columns."""
    ids: list[int] = field(default_factory=list)
    """Columns of text that name rows."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """The columns with dates."""

    def is_number(self, key: int) -> bool:
        """Return whether a key is a column of numbers."""
        return key < self.n_columns and key not in self.labels

    def is_whole(self, key: int) -> bool:
        """Return whether all numbers of a key are whole, as codes of labels are."""
        x = self.x[self.codes[:, key] >= 0, key]
        return bool((x == np.rint(x)).all())

    def fits(self, key: int, per_level: float) -> bool:
        """Return whether a key has two levels, and this many rows per level on average."""
        n_rows = int((self.codes[:, key] >= 0).sum())
        return self.n_levels[key] >= 2 and self.n_levels[key] * per_level <= n_rows

    def may_give(self, cause: int, effect: int) -> bool:
        """Return whether a key may be a cause of a column, by what the calendar says.

        A part of a date gives no other date: the day gives it in one month only. The one exception
        is a column with the very days of another.
        """
        key, clock = self.keys[cause], self.clocks.get(effect)
        if key.column == self.keys[effect].column:
            return False
        if key.part is None or clock is None:
            return True
        if key.part != "date" or clock.unit != "days":
            return False
        days = clock.part(self.x[:, effect], "date")
        there = (self.codes[:, cause] >= 0) & (self.codes[:, effect] >= 0)
        return bool((days[there] == self.x[there, cause]).all())

    @property
    def effects(self) -> list[int]:
        """The columns that may be determined by levels."""
        return [
            i for i in range(self.n_columns) if i not in self.ids and self.fits(i, FEWEST_PER_LEVEL)
        ]

    @cached_property
    def causes(self) -> list[int]:
        """The keys whose levels may determine columns."""
        return [
            i
            for i in range(len(self.keys))
            if i not in self.ids
            and (self.n_levels[i] <= MOST_FRACTIONS or self.is_whole(i))
            and self.fits(i, FEWEST_PER_LEVEL if i in self.labels else PER_NUMBER)
        ]


def cells_of(
    x: Array, names: Sequence[str], labels: set[int], clocks: Mapping[int, Clock]
) -> Cells:
    """Give the levels of a table numbers.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Numbers; those of labels are codes, and NaN is missing.
    names : sequence of str
        The columns.
    labels : set of int
        Which of them are text.
    clocks : mapping from int to Clock
        Which of them are dates.
    """
    keys = [Key(name, clock=clocks.get(i)) for i, name in enumerate(names)]
    keys += [
        Key(names[i], part=part, clock=clock) for i, clock in clocks.items() for part in clock.parts
    ]
    place = {name: i for i, name in enumerate(names)}
    parts = [key.numbers(x[:, place[key.column]]) for key in keys[len(names) :]]
    x = np.column_stack([x, *parts]) if parts else x
    codes = np.column_stack([_codes(column) for column in x.T])
    ids = _ids(codes, labels)
    kept = _distinct(x, codes, [i for i in range(len(names)) if i not in ids], labels)
    if len(kept) < len(x):
        x, codes = x[kept], codes[kept]
        ids = _ids(codes, labels)
    n_levels = [len(np.unique(each[each >= 0])) for each in codes.T]
    return Cells(keys, x, codes, n_levels, set(labels), len(names), ids, clocks)


def _codes(column: Array) -> IntArray:
    missing = np.isnan(column)
    found = np.full(len(column), -1, dtype=np.intp)
    found[~missing] = np.unique(column[~missing], return_inverse=True)[1]
    return found


def _ids(codes: IntArray, labels: set[int]) -> list[int]:
    """Return the columns of text whose levels are about as many as their rows."""
    found = []
    for i in sorted(labels):
        present = codes[codes[:, i] >= 0, i]
        if len(np.unique(present)) > max(ALMOST_ALL * len(present), 1):
            found.append(i)
    return found


def _distinct(x: Array, codes: IntArray, columns: list[int], labels: set[int]) -> IntArray:
    """Return rows that differ, where fractions tell most of these apart; else all rows.

    A row of measurements that stands there twice is no second observation. Where all columns have
    few levels, rows are equal by chance, and each of them counts. Two of three signs tell that rows
    were copied: the fractions have many values, all rows stand there equally often, and no text
    tells them apart, as products tell prices apart.
    """
    everything = np.arange(len(codes))
    if not columns:
        return everything
    _, first, sizes = np.unique(codes[:, columns], axis=0, return_index=True, return_counts=True)
    if len(first) == len(codes):
        return everything
    with np.errstate(invalid="ignore"):
        fractions = [i for i in columns if (x[:, i] != np.rint(x[:, i]))[codes[:, i] >= 0].any()]
    most = max((len(np.unique(codes[first, i])) for i in fractions), default=0)
    enough = TELLING_APART * len(first)
    text = [i for i in columns if i in labels]
    n_texts = len(np.unique(codes[first][:, text], axis=0)) if text else 1
    signs = (most > MOST_FRACTIONS, sizes.min() == sizes.max(), n_texts <= enough)
    return np.sort(first) if most > enough and sum(signs) >= 2 else everything
