"""Where the rows of a table come from, and a bounded sample of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._types import Array
from gramian.rows import Source, as_source, is_dask

SAMPLE_ROWS = 8_000
"""Laws are looked for in no more rows; all rows confirm them."""
BLOCK_ROWS = 50_000


@dataclass(frozen=True)
class Table:
    """A table that can be read again and again."""

    names: tuple[str, ...]
    named: bool
    """Whether the names are the table's own."""
    blocks: Callable[[], Iterator[Array]]
    """Reads it once, from the first row to the last."""


def open_table(data: Any, feature_names: Sequence[str] | None) -> Table:
    """Open an array, a data frame, an Arrow table, files, row blocks or a Dask collection.

    Parameters
    ----------
    data : object
        The table.
    feature_names : sequence of str or None
        The names of its columns, if it has none or others are wanted.
    """
    if is_dask(data):
        found, width, blocks = _dask(data)
    elif (source := as_source(data)) is not None:
        found, width, blocks = _of_source(source)
    else:
        found, width, blocks = _in_memory(data)
    return _named(found, width, feature_names, blocks)


Opened = tuple[list[str] | None, int, Callable[[], Iterator[Array]]]
"""The names of the columns if there are any, their number, and what reads the rows."""


def _of_source(source: Source) -> Opened:
    names = None if source.names is None else [str(each) for each in source.names]

    def blocks() -> Iterator[Array]:
        for chunk in source.chunks():
            yield chunk.x

    return names, source.n_columns, blocks


def _in_memory(data: Any) -> Opened:
    names, array = _array(data)

    def blocks() -> Iterator[Array]:
        for start in range(0, len(array), BLOCK_ROWS):
            yield array[start : start + BLOCK_ROWS]

    return names, array.shape[1], blocks


def _named(
    found: Sequence[str] | None,
    width: int,
    wanted: Sequence[str] | None,
    blocks: Callable[[], Iterator[Array]],
) -> Table:
    names = found if wanted is None else [str(each) for each in wanted]
    if names is not None and len(names) != width:
        raise ValueError(
            f"feature_names has {len(names)} names, and the table has {width} columns."
        )
    named = names is not None
    names = [f"x{i}" for i in range(width)] if names is None else names
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"More than one column is called {twice[0]!r}, so that a law could not say which it "
            "means. Rename one, or give feature_names."
        )
    return Table(tuple(names), named, blocks)


def _array(data: Any) -> tuple[list[str] | None, Array]:
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):  # an Arrow table
        names = [str(each) for each in data.column_names]
        return names, _stacked(names, [data.column(i).to_numpy() for i in range(len(names))])
    if hasattr(data, "columns") and not isinstance(data, np.ndarray):
        names = [str(each) for each in data.columns]
        return names, _stacked(names, [np.asarray(data[each]) for each in data.columns])
    if hasattr(data, "toarray"):
        data = data.toarray()
    try:
        array = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X holds something else than numbers: {error}") from error
    if array.ndim != 2:
        raise ValueError(
            f"X must be a table with rows and columns; it has the shape {array.shape}."
        )
    return None, array


def _stacked(names: Sequence[str], columns: Sequence[Any]) -> Array:
    if not columns:
        raise ValueError("X has no columns.")
    found = np.empty((len(columns[0]), len(columns)), order="F")
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        try:
            found[:, i] = np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"Column {name!r} holds something else than numbers: {error}. Leave it out, or "
                "encode it first."
            ) from error
    return found


def _dask(data: Any) -> Opened:
    names = [str(each) for each in data.columns] if hasattr(data, "columns") else None
    if names is None and data.ndim == 2:
        data = data.rechunk({1: -1})

    def blocks() -> Iterator[Array]:
        for part in np.ravel(data.to_delayed()):
            yield np.asarray(part.compute(), dtype=np.float64)

    return names, len(names) if names is not None else int(data.shape[1]), blocks


@dataclass(frozen=True)
class Sample:
    """Some rows of a table."""

    rows: Array
    n_rows: int
    """Of the whole table."""
    n_missing: Array
    """The missing values of each column, in the whole table."""

    @property
    def is_all(self) -> bool:
        """Whether it is the whole table."""
        return len(self.rows) == self.n_rows


def sample_of(table: Table, seed: int) -> Sample:
    """Read a table once, and keep a random sample of its rows, in their order.

    Which rows are kept does not depend on the blocks in which they come.
    """
    rng = np.random.default_rng(seed)
    kept, keys, numbers = np.empty((0, len(table.names))), np.empty(0), np.empty(0, dtype=np.intp)
    n_rows, n_missing = 0, np.zeros(len(table.names))
    for block in table.blocks():
        _check(block, table.names, n_rows)
        n_missing += np.isnan(block).sum(axis=0)
        keys = np.concatenate([keys, rng.random(len(block))])
        numbers = np.concatenate([numbers, np.arange(n_rows, n_rows + len(block))])
        kept = np.concatenate([kept, block])
        n_rows += len(block)
        if len(kept) > SAMPLE_ROWS:
            best = np.sort(np.argpartition(keys, SAMPLE_ROWS)[:SAMPLE_ROWS])
            kept, keys, numbers = kept[best], keys[best], numbers[best]
    return Sample(kept, n_rows, n_missing)


def _check(block: Array, names: Sequence[str], before: int) -> None:
    if np.isinf(block).any():
        row, column = np.argwhere(np.isinf(block))[0]
        raise ValueError(
            f"Column {names[column]!r} has an infinite value in row {before + row}. Leave the row "
            "out, or mark the value as missing (NaN)."
        )
