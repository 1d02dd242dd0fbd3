"""What changed since an older table: its laws, its columns, and its rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from gramian._support.words import counted, plural
from gramian.laws import CheckResult, LawOutcome
from gramian.reports.table_page._first_screen import broken_sentence
from gramian.reports.table_page._study import IN_MEMORY, TableStudy

FIRST_ROWS = 8
"""Largest number of rows that are shown."""


@dataclass(frozen=True)
class Changes:
    """The comparison with an older table, in words."""

    older: str
    first: str
    """How many rows the tables have, and how many laws of the older one hold in this one."""
    holding: tuple[str, ...]
    broken: tuple[str, ...]
    """The laws that broke, each with the number of rows that break it."""
    new: tuple[str, ...]
    """The laws that only this table has, each with the rows in which it held before."""
    columns: tuple[str, ...]
    """Columns that came, went or differ, as sentences."""
    rows: tuple[str, ...]
    """The first rows that break laws of the older table as sentences, and how many follow."""


def changes(study: TableStudy) -> Changes | None:
    """Return the comparison of a table with an older one in words; None if there is none.

    Parameters
    ----------
    study : TableStudy
        The facts about the table.
    """
    found = study.against
    if found is None or study.older is None:
        return None
    n, every = len(found.holding), counted(len(found.result.laws), "law")
    shown = [each for each in found.result.certain_first if not _changed(found.result, each.laws)]
    rows = [broken_sentence(each, study) for each in shown[:FIRST_ROWS]]
    if len(shown) > FIRST_ROWS:
        rows.append(f"and {counted(len(shown) - FIRST_ROWS, 'more row')}")
    return Changes(
        "the older table" if study.older == IN_MEMORY else PurePath(study.older).name,
        f"The older table has {counted(study.n_older_rows, 'row')}, and this one has "
        f"{study.n_rows:,}. {n:,} of the older one's {every} {plural(n, 'holds', 'hold')} in it.",
        tuple(each.law for each in found.holding),
        tuple(f"{each.law}: {_broken(each)}" for each in found.broken),
        tuple(f"{each.law}{_before(each)}" for each in found.new),
        tuple(f"{each.text[0].upper()}{each.text[1:]}." for each in found.result.drift),
        tuple(rows),
    )


def _changed(result: CheckResult, laws: tuple[str, ...]) -> bool:
    """Return True if all of some laws have changed: then rows that break them are like others."""
    return {each.law for each in result.laws if each.changed}.issuperset(laws)


def _broken(outcome: LawOutcome) -> str:
    """Return how a law of the older table broke."""
    if outcome.reason is not None:
        return f"cannot be tested, as {outcome.reason}"
    if not outcome.n_broken:
        return "not tested, as no row has values in all its columns"
    said = f"broken in {outcome.n_broken:,} of {counted(outcome.n_tested, 'row')}"
    return f"{said}; the law may have changed" if outcome.changed else said


def _before(outcome: LawOutcome) -> str:
    """Return in how many rows of the older table a new law held."""
    if outcome.reason is not None or not outcome.n_tested:
        return ""
    held = outcome.n_tested - outcome.n_broken
    return f" (before, in {held:,} of {counted(outcome.n_tested, 'row')})"
