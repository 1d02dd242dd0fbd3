"""Tables that objects of the user yield as streams of Arrow batches, anew in every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from gramian._support.formats import Format
from gramian.exceptions import TableError
from gramian.tables._kinds import pyarrow, without_view, without_views
from gramian.tables._table import NO_TEXT, AsText, Table, piece_rows

IN_MEMORY = ("pandas", "polars", "pyarrow")
"""Packages whose tables are in memory, and are read without a stream."""
BATCH_ROWS = 2**16
"""Number of rows of a batch that is asked for, where the object lets us choose."""


class StreamedTable(Table):
    """A `Table` whose rows come as a stream of Arrow batches, which can be asked for repeatedly.

    Parameters
    ----------
    name : str
        Name of the table for messages.
    schema : pyarrow.Schema
        Names and types of all columns.
    read : callable
        Function that starts a new stream; its argument is the list of the columns to read.
    """

    in_any_thread = False  # a connection to SQLite refuses other threads

    def __init__(self, name: str, schema: Any, read: Callable[[list[str]], Iterable[Any]]) -> None:
        super().__init__(name, Format.feather, schema.names)
        self._schema, self._read = schema, read

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name."""
        return dict(zip(self.names, map(without_view, self._schema.types), strict=True))

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; `as_text` is not used.

        Pieces have as many rows as those of files, so that sums over them are equal bit by bit.
        """
        n_rows = 0
        for rows in _in_steps(self._read(list(names)), piece_rows(len(names))):
            n_rows += rows.num_rows
            yield without_views(rows.select(list(names)))
        if self.n_rows not in (None, n_rows):
            raise TableError(
                f"{self.name} gave {self.n_rows} rows in one pass, and {n_rows} in another: it can "
                "be read only once, or its rows change. Give a function that returns a new stream "
                "of the same rows, or write the rows to a Parquet file first."
            )
        self.n_rows = n_rows

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or some number above `at_most` if there are more rows."""
        found = 0 if self.n_rows is None else self.n_rows
        if self.n_rows is None:
            for rows in self.pieces(self.names[:1]):
                found += rows.num_rows
                if found > at_most:
                    break
        return found


def streamed(data: Any) -> StreamedTable | None:
    """Return the data as a table if they can be read as a stream of Arrow batches; else None.

    Parameters
    ----------
    data : object
        A LazyFrame of Polars, an expression of Ibis, a relation of DuckDB, or another object with
        the method `__arrow_c_stream__`. Tables of pandas, Polars and PyArrow are in memory, and are
        not read as streams.
    """
    if hasattr(data, "__next__") or hasattr(data, "read_next_batch"):
        raise TypeError(
            f"X can be read only once ({type(data).__name__}), and it is read several times. Give "
            "a function that returns a new one, or write the rows to a Parquet file first."
        )
    if not _is_stream(data):
        return None
    return StreamedTable(f"the {type(data).__name__}", _schema(data), partial(_batches, data))


def is_function(data: Any) -> bool:
    """Return True if the data are a function that returns the rows, not the rows themselves."""
    return callable(data) and not hasattr(data, "__array__") and not _is_stream(data)


def streamed_by(function: Callable[[], Any], first: Any) -> StreamedTable | None:
    """Return a table of the streams that a function returns; None if it returns something else.

    Parameters
    ----------
    function : callable
        Function without parameters. It may return what `streamed` takes, a table in memory, or a
        `pyarrow.RecordBatchReader`.
    first : object
        What the function returned when it was called first.
    """
    if not _is_stream(first) and not hasattr(first, "__arrow_c_stream__"):
        return None
    return StreamedTable("the stream", _schema(first), lambda names: _batches(function(), names))


def _package(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _is_lazy_frame(data: Any) -> bool:
    return _package(data) == "polars" and type(data).__name__ == "LazyFrame"


def _is_stream(data: Any) -> bool:
    """Return True if the data are no table in memory, and can be read as a stream repeatedly."""
    if _is_lazy_frame(data):
        return True
    if not hasattr(data, "__arrow_c_stream__") or isinstance(data, type):
        return False
    packages = {kind.__module__.partition(".")[0] for kind in type(data).__mro__}
    in_memory = not packages.isdisjoint(IN_MEMORY) or hasattr(data, "__array__")
    return "ibis" in packages or not in_memory


def _schema(data: Any) -> Any:
    """Return the Arrow schema of a stream."""
    if _is_lazy_frame(data):
        if not hasattr(data, "collect_batches"):
            raise TableError(
                "A LazyFrame is read in batches by Polars 1.34 and newer: update it, or give "
                "frame.collect()."
            )
        return data.limit(0).collect().to_arrow().schema
    if _package(data) == "ibis":
        return data.schema().to_pyarrow()
    return pyarrow().RecordBatchReader.from_stream(data).schema


def _batches(data: Any, names: list[str]) -> Iterator[Any]:
    """Start a stream of some columns, and yield its record batches; other columns may come along.

    Parameters
    ----------
    data : object
        The object of the user.
    names : list of str
        The columns to read.
    """
    arrow = pyarrow()
    if _is_lazy_frame(data):
        for frame in data.select(names).collect_batches(chunk_size=BATCH_ROWS):
            yield from frame.to_arrow().to_batches()
    elif _package(data) == "ibis":
        yield from data.select(names).to_pyarrow_batches(chunk_size=BATCH_ROWS)
    else:
        if hasattr(data, "project"):  # DuckDB
            data = data.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
        yield from arrow.RecordBatchReader.from_stream(data)


def _in_steps(batches: Iterable[Any], step: int) -> Iterator[Any]:
    """Join and divide record batches to tables of `step` rows; the last one may be shorter."""
    arrow = pyarrow()
    waiting, n_rows = [], 0
    for batch in batches:
        waiting.append(batch)
        n_rows += batch.num_rows
        if n_rows >= step:
            rows = arrow.Table.from_batches(waiting)
            n_rows %= step
            whole = rows.num_rows - n_rows
            yield from (rows.slice(start, step) for start in range(0, whole, step))
            waiting = rows.slice(whole).to_batches()
    if n_rows:
        yield arrow.Table.from_batches(waiting)
