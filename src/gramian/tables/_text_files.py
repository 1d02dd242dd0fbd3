"""Reader of tables in CSV and TSV files, which may be compressed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from gramian._support.words import names_or_numbers
from gramian.exceptions import DelimiterError, TableError
from gramian.tables._cells import Cells
from gramian.tables._codes import SCANNED_BYTES, are_in, may_be_in
from gramian.tables._formats import DELIMITERS, Format, compression_of_bytes
from gramian.tables._kinds import is_number, is_text, without_words
from gramian.tables._table import NO_TEXT, AsText, Chunk, Table, in_pieces, reading

HEAD_BYTES = 2**20
"""Number of bytes at the beginning of a file from which the types of its columns are guessed."""
TEXT_BLOCK_BYTES = 2**18
"""Number of bytes that are parsed at once when a file is read in pieces; it is raised if lines are
long. PyArrow reads 32 such blocks ahead."""
WHOLE_BLOCK_BYTES = 2**22
"""Number of bytes that are parsed at once when a file is read as a whole."""
MAX_BLOCK_BYTES = 2**27
"""Blocks that are larger than this are not enlarged any more: a longer line is an error."""
SNIFFED_BYTES = 2**16
"""Number of bytes at the beginning of a file from which the delimiter is guessed."""
SNIFFED_LINES = 20
"""Largest number of lines from which the delimiter is guessed."""
SIGNS = ";\t|,"
"""Characters that are tried as delimiters, in this order."""
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""First bytes of files in UTF-16, which are refused. Without these bytes, UTF-16 is recognized by a
zero among the first two bytes."""
LINES = 8
"""Smallest number of lines that must fit in a block that is parsed at once."""


class TextTable(Table):
    """A `Table` in a CSV or TSV file.

    Parameters
    ----------
    name : str
        Name of the table for messages, such as the path of its file.
    format : Format
        Format of the file: CSV or TSV.
    source : Path or bytes
        Path of the file, or its content.
    delimiter : str or None
        Character that separates the values; None to guess it from the first lines.
    header : bool
        True if the first line has the names of the columns.
    """

    delimiter: str
    """Character that separates the values."""

    def __init__(
        self,
        name: str,
        format: Format,
        source: Path | bytes,
        delimiter: str | None,
        header: bool,
    ) -> None:
        self._source = source
        self.named = header
        with reading(name, format):
            head = self._head()
            if not head:
                raise TableError(f"{name} is empty.")
            if head[:2] in UTF_16_MARKS or b"\0" in head[:2]:
                raise _not_utf_8(name)
            if b"\n" not in head and b"\r" not in head:
                head += b"\n"  # PyArrow cannot read a file without a line end
                self._source = head
            self.delimiter = delimiter or _delimiter_of(head, DELIMITERS[format])
            longest = max(map(len, head.splitlines()))
            self._block_bytes = max(TEXT_BLOCK_BYTES, LINES * longest)
            found = pyarrow.csv.read_csv(
                pa.BufferReader(head),
                self._read_options(len(head) + 1),
                self._parse_options(**_skipping(head)),
            ).schema
            try:
                inner = found.names
            except UnicodeDecodeError as error:
                raise _not_utf_8(name) from error
        names = names_or_numbers(inner if header else None, len(inner))
        super().__init__(name, format, names)
        self._inner = dict(zip(names, inner, strict=True))
        self._kinds = dict(zip(names, found.types, strict=True))
        other = next((each for each in SIGNS if each in names[0]), None)
        if len(names) == 1 and delimiter is None and other not in (None, self.delimiter):
            raise DelimiterError(f"{name} seems to be separated by {other!r}.", other)
        self._codes = dict.fromkeys(self._columns_of_codes(), pa.string())
        self._kinds |= self._codes

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name, as the first lines of the file suggest."""
        return self._kinds

    @property
    def codes(self) -> frozenset[str]:
        """No name: columns of codes are read as text."""
        return frozenset()

    @cached_property
    def columns_with_words(self) -> Sequence[str]:  # type: ignore[override]
        """Columns of text with a text such as "NA", which is a gap or a word."""
        text = [name for name, kind in self._kinds.items() if is_text(kind)]
        found = set[str]()
        for rows in self.pieces(text, dict.fromkeys(text, False)) if text else ():
            for name in text:
                column = rows.column(name)
                if without_words(column).null_count > column.null_count:
                    found.add(name)
        return [name for name in text if name in found]

    def cells(self) -> Cells:
        """Return a reader of the cells as they are written, with their quotes."""
        return Cells(self._bytes(), self.delimiter, self.names, self.named)

    def _bytes(self) -> Iterator[bytes]:
        """Yield the bytes of the file, uncompressed, in parts."""
        with reading(self.name, self.format), self._open() as stream:
            while part := stream.read(WHOLE_BLOCK_BYTES):
                yield part

    def _columns_of_codes(self) -> list[str]:
        """Return the columns that contain codes, such as 007, which PyArrow reads as numbers."""
        with reading(self.name, self.format), self._open() as stream:
            if not may_be_in(self._parts(stream), self.delimiter):
                return []
        numbers = [name for name, kind in self._kinds.items() if is_number(kind)]
        found, n_bytes = set[int](), 0
        try:
            for rows in self._stream(dict.fromkeys(numbers, pa.string()), numbers):
                found |= {i for i, column in enumerate(rows.columns) if are_in(column)}
                n_bytes += self._block_bytes
                if n_bytes >= SCANNED_BYTES:
                    break
        except TableError:
            pass  # Reading the rows raises the error again.
        return [numbers[i] for i in sorted(found)]

    def _parts(self, stream: Any) -> Iterator[bytes]:
        """Yield the bytes of the file in parts, without the line of column names."""
        first = stream.read(HEAD_BYTES)
        yield first[first.find(b"\n") + 1 :] if self.named else first
        while part := stream.read(HEAD_BYTES):
            yield part

    def _open(self) -> Any:
        """Open the file as a stream of uncompressed bytes."""
        if isinstance(self._source, bytes):
            stream, beginning = pa.BufferReader(self._source), self._source[:4]
        else:
            stream = pa.OSFile(str(self._source))
            beginning = stream.read(4)
            stream.seek(0)
        compression = compression_of_bytes(beginning)
        return stream if compression is None else pa.CompressedInputStream(stream, compression)

    def _head(self) -> bytes:
        """Return the first complete lines of the file, about `HEAD_BYTES`, at least one line."""
        head = bytearray()
        with self._open() as stream:
            while part := stream.read(HEAD_BYTES):
                head += part
                end = max(head.rfind(b"\n"), head.rfind(b"\r"))
                if len(head) >= HEAD_BYTES and end >= 0:
                    return bytes(head[: end + 1])
        return bytes(head)

    def _read_options(self, block_bytes: int, *, threads: bool = False) -> Any:
        """Return PyArrow's options for reading blocks of bytes."""
        return pyarrow.csv.ReadOptions(
            block_size=block_bytes, use_threads=threads, autogenerate_column_names=not self.named
        )

    def _parse_options(self, **more: Any) -> Any:
        """Return PyArrow's options for splitting lines into cells."""
        return pyarrow.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, **more)

    def _options(self, kinds: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, Any]:
        """Return PyArrow's options to read the columns `names`, with the types `kinds`."""
        convert = pyarrow.csv.ConvertOptions(
            column_types={self._inner[name]: kind for name, kind in kinds.items()},
            include_columns=[self._inner[name] for name in names],
        )
        return self._parse_options(), convert

    def _fixed(self, names: Sequence[str]) -> dict[str, Any]:
        """Return types of columns that later rows can have, too, for reading piece by piece."""
        kinds = {name: self._kinds[name] for name in names}
        for name, kind in kinds.items():
            # Integers or missing values in the first lines may be followed by fractions.
            if pa.types.is_integer(kind) or pa.types.is_null(kind):
                kinds[name] = pa.float64()
        return kinds

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; see `Table.pieces`."""
        kinds = dict.fromkeys(as_text, pa.string())
        kinds |= {name: kind for name, kind in self._codes.items() if name in names}
        verbatim = [name for name, is_missing in as_text.items() if not is_missing]
        if self.too_large:
            for rows in self._stream(self._fixed(names) | kinds, names):
                yield _finish(rows, names, verbatim)
        else:
            # Read as a whole, so that the type of a column follows from all rows.
            yield from in_pieces(_finish(self._whole(kinds, names), names, verbatim))

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the columns `names`, which must be numbers, in chunks of rows.

        The file is read in pieces, even if it is small.
        """
        return self._chunks(self._stream(self._fixed(names), names))

    def _whole(self, kinds: Mapping[str, Any], names: Sequence[str]) -> Any:
        """Read the columns `names` of the whole file as one `pyarrow.Table`."""
        options, size = self._options(kinds, names), max(WHOLE_BLOCK_BYTES, self._block_bytes)
        try:
            with self._open() as stream:
                read = self._read_options(size, threads=True)
                return pyarrow.csv.read_csv(stream, read, *options)
        except (pa.ArrowException, OSError):
            # With threads, PyArrow does not report the number of the bad row: read without threads.
            with self._reading(), self._open() as stream:
                return pyarrow.csv.read_csv(stream, self._read_options(size), *options)

    def _stream(self, kinds: Mapping[str, Any], names: Sequence[str]) -> Iterator[Any]:
        """Yield the columns `names` in pieces; blocks become larger if a line is too long."""
        options, n_done = self._options(kinds, names), 0
        with self._reading():
            while True:
                row = 0
                try:
                    with self._open() as stream:
                        read = self._read_options(self._block_bytes)
                        for batch in pyarrow.csv.open_csv(stream, read, *options):
                            new = batch.slice(max(0, n_done - row))
                            row += batch.num_rows
                            if new.num_rows:
                                n_done = row
                                yield pa.Table.from_batches([new])
                    return
                except pa.ArrowInvalid as error:
                    if "straddling" not in str(error) or self._block_bytes > MAX_BLOCK_BYTES:
                        raise
                    self._block_bytes *= 16  # a line is longer than a block

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Context manager: raise `TableError` in place of PyArrow's errors.

        The message has names of columns in place of their numbers.
        """
        with reading(self.name, self.format):
            try:
                yield
            except pa.ArrowException as error:
                raise TableError(
                    f"{self.name} cannot be read as {self.format}: {self._plainly(str(error))}"
                ) from error

    def _plainly(self, message: str) -> str:
        """Rewrite an error message of PyArrow with names of columns, and with rows from 0."""
        message = message.splitlines()[0].rstrip(".")
        message = re.sub(
            r"In CSV column #(\d+)",
            lambda found: f"column {self.names[int(found[1])]!r}",
            message,
        )
        before = 2 if self.named else 1
        numbered = re.sub(
            r"Row #(\d+)", lambda found: f"row {int(found[1]) - before}", message, count=1
        )
        if numbered == message:
            return f"{message}."
        heading = ", the heading not counted" if self.named else ""
        return f"{numbered}. (The first row is row 0{heading}.)"

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or some number above `at_most` if there are more rows.

        Each line is counted as a row, except for the line of column names.
        """
        n = -1 if self.named else 0
        with reading(self.name, self.format), self._open() as stream:
            while n <= at_most and (part := stream.read(HEAD_BYTES)):
                n += part.count(b"\n") or part.count(b"\r")
        return n


def _not_utf_8(name: str) -> TableError:
    """Return the error for a file whose text is not UTF-8."""
    return TableError(f"{name} is not UTF-8 text. Save it as UTF-8, for instance with iconv.")


def _delimiter_of(head: bytes, usual: str) -> str:
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


def _skipping(head: bytes) -> dict[str, Any]:
    """Return the option for PyArrow that skips rows with too many or too few cells.

    For a file that is not UTF-8 the result is empty. PyArrow converts skipped rows to text, and
    would only print an error for such a file; without the option it raises the error.
    """
    try:
        head.decode()
    except UnicodeDecodeError:
        return {}
    return {"invalid_row_handler": lambda row: "skip"}


def _finish(table: Any, names: Sequence[str], verbatim: Sequence[str]) -> Any:
    """Set the names of the columns, and turn texts such as "NA" into missing values.

    In the columns `verbatim`, only empty texts become missing values.
    """
    table = table.rename_columns(list(names))
    for i, name in enumerate(names):
        column = table.column(i)
        if pa.types.is_string(column.type):
            if name in verbatim:
                there = pa.compute.not_equal(column, "")
                column = pa.compute.if_else(there, column, pa.scalar(None, pa.string()))
            else:
                column = without_words(column)
            table = table.set_column(i, name, column)
    return table
