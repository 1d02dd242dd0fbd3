"""Tables with gaps: which rows a fit uses, and what is filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._types import Array
from gramian.families import Family

ENOUGH = 1.25
"""Complete rows are enough if they are so many times the functions. Rows that are left out one by
one judge what is redundant, so that too few rows make nothing redundant that is not."""


@dataclass(frozen=True)
class Gaps:
    """What was done about missing values.

    Attributes
    ----------
    n_rows : int
        The rows of the table.
    n_complete : int
        Those without a missing value.
    n_filled : int
        The cells that were filled in by functions of the others in their row; 0 where complete
        rows were enough, and no others were used.
    """

    n_rows: int
    n_complete: int
    n_filled: int

    def __str__(self) -> str:
        if self.n_filled:
            return (
                f"{self.n_filled:,} missing cells in {self.n_rows - self.n_complete:,} of "
                f"{self.n_rows:,} rows were filled in by functions of the others"
            )
        return (
            f"{self.n_complete:,} of {self.n_rows:,} rows were used: those without missing values"
        )


def without_gaps(
    table: Array, weights: Array | None, families: Sequence[Family], names: Sequence[str] | None
) -> tuple[Array, Array | None, Gaps]:
    """Return rows without missing values: those that are complete, or all of them, filled in.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table; NaN is missing.
    weights : array of shape (n_rows,) or None
        The weights of its rows.
    families : sequence of Family
        Which functions of all columns are fitted. Complete rows must be more.
    names : sequence of str or None
        The names of the columns, for messages.
    """
    absent = np.isnan(table)
    empty = np.flatnonzero(absent.all(axis=0))
    if len(empty):
        name = str(empty[0]) if names is None else repr(names[empty[0]])
        raise ValueError(
            f"Column {name} has no value in any row, so nothing is known about it. Leave it out."
        )
    complete = ~absent.any(axis=1)
    n_complete = int(complete.sum())
    if all(_fewer(each, table.shape[1], n_complete / ENOUGH) for each in families):
        rows = table[complete]
        still = np.ptp(rows, axis=0) > 0
        if (still | (np.nanmin(table, axis=0) == np.nanmax(table, axis=0))).all():
            kept = None if weights is None else weights[complete]
            return rows, kept, Gaps(len(table), n_complete, 0)
    from gramian._imputer import GramianImputer

    some = ~absent.all(axis=1)  # of rows without any value, nothing is known
    rows = GramianImputer().fit(table[some]).transform(table[some])
    kept = None if weights is None else weights[some]
    return rows, kept, Gaps(len(table), n_complete, int(absent[some].sum()))


def _fewer(family: Family, n_columns: int, most: float) -> bool:
    """Return whether there are no more functions of columns than some number."""
    if most < 1 + n_columns:
        return False
    try:
        return all(1 + family.count(n) <= most for n in range(1, n_columns + 1))
    except ValueError:  # how many indicators there are depends on the levels, which none can fill
        return True
