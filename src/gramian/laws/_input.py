"""Where the rows of a table come from, and a bounded sample of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._types import Array
from gramian._words import names_or_numbers
from gramian.laws._mixed import Opened, of_columns, of_files, of_frames
from gramian.rows import Source, as_source, draw, is_dask
from gramian.tables._clock import Clock

SAMPLE_ROWS = 8_000
"""Laws are looked for in no more rows; all rows confirm them."""
LOOKUP_ROWS = 50_000
"""The same for lookups, which need several rows of each level."""
BLOCK_ROWS = 50_000


@dataclass(frozen=True)
class Table:
    """A table that can be read again and again."""

    names: tuple[str, ...]
    named: bool
    """Whether the names are the table's own."""
    blocks: Callable[[], Iterator[Array]]
    """Reads it once, from the first row to the last."""
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The columns of text, whose numbers are codes of these labels."""
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    """The columns of dates, and how they became numbers."""

    def ordered(self) -> Table:
        """Return the table with text before numbers, each in the order of its names, if it has any.

        What is found then does not depend on the order of columns. Of what follows from each other,
        the first is kept: text rather than its codes.
        """
        order = sorted(
            range(len(self.names)),
            key=lambda i: (i not in self.labels, self.names[i] if self.named else ""),
        )
        return Table(
            tuple(self.names[i] for i in order),
            self.named,
            lambda: (block[:, order] for block in self.blocks()),
            {place: self.labels[i] for place, i in enumerate(order) if i in self.labels},
            {place: self.clocks[i] for place, i in enumerate(order) if i in self.clocks},
        )

    @property
    def numbers(self) -> list[int]:
        """The columns that hold numbers, or dates."""
        return [i for i in range(len(self.names)) if i not in self.labels]


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
        opened = _dask(data)
    elif (files := of_files(data)) is not None:
        opened = files
    elif (source := as_source(data)) is not None:
        opened = _of_source(source)
    else:
        opened = _in_memory(data)
    return _named(opened, feature_names)


def _of_source(source: Source) -> Opened:
    names = None if source.names is None else [str(each) for each in source.names]

    def blocks() -> Iterator[Array]:
        for chunk in source.chunks():
            yield chunk.x

    return Opened(names, source.n_columns, blocks)


def _in_memory(data: Any) -> Opened:
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):  # an Arrow table
        columns = [data.column(i) for i in range(len(data.column_names))]
        return of_columns(data.column_names, columns, BLOCK_ROWS)
    if hasattr(data, "columns") and not isinstance(data, np.ndarray):
        return of_columns(data.columns, [data[each] for each in data.columns], BLOCK_ROWS)
    if isinstance(data, np.ndarray) and data.dtype == object and data.ndim == 2:
        return of_columns(None, list(data.T), BLOCK_ROWS)
    if hasattr(data, "toarray"):
        data = data.toarray()
    try:
        array = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X holds something else than numbers: {error}. Give tables with text as data frames, "
            "Arrow tables or files."
        ) from error
    if array.ndim != 2:
        raise ValueError(
            f"X must be a table with rows and columns; it has the shape {array.shape}."
        )
    return of_columns(None, list(array.T), BLOCK_ROWS, array)


def _dask(data: Any) -> Opened:
    if hasattr(data, "columns"):
        return of_frames(
            [str(each) for each in data.columns],
            lambda: (part.compute() for part in np.ravel(data.to_delayed())),
        )
    if data.ndim == 2:
        data = data.rechunk({1: -1})

    def blocks() -> Iterator[Array]:
        for part in np.ravel(data.to_delayed()):
            yield np.asarray(part.compute(), dtype=np.float64)

    return Opened(None, int(data.shape[1]), blocks)


def _named(opened: Opened, wanted: Sequence[str] | None) -> Table:
    width = opened.width
    names = opened.names if wanted is None else [str(each) for each in wanted]
    if names is not None and len(names) != width:
        raise ValueError(
            f"feature_names has {len(names)} names, and the table has {width} columns."
        )
    named = names is not None
    names = names_or_numbers(names, width)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"More than one column is called {twice[0]!r}, so that a law could not say which it "
            "means. Rename one, or give feature_names."
        )
    return Table(tuple(names), named, opened.blocks, opened.labels, opened.clocks)


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


def sample_of(table: Table, seed: int, most: int | None = None) -> Sample:
    """Read a table once, and keep a random sample of its rows, in their order.

    Parameters
    ----------
    table : Table
        The table.
    seed : int
        Decides on the rows.
    most : int, optional
        So many rows are kept.
    """
    n_missing = np.zeros(len(table.names))

    def checked() -> Iterator[Array]:
        nonlocal n_missing
        before = 0
        yield np.empty((0, len(table.names)))  # where there is no row at all
        for block in table.blocks():
            _check(block, table.names, before)
            n_missing += np.isnan(block).sum(axis=0)
            before += len(block)
            yield block

    most = SAMPLE_ROWS if most is None else most
    rows, n_rows = draw(checked(), most, seed, lambda block, mask: block[mask], np.concatenate)
    return Sample(rows, n_rows, n_missing)


def _check(block: Array, names: Sequence[str], before: int) -> None:
    if np.isinf(block).any():
        row, column = np.argwhere(np.isinf(block))[0]
        raise ValueError(
            f"Column {names[column]!r} has an infinite value in row {before + row}. Leave the row "
            "out, or mark the value as missing (NaN)."
        )
