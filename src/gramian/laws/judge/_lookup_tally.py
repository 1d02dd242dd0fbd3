"""Tally of lookups: the values that come with each level, counted over all rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.columns import Cell, Key
from gramian.laws.forms import Dependency, Lookup
from gramian.laws.judge._level_evidence import Count
from gramian.tables import DAYS


class LookupTally:
    """Counts the values of a column that come with each level of others.

    Parameters
    ----------
    keys : sequence of Key
        The causes.
    places : sequence of int
        The columns of the causes, in the table.
    effect : Key
        The column that follows.
    place : int
        The column that follows, in the table.
    labels : mapping from int to sequence of str
        The texts of columns of text.
    tolerance : float, default=0.0
        The largest share of rows that may break the law, of the rows that a guess would miss.
    both_ways : bool, default=False
        True if the cause follows from the effect, too.
    """

    def __init__(
        self,
        keys: Sequence[Key],
        places: Sequence[int],
        effect: Key,
        place: int,
        labels: Mapping[int, Sequence[str]],
        *,
        tolerance: float = 0.0,
        both_ways: bool = False,
    ) -> None:
        self._keys = tuple(keys)
        self._places = list(places)
        self._effect = effect
        self._place = place
        self._labels = labels
        self._tolerance = tolerance
        self._n_columns = 0
        """Number of columns of the table, among which the causes were found."""
        self._both_ways = both_ways
        self._counts: dict[tuple[float, ...], Counter[float]] = defaultdict(Counter)
        """For each level, the number of rows of each value."""
        self._n_without = [0, 0]
        """Numbers of rows with an effect and no cause, and with a cause and no effect."""

    def add(self, rows: Array) -> None:
        """Count rows, in which labels are codes and NaN is missing."""
        self._n_columns = rows.shape[1]
        read = [key.numbers(rows[:, i]) for key, i in zip(self._keys, self._places, strict=True)]
        cells = np.column_stack([*read, rows[:, self._place]])
        absent = np.isnan(cells)
        no_cause, no_effect = absent[:, :-1].any(axis=1), absent[:, -1]
        self._n_without[0] += int((no_cause & ~no_effect).sum())
        self._n_without[1] += int((~no_cause & no_effect).sum())
        levels, sizes = np.unique(cells[~no_cause & ~no_effect], axis=0, return_counts=True)
        for level, size in zip(levels.tolist(), sizes.tolist(), strict=True):
            self._counts[tuple(level[:-1])][level[-1]] += size

    def law(self) -> Dependency | None:
        """Return the law if the counted rows make it believed."""
        count = self._count
        evidence = count.evidence(float(self._n_columns) ** (len(self._keys) + 1))
        if not count.holds(self._tolerance) or evidence < MIN_EVIDENCE:
            return None
        lookup = self._lookup()
        inverse = self._reversed() if self._both_ways else None
        solvable = [lookup.column] if not self._n_without[0] else []
        if inverse is not None and not self._n_without[1]:
            solvable.append(inverse.column)
        return Dependency(
            (*lookup.columns, lookup.column),
            count.error,
            count.validation_error,
            count.guess_error,
            evidence,
            count.n_rows,
            lookup,
            inverse,
            tuple(solvable),
        )

    @property
    def _count(self) -> Count:
        """The number of rows in which the column has the most frequent value of its level."""
        totals = Counter[float]()
        broken = 0
        for values in self._counts.values():
            totals.update(values)
            broken += values.total() - max(values.values())
        return Count.of(totals.values(), len(self._counts), broken)

    def _lookup(self) -> Lookup:
        """Return the most frequent value of each level."""
        entries = []
        for level, values in self._counts.items():
            most = max(values.values())
            best = [self._cell(each, self._place) for each, n in values.items() if n == most]
            cells = tuple(
                self._cell(each, i if key.part is None else -1)
                for each, i, key in zip(level, self._places, self._keys, strict=True)
            )
            entries.append((cells, min(best)))
        entries.sort()
        levels, found = zip(*entries, strict=True)
        clock = self._effect.clock
        if clock is not None and clock.unit == "days":  # parts of dates are counted in DAYS, too
            found = tuple(DAYS.numbers(clock.times(np.array(found))).tolist())
            clock = DAYS
        return Lookup(self._effect.column, self._keys, levels, found, clock)

    def _reversed(self) -> Lookup:
        """Return the lookup that gives the single cause by the effect."""
        (key,), (place,) = self._keys, self._places
        other = LookupTally([self._effect], [self._place], key, place, self._labels)
        for (level,), values in self._counts.items():
            for value, size in values.items():
                other._counts[(value,)][level] = size
        return other._lookup()

    def _cell(self, number: float, column: int) -> Cell:
        return self._labels[column][int(number)] if column in self._labels else number
