"""Error messages of PyArrow about text files, with names of columns in place of their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence


def plainly(message: str, names: Sequence[str], named: bool) -> str:
    """Rewrite an error message of PyArrow: columns by name, and rows counted from 0.

    Parameters
    ----------
    message : str
        The message.
    names : sequence of str
        Names of the columns of the file.
    named : bool
        True if the first line of the file has the names of the columns.
    """
    message = message.splitlines()[0].rstrip(".")
    message = re.sub(
        r"In CSV column #(\d+)", lambda found: f"column {names[int(found[1])]!r}", message
    )
    before = 2 if named else 1
    numbered = re.sub(
        r"Row #(\d+)", lambda found: f"row {int(found[1]) - before}", message, count=1
    )
    if numbered == message:
        return f"{message}."
    heading = ", the heading not counted" if named else ""
    return f"{numbered}. (The first row is row 0{heading}.)"
