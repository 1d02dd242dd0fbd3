"""What was done to the rows and columns of a table before a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gramian._support.words import counted, plural


@dataclass(frozen=True)
class TableChanges:
    """What happened to a table on its way to a fit."""

    rows_read: int
    rows_used: int
    cells_filled: int = 0
    set_aside: Mapping[str, str] = field(default_factory=dict)
    """Columns that play no part, and why."""
    beside: tuple[str, ...] = ()
    """Columns of text that stay as they are."""

    def sentence(self) -> str:
        """Say it in one line, an empty one if there is nothing to say."""
        parts = []
        if self.rows_used < self.rows_read:
            left = self.rows_read - self.rows_used
            parts.append(
                f"of {counted(self.rows_read, 'row')} {left:,} {plural(left, 'was', 'were')} left "
                "out, as values are missing"
            )
        if self.cells_filled:
            cells = counted(self.cells_filled, "missing cell")
            parts.append(f"{cells} {plural(self.cells_filled, 'was', 'were')} filled in")
        if self.set_aside:
            names = ", ".join(f"{name!r} ({why})" for name, why in self.set_aside.items())
            parts.append(f"set aside: {names}")
        if self.beside:
            parts.append(f"text, kept as it is: {', '.join(map(repr, self.beside))}")
        return "; ".join(parts)

    def document(self) -> dict[str, Any]:
        """Return it for machines."""
        return {
            "rows_read": self.rows_read,
            "rows_left_out": self.rows_read - self.rows_used,
            "cells_filled": self.cells_filled,
            "set_aside": dict(self.set_aside),
            "beside": list(self.beside),
        }
