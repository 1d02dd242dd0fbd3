"""Level cells: the levels of all columns and parts of dates, as codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.columns._key import Key
from gramian.tables import Clock

FEWEST_PER_LEVEL = 2.0
"""Least average number of rows of the levels of text; text with fewer names rows."""
PER_NUMBER = 5.0
"""Least average number of rows of the levels of numbers, and of combinations of keys."""
NAMING_SHARE = 0.9
"""A text column with more levels than this share of its rows names rows, and is set aside."""
MOST_FRACTIONS = 50
"""Largest number of levels of decimals; with more, the column is measured and has no levels."""
TELLING_APART = 0.5
"""A column tells rows apart if it has more levels than this share of the distinct rows."""


@dataclass(frozen=True)
class Cells:
    """The columns of a table, and parts of its dates, as codes of levels.

    Attributes
    ----------
    keys : list of Key
        The keys that may be causes: columns first, then parts of dates.
    x : array of shape (n_rows, n_keys)
        Numbers; labels are codes, and NaN is missing.
    codes : array of shape (n_rows, n_keys)
        The codes of levels; -1 is missing.
    n_levels : list of int
        The number of levels of each key.
    labels : set of int
        The keys whose levels are text.
    """

    keys: list[Key]
    x: Array
    codes: IntArray
    n_levels: list[int]
    labels: set[int]
    n_columns: int
    """The number of keys that are columns."""
    ids: list[int] = field(default_factory=list)
    """Columns of text that name rows."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """The columns with dates."""

    def is_number(self, key: int) -> bool:
        """Return True if a key is a column of numbers."""
        return key < self.n_columns and key not in self.labels

    def is_whole(self, key: int) -> bool:
        """Return True if all numbers of a key are whole; codes of labels are."""
        x = self.x[self.codes[:, key] >= 0, key]
        return bool((x == np.rint(x)).all())

    def fits(self, key: int, per_level: float) -> bool:
        """Return True if a key has at least two levels, and so many rows per level on average."""
        n_rows = int((self.codes[:, key] >= 0).sum())
        return self.n_levels[key] >= 2 and self.n_levels[key] * per_level <= n_rows

    def may_give(self, cause: int, effect: int) -> bool:
        """Return True if the calendar allows a key to be a cause of a column.

        A part of a date gives no other date: the day of the month gives a date in one month only.
        The exception is a column that holds the days of the other date.
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
    """Return the levels of a table as codes.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Numbers; labels are codes, and NaN is missing.
    names : sequence of str
        The columns.
    labels : set of int
        The columns of text.
    clocks : mapping from int to Clock
        The columns of dates, with their clocks.
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
    """Return the columns of text that have about as many levels as rows."""
    found = []
    for i in sorted(labels):
        present = codes[codes[:, i] >= 0, i]
        if len(np.unique(present)) > max(NAMING_SHARE * len(present), 1):
            found.append(i)
    return found


def _distinct(x: Array, codes: IntArray, columns: list[int], labels: set[int]) -> IntArray:
    """Return the distinct rows if equal rows are copies, else all rows.

    A copy of a row of measurements is no second observation. If all columns have few levels, rows
    are equal by chance, and each row counts. Rows are copies if decimals tell most distinct rows
    apart, and two of three signs hold: decimals have many values, all rows occur equally often, and
    no text tells the rows apart.
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
