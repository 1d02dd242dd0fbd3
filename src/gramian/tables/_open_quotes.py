"""Check that the quotes of a text file are closed where the person who wrote them meant it.

A quote that opens a cell makes all line ends up to the next quote a part of the cell. One stray
quote so hides rows: all of them up to the next quote, or to the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gramian.exceptions import TableError
from gramian.tables._text_style import BYTE_ORDER_MARK

QUOTED = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')
"""Pattern of a cell in quotes, without what may follow the closing quote."""
NUMBER = re.compile(rb"[^\w\s]{0,4}[0-9][0-9.,:/\- TZeE%]*")
"""Pattern of a cell that is a number, a date or a time."""
ENOUGH_NUMBERS = 3
"""Number of cells with numbers that make rows of lines within quotes; two columns are enough."""
ENOUGH_SIGNS = 20
"""Number of separators that make rows of lines within quotes, if the table has no numbers."""
MOST_LINES = 1000
"""Largest number of lines within quotes that are looked at."""
MOST_BYTES = 2**27
"""A cell that is longer cannot be read."""


class QuoteCheck:
    """Search for a quote of a text file that takes several rows into one cell.

    Parameters
    ----------
    name : str
        Name of the table, for messages.
    delimiter : str
        Character that separates the cells.
    n_columns : int
        Number of columns.
    named : bool
        True if the first line has the names of the columns.
    """

    def __init__(self, name: str, delimiter: str, n_columns: int, named: bool) -> None:
        self._name, self._sign, self._named = name, delimiter.encode(), named
        self._n_signs = n_columns - 1
        ends = re.escape(self._sign) + rb"\r\n"
        # Text without quotes, quotes that are letters, and cells in quotes that end in their line.
        self._harmless = re.compile(
            rb'(?:[^"]++|(?<=[^%b])"|(?<![^%b])"[^"\r\n]*+(?:""[^"\r\n]*+)*+")*+' % (ends, ends)
        )
        self._line_end, self._line = b"\n", 1

    def check(self, parts: Iterable[bytes]) -> None:
        """Raise TableError if a quote is not closed, or closed some rows below.

        Parameters
        ----------
        parts : iterable of bytes
            Content of the file, uncompressed, in parts of any size.
        """
        rest, place = b"", 0
        for part, last in _with_end(parts):
            block = rest + part
            if self._line == 1:
                self._line_end = b"\n" if b"\n" in block else b"\r"
            cut = len(block) if last else 1 + block.rfind(self._line_end)
            place = self._next_open(block[:cut], place, last)
            start = self._start_of_line(block, place)
            self._line += block.count(self._line_end, 0, start)
            rest, place = block[start:], place - start

    def _next_open(self, block: bytes, place: int, last: bool) -> int:
        """Return the place of the quote that is open at the end of a block, or the block's end.

        Parameters
        ----------
        block : bytes
            Complete lines of the file.
        place : int
            The place from which on the block is searched: no quote is open there.
        last : bool
            True if the file ends with the block.
        """
        ends = b"", b"\r", b"\n", self._sign
        while (place := self._after_harmless(block, place)) < len(block):
            found = QUOTED.match(block, place)
            end = len(block) if found is None else found.end()
            if found is None and (last or end - place > MOST_BYTES):
                raise self._error(block, place, "is not closed")
            if block[end : end + 1] not in ends or self._are_rows(block, place, end):
                raise self._error(block, place, "hides the rows below, up to the next quote")
            if found is None:
                return place
            place = end
        return len(block)

    def _after_harmless(self, block: bytes, place: int) -> int:
        """Return the place of the next quote that opens a cell of several lines, or the end."""
        if block.find(b'"', place) < 0:
            return len(block)
        found = self._harmless.match(block, place)
        return len(block) if found is None else found.end()

    def _are_rows(self, block: bytes, place: int, end: int) -> bool:
        """Return True if the lines over which a cell in quotes extends look like rows.

        Parameters
        ----------
        block : bytes
            Complete lines of the file.
        place, end : int
            The places at which the cell begins and ends.
        """
        lines = [each for each in self._lines(block, place, end) if each.strip()][:MOST_LINES]
        if not self._n_signs or len(lines) < 2:
            return False
        if any(each.count(self._sign) != self._n_signs for each in lines):
            return False
        if self._named and self._line == 1 and not self._start_of_line(block, place):
            lines[0] = self._sign * self._n_signs
        numbers = []
        for column in zip(*(each.split(self._sign) for each in lines), strict=True):
            cells = [each.strip(b' "') for each in column]
            if all(not each or NUMBER.fullmatch(each) for each in cells):
                numbers.append(sum(map(bool, cells[1:])))
        signs = (len(lines) - 1) * self._n_signs
        return (
            sum(numbers) >= ENOUGH_NUMBERS
            or sum(map(bool, numbers)) > 1
            or (self._n_signs > 1 and signs >= ENOUGH_SIGNS)
        )

    def _lines(self, block: bytes, place: int, end: int) -> list[bytes]:
        """Return the lines of a cell in quotes, whole, but without other cells in quotes."""
        after = block.find(self._line_end, end)
        before = QUOTED.sub(b"", block[self._start_of_line(block, place) : place])
        inside = block[place + 1 : end].removesuffix(b'"')
        behind = QUOTED.sub(b"", block[end : len(block) if after < 0 else after])
        return (before + inside + behind).splitlines()

    def _start_of_line(self, block: bytes, place: int) -> int:
        """Return the place at which the line of another place begins."""
        return 1 + block.rfind(self._line_end, 0, place)

    def _error(self, block: bytes, place: int, problem: str) -> TableError:
        """Return the error about a quote that opens at some place of a block."""
        line = self._line + block.count(self._line_end, 0, place)
        return TableError(
            f"{self._name}: the quote that opens a cell in line {line} {problem}. Remove it there, "
            "or close it in its cell. A quote that is a letter of a cell is written twice, and the "
            "cell in quotes."
        )


def _with_end(parts: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield the parts of a file without a byte order mark, each with True if it is the last."""
    before: bytes | None = None
    for part in parts:
        if before is None:
            before = part.removeprefix(BYTE_ORDER_MARK)
        else:
            yield before, False
            before = part
    yield before or b"", True
