"""Label intervals: labels that are intervals of a number, and their thresholds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.columns import interval
from gramian.laws.judge import Count

MOST_INTERVALS = 50
"""Largest number of intervals."""
ROWS_PER_INTERVAL = 5
"""Least average number of rows of an interval."""


def intervals(x: Array, effect: IntArray, allowed: float) -> tuple[tuple[float, ...], Count] | None:
    """Return the ends of intervals of a number that are the levels of an effect, or None.

    Each level is one interval. Between two intervals, the threshold has the fewest rows on the
    wrong side.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The number.
    effect : array of shape (n_rows,)
        The codes of the effect, below zero where it is missing.
    allowed : float
        The largest share of rows that may be in a wrong interval.
    """
    there = (effect >= 0) & ~np.isnan(x)
    x, effect = x[there], effect[there]
    levels = np.unique(effect)
    if not 2 <= len(levels) <= min(MOST_INTERVALS, len(x) / ROWS_PER_INTERVAL):
        return None
    if len(np.unique(x)) <= len(levels):
        return None  # each value is a level
    middles = [float(np.median(x[effect == level])) for level in levels]
    if len(set(middles)) < len(middles):
        return None
    ordered = levels[np.argsort(middles)]
    ends = []
    for low, high in pairwise(ordered):
        below, above = np.sort(x[effect == low]), np.sort(x[effect == high])
        if below[-1] >= above[0] and not allowed:
            return None
        ends.append(_threshold(below, above))
    if sorted(ends) != ends or len(set(ends)) < len(ends):
        return None
    number = interval(x, tuple(ends)).astype(np.intp)
    broken = int((ordered[number] != effect).sum())
    if broken > allowed * len(x):
        return None
    most = int(np.bincount(effect).max())
    return tuple(ends), Count(len(x), 2 * len(levels), broken, most / len(x))


def _threshold(below: Array, above: Array) -> float:
    """Return the threshold with the fewest values on the wrong side, a short number if possible."""
    values = np.unique(np.concatenate([below, above]))
    wrong = (len(below) - np.searchsorted(below, values, side="right")) + np.searchsorted(
        above, values, side="right"
    )
    at = int(np.argmin(wrong))
    low = float(values[at])
    high = float(values[at + 1]) if at + 1 < len(values) else low
    return between(low, high)


def between(low: float, high: float) -> float:
    """Return a threshold between two values: the lower whole number, or a short decimal."""
    return low if low.is_integer() and high.is_integer() else short_between(low, high)


def short_between(low: float, high: float) -> float:
    """Return the number of fewest digits near the middle of two values, at least the lower."""
    for digits in range(16):
        short = float(f"{(low + high) / 2:.{digits}e}")
        if low <= short < high:
            return short
    return low
