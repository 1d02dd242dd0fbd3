"""Texts in comments of exported files: one line each."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Return a text with letters such as line ends written as escapes.

    Parameters
    ----------
    text : str
        Any text, such as a law with hostile names of columns.
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
