"""Check of an elimination with left-out rows: one by one, equal rows together, and groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gramian.core.elimination._backward_elimination import Confirm
from gramian.core.elimination._dependent_rows import groups_of
from gramian.core.elimination._equal_combinations import Explanation, levels_of
from gramian.core.elimination._layout import Layout, lay_out
from gramian.core.elimination._left_out_groups import leave_groups_out
from gramian.core.elimination._verification import ColumnFit, fit_columns, leave_one_out
from gramian.core.rows import ArrayRows, GatheredRows, MemoryRows, RecordedRows, Rows, gathered
from gramian.families import Family


@dataclass(frozen=True)
class LeftOutCheck:
    """Check with left-out rows that functions of kept columns explain dropped columns.

    Each row is left out of the fit that explains it, with its group if the user gave groups. Rows
    that depend on each other or are equal are also left out together. Of a large stream, equal rows
    are told from a sample, and rows that depend on each other are not looked for.
    """

    rows: Rows
    family: Family
    layout: Layout
    threshold: float

    @cached_property
    def _gathered(self) -> GatheredRows | None:
        """Rows in memory, of which equal ones are known."""
        rows = self.rows.rows if isinstance(self.rows, RecordedRows) else self.rows
        return gathered(rows)

    def n_levels(self, column: int) -> int:
        """Return the number of different values of a column; 0 if it is not known."""
        if self._gathered is None:
            return 0
        table = self._gathered.rows
        return int(levels_of(table.x[:, column] / table.root).max()) + 1

    def left(self, kept: Collection[int], dropped: Sequence[int], alpha: float) -> dict[int, float]:
        """Return for each dropped variable the share that is not explained in left-out rows.

        Parameters
        ----------
        kept : collection of int
            The variables whose functions explain.
        dropped : sequence of int
            The variables to explain.
        alpha : float
            The penalty of every function but the variables themselves.
        """
        if not dropped:
            return {}
        n_full = len(self.layout.blocks)
        columns = self.layout.columns
        functions = lay_out(
            self.rows,
            self.family,
            [columns[j] for j in kept if j < n_full],
            [columns[j] for j in kept if j >= n_full],
        )
        fit = fit_columns(self.rows, functions, [columns[j] for j in dropped], alpha)
        rows = self.rows.rows if isinstance(self.rows, RecordedRows) else self.rows
        if isinstance(rows, MemoryRows) and rows.groups is not None:
            left = leave_groups_out(rows, fit, rows.groups, small=True)
        else:
            left = leave_one_out(self.rows, fit)
        below = np.flatnonzero(left <= self.threshold).tolist()
        if below and self._gathered is not None:
            table, complete = self._gathered
            used = [columns[j] for j in kept]
            for i in below:
                alone = fit.only(i)
                equal = Explanation(table, self.family, alone, alpha, self.threshold)
                in_groups = _left_in_groups(table, alone, used) if complete else 0.0
                left[i] = max(left[i], in_groups, equal.left_of_combinations())
        return dict(zip(dropped, map(float, left), strict=True))

    def confirm(self, alpha: float) -> Confirm:
        """Return the function that is called before a variable is dropped; `alpha` is the penalty.

        It returns True if the explanation holds in left-out rows.
        """

        def confirmed(kept: Collection[int], dropped: Collection[int]) -> bool:
            left = self.left(kept, list(dropped), alpha).values()
            return max(left, default=0.0) <= self.threshold

        return confirmed


def _left_in_groups(rows: ArrayRows, fit: ColumnFit, kept: Sequence[int]) -> float:
    """Return the largest residual share of a column if dependent rows are left out together.

    Parameters
    ----------
    rows : ArrayRows
        The table.
    fit : ColumnFit
        The fit of the column to all rows.
    kept : sequence of int
        The columns whose functions explain it.
    """
    (target,) = fit.targets
    root = rows.root[:, np.newaxis]
    groups = groups_of(rows.x[:, target] / rows.root, lambda: rows.x[:, kept] / root)
    return max((float(leave_groups_out(rows, fit, each)[0]) for each in groups), default=0.0)
