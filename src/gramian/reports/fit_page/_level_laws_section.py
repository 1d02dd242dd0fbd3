"""Section of the page about columns that take no part in the fit.

These are columns of text, and columns that a law of levels computes. A law of levels maps each
level (a category, an interval of numbers, or a part of a date) to the value of another column.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from gramian._support.words import cut
from gramian.models import Preprocessing
from gramian.reports.fit_page._page_text import clean

MAX_LEVELS = 60
"""Largest number of levels that the page lists for one law."""
BRIEF = 3
"""Number of levels in the first line of a law; the reader opens the line to see more levels."""
MAX_TEXT = 400
"""Largest number of letters in the first line of a law."""


@dataclass(frozen=True)
class LevelEntry:
    """A column that is looked up by the distinct values of other columns."""

    column: str
    law: str
    """First line of the law, with its first levels."""
    causes: list[str]
    """Names of the columns that the column follows from."""
    head: str
    """Heading above the list of levels."""
    entries: list[tuple[str, str]]
    """First levels of the law, each with the value of the column there."""
    n_more: int
    """Number of levels that the page does not list."""


@dataclass(frozen=True)
class BesideEntries:
    """Columns of a table that take no part in the fit."""

    labels: list[str]
    """Columns of text that are kept unchanged."""
    given: list[LevelEntry]
    """Columns that laws of levels compute, and that can be dropped."""

    @property
    def n_columns(self) -> int:
        """Number of columns that take no part in the fit."""
        return len(self.labels) + len(self.given)


def beside_entries(preprocessing: Preprocessing | None) -> BesideEntries:
    """Return the columns that take no part in a fit, in the form that the page shows.

    Parameters
    ----------
    preprocessing : Preprocessing or None
        Steps that turn the table into the numbers of the fit; None if the fit uses all columns.
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
