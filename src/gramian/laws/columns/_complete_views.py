"""Complete views: parts of a table that have no missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray

MOSTLY_MISSING = 0.5
"""Columns with a larger share of missing values are left out of the view of complete rows."""
REMAINING_ROWS = 0.9
"""Least share of the rows of a view that remains if rows with missing values are left out."""
MAX_VIEWS = 12
"""Largest number of patterns of missing values that get a view."""


@dataclass(frozen=True)
class View:
    """Rows and columns without missing values."""

    rows: IntArray
    columns: tuple[int, ...]


def views(missing: NDArray[np.bool_], min_rows: int) -> list[View]:
    """Return views of a table without missing values, largest views first.

    A column that is computed from others is missing where one of them is missing. So the rows that
    have a column, and the columns that all these rows have, show every law that gives the column.
    Columns with equal rows share a view. The last view holds the complete rows.

    Parameters
    ----------
    missing : array of shape (n_rows, n_columns)
        True where a value is missing.
    min_rows : int
        Views with fewer rows are left out.
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
    """Return the rows that are complete in columns with few gaps; most rows remain."""
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
