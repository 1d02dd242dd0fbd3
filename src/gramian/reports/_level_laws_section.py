"""Section of the page about columns beside a fit: text, and columns that laws of levels give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from gramian._support.words import cut
from gramian.models import Preprocessing
from gramian.reports._page_text import clean

MAX_LEVELS = 60
"""Largest number of levels of a law on the page."""
BRIEF = 3
"""Number of levels in the first line of a law, before the reader opens it."""
MAX_TEXT = 400
"""Largest number of letters in the first line of a law."""


@dataclass(frozen=True)
class LevelEntry:
    """A column that a law of levels gives."""

    column: str
    law: str
    """First line of the law, with the first levels."""
    causes: list[str]
    head: str
    """Title of the levels."""
    entries: list[tuple[str, str]]
    """First levels, each with its value."""
    n_more: int


@dataclass(frozen=True)
class BesideEntries:
    """Columns of a table that take no part in the fit."""

    labels: list[str]
    """Columns of text that are kept unchanged."""
    given: list[LevelEntry]
    """Columns that laws of levels give, and that can be dropped."""

    @property
    def n_columns(self) -> int:
        """Number of columns beside the fit."""
        return len(self.labels) + len(self.given)


def beside_entries(preprocessing: Preprocessing | None) -> BesideEntries:
    """Return the columns beside a fit in the form that the page shows.

    Parameters
    ----------
    preprocessing : Preprocessing or None
        Steps from the table to the numbers of the fit.
    """
    if preprocessing is None:
        return BesideEntries([], [])
    given = []
    for law in preprocessing.beside.lookups:
        shown = [(clean(level), clean(value)) for level, value in islice(law.entries(), MAX_LEVELS)]
        n_levels = sum(1 for _ in law.entries())
        brief = "; ".join(f"{level}: {value}" for level, value in shown[:BRIEF])
        text = f"{brief}{'; ...' if n_levels > BRIEF else ''} ({law.size})" if shown else law.text
        given.append(
            LevelEntry(
                clean(law.column),
                cut(text, MAX_TEXT),
                [clean(name) for name in law.causes],
                clean(law.head),
                shown,
                n_levels - len(shown),
            )
        )
    return BesideEntries([clean(name) for name in preprocessing.beside.labels], given)
