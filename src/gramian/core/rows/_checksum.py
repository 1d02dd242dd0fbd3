"""Checksum of a table that does not depend on the order of its rows."""

from __future__ import annotations

import numpy as np

from gramian._support.types import Array

MASK = 2**64 - 1
"""Bit mask that reduces a sum of checksums modulo 2⁶⁴."""


def checksum_of(x: Array, weights: Array | None) -> int:
    """Return a checksum that depends on every value of every row, but not on the order of rows.

    Every row is hashed with its weight, and the hashes are added up modulo 2⁶⁴. So tables with
    equal values have equal checksums, whether in files, in memory or on a cluster, with blocks of
    any size; the checksums of the parts of a table add up to the checksum of the table.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The rows.
    weights : array of shape (n_rows,), or None
        The weights of the rows; None if all weights are 1. Rows of weight zero are ignored.
    """
    if weights is not None:
        x, weights = x[weights > 0], weights[weights > 0]
    factors = np.random.default_rng(0).integers(0, MASK, x.shape[1] + 1, np.uint64, endpoint=True)
    factors |= np.uint64(1)
    # Adding zero turns -0.0 into 0.0.
    hashes = np.einsum("ij,j->i", _bits(x + 0.0), factors[1:])
    hashes += _bits(np.ones(1) if weights is None else weights) * factors[0]
    # The finalizer of MurmurHash3. Without it, swapping two values of a column would not change the
    # sum of the hashes.
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        hashes ^= hashes >> np.uint64(33)
        hashes *= np.uint64(factor)
    hashes ^= hashes >> np.uint64(33)
    return int(hashes.sum(dtype=np.uint64))


def _bits(values: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
