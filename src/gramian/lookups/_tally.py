"""Lookups out of all rows: which value belongs to which levels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from gramian._support.types import Array
from gramian.lookups._evidence import Count
from gramian.lookups._keys import Cell, Key
from gramian.lookups._lookup import Lookup
from gramian.tables import DAYS


class LookupTally:
    """Counts which values of a column come with which levels of others.

    Parameters
    ----------
    keys : sequence of Key
        The causes.
    places : sequence of int
        The columns that they look at.
    effect : Key
        The column that follows.
    place : int
        Where it is.
    """

    def __init__(self, keys: Sequence[Key], places: Sequence[int], effect: Key, place: int) -> None:
        self.keys = tuple(keys)
        self._places = list(places)
        self._effect = effect
        self._place = place
        self._counts: dict[tuple[float, ...], Counter[float]] = defaultdict(Counter)
        """For each level, how often values come with it."""
        self.n_without = [0, 0]
        """Rows with an effect and no cause, and with a cause and no effect."""

    def add(self, rows: Array) -> None:
        """Count rows, in which labels are codes and NaN is missing."""
        read = [key.numbers(rows[:, i]) for key, i in zip(self.keys, self._places, strict=True)]
        cells = np.column_stack([*read, rows[:, self._place]])
        absent = np.isnan(cells)
        no_cause, no_effect = absent[:, :-1].any(axis=1), absent[:, -1]
        self.n_without[0] += int((no_cause & ~no_effect).sum())
        self.n_without[1] += int((~no_cause & no_effect).sum())
        levels, sizes = np.unique(cells[~no_cause & ~no_effect], axis=0, return_counts=True)
        for level, size in zip(levels.tolist(), sizes.tolist(), strict=True):
            self._counts[tuple(level[:-1])][level[-1]] += size

    @property
    def count(self) -> Count:
        """In how many rows the column is what most rows of the level say."""
        totals = Counter[float]()
        broken = 0
        for values in self._counts.values():
            totals.update(values)
            broken += values.total() - max(values.values())
        return Count.of(totals.values(), len(self._counts), broken)

    def lookup(self, labels: Mapping[int, Sequence[str]]) -> Lookup:
        """Return the value that most rows of each level have.

        Parameters
        ----------
        labels : mapping from int to sequence of str
            The texts of columns that have some.
        """
        entries = []
        for level, values in self._counts.items():
            most = max(values.values())
            best = [_cell(each, self._place, labels) for each, n in values.items() if n == most]
            cells = tuple(
                _cell(each, i if key.part is None else -1, labels)
                for each, i, key in zip(level, self._places, self.keys, strict=True)
            )
            entries.append((cells, min(best)))
        entries.sort()
        levels, found = zip(*entries, strict=True)
        clock = self._effect.clock
        if clock is not None and clock.unit == "days":  # counted as the parts of dates are
            found = tuple(DAYS.numbers(clock.times(np.array(found))).tolist())
            clock = DAYS
        return Lookup(self._effect.column, self.keys, levels, found, clock)

    def reversed(self, labels: Mapping[int, Sequence[str]]) -> Lookup:
        """Return the cause as it follows from the effect; for a single cause only."""
        (key,), (place,) = self.keys, self._places
        other = LookupTally([self._effect], [self._place], key, place)
        for (level,), values in self._counts.items():
            for value, size in values.items():
                other._counts[(value,)][level] = size
        return other.lookup(labels)


def _cell(number: float, column: int, labels: Mapping[int, Sequence[str]]) -> Cell:
    return labels[column][int(number)] if column in labels else number
