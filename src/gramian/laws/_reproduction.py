"""Reproduction check: laws must give the columns that they replace, in every row.

A law is found in a sample of rows, and judged by its largest term. Before a column is dropped, its
law is computed from the kept columns in all rows. The result, rounded to the digits with which the
column is printed, must be the column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns import open_coded_table, precision_of, sample_of
from gramian.laws.forms import ColumnLaw

RELATIVE = 1e-9
"""Allowed error of a cell relative to its value: laws with several steps lose some digits."""
DEVIATIONS = 1e-6
"""Allowed error of a cell that is not printed with few digits, in standard deviations."""


def unreproduced(X: Any, names: Sequence[str], laws: Sequence[ColumnLaw]) -> list[str]:
    """Return the columns of which a law misses at least one cell.

    Parameters
    ----------
    X : object
        The table, of any kind that `relations` accepts.
    names : sequence of str
        The names of all columns.
    laws : sequence of ColumnLaw
        Laws in the order of computation: a law may need columns of earlier laws.
    """
    if not laws:
        return []
    table = open_coded_table(X, names)
    place = {name: i for i, name in enumerate(table.names)}
    rows = sample_of(table, 0).rows
    allowed = {law.column: _allowed_error(rows[:, place[law.column]]) for law in laws}
    wrong: dict[str, None] = {}
    for block in table.blocks():
        known = {name: block[:, i] for name, i in place.items()}
        for law in laws:
            cells = block[:, place[law.column]]
            with np.errstate(all="ignore"):
                found = np.broadcast_to(np.asarray(law(known), dtype=np.float64), len(block))
                missed = ~(np.abs(found - cells) <= allowed[law.column](cells))
            if (missed & ~np.isnan(cells)).any():
                wrong[law.column] = None
            known[law.column] = found
    return [*wrong]


def _allowed_error(column: Array) -> Callable[[Array], Array]:
    """Return a function from cells of a column to the largest errors that rounding removes."""
    column = column[np.isfinite(column)]
    if not len(column):
        return np.zeros_like
    precision, deviation = precision_of(column), float(np.std(column))

    def allowed(cells: Array) -> Array:
        half_unit = precision.half_unit(cells)
        width = np.where(half_unit > 0, half_unit, DEVIATIONS * deviation)
        return width + RELATIVE * np.abs(cells)

    return allowed
