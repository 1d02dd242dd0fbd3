"""Laws that drop columns of a mixed table before the fit, because text or dates determine them.

If such a law drops a number, laws among numbers may need this number. So all laws of the table are
then chosen together, and the fit gets the numbers that no law computes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gramian.fitting import NearLaw
from gramian.laws import (
    ColumnLaw,
    Relation,
    Relations,
    best_rounding,
    first_missed,
    printed_columns,
    solutions,
)
from gramian.tables import SomeColumns, Table, pyarrow, type_texts
from gramian.tabular._returned_cells import cells_missed_by_lookups


@dataclass(frozen=True)
class MixedColumns:
    """The columns of a table with text or dates, and what the user wants of them."""

    table: Table
    chosen: SomeColumns
    """The columns that the user chose, without those that are set aside."""
    order: Sequence[str]
    """The names of these columns."""
    text: Collection[str]
    """Columns that are kept or looked up as text."""
    dates: Collection[str]
    keep: Sequence[str]
    """Columns that must be kept."""
    prefer: Sequence[str]
    """Columns to keep rather than others if there is a choice."""
    numbers_stay: bool
    """True if the fit keeps the number columns that laws need, or computes them exactly."""
    exceptions: float
    """Largest share of the rows that may break a law which drops a column."""

    @property
    def numbers(self) -> set[str]:
        """Columns of numbers and dates."""
        return {name for name in self.order if name not in self.text}

    def is_of_levels(self, law: ColumnLaw) -> bool:
        """Return True if a law concerns text or dates."""
        columns = {law.column, *law.columns}
        of_numbers = self.numbers.issuperset(columns)
        return not of_numbers or bool(columns.intersection(self.dates))

    def is_used(self, law: ColumnLaw) -> bool:
        """Return True if a law of text or dates may compute a column before the fit."""
        return self.is_of_levels(law) and (
            self.numbers_stay or not self.numbers.intersection(law.columns)
        )


@dataclass(frozen=True)
class LawsBeforeFit:
    """Laws that compute columns before the fit, and facts about them."""

    laws: tuple[ColumnLaw, ...] = ()
    """The laws, in the order of computation."""
    types: Mapping[str, str] = field(default_factory=dict)
    """From the name of a computed column to the text of its type."""
    near: tuple[NearLaw, ...] = ()
    """Laws with exceptions."""
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """From a computed column to the kept columns that could be computed in its place."""
    needless: ColumnLaw | None = None
    """The law of a column that is kept only because there is no other column for the fit."""

    @property
    def given(self) -> set[str]:
        """The columns that the laws compute."""
        return {each.column for each in self.laws}


def laws_before_fit(columns: MixedColumns, found: Relations) -> LawsBeforeFit:
    """Choose the laws that compute columns before the fit; each gives every cell of its column.

    Parameters
    ----------
    columns : MixedColumns
        The columns.
    found : Relations
        The laws of the columns, or their laws of levels only.
    """
    levels = tuple(law for law in found if not isinstance(law, Relation))
    made = _chosen(columns, replace(found, relations=levels), joint=False)
    if len(levels) == len(found) or not made.given & columns.numbers:
        return made
    return _chosen(columns, found, joint=True)


def _chosen(columns: MixedColumns, found: Relations, *, joint: bool) -> LawsBeforeFit:
    """Choose among laws; with `joint`, laws among numbers compute columns, too."""
    table, kinds = columns.table, columns.table.columns
    is_number = (pyarrow().types.is_floating, pyarrow().types.is_integer)
    computed = {one.column for law in found for one in solutions(law)} - {*columns.text}
    floating, whole = ({name for name in computed if each(kinds[name])} for each in is_number)
    printed = printed_columns(columns.chosen, floating | whole) if computed else {}
    compared = {name: each for name, each in printed.items() if name in floating}
    all_types = type_texts(table)

    def rounded(laws: Mapping[str, ColumnLaw], half_up: Collection[str]) -> dict[str, ColumnLaw]:
        return {
            name: law.rounded_to(printed[name].rounding(half_up=name in half_up))
            if name in printed
            else law
            for name, law in laws.items()
        }

    def types_of(names: Collection[str]) -> dict[str, str]:
        return {name: each for name, each in all_types.items() if name in names}

    # The fit recognizes constant columns, and dates that follow from numbers.
    every = [one for law in found for one in solutions(law)] if joint else []
    in_fit = (one for one in every if one.column in columns.dates and not one.gives_dates)
    refused = {str(one) for one in (*in_fit, *(one for one in every if not one.columns))}
    wanted = [name for name in columns.prefer if name in columns.order]
    needless: ColumnLaw | None = None
    while True:
        redundant = found.redundant(columns.keep, wanted, refused)
        laws = {n: law for n, law in redundant.items() if joint or columns.is_used(law)}

        def missed_by(half_up: set[str], laws: Mapping[str, ColumnLaw] = laws) -> dict[str, int]:
            made = [*rounded(laws, half_up).values()]
            return cells_missed_by_lookups(table, made, types_of(laws), [*columns.text], compared)

        half_up, n_wrong = best_rounding(laws, missed_by)
        missed = first_missed(laws, n_wrong, columns.exceptions * found.n_rows)
        if not missed and columns.numbers and columns.numbers <= laws.keys():
            needless = next(law for name, law in laws.items() if name in columns.numbers)
            missed = [needless.column]  # a fit needs a column
        if not missed:
            break
        refused |= {str(laws[name]) for name in missed}
    if needless is not None and not laws.keys().isdisjoint(needless.columns):
        needless = None  # the column is kept in place of another
    lost = [
        NearLaw(law.column, law.text, n_wrong[name], found.n_rows, dropped=True)
        for name, law in laws.items()
        if n_wrong[name]
    ]
    near = [
        NearLaw(law.column, law.text, one.n_exceptions, one.n_rows)
        for one in found
        for law in [*solutions(one)][:1]
        if one.n_exceptions
        and law.column not in laws
        and (columns.is_used(law) or (joint and not laws.keys().isdisjoint(law.columns)))
    ]
    return LawsBeforeFit(
        tuple(rounded(laws, half_up).values()),
        types_of(laws),
        (*lost, *near),
        found.alternatives(laws, columns.keep),
        needless,
    )
