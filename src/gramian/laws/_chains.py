"""What becomes of errors when laws are used one after the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gramian._types import Array
from gramian.laws._fewest import Solved
from gramian.laws._solution import Solution

CLOSE = 1e-12
"""A column of which a law misses a smaller share of the variance is given as it is."""
DRIFT = 1e-6
"""So large a share may be missed if the columns that a law needs are computed, too."""


def share_missed(
    solved: Solved, rows: Mapping[str, Array], known: Mapping[str, Array] | None = None
) -> float:
    """Return the share of a column's variance that a law misses; 0 where that cannot be said.

    Parameters
    ----------
    solved : Solution, Lookup or another law of levels
        The law, solved for the column.
    rows : mapping from str to array
        Columns of numbers, as they are.
    known : mapping from str to array, optional
        The columns that the law is to be computed from, if others.
    """
    if not isinstance(solved, Solution) or not rows.keys() >= {solved.column, *solved.columns}:
        return 0.0
    column = rows[solved.column]
    with np.errstate(all="ignore"):
        missed = solved({**rows, **(known or {})}) - column
    there = np.isfinite(missed)
    variance = float(np.var(column[there])) if there.any() else 0.0
    return float(np.mean(missed[there] ** 2)) / variance if variance > 0 else 0.0


def first_that_drifts(found: Mapping[str, Solved], rows: Mapping[str, Array]) -> str | None:
    """Return the first column that is given well by others, but badly by what is computed of them.

    Digits that were rounded away cannot be had back: where t = s - 86,400 d, and d follows from s
    but for its fraction, t does not follow from s.

    Parameters
    ----------
    found : mapping from str to Solution, Lookup or another law of levels
        Columns in the order in which they are computed, and how.
    rows : mapping from str to array
        Columns of numbers, as they are.
    """
    computed: dict[str, Array] = {}
    for name, solved in found.items():
        if share_missed(solved, rows, computed) > max(DRIFT, 4 * share_missed(solved, rows)):
            return name
        if isinstance(solved, Solution) and rows.keys() >= {*solved.columns}:
            with np.errstate(all="ignore"):
                computed[name] = solved({**rows, **computed})
    return None
