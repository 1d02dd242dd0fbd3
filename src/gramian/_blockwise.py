"""Transforming and scoring tables that are not in memory: files, and Dask collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from gramian._types import Array
from gramian.rows import Source, as_source, is_dask
from gramian.rows._files import pyarrow
from gramian.rows._stream import check

if TYPE_CHECKING:
    from gramian._reconstruction import Reconstruction

Output = str | os.PathLike[str] | None


def source_of(X: Any) -> Source | None:
    """Return a source if the data are files or blocks of rows; arrays are none, wherever."""
    return None if isinstance(X, np.ndarray) else as_source(X)


def aligned(source: Source, estimator: Reconstruction) -> Iterator[Array]:
    """Read the columns of the fit, in their order, chunk by chunk."""
    names = getattr(estimator, "feature_names_in_", None)
    order: Sequence[int] | slice = slice(None)
    if source.names is not None and names is not None:
        missing = [name for name in names if name not in source.names]
        if missing:
            raise ValueError(f"{source} lacks the column {missing[0]!r}, which the fit had.")
        order = [list(source.names).index(name) for name in names]
    elif source.n_columns != estimator.n_features_in_:
        raise ValueError(
            f"{source} has {source.n_columns} columns, and the fit had {estimator.n_features_in_}."
        )
    for chunk in source.chunks():
        check(chunk, source.names)
        yield chunk.x[:, order]


def write(
    source: Source, estimator: Reconstruction, function: Callable[[Array], Array], output: Output
) -> Path:
    """Apply a function to all rows and write the result, block by block; nothing if it fails."""
    if output is None:
        raise ValueError(
            "What becomes of files is written to a file: give output='....parquet' (or .csv, "
            ".feather, .npy)."
        )
    path = Path(output)
    if path.suffix.lower() not in WRITERS:
        raise ValueError(f"{path} must end in one of {', '.join(WRITERS)}.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with WRITERS[path.suffix.lower()](temporary, estimator.get_feature_names_out()) as writer:
            for x in aligned(source, estimator):
                writer.write(function(x))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


class Writer(Protocol):
    """Writes a table, block by block."""

    def __init__(self, path: Path, names: Sequence[str]) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def write(self, rows: Array) -> None:
        """Append rows."""
        ...


class _ArrowWriter:
    def __init__(self, path: Path, names: Sequence[str]) -> None:
        arrow = pyarrow()
        self._schema = arrow.schema([(str(name), arrow.float64()) for name in names])
        self._writer = self._open(arrow, path)

    def _open(self, arrow: Any, path: Path) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()

    def write(self, rows: Array) -> None:
        """Append rows."""
        columns = [np.ascontiguousarray(column) for column in rows.T]
        arrow = pyarrow()
        self._writer.write_batch(arrow.record_batch(columns, schema=self._schema))


class _Parquet(_ArrowWriter):
    def _open(self, arrow: Any, path: Path) -> Any:
        import pyarrow.parquet

        return pyarrow.parquet.ParquetWriter(path, self._schema)


class _Feather(_ArrowWriter):
    def _open(self, arrow: Any, path: Path) -> Any:
        import pyarrow.ipc

        return pyarrow.ipc.new_file(str(path), self._schema)


class _Csv(_ArrowWriter):
    def _open(self, arrow: Any, path: Path) -> Any:
        import pyarrow.csv

        return pyarrow.csv.CSVWriter(str(path), self._schema)


class _Npy:
    """Writes rows behind a header whose number of rows is filled in at the end."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._n_columns = len(names)
        self._n_rows = 0
        self._stream = path.open("wb")
        self._header()

    def _header(self) -> None:
        # NumPy leaves room for as many digits as the number of rows may ever have.
        content = {
            "descr": "<f8",
            "fortran_order": False,
            "shape": (self._n_rows, self._n_columns),
        }
        np.lib.format.write_array_header_1_0(self._stream, content)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.seek(0)
        self._header()
        self._stream.close()

    def write(self, rows: Array) -> None:
        """Append rows."""
        self._stream.write(np.ascontiguousarray(rows, dtype="<f8").tobytes())
        self._n_rows += len(rows)


WRITERS: dict[str, type[Writer]] = {
    ".parquet": _Parquet,
    ".feather": _Feather,
    ".arrow": _Feather,
    ".csv": _Csv,
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


__all__ = ["Output", "aligned", "is_dask", "lazily", "source_of", "write"]
