"""Which columns a fit sees, which stay beside it, and which others give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gramian.cli._errors import CommandError
from gramian.models import TYPES, Beside
from gramian.tables import Clock, SomeColumns, Table, is_date, is_text, pyarrow

EMPTY = "no value in any row"
TEXT = "text"


@dataclass(frozen=True)
class Division:
    """The columns of a table, divided."""

    features: tuple[str, ...]
    """Those of the fit: numbers and dates."""
    beside: Beside = field(default_factory=Beside)
    clocks: dict[str, Clock] = field(default_factory=dict)
    """How dates become numbers."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Columns that play no part, and why."""
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For columns that others give, those that could be given in their place."""

    @property
    def needed(self) -> list[str]:
        """The columns of the fit from which others follow."""
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
        Whether columns that are no numbers may stay beside the fit: in a selection.
    numbers_stay : bool
        Whether numbers that others follow from are kept, or computed exactly.
    encode : bool
        Whether text becomes numbers.
    keep, prefer : sequences of str
        Columns that must be kept, and those that are kept rather than others.
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
    from gramian.laws import level_laws_of

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
    # What is given may be needed by another lookup that is not made use of.
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
        Those without a value, all of them of the fit.
    """
    features = tuple(name for name in division.features if name not in empty)
    if not features:
        raise CommandError("no column has any value: there is nothing to fit")
    order = tuple(name for name in division.beside.order if name not in empty)
    return replace(
        division,
        features=features,
        beside=replace(division.beside, order=order),
        clocks={name: each for name, each in division.clocks.items() if name not in empty},
        set_aside=division.set_aside | dict.fromkeys(empty, EMPTY),
    )
