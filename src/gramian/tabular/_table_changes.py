"""Record of the changes of a table before a fit: dropped rows, filled cells, ignored columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TableChanges:
    """Changes of a table before a fit: dropped rows, filled cells, ignored columns."""

    rows_read: int
    """Number of rows of the table."""
    rows_used: int
    """Number of rows that the fit used."""
    cells_filled: int = 0
    """Number of missing cells that were filled."""
    set_aside: Mapping[str, str] = field(default_factory=dict)
    """From the name of each column that was ignored to the reason, such as "constant"."""
    beside: tuple[str, ...] = ()
    """Text columns that are kept unchanged and that the fit does not use."""

    spellings: Mapping[str, str] = field(default_factory=dict)
    """From the name of each column of a text file that is read as numbers, although it is spelled
    as 1,5 or 12.9%, to an example such as "1,5 is 1.5"."""

    @property
    def rows_left_out(self) -> int:
        """Number of rows of the table that the fit did not use."""
        return self.rows_read - self.rows_used

    def document(self) -> dict[str, Any]:
        """Return the changes as a dictionary that can be written as JSON."""
        return {
            "rows_read": self.rows_read,
            "rows_left_out": self.rows_left_out,
            "cells_filled": self.cells_filled,
            "set_aside": dict(self.set_aside),
            "beside": list(self.beside),
            "read_as_numbers": dict(self.spellings),
        }


def examples(spellings: Mapping[str, str]) -> str:
    """Return the columns that are read as numbers, each with an example, as text.

    Parameters
    ----------
    spellings : mapping from str to str
        See `TableChanges.spellings`.
    """
    return ", ".join(f"{name!r} ({each})" for name, each in spellings.items())
