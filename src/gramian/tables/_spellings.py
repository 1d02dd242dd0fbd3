"""Spellings of numbers and times in text files that PyArrow does not read as people mean them.

A number may be written as 1.234,5 or 12.9% or €5.59; a time may have an offset from UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute

from gramian.tables._kinds import in_zone, without_words

DECIMALS = (".", ",")
"""Signs before the fraction of a number; the other one may separate thousands."""
SIGNS = "€$£¥%"
"""Signs that may stand before or after a number."""
BLANKS = "[ \u00a0\u202f'\u2019]"
"""Pattern of a blank or an apostrophe that separates thousands."""
BLANK = "[ \u00a0\u202f]?"
FIRST = re.compile(rf"[+-]?([{SIGNS}]?){BLANK}[+-]?[0-9.,].*?([{SIGNS}]?)")
"""Pattern of a cell, to find the signs before and after its number."""
ENOUGH_COMMAS = 10
"""Number of cells such as 1,234 beside cells such as 987 that make 1,234 a whole number."""
OFFSET = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})$"
"""Pattern of an offset from UTC at the end of a time."""


class Spelling(Protocol):
    """A way in which all cells of a column are written, and how they become values."""

    @property
    def kind(self) -> Any:
        """PyArrow type of the values."""

    @property
    def note(self) -> str:
        """Example for the user, such as "1,5 is 1.5"; empty if the values are no surprise."""

    def misfits(self, column: Any) -> Any:
        """Return a mask of the cells of a column of text that are written in another way."""

    def values(self, column: Any) -> Any:
        """Convert a column of text to values; all cells must be written in this way."""


@dataclass(frozen=True)
class NumberSpelling:
    """Numbers with a decimal comma, with separated thousands, or with a sign such as % or €."""

    decimal: str
    before: str = ""
    after: str = ""
    note: str = ""

    @property
    def kind(self) -> Any:
        """PyArrow type of the values: floats."""
        return pa.float64()

    @property
    def pattern(self) -> str:
        """Regular expression that matches all cells written in this way."""
        point, comma = (re.escape(each) for each in self._signs)
        whole = rf"(?:0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:{comma}[0-9]{{3}})+)"
        apart = rf"[1-9][0-9]{{0,2}}(?:{BLANKS}[0-9]{{3}})+"
        # 49 301 234 may be a telephone number: without a sign or a fraction it is none of ours.
        fraction = rf"(?:{point}[0-9]+)"
        apart += f"{fraction}?" if self.before or self.after else fraction
        before, after = re.escape(self.before), re.escape(self.after)
        body = rf"(?:{whole}{fraction}?|{point}[0-9]+|{apart})"
        return rf"^[+-]?{before}{BLANK}[+-]?{body}{BLANK}{after}$"

    @property
    def _signs(self) -> tuple[str, str]:
        """The sign before the fraction, and the sign that separates thousands."""
        return self.decimal, "," if self.decimal == "." else "."

    def misfits(self, column: Any) -> Any:
        """Return a mask of the cells of a column of text that are written in another way."""
        return pa.compute.invert(pa.compute.match_substring_regex(column, self.pattern))

    def values(self, column: Any) -> Any:
        """Convert a column of text to floats."""
        point, comma = (re.escape(each) for each in self._signs)
        plain = pa.compute.replace_substring_regex(column, rf"[^0-9+\-{point}]|{comma}", "")
        return pa.compute.replace_substring(plain, self.decimal, ".").cast(pa.float64())


@dataclass(frozen=True)
class TimeSpelling:
    """Times with an offset from UTC; their values are those of the wall clock."""

    offset: str | None
    """Offset of all times, such as +01:00; None if they differ."""

    @property
    def kind(self) -> Any:
        """PyArrow type of the values: times with a zone if all have one offset."""
        return pa.timestamp("us", self.offset)

    @property
    def note(self) -> str:
        """Always empty: times of the wall clock need no example for the user."""
        return ""

    def misfits(self, column: Any) -> Any:
        """Return a mask of the cells of a column of text that are written in another way."""
        return pa.compute.invert(pa.compute.match_substring_regex(column, OFFSET))

    def values(self, column: Any) -> Any:
        """Convert a column of text to times."""
        wall = pa.compute.replace_substring_regex(column, OFFSET, "").cast(pa.timestamp("us"))
        return wall if self.offset is None else in_zone(wall, self.offset)


def time_spelling(column: Any) -> TimeSpelling | None:
    """Return the spelling of times; None if PyArrow reads them as they are written.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of str
        Times that PyArrow reads as times with a zone.
    """
    found = pa.compute.extract_regex(present(column), f"(?P<offset>{OFFSET})")
    offsets = {*pa.compute.struct_field(found, "offset").unique().drop_null().to_pylist()}
    if offsets <= {"Z"}:
        return None
    only = next(iter(offsets)) if len(offsets) == 1 else None
    return TimeSpelling(only if only is None or ":" in only else f"{only[:3]}:{only[3:]}")


def number_spellings(column: Any, decimal: str | None) -> list[NumberSpelling]:
    """Return the spellings that fit all cells of a column: none, one, or two if it is ambiguous.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of str
        Cells of the column; words such as "NA" are missing values.
    decimal : str or None
        The sign before fractions if the user has named it.
    """
    cells = present(column)
    first = FIRST.fullmatch(cells[0].as_py()) if len(cells) else None
    if first is None:
        return []
    before, after = first[1], first[2]
    compute = pa.compute
    found = [
        NumberSpelling(each, before, after)
        for each in DECIMALS
        if decimal in (None, each)
        and not compute.any(NumberSpelling(each, before, after).misfits(cells)).as_py()
    ]
    if decimal is None:
        commas = compute.match_substring(cells, ",")
        has_comma = compute.any(commas).as_py()
        if not has_comma and not before and not after:
            return []  # 123.456.789 may be the number of an article
        if len(found) > 1 and (not has_comma or _are_thousands(cells, commas)):
            found = found[:1]
    return [_with_note(each, cells) for each in found]


def _are_thousands(cells: Any, commas: Any) -> bool:
    """Return True if commas in cells such as 987 and 1,234 surely separate thousands.

    They do if it is improbable that all fractions have exactly three digits by chance.

    Parameters
    ----------
    cells : pyarrow.ChunkedArray of str
        Cells that fit both spellings: all commas are followed by three digits.
    commas : pyarrow.ChunkedArray of bool
        Mask of the cells with a comma.
    """
    short = pa.compute.match_substring_regex(cells, "^[^0-9]*[0-9]{1,3}[^0-9]*$")
    n_commas = pa.compute.sum(commas).as_py()
    whole = len(cells) - n_commas
    return bool(n_commas >= ENOUGH_COMMAS and 0 < whole == pa.compute.sum(short).as_py())


def _with_note(spelling: NumberSpelling, cells: Any) -> NumberSpelling:
    """Return a spelling with an example for the user: the longest of the first cells.

    A spelling is a way to write numbers, such as 1,5 for 1.5.
    """
    example = max(cells[:100].to_pylist(), key=len)
    value = spelling.values(pa.array([example]))[0].as_py()
    return NumberSpelling(
        spelling.decimal, spelling.before, spelling.after, f"{example} is {value:.15g}"
    )


def present(column: Any) -> Any:
    """Return the cells of a column of text that are not missing, without blanks around them."""
    return without_words(pa.compute.utf8_trim_whitespace(column)).drop_null()


def values_of(spelling: Spelling, column: Any) -> Any:
    """Convert a column of text to values; raise ValueError if a cell is written in another way.

    Parameters
    ----------
    spelling : Spelling
        The spelling of the column.
    column : pyarrow.ChunkedArray of str
        Cells of the column; words such as "NA" are missing values.
    """
    cells = without_words(pa.compute.utf8_trim_whitespace(column))
    place = pa.compute.index(spelling.misfits(cells), True).as_py()
    if place >= 0:
        raise ValueError(f"{cells[place].as_py()!r} is not written as the cells before it are")
    return spelling.values(cells)
