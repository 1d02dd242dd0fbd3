"""New labels: texts that no row had when the laws were found, and that are no misspelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.laws.columns import ColumnFacts
from gramian.laws.forms import LawCheck, Lookup

LETTERS_A_MISTAKE = 4
"""A misspelled label differs by one letter for each so many letters of the right one."""


def new_labels(
    checks: Sequence[LawCheck],
    broken: NDArray[np.bool_],
    name: str,
    cells: NDArray[Any],
    given: NDArray[Any],
    facts: ColumnFacts | None,
) -> NDArray[np.bool_]:
    """Return the rows in which a cell is a new label, about which the laws know nothing.

    The row breaks only lookups that give the column. No row had the label when the laws were found,
    and it is no misspelling of the label that the lookups give.

    Parameters
    ----------
    checks : sequence of LawCheck
        The laws.
    broken : array of shape (n_checks, n_rows)
        True where a row breaks a law.
    name : str
        The column.
    cells, given : array of shape (n_rows,)
        Its cells, and the values that the laws give for them.
    facts : ColumnFacts or None
        The column of the table in which the laws were found.
    """
    levels = () if facts is None else facts.levels
    found = np.array([isinstance(each, str) for each in cells], dtype=bool)
    for check, hurt in zip(checks, broken, strict=True):
        law = check.law
        if not isinstance(law, Lookup) or law.column != name or not law.is_text:
            found &= ~hurt
        elif levels:
            found &= ~hurt | ~np.isin(cells.astype(str), levels)
        elif check.allowed_share:  # a label of its exceptions may be unknown to the lookup
            found &= ~hurt
        else:
            found &= ~hurt | ~law.has(cells)
    at = np.flatnonzero(found)
    pairs = {(cells[i], given[i]) for i in at}
    like = {pair for pair in pairs if isinstance(pair[1], str) and is_misspelling(*pair)}
    found[[i for i in at if (cells[i], given[i]) in like]] = False
    return found


def is_misspelling(found: str, right: str) -> bool:
    """Return True if a label is a few letters from another, and not of another number.

    Parameters
    ----------
    found, right : str
        The labels.

    Examples
    --------
    >>> from gramian.laws.checks._new_labels import is_misspelling
    >>> is_misspelling("Gratz", "Graz"), is_misspelling("zone 12", "zone 11")
    (True, False)
    """
    one, other = (" ".join(each.casefold().split()) for each in (found, right))
    if one == other:
        return True
    if [*filter(str.isdigit, one)] != [*filter(str.isdigit, other)]:
        return False
    most = len(other) // LETTERS_A_MISTAKE
    return abs(len(one) - len(other)) <= most and _n_mistakes(one, other) <= most


def _n_mistakes(one: str, other: str) -> int:
    """Return how many letters were left out, added, replaced, or swapped with the next letter."""
    before: Mapping[int, int] = {}
    last = {j: j + 1 for j in range(-1, len(other))}
    for i, letter in enumerate(one):
        row = {-1: i + 1}
        for j, right in enumerate(other):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != right))
            if i and j and letter == other[j - 1] and one[i - 1] == right:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[len(other) - 1]
