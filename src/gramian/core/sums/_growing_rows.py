"""A matrix that grows by rows."""

from __future__ import annotations

import numpy as np

from gramian._support.types import Array


class GrowingRows:
    """A matrix that rows are appended to, with spare memory for rows to come.

    Parameters
    ----------
    first : array of shape (n_columns,) or (n_rows, n_columns)
        The first rows.
    """

    def __init__(self, first: Array) -> None:
        self._data = self.view = np.array(first, ndmin=2)
        """The rows so far; valid until the next change."""

    @property
    def n_bytes(self) -> int:
        """Memory of the matrix in bytes, spare rows included."""
        return self._data.nbytes

    def extend(self, n_rows: int) -> Array:
        """Add rows at the end and return them, to be filled; valid until the next change."""
        start = len(self.view)
        n = start + n_rows
        if n > len(self._data):
            data = np.empty((max(n, 3 * len(self._data) // 2), self._data.shape[1]))
            data[:start] = self.view
            self._data = data
        self.view = self._data[:n]
        return self.view[start:]

    def append(self, rows: Array) -> None:
        """Add the given rows at the end."""
        self.extend(len(rows))[:] = rows

    def truncate(self, n_rows: int) -> None:
        """Keep the first `n_rows` rows only."""
        self.view = self._data[:n_rows]

    def restart(self, first: Array) -> None:
        """Begin anew with one row, in the memory of the old rows if it fits."""
        if len(first) != self._data.shape[1]:
            self._data = np.empty((len(self._data), len(first)))
        self.view = self._data[:1]
        self.view[0] = first
