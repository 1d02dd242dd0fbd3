"""Laws with exceptions of kept columns and of columns that laws of levels have computed.

The estimator does not see a column that a law of levels computes, and so misses a total of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gramian._support.types import IntArray
from gramian.fitting import NearLaw
from gramian.laws import TooFewValuesError, relations, solutions
from gramian.tables import SomeColumns, Table, is_number

MOST_COLUMNS = 30
"""Laws with exceptions are searched among at most this many columns."""


def note_exceptions(
    estimator: Any, table: Table, given: Sequence[str], groups: IntArray | None
) -> None:
    """Add laws that compute a kept column, except in some rows, to those of a fitted estimator.

    Parameters
    ----------
    estimator : GFA
        The fitted estimator.
    table : Table
        The table.
    given : sequence of str
        Names of the columns that laws of levels compute.
    groups : array of shape (n_rows,), or None
        The number of the group of each row, if the user gave groups.
    """
    kinds, kept = table.columns, estimator.model_.kept_names
    computed = {name for name in given if is_number(kinds[name])}
    names = [*(name for name in kept if is_number(kinds[name])), *sorted(computed)]
    if not 0 < len(computed) < len(names) <= MOST_COLUMNS:
        return
    try:
        found = relations(SomeColumns(table, names), tolerance=0, groups=groups)
    except TooFewValuesError:
        return
    near = list(estimator.model_.near_laws)
    for law in found:
        if law.n_exceptions and computed.intersection(law.columns):
            solved = [one for one in solutions(law) if one.column in kept]
            near += [NearLaw(o.column, o.text, law.n_exceptions, law.n_rows) for o in solved[:1]]
    estimator.model_ = replace(estimator.model_, near_laws=tuple(near))
