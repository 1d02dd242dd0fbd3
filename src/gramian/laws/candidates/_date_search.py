"""Candidate laws: dates that are composed of columns with their year, month, day and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.laws._cover import Implication
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.forms import ComposedDate
from gramian.laws.judge import MIN_REPEATED, DateTally
from gramian.tables import COMPOSING, LIMITS, Clock, Part


@dataclass(frozen=True)
class DateCandidate:
    """A candidate law: a column of dates is composed of other columns that contain its parts."""

    date: ComposedDate
    clock: Clock
    """Converts the numbers in the column of dates to dates."""
    implication: Implication
    """The columns with the parts, and the column of dates that follows from them."""

    @property
    def dependencies(self) -> list[Implication]:
        """A list of one implication: the date follows from the columns with its parts."""
        return [self.implication]

    def tally(self, context: LevelContext) -> DateTally:
        """Return a counter that will test the law on all rows; no rows are counted yet."""
        return DateTally(self.date, self.clock, context.table.names)


def composed_dates(context: LevelContext) -> Iterator[DateCandidate]:
    """Yield a law for each column of dates whose year, month and so on are in other columns.

    Parts of the date may also be constant.
    """
    table = context.table
    names = table.names
    numbers = [i for i in table.numbers if i not in table.clocks]
    for place, clock in table.clocks.items():
        parts = [
            _part(context.rows, place, clock, part, numbers, names)
            for part in COMPOSING[clock.unit]
        ]
        whole = [each for each in parts if each is not None]
        if len(whole) == len(parts) and any(isinstance(each, str) for each in whole):
            date = ComposedDate(names[place], clock.unit, tuple(whole))
            causes = frozenset(map(names.index, date.columns))
            yield DateCandidate(date, clock, (causes, place))


def _part(
    rows: Array,
    place: int,
    clock: Clock,
    part: Part,
    numbers: Sequence[int],
    names: Sequence[str],
) -> str | int | None:
    """Return the name of the column that contains a part of a date, or the constant value.

    Return None if the part is not constant and no column in `numbers` is equal to it.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        The table as numbers.
    place : int
        The index of the column of dates.
    clock : Clock
        Converts numbers to dates.
    part : Part
        The part: the year, the month and so on.
    numbers : sequence of int
        The indices of the numeric columns.
    names : sequence of str
        The names of all columns.
    """
    wanted = clock.part(rows[:, place], part)
    there = ~np.isnan(wanted)
    if there.sum() < MIN_REPEATED:
        return None
    first = float(wanted[there][0])
    if (wanted[there] == first).all():
        low, high = LIMITS[part]
        return int(first) if low <= first <= high else None
    for i in numbers:
        both = there & ~np.isnan(rows[:, i])
        if both.sum() >= MIN_REPEATED and (wanted[both] == rows[both, i]).all():
            return names[i]
    return None
