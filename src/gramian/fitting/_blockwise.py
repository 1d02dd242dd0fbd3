"""Functions applied block by block, to files, blocks of rows and Dask collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.writing import check_target
from gramian.core.rows import Source, as_source, check, is_dask, written_out
from gramian.tables import Chunk, folder_read, format_of, open_output

Output = str | os.PathLike[str] | None


def source_of(X: Any, weight: str | None = None) -> Source | None:
    """Return a source if the data are files or blocks of rows; None for arrays, even on disk.

    Parameters
    ----------
    X : object
        The data that the user gave.
    weight : str, optional
        The name of the column with the weights.
    """
    return None if isinstance(X, np.ndarray) else as_source(X, weight)


def aligned(source: Source, names: Sequence[str] | None, n_columns: int) -> Iterator[Chunk]:
    """Read a source in chunks of rows, with its columns in the order of `names`.

    If the source has no column names, or `names` is None, all columns are read in their order, and
    their number must be `n_columns`. Values may be missing.
    """
    order: Sequence[int] | slice = slice(None)
    if source.names is not None and names is not None:
        missing = [name for name in names if name not in source.names]
        if missing:
            raise ValueError(f"{source} lacks the column {missing[0]!r}, which the fit had.")
        order = [list(source.names).index(name) for name in names]
    elif source.n_columns != n_columns:
        raise ValueError(f"{source} has {source.n_columns} columns, and {n_columns} are needed.")
    for chunk in source.chunks():
        check(chunk, source.names, gaps=True)
        yield replace(chunk, x=chunk.x[:, order])


def apply_blockwise(
    blocks: Iterable[Array],
    function: Callable[[Array], Array],
    names: Sequence[str],
    output: Output,
) -> Path | Array:
    """Apply a function to all blocks; write the results to a file, or return them.

    Parameters
    ----------
    blocks : iterable of arrays
        The rows.
    function : callable
        Function that is applied to every block.
    names : sequence of str
        The names of the new columns.
    output : path or None
        The file; None to return an array. If an error occurs, no file is written.
    """
    if output is None:
        return np.concatenate([np.empty((0, len(names))), *map(function, blocks)])
    with open_output(output, names) as writer:
        for x in blocks:
            writer.write_array(written_out(function(x)))
    return Path(output)


def check_output(X: Any, output: Output) -> None:
    """Raise an error, before any work is done, if the output cannot be written.

    Parameters
    ----------
    X : object
        The data that are read.
    output : path or None
        The file.
    """
    if output is None:
        return
    check_target(output)
    format_of(output)
    paths = [X] if isinstance(X, str | os.PathLike) else X if isinstance(X, list | tuple) else []
    folder = folder_read(output, [each for each in paths if isinstance(each, str | os.PathLike)])
    if folder is not None:
        raise ValueError(
            f"{output} is in the folder {folder}, whose Parquet files are read as one table: "
            "write the file elsewhere."
        )


def any_named(columns: Iterable[Any], names: Sequence[str]) -> bool:
    """Return True if at least one of the columns has a name in `names`.

    If it is False, callers take columns by position.
    """
    return not {*names}.isdisjoint(columns)


def by_name(Z: Any, names: Sequence[str]) -> Any:
    """Return the columns `names` of a table, in this order.

    If the table has none of these names, return it unchanged.
    """
    columns = getattr(Z, "column_names", getattr(Z, "columns", None))
    if columns is None or not any_named(columns, names):
        return Z
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(f"X lacks the column {missing[0]!r}, which was kept.")
    return Z.select(list(names)) if hasattr(Z, "column_names") else Z[list(names)]


def without_columns(X: Any, *given: Any) -> Any:
    """Return data without the columns of weights and groups, if they are given by name.

    Files and blocks of rows are returned unchanged: their columns are taken by name.

    Parameters
    ----------
    X : object
        The data.
    *given : object
        The weights and groups that the user gave; those that are texts are names of columns.
    """
    names = {each for each in given if isinstance(each, str)}
    if not names or not hasattr(X, "columns"):
        return X
    if hasattr(X, "column_names"):  # an Arrow table
        return X.drop_columns(sorted(names.intersection(X.column_names)))
    return X[[name for name in X.columns if name not in names]]


def weights_of(X: Any, sample_weight: Any) -> Any:
    """Return the weights of rows in memory or of Dask as an array.

    Weights may be given as an array, a Dask array, or the name of a column.
    """
    if is_dask(sample_weight):
        return np.asarray(sample_weight.compute(), dtype=np.float64)
    if not isinstance(sample_weight, str):
        return sample_weight
    if not hasattr(X, "columns"):
        raise TypeError(
            f"sample_weight={sample_weight!r} names a column, and X has no names; give the weights."
        )
    if sample_weight not in getattr(X, "column_names", X.columns):
        raise ValueError(f"There is no column {sample_weight!r} to take weights from.")
    column = X[sample_weight]
    return np.asarray(column.compute() if is_dask(X) else column, dtype=np.float64)


def lazily(
    X: Any, function: Callable[[Any], Array], names: Sequence[str] | None, n_columns: int
) -> Any:
    """Return a lazy Dask collection: a function applied to every partition.

    Parameters
    ----------
    X : Dask array or data frame
        The rows.
    function : callable
        Function from a partition to an array.
    names : sequence of str, or None
        The names of the new columns, for data frames.
    n_columns : int
        The number of new columns; 0 for a vector.
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
