"""Candidate laws: a column is the larger or smaller of two columns, or of a column and a number.

The maximum of two columns is equal to one of them in each row. A fee with a least amount is equal
to this amount in many rows, and to a multiple of a column in the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gramian._support.time_limit import check_time
from gramian._support.types import Array
from gramian.laws._cover import Implication
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.columns import Printed, numbers_rows
from gramian.laws.forms import Extreme
from gramian.laws.judge import LEAST_SHARE, ExtremeTally

LEAST_PART = 0.05
"""Smallest share of the rows in which each of the two numbers is the extreme one."""
LEAST_WITH_CONSTANT = 0.82
"""Smallest share of the rows that obey a law with a constant, which is found more easily."""
LEAST_REPEATED = 0.02
"""Smallest share of the rows that have the constant of a maximum or minimum."""
FEWEST_LEVELS = 12
"""A column with fewer distinct values is no maximum of others."""
MOST_COLUMNS = 60
"""Extremes are searched in tables with at most this many numeric columns."""
FACTOR_DIGITS = range(1, 7)
"""Numbers of significant digits that are tried for a factor."""
ADDED_DIGITS = 8
"""Largest number of significant digits of an added constant."""
CLOSE = 1e-9
"""Relative error up to which a number is the constant of a maximum or minimum."""
MOST_ROUNDED = 2
"""Units of the last digit by which a multiple may exceed the largest value of a column."""
NEAR = 0.02
"""Distance in deviations up to which a law with unrounded numbers is near a row that obeys it."""
LOST_ROWS = 1e-3
"""Share of the rows that a factor with fewer digits may lose."""


@dataclass(frozen=True)
class ExtremeCandidate:
    """A candidate law: a column is the maximum or minimum of two numbers."""

    law: Extreme
    implication: Implication
    """The columns of the two numbers, and the column that follows from them."""

    @property
    def dependencies(self) -> list[Implication]:
        """A list of one implication: the column follows from the columns of the two numbers."""
        return [self.implication]

    def tally(self, context: LevelContext) -> ExtremeTally:
        """Return a counter that will test the law on all rows; no rows are counted yet."""
        return ExtremeTally(self.law, context.table.names)


def extremes(context: LevelContext) -> Iterator[ExtremeCandidate]:
    """Yield columns that are the maximum or minimum of two numbers in most of the searched rows."""
    table = context.table
    numbers = [
        i
        for i in table.numbers
        if i not in table.clocks and not numbers_rows(context.rows[:, i], table.names[i])
    ]
    rows = context.rows[~np.isnan(context.rows[:, numbers]).any(axis=1)]
    if len(rows) < FEWEST_LEVELS or len(numbers) > MOST_COLUMNS:
        return
    for target in numbers:
        check_time()
        y = rows[:, target]
        if len(np.unique(y)) < FEWEST_LEVELS:
            continue
        others = [i for i in numbers if i != target]
        for law in (*_of_two(rows, y, others), *_with_constant(rows, y, others)):
            named = tuple(
                (factor, None if i is None else table.names[i])
                for factor, i in (law.parts[::-1] if law.added else law.parts)
            )
            causes = frozenset(i for _, i in law.parts if i is not None)
            made = Extreme(
                table.names[target], law.largest, named, Printed.of(y).rounding, law.added
            )
            yield ExtremeCandidate(made, (causes, target))


@dataclass(frozen=True)
class _Found:
    """The maximum or minimum of two numbers: factors, with a column index or None each."""

    largest: bool
    parts: tuple[tuple[float, int | None], ...]
    added: float = 0.0
    """A constant that is added to both numbers."""


def _of_two(rows: Array, y: Array, others: Sequence[int]) -> Iterator[_Found]:
    """Yield the two columns whose maximum or minimum is y in most rows."""
    equal = {i: rows[:, i] == y for i in others}
    usual = [i for i in others if LEAST_PART <= equal[i].mean() <= 1 - LEAST_PART]
    for i, j in combinations(usual, 2):
        for largest, chosen in ((True, np.maximum), (False, np.minimum)):
            holds = chosen(rows[:, i], rows[:, j]) == y
            apart = holds & (rows[:, i] != rows[:, j])
            parts = [float(np.mean(apart & equal[k])) for k in (i, j)]
            if holds.mean() >= LEAST_SHARE and min(parts) >= LEAST_PART:
                yield _Found(largest, ((1.0, i), (1.0, j)))
                return


def _with_constant(rows: Array, y: Array, others: Sequence[int]) -> Iterator[_Found]:
    """Yield a constant and a multiple of a column whose maximum or minimum is y in most rows.

    A constant may be added to the multiple. If it is not needed, it is zero.
    """
    values, counts = np.unique(y, return_counts=True)
    for k in np.argsort(-counts)[:2].tolist():
        constant, share = float(values[k]), float(counts[k] / len(y))
        beyond = float(np.mean(y > constant))
        if not share >= LEAST_REPEATED or not max(beyond, 1 - share - beyond) >= LEAST_SHARE / 2:
            continue
        largest = bool(beyond > 1 - share - beyond)
        printed = Printed.of(y)
        free = y != constant
        width = NEAR * float(np.std(y)) + 4 * printed.rounding.errors[0]
        good: dict[float, _Found] = {}
        for i in others:
            x = rows[:, i]
            usable = free & (x != 0)
            if usable.sum() < LEAST_SHARE * free.sum():
                continue
            multiple = _Found(largest, ((constant, None), (_ratio(x[usable], y[usable]), i)))
            moved = _moved(multiple, x[free], y[free])
            for start in (*([multiple] if constant else []), moved):
                if np.mean(np.abs(_made(start, rows) - y) <= width) < LEAST_WITH_CONSTANT:
                    continue  # no number of digits helps
                found = _with_short_numbers(start, rows, y, free, printed)
                agreeing = _share(found, rows, y, printed)
                if agreeing >= LEAST_WITH_CONSTANT and _is_used(found, rows, y, printed):
                    good.setdefault(round(agreeing, 2), found)
        if good:
            yield good[max(good)]
            return


def _ratio(x: Array, y: Array) -> float:
    return float(np.median(y / x))


def _moved(found: _Found, x: Array, y: Array) -> _Found:
    """Return a law with a constant added to the multiple: medians of slopes and of constants.

    Parameters
    ----------
    found : _Found
        The law without the constant.
    x, y : arrays of shape (n_rows,)
        The column, and the maximum or minimum, in rows in which this is a multiple of the column.
    """
    order = np.argsort(x, kind="stable")
    half = len(x) // 2
    low, high = order[:half], order[half : 2 * half]
    apart = x[high] > x[low]
    if not apart.any():
        return found
    low, high = low[apart], high[apart]
    slope = float(np.median((y[high] - y[low]) / (x[high] - x[low])))
    added = float(np.median(y - slope * x))
    (constant, _), (_, i) = found.parts
    return replace(found, parts=((constant - added, None), (slope, i)), added=added)


def _with_short_numbers(
    found: _Found, rows: Array, y: Array, free: NDArray[np.bool_], printed: Printed
) -> _Found:
    """Return a law whose factor has the fewest digits with which it gives as many rows.

    The added constant has as few digits as its factor allows, too.
    """
    (part, _), (factor, i) = found.parts
    constant, choices = part + found.added, [found]
    for digits in FACTOR_DIGITS:
        short, added = float(f"{factor:.{digits}g}"), found.added
        if added:
            added = float(f"{np.median(y[free] - short * rows[free, i]):.{ADDED_DIGITS}g}")
        choices.append(replace(found, parts=((constant - added, None), (short, i)), added=added))
    shares = [_share(each, rows, y, printed) for each in choices]
    good = (k for k in range(1, len(choices)) if shares[k] >= max(shares) - LOST_ROWS)
    return choices[next(good, 0)]


def _share(found: _Found, rows: Array, y: Array, printed: Printed) -> float:
    """Return the share of rows in which a law, rounded to printed digits, gives y."""
    made = printed.rounding(_made(found, rows))
    return float(np.mean(printed.given(made, y, float(np.std(y)))))


def _made(found: _Found, rows: Array) -> Array:
    """Return the maximum or minimum of a constant and a multiple of a column."""
    (constant, _), (factor, i) = found.parts
    assert i is not None
    made = (np.maximum if found.largest else np.minimum)(constant, factor * rows[:, i])
    return np.asarray(made + found.added)


def _is_used(found: _Found, rows: Array, y: Array, printed: Printed) -> bool:
    """Return True if the multiple of the column is beyond the constant in the other rows only.

    Where the constant is used, the multiple usually exceeds it by more than rounding: the largest
    value of a column is no upper limit.
    """
    (constant, _), (factor, i) = found.parts
    multiple = factor * rows[:, i]
    inside = multiple <= constant if found.largest else multiple >= constant
    at = np.abs(y - constant - found.added) <= CLOSE * max(abs(constant), 1.0)
    unit = 0.0 if printed.decimals is None else 10.0**-printed.decimals
    if float(np.median(np.abs(multiple[at] - constant))) <= MOST_ROUNDED * unit:
        return False
    return bool(np.mean(inside[at]) >= LEAST_SHARE and np.mean(~inside[~at]) >= LEAST_SHARE)
