"""Dates that columns with their parts give: the year, the month, the day and so on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws._coded_table import CodedTable
from gramian.laws._dependency import Dependency
from gramian.lookups import ComposedDate, Count
from gramian.lookups._cover import Implication
from gramian.lookups._evidence import DECADES, MIN_REPEATED
from gramian.tables import COMPOSING, LIMITS, Clock, Part


class DateTally:
    """Goes through rows, and sees whether dates are what their parts say.

    Parameters
    ----------
    date : ComposedDate
        How a date is put together.
    clock : Clock
        How the dates became numbers.
    names : sequence of str
        The columns of the table.
    """

    def __init__(self, date: ComposedDate, clock: Clock, names: Sequence[str]) -> None:
        self.date = date
        self._clock = clock
        self._place = names.index(date.column)
        self._causes = {name: names.index(name) for name in date.columns}
        self._dates = Counter[float]()
        self.broken = 0
        self.n_without = 0
        """Rows that have a date, and lack a part of it."""

    @property
    def implication(self) -> Implication:
        """What follows from what."""
        return frozenset(self._causes.values()), self._place

    def add(self, rows: Array) -> None:
        """Count rows, in which dates are numbers and NaN is missing."""
        there = ~np.isnan(rows[:, self._place])
        rows = rows[there]
        whole = ~np.isnan(rows[:, [*self._causes.values()]]).any(axis=1)
        self.n_without += int((~whole).sum())
        rows = rows[whole]
        expected = self.date.times({name: rows[:, i] for name, i in self._causes.items()})
        self.broken += int((expected != self._clock.times(rows[:, self._place])).sum())
        self._dates.update(rows[:, self._place].tolist())

    def law(self, n_columns: int) -> Dependency | None:
        """Return the law if all rows keep it, and chance would not."""
        count = Count.of(self._dates.values(), 1, self.broken)
        evidence = count.evidence(float(n_columns) ** (len(self._causes) + 1))
        if self.broken or evidence < DECADES:
            return None
        return Dependency(
            (*self.date.columns, self.date.column),
            0.0,
            0.0,
            count.guess_error,
            evidence,
            count.n_rows,
            self.date,
            solvable=() if self.n_without else (self.date.column,),
        )


def composed_dates(rows: Array, table: CodedTable) -> list[DateTally]:
    """Find columns that have the parts of dates, and put them together.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        The rows of the table, or a sample; NaN is missing.
    table : CodedTable
        The table.
    """
    names = table.names
    numbers = [i for i in table.numbers if i not in table.clocks]
    found = []
    for place, clock in table.clocks.items():
        parts = [_part(rows, place, clock, part, numbers, names) for part in COMPOSING[clock.unit]]
        whole = [each for each in parts if each is not None]
        if len(whole) == len(parts) and any(isinstance(each, str) for each in whole):
            date = ComposedDate(names[place], clock.unit, tuple(whole))
            found.append(DateTally(date, clock, names))
    return found


def _part(
    rows: Array,
    place: int,
    clock: Clock,
    part: Part,
    numbers: Sequence[int],
    names: Sequence[str],
) -> str | int | None:
    """Return the column that has a part of a date, or what it always is."""
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
