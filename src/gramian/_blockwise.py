"""Transforming and scoring tables that are not in memory: files, and Dask collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gramian._types import Array
from gramian.rows import Source, as_source
from gramian.rows._stream import check
from gramian.tables._outputs import open_output

Output = str | os.PathLike[str] | None


def source_of(X: Any) -> Source | None:
    """Return a source if the data are files or blocks of rows; arrays are none, wherever."""
    return None if isinstance(X, np.ndarray) else as_source(X)


def aligned(source: Source, names: Sequence[str] | None, n_columns: int) -> Iterator[Array]:
    """Read the columns of these names, or as many columns, in their order, chunk by chunk.

    Values may be missing.
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
        yield chunk.x[:, order]


def write(
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
        Applied to every block.
    names : sequence of str
        The names of the new columns.
    output : path or None
        The file, of which nothing is there if anything fails.
    """
    if output is None:
        return np.concatenate([np.empty((0, len(names))), *map(function, blocks)])
    with open_output(output, names) as writer:
        for x in blocks:
            writer.write_array(function(x))
    return Path(output)


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
