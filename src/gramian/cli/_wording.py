"""Texts of the command line: spelling of options, and sentences about changes of a table."""

from __future__ import annotations

from collections.abc import Collection

from gramian._support.words import counted, plural
from gramian.tabular import FUNCTIONS, TableChanges, examples

SHORT = {"algorithm": "-a", "n": "-n", "random_state": "--seed"}
"""Options that have another name in the command than in Python."""
SWITCHED_OFF = {"backward": "--forward", "header": "--no-header"}
"""For options that another option sets to False: the name, and how the other one is typed."""


def spelled(option: str, value: str) -> str:
    """Return an option as a user types it on the command line, such as "--degree 3".

    Parameters
    ----------
    option : str
        The name of the option, or of a command.
    value : str
        The value of the option; with an empty text or "...", only the option's name is returned.
    """
    if option in FUNCTIONS:
        return f"gramian {option}"
    if value == "False":
        return SWITCHED_OFF[option]
    name = SHORT.get(option, f"--{option.replace('_', '-')}")
    return name if value in ("", "...", "True") else f"{name} {value}"


def left_out(n_read: int, n_left_out: int) -> str:
    """Return a text that says how many rows were left out because of missing values.

    Parameters
    ----------
    n_read, n_left_out : int
        The number of rows that were read, and the number of rows that were left out.
    """
    verb = plural(n_left_out, "was", "were")
    return f"of {counted(n_read, 'row')} {n_left_out:,} {verb} left out, as values are missing"


def changes_in_words(changes: TableChanges, shown: Collection[str] = ()) -> str:
    """Return a line that says how a table was changed before a fit; empty if it was not changed.

    Parameters
    ----------
    changes : TableChanges
        The changes of rows and columns.
    shown : collection of str
        Columns that the line does not name as set aside, or as kept as they are.
    """
    parts = []
    if changes.rows_left_out:
        rows = f"{changes.rows_left_out:,} of {counted(changes.rows_read, 'row')}"
        parts.append(f"the fit left out {rows}, as values are missing")
    if changes.cells_filled:
        cells = counted(changes.cells_filled, "missing cell")
        parts.append(f"{cells} {plural(changes.cells_filled, 'was', 'were')} filled in")
    set_aside = [
        f"{name!r} ({why})" for name, why in changes.set_aside.items() if name not in shown
    ]
    if set_aside:
        parts.append(f"set aside: {', '.join(set_aside)}")
    if beside := [repr(name) for name in changes.beside if name not in shown]:
        parts.append(f"text or codes, kept as they are: {', '.join(beside)}")
    if changes.spellings:
        parts.append(f"read as numbers: {examples(changes.spellings)}")
    return "; ".join(parts)
