"""From a table to the dependencies of its levels."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gramian._types import Array
from gramian._words import the_columns
from gramian.laws._dates import composed_dates
from gramian.laws._dependency import Dependency
from gramian.laws._relation import Relation
from gramian.laws._search import OutOfTimeError
from gramian.laws._slope_law import SlopeLaw
from gramian.laws._slope_tally import SlopeTally
from gramian.laws._slopes import SlopeSearch
from gramian.lookups import Cells, Found, LookupSearch, Tally, cells_of
from gramian.lookups._evidence import DECADES
from gramian.tables._clock import Clock


@dataclass(frozen=True)
class Looked:
    """What a search for lookups found."""

    dependencies: list[Dependency]
    slopes: list[SlopeLaw]
    complete: bool
    notes: list[str]

    @property
    def laws(self) -> list[SlopeLaw | Dependency]:
        """All laws that were found."""
        return [*self.slopes, *self.dependencies]


@dataclass(frozen=True)
class LookupTable:
    """A table in which labels are codes."""

    rows: Array
    """All rows, or a sample."""
    names: Sequence[str]
    labels: Mapping[int, Sequence[str]]
    clocks: Mapping[int, Clock]


def find_lookups(
    table: LookupTable,
    blocks: Iterable[Array] | None,
    laws: Sequence[Relation],
    tolerance: float,
    deadline: float | None,
) -> Looked:
    """Find which columns follow from the levels of others.

    Parameters
    ----------
    table : LookupTable
        The rows that are searched.
    blocks : iterable of arrays, or None
        All rows, if these are more.
    laws : sequence of Relation
        Laws of numbers, whose consequences are not listed.
    tolerance : float
        The share of rows that may break a law.
    deadline : float or None
        When to stop, on the clock of `time.monotonic`.
    """
    cells = cells_of(table.rows, table.names, set(table.labels), table.clocks)
    notes = []
    if cells.ids:
        names = the_columns([table.names[i] for i in cells.ids])
        notes.append(f"Set aside, as almost every row has a label of its own: {names}.")

    def check_time() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTimeError

    known = [*_implications(laws, table.names)]
    dates = composed_dates(table.rows, table.names, table.labels, table.clocks)
    known += [each.implication for each in dates]
    exact = [*_implications([law for law in laws if law.exact], table.names)]
    by_level = SlopeSearch(cells, {*table.clocks}, tolerance, exact, check_time)
    try:
        slopes = by_level.run()
        known += [one for each in slopes for one in each.dependencies]
        found, complete = LookupSearch(cells, tolerance, known, check_time).run(), True
    except OutOfTimeError:
        slopes, found, complete = [], [], False
    slopes = by_level.fewest(slopes, [one for each in found for one in each.dependencies])
    tallies = [_tally(each, cells, table.names) for each in found]
    lines = [SlopeTally(each, cells, table.names) for each in slopes]
    for block in [table.rows] if blocks is None else blocks:
        for tally in tallies:
            tally.add(block)
        for line in lines:
            line.add(block)
        for date in dates:
            date.add(block)
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
    return Looked(kept, sums, complete, notes)


def _implications(
    laws: Sequence[Relation], names: Sequence[str]
) -> Iterator[tuple[frozenset[int], int]]:
    """Yield what follows from what by laws of numbers."""
    place = {name: i for i, name in enumerate(names)}
    for law in laws:
        for column in law.columns:
            try:
                solution = law.solve_for(column)
            except ValueError:
                continue
            yield frozenset(place[each] for each in solution.columns), place[column]


def _tally(found: Found, cells: Cells, names: Sequence[str]) -> Tally:
    keys = [cells.keys[i] for i in found.causes]
    if found.thresholds:
        keys = [replace(keys[0], thresholds=found.thresholds)]
    return Tally(keys, [list(names).index(key.column) for key in keys], found.effect)


def _dependency(found: Found, tally: Tally, table: LookupTable) -> Dependency:
    known = table.names, table.labels, table.clocks
    count, lookup = tally.count, tally.lookup(*known)
    inverse = tally.reversed(*known) if found.both_ways else None
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
