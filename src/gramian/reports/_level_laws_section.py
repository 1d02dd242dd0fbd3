"""Columns beside a fit: text that stays, and what laws of levels give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from gramian._support.words import cut
from gramian.models import Preprocessing
from gramian.reports._page_text import clean

MAX_LEVELS = 60
"""The page shows at most this many levels of a law."""
BRIEF = 3
"""Before a law is opened, it shows at most this many levels."""
MAX_TEXT = 400


@dataclass(frozen=True)
class LevelEntry:
    """A column that a law of levels gives."""

    column: str
    law: str
    """The law, with the first levels."""
    causes: list[str]
    head: str
    """What the levels are of."""
    entries: list[tuple[str, str]]
    """The first levels, and what holds there."""
    n_more: int


@dataclass(frozen=True)
class BesideEntries:
    """What belongs to a table and takes no part in the fit."""

    labels: list[str]
    """Columns of text that are kept as they are."""
    given: list[LevelEntry]
    """Columns that can be dropped."""

    @property
    def n_columns(self) -> int:
        """How many columns there are beside the fit."""
        return len(self.labels) + len(self.given)


def beside_entries(preprocessing: Preprocessing | None) -> BesideEntries:
    """Return the columns beside a fit, as the page shows them.

    Parameters
    ----------
    preprocessing : Preprocessing or None
        What happens to the table before the fit.
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
