"""Random sample of the rows of a table that is read in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Piece = TypeVar("Piece", bound=Any)


def draw(
    pieces: Iterable[Piece],
    most: int,
    seed: int,
    filtered: Callable[[Piece, NDArray[np.bool_]], Piece],
    joined: Callable[[Sequence[Piece]], Piece],
) -> tuple[Piece, int]:
    """Read a table once; return a random sample of at most `most` rows, in the order of the table.

    The sample does not depend on how the table is split into pieces.

    Parameters
    ----------
    pieces : iterable
        The pieces of the table, at least one; each has a length.
    most : int
        The largest number of rows to keep.
    seed : int
        The seed of the random numbers.
    filtered : callable
        Called with a piece and a Boolean mask; returns the rows of the piece where the mask is
        True.
    joined : callable
        Called with a list of pieces; returns one piece with all their rows, in order.

    Returns
    -------
    rows : piece
        The sampled rows, as one piece.
    n_rows : int
        The number of rows in the whole table.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.rows import draw
    >>> pieces = (np.arange(100 * i, 100 * i + 100) for i in range(10))
    >>> draw(pieces, 5, 0, lambda rows, mask: rows[mask], np.concatenate)
    (array([ 11, 269, 850, 855, 921]), 1000)
    """
    rng = np.random.default_rng(seed)
    parts: list[Piece] = []
    keys, n_rows, limit = np.empty(0), 0, np.inf

    def lower_limit(candidates: NDArray[np.float64]) -> None:
        """Keep the `most` rows with the smallest random numbers, and drop all other rows."""
        nonlocal parts, keys, limit
        limit = min(limit, float(np.partition(candidates, most)[most]))
        if parts:
            parts = [filtered(joined(parts), keys < limit)]
            keys = keys[keys < limit]

    for piece in pieces:
        fresh = rng.random(len(piece))
        n_rows += len(fresh)
        if len(keys) + len(fresh) > 2 * most:
            lower_limit(np.concatenate([keys, fresh]))
        parts.append(filtered(piece, fresh < limit))
        keys = np.concatenate([keys, fresh[fresh < limit]])
    if len(keys) > most:
        lower_limit(keys)
    return joined(parts), n_rows
