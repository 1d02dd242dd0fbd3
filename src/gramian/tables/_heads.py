"""Facts that the beginning of a text file tells: the delimiter, and if PyArrow may skip rows."""

from __future__ import annotations

import re
from typing import Any

SNIFFED_BYTES = 2**16
"""Number of bytes at the beginning of a file from which the delimiter is guessed."""
SNIFFED_LINES = 20
"""Largest number of lines from which the delimiter is guessed."""
SIGNS = ";\t|,"
"""Characters that are tried as delimiters, in this order."""


def delimiter_of(head: bytes, usual: str) -> str:
    """Guess the delimiter: a character that occurs equally often in each of the first lines.

    Parameters
    ----------
    head : bytes
        Beginning of the file.
    usual : str
        Usual delimiter of the format. It is tried first, and returned if no character suits.
    """
    unquoted = re.sub(rb'"[^"]*"', b"", head[:SNIFFED_BYTES])
    lines = [line for line in unquoted.splitlines()[:SNIFFED_LINES] if line.strip()]
    if len(lines) > 1 and len(head) > SNIFFED_BYTES:
        lines = lines[:-1]  # the last line may be cut short
    for sign in usual + SIGNS:
        counts = {line.count(sign.encode()) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return sign
    return usual


def skipping(head: bytes) -> dict[str, Any]:
    """Return the option for PyArrow that skips rows with too many or too few cells.

    For a file that is not UTF-8 the result is empty. PyArrow converts skipped rows to text, and
    would only print an error for such a file; without the option it raises the error.
    """
    try:
        head.decode()
    except UnicodeDecodeError:
        return {}
    return {"invalid_row_handler": lambda row: "skip"}
