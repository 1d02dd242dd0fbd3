"""Label intervals: finds the thresholds if each text stands for an interval of a number.

For example, age classes are intervals of ages.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.columns import interval
from gramian.laws.judge import Count, once_in_groups

MOST_INTERVALS = 50
"""Labels with more levels than this are not tested as intervals of a number."""
ROWS_PER_INTERVAL = 5
"""Labels are tested as intervals only if they have at least this many rows per level on average."""


def intervals(
    x: Array, effect: IntArray, allowed: float, groups: IntArray | None = None
) -> tuple[tuple[float, ...], Count] | None:
    """Return thresholds that divide a number into the values of a label; None if impossible.

    For example, ages are divided into age classes: each value of the label is one interval of the
    number. The threshold between two neighbouring intervals has as few rows as possible on the
    wrong side. The second result counts the rows that agree with the intervals.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column of numbers; NaN is missing.
    effect : array of shape (n_rows,)
        The codes of the label; negative codes are missing.
    allowed : float
        The largest share of rows that may be in a wrong interval.
    groups : array of shape (n_rows,), optional
        The number of the group of each row. Rows of a group that have the same label and interval
        are counted once.
    """
    there = (effect >= 0) & ~np.isnan(x)
    x, effect, groups = x[there], effect[there], None if groups is None else groups[there]
    levels = np.unique(effect)
    if not 2 <= len(levels) <= min(MOST_INTERVALS, len(x) / ROWS_PER_INTERVAL):
        return None
    if len(np.unique(x)) <= len(levels):
        return None  # intervals would contain single values: a lookup by values finds this law
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
    number, effect = once_in_groups(number, effect, groups)
    broken = int((ordered[number] != effect).sum())
    most = int(np.bincount(effect).max())
    return tuple(ends), Count(len(effect), 2 * len(levels), broken, most / len(effect))


def _threshold(below: Array, above: Array) -> float:
    """Return the threshold that best separates two sorted arrays, a short number if possible.

    The best threshold has the fewest values of `below` above it, and of `above` below it.
    """
    values = np.unique(np.concatenate([below, above]))
    wrong = (len(below) - np.searchsorted(below, values, side="right")) + np.searchsorted(
        above, values, side="right"
    )
    at = int(np.argmin(wrong))
    low = float(values[at])
    high = float(values[at + 1]) if at + 1 < len(values) else low
    return between(low, high)


def between(low: float, high: float) -> float:
    """Return a threshold between two values: `low` if both are whole, else a short decimal."""
    return low if low.is_integer() and high.is_integer() else short_between(low, high)


def short_between(low: float, high: float) -> float:
    """Round the middle of two values to as few digits as possible; low ≤ result < high.

    The result is `low` if no such number exists.
    """
    for digits in range(16):
        short = float(f"{(low + high) / 2:.{digits}e}")
        if low <= short < high:
            return short
    return low
