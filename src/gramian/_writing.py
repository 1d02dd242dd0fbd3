"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

import numpy as np

from gramian._types import Array


@contextmanager
def temporary_for(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside the file to write to, and rename it to the file when all went well.

    Whatever ends the block early leaves the old file as it was, and nothing beside it.

    Parameters
    ----------
    path : path
        The file.
    """
    path = Path(os.path.realpath(path))  # a link stays a link
    temporary = path.with_name(f".{path.name[:200]}.{uuid4().hex}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to be written as `temporary_for` does; it is on the disk when it is renamed.

    Parameters
    ----------
    path : path
        The file.
    """
    with temporary_for(path) as temporary, temporary.open("xb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


class ArrayWriter:
    """Writes a table in NumPy's format, block by block.

    The number of rows in the header is filled in at the end.

    Parameters
    ----------
    stream : binary file
        A file to begin with, which can be gone back in.
    n_columns : int
        The number of columns.
    """

    def __init__(self, stream: BinaryIO, n_columns: int) -> None:
        self._stream = stream
        self._n_columns = n_columns
        self._n_rows = 0
        self._header()

    def _header(self) -> None:
        # NumPy leaves room for as many digits as the number of rows may ever have.
        shape = (self._n_rows, self._n_columns)
        content = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._stream, content)

    def write(self, rows: Array) -> None:
        """Append rows."""
        self._stream.write(np.ascontiguousarray(rows, dtype="<f8").tobytes())
        self._n_rows += len(rows)

    def finish(self) -> None:
        """Fill in the number of rows."""
        self._stream.seek(0)
        self._header()
        self._stream.seek(0, os.SEEK_END)
