"""Check result: which laws hold in a table, which rows break them, which cells are likely wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.display import data_frame, html_table
from gramian._support.types import IntArray
from gramian._support.words import counted, either, one_line, plural
from gramian.formulas import number, quote
from gramian.laws.checks._drift import Drift, as_documents
from gramian.laws.checks._suspects import SuspectRows

SHOWN_ROWS = 5
"""Number of broken rows that are printed."""
UNTESTED = "cannot be tested"
CHANGED_SHARE, CHANGED_ROWS = 0.5, 10
"""A law that more rows break than this share and this number has changed, and not their cells."""

MOST_ALLOWED = 0.1
"""A law that a larger share of the rows may break mends no cell: other rules may hold in them."""
A_RULE = 3
"""If so many suspect cells of a column have one value, such as a least charge, it may be right."""


@dataclass(frozen=True)
class LawOutcome:
    """What a check found out about one law.

    Attributes
    ----------
    law : str
        The law.
    column : str or None
        The column that the law gives; None for an equation.
    n_tested : int
        The number of rows in which the law was tested: those without missing cells in its columns.
    rows : array of int
        The positions of the rows that break the law, ascending.
    worst : float
        The largest error; infinite for a wrong text or date, for a value that is looked up, and
        where a cell is infinite.
    worst_row : int or None
        The position of the row with the largest error.
    n_allowed : int
        The number of rows that may break the law.
    n_unknown : int
        The number of rows that were not tested because the law does not have their levels.
    reason : str or None
        Why the law cannot be tested; None if it was.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> found = gramian.relations(table)
    >>> table["gross"][7] += 100
    >>> outcome = found.check(table).laws[0]
    >>> outcome.holds, outcome.n_broken, outcome.worst_row
    (False, 1, 7)
    """

    law: str
    column: str | None
    n_tested: int
    rows: IntArray = field(repr=False)
    worst: float
    worst_row: int | None
    n_allowed: int
    n_unknown: int = 0
    reason: str | None = None

    @property
    def n_broken(self) -> int:
        """The number of rows that break the law."""
        return len(self.rows)

    @property
    def holds(self) -> bool:
        """True if the law was tested, and no more rows break it than may."""
        return self.reason is None and self.n_broken <= self.n_allowed

    @property
    def changed(self) -> bool:
        """True if most rows break the law: the law may have changed, rather than their cells."""
        return self.n_broken > max(CHANGED_SHARE * self.n_tested, CHANGED_ROWS)

    def __str__(self) -> str:
        return f"{one_line(self.law)}: {self.said}"

    @property
    def said(self) -> str:
        """The outcome in words: that the law holds, or in how many rows it is broken."""
        if self.reason is not None:
            return f"{UNTESTED}, {self.reason}"
        if not self.n_tested and not self.n_unknown:
            return "not tested, no row has values in all its columns"
        if not self.n_broken:
            said = f"holds in {counted(self.n_tested, 'row')}"
        else:
            of = f"{self.n_broken:,} of {counted(self.n_tested, 'row')}"
            said = f"broken in {of}"
            if self.column is not None and np.isfinite(self.worst):
                said += f", most in row {self.worst_row} (by {number(self.worst, 4)})"
            if self.changed and not self.holds:
                said += "; the law may have changed"
            if self.holds:
                said += f" ({self.n_allowed:,} are allowed)"
        if self.n_unknown:
            rows, values = (
                counted(self.n_unknown, "row"),
                plural(self.n_unknown, "a value", "values"),
            )
            said += f"; not tested in {rows} with {values} that it does not know"
        return said

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as a dictionary that can be stored as JSON."""
        return {
            "law": self.law,
            "column": self.column,
            "holds": self.holds,
            "n_tested": self.n_tested,
            "n_broken": self.n_broken,
            "n_allowed": self.n_allowed,
            "n_unknown": self.n_unknown,
            "worst": self.worst if np.isfinite(self.worst) else None,
            "worst_row": self.worst_row,
            "reason": self.reason,
            "rows": self.rows.tolist(),
        }


class SuspectCell(NamedTuple):
    """The cell of a broken row that is likely wrong.

    `column` is None if several cells are as likely; `likely` has their columns. `found` is the
    cell, and `expected` the value that the laws give; they are None if `column` is None, or if no
    law gives a value. `mends` is True if with this value the row obeys all laws, no other cell may
    be wrong, and no other rule may hold: few rows may break these laws, and no three suspect cells
    of the column are equal.

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
    >>> cell.column, cell.found, cell.mends
    ('gross', 1000.0, True)
    """

    row: int
    column: str | None
    found: Any
    expected: Any
    laws: tuple[str, ...]
    mends: bool
    likely: tuple[str, ...]


SuspectCells = tuple[IntArray, *tuple[NDArray[Any], ...]]
"""Positions of rows, ascending, and the entries of `SuspectCell` of each row but the laws."""


@dataclass
class Suspects:
    """Suspect cells of the rows so far."""

    rows: list[IntArray] = field(default_factory=list)
    columns: list[NDArray[Any]] = field(default_factory=list)
    found: list[NDArray[Any]] = field(default_factory=list)
    expected: list[NDArray[Any]] = field(default_factory=list)
    mends: list[NDArray[Any]] = field(default_factory=list)
    likely: list[NDArray[Any]] = field(default_factory=list)

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
        self.rows.append(rows)
        self.columns.append(np.array([*found.names, None], dtype=object)[found.places])
        self.found.append(found.cells(table))
        self.expected.append(found.values)
        self.mends.append(found.mends)
        # Few combinations of columns occur: each is named once.
        likely, which = np.unique(found.likely, axis=1, return_inverse=True)
        named = np.empty(likely.shape[1], dtype=object)
        for i, each in enumerate(likely.T):
            named[i] = tuple(name for name, is_one in zip(found.names, each, strict=True) if is_one)
        self.likely.append(named[which.ravel()])

    def joined(self) -> SuspectCells:
        """Return all rows: positions, columns, cells, expected values, mends, likely columns."""
        none = np.empty(0, dtype=object)
        return (
            np.concatenate([np.empty(0, dtype=np.intp), *self.rows]),
            np.concatenate([none, *self.columns]),
            np.concatenate([none, *self.found]),
            np.concatenate([none, *self.expected]),
            np.concatenate([np.empty(0, dtype=bool), *self.mends]),
            np.concatenate([none, *self.likely]),
        )


@dataclass(frozen=True)
class CheckResult:
    """The result of a check of a table against laws.

    Attributes
    ----------
    laws : tuple of LawOutcome
        What was found out about each law.
    drift : tuple of Drift
        Differences between the columns of this table and of that in which the laws were found.
    n_rows : int
        The number of rows of the table.
    suspects : tuple of array
        The entries of `cells` as arrays, without the laws.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> found = gramian.relations(table)
    >>> table["gross"][7] += 100
    >>> result = found.check(table)
    >>> result.ok, result.rows
    (False, array([7]))
    >>> print(result)
    gross = net + vat: broken in 1 of 200 rows, most in row 7 (by 100)
    1 row breaks a law (rows count from 0):
    row 7: net, vat, or gross is wrong
    """

    laws: tuple[LawOutcome, ...]
    drift: tuple[Drift, ...]
    n_rows: int
    suspects: SuspectCells = field(repr=False)

    @property
    def ok(self) -> bool:
        """True if every law was tested and holds."""
        return all(each.holds for each in self.laws)

    @property
    def rows(self) -> IntArray:
        """The positions of the rows that break any law, ascending."""
        return self.suspects[0]

    @cached_property
    def cells(self) -> tuple[SuspectCell, ...]:
        """For each row that breaks a law, the cell that is likely wrong."""
        broken: dict[int, list[str]] = {}
        for each in self.laws:
            for row in each.rows.tolist():
                broken.setdefault(row, []).append(each.law)
        loose = {
            each.law
            for each in self.laws
            if each.changed or each.n_allowed > MOST_ALLOWED * each.n_tested
        }
        suspects = [*zip(*(each.tolist() for each in self.suspects), strict=True)]
        equal = Counter((column, str(cell)) for _, column, cell, *_ in suspects)
        found = []
        for row, column, cell, value, mends, likely in suspects:
            laws = tuple(broken[row])
            one_of_few = equal[column, str(cell)] < A_RULE
            surely = mends and one_of_few and loose.isdisjoint(laws)
            suspect = SuspectCell(row, column, _plain(cell), _plain(value), laws, surely, likely)
            found.append(suspect)
        return tuple(found)

    @property
    def table(self) -> list[dict[str, Any]]:
        """The rows that break laws as a list of dictionaries."""
        return [
            {
                "row": each.row,
                "column": each.column,
                "found": each.found,
                "expected": each.expected,
                "laws": list(each.laws),
                "mends": each.mends,
                "likely": list(each.likely),
            }
            for each in self.cells
        ]

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each row of the table that breaks a law."""
        columns = ("row", "column", "found", "expected", "laws", "mends", "likely")
        return data_frame(self.table or []).reindex(columns=columns)

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dictionary that can be stored as JSON."""
        return {
            "ok": self.ok,
            "n_rows": self.n_rows,
            "n_broken": len(self.rows),
            "drift": as_documents(self.drift),
            "laws": [each.to_json() for each in self.laws],
            "rows": [
                each | {"found": _stored(each["found"]), "expected": _stored(each["expected"])}
                for each in self.table
            ],
        }

    def __str__(self) -> str:
        lines = [str(each) for each in self.laws] or ["There is no law to test."]
        return "\n".join([*lines, *self.told_rows()])

    def told_rows(self, most: int = SHOWN_ROWS) -> list[str]:
        """Return lines about columns that differ, and about the first rows that break laws.

        Parameters
        ----------
        most : int, default=5
            The largest number of rows.
        """
        lines = [f"{each.text[0].upper()}{each.text[1:]}." for each in self.drift]
        n = len(self.rows)
        rows = f"{counted(n, 'row')} {plural(n, 'breaks', 'break')}"
        # Rows that break only laws which have changed are like all the others.
        changed = {each.law for each in self.laws if each.changed}
        shown = [each for each in self.cells if not changed.issuperset(each.laws)][:most]
        if shown:
            lines.append(f"{rows} a law (rows count from 0):")
            lines += [_sentence(each) for each in shown]
            lines += [f"and {counted(n - len(shown), 'more row')}"] if n > len(shown) else []
        elif n:
            lines.append(f"{rows} only laws that may have changed.")
        return lines

    def __repr__(self) -> str:
        n = sum(each.holds for each in self.laws)
        rows = counted(len(self.rows), "broken row")
        return f"<check of {counted(len(self.laws), 'law')}: {n} hold, {rows}>"

    def _repr_html_(self) -> str:
        rows = [
            (each.law, "holds" if each.holds else "broken" if each.reason is None else UNTESTED,
             f"{each.n_broken:,}", f"{each.n_tested:,}")
            for each in self.laws
        ]  # fmt: skip
        return html_table(("law", "", "rows that break it", "rows tested"), rows)


def _sentence(cell: SuspectCell) -> str:
    """Return a broken row as a sentence."""
    if cell.column is None:
        names = [quote(each) for each in cell.likely]
        one_of = either(names) if len(names) > 2 else " or ".join(names)
        return f"row {cell.row}: {one_of} is wrong"
    said = f"row {cell.row}: {quote(cell.column)} is {_text(cell.found)}"
    given = None if cell.expected is None else _text(cell.expected)
    return f"{said}, which is likely wrong" if given is None else f"{said}, the laws give {given}"


def _text(value: Any) -> str:
    return number(value, 12) if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """Return a cell as a Python object: a number, text, date, or None."""
    return value.item() if isinstance(value, np.generic) else value


def _stored(value: Any) -> Any:
    """Return a cell as JSON has it: dates as text, and infinite numbers as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return value if np.isfinite(value) else str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
