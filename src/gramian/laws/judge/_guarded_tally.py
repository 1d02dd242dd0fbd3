"""Tally of guarded laws: counts the rows in which a formula holds, and where it does not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.columns import allowed_error
from gramian.laws.forms import Dependency, Guarded

MOST_ELSEWHERE = 0.5
"""Largest share of the other rows that obey the formula: else its guard says little."""
LEAST_CHANCE = 0.1
"""Least chance with which a row is taken to obey a formula."""
ENOUGH = 1_000
"""Different rows are counted up to this number, which is evidence enough."""


class GuardedTally:
    """Counts the rows that obey a formula where another column has a certain value, and elsewhere.

    Parameters
    ----------
    law : Guarded
        The law that is tested.
    level : float
        The value of the guard; for text, the number of the text.
    names : sequence of str
        The names of the columns of the table.
    """

    def __init__(self, law: Guarded, level: float, names: Sequence[str]) -> None:
        self._law = law
        self._level = level
        self._guard = names.index(law.guard)
        self._place = names.index(law.column)
        self._causes = {name: names.index(name) for name in law.law.columns}
        self._n_columns = len(names)
        self._n_there = self._n_broken = self._n_elsewhere = self._n_elsewhere_holding = 0
        self._different: set[bytes] = set()

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Count some rows of the table, in which text is replaced by codes, and NaN is missing.

        `groups` has the number of the group of each row; a group is one observation.
        """
        columns = [self._guard, self._place, *self._causes.values()]
        whole = ~np.isnan(rows[:, columns]).any(axis=1)
        rows, groups = rows[whole], None if groups is None else groups[whole]
        if not len(rows):
            return
        cells = rows[:, self._place]
        made = self._law.law({name: rows[:, i] for name, i in self._causes.items()})
        holds = np.abs(made - cells) <= allowed_error(cells)(cells)
        there = rows[:, self._guard] == self._level
        self._n_there += int(there.sum())
        self._n_broken += int((there & ~holds).sum())
        self._n_elsewhere += int((~there).sum())
        self._n_elsewhere_holding += int((~there & holds).sum())
        if len(self._different) < ENOUGH:
            seen = rows[there][:, columns] if groups is None else groups[there, np.newaxis]
            self._different.update(each.tobytes() for each in np.unique(seen, axis=0))

    def law(self) -> Dependency | None:
        """Return the law if it holds in all of its rows and chance cannot explain this."""
        if self._n_broken or not self._n_elsewhere:
            return None
        elsewhere = self._n_elsewhere_holding / self._n_elsewhere
        chance = max(elsewhere, LEAST_CHANCE)
        evidence = -len(self._different) * math.log10(chance)
        evidence -= (len(self._causes) + 2) * math.log10(self._n_columns)
        if elsewhere > MOST_ELSEWHERE or evidence < MIN_EVIDENCE:
            return None
        return Dependency(
            (*self._law.columns, self._law.column),
            0.0,
            0.0,
            1 - elsewhere,
            evidence,
            self._n_there,
            self._law,
            kind="guarded",
        )
