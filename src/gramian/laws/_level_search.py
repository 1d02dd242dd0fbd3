"""Search for laws of levels (distinct values): lookups, slopes by level, composed dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gramian._support.time_limit import OutOfTimeError, part_of_time
from gramian._support.types import Array, IntArray
from gramian._support.words import the_columns
from gramian.laws._any_law import solutions
from gramian.laws._cover import Implication, follows
from gramian.laws.candidates import (
    BelievedLookup,
    BelievedSlopes,
    ExtremeCandidate,
    GuardedCandidate,
    LevelCandidate,
    LevelContext,
    SeriesCandidate,
    composed_dates,
    extremes,
    fewest_slopes,
    guarded_laws,
    lookups_by_level,
    series,
    slopes_by_level,
)
from gramian.laws.columns import CodedTable, Key, cells_of
from gramian.laws.forms import LevelLaw, Lookup, Relation

GroupedBlock = tuple[Array, IntArray | None]
"""Some rows of a table, and the number of the group of each row; None without groups."""


SHORT = 3
"""Largest number of columns of a law whose columns are no maxima or minima of others."""

SOME_TIME, MOST_TIME = 0.4, 0.8
"""Shares of the time that is left, if it is limited, for kinds of laws that others follow."""
Candidates = TypeVar("Candidates", bound=LevelCandidate)
MANY_LEVELS = 100
"""Fewest levels of a lookup that repeats how two clocks differ."""
LARGEST_PART = 59
"""Parts of a date, other than the year, are whole numbers up to this one."""


@dataclass(frozen=True)
class LevelFindings:
    """Result of a search for laws of levels (distinct values): the laws, and notes for the user."""

    slopes: list[LevelLaw]
    lookups: list[LevelLaw]
    """The extremes and series, then the lookups, the composed dates, and the guarded laws."""
    complete: bool
    """True if the search was finished; False if the time limit stopped it."""
    notes: list[str]

    @property
    def laws(self) -> list[LevelLaw]:
        """All laws that were found: slopes, lookups and composed dates."""
        return [*self.slopes, *self.lookups]


def find_level_laws(
    table: CodedTable,
    rows: Array,
    blocks: Iterable[GroupedBlock],
    laws: Sequence[Relation],
    tolerance: float,
    groups: IntArray | None = None,
    in_order: bool = True,
) -> LevelFindings:
    """Find the columns that levels (distinct values) of other columns determine.

    Parameters
    ----------
    table : CodedTable
        The table.
    rows : array of shape (n_rows, n_columns)
        The rows in which laws are searched.
    blocks : iterable of pairs
        All rows of the table, on which the found laws are tested, and their groups.
    laws : sequence of Relation
        Laws among numbers that were found before; their consequences are not returned.
    tolerance : float
        The largest share of rows that may break a law.
    groups : array of shape (n_rows,), optional
        The number of the group of each row of `rows`, if the user gave groups.
    in_order : bool
        True if `rows` are all rows of the table, in their order.
    """
    cells = cells_of(rows, table.names, set(table.labels), table.clocks, groups)
    notes = []
    if cells.ids:
        names = the_columns([table.names[i] for i in cells.ids])
        notes.append(f"Set aside, as almost every row has a label of its own: {names}.")
    exact = _ties([law for law in laws if law.exact or law.n_exceptions], table.names)
    known = _implications(laws, table.names)
    context = LevelContext(table, rows, cells, tolerance, exact, known)
    dates = [*composed_dates(context)]
    context.learn(dates)
    # A column that short laws compute in all rows is no extreme of others.
    short = [law for law in laws if law.exact and len(law.columns) <= SHORT]
    computed = {one.column for law in short for one in solutions(law)}
    whole = _ties([law for law in laws if law.exact], table.names)
    largest: list[ExtremeCandidate] = []
    running: list[SeriesCandidate] = []
    guarded: list[GuardedCandidate] = []
    slopes: list[BelievedSlopes] = []
    lookups: list[BelievedLookup] = []
    complete = _taken(
        largest,
        (
            each
            for each in extremes(context)
            if each.law.column not in computed and not follows(each, whole)
        ),
        SOME_TIME,
    )
    context.learn(largest)
    complete &= _taken(running, series(context) if in_order else (), SOME_TIME)
    complete &= _taken(slopes, slopes_by_level(context), SOME_TIME)
    context.learn(slopes)
    every_lookup = _taken(lookups, lookups_by_level(context), MOST_TIME)
    complete &= every_lookup & _taken(guarded, guarded_laws(context), 1.0)
    if not every_lookup:
        slopes = []  # only the lookups tell which of the slopes are new
    if context.ordered:
        names = the_columns([table.names[i] for i in context.ordered])
        notes.append(f"Rows are ordered by {names}.")
    slopes = fewest_slopes(
        slopes, [*exact, *(one for each in lookups for one in each.dependencies)]
    )
    slopes = _one_of_each(slopes)
    candidates = (slopes, lookups, dates, largest, running, guarded)
    by_slopes, by_lookups, by_dates, by_extremes, by_series, by_guards = _confirmed(
        context, candidates, blocks
    )
    by_extremes = [
        each
        for each in by_extremes
        if not _is_worse(each, laws) and not _is_of_guards(each, by_guards)
    ]
    # A lookup among the columns of an exact law says nothing new: if y = flag · x, then the levels
    # of y determine the flag.
    believed: list[Relation | LevelLaw] = [*laws, *by_slopes]
    tied = [set(law.columns) for law in believed if law.exact]
    new = [law for law in by_lookups if not any(each >= {*law.columns} for each in tied)]
    new = _of_one_clock(_without_approximations(_by_simplest_parts(new)))
    every = [*by_extremes, *by_series, *new, *by_dates, *by_guards]
    return LevelFindings(by_slopes, every, complete, notes)


def _taken(found: list[Candidates], candidates: Iterable[Candidates], share: float) -> bool:
    """Append candidates to a list until the time is over; return False if it was over.

    Parameters
    ----------
    found : list
        The list.
    candidates : iterable
        The candidates, which a search yields.
    share : float
        The share of the time that is left for them.
    """
    try:
        with part_of_time(share):
            found.extend(candidates)  # those before an error stay
    except OutOfTimeError:
        return False
    return True


def _one_of_each(slopes: Sequence[BelievedSlopes]) -> list[BelievedSlopes]:
    """Return one law of slopes for each set of numbers: other categories say the same."""
    first: dict[tuple[int, tuple[int, ...]], BelievedSlopes] = {}
    for each in slopes:
        first.setdefault((each.effect, tuple(sorted(each.numbers))), each)
    return [*first.values()]


def _by_simplest_parts(lookups: Sequence[LevelLaw]) -> list[LevelLaw]:
    """Return lookups without those by a part of a date if another part of it has fewer levels.

    Where rows are seven hours apart, for example, the hour tells the day of the week.
    """
    fewest: dict[tuple[str, str | None], LevelLaw] = {}
    for law in sorted(lookups, key=lambda law: law.n_levels):
        fewest.setdefault((law.gives, _date_of_part(law)), law)
    dates = [(law, _date_of_part(law)) for law in lookups]
    return [law for law, date in dates if date is None or fewest[law.gives, date] is law]


def _without_approximations(lookups: Sequence[LevelLaw]) -> list[LevelLaw]:
    """Return lookups without those that rows break although a date tells the column in all rows.

    If the month of one date is a column, dates 90 days later nearly tell the column, too.
    """
    parts = {
        law.gives for law in lookups if getattr(law.form, "is_part", False) and not law.n_exceptions
    }
    return [law for law in lookups if not (law.n_exceptions and law.gives in parts)]


def _of_one_clock(lookups: Sequence[LevelLaw]) -> list[LevelLaw]:
    """Return lookups without those that list how the parts of a date differ between two clocks.

    If the month is that of a date in nearly all rows only, the date has another clock, such as UTC.
    Then the day follows from hundreds of days and hours of the date, but for some rows: this says
    nothing new.
    """
    parts = {
        law.form.keys[0].column
        for law in lookups
        if law.n_exceptions and isinstance(law.form, Lookup) and law.form.is_part
    }
    return [law for law in lookups if not (law.n_exceptions and _lists_parts(law, parts))]


def _lists_parts(law: LevelLaw, dates: set[str]) -> bool:
    """Return True if a lookup by parts of some dates and by numbers gives a part of a date."""
    form = law.form
    if not isinstance(form, Lookup) or len(form.keys) == 1 or form.n_levels < MANY_LEVELS:
        return False
    cells = {*form.values, *(each for level in form.levels for each in level)}
    of_dates = [key for key in form.keys if key.part is not None and key.column in dates]
    return bool(of_dates) and all(
        not isinstance(each, str) and 0 <= each <= LARGEST_PART and each == int(each)
        for each in cells
    )


def _date_of_part(law: LevelLaw) -> str | None:
    """Return the name of the date of which one part determines a column; None for other laws."""
    keys: Sequence[Key] = getattr(law.form, "keys", ())
    return keys[0].column if len(keys) == 1 and keys[0].part is not None else None


def _is_of_guards(extreme: LevelLaw, guarded: Sequence[LevelLaw]) -> bool:
    """Return True if a column is no extreme, but equal to one or the other number in some rows."""
    causes = {*extreme.columns} - {extreme.gives}
    equal = {name for each in guarded if extreme.gives in each.columns for name in each.columns}
    return bool(extreme.n_exceptions) and causes <= equal


def _is_worse(extreme: LevelLaw, laws: Sequence[Relation]) -> bool:
    """Return True if a law among numbers gives the column of an extreme with fewer exceptions."""
    return any(
        law.n_exceptions
        and law.n_exceptions <= extreme.n_exceptions
        and {*law.columns} == {*extreme.columns}
        for law in laws
    )


def _confirmed(
    context: LevelContext,
    kinds: Sequence[Sequence[LevelCandidate]],
    blocks: Iterable[GroupedBlock],
) -> list[list[LevelLaw]]:
    """Test candidates on all rows; return for each kind of candidates the laws that pass the test.

    Parameters
    ----------
    context : LevelContext
        The table, and the tolerance.
    kinds : sequence of sequences
        The candidates.
    blocks : iterable of pairs
        All rows of the table, and their groups.
    """
    tallies = [[each.tally(context) for each in kind] for kind in kinds]
    for block, groups in blocks:
        for kind in tallies:
            for tally in kind:
                tally.add(block, groups)
    laws = [[tally.law() for tally in kind] for kind in tallies]
    return [[law for law in kind if law is not None] for kind in laws]


def _ties(laws: Sequence[Relation], names: Sequence[str]) -> list[Implication]:
    """Return the implications of laws, as if each law gave each of its numbers from the others.

    A law of rounded numbers may give only one of its columns to the last digit. Slopes that give
    another of its columns say nothing new all the same.
    """
    found = _implications(laws, names)
    for law in laws:
        if law.kind != "step":
            columns = frozenset(map(names.index, law.columns))
            found += [(columns - {each}, each) for each in columns]
    return found


def _implications(laws: Sequence[Relation], names: Sequence[str]) -> list[Implication]:
    """Return the implications of laws: pairs (columns, column that follows from them).

    There is one for each column that a law among numbers can be solved for.
    """
    return [
        (frozenset(map(names.index, solution.columns)), names.index(solution.column))
        for law in laws
        for solution in solutions(law)
    ]
