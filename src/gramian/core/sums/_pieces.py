"""Pieces of row blocks: few enough rows for values of functions to stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator

from gramian.core.rows import RowBlock

PIECE_ROWS = 1024
"""Rows on which functions are evaluated at once."""


def piece_slices(n_rows: int, size: int = PIECE_ROWS) -> list[slice]:
    """Cut a number of rows into slices of `size` rows; the last slice may be shorter."""
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def pieces(rows: RowBlock, size: int = PIECE_ROWS) -> Iterator[RowBlock]:
    """Yield the rows of a block in pieces of `size` rows, with all values in memory."""
    x = rows.x
    for piece in piece_slices(len(x), size):
        yield RowBlock(x[piece], rows.root[piece])
