"""Check result: which laws hold in a table, which rows break them, which cells are likely wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from gramian._support.display import data_frame, html_table
from gramian._support.types import Array, IntArray
from gramian._support.words import counted, one_line, plural
from gramian.formulas import number
from gramian.laws.checks._drift import Drift, as_documents
from gramian.laws.checks._signs import has_sign
from gramian.laws.checks._suspect_cells import (
    SuspectCell,
    SuspectCells,
    SuspectKind,
    plain_value,
)

SHOWN_ROWS = 5
"""Number of broken rows that are printed."""
UNTESTED = "cannot be tested"
CHANGED_SHARE, CHANGED_ROWS = 0.5, 10
"""A law that more rows break than this share and this number has changed, and not their cells."""

MOST_ALLOWED = 0.1
"""A law that a larger share of the rows may break mends no cell: other rules may hold in them."""
NEAR, MOST_NEAR = 10.0, 0.2
"""A row that misses a law with exceptions by less than so many allowed errors may be right: other
columns may have been rounded before. If more than this share of the rows do, it mends no cell."""
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
        The number of rows that may break the law: the share that broke it when it was found, and
        two standard errors.
    n_unknown : int
        The number of rows that were not tested because the law does not have their levels.
    reason : str or None
        Why the law cannot be tested; None if it was.
    times : array of float
        For each of `rows` the error as a multiple of the error that the law allows; 1 for texts,
        dates, and values that are looked up.
    other_rules : bool
        True for a lookup, or a part of a date, that some rows broke when it was found: another rule
        may hold in rows that break it, so that their cells may be right.
    constant : bool
        True if the law says that its column has one value. There is no other column as evidence, so
        that another value may be right.
    had_exceptions : bool
        True if some rows broke the law when it was found.

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
    times: Array = field(default_factory=lambda: np.empty(0), repr=False)
    other_rules: bool = False
    constant: bool = False
    had_exceptions: bool = False

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

    @property
    def _near(self) -> IntArray:
        """The rows that break the law, but by rounding of other columns perhaps."""
        if self.other_rules or not self.had_exceptions:
            return self.rows[:0]
        return self.rows[self.times < NEAR]

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
        The entries of `cells` as arrays, without the laws; in place of the kind, True for a new
        label.
    absent_signs : mapping from str to int
        For columns of numbers without negative numbers -1, and for those without positive numbers
        1, in the rows that obey all laws. Another cell is suspected if the value that the laws
        give for a cell has such a sign.

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
    absent_signs: Mapping[str, int] = field(default_factory=dict, repr=False)

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
            if each.changed
            or each.n_allowed > MOST_ALLOWED * each.n_tested
            or len(each._near) > MOST_NEAR * each.n_broken
        }
        near = {row for each in self.laws for row in each._near.tolist()}
        rules = {each.law for each in self.laws if each.other_rules}
        constants = {each.law for each in self.laws if each.constant}
        suspects = [*zip(*(each.tolist() for each in self.suspects), strict=True)]
        equal = Counter((column, str(cell)) for _, column, cell, *_ in suspects)
        found = []
        for row, column, cell, value, mends, likely, values, held, new, about in suspects:
            laws = tuple(broken[row])
            kind: SuspectKind = "new" if new else "rule" if rules.issuperset(laws) else "wrong"
            kind = "constant" if constants.issuperset(laws) else kind
            one_of_few = equal[column, str(cell)] < A_RULE
            surely = mends and kind == "wrong" and one_of_few and row not in near
            surely = surely and loose.isdisjoint(laws)
            if column is None and held is not None:
                likely, values, held = self._plausible(likely, values, held)
                if len(likely) == 1:  # the sign alone mends no cell
                    column, cell, value = likely[0], held[0], values[0]
            cells = plain_value(cell), plain_value(value)
            given = tuple(map(plain_value, values))
            found.append(SuspectCell(row, column, *cells, laws, surely, likely, given, kind, about))
        return tuple(found)

    def _plausible(self, likely: Any, values: Any, held: Any) -> Any:
        """Return the likely columns without those whose value has a sign that the column lacks."""
        fine = [
            not has_sign(plain_value(value), self.absent_signs.get(name))
            for name, value in zip(likely, values, strict=True)
        ]
        if all(fine) or not any(fine):
            return likely, values, held
        return tuple(tuple(compress(each, fine)) for each in (likely, values, held))

    @property
    def certain_first(self) -> tuple[SuspectCell, ...]:
        """The cells by row; rows in which another rule may hold come last."""
        return tuple(sorted(self.cells, key=lambda each: each.kind == "rule"))

    @cached_property
    def gravest_first(self) -> tuple[SuspectCell, ...]:
        """The cells in the order in which to look at them.

        First come rows in which no other rule may hold, then those that break the most laws, then
        those that miss a law by most, in units of the error that it allows.
        """
        times: dict[int, float] = {}
        for each in self.laws:
            for row, missed in zip(each.rows.tolist(), each.times.tolist(), strict=True):
                times[row] = max(times.get(row, 0.0), missed)
        return tuple(
            sorted(
                self.cells,
                key=lambda each: (each.kind == "rule", -len(each.laws), -times[each.row]),
            )
        )

    @property
    def table(self) -> list[dict[str, Any]]:
        """The rows that break laws as a list of dictionaries."""
        return [each.to_json() for each in self.cells]

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each row of the table that breaks a law."""
        return data_frame(self.table or []).reindex(columns=SuspectCell._fields)

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dictionary that can be stored as JSON."""
        return {
            "ok": self.ok,
            "n_rows": self.n_rows,
            "n_broken": len(self.rows),
            "drift": as_documents(self.drift),
            "laws": [each.to_json() for each in self.laws],
            "rows": [
                each
                | {name: _stored(each[name]) for name in ("found", "expected")}
                | {"values": [_stored(value) for value in each["values"]]}
                for each in self.table
            ],
        }

    def __str__(self) -> str:
        passes = "No law is broken in more rows than it allows, so all hold; allow=0 allows none."
        return "\n".join([*self.told(), *([passes] if self.ok and len(self.rows) else [])])

    def told(self) -> list[str]:
        """Return a line for each law, and those of `told_rows`."""
        lines = [str(each) for each in self.laws] or ["There is no law to test."]
        return [*lines, *self.told_rows()]

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
        changed = self._changed
        shown = [each for each in self.certain_first if not changed.issuperset(each.laws)][:most]
        if shown:
            lines.append(f"{rows} a law (rows count from 0):")
            lines += map(str, shown)
            lines += [f"and {counted(n - len(shown), 'more row')}"] if n > len(shown) else []
        elif n:
            lines.append(f"{rows} only laws that may have changed.")
        return [*lines, *self.told_rules()]

    @property
    def _changed(self) -> set[str]:
        return {each.law for each in self.laws if each.changed}

    def told_rules(self) -> list[str]:
        """Return a line about the rows in which another rule may hold, if there are any."""
        changed, of = self._changed, len(self.rows)
        n = sum(each.kind == "rule" and not changed.issuperset(each.laws) for each in self.cells)
        if not n:
            return []
        some = f"{n:,} of them" if n < of else "It" if n == 1 else "They"
        return [
            f"{some} {plural(n, 'breaks', 'break')} only rules that had exceptions when they were "
            "found: another rule may hold there, and no cell need be wrong."
        ]

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


def _stored(value: Any) -> Any:
    """Return a cell as JSON has it: dates as text, and infinite numbers as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return value if np.isfinite(value) else str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
