"""Tables in files, read by PyArrow and NumPy."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gramian._types import Array
from gramian.rows._stream import Chunk, Source, check, read_ahead

BATCH_BYTES = 2**21
"""About so much of a table is decoded at once."""
BUFFER_BYTES = 2**16
"""About so much of every column of a Parquet file is read at once."""
NUMBERS = "fiub"
"""The kinds of NumPy's types that are numbers."""
FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".feather": "feather",
    ".arrow": "arrow",
    ".ipc": "arrow",
}


def pyarrow() -> Any:
    """Import PyArrow, or say how to get it."""
    try:
        import pyarrow
        import pyarrow.dataset
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "Reading Parquet, CSV and Arrow files needs PyArrow: pip install 'gramian[files]'."
        ) from error
    return pyarrow


def as_source(data: Any, weights: Any = None) -> Source | None:
    """Return a source if the data are one: files, a dataset, or blocks of rows.

    Parameters
    ----------
    data : object
        What the user gave; arrays and data frames are none.
    weights : str or array, optional
        The name of the column that holds the weights. Arrays on disk, which have no names, take
        an array.
    """
    if isinstance(data, str | os.PathLike):
        return _open([Path(data)], weights)
    if isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike):
        return _open([Path(each) for each in data], weights)
    module = type(data).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(data, "get_fragments"):
        return ArrowSource(data, _name(weights))
    if isinstance(data, np.memmap) and data.ndim == 2 and data.dtype.kind in NUMBERS:
        return ArraySource([data], [str(data.filename or "the memory map")], weights)
    if hasattr(data, "__next__") or hasattr(data, "read_next_batch"):
        raise TypeError(
            f"X can be read only once ({type(data).__name__}), and a fit reads it in every step. "
            "Give a function that returns such an iterator."
        )
    if callable(data) and not hasattr(data, "__array__"):
        return BlockSource(data, _name(weights))
    plain = isinstance(data, list | tuple | dict | str | bytes)
    if hasattr(data, "__iter__") and not plain and not _is_table(data):
        return BlockSource(lambda: iter(data), _name(weights))
    return None


def _name(weights: Any) -> str | None:
    if weights is None or isinstance(weights, str):
        return weights
    raise TypeError(
        "sample_weight of files and row blocks must be the name of one of their columns; got "
        f"{type(weights).__name__}."
    )


def load(source: Source) -> tuple[Array, Array | None]:
    """Read a source into memory."""
    chunks = list(source.chunks())
    for chunk in chunks:
        check(chunk, source.names)
    x = np.concatenate([chunk.x for chunk in chunks] or [np.empty((0, source.n_columns))])
    weights = [chunk.weights for chunk in chunks if chunk.weights is not None]
    return x, np.concatenate(weights) if weights else None


def _is_table(data: Any) -> bool:
    tables = ("__array__", "__dataframe__", "__arrow_c_stream__", "columns", "toarray")
    return any(hasattr(data, name) for name in tables)


def _open(paths: Sequence[Path], weights: Any) -> Source:
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"There is no file {path}.")
    endings = {path.suffix.lower() for path in paths if not path.is_dir()}
    if endings == {".npy"}:
        return ArraySource([_map(path) for path in paths], [str(path) for path in paths], weights)
    formats = {FORMATS.get(ending) for ending in endings} or {"parquet"}
    if None in formats or len(formats) > 1:
        known = ", ".join([".npy", *FORMATS])
        raise ValueError(
            f"Files ending in {', '.join(sorted(endings))} cannot be read together; give files of "
            f"one kind, ending in one of {known}, or a folder of Parquet files."
        )
    arrow = pyarrow()
    try:
        dataset = arrow.dataset.dataset(
            [str(path) for path in paths] if len(paths) > 1 else str(paths[0]), format=formats.pop()
        )
    except (arrow.ArrowInvalid, OSError) as error:
        raise ValueError(f"{_list(paths)} cannot be read: {error}") from error
    if not dataset.schema.names:
        raise ValueError(f"{_list(paths)} holds no table: there are no columns.")
    return ArrowSource(dataset, _name(weights))


def _map(path: Path) -> Array:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(
            f"{path} cannot be read: {error}. It may be damaged or cut short."
        ) from error
    if array.ndim != 2 or array.dtype.kind not in NUMBERS:
        raise ValueError(
            f"{path} holds an array of shape {array.shape} and type {array.dtype}; a table of "
            "numbers is needed."
        )
    table: Array = array
    return table


class FileSource(Source):
    """A table in files."""

    @property
    def _batch_rows(self) -> int:
        return max(1, BATCH_BYTES // (8 * self.n_columns))


class ArraySource(FileSource):
    """Arrays on disk, one below the other."""

    def __init__(self, arrays: Sequence[Array], labels: Sequence[str], weights: Any) -> None:
        for array, label in zip(arrays, labels, strict=True):
            if array.shape[1] != arrays[0].shape[1]:
                raise ValueError(
                    f"{label} has {array.shape[1]} columns, and {labels[0]} has "
                    f"{arrays[0].shape[1]}."
                )
        self._arrays = arrays
        self._labels = labels
        if isinstance(weights, str):
            raise ValueError(
                f"{self} has no names of columns, and so no column {weights!r} to take weights "
                "from; give the weights themselves."
            )
        self._weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        if self._weights is not None and self._weights.shape != (self.n_rows,):
            raise ValueError(
                f"sample_weight has the shape {self._weights.shape}, and {self} has {self.n_rows} "
                "rows."
            )

    def __str__(self) -> str:
        return _list(self._labels)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self._arrays[0].shape[1])

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(len(array) for array in self._arrays)

    def chunks(self) -> Iterator[Chunk]:
        """Read the arrays once."""
        step = self._batch_rows
        before = 0
        for array, label in zip(self._arrays, self._labels, strict=True):
            for start in range(0, len(array), step):
                x = np.array(array[start : start + step], dtype=np.float64)
                weights = self._weights
                if weights is not None:
                    weights = weights[before + start : before + start + len(x)]
                yield Chunk(x, weights, label, start)
            before += len(array)


class ArrowSource(FileSource):
    """A PyArrow dataset: Parquet, CSV, Arrow or Feather files."""

    def __init__(self, dataset: Any, weight: str | None) -> None:
        self._dataset = dataset
        self._weight = weight
        schema = dataset.schema
        if weight is not None and weight not in schema.names:
            raise ValueError(f"There is no column {weight!r} to take weights from.")
        self.names = [name for name in schema.names if name != weight]
        types = pyarrow().types
        for name in [*self.names, *([weight] if weight else [])]:
            kind = schema.field(name).type
            if not (
                types.is_integer(kind)
                or types.is_floating(kind)
                or types.is_boolean(kind)
                or types.is_decimal(kind)
            ):
                raise ValueError(
                    f"Column {name!r} of {self} holds {kind}, and numbers are needed. Leave it "
                    "out, or encode it first."
                )
        for fragment in dataset.get_fragments():
            missing = set(schema.names) - set(self._schema_of(fragment).names)
            if missing:
                raise ValueError(
                    f"{_path(fragment)} lacks the column {sorted(missing)[0]!r}, which other "
                    "files have."
                )

    def __str__(self) -> str:
        return _list([_path(fragment) for fragment in self._dataset.get_fragments()])

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.names or ())

    @property
    def n_rows(self) -> int | None:
        """The number of rows, which Parquet and Arrow files know."""
        return None if self._is_csv else int(self._dataset.count_rows())

    @property
    def _is_csv(self) -> bool:
        return "Csv" in type(getattr(self._dataset, "format", None)).__name__

    def _schema_of(self, fragment: Any) -> Any:
        """Return how to read a file: its numbers as they are, whatever those of others are."""
        arrow = pyarrow()
        try:
            physical = fragment.physical_schema
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(
                f"{_path(fragment)} cannot be read: {error}. It may be damaged or cut short."
            ) from error
        in_path = arrow.dataset.get_partition_keys(fragment.partition_expression)
        fields = []
        for field in self._dataset.schema:
            if field.name in in_path:
                fields.append(field)
            elif field.name in physical.names:
                kind = physical.field(field.name).type
                # What look like integers at the top of a CSV file may be fractions further down.
                if self._is_csv and not arrow.types.is_boolean(kind):
                    kind = arrow.float64()
                fields.append(field.with_type(kind))
        return arrow.schema(fields)

    def chunks(self) -> Iterator[Chunk]:
        """Read the files once, one after the other."""
        arrow = pyarrow()
        for fragment in self._dataset.get_fragments():
            row = 0
            path = _path(fragment)
            try:
                for batch in read_ahead(self._batches(fragment)):
                    yield _chunk(batch, self.names or (), self._weight, path, row)
                    row += batch.num_rows
            except (arrow.ArrowException, OSError) as error:
                raise ValueError(
                    f"{path} cannot be read any further than row {row}: {error}. It may be "
                    "damaged or cut short, hold something else than numbers there, or have changed "
                    "since it was opened."
                ) from error

    def _batches(self, fragment: Any) -> Iterator[Any]:
        arrow = pyarrow()
        schema = self._schema_of(fragment)
        kept_in_path = set(schema.names) - set(fragment.physical_schema.names)
        if isinstance(fragment, arrow.dataset.ParquetFileFragment) and not kept_in_path:
            # A scanner fetches whole row groups ahead of time, and memory grows with the file.
            # Threads for each column of such small batches cost more than they save.
            groups = [group.id for group in fragment.row_groups]
            with fragment.open() as stream:
                file = arrow.parquet.ParquetFile(stream, pre_buffer=False, buffer_size=BUFFER_BYTES)
                yield from file.iter_batches(
                    self._batch_rows, groups, schema.names, use_threads=False
                )
        else:
            yield from fragment.to_batches(
                schema=schema, batch_size=self._batch_rows, batch_readahead=2
            )


class BlockSource(Source):
    """Blocks of rows that a user's object yields, again on each pass."""

    def __init__(self, make: Callable[[], Iterable[Any]], weight: str | None) -> None:
        self._make = make
        self._weight = weight
        begun = self.chunks_from(make())
        first = next(begun, None)
        if first is None:
            raise ValueError("The data have no rows: not a single block was yielded.")
        self._n_columns: int = first.x.shape[1]
        self._begun: Iterator[Chunk] | None = itertools.chain([first], begun)
        """The first pass, which has been looked into."""

    def __str__(self) -> str:
        return "The source of row blocks"

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self._n_columns

    def chunks(self) -> Iterator[Chunk]:
        """Go through the blocks once."""
        begun, self._begun = self._begun, None
        for chunk in begun or self.chunks_from(self._make()):
            if chunk.x.shape[1] != self._n_columns:
                raise ValueError(
                    f"A block of rows has {chunk.x.shape[1]} columns, and the first one had "
                    f"{self._n_columns}."
                )
            yield chunk

    def chunks_from(self, blocks: Iterable[Any]) -> Iterator[Chunk]:
        """Turn what was yielded into numbers."""
        row = 0
        for block in blocks:
            try:
                chunk = self._chunk(block, row)
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"The block of rows that begins with row {row} is no table of numbers: {error}"
                ) from error
            yield chunk
            row += len(chunk.x)

    def _chunk(self, block: Any, row: int) -> Chunk:
        weights = None
        if type(block).__module__.partition(".")[0] == "pyarrow":
            self.names = self._others(block.schema.names)
            return _chunk(block, self.names, self._weight, str(self), row)
        if hasattr(block, "columns"):
            self.names = self._others([str(name) for name in block.columns])
            if self._weight is not None:
                weights = np.asarray(block[self._weight], dtype=np.float64)
                block = block[self.names]
        elif self._weight is not None:
            raise ValueError(f"it has no names, and so no column {self._weight!r} of weights.")
        x = np.array(block, dtype=np.float64)  # a copy: many a user's object fills one buffer again
        if x.ndim != 2:
            raise ValueError(f"it has the shape {x.shape}.")
        return Chunk(x, weights, str(self), row)

    def _others(self, names: Sequence[str]) -> list[str]:
        """Return the names of the columns that hold no weights."""
        if self._weight is not None and self._weight not in names:
            raise ValueError(f"there is no column {self._weight!r} to take weights from.")
        return [name for name in names if name != self._weight]


def _chunk(batch: Any, names: Sequence[str], weight: str | None, path: str, row: int) -> Chunk:
    double = pyarrow().float64()
    if all(batch.schema.field(name).type == double for name in names):
        x = batch.select(list(names)).to_tensor(null_to_nan=True, row_major=True).to_numpy()
    else:
        x = np.empty((batch.num_rows, len(names)))
        for i, name in enumerate(names):
            x[:, i] = _numbers(batch, name)
    return Chunk(x, None if weight is None else _numbers(batch, weight), path, row)


def _numbers(batch: Any, name: str) -> Array:
    """Return a column; missing values become NaN."""
    column = batch.column(name)
    double = pyarrow().float64()
    if column.type != double:
        column = column.cast(double, safe=False)  # large integers are rounded
    values: Array = column.to_numpy(zero_copy_only=False)
    return values


def _path(fragment: Any) -> str:
    return str(getattr(fragment, "path", "the dataset"))


def _list(names: Sequence[object]) -> str:
    shown = ", ".join(str(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} others"
