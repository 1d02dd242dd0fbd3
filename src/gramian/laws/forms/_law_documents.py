"""Stored laws: read a law of any form from its JSON document, and test a law on a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns import Key, allowed_error
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._composed_date import ComposedDate
from gramian.laws.forms._extreme import Extreme
from gramian.laws.forms._guarded import Guarded
from gramian.laws.forms._lookup import Lookup
from gramian.laws.forms._series import Series
from gramian.laws.forms._slopes import Slopes
from gramian.laws.forms._solution import Solution

READERS: Mapping[str, Callable[[Any], ColumnLaw]] = {
    "lookup": Lookup.from_json,
    "slopes": Slopes.from_json,
    "date": ComposedDate.from_json,
    "extreme": Extreme.from_json,
    "series": Series.from_json,
    "guard": Guarded.from_json,
}
"""Readers of stored laws: key that only documents of one form have → reader of this form.

A document without any of these keys is a `Solution`.
"""
NEAREST_SHARE = 0.9
"""Share of the cells that show the printed digits of a column: those nearest to the law.

A few wrong cells with more digits do not change the digits of the column."""


def law_from_json(document: Any) -> ColumnLaw:
    """Read a stored law; nothing in the document is executed.

    Parameters
    ----------
    document : dict
        The result of `to_json`. Any other document raises a ValueError that says what is wrong.
    """
    for key, read in READERS.items():
        if isinstance(document, dict) and key in document:
            return read(document)
    return Solution.from_json(document)


def agreement(law: ColumnLaw, table: Mapping[str, Any]) -> tuple[int, int]:
    """Return (number of complete rows, number of rows in which the law holds).

    A row is complete if no column of the law is missing. A law holds in a row if the computed
    value, rounded to the printed digits of the column, is the cell.

    Parameters
    ----------
    law : ColumnLaw
        The law.
    table : mapping or data frame
        The columns of the law by name, including the column that the law computes.
    """
    there = [Key(name).cells(table[name]) for name in (law.column, *law.columns)]
    made = law(table)
    expected = Key(law.column).cells(made)
    pairs = [
        (value, row[0])
        for value, *row in zip(expected, *there, strict=True)
        if all(each is not None for each in row)
    ]
    if law.gives_dates:
        return len(pairs), sum(a == b for a, b in pairs)
    numbers = [pair for pair in pairs if all(isinstance(each, float) for each in pair)]
    n_texts = sum(a == b for a, b in pairs if isinstance(b, str))
    return len(pairs), n_texts + _n_given(*np.array(numbers, dtype=np.float64).reshape(-1, 2).T)


def _n_given(expected: Array, cells: Array) -> int:
    """Return the number of cells that a law gives, up to the printed digits of the column."""
    errors = np.abs(expected - cells)
    nearest = np.argsort(errors, kind="stable")[: math.ceil(NEAREST_SHARE * len(errors))]
    return int((errors <= allowed_error(cells[nearest])(cells)).sum())
