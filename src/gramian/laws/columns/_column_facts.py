"""Facts about the columns of a table, with which another table is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from gramian._support.types import Array
from gramian._support.words import is_storable_text
from gramian.laws.columns._coded_table import CodedTable
from gramian.laws.columns._key import is_whole
from gramian.laws.columns._printed_decimals import Printed
from gramian.laws.columns._rounding import MOST_DECIMALS

ColumnType = Literal["number", "text", "date"]
MOST_LEVELS = 50
"""A text column with more labels than this may have others in the next table."""
ROWS_A_LEVEL = 5
"""Fewest rows per label, on average, of a column whose labels are listed."""


@dataclass(frozen=True)
class ColumnFacts:
    """The name and the type of a column, and how its cells are written.

    Attributes
    ----------
    name : str
        The name of the column.
    type : {"number", "text", "date"} or None
        The type of its cells; None for a column without values.
    decimals : int or None
        The number of decimals of numbers; None if they have all digits.
    levels : tuple of str
        The labels of a text column that has few of them; else empty.
    half_up : bool
        True if a law gives the column, and the middle between two numbers is rounded away from
        zero; else to even.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> found = gramian.relations(table)
    >>> found.facts[0]
    ColumnFacts(name='net', type='number', decimals=2, levels=(), half_up=False)
    """

    name: str
    type: ColumnType | None
    decimals: int | None = None
    levels: tuple[str, ...] = ()
    half_up: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the facts as a dictionary that can be stored as JSON."""
        found: dict[str, Any] = {"name": self.name, "type": self.type}
        if self.decimals is not None:
            found["decimals"] = self.decimals
        if self.half_up:
            found["half_up"] = True
        return found | {"levels": list(self.levels)} if self.levels else found

    @classmethod
    def from_json(cls, document: Any) -> ColumnFacts:
        """Read stored facts; a ValueError says what is wrong with other documents.

        Parameters
        ----------
        document : dict
            The result of `to_json`.
        """
        if not isinstance(document, dict) or not (
            {"name", "type"} <= {*document} <= {"name", "type", "decimals", "levels", "half_up"}
        ):
            raise ValueError(
                "it must have a name and a type, and may have decimals, levels and half_up"
            )
        name, kind, decimals = document["name"], document["type"], document.get("decimals")
        levels = document.get("levels", [])
        if not is_storable_text(name):
            raise ValueError(f"the name must be a text; got {name!r:.60}")
        types: dict[Any, ColumnType] = {each: each for each in get_args(ColumnType)}
        if kind is not None and (not isinstance(kind, str) or kind not in types):
            raise ValueError(f"the type must be number, text, date or null; got {kind!r:.60}")
        if decimals is not None and not is_whole(decimals, 0, MOST_DECIMALS):
            raise ValueError(
                f"the decimals must be from 0 to {MOST_DECIMALS}; got {decimals!r:.60}"
            )
        if not isinstance(levels, list) or not all(isinstance(each, str) for each in levels):
            raise ValueError("the levels must be a list of texts")
        if not isinstance(half_up := document.get("half_up", False), bool):
            raise ValueError(f"half_up must be true or false; got {half_up!r:.60}")
        return cls(name, types.get(kind), decimals, tuple(levels), half_up)


def column_facts(table: CodedTable, rows: Array) -> tuple[ColumnFacts, ...]:
    """Return the facts about all columns of a table.

    Parameters
    ----------
    table : CodedTable
        The table.
    rows : array of shape (n_rows, n_columns)
        Rows of the table.
    """
    return tuple(_facts(table, i, rows[:, i]) for i in range(len(table.names)))


def _facts(table: CodedTable, i: int, cells: Array) -> ColumnFacts:
    """Return the facts about a column, from some of its cells as numbers."""
    name = table.names[i]
    if np.isnan(cells).all():
        return ColumnFacts(name, None)
    if i in table.labels:
        labels: Sequence[str] = table.labels[i]
        few = len(labels) <= MOST_LEVELS and len(labels) * ROWS_A_LEVEL <= len(cells)
        return ColumnFacts(name, "text", levels=tuple(sorted(labels)) if few else ())
    if i in table.clocks:
        return ColumnFacts(name, "date")
    return ColumnFacts(name, "number", Printed.of(cells).decimals)
