"""Error chains: errors of columns that laws compute from columns that were computed before."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gramian._support.types import Array
from gramian.laws.forms import ColumnLaw

CLOSE = 1e-12
"""A law counts as exact if its residual is at most this share of the column's variance."""
DRIFT = 1e-6
"""Residual share of the variance that is always allowed for a law with computed inputs."""
GROWTH = 4
"""Factor by which the residual share may grow if the inputs of a law are computed columns."""


def computed(solved: ColumnLaw, rows: Mapping[str, Array]) -> Array | None:
    """Return the column that a formula computes from numeric columns.

    Return None for laws that are no formula, or if a column that the formula needs is not in
    `rows`.

    Parameters
    ----------
    solved : ColumnLaw
        The law, solved for a column.
    rows : mapping from str to array
        The numeric columns, by name.
    """
    if not solved.is_formula or not rows.keys() >= {*solved.columns}:
        return None
    with np.errstate(all="ignore"):
        return solved(rows)


def share_missed(values: Array | None, column: Array | None) -> float:
    """Return the mean square error of a law, divided by the variance of its column.

    The result is 0 if the values or the column are None, or if the column is constant.

    Parameters
    ----------
    values : array of shape (n_rows,), or None
        The values that a law computes.
    column : array of shape (n_rows,), or None
        The values of the column in the table.
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
    """Return the first column whose law fails if its inputs are computed; None if all laws hold.

    A law may hold for the values in the table, but not for values that other laws compute, which
    have fewer correct digits. In t = s - 86,400 d, a small error of a computed d makes the error of
    t large.

    Parameters
    ----------
    found : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    rows : mapping from str to array
        The numeric columns of the table, by name.
    error : callable
        Returns `share_missed` of a law that is computed from the values in the table.
    """
    table = dict(rows)
    for name, solved in found.items():
        values = computed(solved, table)
        if share_missed(values, rows.get(name)) > max(DRIFT, GROWTH * error(solved)):
            return name
        if values is not None:
            table[name] = values
    return None
