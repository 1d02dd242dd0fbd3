"""Tables with missing values: which rows and columns are looked at together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray

MOSTLY_MISSING = 0.5
"""Columns with a larger share of missing values are no part of the rows that are complete."""
ALMOST_ALL = 0.9
"""Rows with missing values are left out of a part if at least this share of its rows remains."""
MAX_VIEWS = 12


@dataclass(frozen=True)
class View:
    """Rows and columns without missing values."""

    rows: IntArray
    columns: tuple[int, ...]


def views(missing: NDArray[np.bool_], min_rows: int) -> list[View]:
    """Return parts of a table that have no missing values, those with most rows first.

    What is computed from other columns is missing where one of them is. So the rows in which a
    column is present, and the columns that are present in all of these, show every law that gives
    it. Columns with the same rows share a view. The last one holds the rows that are complete.

    Parameters
    ----------
    missing : array of shape (n_rows, n_columns)
        Whether a value is missing.
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
        found.append(_view(missing, both if both.sum() >= ALMOST_ALL * rows.sum() else rows))
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
    """Return the rows that are complete in all columns with few gaps; they are almost all rows."""
    rows = np.ones(len(patterns), dtype=bool)
    for i in np.argsort(patterns.sum(axis=0), kind="stable"):
        fewer = rows & ~patterns[:, i]
        if fewer.sum() < ALMOST_ALL * len(rows):
            break
        rows = fewer
    return rows


def _view(missing: NDArray[np.bool_], rows: NDArray[np.bool_]) -> View:
    columns = np.flatnonzero(~missing[rows].any(axis=0))
    return View(np.flatnonzero(rows), tuple(columns.tolist()))
