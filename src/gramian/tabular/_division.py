"""Division of columns: columns of the fit, text columns, and columns that laws of levels give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gramian.laws import level_laws_of
from gramian.models import TYPES, Beside
from gramian.tables import Clock, SomeColumns, Table, is_date, is_text, pyarrow
from gramian.tabular._messages import UnusableTableError

EMPTY = "no value in any row"
TEXT = "text"
CONSTANT = "constant"


@dataclass(frozen=True)
class Division:
    """The columns of a table, divided."""

    features: tuple[str, ...]
    """Columns of the fit: numbers and dates."""
    beside: Beside = field(default_factory=Beside)
    clocks: dict[str, Clock] = field(default_factory=dict)
    """From a column of dates to the clock that makes numbers of its dates."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """From a column that plays no part to the reason."""
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """From a column that a law of levels gives to columns that could be given in its place."""

    @property
    def needed(self) -> list[str]:
        """The columns of the fit that laws of levels use."""
        causes = {name for lookup in self.beside.lookups for name in lookup.columns}
        return [name for name in self.features if name in causes]


def divide(
    table: Table,
    features: Sequence[str],
    *,
    beside: bool,
    numbers_stay: bool,
    encode: bool,
    keep: Sequence[str],
    prefer: Sequence[str],
) -> Division:
    """Divide the columns that a user chose.

    Parameters
    ----------
    table : Table
        The table.
    features : sequence of str
        The columns.
    beside : bool
        True if text may stay beside the fit, as in a selection.
    numbers_stay : bool
        True if the fit keeps the numbers that laws of levels use, or computes them exactly.
    encode : bool
        True if text becomes numbers.
    keep, prefer : sequences of str
        Columns that must be kept, and columns that are kept rather than others.
    """
    kinds = table.columns
    text = [name for name in features if is_text(kinds[name]) and not encode]
    dates = [name for name in features if is_date(kinds[name])]
    empty = [name for name in features if pyarrow().types.is_null(kinds[name])]
    set_aside = dict.fromkeys(empty if len(empty) < len(features) else [], EMPTY)
    if not beside:
        set_aside |= dict.fromkeys(text, TEXT)
    order = [name for name in features if name not in set_aside]
    if not text and not dates:
        return Division(tuple(order), set_aside=set_aside)
    chosen = SomeColumns(table, order or list(features))
    found, clocks = level_laws_of(chosen)
    if not beside:
        return Division(tuple(order), clocks=clocks, set_aside=set_aside)
    keep = [name for name in keep if name in order]
    solutions = found.redundant(keep=keep, prefer=[name for name in prefer if name in order])
    numbers = {name for name in order if name not in text}
    lookups = [
        each
        for each in solutions.values()
        if (
            each.column in text
            or not numbers.issuperset(each.columns)
            or {*dates} & {each.column, *each.columns}
        )
        and (numbers_stay or not numbers & {*each.columns})
    ]
    given = {each.column for each in lookups}
    # Only used laws count: a number stays in the fit if the law that gives it is not used.
    inner = tuple(name for name in order if name in numbers and name not in given)
    labels = tuple(name for name in text if name not in given)
    types = {name: str(kinds[name]) for name in order if name in given}
    types = {name: each for name, each in types.items() if each in TYPES}
    others = Beside(tuple(order), labels, tuple(lookups), types) if labels or lookups else Beside()
    kept = {name: clock for name, clock in clocks.items() if name in inner}
    return Division(inner, others, kept, set_aside, found.alternatives(given, keep))


def without_empty(division: Division, empty: Sequence[str]) -> Division:
    """Set columns aside that turned out to have no value.

    Parameters
    ----------
    division : Division
        The columns.
    empty : sequence of str
        Columns of the fit that have no value.
    """
    features = tuple(name for name in division.features if name not in empty)
    if not features:
        raise UnusableTableError("no column has any value: there is nothing to fit")
    order = tuple(name for name in division.beside.order if name not in empty)
    return replace(
        division,
        features=features,
        beside=replace(division.beside, order=order),
        clocks={name: each for name, each in division.clocks.items() if name not in empty},
        set_aside=division.set_aside | dict.fromkeys(empty, EMPTY),
    )
