"""Search for laws of levels: lookups, slopes by level, and composed dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gramian._support.types import Array
from gramian._support.words import the_columns
from gramian.laws._cover import Implication
from gramian.laws._relation_collection import solutions
from gramian.laws._search_progress import OutOfTimeError
from gramian.laws.candidates import (
    BelievedLookup,
    BelievedSlopes,
    LevelCandidate,
    LevelContext,
    composed_dates,
    fewest_slopes,
    lookups_by_level,
    slopes_by_level,
)
from gramian.laws.columns import CodedTable, cells_of
from gramian.laws.forms import LevelLaw, Relation


@dataclass(frozen=True)
class LevelFindings:
    """Results of a search for laws of levels."""

    slopes: list[LevelLaw]
    lookups: list[LevelLaw]
    """Lookups, then composed dates."""
    complete: bool
    """True if there was time for the whole search."""
    notes: list[str]

    @property
    def laws(self) -> list[LevelLaw]:
        """All laws that were found."""
        return [*self.slopes, *self.lookups]


def find_level_laws(
    table: CodedTable,
    rows: Array,
    blocks: Iterable[Array],
    laws: Sequence[Relation],
    tolerance: float,
    check_time: Callable[[], None],
) -> LevelFindings:
    """Find the columns that follow from levels of other columns.

    Parameters
    ----------
    table : CodedTable
        The table.
    rows : array of shape (n_rows, n_columns)
        The rows to search.
    blocks : iterable of arrays
        All rows, which decide whether a law is believed.
    laws : sequence of Relation
        Laws among numbers; consequences of these laws are not listed.
    tolerance : float
        The largest share of rows that may break a law.
    check_time : callable
        Raises OutOfTimeError when the time is over.
    """
    cells = cells_of(rows, table.names, set(table.labels), table.clocks)
    notes = []
    if cells.ids:
        names = the_columns([table.names[i] for i in cells.ids])
        notes.append(f"Set aside, as almost every row has a label of its own: {names}.")
    exact = _implications([law for law in laws if law.exact], table.names)
    known = _implications(laws, table.names)
    context = LevelContext(table, rows, cells, tolerance, exact, known, check_time)
    dates = [*composed_dates(context)]
    context.learn(dates)
    slopes: list[BelievedSlopes] = []
    lookups: list[BelievedLookup] = []
    complete = False
    try:
        slopes = [*slopes_by_level(context)]
        context.learn(slopes)
        lookups = [*lookups_by_level(context)]
        complete = True
    except OutOfTimeError:
        slopes = []
    slopes = fewest_slopes(
        slopes, [*exact, *(one for each in lookups for one in each.dependencies)]
    )
    by_slopes, by_lookups, by_dates = _confirmed(context, (slopes, lookups, dates), blocks)
    # A lookup among the columns of an exact law repeats this law: with y = flag · x, the flag
    # follows from the levels of y.
    believed: list[Relation | LevelLaw] = [*laws, *by_slopes]
    tied = [set(law.columns) for law in believed if law.exact]
    new = [law for law in by_lookups if not any(each >= {*law.columns} for each in tied)]
    return LevelFindings(by_slopes, [*new, *by_dates], complete, notes)


def _confirmed(
    context: LevelContext, groups: Sequence[Sequence[LevelCandidate]], blocks: Iterable[Array]
) -> list[list[LevelLaw]]:
    """Return the laws of each group of candidates that all rows confirm."""
    tallies = [[each.tally(context) for each in group] for group in groups]
    for block in blocks:
        for group in tallies:
            for tally in group:
                tally.add(block)
    laws = [[tally.law() for tally in group] for group in tallies]
    return [[law for law in group if law is not None] for group in laws]


def _implications(laws: Sequence[Relation], names: Sequence[str]) -> list[Implication]:
    """Return the implications of laws among numbers."""
    return [
        (frozenset(map(names.index, solution.columns)), names.index(solution.column))
        for law in laws
        for solution in solutions(law)
    ]
