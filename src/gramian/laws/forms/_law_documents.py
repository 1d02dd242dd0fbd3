"""Stored laws: reading a law of any form from its document, and testing it on a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gramian.laws.columns import Cell, Key
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._composed_date import ComposedDate
from gramian.laws.forms._lookup import Lookup
from gramian.laws.forms._slopes import Slopes
from gramian.laws.forms._solution import Solution

READERS: Mapping[str, Callable[[Any], ColumnLaw]] = {
    "lookup": Lookup.from_json,
    "slopes": Slopes.from_json,
    "date": ComposedDate.from_json,
}
"""Readers of stored laws: key that only documents of one form have → reader of this form.

A document without any of these keys is a `Solution`.
"""
PRINTED_AGREEMENT = 1e-6
"""Numbers count as equal up to this relative or absolute difference, as they may be rounded."""


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

    A row is complete if no column of the law is missing.

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
    near = 0.0 if law.gives_dates else PRINTED_AGREEMENT
    pairs = [
        (value, row[0])
        for value, *row in zip(expected, *there, strict=True)
        if all(each is not None for each in row)
    ]
    return len(pairs), sum(_equal(a, b, near) for a, b in pairs)


def _equal(one: Cell | None, other: Cell | None, near: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=near, abs_tol=near)
    return one == other
