"""Pieces of row blocks, so small that function values stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

from gramian.core.rows import RowBlock

PIECE_ROWS = 1024
"""Default number of rows in a piece, on which functions are evaluated together."""


def piece_slices(n_rows: int, size: int = PIECE_ROWS) -> list[slice]:
    """Return slices that cut `n_rows` rows into pieces of `size` rows; the last may be shorter."""
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def pieces(rows: RowBlock, size: int = PIECE_ROWS) -> Iterator[RowBlock]:
    """Yield the rows of a block in pieces of `size` rows; sparse rows become dense."""
    x = rows.x
    for piece in piece_slices(len(x), size):
        yield RowBlock(x[piece], rows.root[piece])
