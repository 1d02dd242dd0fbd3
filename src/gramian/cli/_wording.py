"""Wording of facts on the command line: options, cautions, changes of a table."""

from __future__ import annotations

from gramian._support.words import counted, plural
from gramian.tabular import FUNCTIONS, TableChanges

SHORT = {"algorithm": "-a", "n": "-n"}
"""Options that are written with one letter."""
SWITCHED_OFF = {"backward": "--forward", "header": "--no-header"}
"""Options that have a name of their own for False."""


def spelled(option: str, value: str) -> str:
    """Write an option as the command takes it.

    Parameters
    ----------
    option : str
        The name of the option, or of a command.
    value : str
        The value; an empty text or "..." for the option alone.
    """
    if option in FUNCTIONS:
        return f"gramian {option}"
    if value == "False":
        return SWITCHED_OFF[option]
    name = SHORT.get(option, f"--{option}")
    return name if value in ("", "...", "True") else f"{name} {value}"


def left_out(n_read: int, n_left_out: int) -> str:
    """Say how many rows were left out because of missing values.

    Parameters
    ----------
    n_read, n_left_out : int
        The numbers of rows.
    """
    verb = plural(n_left_out, "was", "were")
    return f"of {counted(n_read, 'row')} {n_left_out:,} {verb} left out, as values are missing"


def changes_in_words(changes: TableChanges) -> str:
    """Say in one line how a table was changed before a fit; an empty text if it was not.

    Parameters
    ----------
    changes : TableChanges
        The changes.
    """
    parts = []
    if changes.rows_left_out:
        parts.append(left_out(changes.rows_read, changes.rows_left_out))
    if changes.cells_filled:
        cells = counted(changes.cells_filled, "missing cell")
        parts.append(f"{cells} {plural(changes.cells_filled, 'was', 'were')} filled in")
    if changes.set_aside:
        names = ", ".join(f"{name!r} ({why})" for name, why in changes.set_aside.items())
        parts.append(f"set aside: {names}")
    if changes.beside:
        parts.append(f"text, kept as it is: {', '.join(map(repr, changes.beside))}")
    return "; ".join(parts)
