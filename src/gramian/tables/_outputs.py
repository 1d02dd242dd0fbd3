"""Writers of tables to files. A file appears only when its table is complete."""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from io import BytesIO, RawIOBase, StringIO
from typing import Any, BinaryIO

import numpy as np

from gramian._support.types import Array
from gramian._support.writing import replacing
from gramian.tables._formats import ARRAYS, DELIMITERS, Format, compression_of, format_of
from gramian.tables._kinds import exact_array, is_text, is_usable, pyarrow, without_nan
from gramian.tables._text_style import BYTE_ORDER_MARK, TextStyle, has_large, number_texts

FORMULA = r"^[=+\-@\t\r\n]"
"""Pattern of text whose first character makes a spreadsheet run the text as a formula."""
NUMBER = r"^[+\-]?(\d+\.?\d*|\.\d+)([eE][+\-]?\d+)?$"
"""Pattern of text that is a number; it may begin with + or -, but is not run as a formula."""

AS_WRITTEN = {b"gramian": b"as written"}
"""Metadata of Arrow columns whose cells are bytes of a text file, with their quotes."""


class ArrowWriter:
    """Writer of a table in pieces, by a writer of PyArrow or by `_TextFile`.

    Parameters
    ----------
    writer : object
        Writer with the methods `write_table` and `close`.
    schema : pyarrow.Schema
        Names and types of the columns.
    sink : _Sink
        Stream to which `writer` writes.
    """

    def __init__(self, writer: Any, schema: Any, sink: _Sink) -> None:
        self._writer, self._schema, self._sink = writer, schema, sink

    def write(self, rows: Any) -> None:
        """Append the rows of a `pyarrow.Table`; see `_TextFile` for columns of bytes."""
        self._writer.write_table(rows)

    def write_array(self, rows: Array) -> None:
        """Append rows of numbers."""
        columns = [np.ascontiguousarray(column) for column in rows.T]
        self.write(pyarrow().table(columns, schema=self._schema))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()

    def give_up(self) -> None:
        """Close the writer after an error, and discard the bytes that it writes when it closes."""
        self._sink.discard()
        with suppress(Exception):
            self._writer.close()


class _TextFile:
    """Writer of CSV and TSV files that puts a text in quotes only if the text needs them.

    Columns of `with_cells` come from another text file, and are written without a change.
    """

    def __init__(self, sink: Any, schema: Any, style: TextStyle, *, escape_formulas: bool) -> None:
        self._sink, self._style, self._escapes = sink, style, escape_formulas
        # Python's csv writes the line of names, because PyArrow puts every name in quotes.
        line = StringIO()
        names = schema.names
        if escape_formulas:
            names = _without_formulas(pyarrow().array(names)).to_pylist()
        csv.writer(line, delimiter=style.delimiter, lineterminator=style.line_end).writerow(names)
        sink.write(BYTE_ORDER_MARK * style.mark + line.getvalue().encode())
        self._special = f'["\\r\\n{re.escape(style.delimiter)}]|^$'
        self._is_plain = style == TextStyle(style.delimiter)

    def write_table(self, rows: Any) -> None:
        """Append the rows of a `pyarrow.Table`; NaN is written as an empty cell."""
        arrow = pyarrow()
        rows = without_nan(rows)
        of_numbers = not any(is_text(each.type) or _is_as_written(each) for each in rows.schema)
        if self._is_plain and of_numbers and not any(map(has_large, rows.columns)):
            options = arrow.csv.WriteOptions(
                include_header=False, delimiter=self._style.delimiter, quoting_style="none"
            )
            arrow.csv.write_csv(rows, self._sink, options)
            return
        cells = [
            column if _is_as_written(field) else self._cells(column)
            for field, column in zip(rows.schema, rows.columns, strict=True)
        ]
        lines = _joined([_joined(cells, self._style.delimiter), ""], self._style.line_end)
        for chunk in lines.chunks:
            offsets = np.frombuffer(chunk.buffers()[1], np.int64)
            first, last = offsets[chunk.offset], offsets[chunk.offset + len(chunk)]
            self._sink.write(chunk.buffers()[2].slice(first, last - first))

    def _cells(self, column: Any) -> Any:
        """Return the cells of a column as bytes, in quotes if needed; missing cells are empty."""
        arrow = pyarrow()
        types, kind, decimal = arrow.types, column.type, self._style.decimal
        fractions = types.is_floating(kind) or types.is_decimal(kind)
        text = number_texts(column, decimal) if fractions else column.cast(arrow.large_string())
        if is_text(kind) or not is_usable(kind) or (fractions and decimal == ","):
            text = _without_formulas(text) if self._escapes else text
            special = arrow.compute.match_substring_regex(text, self._special)
            doubled = arrow.compute.replace_substring(text, '"', '""')
            quoted = _joined(['"', doubled, '"'], "").cast(text.type)
            text = arrow.compute.if_else(special, quoted, text)
        return text.cast(arrow.large_binary()).fill_null(b"")

    def close(self) -> None:
        """Close the stream, so that a compressed file is complete."""
        self._sink.close()


def _joined(parts: Sequence[Any], sign: str) -> Any:
    """Join columns of bytes or text, and constants, row by row to one column of bytes.

    `sign` is written between them.
    """
    arrow = pyarrow()
    kind = arrow.large_binary()
    columns = [
        arrow.scalar(each.encode(), kind) if isinstance(each, str) else each.cast(kind)
        for each in parts
    ]
    return arrow.compute.binary_join_element_wise(*columns, arrow.scalar(sign.encode(), kind))


def _is_as_written(field: Any) -> bool:
    """Return True if a column of a table was made by `with_cells`."""
    return bool(field.metadata == AS_WRITTEN)


def with_cells(rows: Any, cells: Mapping[str, Any]) -> Any:
    """Replace columns of a `pyarrow.Table` by cells that a text file writes without a change.

    Parameters
    ----------
    rows : pyarrow.Table
        The rows.
    cells : mapping from str to pyarrow.Array of bytes
        From the names of columns to cells that `Cells.take` returned.
    """
    arrow = pyarrow()
    for name, column in cells.items():
        field = arrow.field(name, column.type, metadata=AS_WRITTEN)
        rows = rows.set_column(rows.column_names.index(name), field, column)
    return rows


def _without_formulas(text: Any) -> Any:
    """Put an apostrophe before formulas in text, so that a spreadsheet does not run them."""
    compute = pyarrow().compute
    runs = compute.and_not(
        compute.match_substring_regex(text, FORMULA), compute.match_substring_regex(text, NUMBER)
    )
    return compute.if_else(runs, _joined(["'", text], "").cast(text.type), text)


class ArrayWriter:
    """Writer of .npy and .npz files from a table in pieces.

    The header of such a file contains the number of rows. If `goes_back` is True, rows are written
    at once and the header is corrected at the end; otherwise all rows are collected in memory.
    """

    def __init__(
        self, stream: BinaryIO, names: Sequence[str], format: Format, *, goes_back: bool
    ) -> None:
        self._stream, self._names, self._format = stream, names, format
        self._parts: list[Array] | None = None if goes_back else [np.empty((0, len(names)))]
        self._n_rows = 0
        if goes_back:
            self._write_header()

    def _write_header(self) -> None:
        """Write the header of a .npy file with the present number of rows."""
        # The header has a fixed size: NumPy reserves room for any number of rows.
        shape = (self._n_rows, len(self._names))
        content = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._stream, content)

    def write(self, rows: Any) -> None:
        """Append the rows of a `pyarrow.Table`."""
        self.write_array(exact_array(rows, self._format))

    def write_array(self, rows: Array) -> None:
        """Append rows of numbers."""
        if self._parts is not None:
            self._parts.append(rows)
            return
        self._stream.write(np.ascontiguousarray(rows, dtype="<f8").tobytes())
        self._n_rows += len(rows)

    def close(self) -> None:
        """Write the final header, or all collected rows."""
        if self._parts is None:
            self._stream.seek(0)
            self._write_header()
            return
        rows, buffer = np.concatenate(self._parts), BytesIO()  # savez needs a seekable file
        if self._format is Format.npy:
            np.save(buffer, rows)
        else:
            np.savez(buffer, X=rows, columns=np.array(self._names, dtype=np.str_))
        self._stream.write(buffer.getbuffer())

    def give_up(self) -> None:
        """Do nothing: after an error, there is no PyArrow writer to close."""


Writer = ArrowWriter | ArrayWriter
"""Writer of a table in pieces: `write` appends a `pyarrow.Table`, `write_array` an array."""


@contextmanager
def open_output(
    target: Any,
    columns: Any,
    format: Format | None = None,
    *,
    escape_formulas: bool = False,
    style: TextStyle | None = None,
) -> Iterator[Writer]:
    """Open a file for writing a table, as a context manager that returns a writer.

    The file appears, or replaces an older file, when the `with` block ends without an error.

    Parameters
    ----------
    target : path or binary stream
        Path of the file, or a stream. A device or a named pipe is written directly.
    columns : sequence of str, or pyarrow.Schema
        Columns of the table; if they are only names, all columns are floats.
    format : Format, optional
        Format of the file. By default it follows from the ending of the path; it is CSV for a
        stream.
    escape_formulas : bool, default=False
        True to put an apostrophe before text that a spreadsheet would run as a formula, in CSV and
        TSV files.
    style : TextStyle, optional
        How a CSV or TSV file is written.
    """
    is_path = isinstance(target, str | os.PathLike)
    format = format_of(target, format) if is_path else format or Format.csv
    compression = compression_of(target) if is_path else None
    with replacing(target) if is_path else nullcontext(target) as stream:
        writer: Writer
        if format in ARRAYS:
            names = list(getattr(columns, "names", columns))
            goes_back = format is Format.npy and is_path and stream.seekable()
            whole: Any = stream if is_path else _Sink(stream)
            writer = ArrayWriter(whole, names, format, goes_back=goes_back)
        else:
            style = style or TextStyle(DELIMITERS.get(format, ","))
            writer = _by_arrow(stream, columns, format, compression, escape_formulas, style)
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.give_up()  # an incomplete file is discarded
            raise
        stream.flush()


def _by_arrow(
    stream: BinaryIO,
    columns: Any,
    format: Format,
    compression: str | None,
    escape: bool,
    style: TextStyle,
) -> ArrowWriter:
    """Return a writer of Parquet, Arrow or text files to a stream.

    Parameters
    ----------
    stream : binary stream
        The stream to write to.
    columns : sequence of str, or pyarrow.Schema
        The columns of the table.
    format : Format
        The format of the file.
    compression : str or None
        The compression; None for none.
    escape : bool
        True to put an apostrophe before formulas in text files.
    style : TextStyle
        How text files are written.
    """
    arrow = pyarrow()
    if not isinstance(columns, arrow.Schema):
        columns = arrow.schema([(str(name), arrow.float64()) for name in columns])
    sink = _Sink(stream)
    if format is Format.parquet:
        return ArrowWriter(arrow.parquet.ParquetWriter(sink, columns), columns, sink)
    if format is Format.feather:
        return ArrowWriter(arrow.ipc.new_file(sink, columns), columns, sink)
    packed = _compressed(sink, compression)
    file = _TextFile(packed, columns, style, escape_formulas=escape)
    return ArrowWriter(file, columns, sink)


def _compressed(sink: Any, compression: str | None) -> Any:
    """Return a stream that compresses its data and writes them to `sink`."""
    if compression != "gzip":
        return pyarrow().output_stream(sink, compression=compression)
    # Level 4: PyArrow's level takes four times as long and makes files only 2 % smaller.
    return gzip.GzipFile("", "wb", compresslevel=4, fileobj=sink, mtime=0)


class _Sink(RawIOBase):
    """Stream that passes data on to another stream, and leaves it open when PyArrow closes it.

    A stream without a buffer, as standard output is with PYTHONUNBUFFERED, may write a part only.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        while self._stream is not None and len(rest):
            rest = rest[self._stream.write(rest) :]
        return memoryview(data).nbytes

    def discard(self) -> None:
        """Stop passing data on; later data are ignored and reported as written."""
        self._stream = None
