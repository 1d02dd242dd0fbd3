"""From a table to the dependencies of its levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from gramian._support.types import Array
from gramian._support.words import the_columns
from gramian.laws._coded_table import CodedTable
from gramian.laws._collection import solutions
from gramian.laws._dates import DateTally, composed_dates
from gramian.laws._dependency import Dependency
from gramian.laws._progress import OutOfTimeError
from gramian.laws._relation import Relation
from gramian.laws._slope_law import SlopeLaw
from gramian.laws._slope_tally import SlopeTally
from gramian.laws._slopes import SlopeSearch
from gramian.lookups import BelievedLookup, Cells, LookupSearch, LookupTally, cells_of
from gramian.lookups._cover import Implication
from gramian.lookups._evidence import DECADES


@dataclass(frozen=True)
class LookupFindings:
    """What a search for lookups found."""

    dependencies: list[Dependency]
    slopes: list[SlopeLaw]
    complete: bool
    notes: list[str]

    @property
    def laws(self) -> list[SlopeLaw | Dependency]:
        """All laws that were found."""
        return [*self.slopes, *self.dependencies]


def find_lookups(
    table: CodedTable,
    rows: Array,
    blocks: Iterable[Array],
    laws: Sequence[Relation],
    tolerance: float,
    check_time: Callable[[], None],
) -> LookupFindings:
    """Find which columns follow from the levels of others.

    Parameters
    ----------
    table : CodedTable
        The table.
    rows : array of shape (n_rows, n_columns)
        The rows that are searched.
    blocks : iterable of arrays
        All rows.
    laws : sequence of Relation
        Laws of numbers, whose consequences are not listed.
    tolerance : float
        The share of rows that may break a law.
    check_time : callable
        Raises an error when the time is over.
    """
    cells = cells_of(rows, table.names, set(table.labels), table.clocks)
    notes = []
    if cells.ids:
        names = the_columns([table.names[i] for i in cells.ids])
        notes.append(f"Set aside, as almost every row has a label of its own: {names}.")
    known = _implications(laws, table.names)
    dates = composed_dates(rows, table)
    known += [each.implication for each in dates]
    exact = _implications([law for law in laws if law.exact], table.names)
    by_level = SlopeSearch(cells, tolerance, exact, check_time)
    try:
        slopes = by_level.run()
        known += [one for each in slopes for one in each.dependencies]
        found, complete = LookupSearch(cells, tolerance, known, check_time).run(), True
    except OutOfTimeError:
        slopes, found, complete = [], [], False
    slopes = by_level.fewest(slopes, [one for each in found for one in each.dependencies])
    tallies = [_tally(each, cells, table.names) for each in found]
    lines = [SlopeTally(each, cells, table.names) for each in slopes]
    counting: list[LookupTally | SlopeTally | DateTally] = [*tallies, *lines, *dates]
    for block in blocks:
        for each in counting:
            each.add(block)
    sums = [each.law(table.labels) for each in lines]
    sums = [each for each in sums if each.exact or each.error <= tolerance]
    made = [
        _dependency(each, tally, table)
        for each, tally in zip(found, tallies, strict=True)
        if tally.count.holds(tolerance)
    ]
    # Levels among the columns of one law are that law, read backwards: with y = flag · x, the flag
    # follows from the levels of y.
    believed: list[Relation | SlopeLaw] = [*laws, *sums]
    tied = [set(law.columns) for law in believed if law.exact]
    kept = [
        each
        for each in made
        if each.evidence >= DECADES and not any(law >= {*each.columns} for law in tied)
    ]
    kept += [law for date in dates if (law := date.law(len(table.names))) is not None]
    return LookupFindings(kept, sums, complete, notes)


def _implications(laws: Sequence[Relation], names: Sequence[str]) -> list[Implication]:
    """Return what follows from what by laws of numbers."""
    return [
        (frozenset(map(names.index, solution.columns)), names.index(solution.column))
        for law in laws
        for solution in solutions(law)
    ]


def _tally(found: BelievedLookup, cells: Cells, names: Sequence[str]) -> LookupTally:
    keys = [cells.keys[i] for i in found.causes]
    if found.thresholds:
        keys = [replace(keys[0], thresholds=found.thresholds)]
    places = [names.index(key.column) for key in keys]
    return LookupTally(keys, places, cells.keys[found.effect], found.effect)


def _dependency(found: BelievedLookup, tally: LookupTally, table: CodedTable) -> Dependency:
    count, lookup = tally.count, tally.lookup(table.labels)
    inverse = tally.reversed(table.labels) if found.both_ways else None
    solvable = [lookup.column] if not tally.n_without[0] else []
    if inverse is not None and not tally.n_without[1]:
        solvable.append(inverse.column)
    n_tried = float(len(table.names)) ** (len(found.causes) + 1)
    return Dependency(
        (*lookup.columns, lookup.column),
        count.error,
        count.validation_error,
        count.guess_error,
        count.evidence(n_tried),
        count.n_rows,
        lookup,
        inverse,
        tuple(solvable),
    )
