"""Table that is read from a source in every pass, so that it may be larger than the memory."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.rows._array import Centring
from gramian.core.rows._first_pass import FirstPass, Split, look_at
from gramian.core.rows._protocol import LocalRows, RowBlock, Work
from gramian.core.rows._statistics import centring_of
from gramian.core.rows._transform import RowTransform, TransformedRows
from gramian.tables import Chunk

T = TypeVar("T")
MOST_BLOCK_ROWS = 4096
"""Largest number of rows in a block of a streamed table."""
READ_AHEAD = 2
"""Number of blocks that a second thread reads in advance while earlier blocks are summed."""


class MissingValueError(ValueError):
    """Error for a missing value in a table when no rule for missing values was chosen."""


def numbers_in(block: Any) -> Array:
    """Return a block of rows as a float64 array; missing values of pandas become NaN.

    The values are copied only if necessary.
    """
    if hasattr(block, "iloc"):
        found: Array = block.to_numpy(dtype=np.float64, na_value=np.nan)
        return found
    return np.asarray(block, dtype=np.float64)


class Source(ABC):
    """Interface of a table that can be read several times, in chunks of any size."""

    names: Sequence[str] | None = None
    """The names of the columns; None if the columns have no names."""
    in_any_thread = True
    """True if the table may be read by another thread than that of the user."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """The number of columns."""

    @property
    def n_rows(self) -> int | None:
        """The number of rows; None if the number is not known before reading."""
        return None

    def fits(self, memory_budget: int) -> bool:
        """Return True if the whole table may be read into `memory_budget` bytes of memory.

        The default is False: the table is read in blocks.
        """
        return False

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Read the table once, and yield consecutive rows as arrays, with weights if any."""

    def ahead(self, items: Iterator[T]) -> Iterator[T]:
        """Yield items that are made of the table; another thread fetches the next if it may."""
        return read_ahead(items) if self.in_any_thread else items


@dataclass(frozen=True)
class RawBlock:
    """Block of rows as a source gives them, not centred or scaled, with their weights."""

    x: Array
    """The rows of the block; often a view of a chunk, not a copy."""
    weights: Array | None


def blocks_of(source: Source, block_rows: int) -> Iterator[RawBlock]:
    """Yield the rows of a source in blocks of `block_rows` rows; the last block may be shorter.

    Raise for missing or infinite values and for negative weights.
    """
    parts: list[RawBlock] = []
    n = 0
    for chunk in source.chunks():
        check(chunk, source.names)
        start = 0
        while start < len(chunk.x):
            part = slice(start, min(len(chunk.x), start + block_rows - n))
            weights = None if chunk.weights is None else chunk.weights[part]
            parts.append(RawBlock(chunk.x[part], weights))
            n, start = n + part.stop - start, part.stop
            if n == block_rows:
                yield _together(parts)
                parts, n = [], 0
    if parts:
        yield _together(parts)


def _together(parts: Sequence[RawBlock]) -> RawBlock:
    if len(parts) == 1:
        return parts[0]
    weights = [part.weights for part in parts if part.weights is not None]
    x = np.concatenate([part.x for part in parts])
    return RawBlock(x, np.concatenate(weights) if weights else None)


def check(chunk: Chunk, names: Sequence[str] | None, *, gaps: bool = False) -> None:
    """Raise for the first missing or infinite value, or the first weight that is not valid.

    Parameters
    ----------
    chunk : Chunk
        Some rows of a table.
    names : sequence of str or None
        The names of the columns, for the message; None to give the number of the column.
    gaps : bool, default=False
        True to accept missing values.
    """
    total = chunk.x.sum()  # one sum is faster than a test of every value
    bad = np.isinf if gaps else _not_finite
    if not np.isfinite(total) and bad(chunk.x).any():
        row, column = np.argwhere(bad(chunk.x))[0]
        name = repr(names[column]) if names is not None else str(column)
        missing = np.isnan(chunk.x[row, column])
        kind = "a missing" if missing else "an infinite"
        raise (MissingValueError if missing else ValueError)(
            f"Column {name} has {kind} value in row {chunk.first_row + row} of "
            f"{chunk.where}. Fill it in or leave the row out."
        )
    if chunk.weights is None:
        return
    valid = (chunk.weights >= 0) & np.isfinite(chunk.weights)
    if not valid.all():
        row = int(np.flatnonzero(~valid)[0])
        raise ValueError(
            f"The weight in row {chunk.first_row + row} of {chunk.where} is "
            f"{chunk.weights[row]}; weights must be finite and not negative."
        )


def _not_finite(x: Array) -> NDArray[np.bool_]:
    return ~np.isfinite(x)


def read_ahead(items: Iterable[T], n: int = READ_AHEAD) -> Iterator[T]:
    """Yield the items in order, while another thread fetches the next `n` items."""
    iterator = iter(items)
    end = object()
    with ThreadPoolExecutor(1) as pool:
        waiting: deque[Future[object]] = deque()
        try:
            waiting.extend(pool.submit(next, iterator, end) for _ in range(n))
            while True:
                item = waiting.popleft().result()
                if item is end:
                    return
                waiting.append(pool.submit(next, iterator, end))
                yield item  # type: ignore[misc]
        finally:
            for future in waiting:
                future.cancel()


@dataclass(frozen=True)
class StreamRows(TransformedRows, LocalRows):
    """Table that is read from a source, centred and scaled again in every pass."""

    source: Source
    block_rows: int
    cache_bytes: int
    checksums: Sequence[int]
    """Checksum of each block in the first pass; later passes compare them to detect changed
    data."""
    row_bytes: int = 0
    """If all rows take at most this number of bytes, they stay in memory after the second pass."""
    kept: list[RowBlock] = field(default_factory=list, init=False, repr=False)

    def sum(self, work: Work) -> list[Array]:
        """Read all rows once, in several threads; return the arrays that `work` sums over them."""
        return LocalRows.sum(self, work)

    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once, from memory if the rows are there, and yield its rows in blocks."""
        if self.kept:
            yield from self.kept
            return
        fits = 8 * self.n_rows * (self.n_columns + 1) <= self.row_bytes
        kept = []
        n_blocks = 0
        for block in self.source.ahead(self._checked()):
            n_blocks += 1
            rows = self.frame.apply(block.x, block.weights, in_place=True)
            if len(rows.root):
                yield rows
                if fits:
                    kept.append(rows)
        if n_blocks != len(self.checksums):
            raise ValueError(self._changed(f"it has {n_blocks} blocks of rows now"))
        self.kept.extend(kept)

    def _checked(self) -> Iterator[RawBlock]:
        for number, block in enumerate(blocks_of(self.source, self.block_rows)):
            if number >= len(self.checksums) or block_checksum(block) != self.checksums[number]:
                first = number * self.block_rows
                raise ValueError(
                    self._changed(f"rows {first} to {first + len(block.x) - 1} are others now")
                )
            yield block

    def _changed(self, how: str) -> str:
        return (
            f"{self.source} changed while it was read: {how}. Fit again when nobody writes to it."
        )


def block_checksum(block: RawBlock) -> int:
    """Return a checksum of a block that does not depend on the order of its rows.

    The bits of each column are added up as integers, and the sums are hashed. This is several times
    faster than a checksum of all bytes.
    """
    value = zlib.crc32(block.x.view(np.uint64).sum(axis=0).data)
    if block.weights is None:
        return value
    return zlib.crc32(block.weights.view(np.uint64).sum().tobytes(), value)


def open_stream(
    source: Source,
    scaling: Literal["column", "table"],
    *,
    covariance: bool = False,
    memory_budget: int,
    split: Split | None = None,
    checksum: bool = False,
) -> tuple[StreamRows, Centring, tuple[Array, Array | None] | None]:
    """Read a source for the first time; return its table, its centring and its held-out rows.

    Parameters
    ----------
    source : Source
        The source to read.
    scaling : {"column", "table"}
        "column" scales each column to variance 1, "table" divides all columns by the largest
        standard deviation.
    covariance : bool, default=False
        True to compute the covariance of the columns in this pass; the cost per row is the number
        of columns squared. If False, the covariance takes another pass when it is needed.
    memory_budget : int
        Largest number of bytes that rows and function values may take in memory.
    split : Split, optional
        The rule that selects held-out rows; by default, no rows are held out.
    checksum : bool, default=False
        True to compute a checksum of the rows in this pass.

    Returns
    -------
    rows : StreamRows
        The table of rows that are not held out.
    centring : Centring
        The mean and the scale of the columns.
    held_out : pair of arrays, or None
        The held-out rows and their weights; None without `split`.
    """
    block_rows = max(64, min(MOST_BLOCK_ROWS, memory_budget // (128 * source.n_columns)))
    look: FirstPass | None = None
    checksums = []
    for block in source.ahead(blocks_of(source, block_rows)):
        checksums.append(block_checksum(block))
        seen = look_at(block.x, block.weights, split, covariance=covariance, checksum=checksum)
        look = seen if look is None else look.put_together(seen)
    n_rows = 0 if look is None else look.statistics.n_rows
    if look is None or n_rows < 2:
        raise ValueError(f"{source} has {n_rows} rows of positive weight; at least two are needed.")
    centring = centring_of(look.statistics, scaling)
    rows = StreamRows(
        look.statistics,
        RowTransform(centring, look.statistics.weight, look.split),
        source,
        block_rows,
        memory_budget // 4,  # once for values of variables, once for values of functions
        checksums,
        row_bytes=memory_budget // 2,
    )
    return rows, centring, look.held_out
