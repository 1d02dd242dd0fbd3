"""Tally of series: counts the rows in which a column is computed from earlier rows of another."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.columns import UNROUNDED, allowed_error
from gramian.laws.forms import Dependency, Series
from gramian.laws.judge._exceptions import LEAST_SHARE


class SeriesTally:
    """Counts the rows in which a column is computed from earlier rows of another column.

    Parameters
    ----------
    law : Series
        The law that is tested.
    names : sequence of str
        The names of the columns of the table.
    """

    def __init__(self, law: Series, names: Sequence[str]) -> None:
        self._law = law
        self._places = [names.index(law.source), names.index(law.column)]
        self._n_columns = len(names)
        self._cells: list[Array] = []

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Take the two columns of some rows of the table, in their order; NaN is missing."""
        self._cells.append(rows[:, self._places])

    def law(self) -> Dependency | None:
        """Return the law if most rows obey it, else None. It computes no single row."""
        x, y = np.concatenate(self._cells).T
        made = self._law.rounded_to(UNROUNDED)({self._law.source: x})
        there = ~np.isnan(made) & ~np.isnan(y)
        missed = np.abs(made[there] - y[there])
        n_rows, n_holding = int(there.sum()), int((missed <= allowed_error(y)(y[there])).sum())
        # By chance, a row obeys a law of this kind in less than one of two cases.
        evidence = n_holding * math.log10(2) - 2 * math.log10(self._n_columns) - 2
        if n_holding < LEAST_SHARE * n_rows or evidence < MIN_EVIDENCE:
            return None
        error = (n_rows - n_holding) / n_rows
        return Dependency(
            (self._law.source, self._law.column),
            error,
            error,
            0.5,
            evidence,
            n_rows,
            self._law,
            kind="series",
            n_exceptions=n_rows - n_holding,
        )
