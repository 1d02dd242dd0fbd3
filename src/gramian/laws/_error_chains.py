"""Error chains: errors of columns that laws compute from computed columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gramian._support.types import Array
from gramian.laws.forms import ColumnLaw

CLOSE = 1e-12
"""Largest share of a column's variance that an exact law may miss."""
DRIFT = 1e-6
"""Largest share of a column's variance that a law may miss if its columns are computed, too."""
GROWTH = 4
"""Factor by which the missed share may grow if the columns of a law are computed, too."""


def computed(solved: ColumnLaw, rows: Mapping[str, Array]) -> Array | None:
    """Return the column that a formula gives; None for other laws, or if a column is missing.

    Parameters
    ----------
    solved : ColumnLaw
        The law, solved for a column.
    rows : mapping from str to array
        Columns of numbers.
    """
    if not solved.is_formula or not rows.keys() >= {*solved.columns}:
        return None
    with np.errstate(all="ignore"):
        return solved(rows)


def share_missed(values: Array | None, column: Array | None) -> float:
    """Return the share of a column's variance that a law misses; 0 if it cannot be computed.

    Parameters
    ----------
    values : array of shape (n_rows,), or None
        The values by a law.
    column : array of shape (n_rows,), or None
        The values in the table.
    """
    if values is None or column is None:
        return 0.0
    missed = values - column
    there = np.isfinite(missed)
    variance = float(np.var(column[there])) if there.any() else 0.0
    return float(np.mean(missed[there] ** 2)) / variance if variance > 0 else 0.0


def drifting_column(
    found: Mapping[str, ColumnLaw], rows: Mapping[str, Array], error: Callable[[ColumnLaw], float]
) -> str | None:
    """Return the first column that follows from table values but not from computed values.

    Rounded digits are lost: if t = s - 86,400 d, and d follows from s except for its fraction, t
    does not follow from s.

    Parameters
    ----------
    found : mapping from str to ColumnLaw
        Columns in the order in which they are computed, with their laws.
    rows : mapping from str to array
        Columns of numbers, as in the table.
    error : callable
        Returns the share that a law misses if it is computed from table values.
    """
    table = dict(rows)
    for name, solved in found.items():
        values = computed(solved, table)
        if share_missed(values, rows.get(name)) > max(DRIFT, GROWTH * error(solved)):
            return name
        if values is not None:
            table[name] = values
    return None
