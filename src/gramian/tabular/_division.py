"""Division of the columns of a table before a fit, by what happens to each column.

Columns of numbers and dates go to the fit. Text columns are kept without a fit, or dropped because
a law of levels computes them. Columns that are empty or not usable are set aside.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from gramian.fitting import NearLaw
from gramian.laws import ColumnLaw, clocks_of_table
from gramian.models import Beside
from gramian.tables import Clock, SomeColumns, Table, is_date, is_text, pyarrow
from gramian.tabular._column_checks import constant_columns
from gramian.tabular._laws_before_fit import MixedColumns, laws_before_fit
from gramian.tabular._laws_of_table import LawsOfTable
from gramian.tabular._messages import UnusableTableError

EMPTY = "no value in any row"
"""Reason why a column is set aside: all its cells are missing."""
CODES = "whole numbers beyond 2⁵³"
"""Reason why a column is set aside: floats cannot hold its numbers, and the result has components,
not columns."""
DIGITS = "decimals with more digits than floats hold"
"""Reason why a column is set aside: floats cannot tell its decimals apart, and the result has
components, not columns."""
TEXT = "text"
"""Reason why a column is set aside: it is text, and the result has components, not columns."""
CONSTANT = "constant"
"""Reason why a column is set aside: all its values are equal."""


@dataclass(frozen=True)
class Division:
    """Result of `divide`: the columns of a table, by what happens to each column."""

    features: tuple[str, ...]
    """Columns that go to the fit: numbers, dates, and text that is encoded as numbers."""
    beside: Beside = field(default_factory=Beside)
    """Text columns that are kept without a fit, and columns that laws of levels compute."""
    clocks: dict[str, Clock] = field(default_factory=dict)
    """From the name of each date column to the clock that turns its dates into numbers."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """From the name of each column that is ignored to the reason: `EMPTY`, `TEXT` or `CONSTANT`."""
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """From the name of each column that a law of levels computes to the kept columns that could be
    dropped and computed in its place."""
    near: tuple[NearLaw, ...] = ()
    """Laws of levels with exceptions, which drop no column, or drop it as the user allows."""
    needless: ColumnLaw | None = None
    """The law of a column that is kept only because there is no other column for the fit."""

    @property
    def needed(self) -> list[str]:
        """Columns of the fit from which laws compute other columns, or would but for exceptions."""
        causes = {name for lookup in self.beside.lookups for name in lookup.columns}
        causes |= {each.column for each in self.near}
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
    laws: LawsOfTable,
    fixed: Collection[str] = (),
    exceptions: float = 0.0,
) -> Division:
    """Divide the columns that the user chose into columns of the fit and other columns.

    Parameters
    ----------
    table : Table
        The table.
    features : sequence of str
        Names of the columns that the user chose.
    beside : bool
        True to keep text columns without a fit, and to use laws of levels, as in a selection of
        columns; False to set text columns aside.
    numbers_stay : bool
        True if the fit keeps the number columns that laws of levels need, or computes them exactly.
        If False, laws of levels that need number columns are not used.
    encode : bool
        True if text columns are turned into numbers of categories.
    keep, prefer : sequences of str
        Columns that must be kept, and columns to keep rather than others if there is a choice.
    laws : LawsOfTable
        The laws of the table.
    fixed : collection of str
        Columns that are kept as they are, as text is, because no number tells their cells apart.
    exceptions : float, default=0.0
        Largest share of the rows that may break a law of levels which drops a column.
    """
    kinds, is_timestamp = table.columns, pyarrow().types.is_timestamp
    is_integer = pyarrow().types.is_integer
    keep = [*keep, *fixed]
    fixed = {*constant_columns(table, keep), *fixed} | (table.codes & {*features})
    text = [name for name in features if name in fixed or (is_text(kinds[name]) and not encode)]
    dates = [name for name in features if is_date(kinds[name]) and name not in fixed]
    empty = [
        name for name in features if pyarrow().types.is_null(kinds[name]) and name not in fixed
    ]
    set_aside = dict.fromkeys(empty if len(empty) < len(features) else [], EMPTY)
    if not beside:
        set_aside |= dict.fromkeys(text, TEXT)
        set_aside |= {n: CODES if is_integer(kinds[n]) else DIGITS for n in table.codes & {*text}}
    order = [name for name in features if name not in set_aside]
    if not text and not dates:
        return Division(tuple(order), set_aside=set_aside)
    chosen = SomeColumns(table, order or list(features))
    if not beside:
        return Division(tuple(order), clocks=clocks_of_table(chosen), set_aside=set_aside)
    found, clocks = laws.among(chosen)
    found = found.allowing(exceptions)
    # A lookup would not give the word NA back, which may be a country and not a gap, would not
    # spell times as the text of a data frame does, and loses offsets and digits.
    times = [name for name in chosen.text_dates if is_timestamp(kinds[name])]
    digits = [name for name in table.codes if not is_integer(kinds[name])]
    held = {*keep, *chosen.columns_with_words, *times, *table.without_zone, *digits}
    keep = [name for name in order if name in held]
    columns = MixedColumns(
        table, chosen, order, text, dates, keep, prefer, numbers_stay, exceptions
    )
    made = laws_before_fit(columns, found)
    # A number column leaves the fit only if a law that is used computes it.
    inner = tuple(name for name in order if name not in text and name not in made.given)
    labels = tuple(name for name in text if name not in made.given)
    others = Beside()
    if labels or made.laws:
        others = Beside(tuple(order), labels, made.laws, dict(made.types))
    kept = {name: clock for name, clock in clocks.items() if name in inner}
    alternatives = dict(made.alternatives)
    return Division(inner, others, kept, set_aside, alternatives, made.near, made.needless)


def without_empty(division: Division, empty: Sequence[str]) -> Division:
    """Return the division with columns that have no value moved from the fit to `set_aside`.

    Parameters
    ----------
    division : Division
        The division before.
    empty : sequence of str
        Names of columns of the fit in which all cells are missing.
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
