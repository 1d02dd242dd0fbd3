"""Sources of rows: tables in files, and row blocks that an object of the user yields."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.core.rows._stream import Source, check, numbers_in
from gramian.exceptions import TableError
from gramian.tables import (
    ARRAYS,
    NUMBERS,
    ArrayTable,
    Chunk,
    Format,
    Table,
    as_array,
    is_function,
    is_number,
    open_given,
    streamed_by,
)

TABLES = ("__array__", "__dataframe__", "__arrow_c_stream__", "columns", "toarray")
"""Names of attributes that only tables have. An iterable object that has one of them is treated as
a table, not as an iterator over row blocks."""


def is_dask(data: Any) -> bool:
    """Return True if `data` is a Dask array or a Dask data frame."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "to_delayed")


def as_source(data: Any, weights: Any = None, beside: str | None = None) -> Source | None:
    """Return a source that reads files, a dataset or row blocks; None for arrays and data frames.

    Parameters
    ----------
    data : object
        The argument X of a fit.
    weights : str or array, optional
        The name of the column with the weights. Only for arrays on disk, which have no column
        names: an array of weights.
    beside : str, optional
        The name of a column of files that is no part of the rows; it may hold text.
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, np.memmap) and data.ndim == 2 and data.dtype.kind in NUMBERS:
        return TableSource(ArrayTable(str(data.filename), Format.npy, data), weights, beside)
    if is_function(data):
        first = data()
        stream = streamed_by(data, first)
        if stream is None:
            return BlockSource(data, _name(weights), first)
        return TableSource(stream, weights, beside)
    if (table := open_given(data)) is not None:
        return TableSource(table, weights, beside)
    plain = isinstance(data, list | tuple | dict | str | bytes)
    if hasattr(data, "__iter__") and not plain and not any(hasattr(data, has) for has in TABLES):
        return BlockSource(lambda: iter(data), _name(weights), data)
    return None


def _name(weights: Any) -> str | None:
    if weights is None or isinstance(weights, str):
        return weights
    raise TypeError(
        "sample_weight of files and row blocks must be the name of one of their columns; got "
        f"{type(weights).__name__}."
    )


def read_into_memory(source: Source) -> tuple[Array, Array | None]:
    """Read all rows of a source; return (rows, weights or None). Values may be missing (NaN)."""
    chunks = list(source.chunks())
    for chunk in chunks:
        check(chunk, source.names, gaps=True)
    x = np.concatenate([chunk.x for chunk in chunks] or [np.empty((0, source.n_columns))])
    weights = [chunk.weights for chunk in chunks if chunk.weights is not None]
    return x, np.concatenate(weights) if weights else None


class TableSource(Source):
    """Source that reads the rows of a table in files.

    Parameters
    ----------
    table : Table
        The table. All its columns must be numeric.
    weights : str, array or None
        The name of the column with the weights, or an array of weights for a table without column
        names.
    beside : str, optional
        The name of a column that is no part of the rows, see `labels`.
    """

    def __init__(self, table: Table, weights: Any, beside: str | None = None) -> None:
        self._table = table
        self._beside = beside
        self._weight = _name(weights) if table.named or isinstance(weights, str) else None
        self._weights: Array | None = None
        if self._weight is not None and not (table.named and self._weight in table.names):
            without = "" if table.named else f"{table} has no names of columns. "
            raise TableError(f"{without}There is no column {self._weight!r} to take weights from.")
        if beside is not None and not (table.named and beside in table.names):
            without = "" if table.named else f"{table} has no names of columns. "
            raise TableError(f"{without}There is no column {beside!r} to take groups from.")
        if weights is not None and self._weight is None:
            self._weights = np.asarray(weights, dtype=np.float64)
            if self._weights.shape != (table.n_rows,):
                raise ValueError(
                    f"sample_weight has the shape {self._weights.shape}, and {table} has "
                    f"{table.n_rows} rows."
                )
        self.in_any_thread = table.in_any_thread
        self._columns = [name for name in table.names if name not in (self._weight, beside)]
        self.names = self._columns if table.named else None
        if table.format not in ARRAYS:
            for name, kind in table.columns.items():
                if name != beside and not is_number(kind):
                    raise TableError(
                        f"Column {name!r} of {table} holds {kind}, and numbers are needed. Leave "
                        "it out, or encode it first."
                    )

    def __str__(self) -> str:
        return str(self._table)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self._columns)

    def labels(self) -> Any:
        """Read the column that is no part of the rows, as an array of its cells."""
        assert self._beside is not None
        return np.asarray(self._table.read([self._beside]).column(0))

    @property
    def n_rows(self) -> int | None:
        """The number of rows; None for text files, whose rows are not counted before reading."""
        return self._table.n_rows

    def fits(self, memory_budget: int) -> bool:
        """Return True if the whole table may be read into `memory_budget` bytes of memory."""
        return self._table.fits(memory_budget)

    def chunks(self) -> Iterator[Chunk]:
        """Read the files once, one after the other, and yield consecutive rows as arrays."""
        names = self._columns if self._weight is None else [*self._columns, self._weight]
        row = 0
        for chunk in self.ahead(self._table.numbers(names)):
            x = chunk.x
            if self._weight is not None:
                chunk = replace(chunk, x=np.ascontiguousarray(x[:, :-1]), weights=x[:, -1].copy())
            elif self._weights is not None:
                chunk = replace(chunk, weights=self._weights[row : row + len(x)])
            yield chunk
            row += len(x)


class CompletedSource(Source):
    """Source that reads another source and fills its missing cells, or drops rows that have them.

    Parameters
    ----------
    source : Source
        The source whose cells may be missing.
    completion : callable
        Function (rows, weights) → (rows, weights) that fills missing cells or drops rows.
    """

    def __init__(
        self,
        source: Source,
        completion: Callable[[Array, Array | None], tuple[Array, Array | None]],
    ) -> None:
        self._source = source
        self._completion = completion
        self.names, self.in_any_thread = source.names, source.in_any_thread

    def __str__(self) -> str:
        return str(self._source)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self._source.n_columns

    def chunks(self) -> Iterator[Chunk]:
        """Read the source once, and yield chunks of rows without missing cells."""
        for chunk in self._source.chunks():
            check(chunk, self.names, gaps=True)
            x, weights = self._completion(chunk.x, chunk.weights)
            if len(x):
                yield replace(chunk, x=np.ascontiguousarray(x), weights=weights)


class BlockSource(Source):
    """Source that reads row blocks from an object of the user, anew in every pass.

    Parameters
    ----------
    make : callable
        Returns a new iterator over the row blocks.
    weight : str or None
        The name of the column with the weights.
    first : iterable
        The row blocks of the first pass.
    """

    def __init__(
        self, make: Callable[[], Iterable[Any]], weight: str | None, first: Iterable[Any]
    ) -> None:
        self._make = make
        self._weight = weight
        self._looked_into = False
        """True after the first block was read: later blocks must have its column names."""
        begun = self.chunks_from(first)
        chunk = next(begun, None)
        if chunk is None:
            raise ValueError("The data have no rows: not a single block was yielded.")
        self._n_columns: int = chunk.x.shape[1]
        self._begun: Iterator[Chunk] | None = itertools.chain([chunk], begun)
        """Iterator of the first pass, until that pass starts: the first block is read in
        `__init__`."""

    def __str__(self) -> str:
        return "The source of row blocks"

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self._n_columns

    def chunks(self) -> Iterator[Chunk]:
        """Read the user's row blocks once, and yield them as arrays of numbers.

        Raise an error if the number of columns changes.
        """
        begun, self._begun = self._begun, None
        for chunk in begun or self.chunks_from(self._make()):
            if chunk.x.shape[1] != self._n_columns:
                raise ValueError(
                    f"A block of rows has {chunk.x.shape[1]} columns, and the first one had "
                    f"{self._n_columns}."
                )
            yield chunk

    def chunks_from(self, blocks: Iterable[Any]) -> Iterator[Chunk]:
        """Convert the user's row blocks to chunks of float64 numbers, and yield them."""
        row = 0
        for block in blocks:
            try:
                chunk = self._chunk(block, row)
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"The block of rows that begins with row {row} cannot be used: {error}"
                ) from error
            yield chunk
            row += len(chunk.x)

    def _chunk(self, block: Any, row: int) -> Chunk:
        arrow = type(block).__module__.partition(".")[0] == "pyarrow"
        named = arrow or hasattr(block, "columns")
        names = [
            str(name) for name in (block.schema.names if arrow else block.columns if named else ())
        ]
        if self._weight is not None and self._weight not in names:
            raise ValueError(f"there is no column {self._weight!r} to take weights from.")
        if len({*names}) < len(names):
            raise ValueError(f"two of its columns have the same name: {names}.")
        others = [name for name in names if name != self._weight]
        if not self._looked_into:
            self.names, self._looked_into = others if named else None, True
        elif named != (self.names is not None):
            raise ValueError("some blocks have names of columns, and some have none.")
        # A copy, because the user's object may overwrite one buffer with every new block.
        x = as_array(block) if arrow else np.array(numbers_in(block))
        if x.ndim != 2:
            raise ValueError(f"it has the shape {x.shape}.")
        weights = None if self._weight is None else x[:, names.index(self._weight)].copy()
        if self.names is not None and (weights is not None or names != self.names):
            lacking = [name for name in self.names if name not in names]
            if lacking or len(others) > len(self.names):
                lacks = f"lacks the column {lacking[0]!r}" if lacking else "has more columns"
                raise ValueError(f"it {lacks}; the columns of the first block are {self.names}.")
            x = x[:, [names.index(name) for name in self.names]]
        return Chunk(x, weights, str(self), row)
