"""Ranges of levels: the numbers that a lookup takes for a level, as the ends of an interval."""

from __future__ import annotations

import math

from gramian.laws.columns import Cell, rounded

FIRST_WIDE = 1e10
"""From here on, a number of ten digits stands for several whole numbers, which are told apart."""


def level_range(level: Cell) -> tuple[float, float] | None:
    """Return the smallest and the largest number that a lookup takes for a level.

    A lookup compares numbers by their first ten digits, but whole numbers by all digits.

    Parameters
    ----------
    level : str or float
        The level, rounded to ten digits.

    Returns
    -------
    ends : tuple of (float, float) or None
        The ends of the interval; None if a number must be equal to the level.
    """
    if isinstance(level, str) or level == 0 or abs(level) >= FIRST_WIDE or not math.isfinite(level):
        return None
    half = 0.5 * 10.0 ** (math.floor(math.log10(abs(level))) - 9)
    return _end(level, -half), _end(level, half)


def _end(level: float, half: float) -> float:
    """Return the farthest number in one direction that is rounded to a level."""
    outside = level + 1.5 * half
    inside = level
    while True:
        middle = inside + (outside - inside) / 2
        if middle in (inside, outside):
            return inside
        if rounded(middle) == level:
            inside = middle
        else:
            outside = middle
