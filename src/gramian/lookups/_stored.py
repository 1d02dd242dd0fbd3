"""Stored laws of levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gramian.lookups._date import ComposedDate
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
    raise ValueError(f"A stored law of levels is one of {sorted(READERS)}.")
