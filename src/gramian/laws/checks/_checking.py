"""Checking: test laws on all rows of a table, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.checks._check_result import CheckResult, LawOutcome
from gramian.laws.checks._drift import drift_of, drift_of_cells, untestable
from gramian.laws.checks._signs import Signs
from gramian.laws.checks._suspect_cells import SuspectCells, Suspects
from gramian.laws.checks._suspects import suspects
from gramian.laws.checks._unreadable import LAST_SECOND, read_as_before
from gramian.laws.columns import ColumnFacts, TableRows, open_coded_table
from gramian.laws.forms import Balance, ComposedDate, LawCheck, Lookup, Outcome

STANDARD_ERRORS = 2.0
"""Rows that may break a law beyond its allowed share by chance, in standard errors."""
EPSILON = 1e-9
"""Relative error of a share of rows, such as 0.07 of 100, whose product is a whole number."""


@dataclass
class Tally:
    """Count of the rows that break one law."""

    check: LawCheck
    reason: str | None
    """Why the law cannot be tested; None if it can."""
    allow: float | None = None
    """The share of the rows that may break the law; None for the share when it was found."""
    n_tested: int = 0
    n_unknown: int = 0
    """The number of rows with a level that the law does not have."""
    rows: list[IntArray] = field(default_factory=list)
    times: list[Array] = field(default_factory=list)
    """The errors in these rows, as multiples of the allowed error."""
    worst: tuple[float, int | None] = (0.0, None)
    """The largest error, and its row."""
    unread: Sequence[str] = ()
    """Columns of the law with dates that cannot be read, which are far from all others."""
    before: Any = None
    """What the law remembers of the rows before; see `ColumnLaw.continued`."""

    def add(self, rows: TableRows, start: int) -> Outcome:
        """Test the law in a block of rows; `start` is the number of rows before."""
        made, self.before = values_of_law(self.check, rows, self.before)
        found = self.check.outcome(rows, made)
        for name in self.unread:
            found.error[found.tested & (rows.numbers(name) == LAST_SECOND)] = np.inf
        self.n_tested += int(found.tested.sum())
        if not isinstance(self.check.law, Balance) and self.check.law.n_levels:
            self.n_unknown += int((~found.tested & _complete(self.check, rows)).sum())
        at = np.flatnonzero(found.broken)
        if len(at):
            self.rows.append(at + start)
            self.times.append(self._times(found.taken(at)))
            place = at[np.argmax(found.error[at])]
            if found.error[place] > self.worst[0]:
                self.worst = (float(found.error[place]), int(place) + start)
        return found

    def _times(self, found: Outcome) -> Array:
        """Return the errors in rows that break the law, as multiples of the allowed error."""
        if isinstance(self.check.law, Lookup) or found.made.dtype.kind in "OMU":
            return np.ones(len(found.error))
        with np.errstate(all="ignore"):
            times = found.error / self.check.allowed(found.made)
        return np.where(np.isnan(times), np.inf, times)

    def outcome(self) -> LawOutcome:
        """Return the result for the law."""
        at = np.concatenate([np.empty(0, dtype=np.intp), *self.rows])
        worst, row = self.worst
        is_rule = isinstance(self.check.law, Lookup | ComposedDate)
        if isinstance(self.check.law, Lookup) and row is not None:
            worst = np.inf  # another zip code is wrong, and not by some number
        return LawOutcome(
            self.check.text,
            self.check.column,
            self.n_tested,
            at,
            float(worst),
            row,
            self._n_allowed(),
            self.n_unknown,
            self.reason,
            np.concatenate([np.empty(0), *self.times]),
            is_rule and self.check.allowed_share > 0,
            not self.check.law.columns,
            self.check.allowed_share > 0,
        )

    def _n_allowed(self) -> int:
        """Return how many rows may break the law.

        They are the share that broke it when it was found, and two standard errors; or exactly the
        share that the user gave.
        """
        if self.allow is not None:
            return int(self.allow * self.n_tested * (1 + EPSILON))
        share = self.check.allowed_share
        return int(
            share * self.n_tested + STANDARD_ERRORS * np.sqrt(share * (1 - share) * self.n_tested)
        )


def checked(
    checks: Sequence[LawCheck],
    facts: Sequence[ColumnFacts],
    table: Any,
    names: Sequence[str],
    allow: float | None = None,
    n_known: int = 0,
) -> CheckResult:
    """Test laws on all rows of a table, and name the cells that are likely wrong.

    Parameters
    ----------
    checks : sequence of LawCheck
        The laws.
    facts : sequence of ColumnFacts
        The columns of the table in which the laws were found.
    table : object
        The table, of any kind that `relations` accepts.
    names : sequence of str
        The names of the columns of a table without names.
    allow : float, optional
        The share of rows that may break each law, in place of its own share.
    n_known : int, default=0
        The number of rows of the table in which the laws were found.
    """
    opened = open_coded_table(table, None)
    if not opened.named and len(opened.names) == len(names):
        opened = open_coded_table(table, names)
    read = read_as_before(opened, facts)
    used = {name for each in checks for name in each.columns}
    drift = drift_of(facts, read.table, used)
    kinds = [d for d in drift if d.kind != "levels"]
    tallies = [
        Tally(
            each,
            untestable(each.columns, kinds),
            allow,
            unread=[name for name in each.columns if name in read.texts],
        )
        for each in checks
    ]
    testable = [each for each in tallies if each.reason is None]
    known = {each.name: each for each in facts}
    others = {*read.table.labels, *read.table.clocks}
    numbers = [name for i, name in enumerate(read.table.names) if name in used and i not in others]
    found, n_rows, signs = Suspects(), 0, Signs()
    for rows, given in read.rows():
        outcomes = [each.add(rows, n_rows) for each in testable]
        wrong = np.zeros(rows.n_rows, dtype=bool)
        for each in outcomes:
            wrong |= each.broken
        signs.add(rows, ~wrong, numbers)
        at = np.flatnonzero(wrong)
        if len(at):
            some = rows.taken(at)
            parts = [each.taken(at) for each in outcomes]
            tested = [each.check for each in testable]
            shown = read.as_given(some, given.taken(at))
            found.add(at + n_rows, suspects(tested, parts, some, known, n_known), shown)
        n_rows += rows.n_rows
    laws = tuple(each.outcome() for each in tallies)
    cells = found.joined()
    kept = [check for check, each in zip(checks, laws, strict=True) if not each.changed]
    if len(kept) < len(laws):
        # A law that most rows break says nothing about single cells: the other laws do.
        rest = checked(kept, facts, table, names, allow, n_known)
        cells = _replaced(cells, rest.suspects)
    differs = (*drift, *drift_of_cells(read.table, read.texts))
    return CheckResult(laws, differs, n_rows, cells, signs.absent)


def _replaced(cells: SuspectCells, others: SuspectCells) -> SuspectCells:
    """Return the suspect cells of rows, with those of some rows replaced."""
    at = np.searchsorted(cells[0], others[0])
    for own, new in zip(cells, others, strict=True):
        own[at] = new
    return cells


def values_of_law(check: LawCheck, rows: TableRows, before: Any) -> tuple[NDArray[Any], Any]:
    """Return the values that a law gives in a block of rows, and what it remembers.

    A lookup is made once for each combination of levels in the block.

    Parameters
    ----------
    check : LawCheck
        The law.
    rows : TableRows
        The block of rows.
    before : object
        What the law remembers of the blocks before; None for the first block.
    """
    law = check.law
    if isinstance(law, Balance):
        return law(rows), None
    if not isinstance(law, Lookup):
        made, after = law.continued(rows, before)
        return np.array(np.broadcast_to(made, rows.n_rows)), after
    first, places = _combinations([_level_numbers(key, rows) for key in law.keys])
    return law(rows.taken(first))[places], None


def _level_numbers(key: Any, rows: TableRows) -> Array:
    """Return a number for each row that tells the levels of a key apart."""
    cells = rows[key.column]
    if cells.dtype.kind == "M" and key.clock is not None:
        return np.asarray(key.numbers(key.clock.numbers(cells)))
    numbers = rows.numbers(key.column)
    return numbers if cells.dtype.kind == "O" else np.asarray(key.numbers(numbers))


def _combinations(columns: Sequence[Array]) -> tuple[IntArray, IntArray]:
    """Return the first row of each combination of values, and the combination of each row."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for each in columns:
        levels, places = np.unique(each, return_inverse=True)
        codes = np.unique(codes * len(levels) + places, return_inverse=True)[1]
    _, first, places = np.unique(codes, return_index=True, return_inverse=True)
    return first, places


def _complete(check: LawCheck, rows: TableRows) -> NDArray[np.bool_]:
    """Return a mask of the rows without a missing cell in the columns of a law."""
    missing = [np.isnan(rows.numbers(name)) for name in check.columns]
    return np.asarray(~np.logical_or.reduce(missing))
