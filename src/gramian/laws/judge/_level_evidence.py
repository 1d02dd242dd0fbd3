"""Evidence of lookups: how improbable it is that levels determine a column by chance.

A level is a distinct value of the columns that may determine the column. The first row of each
level defines the lookup and is no evidence. All other rows are *repeated* rows. By chance, a
repeated row agrees with the lookup with a probability that is the share of the column's most
frequent value. If the user gave groups of rows, rows of one group that are equal in the columns of
the lookup are one row: a level that occurs in a single group is no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc

from gramian._support.types import IntArray

MIN_REPEATED = 10
"""With fewer repeated rows (rows that are not the first of their level), evidence is zero."""


STRANGE = 0.5
"""Share of the rows that break a lookup with a strange value, from which on cells are wrong."""
RARE = 0.25
"""A wrong value has at most this share of the rows that the right value of its level has."""
MOST_WRONG = 0.2
"""Largest share of rows with a wrong cell, of the rows that a guess would miss."""


@dataclass(frozen=True)
class Count:
    """The number of rows that agree with a lookup, and the number of rows that break it."""

    n_rows: int
    """Number of rows without missing values."""
    n_levels: int
    """Number of rows that define the lookup and are no evidence, usually one for each level."""
    broken: int
    """Number of rows that do not have the most frequent value of their level."""
    most_frequent: float
    """Share of the rows that have the most frequent value of the whole column."""
    strange: int = 0
    """Number of rows that break the lookup with a rare value that no level has."""

    @classmethod
    def of(cls, sizes: Collection[int], n_levels: int, broken: int, strange: int = 0) -> Count:
        """Return the count of a lookup.

        Parameters
        ----------
        sizes : collection of int
            The number of rows of each value of the column.
        n_levels : int
            The number of distinct values that the lookup lists.
        broken : int
            The number of rows that break the lookup.
        strange : int
            The number of rows that break the lookup with a value that no level has.
        """
        n_rows = sum(sizes)
        return cls(n_rows, n_levels, broken, max(sizes, default=1) / max(n_rows, 1), strange)

    @property
    def repeated(self) -> int:
        """Number of rows whose level (the value that is looked up) occurs in an earlier row."""
        return self.n_rows - self.n_levels

    @property
    def error(self) -> float:
        """The number of rows that break the lookup, divided by the number of all rows."""
        return self.broken / max(self.n_rows, 1)

    @property
    def validation_error(self) -> float:
        """The number of rows that break the lookup, divided by the number of repeated rows.

        Repeated rows are rows that are not the first of their level (distinct value).
        """
        return self.broken / max(self.repeated, 1)

    @property
    def guess_error(self) -> float:
        """Share of rows that are wrong if the most frequent value of the column is guessed."""
        return 1 - self.most_frequent

    def holds(self, tolerance: float, most_wrong: float = 0.0) -> bool:
        """Return True if few rows break the law, compared with guessing the most frequent value.

        The limit is `tolerance` times the number of repeated rows that the guess would miss.
        Repeated rows are those whose level (distinct value) occurs in an earlier row. Instead of
        `tolerance` it is `most_wrong`, if this is larger, and if most rows that break the law have
        values that are no level's: wrong cells have, and rows of a mere tendency do not.
        """
        if STRANGE * self.broken <= self.strange:
            tolerance = max(tolerance, most_wrong)
        return self.broken <= tolerance * self.repeated * self.guess_error

    def evidence(self, n_tried: float) -> float:
        """Return the evidence for the lookup, in powers of ten.

        For example, 6 means that as many rows would agree by chance only once in a million times.
        The result is 0 if there are fewer than `MIN_REPEATED` repeated rows, or if the column has
        only one value.

        Parameters
        ----------
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        """
        if self.repeated < MIN_REPEATED or self.most_frequent >= 1:
            return 0.0
        agreeing = self.repeated - self.broken
        # The chance that at least so many of the repeated rows agree, each with the share of the
        # most frequent value: a sum of binomial probabilities.
        chance = float(betainc(agreeing, self.broken + 1, self.most_frequent)) if agreeing else 1.0
        # A chance may be smaller than the smallest float64.
        log_chance = math.log(chance) if chance else self.repeated * math.log(self.most_frequent)
        return -log_chance / math.log(10) - math.log10(max(n_tried, 1.0))


def is_rare(size: Any, most: Any) -> Any:
    """Return True if a value is so rare in its level that it may be a wrong cell.

    Parameters
    ----------
    size, most : int or array of int
        The number of rows of the level that have the value, and that have its most frequent value.
    """
    return size <= np.maximum(RARE * np.asarray(most), 1)


def once_in_groups(
    cause: IntArray, effect: IntArray, groups: IntArray | None
) -> tuple[IntArray, IntArray]:
    """Return the codes of causes and effects, with rows of a group that have equal codes only once.

    Parameters
    ----------
    cause, effect : arrays of shape (n_rows,)
        The codes of the cause's levels and of the effect's values.
    groups : array of shape (n_rows,) or None
        The number of the group of each row; None if the user gave no groups.
    """
    if groups is None:
        return cause, effect
    rows = np.unique(np.column_stack([groups, cause, effect]), axis=0)
    return rows[:, 1], rows[:, 2]


def count(cause: IntArray, effect: IntArray, groups: IntArray | None = None) -> Count:
    """Count the rows that a lookup by the most frequent value gives correctly.

    For each level (distinct value) of the cause, the lookup has the most frequent value of the
    effect.

    Parameters
    ----------
    cause, effect : arrays of shape (n_rows,)
        The codes of the cause's levels and of the effect's values; negative codes are missing.
    groups : array of shape (n_rows,), optional
        The number of the group of each row; equal rows of a group count once.
    """
    cause, effect = once_in_groups(cause, effect, groups)
    there = (cause >= 0) & (effect >= 0)
    cause, effect = cause[there], effect[there]
    if not len(cause):
        return Count(0, 0, 0, 1.0)
    width = int(effect.max()) + 1
    pairs, sizes = np.unique(cause * width + effect, return_counts=True)
    owner = pairs // width
    starts = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    largest = np.maximum.reduceat(sizes, starts)
    kept = int(largest.sum())
    most = int(np.bincount(effect).max())
    given = np.zeros(width, dtype=bool)
    most_of_level = np.repeat(largest, np.diff([*starts, len(pairs)]))
    given[pairs[sizes == most_of_level] % width] = True
    strange = int(sizes[~given[pairs % width] & is_rare(sizes, most_of_level)].sum())
    return Count(len(cause), len(starts), len(cause) - kept, most / len(cause), strange)


def combined(first: IntArray, second: IntArray) -> IntArray:
    """Return one code for each combination of values of two columns; -1 if a value is missing.

    `first` and `second` are the codes of the values, one for each row.
    """
    both = np.where((first >= 0) & (second >= 0), first * (int(second.max()) + 1) + second, -1)
    levels, codes = np.unique(both, return_inverse=True)
    shifted: IntArray = codes - int(levels[0] < 0)
    return shifted


def mismatches(cause: IntArray, effects: IntArray) -> IntArray:
    """Count for each effect the neighbouring rows of one level that have different values.

    Rows are first sorted by level (distinct value of the cause). The number is 0 if levels
    determine the effect, and at most twice the number of rows that break the lookup.

    Parameters
    ----------
    cause : array of shape (n_rows,)
        The codes of the cause's levels; negative codes are missing.
    effects : array of shape (n_rows, n_effects)
        The codes of the values of each effect; negative codes are missing.
    """
    order = np.argsort(cause, kind="stable")
    order = order[cause[order] >= 0]
    cause, effects = cause[order], effects[order]
    same = cause[1:] == cause[:-1]
    later, earlier = effects[1:][same], effects[:-1][same]
    found: IntArray = ((later != earlier) & (later >= 0) & (earlier >= 0)).sum(axis=0)
    return found
