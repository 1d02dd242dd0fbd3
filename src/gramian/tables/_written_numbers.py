"""Written numbers: numbers as text in the spelling of a column, the inverse of reading them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gramian.tables._kinds import pyarrow

if TYPE_CHECKING:
    from gramian.tables._spellings import NumberSpelling

GROUP = re.compile(r"\B(?=([0-9]{3})+$)")
"""Pattern of the places between groups of three digits."""


@dataclass(frozen=True)
class NumberWriting:
    """How the numbers of a column are written.

    Attributes
    ----------
    spelling : NumberSpelling
        How the numbers are read.
    blanks : tuple of str
        What is between a sign such as $ and the number, and between the number and a sign such as
        %; mostly nothing.
    thousands : str
        What separates groups of three digits; empty if nothing does.
    least : int
        The number of decimals that each number has at least.
    minus_inside : bool
        True for $-5, False for -$5.
    plus : bool
        True if positive numbers have a sign.
    """

    spelling: NumberSpelling
    blanks: tuple[str, str] = ("", "")
    thousands: str = ""
    least: int = 0
    minus_inside: bool = False
    plus: bool = False

    def text(self, value: float) -> str:
        """Return a number as text; reading the text gives the number."""
        digits = np.format_float_positional(abs(value), trim="-")
        whole, _, fraction = digits.partition(".")
        fraction = f"{fraction:0<{self.least}}"
        by_blanks = self.thousands not in ("", ".", ",")
        signs = self.spelling.before or self.spelling.after
        if self.thousands and not (by_blanks and not signs and not fraction):
            whole = GROUP.sub(self.thousands, whole)
        body = f"{whole}{self.spelling.decimal}{fraction}" if fraction else whole
        sign = "-" if value < 0 else "+" if self.plus and value > 0 else ""
        outside, inside = ("", sign) if self.minus_inside else (sign, "")
        before, after = self.spelling.before, self.spelling.after
        return f"{outside}{before}{self.blanks[0]}{inside}{body}{self.blanks[1]}{after}"


def writing_of_column(cells: Sequence[str], decimal: str) -> NumberWriting | None:
    """Return how the numbers of a column are written; None if they are written in several ways.

    Parameters
    ----------
    cells : sequence of str
        Cells of the column.
    decimal : str
        The sign before fractions, if the cells do not tell.
    """
    from gramian.tables._spellings import number_spellings  # needs PyArrow

    pa = pyarrow()
    found = number_spellings(pa.chunked_array([pa.array(cells, pa.string())]), None)
    found = [each for each in found if each.decimal == decimal] if len(found) > 1 else found
    return writing_of(cells, found[0]) if found else None


def writing_of(cells: Iterable[str], spelling: NumberSpelling) -> NumberWriting | None:
    """Return how the numbers of a column are written; None if they are written in several ways.

    Parameters
    ----------
    cells : iterable of str
        Cells of the column, which are all written in the spelling or are words such as "NA".
    spelling : NumberSpelling
        How the numbers are read.
    """
    from gramian.tables._spellings import BLANK, BLANKS

    before, after, point = map(re.escape, (spelling.before, spelling.after, spelling.decimal))
    pattern = re.compile(
        rf"([+-]?){before}({BLANK})([+-]?)([0-9.,]*(?:{BLANKS}[0-9.,]+)*?)({BLANK}){after}"
    )
    found = [match.groups() for match in map(pattern.fullmatch, map(str.strip, cells)) if match]
    bodies = [re.fullmatch(rf"(.*?)(?:{point}([0-9]*))?", each[3]) for each in found]
    parts = [(each[1], each[2] or "") for each in bodies if each is not None]
    thousands = {re.sub("[0-9]", "", whole)[:1] for whole, _ in parts if _n_digits(whole) > 3}
    blanks = {(each[1], each[4]) for each in found}
    places = {bool(each[2]) for each in found if each[0] or each[2]}
    pluses = {"+" in each[0] + each[2] for each in found if "-" not in each[0] + each[2]}
    if not found or any(len(each) > 1 for each in (thousands, blanks, places, pluses)):
        return None
    return NumberWriting(
        spelling,
        next(iter(blanks)),
        next(iter(thousands), ""),
        min(len(fraction) for _, fraction in parts),
        True in places,
        True in pluses,
    )


def _n_digits(text: str) -> int:
    return sum(map(str.isdigit, text))
