"""Cells and rows as the page shows them: numbers as they are printed, dates as dates."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gramian._support.words import cut, one_line
from gramian.formulas import MINUS, number, quote
from gramian.tables import TEXT, Table

CELL_DIGITS = 15
"""Largest number of significant digits of a cell: all that the cells of a file have."""
MAX_CELL = 60
"""Largest number of letters of a cell on the page; longer cells are cut."""
EMPTY = "(empty)"
CHUNK = 2**20
"""Number of bytes of a file that are looked at together."""


@dataclass(frozen=True)
class RowNumbers:
    """How the page counts rows, which are counted from 0 in Python."""

    first: int
    """The number of the first row."""
    words: str
    """How rows are counted, in words that follow "counted"."""
    key: str | None = None
    """The column that names the rows; None if there is none."""
    names: Sequence[str] = field(default=(), repr=False)
    """The cells of this column."""

    def __call__(self, row: int) -> int:
        """Return the number that the page shows for a row."""
        return row + self.first

    def name(self, row: int) -> str | None:
        """Return the name of a row; None if rows have none."""
        return None if self.key is None else self.names[row]

    def named(self, row: int) -> str:
        """Return the number of a row with its name, such as "7 (order A-12)", for a sentence."""
        name = self.name(row)
        return (
            f"{self(row)}"
            if name is None
            else f"{self(row)} ({quote(self.key or '')} {_cut(name)})"
        )

    def in_table(self, row: int) -> str:
        """Return the number of a row with its name, such as "7 (A-12)", below `head`."""
        name = self.name(row)
        return f"{self(row)}" if name is None else f"{self(row)} ({_cut(name)})"

    @property
    def head(self) -> str:
        """The head of a table's column with `in_table`."""
        return "row" if self.key is None else f"row ({self.key})"

    @classmethod
    def of(cls, table: Table) -> RowNumbers:
        """Return the numbers of the rows of a table: those of a spreadsheet for a text file."""
        if table.format not in TEXT or table.delimiter is None:  # several files have none
            return cls(0, "from 0")
        blank = ", and blank lines are not counted" if _has_blank_lines(table.name) else ""
        if table.named:
            words = "as a spreadsheet counts them: row 2 is the first row below the header"
            return cls(2, f"{words}{blank}")
        return cls(1, f"from 1{blank}")


def _has_blank_lines(path: str) -> bool:
    """Return True if a text file has blank lines before its last row; readers skip them."""
    if not Path(path).is_file():
        return False
    tail, blank = b"", False
    with Path(path).open("rb") as stream:
        while piece := stream.read(CHUNK):
            text = (tail + piece).replace(b"\r", b"")
            if blank and text.strip(b"\n"):
                return True
            blank = blank or b"\n\n" in text
            if b"\n\n" in text.rstrip(b"\n"):
                return True
            tail = text[-1:]
    return False


def _cut(text: str) -> str:
    return cut(one_line(text), MAX_CELL)


def cell_text(value: Any) -> str:
    """Return a cell as text: a date without its time at midnight, a number with all its digits.

    Parameters
    ----------
    value : object
        The cell: a number, text, date, or None.
    """
    if value is None:
        return EMPTY
    if isinstance(value, bool | str):
        return _cut(str(value))
    if isinstance(value, datetime.datetime | datetime.date | np.datetime64):
        text = str(np.datetime64(value, "us") if isinstance(value, datetime.datetime) else value)
        return text.removesuffix("T00:00:00.000000").removesuffix(".000000").replace("T", " ")
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value)}".replace("-", MINUS)
    return number(float(value), CELL_DIGITS)


def rounded_up(value: float) -> str:
    """Return an error as text with two digits, rounded up: the largest error is at most this.

    Parameters
    ----------
    value : float
        The error, which is finite and not negative.
    """
    shown = float(f"{value:.1e}")
    if shown < value:
        shown += 10.0 ** (math.floor(math.log10(value)) - 1)
    return number(shown, 2)


def cell_value(value: Any) -> Any:
    """Return a cell as JSON has it: dates as text, and numbers that are not finite as text.

    Parameters
    ----------
    value : object
        The cell: a number, text, date, or None.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    return cell_text(value)
