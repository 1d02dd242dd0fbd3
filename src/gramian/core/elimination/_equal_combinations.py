"""Rows that are equal in the columns of an explanation: all of them are left out together.

An explanation uses some of the kept columns. Rows that are equal in these columns are copies for
it, although other columns distinguish them. If few combinations are repeated in many rows (such as
attributes of regions, joined to persons), functions that are as numerous as the combinations
explain every column, and a row that is left out alone is known from its copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from gramian._support.types import Array, IntArray
from gramian.core.elimination._dependent_rows import EQUAL
from gramian.core.elimination._layout import lay_out
from gramian.core.elimination._verification import (
    ColumnFit,
    LeaveOneOut,
    fit_columns,
    leave_one_out,
)
from gramian.core.rows import ArrayRows
from gramian.families import Family

FEW_COMBINATIONS = 2
"""Number of combinations for each function up to which equal rows are left out together. With more
combinations, functions do not explain independent columns."""
MOST_COMBINATIONS = 0.5
"""Largest number of combinations, as a share of the rows."""
UNUSED = 0.1
"""Contribution of a column below which an explanation does not use it, in the residual share that
an explanation may leave."""
FILLED = 0.5
"""Share of all possible combinations of levels from which columns are categories."""


@dataclass(frozen=True)
class Explanation:
    """A column that functions of kept columns explain, in a table in memory.

    Parameters
    ----------
    rows : ArrayRows
        The table.
    family : Family
        The functions.
    fit : ColumnFit
        The fit of the column to all rows.
    alpha : float
        The penalty of every function but the variables themselves.
    threshold : float
        The share of the column that an explanation may leave.
    """

    rows: ArrayRows
    family: Family
    fit: ColumnFit
    alpha: float
    threshold: float

    def left_of_combinations(self) -> float:
        """Return the residual share if each combination is left out with all its rows.

        A combination is one of values of the column and of the columns that explain it. The share
        is 0 if combinations are numerous, and if functions of few categories, whose combinations
        occur, explain the column.
        """
        rows = self.rows
        target = self.fit.targets[0]
        most = min(FEW_COMBINATIONS * len(self.fit.use), MOST_COMBINATIONS * len(rows.root))
        levels = {target: self._levels(target)}
        if levels[target].max() >= most:
            return 0.0
        used = self.used()
        levels |= {j: self._levels(j) for j in used}
        number = combinations([*levels.values()])
        if not used or number.max() >= most:
            return 0.0
        once, fit = self._once(number, used)
        (in_sample,) = once.sum(LeaveOneOut(fit, 0.0))
        if in_sample[0] > self.threshold:  # contributions of further columns add up
            return 0.0
        if self._of_categories(levels):
            return 0.0
        return float(leave_one_out(once, fit)[0])

    def used(self) -> list[int]:
        """Return the columns whose functions contribute to the explanation."""
        fit = self.fit
        coefficients = solve_triangular(
            fit.factor, fit.coefficients[:, 0], lower=True, trans="T", check_finite=False
        )
        involves = fit.layout.involves[fit.use]
        found = []
        for j, column in enumerate(fit.layout.columns):
            part = np.flatnonzero(involves[:, j])
            contribution = coefficients[part] @ fit.factor[part]
            if contribution @ contribution > UNUSED * self.threshold:
                found.append(column)
        return found

    def _levels(self, column: int) -> IntArray:
        """Return the number of the value of a column in each row; equal values have one number."""
        return levels_of(self.rows.x[:, column] / self.rows.root)

    def _once(self, number: IntArray, used: Sequence[int]) -> tuple[ArrayRows, ColumnFit]:
        """Return each combination as one row that has the weight of its rows, and the fit to these.

        Parameters
        ----------
        number : array of int
            The number of the combination of each row.
        used : sequence of int
            The columns whose functions explain.
        """
        rows = self.rows
        _, first = np.unique(number, return_index=True)
        root = np.sqrt(np.bincount(number, rows.root**2))
        x = rows.x[first] * (root / rows.root[first])[:, np.newaxis]
        once = ArrayRows(x, root)
        return once, self._fit(once, used)

    def _fit(self, rows: ArrayRows, used: Sequence[int]) -> ColumnFit:
        """Return the fit of the column by functions of some of the columns that explain it."""
        layout = self.fit.layout
        n_full = len(layout.blocks)
        full = [j for j in layout.columns[:n_full] if j in used]
        alone = [j for j in layout.columns[n_full:] if j in used]
        functions = lay_out(rows, self.family, full, alone)
        return fit_columns(rows, functions, self.fit.targets, self.alpha)

    def _of_categories(self, levels: dict[int, IntArray]) -> bool:
        """Return True if few categories explain the column, and their combinations occur.

        Then the levels, and not the number of functions, explain it, and new rows have combinations
        that are known. The column may be a category itself, which a category and a function of both
        explain: a from b and the distance of a and b.

        Parameters
        ----------
        levels : dict from int to array
            For the column and each column that explains it, the number of the level in each row.
        """
        target = self.fit.targets[0]
        used = [j for j in levels if j != target]
        found = filled({j: levels[j] for j in used})
        if found and self._explained_by(found):
            return True
        found = [j for j in filled(levels) if j != target]
        return bool(found) and any(self._explained_by([*found, j]) for j in used if j not in found)

    def _explained_by(self, columns: Sequence[int]) -> bool:
        """Return True if functions of some of the columns explain the column."""
        left = leave_one_out(self.rows, self._fit(self.rows, columns))
        return bool(left[0] <= self.threshold)


def levels_of(x: Array) -> IntArray:
    """Return the number of the value in each row, from 0 on, of a column of deviation 1."""
    order = np.argsort(x, kind="stable")
    found = np.empty(len(x), dtype=np.intp)
    found[order] = np.cumsum(np.append(False, np.diff(x[order]) > EQUAL))
    return found


def filled(levels: dict[int, IntArray]) -> list[int]:
    """Return columns that determine the others and whose possible combinations occur, if any.

    Parameters
    ----------
    levels : dict from int to array
        For each column, the number of its level in each row.
    """
    n_combinations = int(combinations([*levels.values()]).max()) + 1
    found = dict(levels)
    for j in sorted(levels, key=lambda j: -int(levels[j].max())):  # most levels first
        others = [each for i, each in found.items() if i != j]
        if others and combinations(others).max() + 1 == n_combinations:
            del found[j]
    possible = n_possible([*found.values()])
    return list(found) if n_combinations >= FILLED * possible else []


def n_possible(levels: Sequence[IntArray]) -> float:
    """Return how many combinations of levels columns can have.

    Flags of which a row has one at most, such as those made of one category, are one column with a
    level for each flag, and one for rows without any.

    Parameters
    ----------
    levels : sequence of arrays of int
        For each column, the number of its level in each row.
    """
    possible = 1.0
    groups: list[
        tuple[int, NDArray[np.bool_]]
    ] = []  # number of flags that exclude each other, their rows
    for each in levels:
        if each.max() != 1:
            possible *= float(each.max()) + 1
            continue
        flagged = each == np.argmin(np.bincount(each))
        for i, (size, rows) in enumerate(groups):
            if not np.any(rows & flagged):
                groups[i] = size + 1, rows | flagged
                break
        else:
            groups.append((1, flagged))
    return possible * float(np.prod([size + 1.0 for size, _ in groups]))


def combinations(levels: Sequence[IntArray]) -> IntArray:
    """Return the number of the combination of levels in each row, from 0 on.

    Parameters
    ----------
    levels : sequence of arrays of int
        For each column, the number of its level in each row.
    """
    number = np.zeros(len(levels[0]), dtype=np.intp)
    for each in levels:
        number = np.unique(number * (each.max() + 1) + each, return_inverse=True)[1]
    return number
