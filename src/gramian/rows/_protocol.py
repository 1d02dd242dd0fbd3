"""Where the rows of a table come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from gramian._types import Array


@dataclass(frozen=True)
class RowBlock:
    """Some rows of the table, ready to be summed over."""

    x: Array
    """Centred and scaled rows, each times the root of its weight; shape (n_rows, n_columns)."""
    root: Array
    """The roots of the rows' weights. All weights of the table add up to one, so that a sum over
    rows is an expectation."""


class Rows(Protocol):
    """A table that can be read block by block, as often as needed, always in the same order."""

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        ...

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        ...

    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once."""
        ...
