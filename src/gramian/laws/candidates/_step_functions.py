"""Candidate laws: columns of few values that are step functions of another column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.candidates._thresholds import are_clusters, comparison_between
from gramian.laws.forms import Law, Values, comparison
from gramian.laws.judge import LEAST_SHARE

ROUND_THRESHOLD = 5
"""Steps of a column that numbers the rows are laws only if thresholds are multiples of this."""
THRESHOLD_DIGITS = 3
"""Largest number of digits of a threshold that separates two values with exceptions."""
MOST_STEPS = 8
"""Largest number of steps of a law: more of them are a list of values."""
TOP_NUMBERS = ("1", "2", "3", "5", "25")
"""Digits, before zeros, of numbers of first rows of a ranking."""
TOP_SHARE = 0.25
"""Largest share of the rows that are the first ones of a ranking."""
FEWEST_VALUES = 12
"""Several thresholds, and those with exceptions, need more distinct values of x than this."""
ROWS_OF_UNIT = 10
"""A number of an individual (a patient, a shop) occurs, on average, in fewer rows than this."""


def whole_number_steps(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a step function of a column of whole numbers."""
    return _steps_of(context, [i for i in context.columns if context.traits[i].whole])


def other_steps(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a step function of a column with decimals.

    Steps of columns that no accepted law computes come first.
    """
    free = set(context.free)
    others = [i for i in context.columns if not context.traits[i].whole]
    yield from _steps_of(context, [i for i in others if i in free])
    yield from _steps_of(context, [i for i in others if i not in free])


def steps_with_exceptions(context: SearchContext) -> Iterator[Candidate]:
    """Yield thresholds of a column x that separate the two values of another column y in most rows.

    Wrong cells may give y more values; two values must still be in most rows.
    """
    values = context.train
    sources = [
        i
        for i in context.distinct
        if len(np.unique(values.x[:, i])) > FEWEST_VALUES
        and not context.traits[i].counts_up
        and not context.traits[i].row_number
    ]
    for k in context.distinct:
        y = values.x[:, k]
        levels, counts = np.unique(y, return_counts=True)
        if len(levels) < 2:
            continue
        low, high = sorted(levels[np.argsort(-counts, kind="stable")[:2]].tolist())
        if np.isin(y, (low, high)).mean() < LEAST_SHARE or np.sort(counts)[-2:].min() < 2:
            continue
        for i in sources:
            if i == k:
                continue
            atom = _threshold(values.x[:, i], y == high)
            step = comparison(atom)
            if step is not None and float(f"{step[1]:.{THRESHOLD_DIGITS}g}") != step[1]:
                continue  # a person compares with round numbers
            parts: Parts = [(high - low, (atom,)), *([(low, ())] if low else [])]
            if not _by_number(values.x[:, i], parts):
                n_tried = float(len(context.distinct) * len(sources) * values.n_rows)
                yield Candidate(_law(parts, k, i, values.scale[k]), n_tried)


def _threshold(x: Array, on: NDArray[np.bool_]) -> str:
    """Return the comparison of x with a threshold that agrees with the rows `on` most often."""
    order = np.argsort(x, kind="stable")
    x, on = x[order], on[order]
    # Number of rows that agree with "gt", if the rows up to a place are below the threshold.
    above = np.cumsum(~on) + on.sum() - np.cumsum(on)
    between = np.append(x[1:] > x[:-1], False)
    best = {
        "gt": int(np.argmax(np.where(between, above, -1))),
        "le": int(np.argmax(np.where(between, len(x) - above, -1))),
    }
    kind = "gt" if above[best["gt"]] >= len(x) - above[best["le"]] else "le"
    at = min(best[kind], len(x) - 2)
    return comparison_between(x[at], x[at + 1], kind == "gt")


def step_law(values: Values, column: int, source: int) -> Law | None:
    """Return the law that a column is a step function of another; None if rows contradict it.

    Parameters
    ----------
    values : Values
        The rows.
    column, source : int
        The column of few values, and the column that is compared with thresholds.
    """
    return next((law for law, _ in _steps(values, [column], [source])), None)


def _steps_of(context: SearchContext, sources: Sequence[int]) -> Iterator[Candidate]:
    flags = [i for i in context.columns if context.traits[i].n_levels is not None]
    for law, source in _steps(context.every, flags, sources):
        n_values = len(np.unique(context.every.x[:, source]))
        yield Candidate(law, float(len(flags) * len(context.columns) * n_values))


def _steps(
    values: Values, columns: Sequence[int], sources: Sequence[int]
) -> Iterator[tuple[Law, int]]:
    """Yield (law, index of x) for each column y that is a step function of a column x.

    A step function is [x ≤ c], [x > c], [x = c], [x ≠ c] or [x > a] · [x ≤ b] times a height, or a
    sum of steps; the bracket is 1 if the comparison is true, else 0.

    Parameters
    ----------
    values : Values
        The rows in which laws must hold exactly.
    columns : sequence of int
        Indices of the columns y.
    sources : sequence of int
        Indices of the columns x.
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
            if parts is None or _is_no_step(values.x[:, i], parts):
                continue
            if not values.traits[i].row_number or _is_top(values.x[:, i], parts):
                yield _law(parts, k, i, values.scale[k]), i


def _difference(x: Array) -> bool:
    """Return True if all values are −1, 0 or 1: steps of a difference of two flags are no laws."""
    return bool(np.isin(x, (-1.0, 0.0, 1.0)).all())


def _is_no_step(x: Array, parts: Parts) -> bool:
    """Return True if steps are better told by a lookup, clusters, or the order of the rows.

    `parts` are the steps of x.
    """
    found = [comparison(atom) for _, atoms in parts for atom in atoms]
    ends = [each[1] for each in found if each is not None and each[0] not in ("eq", "ne")]
    if len(ends) > 1 and len(np.unique(x)) <= FEWEST_VALUES:
        return True
    return are_clusters(x, ends) or _by_number(x, parts)


def _by_number(x: Array, parts: Parts) -> bool:
    """Return True if x only numbers the rows of a sorted table, so that its steps are no law.

    `parts` are the steps of x. In a sorted table, the sorted column is always a step function of
    the row number. Numbers of individuals (patients, shops) with a few consecutive rows each are
    treated like row numbers: individuals with a common property may have consecutive numbers. A
    column of ranks also numbers rows, but steps of ranks have round thresholds.
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
        found = [each for each in found if each is not None and each[0] not in ("eq", "ne")]
    # Below "x < 426" is the row 425.
    last = [each[1] - (each[0] in ("lt", "ge")) for each in found if each is not None]
    return any(each % ROUND_THRESHOLD for each in last)


def _is_top(x: Array, parts: Parts) -> bool:
    """Return True if steps of a row number are the first 10, 25 or 100 rows of a ranking."""
    found = [comparison(atom) for _, atoms in parts for atom in atoms]
    if len(found) != 1 or found[0] is None or found[0][0] != "le":
        return False
    top = found[0][1]
    digits = f"{top:.0f}".rstrip("0")
    return digits in TOP_NUMBERS and top <= TOP_SHARE * len(x)


Parts = list[tuple[float, tuple[str, ...]]]
"""A step function as a sum: (height, comparisons) pairs, the height times all comparisons.

The constant has no comparisons.
"""


def _law(parts: Parts, k: int, i: int, scale: float) -> Law:
    monomials = [tuple(sorted(((i, atom), 1) for atom in atoms)) for _, atoms in parts]
    heights = [height / scale for height, _ in parts]
    return Law(np.array([-1.0, *heights]), ((((k, "x"), 1),), *monomials))


def _indicator(x: Array, y: Array) -> Parts | None:
    """Write a column y of two values as a comparison of the column x; None if impossible."""
    low, high = float(y.min()), float(y.max())
    atoms = _comparison(x, y == high)
    if atoms is None:
        return None
    return [(high - low, atoms), *([(low, ())] if low else [])]


def _comparison(x: Array, on: NDArray[np.bool_]) -> tuple[str, ...] | None:
    """Return comparisons of x that are all true exactly in the rows `on`; None if impossible."""
    inside, outside = x[on], x[~on]
    if inside.min() == inside.max() and not (outside == inside[0]).any():
        return (f"eq {float(inside[0])!r}",)
    if outside.min() == outside.max() and not (inside == outside[0]).any():
        return (f"ne {float(outside[0])!r}",)
    if inside.max() < outside.min():
        return (comparison_between(inside.max(), outside.min(), above=False),)
    if outside.max() < inside.min():
        return (comparison_between(outside.max(), inside.min(), above=True),)
    below, above = outside[outside < inside.min()], outside[outside > inside.max()]
    if len(below) and len(above) and len(below) + len(above) == len(outside):
        start = comparison_between(below.max(), inside.min(), above=True)
        return (start, comparison_between(inside.max(), above.min(), above=False))
    return None


def _staircase(x: Array, y: Array) -> Parts | None:
    """Write y as a sum of steps of x; None if a value of y does not belong to one interval of x."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    jumps = np.flatnonzero(np.diff(y))
    if len(jumps) != len(np.unique(y)) - 1 or (x[jumps] == x[jumps + 1]).any():
        return None
    heights = np.diff(y)[jumps]
    if len(jumps) > MOST_STEPS or heights.min() < 0 < heights.max():
        return None
    found: Parts = [
        (float(y[at + 1] - y[at]), (comparison_between(x[at], x[at + 1], above=True),))
        for at in jumps
    ]
    return [*found, *([(float(y[0]), ())] if y[0] else [])]
