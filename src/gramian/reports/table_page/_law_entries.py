"""Laws as the page shows them: their group, how they hold, and the rows that break them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gramian._support.words import counted
from gramian.formulas import number
from gramian.laws import AnyLaw, BrokenRow, CheckResult, LawOutcome, Relation, Relations
from gramian.reports.table_page._returned_values import cells_of
from gramian.reports.table_page._shown_cells import rounded_up
from gramian.tables import Table

LawGroup = Literal["arithmetic", "levels", "dates", "noisy"]
GROUPS: dict[LawGroup, tuple[str, str]] = {
    "arithmetic": (
        "Arithmetic",
        "Numbers that follow from other numbers, up to the rounding of printed digits.",
    ),
    "levels": (
        "Levels",
        "Columns that follow from distinct values of others, as a city follows from a zip code.",
    ),
    "dates": ("Dates", "Columns that follow from dates, or dates that follow from columns."),
    "noisy": ("Noisy", "Numbers that follow from other numbers up to a typical error."),
}
"""The groups of laws in the order of the page, with their titles and what is in them."""
SHOWN_ROWS = 12
"""Largest number of rows that break a law which the page shows."""
MAX_LAWS = 150
"""Largest number of laws that the page shows."""
LEAST_OTHERS = 5
"""Fewest rows that break a law of most rows; fewer have wrong cells."""
LAST_KINDS = ("extreme", "step", "constant")
"""Kinds of laws that come last in their group."""
VOUCHED = 0.5
"""Share of the rows that break a law in which other laws vouch for all its cells: with more, the
law holds in most rows only, and the other rows are no errors."""


@dataclass(frozen=True)
class LawEntry:
    """One law, how it holds, and the first rows that break it."""

    text: str
    group: LawGroup
    columns: tuple[str, ...]
    gives: str | None
    """The column that the law computes; None for an equation of several columns."""
    n_tested: int
    n_broken: int
    typical_error: float
    """The typical error of a noisy law, in the units of the column that it gives; else 0."""
    evidence: float
    rows: tuple[BrokenRow, ...]
    kind: str
    reading: str
    """How to read the law, such as "counted in days" for a law of dates; else empty."""
    within: str
    """The largest error of rows that obey a noisy law, as text; empty for an equation."""

    @property
    def holds(self) -> str:
        """In how many rows the law holds, and within what error, in words."""
        said = f"{self.reading}; " if self.reading else ""
        rows = f"in all {counted(self.n_tested, 'row')}"
        if self.n_broken:
            rows = f"in {self.n_tested - self.n_broken:,} of {counted(self.n_tested, 'row')}"
        if not self.typical_error:
            return f"{said}holds {rows}"
        within = f"within ±{self.within}" if self.within else "holds up to its noise"
        return f"{said}{within} {rows}, typical error {number(self.typical_error, 2)}"


@dataclass(frozen=True)
class LawsOfTable:
    """The laws of a table, checked on its rows."""

    entries: tuple[LawEntry, ...]
    """Laws whose broken rows have a wrong cell."""
    nearly: tuple[LawEntry, ...]
    """Laws of most rows: other laws vouch for the cells of the rows that break them."""
    result: CheckResult
    """The check of the table against the laws in `entries`."""
    found: Relations
    """The laws in `entries`, as they were found."""

    @property
    def best(self) -> list[LawEntry]:
        """The laws, most telling first: one for each column, and constant columns at the end."""
        firsts, others, given = list[LawEntry](), list[LawEntry](), set[str | None]()
        for each in self.entries:
            late = each.gives in given or each.kind == "constant"
            (others if late else firsts).append(each)
            given.add(each.gives or each.text)
        return [*firsts, *others]


def checked_laws(table: Table, found: Relations) -> LawsOfTable:
    """Check the laws of a table on its own rows.

    Parameters
    ----------
    table : Table
        The table.
    found : Relations
        Its laws.
    """
    result = found.checks.check(table)
    outcomes = _by_law(found, result)
    nearly = [law for i, law in enumerate(found) if _is_of_most_rows(i, found, outcomes)]
    if nearly:
        kept = replace(found, relations=tuple(each for each in found if each not in nearly))
        result = kept.checks.check(table)
    else:
        kept = found
    others = replace(found, relations=tuple(nearly))
    return LawsOfTable(
        tuple(sorted(_entries(table, kept, result), key=_rank)),
        tuple(_entries(table, others, others.checks.check(table))) if nearly else (),
        result,
        kept,
    )


def _rank(entry: LawEntry) -> tuple[int, int, int, float]:
    """Return a key that sorts laws: by group and kind, then those that most rows obey first."""
    kind = LAST_KINDS.index(entry.kind) + 1 if entry.kind in LAST_KINDS else 0
    return list(GROUPS).index(entry.group), kind, entry.n_broken, -entry.evidence


def _by_law(found: Relations, result: CheckResult) -> list[tuple[LawOutcome, ...]]:
    """Return the outcomes of each law; a law with two directions has two."""
    rest = iter(result.laws)
    return [tuple(next(rest) for _ in law.checks) for law in found]


def _is_of_most_rows(i: int, found: Relations, outcomes: Sequence[tuple[LawOutcome, ...]]) -> bool:
    """Return True if other laws vouch for the cells of most rows that break law number `i`.

    A year that follows from an invoice's date also follows from the date on which it is due, except
    around New Year. Neither date is wrong there: each obeys other laws. Arithmetic holds in no such
    way: if a wrong sum was used further, its laws hold, and the sum is wrong.
    """
    rows = {row for each in outcomes[i] for row in each.rows.tolist()}
    if isinstance(found[i], Relation) or len(rows) < LEAST_OTHERS:
        return False
    vouched = set(rows)
    for name in found[i].columns:
        sound = set[int]()
        for k, law in enumerate(found):
            # The key of a lookup is no evidence for itself: it may be a wrong one.
            known = law.columns if isinstance(law, Relation) else [o.column for o in outcomes[k]]
            noisy = isinstance(law, Relation) and law.typical_error
            if k != i and name in known and not noisy:
                sound |= rows - {row for each in outcomes[k] for row in each.rows.tolist()}
        vouched &= sound
    return len(vouched) > VOUCHED * len(rows)


def _entries(table: Table, found: Relations, result: CheckResult) -> list[LawEntry]:
    """Return the entries of laws that were checked on the rows of a table."""
    dates = {each.name for each in found.facts if each.type == "date"}
    within = _largest_errors(found, table)
    rows = iter(found.checks.broken_rows(table, result, most=SHOWN_ROWS))
    entries = []
    for law, outcomes in zip(found, _by_law(found, result), strict=True):
        shown = [next(rows) for _ in outcomes]
        worst = max(range(len(outcomes)), key=lambda k: outcomes[k].n_broken)
        typical = law.typical_error if isinstance(law, Relation) else 0.0
        group: LawGroup = "arithmetic" if not law.n_levels else "levels"
        if dates.intersection(law.columns):
            group = "dates"
        elif typical:
            group = "noisy"
        entries.append(
            LawEntry(
                str(law),
                group,
                law.columns,
                outcomes[worst].column,
                outcomes[worst].n_tested,
                len({row for each in outcomes for row in each.rows.tolist()}),
                typical,
                law.evidence,
                shown[worst],
                law.kind,
                _reading(law),
                within.get(str(law), ""),
            )
        )
    return entries


def _reading(law: AnyLaw) -> str:
    """Return how to read a law: what its comparisons are, and in which unit it counts dates."""
    if not isinstance(law, Relation) or law.kind == "constant":
        return ""
    if law.kind == "step":
        return "[ ] is 1 if true, else 0"
    clocks = getattr(law.check.law, "clocks", {})
    return next((f"counted in {clock.unit}" for clock in clocks.values()), "")


def _largest_errors(laws: Iterable[AnyLaw], table: Table) -> dict[str, str]:
    """Return for each noisy law, as text, the largest error of the rows that obey it, as text.

    Equations, which give no column, are not in the result.
    """
    checks = [each.check for each in laws if isinstance(each, Relation) and each.typical_error]
    checks = [each for each in checks if each.column is not None]
    largest = dict.fromkeys((each.text for each in checks), 0.0)
    names = list(dict.fromkeys(name for each in checks for name in each.columns))
    for rows in table.pieces(names) if checks else ():
        cells = cells_of(rows, table.columns)
        for each in checks:
            found = each.outcome(cells)
            obeying = found.error[found.tested & ~found.broken]
            largest[each.text] = float(np.max(obeying, initial=largest[each.text]))
    return {text: rounded_up(error) for text, error in largest.items() if error}
