"""Rows that are read from a source for every sum: tables that need not fit in memory."""

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
"""Largest number of rows in a block: handing a block from thread to thread takes time."""
READ_AHEAD = 2
"""Number of blocks that are read while others are summed."""


class MissingValueError(ValueError):
    """Raised for a missing value if no rule for missing values was chosen."""


def numbers_in(block: Any) -> Array:
    """Return rows as float64, without a copy if possible; missing values of pandas become NaN."""
    if hasattr(block, "iloc"):
        found: Array = block.to_numpy(dtype=np.float64, na_value=np.nan)
        return found
    return np.asarray(block, dtype=np.float64)


class Source(ABC):
    """A table that can be read again and again, in chunks of any size."""

    names: Sequence[str] | None = None
    """The names of the columns."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """The number of columns."""

    @property
    def n_rows(self) -> int | None:
        """The number of rows; None if it is not known before reading."""
        return None

    def fits(self, memory_budget: int) -> bool:
        """Return True if the table may be read as a whole; False for a source that only streams."""
        return False

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Read the table once."""


@dataclass(frozen=True)
class RawBlock:
    """Rows of a source and their weights, in a block of a fixed number of rows."""

    x: Array
    """The rows; often a view of a chunk."""
    weights: Array | None


def blocks_of(source: Source, block_rows: int) -> Iterator[RawBlock]:
    """Yield a source in blocks; raise for missing or infinite values and negative weights."""
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
    """Raise for the first missing or infinite value, or the first negative weight.

    Parameters
    ----------
    chunk : Chunk
        Some rows.
    names : sequence of str or None
        The names of the columns.
    gaps : bool, default=False
        True if values may be missing.
    """
    total = chunk.x.sum()  # cheaper than a test of every value
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
    if chunk.weights is not None and not (chunk.weights >= 0).all():
        row = int(np.flatnonzero(~(chunk.weights >= 0))[0])
        raise ValueError(
            f"The weight in row {chunk.first_row + row} of {chunk.where} is "
            f"{chunk.weights[row]}; weights must not be negative."
        )


def _not_finite(x: Array) -> NDArray[np.bool_]:
    return ~np.isfinite(x)


def read_ahead(items: Iterable[T], n: int = READ_AHEAD) -> Iterator[T]:
    """Yield items while another thread fetches the next ones."""
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
    """Rows of a source, centred and scaled while they are read."""

    source: Source
    block_rows: int
    cache_bytes: int
    checksums: Sequence[int]
    """Checksums of the blocks in the first pass."""
    row_bytes: int = 0
    """Bytes up to which all rows are kept in memory after the second pass."""
    kept: list[RowBlock] = field(default_factory=list, init=False, repr=False)

    def sum(self, work: Work) -> list[Array]:
        """Share the blocks out among threads, and return the sums."""
        return LocalRows.sum(self, work)

    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once, from memory if the rows were kept."""
        if self.kept:
            yield from self.kept
            return
        fits = 8 * self.n_rows * (self.n_columns + 1) <= self.row_bytes
        kept = []
        n_blocks = 0
        for number, block in enumerate(read_ahead(self._checked())):
            n_blocks += 1
            rows = self.frame.apply(number, block.x, block.weights, in_place=True)
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
    """Return a checksum of a block that ignores the order of its rows.

    Bits are added up by columns, several times faster than a checksum of all bytes.
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
    """Read a source for the first time: statistics, centring and held-out rows.

    Parameters
    ----------
    source : Source
        The table.
    scaling : {"column", "table"}
        "column" gives each column variance 1, "table" the most variant one.
    covariance : bool, default=False
        True to sum the covariance of the columns in this pass, at a cost of the number of columns
        squared. If False, the covariance takes another pass when it is needed.
    memory_budget : int
        Bytes that rows and values of rows may take.
    split : Split, optional
        The rule that says which rows are held out.
    checksum : bool, default=False
        True to compute a checksum of the rows in this pass.

    Returns
    -------
    rows : StreamRows
        The rows.
    centring : Centring
        The mean and the scale of the columns.
    held_out : pair of arrays, or None
        The rows held out and their weights.
    """
    block_rows = max(64, min(MOST_BLOCK_ROWS, memory_budget // (128 * source.n_columns)))
    look: FirstPass | None = None
    checksums = []
    for number, block in enumerate(read_ahead(blocks_of(source, block_rows))):
        checksums.append(block_checksum(block))
        seen = look_at(
            block.x, block.weights, number, split, covariance=covariance, checksum=checksum
        )
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
        memory_budget // 4,  # for variables, and as much for values of functions
        checksums,
        row_bytes=memory_budget // 2,
    )
    return rows, centring, look.held_out
