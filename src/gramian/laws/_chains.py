"""What becomes of errors when laws are used one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gramian._support.types import Array
from gramian.laws._fewest import Solved
from gramian.laws._solution import Solution

CLOSE = 1e-12
"""A column is given as it is if a law misses a smaller share of its variance."""
DRIFT = 1e-6
"""So large a share may be missed if the columns that a law needs are computed, too."""


def computed(solved: Solved, rows: Mapping[str, Array]) -> Array | None:
    """Return what a law of numbers gives; None of others, and where a column is not there.

    Parameters
    ----------
    solved : Solution, Lookup or another law of levels
        The law, solved for a column.
    rows : mapping from str to array
        Columns of numbers.
    """
    if not isinstance(solved, Solution) or not rows.keys() >= {*solved.columns}:
        return None
    with np.errstate(all="ignore"):
        return solved(rows)


def share_missed(values: Array | None, column: Array | None) -> float:
    """Return the share of a column's variance that is missed; 0 where that cannot be said.

    Parameters
    ----------
    values : array of shape (n_rows,), or None
        What a law gives.
    column : array of shape (n_rows,), or None
        What is there.
    """
    if values is None or column is None:
        return 0.0
    missed = values - column
    there = np.isfinite(missed)
    variance = float(np.var(column[there])) if there.any() else 0.0
    return float(np.mean(missed[there] ** 2)) / variance if variance > 0 else 0.0


def first_that_drifts(
    found: Mapping[str, Solved], rows: Mapping[str, Array], error: Callable[[Solved], float]
) -> str | None:
    """Return the first column that is given well by others, but badly by what is computed of them.

    Digits that were rounded away cannot be had back: where t = s - 86,400 d, and d follows from s
    except for its fraction, t does not follow from s.

    Parameters
    ----------
    found : mapping from str to Solution, Lookup or another law of levels
        Columns in the order in which they are computed, and how.
    rows : mapping from str to array
        Columns of numbers, as they are.
    error : callable
        Returns the share that a law misses if it is computed from columns as they are.
    """
    table = dict(rows)
    for name, solved in found.items():
        values = computed(solved, table)
        if share_missed(values, rows.get(name)) > max(DRIFT, 4 * error(solved)):
            return name
        if values is not None:
            table[name] = values
    return None
