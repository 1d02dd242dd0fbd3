"""Thresholds between two groups of values: the roundest number that separates them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaincc

from gramian._support.types import Array

UNITS = ((1, 0), (5, -1), (2, -1))
"""Units as factors and powers of ten: a multiple of an earlier unit is a rounder number."""
NEIGHBOURS = 6
"""Number of gaps on each side of a threshold with which the gap at the threshold is compared."""
CLUSTERS = 1e-6
"""Chance of gaps as wide as those at the thresholds, below which the values are clusters."""
LEAST_EXPONENT = -300
"""Differences smaller than this power of ten are not rounded."""


def comparison_between(low: float, high: float, above: bool) -> str:
    """Return the comparison, such as "gt 30.0", with the roundest threshold between two values.

    It is "gt" or "ge" if the upper values are wanted, "le" or "lt" if the lower are. A threshold
    that is the upper value itself needs "ge" or "lt".

    Parameters
    ----------
    low, high : float
        The neighbouring values on both sides of the threshold; low < high.
    above : bool
        True if the comparison is to be true for `high`, False if for `low`.
    """
    at = roundest(low, high)
    if above:
        return f"{'gt' if at < high else 'ge'} {at!r}"
    return f"{'le' if at < high else 'lt'} {at!r}"


def roundest(low: float, high: float) -> float:
    """Return the roundest number from `low` to `high`: 0, or a multiple of the largest unit.

    Of several such multiples it is that nearest to the middle.

    Parameters
    ----------
    low, high : float
        The ends, both included.
    """
    low, high = float(low), float(high)
    if low <= 0 <= high:
        return 0.0
    middle = low / 2 + high / 2
    largest = math.ceil(math.log10(max(abs(low), abs(high))))
    for exponent in range(largest, max(largest - 17, LEAST_EXPONENT), -1):
        for size, lower in UNITS:
            power = exponent + lower
            near = round(middle / (size * 10.0**power))
            # A text makes 0.3 of "3e-1", the number that a table has.
            multiples = (float(f"{k * size}e{power}") for k in (near, near - 1, near + 1))
            found = next((each for each in multiples if low <= each <= high), None)
            if found is not None:
                return found
    return low


def are_clusters(x: Array, thresholds: Sequence[float]) -> bool:
    """Return True if the gaps at thresholds are far wider than other gaps between values.

    Then the values are clusters: groups that differ in x, as trees of different ages differ in
    height. Who divides a number into classes has values near the thresholds.

    Parameters
    ----------
    x : array
        The values that are compared with the thresholds.
    thresholds : sequence of float
        The thresholds between neighbouring groups.
    """
    values = np.unique(x)
    if len(values) < 2:
        return False
    gaps = np.diff(values)
    places = np.clip(np.searchsorted(values, thresholds, side="right") - 1, 0, len(gaps) - 1)
    others = np.ones(len(gaps), dtype=bool)
    others[places] = False
    surprise, n_compared = 0.0, 0
    for place in places.tolist():
        near = slice(max(place - NEIGHBOURS, 0), place + NEIGHBOURS + 1)
        beside = gaps[near][others[near]]
        if len(beside) >= 2:
            # A gap between random values is exponential; its mean is that of m other gaps.
            surprise += len(beside) * math.log1p(gaps[place] / beside.sum())
            n_compared += 1
    return n_compared > 0 and float(gammaincc(n_compared, surprise)) < CLUSTERS
