"""Tables that are written: complete, or not at all."""

from __future__ import annotations

import csv
import gzip
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any, BinaryIO

import numpy as np

from gramian._types import Array
from gramian._writing import replacing
from gramian.tables._formats import DELIMITERS, TEXT, Format, compression_of, format_of
from gramian.tables._kinds import exact_array, is_text, pyarrow

FORMULA = r"^[=+\-@\t\r]"
"""How a text begins that a spreadsheet would run."""
NUMBER = r"^[+\-]?(\d+\.?\d*|\.\d+)([eE][+\-]?\d+)?$"
"""Text that is but a number, and harmless."""


class Writer(ABC):
    """Writes a table, piece by piece."""

    @abstractmethod
    def write(self, rows: Any) -> None:
        """Append the rows of a `pyarrow.Table`."""

    @abstractmethod
    def write_array(self, rows: Array) -> None:
        """Append rows of numbers."""

    @abstractmethod
    def close(self) -> None:
        """Finish."""


class _ByArrow(Writer):
    """Writes what PyArrow writes.

    Parameters
    ----------
    writer : object
        Has the methods `write_table` and `close`.
    schema : pyarrow.Schema
        The columns.
    """

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema

    def write(self, rows: Any) -> None:
        self._writer.write_table(rows)

    def write_array(self, rows: Array) -> None:
        columns = [np.ascontiguousarray(column) for column in rows.T]
        self.write(pyarrow().table(columns, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


class _TextFile:
    """CSV and TSV, with quotes where there is need."""

    def __init__(self, sink: Any, schema: Any, delimiter: str, *, escape_formulas: bool) -> None:
        self._sink, self._delimiter, self._escapes = sink, delimiter, escape_formulas
        # PyArrow puts every name in quotes, needed or not.
        line = StringIO()
        names = [_harmless(name) for name in schema.names] if escape_formulas else schema.names
        csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(names)
        sink.write(line.getvalue().encode())
        self._special = f'["\\r\\n{re.escape(delimiter)}]|^$'

    def write_table(self, rows: Any) -> None:
        arrow = pyarrow()
        texts = [i for i, column in enumerate(rows.columns) if is_text(column.type)]
        needs_quotes = False
        for i in texts:
            text = rows.column(i).cast(arrow.string())
            if self._escapes:
                text = _without_formulas(text)
                rows = rows.set_column(i, rows.column_names[i], text)
            found = arrow.compute.match_substring_regex(text, self._special)
            # PyArrow would quote all texts, or none.
            needs_quotes |= bool(arrow.compute.any(found).as_py())
        options = arrow.csv.WriteOptions(
            include_header=False,
            delimiter=self._delimiter,
            quoting_style="needed" if needs_quotes else "none",
        )
        arrow.csv.write_csv(rows, self._sink, options)

    def close(self) -> None:
        self._sink.close()


def _harmless(text: str) -> str:
    return f"'{text}" if re.match(FORMULA, text) and not re.match(NUMBER, text) else text


def _without_formulas(text: Any) -> Any:
    """Put an apostrophe before what a spreadsheet would run, which then shows it as it is."""
    arrow = pyarrow()
    compute = arrow.compute
    runs = compute.and_not(
        compute.match_substring_regex(text, FORMULA), compute.match_substring_regex(text, NUMBER)
    )
    return compute.if_else(runs, compute.binary_join_element_wise("'", text, ""), text)


class _Npy(Writer):
    """One of NumPy's arrays, in a file that can be gone back in.

    The number of rows in the header is filled in at the end.
    """

    def __init__(self, stream: BinaryIO, n_columns: int) -> None:
        self._stream, self._n_columns, self._n_rows = stream, n_columns, 0
        self._write_header()

    def _write_header(self) -> None:
        # NumPy leaves room for as many digits as the number of rows may ever have.
        shape = (self._n_rows, self._n_columns)
        content = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._stream, content)

    def write(self, rows: Any) -> None:
        self.write_array(exact_array(rows, Format.npy))

    def write_array(self, rows: Array) -> None:
        self._stream.write(np.ascontiguousarray(rows, dtype="<f8").tobytes())
        self._n_rows += len(rows)

    def close(self) -> None:
        self._stream.seek(0)
        self._write_header()
        self._stream.seek(0, os.SEEK_END)


class _Collected(Writer):
    """Collects the rows: the header of NumPy's formats tells their number."""

    def __init__(self, stream: BinaryIO, names: Sequence[str], format: Format) -> None:
        self._stream, self._names, self._format = stream, names, format
        self._parts: list[Array] = [np.empty((0, len(names)))]

    def write(self, rows: Any) -> None:
        self.write_array(exact_array(rows, self._format))

    def write_array(self, rows: Array) -> None:
        self._parts.append(rows)

    def close(self) -> None:
        rows, buffer = np.concatenate(self._parts), BytesIO()  # savez needs to go back
        if self._format is Format.npy:
            np.save(buffer, rows)
        else:
            np.savez(buffer, X=rows, columns=np.array(self._names, dtype=np.str_))
        self._stream.write(buffer.getbuffer())


@contextmanager
def open_output(
    target: str | os.PathLike[str] | BinaryIO,
    columns: Any,
    format: Format | None = None,
    *,
    escape_formulas: bool = False,
) -> Iterator[Writer]:
    """Open a table to be written; a file is there when the block has ended well.

    Parameters
    ----------
    target : path or binary stream
        Where to. A device or a named pipe is written to as it is.
    columns : sequence of str, or pyarrow.Schema
        The columns; if these are names, they hold floating-point numbers.
    format : Format, optional
        The format, if the ending does not tell; a stream gets CSV.
    escape_formulas : bool, default=False
        Whether an apostrophe comes before text, in CSV and TSV files, that a spreadsheet would run.
    """
    if not isinstance(target, str | os.PathLike):
        writer = _writer(target, columns, format or Format.csv, None, escape_formulas)
        yield writer
        writer.close()  # not after an error: half a table needs no end
        target.flush()
        return
    format = format_of(target, format)
    with replacing(target) as stream:
        if format is Format.npy and stream.seekable():
            writer = _Npy(stream, len(columns))
        else:
            writer = _writer(stream, columns, format, compression_of(target), escape_formulas)
        yield writer
        writer.close()


def _writer(
    stream: BinaryIO, columns: Any, format: Format, compression: str | None, escape: bool
) -> Writer:
    if format in (Format.npy, Format.npz):
        return _Collected(stream, list(getattr(columns, "names", columns)), format)
    arrow = pyarrow()
    if not isinstance(columns, arrow.Schema):
        columns = arrow.schema([(str(name), arrow.float64()) for name in columns])
    sink = _Unclosed(stream)
    if format is Format.parquet:
        return _ByArrow(arrow.parquet.ParquetWriter(sink, columns), columns)
    if format is Format.feather:
        return _ByArrow(arrow.ipc.new_file(sink, columns), columns)
    assert format in TEXT
    packed = _compressed(sink, compression)
    file = _TextFile(packed, columns, DELIMITERS[format], escape_formulas=escape)
    return _ByArrow(file, columns)


def _compressed(sink: Any, compression: str | None) -> Any:
    if compression != "gzip":
        return pyarrow().output_stream(sink, compression=compression)
    # PyArrow's level takes four times as long, and saves 2 %.
    return gzip.GzipFile("", "wb", compresslevel=4, fileobj=sink, mtime=0)


class _Unclosed:
    """A stream that PyArrow must leave open."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self.write = stream.write
        self.flush = stream.flush

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        pass
