"""Tally of slopes: sums the errors of a law with slopes for each level over all rows.

A level is a distinct value of a category.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.columns import UNROUNDED, Cell, Key, Precision, Rounding
from gramian.laws.forms import SlopeLaw, Slopes
from gramian.laws.judge._level_regression import ByLevel, known_levels
from gramian.laws.judge._slope_judge import JudgedSlopes

SAME = 1e-12
"""A rounded sum equals a number in the table up to this share of the largest term."""


class SlopeTally:
    """Sums the errors of a law of slopes over all rows, and decides whether it is accepted.

    Parameters
    ----------
    key : Key
        The category whose levels have slopes of their own.
    levels : array of shape (n_levels,)
        The value of each level in the coded table, in increasing order.
    texts : sequence of str or None
        The text of each code, if the category is a column of text; else None.
    judged : JudgedSlopes
        The coefficients of all levels, with their errors and evidence.
    columns : sequence of int
        Indices in the table: of the category, of the numbers, and of the column that follows.
    names : sequence of str
        The names of the columns of the table.
    precision : Precision
        The digits to which the column that follows is rounded.
    tolerance : float
        The largest root mean square of relative errors.
    """

    def __init__(
        self,
        key: Key,
        levels: Array,
        texts: Sequence[str] | None,
        judged: JudgedSlopes,
        columns: Sequence[int],
        names: Sequence[str],
        precision: Precision,
        tolerance: float,
    ) -> None:
        known = known_levels(judged.coefficients)
        self._key = key
        self._texts = texts
        self._judged = judged
        self._levels = levels[known]
        """The values of those levels that have fitted coefficients."""
        self._coefficients = judged.coefficients[known]
        self._columns = [*columns]
        self._names = names
        self._precision = precision
        self._tolerance = tolerance
        self._alone = np.zeros(len(columns), dtype=bool)
        """For each column, True if it has values in rows that lack another column or a level."""
        self._squares, self._n_rows, self._exact = 0.0, 0, True
        decimals = precision.decimals
        ways = () if decimals is None else (Rounding(decimals), Rounding(decimals, half_up=True))
        self._roundings = [*ways]
        """The ways of rounding with which the law gives every number so far."""

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Add the errors of some rows, in which text is replaced by codes, and NaN is missing.

        `groups` are not used: the judge of the slopes has counted them.
        """
        cells = rows[:, self._columns]
        key = self._key.numbers(cells[:, 0])
        at = np.minimum(np.searchsorted(self._levels, key), len(self._levels) - 1)
        absent = np.isnan(cells)
        absent[:, 0] |= self._levels[at] != key
        whole = ~absent.any(axis=1)
        self._alone |= (~absent[~whole]).any(axis=0)
        some = ByLevel(
            at[whole], cells[whole, 1:-1], cells[whole, -1], len(self._levels), self._precision
        )
        if not len(some.y):
            return
        expected, largest = some.predicted(self._coefficients), some.largest(self._coefficients)
        missed = np.abs(some.y - expected)
        self._squares += float(((missed / largest) ** 2).sum())
        self._n_rows += len(missed)
        self._exact &= bool((missed <= some.bound(self._coefficients)).all())
        self._roundings = [
            each
            for each in self._roundings
            if (np.abs(each(expected) - some.y) < SAME * largest).all()
        ]

    def law(self) -> SlopeLaw | None:
        """Return the law if it is exact or its error is at most the tolerance, else None."""
        judged = self._judged
        error = float(np.sqrt(self._squares / max(self._n_rows, 1)))
        exact = judged.exact and self._exact
        if not exact and error > self._tolerance:
            return None
        slopes = self._slopes()
        given = [
            self._names[i]
            for place, (i, alone) in enumerate(
                zip(self._columns[1:], self._alone[1:].tolist(), strict=True)
            )
            if not alone and (place == len(slopes.numbers) or place in judged.invertible)
        ]
        return SlopeLaw(
            (*slopes.columns, slopes.column),
            error,
            judged.validation_error,
            judged.shuffled_error,
            judged.evidence,
            self._n_rows,
            slopes,
            exact,
            tuple(given),
        )

    def _slopes(self) -> Slopes:
        """Return the coefficients as `Slopes`, sorted by the value of the category."""
        numbers, texts = self._levels.tolist(), self._texts
        levels: list[Cell] = [each if texts is None else texts[int(each)] for each in numbers]
        order = sorted(range(len(levels)), key=lambda i: levels[i])
        _, *causes, effect = (self._names[i] for i in self._columns)
        return Slopes(
            effect,
            self._key,
            tuple(causes),
            tuple(levels[i] for i in order),
            tuple(tuple(self._coefficients[i].tolist()) for i in order),
            next(iter(self._roundings), UNROUNDED),
        )
