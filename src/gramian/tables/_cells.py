"""Cells of a text file as bytes, exactly as they are written, with their quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from gramian._support.types import IntArray
from gramian.exceptions import TableError
from gramian.tables._kinds import without_words
from gramian.tables._text_style import BYTE_ORDER_MARK

QUOTE, NEW_LINE, CARRIAGE_RETURN = b'"\n\r'
ENDS_OF_LINES = b"\n\r"
WELL_QUOTED = r'^"(?:[^"]|"")*"$'
"""Pattern of a cell that is in quotes from its first to its last character."""


class Cells:
    """Reader of the cells of a text file as bytes, row by row, as they are written.

    Rows are those of PyArrow: a quote has a meaning only at the beginning of a cell, and an empty
    line is no row, unless there is only one column: then it is a row with a missing cell.

    Parameters
    ----------
    parts : iterable of bytes
        Content of the file, uncompressed, in parts of any size.
    delimiter : str
        Character that separates the cells.
    names : sequence of str
        Names of the columns.
    header : bool
        True if the first line has the names of the columns.
    """

    def __init__(
        self, parts: Iterable[bytes], delimiter: str, names: Sequence[str], header: bool
    ) -> None:
        self._names, self._sign = list(names), delimiter.encode()
        self._pattern = re.compile(
            rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?!"))[^%b\r\n]*+([%b\r\n])'
            % (re.escape(self._sign), re.escape(self._sign))
        )
        self._rows = self._read(parts, 1 if header else 0)
        self._waiting: Any = None

    def take(self, n_rows: int, names: Sequence[str]) -> dict[str, Any]:
        """Return the cells of the next rows: from the names of columns to arrays of bytes.

        Parameters
        ----------
        n_rows : int
            Number of rows to read.
        names : sequence of str
            Names of the wanted columns.
        """
        width, found = len(self._names), []
        while n_rows:
            if self._waiting is None or not len(self._waiting):
                self._waiting = next(self._rows, None)
            if self._waiting is None:
                raise TableError("The file has changed while it was read: it has fewer rows.")
            found.append(self._waiting[: n_rows * width])
            self._waiting = self._waiting[n_rows * width :]
            n_rows -= len(found[-1]) // width
        cells = pa.chunked_array(found, pa.large_binary())
        return {name: self._column(cells, self._names.index(name)) for name in names}

    def text(self, cells: Any) -> Any:
        """Return the contents of cells as text: quotes removed, and null for empty cells.

        Parameters
        ----------
        cells : pyarrow.ChunkedArray of bytes
            Cells of a column that `take` returned.
        """
        compute = pa.compute
        cells = cells.cast(pa.large_string())
        in_quotes = compute.match_substring_regex(cells, WELL_QUOTED)
        inner = compute.replace_substring(compute.utf8_slice_codeunits(cells, 1, -1), '""', '"')
        text = compute.if_else(in_quotes, inner, cells)
        if compute.any(compute.and_not(compute.starts_with(cells, '"'), in_quotes)).as_py():
            found = [_content(each) for each in cells.to_pylist()]
            text = pa.chunked_array([pa.array(found, pa.large_string())])
        empty = compute.equal(compute.binary_length(cells), 0)
        return compute.if_else(empty, pa.scalar(None, pa.large_string()), text).cast(pa.string())

    def filled(self, cells: Any, values: Any) -> Any:
        """Return the contents of cells as text, with other values in place of missing cells.

        Parameters
        ----------
        cells : pyarrow.ChunkedArray of bytes
            Cells of a column that `take` returned.
        values : pyarrow.ChunkedArray
            Values of the column, of which those in place of missing cells are used.
        """
        text = self.text(cells)
        absent = pa.compute.is_null(without_words(text))
        return pa.compute.if_else(absent, values.cast(pa.string()), text)

    def _column(self, cells: Any, place: int) -> Any:
        """Return the cells of column number `place`.

        `cells` are the cells of all columns, each followed by the delimiter or line end.
        """
        chosen = cells.take(pa.array(np.arange(place, len(cells), len(self._names))))
        return pa.compute.binary_slice(chosen, 0, -1)

    def _read(self, parts: Iterable[bytes], n_skipped: int) -> Iterator[Any]:
        """Yield the cells of complete rows, each followed by the delimiter or line end.

        Parameters
        ----------
        parts : iterable of bytes
            The content of the file.
        n_skipped : int
            The number of rows to skip at the beginning: 1 for the names of the columns, or 0.
        """
        width, rest, begins = len(self._names), b"", True
        for part, last in _with_end(parts):
            block = rest + (part.removeprefix(BYTE_ORDER_MARK) if begins else part)
            begins = False
            if last and block:  # the last line has no end
                block += b"\n"
            split = b"\r" if not last and block.endswith(b"\r") else b""  # \n may follow
            block = block.removesuffix(split)
            cells, rest = self._rows_of(block, self._ends(block))
            rest += split
            if len(cells) % width:
                raise TableError(f"A row of the file does not have {width} cells.")
            n = min(n_skipped, len(cells) // width)
            n_skipped -= n
            yield cells[n * width :]

    def _ends(self, block: bytes) -> IntArray:
        """Return the positions of delimiters and line ends in a block, except those in quotes."""
        signs = np.frombuffer(block, np.uint8)
        is_end = signs == self._sign[0]
        for each in ENDS_OF_LINES:
            is_end |= signs == each
        ends = np.flatnonzero(is_end)
        quotes = np.flatnonzero(signs == QUOTE)
        if not len(quotes):
            return ends
        # If each quote that opens follows an end or another quote, a place is in quotes if the
        # number of quotes before it is odd. Otherwise a cell such as 5" has quotes as letters.
        before = quotes[::2] - 1
        if (is_end[before] | (signs[before] == QUOTE) | (before < 0)).all():
            outside: IntArray = ends[np.searchsorted(quotes, ends) % 2 == 0]
            return outside
        return np.array([match.start(1) for match in self._matches(block)], dtype=np.int64)

    def _matches(self, block: bytes) -> Iterator[re.Match[bytes]]:
        """Yield the cells of a block one after the other, up to a cell that is not complete."""
        place = 0
        while (found := self._pattern.match(block, place)) is not None:
            yield found
            place = found.end()

    def _rows_of(self, block: bytes, ends: IntArray) -> tuple[Any, bytes]:
        """Return the cells of the complete rows of a block, and the bytes after these rows."""
        signs = np.frombuffer(block, np.uint8)[ends]
        ends_row = np.flatnonzero(signs != self._sign[0])
        if not len(ends_row):
            return pa.array([], pa.large_binary()), block
        n = int(ends_row[-1]) + 1
        offsets = np.concatenate([[0], ends[:n] + 1]).astype(np.int64)
        cells = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(), n, [None, pa.py_buffer(offsets), pa.py_buffer(block)]
        )
        # A line is empty if its end follows the end of the line before it, as \n follows \r.
        begins = np.zeros(n, dtype=bool)
        begins[0] = True
        begins[ends_row[:-1] + 1] = True
        empty = begins & (signs[:n] != self._sign[0]) & (np.diff(offsets) == 1)
        if len(self._names) == 1:
            empty[0] = False
            empty[1:] &= (signs[1:n] == NEW_LINE) & (signs[: n - 1] == CARRIAGE_RETURN)
        if empty.any():
            cells = cells.filter(pa.array(~empty))
        return cells, block[offsets[-1] :]


def _with_end(parts: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield the parts of a file, each with False, and an empty part with True at the end."""
    for part in parts:
        yield part, False
    yield b"", True


def _content(cell: str) -> str:
    """Return the content of one cell without its quotes; text may follow the closing quote."""
    found = re.match(r'"((?:[^"]|"")*+)"', cell)
    return cell if found is None else found[1].replace('""', '"') + cell[found.end() :]
