"""Names of columns in the form that a page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gramian._support.words import cut

MAX_NAME = 120
"""Largest number of letters in the name of a column on the page; longer names are cut."""


def clean(name: str) -> str:
    """Return a name that can be shown on one line: without control characters, and cut if long."""
    printable = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name
    )
    if not printable.strip():
        return "(no name)"
    return cut(printable, MAX_NAME)


def unique(names: Sequence[str]) -> list[str]:
    """Return a different one-line name for each column: equal names get "#" and their index."""
    cleaned = [clean(name) for name in names]
    number = Counter(cleaned)
    return [name if number[name] == 1 else f"{name} #{i}" for i, name in enumerate(cleaned)]
