"""Changes of a table before a fit: rows left out, cells filled in, columns set aside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TableChanges:
    """Changes of a table before a fit."""

    rows_read: int
    rows_used: int
    cells_filled: int = 0
    set_aside: Mapping[str, str] = field(default_factory=dict)
    """From a column that plays no part to the reason."""
    beside: tuple[str, ...] = ()
    """Columns of text that stay as they are."""

    @property
    def rows_left_out(self) -> int:
        """The number of rows that the fit does not use."""
        return self.rows_read - self.rows_used

    def document(self) -> dict[str, Any]:
        """Return the changes for machines."""
        return {
            "rows_read": self.rows_read,
            "rows_left_out": self.rows_left_out,
            "cells_filled": self.cells_filled,
            "set_aside": dict(self.set_aside),
            "beside": list(self.beside),
        }
