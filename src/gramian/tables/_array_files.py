"""Tables in NumPy files (.npy and .npz), whose numbers are read without PyArrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import counted, names_or_numbers
from gramian.exceptions import TableError
from gramian.tables._formats import ARRAYS, Format, format_of_bytes
from gramian.tables._kinds import pyarrow
from gramian.tables._table import NO_TEXT, AsText, Chunk, Table, piece_rows, reading

NUMBERS = "fiub"
"""Letters of NumPy's `dtype.kind` that are numbers: floats, integers, unsigned integers, bool."""


class ArrayTable(Table):
    """A `Table` whose rows are a 2-dimensional array, in memory or on disk.

    Parameters
    ----------
    name : str
        Name of the table for messages, such as the path of its file.
    format : Format
        Format of the file.
    array : array of shape (n_rows, n_columns)
        The numbers of the table.
    names : sequence of str, optional
        Names of the columns; by default x0, x1, ...
    """

    n_rows: int
    """Number of rows of the array."""

    def __init__(
        self, name: str, format: Format, array: Array, names: Sequence[str] | None = None
    ) -> None:
        if array.ndim != 2 or array.dtype.kind not in NUMBERS:
            raise TableError(
                f"{name} holds an array of shape {array.shape} and type {array.dtype}; a table has "
                "two dimensions, and holds numbers."
            )
        self.named = names is not None
        names = names_or_numbers(names, array.shape[1])
        super().__init__(name, format, names)
        self._array = array
        self.n_rows = len(array)

    @cached_property
    def _dtype(self) -> np.dtype[Any]:
        """NumPy type with which columns are converted to Arrow."""
        kind = self._array.dtype.newbyteorder("=")
        # Arrow has no floats of more than 64 bits, and cannot convert floats of 16 bits.
        exotic = kind.kind == "f" and kind.itemsize not in (4, 8)
        return np.dtype(np.float64) if exotic else kind

    @property
    def of_numbers(self) -> bool:
        """True, because all columns of an array are numbers."""
        return True

    @cached_property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name."""
        return dict.fromkeys(self.names, pyarrow().from_numpy_dtype(self._dtype))

    def _parts(self) -> Iterator[tuple[int, Array]]:
        """Yield the array in parts, as pairs of the first row's index and the rows."""
        step = piece_rows(self._array.shape[1])
        for start in range(0, self.n_rows, step):
            yield start, self._array[start : start + step]

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; `as_text` is not used."""
        arrow = pyarrow()
        where = [self.names.index(name) for name in names]
        for _, part in self._parts():
            columns = [arrow.array(np.ascontiguousarray(part[:, i], self._dtype)) for i in where]
            yield arrow.table(columns, names=list(names))

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the columns `names` in chunks of rows, as arrays of float64."""
        where = [self.names.index(name) for name in names]
        for start, part in self._parts():
            taken = part if list(names) == self.names else part[:, where]
            yield Chunk(np.array(taken, dtype=np.float64), None, self.name, start)


def open_array_file(name: str, format: Format, source: Any) -> ArrayTable:
    """Open a .npy or .npz file as a table.

    Parameters
    ----------
    name : str
        Name of the table for messages, such as the path of its file.
    format : Format
        Format of the file.
    source : Path or bytes
        Path of the file, or its content. A .npy file is memory-mapped, not loaded.
    """
    with reading(name, format):
        if format_of_bytes(_beginning(source)) not in ARRAYS:
            raise TableError(f"{name} is none of NumPy's files. Save it with np.save or np.savez.")
        try:
            array, names = _npy(source) if format is Format.npy else _npz(source)
        except ValueError as error:
            if "object" not in str(error).lower():
                raise
            # NumPy's own message advises to load Python objects, which is unsafe.
            raise TableError(
                f"{name} holds objects of Python's and no numbers. Save an array of numbers, and "
                "names as an array of strings."
            ) from error
    if names is not None and len(names) != array.shape[1]:
        raise TableError(
            f"{name} names {counted(len(names), 'column')}, and its table has {array.shape[1]}."
        )
    return ArrayTable(name, format, array, names)


def _beginning(source: Path | bytes) -> bytes:
    """Return the first 8 bytes of a file, by which its format is recognized."""
    if isinstance(source, bytes):
        return source[:8]
    with source.open("rb") as stream:
        return stream.read(8)


def _npy(source: Any) -> tuple[Array, None]:
    """Return the array of a .npy file, and None, because such a file has no column names."""
    on_disk = isinstance(source, Path)
    array = np.load(
        source if on_disk else BytesIO(source),
        mmap_mode="r" if on_disk else None,
        allow_pickle=False,
    )
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError("it is an archive of arrays, as files are that end in .npz")
    return array, None


def _npz(source: Any) -> tuple[Array, list[str] | None]:
    """Return the table in a .npz file, and its column names or None.

    The table is the 2-dimensional array called "X", or the only 2-dimensional array.
    """
    with source.open("rb") if isinstance(source, Path) else BytesIO(source) as stream:
        file = np.load(stream, allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise ValueError("it is a single array, as files are that end in .npy")
        with file:
            tables = [name for name in file.files if file[name].ndim == 2]
            if "X" not in tables and len(tables) != 1:
                raise ValueError("it must have one table, or a table called X")
            array = file["X" if "X" in tables else tables[0]]
            names = file["columns"] if "columns" in file.files else None
    if names is None or names.dtype.kind != "U" or names.ndim != 1:
        return array, None
    return array, names.tolist()
