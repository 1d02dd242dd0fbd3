"""Tables in CSV and TSV files, compressed or not."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from gramian._support.words import names_or_numbers
from gramian.exceptions import DelimiterError, TableError
from gramian.tables._codes import SCANNED_BYTES, are_in, may_be_in
from gramian.tables._formats import DELIMITERS, Format, compression_of_bytes
from gramian.tables._kinds import is_number
from gramian.tables._table import NO_TEXT, AsText, Chunk, Table, in_pieces, reading

HEAD_BYTES = 2**20
"""Bytes of a file that determine the types of its columns."""
TEXT_BLOCK_BYTES = 2**18
"""Bytes of a file parsed at once, more if lines are long; PyArrow reads 32 blocks ahead."""
WHOLE_BLOCK_BYTES = 2**22
"""Bytes that are parsed at once if a file is read as a whole."""
MAX_BLOCK_BYTES = 2**27
"""Largest length of a line in bytes; longer lines are refused."""
SNIFFED_BYTES = 2**16
SNIFFED_LINES = 20
"""Bytes and lines of a file that determine the sign between values."""
SIGNS = ";\t|,"
"""Signs that may stand between values."""
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16. Text without a mark has a zero among its first two bytes."""
LINES = 8
"""Smallest number of lines that a block has room for."""
MISSING = pyarrow.csv.ConvertOptions().null_values
"""Texts of missing values: the empty text, NA, NaN, null and the like."""


class TextTable(Table):
    """A CSV or TSV file.

    Parameters
    ----------
    name : str
        The name of the table, for messages.
    format : Format
        The format.
    source : Path or bytes
        The file, or its content.
    delimiter : str or None
        The sign between values; None if the first lines decide.
    header : bool
        True if the first row holds the names of the columns.
    """

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
                head += b"\n"  # PyArrow needs the end of a line
                self._source = head
            self._delimiter = delimiter or _delimiter_of(head, DELIMITERS[format])
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
        if len(names) == 1 and delimiter is None and other not in (None, self._delimiter):
            raise DelimiterError(f"{name} seems to be separated by {other!r}.", other)
        self._codes = dict.fromkeys(self._columns_of_codes(), pa.string())
        self._kinds |= self._codes

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow's types of the columns, by the first lines of the file."""
        return self._kinds

    def _columns_of_codes(self) -> list[str]:
        """Return the columns of codes, which PyArrow would read as numbers."""
        with reading(self.name, self.format), self._open() as stream:
            if not may_be_in(self._parts(stream), self._delimiter):
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
        """Yield the bytes of the file in parts, without the heading."""
        first = stream.read(HEAD_BYTES)
        yield first[first.find(b"\n") + 1 :] if self.named else first
        while part := stream.read(HEAD_BYTES):
            yield part

    def _open(self) -> Any:
        if isinstance(self._source, bytes):
            stream, beginning = pa.BufferReader(self._source), self._source[:4]
        else:
            stream = pa.OSFile(str(self._source))
            beginning = stream.read(4)
            stream.seek(0)
        compression = compression_of_bytes(beginning)
        return stream if compression is None else pa.CompressedInputStream(stream, compression)

    def _head(self) -> bytes:
        """Return the first lines of the file, at least one."""
        head = bytearray()
        with self._open() as stream:
            while part := stream.read(HEAD_BYTES):
                head += part
                end = max(head.rfind(b"\n"), head.rfind(b"\r"))
                if len(head) >= HEAD_BYTES and end >= 0:
                    return bytes(head[: end + 1])
        return bytes(head)

    def _read_options(self, block_bytes: int, *, threads: bool = False) -> Any:
        return pyarrow.csv.ReadOptions(
            block_size=block_bytes, use_threads=threads, autogenerate_column_names=not self.named
        )

    def _parse_options(self, **more: Any) -> Any:
        return pyarrow.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True, **more)

    def _options(self, kinds: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, Any]:
        convert = pyarrow.csv.ConvertOptions(
            column_types={self._inner[name]: kind for name, kind in kinds.items()},
            include_columns=[self._inner[name] for name in names],
        )
        return self._parse_options(), convert

    def _fixed(self, names: Sequence[str]) -> dict[str, Any]:
        """Return types for reading piece by piece, when later rows are not known."""
        kinds = {name: self._kinds[name] for name in names}
        for name, kind in kinds.items():
            # A column of integers or of missing values at the top may hold fractions further down.
            if pa.types.is_integer(kind) or pa.types.is_null(kind):
                kinds[name] = pa.float64()
        return kinds

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Read some columns, piece by piece."""
        kinds = dict.fromkeys(as_text, pa.string())
        kinds |= {name: kind for name, kind in self._codes.items() if name in names}
        verbatim = [name for name, is_missing in as_text.items() if not is_missing]
        if self.too_large:
            for rows in self._stream(self._fixed(names) | kinds, names):
                yield _finish(rows, names, verbatim)
        else:
            # All rows decide on the type of a column, not only the first ones.
            yield from in_pieces(_finish(self._whole(kinds, names), names, verbatim))

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Read some columns of numbers, piece by piece, whatever the size of the file."""
        return self._chunks(self._stream(self._fixed(names), names))

    def _whole(self, kinds: Mapping[str, Any], names: Sequence[str]) -> Any:
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
        """Turn PyArrow's errors into `TableError` with names of columns and numbers of rows."""
        with reading(self.name, self.format):
            try:
                yield
            except pa.ArrowException as error:
                raise TableError(
                    f"{self.name} cannot be read as {self.format}: {self._plainly(str(error))}"
                ) from error

    def _plainly(self, message: str) -> str:
        """Return a message with names of columns, and rows counted from 0 without the heading."""
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
        """Return the number of lines, or any number above `at_most` if there are more."""
        n = -1 if self.named else 0
        with reading(self.name, self.format), self._open() as stream:
            while n <= at_most and (part := stream.read(HEAD_BYTES)):
                n += part.count(b"\n") or part.count(b"\r")
        return n


def _not_utf_8(name: str) -> TableError:
    return TableError(f"{name} is not UTF-8 text. Save it as UTF-8, for instance with iconv.")


def _delimiter_of(head: bytes, usual: str) -> str:
    """Return the sign between values: one that occurs equally often in each of the first lines.

    Parameters
    ----------
    head : bytes
        The beginning of a file.
    usual : str
        The usual sign of the format, preferred if it fits.
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
    """Return options of PyArrow that skip rows with too many or too few cells.

    PyArrow passes skipped rows as text. If the file is not text in UTF-8, it would print an error;
    without the option it raises, as reading the whole file would.
    """
    try:
        head.decode()
    except UnicodeDecodeError:
        return {}
    return {"invalid_row_handler": lambda row: "skip"}


def _finish(table: Any, names: Sequence[str], verbatim: Sequence[str]) -> Any:
    """Return the table with its column names, and with empty fields as missing values."""
    table = table.rename_columns(list(names))
    for i, name in enumerate(names):
        column = table.column(i)
        if name not in verbatim and pa.types.is_string(column.type):
            absent = pa.compute.is_in(column, value_set=pa.array(MISSING))
            column = pa.compute.if_else(absent, pa.scalar(None, pa.string()), column)
            table = table.set_column(i, name, column)
    return table
