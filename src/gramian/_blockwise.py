"""Transforming and scoring tables that are not in memory: files, and Dask collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from gramian._types import Array
from gramian._writing import ArrayWriter, temporary_for
from gramian.rows import Source, as_source
from gramian.rows._files import pyarrow
from gramian.rows._stream import check

Output = str | os.PathLike[str] | None


def source_of(X: Any) -> Source | None:
    """Return a source if the data are files or blocks of rows; arrays are none, wherever."""
    return None if isinstance(X, np.ndarray) else as_source(X)


def aligned(source: Source, names: Sequence[str] | None, n_columns: int) -> Iterator[Array]:
    """Read the columns of these names, or as many columns, in their order, chunk by chunk."""
    order: Sequence[int] | slice = slice(None)
    if source.names is not None and names is not None:
        missing = [name for name in names if name not in source.names]
        if missing:
            raise ValueError(f"{source} lacks the column {missing[0]!r}, which the fit had.")
        order = [list(source.names).index(name) for name in names]
    elif source.n_columns != n_columns:
        raise ValueError(f"{source} has {source.n_columns} columns, and {n_columns} are needed.")
    for chunk in source.chunks():
        check(chunk, source.names)
        yield chunk.x[:, order]


def write(
    blocks: Iterable[Array],
    function: Callable[[Array], Array],
    names: Sequence[str],
    output: Output,
) -> Path:
    """Apply a function to all blocks and write the results to a file; nothing if it fails.

    Parameters
    ----------
    blocks : iterable of arrays
        The rows.
    function : callable
        Applied to every block.
    names : sequence of str
        The names of the new columns.
    output : path
        The file.
    """
    if output is None:
        raise ValueError(
            "What becomes of files is written to a file: give output='....parquet' (or .csv, "
            ".feather, .npy)."
        )
    path = Path(output)
    if path.suffix.lower() not in WRITERS:
        raise ValueError(f"{path} must end in one of {', '.join(WRITERS)}.")
    make = WRITERS[path.suffix.lower()]
    with temporary_for(path) as temporary, make(temporary, names) as writer:
        for x in blocks:
            writer.write(function(x))
    return path


class Writer(Protocol):
    """Writes a table, block by block."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def write(self, rows: Array) -> None:
        """Append rows."""
        ...


class _Arrow:
    """Writes by PyArrow, with the writer that `open_file` makes of a path and a schema."""

    def __init__(
        self, open_file: Callable[[Path, Any], Any], path: Path, names: Sequence[str]
    ) -> None:
        arrow = pyarrow()
        self._schema = arrow.schema([(str(name), arrow.float64()) for name in names])
        self._writer = open_file(path, self._schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()

    def write(self, rows: Array) -> None:
        """Append rows."""
        columns = [np.ascontiguousarray(column) for column in rows.T]
        self._writer.write_batch(pyarrow().record_batch(columns, schema=self._schema))


def _open_parquet(path: Path, schema: Any) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(path, schema)


def _open_feather(path: Path, schema: Any) -> Any:
    import pyarrow.ipc

    return pyarrow.ipc.new_file(str(path), schema)


def _open_csv(path: Path, schema: Any) -> Any:
    import pyarrow.csv

    return pyarrow.csv.CSVWriter(str(path), schema)


class _Npy:
    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._stream = path.open("wb")
        self._writer = ArrayWriter(self._stream, len(names))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.finish()
        self._stream.close()

    def write(self, rows: Array) -> None:
        """Append rows."""
        self._writer.write(rows)


WRITERS: dict[str, Callable[[Path, Sequence[str]], Writer]] = {
    ".parquet": partial(_Arrow, _open_parquet),
    ".feather": partial(_Arrow, _open_feather),
    ".arrow": partial(_Arrow, _open_feather),
    ".csv": partial(_Arrow, _open_csv),
    ".npy": _Npy,
}


def lazily(
    X: Any, function: Callable[[Any], Array], names: Sequence[str] | None, n_columns: int
) -> Any:
    """Apply a function to a Dask collection, when its result is asked for.

    Parameters
    ----------
    X : Dask array or data frame
        The rows.
    function : callable
        Applied to every partition.
    names : sequence of str, or None
        The names of the new columns, for data frames.
    n_columns : int
        Their number; 0 for a vector.
    """
    if hasattr(X, "to_dask_array"):
        import pandas as pd

        columns = [str(i) for i in range(n_columns)] if names is None else [*map(str, names)]

        def part(frame: Any) -> Any:
            return pd.DataFrame(function(frame), columns=columns, index=frame.index)

        return X.map_partitions(part, meta=pd.DataFrame(columns=columns, dtype=np.float64))
    X = X.rechunk({1: -1})
    if not n_columns:
        return X.map_blocks(function, dtype=np.float64, drop_axis=1)
    chunks = (X.chunks[0], (n_columns,))
    return X.map_blocks(function, dtype=np.float64, chunks=chunks)
