"""Columns of few values that are thresholds, levels or intervals of other columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._law import Law, Values, comparison
from gramian.lookups._steps import short_between

ROUND = 5
"""Thresholds of ranks are multiples of this."""
ROWS_OF_UNIT = 10
"""Units of panels have fewer rows."""


def steps(values: Values, columns: Sequence[int], sources: Sequence[int]) -> Iterator[Law]:
    """Yield laws y = [x ≤ c], [x > c], [x = c] or [a < x ≤ b], and sums of steps for more levels.

    Parameters
    ----------
    values : Values
        Rows.
    columns : sequence of int
        The columns y.
    sources : sequence of int
        The columns x.
    """
    sources = [i for i in sources if not _difference(values.x[:, i])]
    for k in columns:
        n_levels = values.traits[k].n_levels
        if n_levels is None:
            continue
        y = values.x[:, k]
        if y.min() == y.max():
            continue
        for i in sources:
            own = values.traits[i].n_levels
            if i == k or (own is not None and own <= n_levels):
                continue
            if n_levels == 2:
                parts = _indicator(values.x[:, i], y)
            else:
                parts = _staircase(values.x[:, i], y)
            if parts is not None and not _by_number(values.x[:, i], parts):
                yield _law(parts, k, i, values.scale[k])


def _difference(x: Array) -> bool:
    """Return whether a column is −1, 0 and 1: a difference of two flags, which are no levels."""
    return bool(np.isin(x, (-1.0, 0.0, 1.0)).all())


def _by_number(x: Array, parts: Parts) -> bool:
    """Return whether steps are those of a row number, in a table that was sorted by what they give.

    So are intervals of the number of a unit that has a few rows, one after the other: units with a
    property may have numbers in a row. Ranks number rows, too, but their steps are round numbers.
    """
    changes = np.diff(np.unique(x))
    if not ((changes >= 1).all() and np.median(changes) == 1):
        return False
    found = [comparison(atom) for _, atoms in parts for atom in atoms]
    n_values = len(changes) + 1
    if n_values < len(x):
        together = bool((np.diff(x) >= 0).all())
        if not together or len(x) >= ROWS_OF_UNIT * n_values:
            return False
        found = [each for each in found if each is not None and each[0] in ("le", "gt")]
    return any(each is not None and each[1] % ROUND for each in found)


Parts = list[tuple[float, tuple[str, ...]]]
"""Heights, and the comparisons that are multiplied; none for the constant."""


def _law(parts: Parts, k: int, i: int, scale: float) -> Law:
    monomials = [tuple(sorted(((i, atom), 1) for atom in atoms)) for _, atoms in parts]
    heights = [height / scale for height, _ in parts]
    return Law(np.array([-1.0, *heights]), ((((k, "x"), 1),), *monomials))


def _indicator(x: Array, y: Array) -> Parts | None:
    """Return a column of two values as a comparison of another one, if it is one."""
    low, high = float(y.min()), float(y.max())
    atoms = _comparison(x, y == high)
    if atoms is None:
        return None
    return [(high - low, atoms), *([(low, ())] if low else [])]


def _comparison(x: Array, on: NDArray[np.bool_]) -> tuple[str, ...] | None:
    """Return the comparisons of a column that are true in just these rows, if there are any."""
    inside, outside = x[on], x[~on]
    if inside.min() == inside.max() and not (outside == inside[0]).any():
        return (f"eq {float(inside[0])!r}",)
    if outside.min() == outside.max() and not (inside == outside[0]).any():
        return (f"ne {float(outside[0])!r}",)
    if inside.max() < outside.min():
        return (f"le {_between(inside.max(), outside.min())!r}",)
    if outside.max() < inside.min():
        return (f"gt {_between(outside.max(), inside.min())!r}",)
    below, above = outside[outside < inside.min()], outside[outside > inside.max()]
    if len(below) and len(above) and len(below) + len(above) == len(outside):
        start, end = _between(below.max(), inside.min()), _between(inside.max(), above.min())
        return (f"gt {start!r}", f"le {end!r}")
    return None


def _staircase(x: Array, y: Array) -> Parts | None:
    """Return a column of few values as a sum of steps of another one, if each is an interval."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    jumps = np.flatnonzero(np.diff(y))
    if len(jumps) != len(np.unique(y)) - 1 or (x[jumps] == x[jumps + 1]).any():
        return None
    found: Parts = [
        (float(y[at + 1] - y[at]), (f"gt {_between(x[at], x[at + 1])!r}",)) for at in jumps
    ]
    return [*found, *([(float(y[0]), ())] if y[0] else [])]


def _between(low: float, high: float) -> float:
    """Return a threshold: the roundest number, of whole numbers the lowest of these."""
    low, high = float(low), float(high)
    if low.is_integer() and high.is_integer():
        units = (factor * 10.0**exponent for exponent in range(14, -1, -1) for factor in (5, 1))
        for unit in units:
            short = math.ceil(low / unit) * unit
            if low <= short < high:
                return short
    return short_between(low, high)
