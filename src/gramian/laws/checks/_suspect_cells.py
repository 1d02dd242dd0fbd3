"""Suspect cells of a table: for each row that breaks laws the cell that is likely wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian._support.words import either, listed, plural
from gramian.formulas import number, quote
from gramian.laws.checks._suspects import SuspectRows

SuspectKind = Literal["wrong", "rule", "new", "constant"]
BOTH = 2
"""Largest number of columns of which a sentence names the values that laws give."""


class SuspectCell(NamedTuple):
    """The cell of a broken row that is likely wrong.

    `column` is None if several cells are as likely; `likely` has their columns, and `values` the
    value that the laws give for each of them. `found` is the cell, and `expected` the value that
    the laws give; they are None if `column` is None, or if no law gives a value. `mends` is True if
    with this value the row obeys all laws, no other cell may be wrong, and no other rule may hold:
    few rows may break these laws, and no three suspect cells of the column are equal. One of the
    laws fixes the value to the last printed digit. `about` is True for a number that none fixes:
    the laws give it up to the rounding of other columns.

    `kind` is "wrong", but "new" for a label that no row had when the laws were found, "constant" if
    the row breaks only laws that a column has one value, and "rule" if it breaks only lookups and
    parts of dates that had exceptions then: another rule may hold in the row.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net = np.random.default_rng(0).uniform(1, 99, 200).round(2)
    >>> vat = (0.19 * net).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> found = gramian.relations(table)
    >>> table["gross"][7] = 1000
    >>> (cell,) = found.check(table).cells
    >>> cell.column, cell.found, cell.mends, cell.kind
    ('gross', 1000.0, True, 'wrong')
    """

    row: int
    column: str | None
    found: Any
    expected: Any
    laws: tuple[str, ...]
    mends: bool
    likely: tuple[str, ...]
    values: tuple[Any, ...] = ()
    kind: SuspectKind = "wrong"
    about: bool = False

    def said(self, text: Callable[[Any], str], laws: str = ", the laws give") -> str:
        """Return what is wrong with the row, as a part of a sentence.

        Parameters
        ----------
        text : callable
            Returns a cell as text.
        laws : str, default=", the laws give"
            The sign, the subject and the verb in front of a value.
        """
        give = laws.lstrip(",; ")
        if self.column is None:
            names = [quote(each) for each in self.likely]
            if self.kind == "rule":
                many = listed(names, len(names), str)
                return f"{many} {plural(len(names), 'does', 'do')} not follow the rule"
            if self.kind == "constant":
                return f"{listed(names, len(names), str)} differ from all earlier rows"
            if len(names) == len(self.values) <= BOTH:
                said = f" ({give} "
                for i, value in enumerate(self.values):
                    if value is not None:
                        names[i] += f"{said}{text(value)})"
                        said = " ("
            return f"{either(names) if len(names) > 2 else ' or '.join(names)} is wrong"
        said = f"{quote(self.column)} is {text(self.found)}"
        given = None if self.expected is None else text(self.expected)
        if self.kind == "constant":
            return f"{said}, all earlier rows have {given}"
        given = f"about {given}" if self.about else given
        if self.kind == "new":
            said += ", which no row had when the laws were found"
            return said if given is None else f"{said} (the laws would give {given})"
        if self.kind == "rule":
            said += ", which does not follow the rule"
            return said if given is None else f"{said}: it gives {given}"
        return f"{said}, which is likely wrong" if given is None else f"{said}{laws} {given}"

    def __str__(self) -> str:
        return f"row {self.row}: {self.said(cell_text)}"

    def to_json(self) -> dict[str, Any]:
        """Return the cell as a dictionary; dates stay dates."""
        return {
            "row": self.row,
            "column": self.column,
            "found": self.found,
            "expected": self.expected,
            "laws": list(self.laws),
            "mends": self.mends,
            "likely": list(self.likely),
            "values": list(self.values),
            "kind": self.kind,
            "about": self.about,
        }


def cell_text(value: Any) -> str:
    """Return a cell as text: numbers with at most twelve digits."""
    return number(value, 12) if isinstance(value, float) else str(value)


SuspectCells = tuple[IntArray, *tuple[NDArray[Any], ...]]
"""Positions of rows, ascending, and the entries of `SuspectCell` of each row but the laws.

They are column, found, expected, mends, likely, values, the cells of the likely columns, True for a
new label, and True for a value that no law fixes to the last digit."""


@dataclass
class Suspects:
    """Suspect cells of the rows so far."""

    rows: list[IntArray] = field(default_factory=list)
    parts: list[tuple[NDArray[Any], ...]] = field(default_factory=list)
    """For each block of rows the entries of `SuspectCells` but the positions."""

    def add(self, rows: IntArray, found: SuspectRows, table: Mapping[str, NDArray[Any]]) -> None:
        """Add the suspect cells of some rows.

        Parameters
        ----------
        rows : array of shape (n_rows,)
            The positions of the rows.
        found : SuspectRows
            The suspect cells.
        table : mapping
            The rows themselves: columns by name.
        """
        columns = np.array([*found.names, None], dtype=object)[found.places]
        # Few combinations of columns occur: each is named once.
        likely, which = np.unique(found.likely, axis=1, return_inverse=True)
        which = which.ravel()
        named = np.empty(likely.shape[1], dtype=object)
        values, cells = np.empty((2, len(rows)), dtype=object)
        for k, each in enumerate(likely.T):
            named[k] = tuple(name for name, is_one in zip(found.names, each, strict=True) if is_one)
            at = np.flatnonzero(which == k)
            given = found.given[each][:, at].tolist()
            values[at] = np.fromiter(zip(*given, strict=True), dtype=object, count=len(at))
            if each.sum() > 1:
                held = [table[name][at].tolist() for name in named[k]]
                cells[at] = np.fromiter(zip(*held, strict=True), dtype=object, count=len(at))
        parts = (
            found.cells(table), found.values, found.mends, named[which], values, cells, found.new,
            found.about,
        )  # fmt: skip
        self.rows.append(rows)
        self.parts.append((columns, *parts))

    def joined(self) -> SuspectCells:
        """Return all rows: positions, and the other entries of `SuspectCells`."""
        none, never = np.empty(0, dtype=object), np.empty(0, dtype=bool)
        empty = (none, none, none, never, none, none, none, never, never)
        columns: Sequence[tuple[NDArray[Any], ...]] = [*zip(empty, *self.parts, strict=True)]
        return (
            np.concatenate([np.empty(0, dtype=np.intp), *self.rows]),
            *(np.concatenate(each) for each in columns),
        )


def plain_value(value: Any) -> Any:
    """Return a cell as a Python object: a number, text, date, or None."""
    return value.item() if isinstance(value, np.generic) else value
