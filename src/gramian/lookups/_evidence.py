"""How well levels determine a column, and how improbable that is by chance.

The first row of each level says nothing: it fills the lookup. All others are *repeated* rows. By
chance, each agrees with its level no more often than the most frequent value occurs.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from gramian._support.types import IntArray

DECADES = 6.0
"""What is more probable by chance than one in a million is not believed."""
MIN_REPEATED = 10
"""Fewer repeated rows tell nothing."""


@dataclass(frozen=True)
class Count:
    """In how many rows a column is what the levels of others say."""

    n_rows: int
    """Rows in which nothing is missing."""
    n_levels: int
    broken: int
    """Rows that have another value than most rows of their level."""
    most_frequent: float
    """The share of the column's most frequent value."""

    @classmethod
    def of(cls, sizes: Collection[int], n_levels: int, broken: int) -> Count:
        """Count rows, given how many have each value of the column."""
        n_rows = sum(sizes)
        return cls(n_rows, n_levels, broken, max(sizes, default=1) / max(n_rows, 1))

    @property
    def repeated(self) -> int:
        """Rows that are not the first of their level."""
        return self.n_rows - self.n_levels

    @property
    def error(self) -> float:
        """The share of rows that break the law."""
        return self.broken / max(self.n_rows, 1)

    @property
    def validation_error(self) -> float:
        """The share of repeated rows that break it."""
        return self.broken / max(self.repeated, 1)

    @property
    def guess_error(self) -> float:
        """The share of rows that miss the most frequent value."""
        return 1 - self.most_frequent

    def holds(self, tolerance: float) -> bool:
        """Return whether few enough rows break the law, of those that a guess would miss."""
        return self.broken <= tolerance * self.repeated * self.guess_error

    def evidence(self, n_tried: float) -> float:
        """Return how improbable this agreement is by chance, in powers of ten."""
        if self.repeated < MIN_REPEATED or self.most_frequent >= 1:
            return 0.0
        agreeing = self.repeated - self.broken
        log_chance = float(binom.logsf(agreeing - 1, self.repeated, self.most_frequent))
        if math.isinf(log_chance):  # beyond the range of the formula
            log_chance = self.repeated * math.log(self.most_frequent)
        return -log_chance / math.log(10) - math.log10(max(n_tried, 1.0))


def count(cause: IntArray, effect: IntArray) -> Count:
    """Compare codes of causes with codes of an effect; codes below zero are missing values.

    Parameters
    ----------
    cause, effect : arrays of shape (n_rows,)
        The codes.
    """
    there = (cause >= 0) & (effect >= 0)
    cause, effect = cause[there], effect[there]
    if not len(cause):
        return Count(0, 0, 0, 1.0)
    width = int(effect.max()) + 1
    pairs, sizes = np.unique(cause * width + effect, return_counts=True)
    owner = pairs // width
    starts = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    kept = int(np.maximum.reduceat(sizes, starts).sum())
    most = int(np.bincount(effect).max())
    return Count(len(cause), len(starts), len(cause) - kept, most / len(cause))


def combined(first: IntArray, second: IntArray) -> IntArray:
    """Return codes of the combinations of two columns' levels."""
    both = np.where((first >= 0) & (second >= 0), first * (int(second.max()) + 1) + second, -1)
    levels, codes = np.unique(both, return_inverse=True)
    shifted: IntArray = codes - int(levels[0] < 0)
    return shifted


def mismatches(cause: IntArray, effects: IntArray) -> IntArray:
    """Return how often neighbours differ among rows of the same level, for each effect.

    None where levels determine an effect, and at most twice the rows that break the law.

    Parameters
    ----------
    cause : array of shape (n_rows,)
        The codes of the cause.
    effects : array of shape (n_rows, n_effects)
        Those of the effects.
    """
    order = np.argsort(cause, kind="stable")
    order = order[cause[order] >= 0]
    cause, effects = cause[order], effects[order]
    same = cause[1:] == cause[:-1]
    later, earlier = effects[1:][same], effects[:-1][same]
    found: IntArray = ((later != earlier) & (later >= 0) & (earlier >= 0)).sum(axis=0)
    return found
