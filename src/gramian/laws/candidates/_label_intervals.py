"""Label intervals: finds the thresholds if each text stands for an interval of a number.

For example, age classes are intervals of ages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.candidates._thresholds import are_clusters, roundest
from gramian.laws.columns import interval
from gramian.laws.judge import Count, are_anywhere, once_in_groups

MOST_INTERVALS = 50
"""Labels with more levels than this are not tested as intervals of a number."""
ROWS_PER_INTERVAL = 5
"""Labels are tested as intervals only if they have at least this many rows per level on average."""


class Intervals(NamedTuple):
    """Intervals of a number that are the values of a label."""

    ends: tuple[float, ...]
    """The thresholds between the intervals."""
    from_below: bool
    """True if a threshold belongs to the interval above it."""
    counted: Count
    """The rows that agree with the intervals."""


def intervals(
    x: Array, effect: IntArray, allowed: float, groups: IntArray | None = None
) -> Intervals | None:
    """Return intervals of a number that are the values of a label; None if there are none.

    For example, ages are divided into age classes: each value of the label is one interval of the
    number. The threshold between two neighbouring intervals has as few rows as possible on the
    wrong side; rows on the wrong side are wrong cells, which are not all near a threshold.

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
    gaps = []
    for low, high in pairwise(ordered):
        below, above = np.sort(x[effect == low]), np.sort(x[effect == high])
        if below[-1] >= above[0] and not allowed:
            return None
        gaps.append(_gap(below, above))
    ends, from_below = _round_ends(gaps)
    if sorted(ends) != [*ends] or len(set(ends)) < len(ends) or are_clusters(x, ends):
        return None
    number = interval(x, ends, from_below).astype(np.intp)
    wrong = ordered[number] != effect
    if wrong.sum() > allowed * len(x) or not _are_wrong_cells(x, ends, wrong):
        return None
    number, effect = once_in_groups(number, effect, groups)
    broken = int((ordered[number] != effect).sum())
    most = int(np.bincount(effect).max())
    count = Count(len(effect), 2 * len(levels), broken, most / len(effect))
    return Intervals(ends, from_below, count)


def _gap(below: Array, above: Array) -> tuple[float, float]:
    """Return the neighbouring values between which a threshold best separates two sorted arrays.

    Then the fewest values of `below` are above the threshold, and of `above` below it.
    """
    values = np.unique(np.concatenate([below, above]))
    wrong = (len(below) - np.searchsorted(below, values, side="right")) + np.searchsorted(
        above, values, side="right"
    )
    at = int(np.argmin(wrong))
    return float(values[at]), float(values[min(at + 1, len(values) - 1)])


def _round_ends(gaps: Sequence[tuple[float, float]]) -> tuple[tuple[float, ...], bool]:
    """Return a round number in each gap, and True if these belong to the intervals above them."""
    ends = tuple(roundest(low, high) for low, high in gaps)
    at_high = [end == high for end, (_, high) in zip(ends, gaps, strict=True)]
    from_below = sum(at_high) > len(gaps) / 2
    pairs = zip(ends, gaps, strict=True)
    if from_below:
        return tuple(high if end == low else end for end, (low, high) in pairs), True
    return tuple(low if end == high else end for end, (low, high) in pairs), False


def _are_wrong_cells(x: Array, ends: Sequence[float], wrong: NDArray[np.bool_]) -> bool:
    """Return True if rows in a wrong interval may be anywhere, and not only near a threshold."""
    distances = np.min([np.abs(x - end) for end in ends], axis=0)
    places = np.argsort(np.argsort(distances, kind="stable"), kind="stable") / len(x)
    return are_anywhere(places[wrong])
