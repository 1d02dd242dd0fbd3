"""Tables that commands write: complete, or not at all."""

from __future__ import annotations

import csv
import gzip
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from gramian._types import Array
from gramian._writing import ArrayWriter, replacing
from gramian.cli._columns import is_number, is_text
from gramian.cli._errors import USAGE, CommandError
from gramian.cli._formats import DELIMITERS, STANDARD, TEXT, compression_of
from gramian.cli._options import Format


def check_outputs(inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """Find out, before any work is done, whether files can be written.

    Parameters
    ----------
    inputs : sequence of str
        Files that are read.
    outputs : sequence of str or None
        Files that are to be written.
    """
    taken = {_key(path): path for path in inputs if path != STANDARD}
    for path in outputs:
        if path is None or path == STANDARD:
            continue
        folder = Path(path).parent
        if Path(path).is_dir():
            raise CommandError(f"{path} is a folder; name a file to write to", USAGE)
        if not folder.is_dir():
            raise CommandError(f"{path} cannot be written: there is no folder {folder}", USAGE)
        if not os.access(folder, os.W_OK):
            raise CommandError(f"{path} cannot be written: the folder {folder} is read-only", USAGE)
        if _key(path) in taken:
            raise CommandError(
                f"{path} is named twice; a file that is written must not be another file of the "
                "command",
                USAGE,
            )
        taken[_key(path)] = path


def _key(path: str) -> str:
    return os.path.realpath(path)


class Writer(Protocol):
    """Writes a table, piece by piece."""

    def write(self, table: pa.Table) -> None:
        """Append rows."""

    def close(self) -> None:
        """Finish."""


class _Text:
    def __init__(self, sink: Any, schema: Any, format: Format) -> None:
        self._sink = sink
        self._delimiter = delimiter = DELIMITERS[format]
        # PyArrow puts every name in quotes, needed or not.
        line = StringIO()
        csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
        sink.write(line.getvalue().encode())
        self._special = f'["\\r\\n{re.escape(delimiter)}]|^$'

    def write(self, table: pa.Table) -> None:
        options = pyarrow.csv.WriteOptions(
            include_header=False,
            delimiter=self._delimiter,
            quoting_style="needed" if self._needs_quotes(table) else "none",
        )
        pyarrow.csv.write_csv(table, self._sink, options)

    def _needs_quotes(self, table: pa.Table) -> bool:
        """Return whether a text has to be quoted; PyArrow would then quote all, or none."""
        texts = (column for column in table.columns if is_text(column.type))
        return any(
            pa.compute.any(
                pa.compute.match_substring_regex(text.cast(pa.string()), self._special)
            ).as_py()
            for text in texts
        )

    def close(self) -> None:
        self._sink.close()


class _Npy:
    def __init__(self, stream: Any, schema: Any) -> None:
        self._writer = ArrayWriter(stream, len(schema))

    def write(self, table: pa.Table) -> None:
        self._writer.write(numbers(table, Format.npy))

    def close(self) -> None:
        self._writer.finish()


class _Array:
    """Collects the rows: the header of NumPy's formats tells their number."""

    def __init__(self, sink: Any, schema: Any, format: Format) -> None:
        self._sink, self._format, self._names = sink, format, schema.names
        self._rows: list[Array] = [np.empty((0, len(schema)))]

    def write(self, table: pa.Table) -> None:
        self._rows.append(numbers(table, self._format))

    def close(self) -> None:
        rows, buffer = np.concatenate(self._rows), BytesIO()  # savez needs to go back
        if self._format is Format.npy:
            np.save(buffer, rows)
        else:
            np.savez(buffer, X=rows, columns=np.array(self._names, dtype=np.str_))
        self._sink.write(buffer.getbuffer())


def numbers(table: pa.Table, format: Format) -> Array:
    """Return a table as an array, exactly, or say why that cannot be.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    format : Format
        What the array is for.
    """
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            if not is_number(column.type):
                raise pa.ArrowInvalid("text may look like numbers")
            columns.append(column.cast(pa.float64()).to_numpy())
        except pa.ArrowException:
            raise CommandError(
                f"column {name!r} cannot be written as {format}, which holds floating-point "
                "numbers only: leave it out, or choose another format",
                USAGE,
            ) from None
    return np.column_stack(columns)


def _open(stream: Any, schema: Any, format: Format, compression: str | None) -> Writer:
    if format is Format.npy and stream.seekable():
        return _Npy(stream, schema)
    sink = _Unclosed(stream)
    if format in TEXT:
        return _Text(_compressed(sink, compression), schema, format)
    if format is Format.parquet:
        return _Arrow(pyarrow.parquet.ParquetWriter(sink, schema))
    if format is Format.feather:
        return _Arrow(pa.ipc.new_file(sink, schema))
    return _Array(sink, schema, format)


def _compressed(sink: Any, compression: str | None) -> Any:
    if compression != "gzip":
        return pa.output_stream(sink, compression=compression)
    # PyArrow's level takes four times as long, and saves 2 %.
    return gzip.GzipFile("", "wb", compresslevel=4, fileobj=sink, mtime=0)


class _Arrow:
    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()


@contextmanager
def open_output(path: str, format: Format, schema: Any) -> Iterator[Writer]:
    """Open a table to be written; a file is there when the block has ended well.

    Parameters
    ----------
    path : str
        The file, or "-" for standard output.
    format : Format
        Its format.
    schema : pyarrow.Schema
        The columns.
    """
    if path == STANDARD and format not in TEXT and sys.stdout.isatty():
        raise CommandError(
            f"a terminal cannot show {format}; name a file with -o, or say --output-format csv",
            USAGE,
        )
    try:
        with _stream(path) as stream:
            writer = _open(stream, schema, format, compression_of(path))
            yield writer
            writer.close()  # not after an error: half a table needs no end
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:  # errors in what is read are others
        where = "standard output" if path == STANDARD else path
        raise CommandError(f"{where} cannot be written: {error.strerror or error}") from error


@contextmanager
def _stream(path: str) -> Iterator[Any]:
    if path == STANDARD:
        yield sys.stdout.buffer
    elif Path(path).exists() and not Path(path).is_file():  # /dev/null, or a named pipe
        with Path(path).open("wb") as stream:
            yield stream
    else:
        with replacing(path) as stream:
            yield stream


class _Unclosed:
    """A stream that PyArrow must leave open."""

    closed = False

    def __init__(self, stream: Any) -> None:
        self._stream = stream
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
