"""Notes of a search for laws, and those of them that the printed laws need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gramian._support.words import counted, listed, plural
from gramian.laws._any_law import AnyLaw
from gramian.tables import Clock

GAPS = "Values are missing: each law holds in the rows that have all its columns."
UNIT = re.compile(r"(?P<names>.*) counts? (days|seconds) since ", re.DOTALL)
"""Pattern of a note about the unit of dates."""
WITHOUT_UNITS = ("constant", "lookup")
"""Kinds of laws that are printed with dates, not with numbers of days or seconds."""


def unit_notes(clocks: Mapping[str, Clock]) -> list[str]:
    """Return notes about dates: in which unit they are counted, and since when.

    Parameters
    ----------
    clocks : mapping from str to Clock
        For each column of dates, the clock that converts its dates to numbers.
    """
    counting: dict[Clock, list[str]] = {}
    for name, clock in clocks.items():
        counting.setdefault(clock, []).append(name)
    return [
        f"{listed(names, len(names), str)} {plural(len(names), 'counts', 'count')} {clock}."
        for clock, names in counting.items()
    ]


def unsearched_note(n_columns: int, most: int) -> str:
    """Return the note that some laws were not searched, as the table has too many columns.

    Parameters
    ----------
    n_columns : int
        The number of columns that no law computes.
    most : int
        The largest number of columns among which these laws are searched.
    """
    return (
        "Polynomials of many columns, and logarithms and angles of more than two, were not "
        f"searched among the {counted(n_columns, 'column')} that no law computes. To search them, "
        f"choose at most {most} columns: by --columns in the command, in Python by a smaller table."
    )


def notes_for(notes: Sequence[str], laws: Sequence[AnyLaw], n_rows: int) -> Iterator[str]:
    """Yield the notes without those that no law needs.

    Units of dates are needed by laws that compute with them. That laws hold in the rows without
    gaps matters if a law has gaps.

    Parameters
    ----------
    notes : sequence of str
        The notes.
    laws : sequence of Relation, Dependency or SlopeLaw
        The printed laws.
    n_rows : int
        The number of rows of the table.
    """
    computing = {n for law in laws if law.kind not in WITHOUT_UNITS for n in law.columns}
    for note in notes:
        unit = UNIT.match(note)
        if note == GAPS:
            needed = any(law.n_rows < n_rows for law in laws)
        else:
            needed = unit is None or any(_is_in(unit["names"], name) for name in computing)
        if needed:
            yield note


def _is_in(names: str, name: str) -> bool:
    """Return True if a list of columns, as text, has a column."""
    return re.search(rf"(^|, | and ){re.escape(name)}($|, | and )", names) is not None
