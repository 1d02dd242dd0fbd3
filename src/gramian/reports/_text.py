"""Names and numbers as a page shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MAX_NAME = 120
"""Longer names are cut."""
MAX_LISTED = 5
"""So many columns are named in a sentence."""


def clean(name: str) -> str:
    """Return a name that fits on a line: without control characters, and not too long."""
    printable = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name
    )
    if not printable.strip():
        return "(no name)"
    return printable if len(printable) <= MAX_NAME else printable[: MAX_NAME - 1] + "…"


def unique(names: Sequence[str]) -> list[str]:
    """Return names that fit on a line, with the index where several are the same."""
    cleaned = [clean(name) for name in names]
    number = Counter(cleaned)
    return [name if number[name] == 1 else f"{name} #{i}" for i, name in enumerate(cleaned)]


def listed(names: Sequence[str]) -> str:
    """Write the first few names, and how many more there are."""
    quoted = [f"“{name}”" for name in names[:MAX_LISTED]]
    more = len(names) - MAX_LISTED
    if more > 0:
        return f"{', '.join(quoted)} and {more:,} more"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
