"""Complete views: rows and columns of a table that together have no missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray

MOSTLY_MISSING = 0.5
"""The view of complete rows ignores columns with a larger share of missing values than this."""
REMAINING_ROWS = 0.9
"""Rows with missing values are removed from a view if at least this share of rows remains."""
MAX_VIEWS = 12
"""Largest number of missing-value patterns (sets of incomplete rows) that get their own view."""


@dataclass(frozen=True)
class View:
    """Indices of rows and columns of a table; no value in them is missing."""

    rows: IntArray
    columns: tuple[int, ...]


def views(missing: NDArray[np.bool_], min_rows: int) -> list[View]:
    """Return views of a table without missing values, views with the most rows first.

    A computed column is missing wherever a column that it is computed from is missing. So take the
    rows in which a column has a value, and all columns without missing values in these rows: this
    view shows every law that computes the column. Columns that have values in the same rows share
    a view. The last view has the rows in which no column is missing.

    Parameters
    ----------
    missing : array of shape (n_rows, n_columns)
        True where a value is missing.
    min_rows : int
        The smallest number of rows of a view that is returned.
    """
    patterns, counts = np.unique(missing, axis=1, return_counts=True)
    largest = np.argsort(-counts, kind="stable")[:MAX_VIEWS]
    base = _almost_all(patterns)
    found = [_view(missing, base)]
    for i in largest:
        rows: NDArray[np.bool_] = ~patterns[:, i]
        both: NDArray[np.bool_] = rows & base
        found.append(_view(missing, both if both.sum() >= REMAINING_ROWS * rows.sum() else rows))
    found.sort(key=lambda view: (-len(view.rows), -len(view.columns)))
    dense = np.flatnonzero(missing.mean(axis=0) <= MOSTLY_MISSING)
    complete: NDArray[np.bool_] = np.logical_not(missing[:, dense].any(axis=1))
    found.append(_view(missing, complete))
    chosen: list[View] = []
    for view in found:
        known = any(set(view.columns) <= set(each.columns) for each in chosen)
        if len(view.rows) >= min_rows and view.columns and not known:
            chosen.append(view)
    return chosen


def _almost_all(patterns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of rows: True if no column that is rarely missing is missing in the row.

    `patterns` is True where a value is missing.
    """
    rows = np.ones(len(patterns), dtype=bool)
    for i in np.argsort(patterns.sum(axis=0), kind="stable"):
        fewer = rows & ~patterns[:, i]
        if fewer.sum() < REMAINING_ROWS * len(rows):
            break
        rows = fewer
    return rows


def _view(missing: NDArray[np.bool_], rows: NDArray[np.bool_]) -> View:
    columns = np.flatnonzero(~missing[rows].any(axis=0))
    return View(np.flatnonzero(rows), tuple(columns.tolist()))
