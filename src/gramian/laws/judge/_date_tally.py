"""Tally of composed dates: counts rows in which a date differs from its parts in other columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.forms import ComposedDate, Dependency
from gramian.laws.judge._level_evidence import Count
from gramian.tables import Clock


class DateTally:
    """Counts the rows in which a date differs from the year, month, day … in other columns.

    Parameters
    ----------
    date : ComposedDate
        The law that is tested: the column of dates, and the columns with its parts.
    clock : Clock
        Converts the numbers in the column of dates to dates.
    names : sequence of str
        The names of the columns of the table.
    """

    def __init__(self, date: ComposedDate, clock: Clock, names: Sequence[str]) -> None:
        self._date = date
        self._clock = clock
        self._place = names.index(date.column)
        self._causes = {name: names.index(name) for name in date.columns}
        self._dates = Counter[float]()
        self._seen: set[tuple[int, float]] = set()
        """The groups and dates that were counted, if the user gave groups."""
        self._n_rows = 0
        self._n_columns = len(names)
        self._broken = 0
        self._n_without = 0
        """Number of rows that have a date, but lack a value in a column with its parts."""

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Count some rows of the table, in which dates are numbers, and NaN is missing.

        A date counts once in each group; `groups` has the number of the group of each row.
        """
        there = ~np.isnan(rows[:, self._place])
        whole = ~np.isnan(rows[:, [*self._causes.values()]]).any(axis=1)
        self._n_without += int((there & ~whole).sum())
        rows = rows[there & whole]
        expected = self._date.times({name: rows[:, i] for name, i in self._causes.items()})
        self._broken += int((expected != self._clock.times(rows[:, self._place])).sum())
        self._n_rows += len(rows)
        dates = rows[:, self._place].tolist()
        if groups is not None:
            pairs = {*zip(groups[there & whole].tolist(), dates, strict=True)} - self._seen
            self._seen |= pairs
            dates = [date for _, date in pairs]
        self._dates.update(dates)

    def law(self) -> Dependency | None:
        """Return the law if no row breaks it and chance cannot explain this, else None."""
        count = Count.of(self._dates.values(), 1, self._broken)
        evidence = count.evidence(float(self._n_columns) ** (len(self._causes) + 1))
        if self._broken or evidence < MIN_EVIDENCE:
            return None
        return Dependency(
            (*self._date.columns, self._date.column),
            0.0,
            0.0,
            count.guess_error,
            evidence,
            self._n_rows,
            self._date,
            solvable=() if self._n_without else (self._date.column,),
        )
