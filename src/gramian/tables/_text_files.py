"""Reader of tables in CSV and TSV files, which may be compressed."""

from __future__ import annotations

import codecs
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
from gramian.tables._arrow_messages import plainly
from gramian.tables._cells import Cells
from gramian.tables._codes import SCANNED_BYTES, are_hexadecimal, are_in, may_be_in
from gramian.tables._formats import DELIMITERS, Format
from gramian.tables._heads import SIGNS, delimiter_of, skipping
from gramian.tables._kinds import is_number, is_text, without_words
from gramian.tables._open_quotes import QuoteCheck
from gramian.tables._spellings import Spelling, number_spellings, time_spelling, values_of
from gramian.tables._table import DEFAULT_BUDGET, NO_TEXT, AsText, Chunk, Table, in_pieces, reading
from gramian.tables._text_bytes import HEAD_BYTES, WHOLE_BLOCK_BYTES, TextBytes
from gramian.tables._text_style import TextStyle

TEXT_BLOCK_BYTES = 2**18
"""Number of bytes that are parsed at once when a file is read in pieces; it is raised if lines are
long. PyArrow reads 32 such blocks ahead."""
MAX_BLOCK_BYTES = 2**27
"""Blocks that are larger than this are not enlarged any more: a longer line is an error."""
UTF_8_MARK = codecs.BOM_UTF8
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""First bytes of files in UTF-16, which are refused. Without these bytes, UTF-16 is recognized by a
zero among the first two bytes."""
FIRST_ROWS = 1000
"""Number of rows from which columns of numbers such as 1,5 are guessed, before more are read."""
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
    decimal : str or None
        Sign before the fraction of numbers, "." or ","; None to recognize it in each column.
    memory_budget : int, optional
        Memory in bytes. If the numbers take at most an eighth of it, the types of the columns
        follow from all rows, otherwise from the first lines.
    """

    delimiter: str
    """Character that separates the values."""
    _skips_blanks = True
    """True if empty lines are no rows, which is so if there are several columns."""

    def __init__(
        self,
        name: str,
        format: Format,
        source: Path | bytes,
        delimiter: str | None,
        header: bool,
        decimal: str | None = None,
        memory_budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._bytes, self._decimal = TextBytes(source), decimal
        self.named = header
        with reading(name, format):
            head, is_all = self._bytes.head(HEAD_BYTES)
            if not head:
                raise TableError(f"{name} is empty.")
            if head[:2] in UTF_16_MARKS or b"\0" in head[:1] or head[1:4:2] == b"\0\0":
                raise _not_utf_8(name)
            if is_all and not head.removeprefix(UTF_8_MARK).strip(b"\r\n"):
                raise TableError(f"{name} is empty: it has no names of columns, and no rows.")
            if header and b"\0" in head.splitlines()[0]:
                raise TableError(f"{name} has a NUL character among the names of columns.")
            if b"\n" not in head and b"\r" not in head:
                head += b"\n"  # PyArrow cannot read a file without a line end
                self._bytes = TextBytes(head)
            self.delimiter = delimiter or delimiter_of(head, DELIMITERS[format])
            longest = max(map(len, head.splitlines()))
            self._block_bytes = max(TEXT_BLOCK_BYTES, LINES * longest)
            first = pyarrow.csv.read_csv(
                pa.BufferReader(head),
                self._read_options(len(head) + 1),
                self._parse_options(**skipping(head)),
                self._convert_options(),
            )
            try:
                inner = first.schema.names
            except UnicodeDecodeError as error:
                raise _not_utf_8(name) from error
            check = QuoteCheck(name, self.delimiter, len(inner), header)
            check.check(self._bytes.parts(WHOLE_BLOCK_BYTES))
            if len(inner) == 1:
                self._bytes = self._bytes.without_blank_ends()
                self._skips_blanks = False
        names = names_or_numbers(inner if header else None, len(inner))
        super().__init__(name, format, names)
        self._inner = dict(zip(names, inner, strict=True))
        self._kinds = dict(zip(names, first.schema.types, strict=True))
        other = next((each for each in SIGNS if each in names[0]), None)
        if len(names) == 1 and delimiter is None and other not in (None, self.delimiter):
            raise DelimiterError(f"{name} seems to be separated by {other!r}.", other)
        if not is_all and self.fits(memory_budget):
            self._kinds |= self._kinds_of_all_rows()
        self._hexadecimal = self._columns_of_hexadecimals(head)
        self._codes = dict.fromkeys(self._columns_of_codes(), pa.string())
        self._kinds |= self._codes
        self._spellings: dict[str, Spelling] = {}
        self._look_at_spellings(first.rename_columns(names).slice(0, FIRST_ROWS))
        signs = [decimal, *(getattr(each, "decimal", None) for each in self._spellings.values())]
        self.style = TextStyle.of(head, self.delimiter, signs)

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name, as all rows or the first lines suggest."""
        return self._kinds

    @property
    def codes(self) -> frozenset[str]:
        """Always empty: columns of codes (such as 007, or beyond 2**53) are read as text."""
        return frozenset()

    @cached_property
    def columns_with_words(self) -> Sequence[str]:  # type: ignore[override]
        """Columns of text with a text such as "NA", which may be a missing value or a word."""
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
        return Cells(self._parts(), self.delimiter, self.names, self.named)

    def _parts(self) -> Iterator[bytes]:
        """Yield the bytes of the file, uncompressed, in parts."""
        with reading(self.name, self.format):
            yield from self._bytes.parts(WHOLE_BLOCK_BYTES)

    def _kinds_of_all_rows(self) -> dict[str, Any]:
        """Return the types of the columns that follow from all rows, by name."""
        try:
            return dict(zip(self.names, self._whole({}, self.names).schema.types, strict=True))
        except TableError:
            return {}  # Reading the rows raises the error again.

    def _columns_of_hexadecimals(self, head: bytes) -> list[str]:
        """Return the columns of whole numbers such as 0xC5 in the first lines of the file."""
        whole = [name for name, kind in self._kinds.items() if pa.types.is_integer(kind)]
        if b"0x" not in head.lower() or not whole:
            return []
        cells = self._first_cells(whole)
        return [name for name in whole if are_hexadecimal(cells[name])]

    def _columns_of_codes(self) -> list[str]:
        """Return the columns that contain codes, such as 007, which PyArrow reads as numbers."""
        numbers = [name for name, kind in self._kinds.items() if is_number(kind)]
        with reading(self.name, self.format):
            if not numbers or not may_be_in(self._bytes.body(self.named), self.delimiter):
                return []
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

    def _look_at_spellings(self, first: Any) -> None:
        """Find columns whose cells mean other values than PyArrow reads: 1,5 or 10:00+01:00.

        Parameters
        ----------
        first : pyarrow.Table
            The first rows, as PyArrow reads them.
        """
        text = [name for name, kind in self._kinds.items() if is_text(kind)]
        text = [name for name in text if name not in self._codes]
        text = [
            name
            for name in text
            if not is_text(first.column(name).type)  # text follows later
            or number_spellings(first.column(name), self._decimal)
        ]
        times = [name for name, kind in self._kinds.items() if getattr(kind, "tz", None)]
        cells = self._first_cells([*text, *times]) if text or times else {}
        ambiguous = {}
        for name in text:
            spellings = number_spellings(cells[name], self._decimal)
            if len(spellings) == 1:
                self._spellings[name] = spellings[0]
            elif spellings:
                ambiguous[name] = " or ".join(each.note for each in spellings)
        for name in times:
            spelling = time_spelling(cells[name])
            if spelling is not None:
                self._spellings[name] = spelling
        self._kinds |= {name: each.kind for name, each in self._spellings.items()}
        self.ambiguous = ambiguous
        self.spellings = {name: each.note for name, each in self._spellings.items() if each.note}
        self.without_zone = [name for name in times if self._kinds[name].tz is None]

    def _first_cells(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the cells of columns as text, from about the first `SCANNED_BYTES`."""
        parts: list[Any] = []
        n_bytes = SCANNED_BYTES
        try:
            for rows in self._stream(dict.fromkeys(names, pa.string()), names):
                parts.append(rows)
                n_bytes -= self._block_bytes
                if n_bytes <= 0:
                    break
        except TableError:
            pass  # Reading the rows raises the error again.
        empty = pa.table({name: pa.array([], pa.string()) for name in names})
        table = pa.concat_tables([empty, *(each.rename_columns(list(names)) for each in parts)])
        return {name: table.column(name) for name in names}

    def _read_options(self, block_bytes: int, *, threads: bool = False) -> Any:
        """Return PyArrow's options for reading blocks of bytes."""
        return pyarrow.csv.ReadOptions(
            block_size=block_bytes, use_threads=threads, autogenerate_column_names=not self.named
        )

    def _parse_options(self, **more: Any) -> Any:
        """Return PyArrow's options for splitting lines into cells."""
        return pyarrow.csv.ParseOptions(
            delimiter=self.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=self._skips_blanks,
            **more,
        )

    def _options(self, kinds: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, Any]:
        """Return PyArrow's options to read the columns `names`, with the types `kinds`."""
        convert = self._convert_options(
            column_types={self._inner[name]: kind for name, kind in kinds.items()},
            include_columns=[self._inner[name] for name in names],
        )
        return self._parse_options(), convert

    def _convert_options(self, **more: Any) -> Any:
        """Return PyArrow's options for converting cells to values."""
        return pyarrow.csv.ConvertOptions(decimal_point=self._decimal or ".", **more)

    def _fixed(self, names: Sequence[str]) -> dict[str, Any]:
        """Return for each column a type that later rows can have, too, for reading in pieces.

        The first rows may have whole numbers only, and later rows fractions.
        """
        kinds = {name: self._kinds[name] for name in names}
        for name, kind in kinds.items():
            # Integers or missing values in the first lines may be followed by fractions.
            if (name not in self._hexadecimal and pa.types.is_integer(kind)) or pa.types.is_null(
                kind
            ):
                kinds[name] = pa.float64()
        return kinds

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; see `Table.pieces`."""
        kinds = dict.fromkeys(as_text, pa.string())
        kinds |= {name: kind for name, kind in self._codes.items() if name in names}
        kinds |= {name: pa.string() for name in self._spellings if name in names}
        if self.too_large:
            for rows in self._stream(self._fixed(names) | kinds, names):
                yield self._finish(rows, names, as_text)
        else:
            # Read as a whole, so that the type of a column follows from all rows.
            yield from in_pieces(self._finish(self._whole(kinds, names), names, as_text))

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the columns `names`, which must be numbers, in chunks of rows.

        The file is read in pieces, even if it is small.
        """
        spelled = {name: pa.string() for name in self._spellings if name in names}
        pieces = self._stream(self._fixed(names) | spelled, names)
        return self._chunks(self._finish(rows, names, NO_TEXT) for rows in pieces)

    def _finish(self, table: Any, names: Sequence[str], as_text: AsText) -> Any:
        """Set the names of the columns, and turn texts such as "NA" into missing values.

        Columns with a spelling are converted to values. If `as_text` is False for a column, only
        empty texts become missing values.
        """
        table = table.rename_columns(list(names))
        for i, name in enumerate(names):
            column = table.column(i)
            if not pa.types.is_string(column.type):
                continue
            if name in self._spellings and name not in as_text:
                column = self._values(name, column)
            elif not as_text.get(name, True):
                there = pa.compute.not_equal(column, "")
                column = pa.compute.if_else(there, column, pa.scalar(None, pa.string()))
            else:
                column = without_words(column)
            table = table.set_column(i, name, column)
        return table

    def _values(self, name: str, column: Any) -> Any:
        """Convert a column of text to values, by the way in which numbers or times are written."""
        try:
            return values_of(self._spellings[name], column)
        except ValueError as error:
            raise TableError(f"{self.name}: column {name!r}: {error}.") from error

    def _whole(self, kinds: Mapping[str, Any], names: Sequence[str]) -> Any:
        """Read the columns `names` of the whole file as one `pyarrow.Table`."""
        options, size = self._options(kinds, names), max(WHOLE_BLOCK_BYTES, self._block_bytes)
        try:
            with self._bytes.open() as stream:
                read = self._read_options(size, threads=True)
                return pyarrow.csv.read_csv(stream, read, *options)
        except (pa.ArrowException, OSError):
            # With threads, PyArrow does not report the number of the bad row: read without threads.
            with self._reading(), self._bytes.open() as stream:
                return pyarrow.csv.read_csv(stream, self._read_options(size), *options)

    def _stream(self, kinds: Mapping[str, Any], names: Sequence[str]) -> Iterator[Any]:
        """Yield the columns `names` in pieces; blocks of bytes grow if a line is too long."""
        options, n_done = self._options(kinds, names), 0
        with self._reading():
            while True:
                row = 0
                try:
                    with self._bytes.open() as stream:
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
                problem = plainly(str(error), self.names, self.named)
                message = f"{self.name} cannot be read as {self.format}: {problem}"
                raise TableError(message) from error

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or some number above `at_most` if there are more rows.

        Each line is counted as a row, except for the line of column names.
        """
        n = -1 if self.named else 0
        with reading(self.name, self.format):
            for part in self._bytes.parts(HEAD_BYTES):
                n += part.count(b"\n") or part.count(b"\r")
                if n > at_most:
                    break
        return n


def _not_utf_8(name: str) -> TableError:
    """Return the error for a file whose text is not UTF-8."""
    return TableError(f"{name} is not UTF-8 text. Save it as UTF-8, for instance with iconv.")
