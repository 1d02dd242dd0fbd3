"""Tables that commands read, by PyArrow and NumPy: whole, or in pieces."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from gramian._types import Array
from gramian.cli._errors import USAGE, CommandError
from gramian.cli._formats import (
    DELIMITERS,
    STANDARD,
    TEXT,
    compression_of_bytes,
    format_of,
    format_of_bytes,
)
from gramian.cli._options import Format, Reading

PIECE_BYTES = 2**24
"""About so much of a table is worked on at once."""
TEXT_BYTES = 2**22
"""So much of a text file is parsed at once."""
COMPRESSED = 4
"""About how much smaller compression makes a text file."""
SHARE = 8
"""A table may take this part of the memory, as a fit makes copies of it."""
DAMAGE = (pa.ArrowException, OSError, ValueError, EOFError, BadZipFile)
"""What readers raise for files that are not as they should be."""


MISSING = pyarrow.csv.ConvertOptions().null_values
"""What stands for a missing value in text files: nothing, NA, NaN, null and the like."""


class Table(ABC):
    """A table that can be read as often as needed.

    Parameters
    ----------
    name : str
        What to call it in messages.
    format : Format
        Its format.
    """

    named = True
    """Whether it comes with names of columns; otherwise they are x0, x1, ..."""
    n_rows: int | None
    """The number of rows, where it is known without reading the table."""

    def __init__(self, name: str, format: Format) -> None:
        self.name = name
        self.format = format
        self.columns: dict[str, Any] = {}
        """PyArrow's types of the columns; those of text files, as their beginning suggests."""
        self.too_large = False
        """Whether it takes more memory than it may."""

    @abstractmethod
    def batches(
        self, names: Sequence[str], verbatim: Collection[str] = (), labels: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Read some columns, piece by piece.

        Parameters
        ----------
        names : sequence of str
            The columns.
        verbatim, labels : collections of str
            If the file is text: those among them that stay as they are written, whatever they look
            like, and those that are categories, whose empty fields are missing values.
        """

    def read(
        self, names: Sequence[str], verbatim: Collection[str] = (), labels: Collection[str] = ()
    ) -> pa.Table:
        """Read some columns, as `batches` does, into memory."""
        pieces = list(self.batches(names, verbatim, labels))
        if not pieces:
            return pa.table({name: pa.array([], self.columns[name]) for name in names})
        return pa.concat_tables(pieces)

    def _set_columns(self, schema: Any, size: int, budget: int) -> None:
        if not schema.names:
            raise CommandError(f"{self.name} holds no table: there are no columns")
        twice = [name for name, count in Counter(schema.names).items() if count > 1]
        if twice:
            raise CommandError(
                f"{self.name} has more than one column {twice[0]!r}: rename one of them"
            )
        self.columns = dict(zip(schema.names, schema.types, strict=True))
        self.too_large = size > budget // SHARE

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise CommandError(f"there is no file {self.name}", USAGE) from None
        except DAMAGE as error:
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it is damaged"
            raise CommandError(f"{self.name} cannot be read as {self.format}: {reason}") from error


class TextTable(Table):
    """CSV and TSV, compressed or not."""

    n_rows = None

    def __init__(self, name: str, format: Format, source: Any, reading: Reading) -> None:
        super().__init__(name, format)
        self._source = source
        self._delimiter = reading.delimiter or DELIMITERS[format]
        self.named = reading.header
        with self._reading(), self._open() as stream:
            file = pa.OSFile(source) if isinstance(source, str) else pa.BufferReader(source)
            size = file.size() * (1 if self._compression is None else COMPRESSED)
            if size == 0:
                raise CommandError(f"{name} is empty")
            reader = pyarrow.csv.open_csv(
                stream, self._read_options(), self._parse_options(), self._convert_options()
            )
            schema = pa.schema(
                [(self._public(i, each.name), each.type) for i, each in enumerate(reader.schema)]
            )
        self._inner = dict(zip(schema.names, reader.schema.names, strict=True))
        self._set_columns(schema, size, reading.memory_budget)
        if len(schema) == 1 and not reading.delimiter:
            other = next((each for each in ";\t|," if each in schema.names[0]), None)
            if other is not None:
                raise CommandError(
                    f"{name} seems to be separated by {other!r}: say --delimiter "
                    f"'{other if other != chr(9) else chr(92) + 't'}'"
                )

    def _public(self, i: int, name: str) -> str:
        return name if self.named else f"x{i}"

    @property
    def _compression(self) -> str | None:
        if not isinstance(self._source, str):
            return compression_of_bytes(self._source[:4].to_pybytes())
        with Path(self._source).open("rb") as stream:
            return compression_of_bytes(stream.read(4))

    def _open(self) -> Any:
        compression = self._compression
        source = self._source
        if isinstance(source, str):
            return pa.input_stream(source, compression=compression)
        stream = pa.BufferReader(source)
        return stream if compression is None else pa.CompressedInputStream(stream, compression)

    def _read_options(self) -> Any:
        return pyarrow.csv.ReadOptions(
            block_size=TEXT_BYTES, autogenerate_column_names=not self.named
        )

    def _parse_options(self) -> Any:
        return pyarrow.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True)

    def _convert_options(
        self, names: Sequence[str] = (), text: Collection[str] = (), *, fixed: bool = False
    ) -> Any:
        types = {self._inner[name]: pa.string() for name in text}
        for name in set(names) - set(text) if fixed else ():
            kind = self.columns[name]
            # What look like integers, or are missing, at the top may be fractions further down.
            if pa.types.is_integer(kind) or pa.types.is_null(kind):
                kind = pa.float64()
            types[self._inner[name]] = kind
        return pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=[self._inner[name] for name in names]
        )

    def batches(
        self, names: Sequence[str], verbatim: Collection[str] = (), labels: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Read some columns, piece by piece."""
        convert = self._convert_options(names, {*verbatim, *labels}, fixed=self.too_large)
        options = self._read_options(), self._parse_options(), convert
        with self._reading(), self._open() as stream:
            if self.too_large:
                for batch in pyarrow.csv.open_csv(stream, *options):
                    yield _finish(pa.Table.from_batches([batch]), names, verbatim)
                return
            # All rows together decide on the type of a column, and not only the first ones.
            table = pyarrow.csv.read_csv(stream, *options)
        yield from in_pieces(_finish(table, names, verbatim))


def _finish(table: pa.Table, names: Sequence[str], verbatim: Collection[str]) -> pa.Table:
    """Name the columns, and take empty fields and the like for missing values."""
    table = table.rename_columns(list(names))
    for i, name in enumerate(names):
        column = table.column(i)
        if name not in verbatim and pa.types.is_string(column.type):
            absent = pa.compute.is_in(column, value_set=pa.array(MISSING))
            column = pa.compute.if_else(absent, pa.scalar(None, pa.string()), column)
            table = table.set_column(i, name, column)
    return table


class ParquetTable(Table):
    """A Parquet file."""

    def __init__(self, name: str, source: Any, reading: Reading) -> None:
        super().__init__(name, Format.parquet)
        self._source = source
        with self._reading(), self._open() as file:
            schema, self.n_rows = file.schema_arrow, file.metadata.num_rows
        self._set_columns(schema, 8 * self.n_rows * len(schema), reading.memory_budget)

    def _open(self) -> Any:
        source = self._source if isinstance(self._source, str) else pa.BufferReader(self._source)
        # Without a buffer of their own, columns are fetched by whole row groups.
        return pyarrow.parquet.ParquetFile(source, pre_buffer=False, buffer_size=2**16)

    def batches(
        self, names: Sequence[str], verbatim: Collection[str] = (), labels: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Read some columns, piece by piece."""
        with self._reading(), self._open() as file:
            for batch in file.iter_batches(_piece_rows(len(names)), columns=list(names)):
                yield pa.Table.from_batches([batch]).select(list(names))


class ArrowTable(Table):
    """An Arrow or Feather file, or a stream in Arrow's format."""

    def __init__(self, name: str, source: Any, reading: Reading) -> None:
        super().__init__(name, Format.feather)
        self._source = source
        with self._reading(), self._open() as file:
            schema = file.schema
            counts = (file.get_batch(i).num_rows for i in range(file.num_record_batches))
            self.n_rows = sum(counts)
        self._set_columns(schema, 8 * self.n_rows * len(schema), reading.memory_budget)

    def _open(self) -> Any:
        source = self._source
        return pa.ipc.open_file(pa.memory_map(source) if isinstance(source, str) else source)

    def batches(
        self, names: Sequence[str], verbatim: Collection[str] = (), labels: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Read some columns, piece by piece."""
        with self._reading(), self._open() as file:
            for i in range(file.num_record_batches):
                yield from in_pieces(pa.Table.from_batches([file.get_batch(i)]).select(list(names)))


class ArrayTable(Table):
    """NumPy's files."""

    def __init__(self, name: str, format: Format, source: Any, reading: Reading) -> None:
        super().__init__(name, format)
        with self._reading():
            self._array, names = (_npy if format is Format.npy else _npz)(source)
        self.named = names is not None
        if self._array.ndim != 2 or self._array.dtype.kind not in "fiub":
            raise CommandError(
                f"{name} holds an array of shape {self._array.shape} and type "
                f"{self._array.dtype}; a table of numbers has two dimensions"
            )
        self.n_rows = len(self._array)
        names = names or [f"x{i}" for i in range(self._array.shape[1])]
        self._dtype = self._array.dtype.newbyteorder("=")
        if self._dtype.kind == "f" and self._dtype.itemsize not in (4, 8):
            self._dtype = np.dtype(np.float64)  # Arrow has no longer ones, and casts no half ones
        kind = pa.from_numpy_dtype(self._dtype)
        self._set_columns(
            pa.schema([(each, kind) for each in names]),
            8 * self._array.size,
            reading.memory_budget,
        )

    def batches(
        self, names: Sequence[str], verbatim: Collection[str] = (), labels: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Read some columns, piece by piece."""
        where = [list(self.columns).index(name) for name in names]
        step = _piece_rows(self._array.shape[1])
        for start in range(0, len(self._array), step):
            part = self._array[start : start + step]
            columns = [pa.array(np.ascontiguousarray(part[:, i], self._dtype)) for i in where]
            yield pa.table(columns, names=list(names))


def _npy(source: Any) -> tuple[Array, None]:
    if isinstance(source, str):
        return np.load(source, mmap_mode="r", allow_pickle=False), None
    return np.load(BytesIO(source), allow_pickle=False), None


def _npz(source: Any) -> tuple[Array, list[str] | None]:
    with (
        Path(source).open("rb") if isinstance(source, str) else BytesIO(source) as stream,
        np.load(stream, allow_pickle=False) as file,
    ):
        tables = [name for name in file.files if file[name].ndim == 2]
        if "X" not in tables and len(tables) != 1:
            raise ValueError("it must have one table, or a table called X")
        array = file["X" if "X" in tables else tables[0]]
        names = file["columns"] if "columns" in file.files else None
    if names is None or names.dtype.kind != "U" or names.shape != array.shape[1:]:
        return array, None
    return array, names.tolist()


def open_table(path: str, reading: Reading) -> Table:
    """Open a table and look at its columns.

    Parameters
    ----------
    path : str
        The file, or "-" for standard input, which as any pipe is kept in memory.
    reading : Reading
        Its format and how much memory it may take.
    """
    name = "standard input" if path == STANDARD else path
    source: Any = path
    if path != STANDARD and not Path(path).exists():
        raise CommandError(f"there is no file {path}", USAGE)
    if path != STANDARD and Path(path).is_dir():
        raise CommandError(f"{path} is a folder, and a file is needed", USAGE)
    if path == STANDARD or not Path(path).is_file():  # a pipe can be read only once
        source = sys.stdin.buffer.read() if path == STANDARD else Path(path).read_bytes()
        found = reading.format or format_of_bytes(source[:8])
        source = pa.py_buffer(source)
    else:
        found = format_of(path, reading.format)
    if found in TEXT:
        return TextTable(name, found, source, reading)
    if found is Format.parquet:
        return ParquetTable(name, source, reading)
    if found is Format.feather:
        return ArrowTable(name, source, reading)
    return ArrayTable(name, found, source, reading)


def _piece_rows(n_columns: int) -> int:
    return max(1, PIECE_BYTES // (8 * n_columns))


def in_pieces(table: pa.Table, width: int = 0) -> Iterator[pa.Table]:
    """Cut a table into pieces that can be worked on at once.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    width : int, default=0
        How many columns are made of it, if these are more than it has.
    """
    step = _piece_rows(max(width, table.num_columns))
    for start in range(0, table.num_rows, step):
        yield table.slice(start, step)
