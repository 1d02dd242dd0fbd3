"""Slopes in all rows of a table: whether they hold, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws._by_level import ByLevel, known_levels
from gramian.laws._slope_law import SlopeLaw
from gramian.laws._slopes import FoundSlopes
from gramian.lookups import Cells, Slopes


class SlopeTally:
    """Goes through rows, and counts those that break a law.

    Parameters
    ----------
    found : FoundSlopes
        The law.
    cells : Cells
        The rows in which it was found.
    names : sequence of str
        The columns of the table.
    """

    def __init__(self, found: FoundSlopes, cells: Cells, names: Sequence[str]) -> None:
        self.found = found
        self._names = names
        self._key = cells.keys[found.cause]
        known = known_levels(found.judged.coefficients)
        codes = cells.codes[:, found.cause]
        numbers = np.empty(len(known))
        numbers[codes[codes >= 0]] = cells.x[codes >= 0, found.cause]
        self._levels = numbers[known]
        """The numbers of the levels whose coefficients are known, in order, as codes are."""
        self._coefficients = found.judged.coefficients[known]
        self._places = [names.index(self._key.column), *found.numbers, found.effect]
        self._alone = np.zeros(len(self._places), dtype=bool)
        """Which columns are there in rows that lack another, or whose level is not known."""
        self._squares, self._n_rows, self._exact, self._decimals = 0.0, 0, True, True

    def add(self, rows: Array) -> None:
        """Count rows, in which labels are codes and NaN is missing."""
        cells = rows[:, self._places]
        key = self._key.numbers(cells[:, 0])
        at = np.minimum(np.searchsorted(self._levels, key), len(self._levels) - 1)
        absent = np.isnan(cells)
        absent[:, 0] |= self._levels[at] != key
        whole = ~absent.any(axis=1)
        self._alone |= (~absent[~whole]).any(axis=0)
        precision = self.found.precision
        some = ByLevel(
            at[whole], cells[whole, 1:-1], cells[whole, -1], len(self._levels), precision
        )
        if not len(some.y):
            return
        expected, largest = some.predicted(self._coefficients), some.largest(self._coefficients)
        missed = np.abs(some.y - expected)
        self._squares += float(((missed / largest) ** 2).sum())
        self._n_rows += len(missed)
        self._exact &= bool((missed <= some.bound(self._coefficients)).all())
        if precision.decimals is not None:
            short = np.round(expected, precision.decimals)
            self._decimals &= bool((np.abs(short - some.y) < 1e-12 * largest).all())

    @property
    def error(self) -> float:
        """The root mean square of what rows miss, as a share of the largest term."""
        return float(np.sqrt(self._squares / max(self._n_rows, 1)))

    def law(self, labels: Mapping[int, Sequence[str]]) -> SlopeLaw:
        """Return the law as it holds in all rows.

        Parameters
        ----------
        labels : mapping from int to sequence of str
            The texts of columns that have some.
        """
        found, judged = self.found, self.found.judged
        place = self._places[0]
        texts = labels.get(place) if self._key.part is None else None
        levels = [each if texts is None else texts[int(each)] for each in self._levels.tolist()]
        order = sorted(range(len(levels)), key=lambda i: levels[i])
        decimals = found.precision.decimals if self._decimals else None
        slopes = Slopes(
            self._names[found.effect],
            self._key,
            tuple(self._names[i] for i in found.numbers),
            tuple(levels[i] for i in order),
            tuple(tuple(self._coefficients[i].tolist()) for i in order),
            decimals,
        )
        given = [
            i
            for i, alone in zip(self._places[1:], self._alone[1:], strict=True)
            if not alone and (i == found.effect or i in found.invertible)
        ]
        return SlopeLaw(
            (*slopes.columns, slopes.column),
            self.error,
            judged.validation_error,
            judged.shuffled_error,
            judged.evidence,
            self._n_rows,
            slopes,
            judged.exact and self._exact,
            tuple(self._names[i] for i in given),
        )
