"""Matrix to which rows are appended."""

from __future__ import annotations

import numpy as np

from gramian._support.types import Array


class GrowingRows:
    """Matrix to which rows are appended; it reserves memory for later rows.

    Parameters
    ----------
    first : array of shape (n_columns,) or (n_rows, n_columns)
        The first row, or rows, of the matrix.
    """

    def __init__(self, first: Array) -> None:
        self._data = self.view = np.array(first, ndmin=2)
        """All rows of the matrix, as an array that is valid until the matrix changes."""

    @property
    def n_bytes(self) -> int:
        """Memory of the matrix in bytes, including memory reserved for later rows."""
        return self._data.nbytes

    def extend(self, n_rows: int) -> Array:
        """Append `n_rows` rows without values, and return them: the caller fills in the values."""
        start = len(self.view)
        n = start + n_rows
        if n > len(self._data):
            data = np.empty((max(n, 3 * len(self._data) // 2), self._data.shape[1]))
            data[:start] = self.view
            self._data = data
        self.view = self._data[:n]
        return self.view[start:]

    def append(self, rows: Array) -> None:
        """Append a copy of `rows` to the matrix."""
        self.extend(len(rows))[:] = rows

    def truncate(self, n_rows: int) -> None:
        """Keep the first `n_rows` rows of the matrix, and drop the others."""
        self.view = self._data[:n_rows]

    def restart(self, first: Array) -> None:
        """Replace all rows by the row `first`, in the same memory if the row length is equal."""
        if len(first) != self._data.shape[1]:
            self._data = np.empty((len(self._data), len(first)))
        self.view = self._data[:1]
        self.view[0] = first
