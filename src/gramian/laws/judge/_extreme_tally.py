"""Tally of maxima and minima: counts the rows in which a column is the extreme of two numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.columns import UNROUNDED
from gramian.laws.forms import Dependency, Extreme
from gramian.laws.judge._exceptions import LEAST_SHARE

ENOUGH = 1_000
"""Different rows are counted up to this number, which is evidence enough."""
CLOSE = 1e-9
"""Relative error of float64 that is allowed besides the rounding of printed digits."""


class ExtremeTally:
    """Counts the rows in which a column is the maximum or minimum of two numbers.

    Parameters
    ----------
    law : Extreme
        The law that is tested.
    names : sequence of str
        The names of the columns of the table.
    """

    def __init__(self, law: Extreme, names: Sequence[str]) -> None:
        self._law = law
        self._place = names.index(law.column)
        self._causes = {name: names.index(name) for name in law.columns}
        self._n_columns = len(names)
        self._n_rows = self._n_holding = self._n_without = 0
        self._usual: float | None = None
        """The most frequent value of the law, in the rows that were counted first."""
        self._n_other = self._n_other_holding = 0
        """The rows in which the law has another value; if it holds there, it is no guess."""
        self._groups: set[int] | None = None
        """The groups of the counted rows, if the user gave groups."""
        self._different: set[bytes] = set()
        """Different combinations of values in rows that obey the law: copies are no evidence."""

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Count some rows of the table, in which NaN is missing.

        `groups` has the number of the group of each row, if the user gave groups.
        """
        there = ~np.isnan(rows[:, self._place])
        whole = there & ~np.isnan(rows[:, [*self._causes.values()]]).any(axis=1)
        self._n_without += int((there & ~whole).sum())
        rows = rows[whole]
        if groups is not None:
            self._groups = (self._groups or set()) | {*groups[whole].tolist()}
        if not len(rows):
            return
        cells = rows[:, self._place]
        known = {name: rows[:, i] for name, i in self._causes.items()}
        made = self._law.rounded_to(UNROUNDED)(known)
        # A number in the middle is rounded up or down.
        half = self._law.rounding.half_unit(cells)
        same = np.abs(made - cells) <= half + CLOSE * (np.abs(cells) + half)
        if self._usual is None:
            values, counts = np.unique(made, return_counts=True)
            self._usual = float(values[counts.argmax()])
        other = made != self._usual
        self._n_rows += len(rows)
        self._n_holding += int(same.sum())
        self._n_other += int(other.sum())
        self._n_other_holding += int(same[other].sum())
        if len(self._different) < ENOUGH:
            columns = rows[:, [self._place, *self._causes.values()]]
            self._different.update(each.tobytes() for each in np.unique(columns[same], axis=0))

    def law(self) -> Dependency | None:
        """Return the law if most rows obey it and chance cannot explain this, else None."""
        broken = self._n_rows - self._n_holding
        # By chance, the larger of two numbers is the right one in every other row.
        n_free = len(self._different)
        if self._groups is not None:
            n_free = min(n_free, len(self._groups))
        evidence = n_free * math.log10(2) - 3 * math.log10(self._n_columns)
        if self._n_holding < LEAST_SHARE * self._n_rows or evidence < MIN_EVIDENCE:
            return None
        if self._n_other_holding < max(LEAST_SHARE * self._n_other, 1):
            return None
        error = broken / self._n_rows
        return Dependency(
            (*self._law.columns, self._law.column),
            error,
            error,
            0.5,
            evidence,
            self._n_rows,
            self._law,
            solvable=() if self._n_without else (self._law.column,),
            kind="extreme",
            n_exceptions=broken,
        )
