"""Tally of lookups: counts in all rows which values of a column occur with each level of keys.

A level is a distinct value of a key, which is a column, intervals of a number, or a part of a date.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.columns import Cell, Key
from gramian.laws.forms import Dependency, Lookup
from gramian.laws.judge._level_evidence import Count, is_rare
from gramian.tables import DAYS


class LookupTally:
    """Counts which values of a column (the effect) occur with each level of keys (the causes).

    Parameters
    ----------
    keys : sequence of Key
        The causes: columns, intervals of columns, or parts of dates.
    places : sequence of int
        For each cause, the index of its column in the table.
    effect : Key
        The column that follows from the causes.
    place : int
        The index of the effect in the table.
    labels : mapping from int to sequence of str
        For the index of each text column, the texts that its codes number.
    tolerance : float, default=0.0
        The largest number of rows that may break the law, as a share of the rows that are wrong if
        the most frequent value is guessed.
    most_wrong : float, default=0.0
        The same for rows with wrong cells: values that no level has.
    both_ways : bool, default=False
        True if the cause also follows from the effect.
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
        most_wrong: float = 0.0,
        both_ways: bool = False,
    ) -> None:
        self._keys = tuple(keys)
        self._places = list(places)
        self._effect = effect
        self._place = place
        self._labels = labels
        self._limits = tolerance, most_wrong
        self._n_columns = 0
        """Number of columns of the table; many columns reduce the evidence."""
        self._both_ways = both_ways
        self._counts: dict[tuple[float, ...], Counter[float]] = defaultdict(Counter)
        """For each combination of levels, the number of rows with each value of the effect."""
        self._n_without = [0, 0]
        """Number of rows with an effect but no cause; number with a cause but no effect."""
        self._n_rows = 0
        ends = np.array(self._keys[0].thresholds)
        self._nearest = np.array([np.full(len(ends), -np.inf), np.full(len(ends), np.inf)])
        """For each end between intervals, the nearest values below and above it."""
        self._seen: set[tuple[float, ...]] = set()
        """Group, levels and value of the rows that were counted, if the user gave groups."""

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Count some rows of the table, in which text is replaced by codes, and NaN is missing.

        `groups` has the number of the group of each row. Equal rows of a group count once.
        """
        self._n_columns = rows.shape[1]
        read = [key.numbers(rows[:, i]) for key, i in zip(self._keys, self._places, strict=True)]
        cells = np.column_stack([*read, rows[:, self._place]])
        absent = np.isnan(cells)
        no_cause, no_effect = absent[:, :-1].any(axis=1), absent[:, -1]
        self._n_without[0] += int((no_cause & ~no_effect).sum())
        self._n_without[1] += int((~no_cause & no_effect).sum())
        whole = ~no_cause & ~no_effect
        self._n_rows += int(whole.sum())
        if self._keys[0].thresholds:
            self._see(rows[whole, self._places[0]], cells[whole, 0])
        if groups is not None:
            different = np.unique(np.column_stack([groups, cells])[whole], axis=0)
            new = {*map(tuple, different.tolist())} - self._seen
            self._seen |= new
            for _, *level, value in new:
                self._counts[tuple(level)][value] += 1
            return
        levels, sizes = np.unique(cells[whole], axis=0, return_counts=True)
        for level, size in zip(levels.tolist(), sizes.tolist(), strict=True):
            self._counts[tuple(level[:-1])][level[-1]] += size

    def _see(self, x: Array, intervals: Array) -> None:
        """Learn the nearest values at the ends between intervals."""
        for k in range(self._nearest.shape[1]):
            for row, side, nearest in ((0, k, np.max), (1, k + 1, np.min)):
                inside = x[intervals == side]
                if len(inside):
                    self._nearest[row, k] = nearest([self._nearest[row, k], nearest(inside)])

    def law(self) -> Dependency | None:
        """Return the law if the counted rows confirm it, else None."""
        count = self._count
        evidence = count.evidence(float(self._n_columns) ** (len(self._keys) + 1))
        if not count.holds(*self._limits) or evidence < MIN_EVIDENCE:
            return None
        lookup = self._lookup()
        inverse = self._reversed(count.broken) if self._both_ways else None
        solvable = [lookup.column] if not self._n_without[0] else []
        if inverse is not None and not self._n_without[1]:
            solvable.append(inverse.column)
        return Dependency(
            (*lookup.columns, lookup.column),
            count.error,
            count.validation_error,
            count.guess_error,
            evidence,
            self._n_rows,
            lookup,
            inverse,
            tuple(solvable),
            tested=lookup.of_seen(*self._nearest.tolist()) if lookup.keys[0].thresholds else None,
            n_exceptions=count.broken,
        )

    @property
    def _count(self) -> Count:
        """Numbers of rows that have, or do not have, the most frequent value of their level."""
        totals, given = Counter[float](), set[float]()
        broken = 0
        for values in self._counts.values():
            totals.update(values)
            most = max(values.values())
            broken += values.total() - most
            given.update(value for value, size in values.items() if size == most)
        strange = sum(
            size
            for values in self._counts.values()
            for value, size in values.items()
            if value not in given and is_rare(size, max(values.values()))
        )
        return Count.of(totals.values(), len(self._counts), broken, strange)

    def _lookup(self) -> Lookup:
        """Return the lookup: for each combination of key values, the most frequent column value."""
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
        if clock is not None and clock.unit == "days":  # the part "date" also counts by DAYS
            found = tuple(DAYS.numbers(clock.times(np.array(found))).tolist())
            clock = DAYS
        return Lookup(self._effect.column, self._keys, levels, found, clock)

    def _reversed(self, most_broken: int) -> Lookup | None:
        """Return the reverse lookup: for each column value, the most frequent value of the key.

        If more than `most_broken` rows break it, the result is None.
        """
        (key,), (place,) = self._keys, self._places
        other = LookupTally([self._effect], [self._place], key, place, self._labels)
        for (level,), values in self._counts.items():
            for value, size in values.items():
                other._counts[(value,)][level] = size
        return other._lookup() if other._count.broken <= most_broken else None

    def _cell(self, number: float, column: int) -> Cell:
        return self._labels[column][int(number)] if column in self._labels else number
