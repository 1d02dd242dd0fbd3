"""Level cells: all columns and parts of dates as codes of levels (distinct values)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.columns._column_traits import FEW_LEVELS
from gramian.laws.columns._key import Key
from gramian.laws.columns._precision import precision_of
from gramian.tables import Clock

FEWEST_PER_LEVEL = 2.0
"""A text column takes part in lookups only if its levels have this many rows on average."""
PER_NUMBER = 5.0
"""Numbers, or several keys together, are causes only with this many rows per level on average."""
NAMING_SHARE = 0.9
"""A text column with more levels than this share of its rows is an identifier and ignored."""
MOST_FRACTIONS = 50
"""A decimal column with more distinct values than this is a measurement, not a cause."""
RATE_DIGITS = 4
"""Largest number of significant digits of a decimal column with more than `FEW_LEVELS` levels that
is a cause."""
MOST_RATES = 5
"""A column of at most so many distinct numbers may determine a measurement, as a tax rate does."""
DENSE = 0.5
"""Numbers of things (patients, shops) are at least this share of all whole numbers in between."""
NAMES_OF_KEYS = re.compile(r"(id|code|key|nr|no|zip|plz|sku|year)$|^(id|zip|number)", re.IGNORECASE)
"""Names of columns whose numbers name things, such as shops."""
TELLING_APART = 0.5
"""A column distinguishes rows if it has more levels than this share of the distinct rows."""


@dataclass(frozen=True)
class Cells:
    """The columns of a table and the parts of its dates, as codes of levels (distinct values).

    Attributes
    ----------
    keys : list of Key
        The columns first, then the parts of dates.
    x : array of shape (n_rows, n_keys)
        The values of the keys as numbers: text is replaced by codes, NaN is a missing value.
    codes : array of shape (n_rows, n_keys)
        For each row and key the code of its level, 0, 1, 2, ...; -1 is a missing value.
    n_levels : list of int
        The number of levels of each key.
    labels : set of int
        The indices of the keys whose levels are text.
    """

    keys: list[Key]
    x: Array
    codes: IntArray
    n_levels: list[int]
    labels: set[int]
    n_columns: int
    """The number of columns; the keys after these are parts of dates."""
    ids: list[int] = field(default_factory=list)
    """Indices of identifiers: text columns with a different label in almost every row."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """For each date column, by its index: the clock that converts its dates to numbers."""
    groups: IntArray | None = None
    """The number of the group of each row, if the user gave groups; else None."""

    def is_number(self, key: int) -> bool:
        """Return True if a key (a column or a part of a date) is a column of numbers."""
        return key < self.n_columns and key not in self.labels

    def is_whole(self, key: int) -> bool:
        """Return True if all values of a key are whole numbers, as codes of text are.

        A key is a column or a part of a date.
        """
        x = self.x[self.codes[:, key] >= 0, key]
        return bool((x == np.rint(x)).all())

    def _is_rate(self, key: int) -> bool:
        """Return True if a column of decimals has few distinct values, as rates and sizes have.

        A measurement that is repeated, such as an attribute of a region, determines other
        attributes only because both belong to the region.
        """
        if self.n_levels[key] <= FEW_LEVELS:
            return True
        x = self.x[self.codes[:, key] >= 0, key]
        few = self.n_levels[key] <= MOST_FRACTIONS
        return few and 0 < precision_of(x).digits <= RATE_DIGITS

    def is_dense(self, key: int) -> bool:
        """Return True if few whole numbers between the levels of a key are missing."""
        x = self.x[self.codes[:, key] >= 0, key]
        return self.n_levels[key] >= DENSE * float(np.ptp(x) + 1)

    def _is_measured(self, key: int) -> bool:
        """Return True if a key is a column of measurements, not of numbers that name things."""
        if not self.is_number(key) or key in self.clocks or self.n_levels[key] <= MOST_RATES:
            return False
        x = self.x[self.codes[:, key] >= 0, key]
        if (x != np.rint(x)).any():
            return True
        return not self.is_dense(key) and NAMES_OF_KEYS.search(self.keys[key].column) is None

    def fits(self, key: int, per_level: float) -> bool:
        """Return True if a key has two or more distinct values, with enough rows each.

        Parameters
        ----------
        key : int
            The index of the key.
        per_level : float
            The smallest mean number of rows for each distinct value.
        """
        n_rows = int((self.codes[:, key] >= 0).sum())
        return self.n_levels[key] >= 2 and self.n_levels[key] * per_level <= n_rows

    def may_give(self, cause: int, effect: int) -> bool:
        """Return True if the key `cause` may determine the column `effect`.

        A key is a column or a part of a date. It never determines its own column. A part of a date
        cannot determine another date: the day of the month determines a date only within one month.
        The exception is the part "date" of a time, if it equals the column of dates in all rows.

        Measurements do not determine numbers with as many levels: if the rows of a table are
        joined to attributes of regions, each attribute seems to determine all others.
        """
        key, clock = self.keys[cause], self.clocks.get(effect)
        if key.column == self.keys[effect].column:
            return False
        as_many = 2 * self.n_levels[effect] > self.n_levels[cause]
        if as_many and self._is_measured(cause) and self.is_number(effect):
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
        """The indices of columns that values of other columns may determine."""
        return [
            i for i in range(self.n_columns) if i not in self.ids and self.fits(i, FEWEST_PER_LEVEL)
        ]

    @cached_property
    def causes(self) -> list[int]:
        """The indices of keys (columns, or parts of dates) that may determine other columns."""
        return [
            i
            for i in range(len(self.keys))
            if i not in self.ids
            and (self.is_whole(i) or self._is_rate(i))
            and self.fits(i, FEWEST_PER_LEVEL if i in self.labels else PER_NUMBER)
        ]


def cells_of(
    x: Array,
    names: Sequence[str],
    labels: set[int],
    clocks: Mapping[int, Clock],
    groups: IntArray | None = None,
) -> Cells:
    """Return the columns of a table and the parts of its dates as codes of levels.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table as numbers: text is replaced by codes, NaN is a missing value.
    names : sequence of str
        The names of the columns.
    labels : set of int
        The indices of the text columns.
    clocks : mapping from int to Clock
        For each date column, by its index: the clock that converts dates to numbers.
    groups : array of shape (n_rows,), optional
        The number of the group of each row, if the user gave groups.
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
        groups = None if groups is None else groups[kept]
        ids = _ids(codes, labels)
    n_levels = [len(np.unique(each[each >= 0])) for each in codes.T]
    return Cells(keys, x, codes, n_levels, set(labels), len(names), ids, clocks, groups)


def _codes(column: Array) -> IntArray:
    missing = np.isnan(column)
    found = np.full(len(column), -1, dtype=np.intp)
    found[~missing] = np.unique(column[~missing], return_inverse=True)[1]
    return found


def _ids(codes: IntArray, labels: set[int]) -> list[int]:
    """Return the indices of text columns with a different text in almost every row.

    Parameters
    ----------
    codes : array of shape (n_rows, n_columns)
        The codes of the distinct values.
    labels : set of int
        The indices of the text columns.
    """
    found = []
    for i in sorted(labels):
        present = codes[codes[:, i] >= 0, i]
        if len(np.unique(present)) > max(NAMING_SHARE * len(present), 1):
            found.append(i)
    return found


def _distinct(x: Array, codes: IntArray, columns: list[int], labels: set[int]) -> IntArray:
    """Return the indices of the distinct rows if equal rows are copies, else of all rows.

    A copied row of measurements is not a second observation. But if all columns have few distinct
    values, rows are equal by chance, and each row is an observation. Equal rows count as copies if
    one decimal column distinguishes most distinct rows, and two of three signs are present: a
    decimal column has many values, all rows occur equally often, the text columns do not
    distinguish rows.
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
