"""Stored laws of levels, and whether tables keep them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gramian.lookups._date import ComposedDate
from gramian.lookups._keys import Cell, Key
from gramian.lookups._lookup import Lookup
from gramian.lookups._slopes import Slopes

LevelLaw = Lookup | Slopes | ComposedDate
"""How a column is computed by levels of others, or a date by its parts."""
READERS: Mapping[str, Callable[[Any], LevelLaw]] = {
    "lookup": Lookup.from_json,
    "slopes": Slopes.from_json,
    "date": ComposedDate.from_json,
}
"""By the entry that a stored law of each kind has."""
NEAR = 1e-6
"""Numbers that differ by a smaller share, or less, agree: columns may be printed."""


def is_level_law(document: Any) -> bool:
    """Return whether something stored says that it is a law of levels."""
    return isinstance(document, dict) and any(kind in document for kind in READERS)


def level_law(document: Any) -> LevelLaw:
    """Read a stored law of levels; nothing in it is executed.

    Parameters
    ----------
    document : dict
        What `to_json` returned. Anything else is a ValueError that says what is wrong.
    """
    for kind, read in READERS.items():
        if isinstance(document, dict) and kind in document:
            return read(document)
    raise ValueError(f"A stored law of levels must be one of {sorted(READERS)}.")


def agreement(law: LevelLaw, table: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many rows have all columns of a law, and in how many of them it holds.

    Parameters
    ----------
    law : LevelLaw
        The law.
    table : mapping or data frame
        Its columns by name, the one that it gives among them.
    """
    there = [Key(name).cells(table[name]) for name in (law.column, *law.columns)]
    made = law(table)
    expected = Key(law.column).cells(made)
    near = 0.0 if made.dtype.kind == "M" else NEAR
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
