"""Study of a table: all facts that a page about it shows, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gramian.laws import CheckResult, Comparison, Relations, relations
from gramian.reports.table_page._column_choice import ColumnChoice, chosen_columns
from gramian.reports.table_page._few_columns import FewColumns, few_columns
from gramian.reports.table_page._law_entries import LawsOfTable, checked_laws
from gramian.reports.table_page._reading_notes import ReadingNotes, reading_notes
from gramian.reports.table_page._row_names import row_names
from gramian.reports.table_page._shown_cells import RowNumbers
from gramian.tables import SomeColumns, Table, is_usable
from gramian.tabular import Names, UnusableTableError, column_of_groups, find, labels_in

IN_MEMORY = "the table"
"""The name of a table in memory."""


@dataclass(frozen=True)
class TableStudy:
    """All facts about a table that a page shows."""

    name: str
    """The name of the table, such as that of its file."""
    names: tuple[str, ...]
    """The columns that were studied."""
    n_rows: int
    laws: LawsOfTable
    choice: ColumnChoice
    few: FewColumns | None
    notes: ReadingNotes
    numbers: RowNumbers
    against: Comparison | None
    older: str | None
    """The name of the older table with which this one is compared."""
    n_older_rows: int
    """The number of its rows; 0 without an older table."""

    @property
    def result(self) -> CheckResult:
        """The check of the rows of the table."""
        return self.laws.result

    @property
    def found(self) -> Relations:
        """The laws of the table."""
        return self.laws.found


@dataclass(frozen=True)
class PageWishes:
    """What the user wants of a page: which columns are looked at, and which are kept."""

    columns: Names = None
    """Columns to look at; None for all."""
    exclude: Names = None
    """Columns to leave out."""
    keep: Names = None
    """Columns that are never among those that can go."""
    groups: Any = None
    """The parameter of `relations`: a column of labels, or a label for each row."""

    def names(self, table: Table) -> list[str]:
        """Return the columns of a table to look at: those of numbers, text or dates."""
        kinds = table.columns
        every = list(kinds)
        left_out = find(self.exclude, every, "exclude")
        chosen = find(self.columns, every, "columns") if self.columns is not None else every
        names = [each for each in every if each in chosen and each not in left_out]
        usable = [name for name in names if is_usable(kinds[name])]
        if not usable:
            raise UnusableTableError(
                "{table} has no column of numbers, text or dates to look at", table=table.name
            )
        return usable


def studied(
    table: Table, wishes: PageWishes, *, older: Table | None = None, verbose: int = 0
) -> TableStudy:
    """Search the laws of a table once, and collect all facts for a page about it.

    Parameters
    ----------
    table : Table
        The table.
    wishes : PageWishes
        What the user wants of the page.
    older : Table, optional
        Another table with which this one is compared.
    verbose : int, default=0
        1 to show the progress of the search on standard error.
    """
    names = wishes.names(table)
    keep = find(wishes.keep, names, "keep")
    by = column_of_groups(wishes.groups, list(table.columns))
    groups = labels_in(table, by) if isinstance(by, str) else by
    some = SomeColumns(table, names)
    found = relations(some, groups=groups, verbose=verbose)
    laws = checked_laws(some, found)
    comparison, n_older_rows = (None, 0) if older is None else _compared(older, some, laws.found)
    return TableStudy(
        table.name,
        tuple(names),
        laws.result.n_rows,
        laws,
        chosen_columns(laws.found, laws.result, keep, some),
        few_columns(some, names, laws.result.rows),
        reading_notes(table, names, found),
        _row_numbers(table, laws.result.n_rows),
        comparison,
        None if older is None else older.name,
        n_older_rows,
    )


def _row_numbers(table: Table, n_rows: int) -> RowNumbers:
    """Return how the page counts rows, and the column that names them if there is one."""
    numbers, found = RowNumbers.of(table), row_names(table, [*table.columns], n_rows)
    return numbers if found is None else replace(numbers, key=found[0], names=found[1])


def _compared(older: Table, table: Table, found: Relations) -> tuple[Comparison, int]:
    """Compare a table, whose laws are known, with an older one; return also the older's rows."""
    before = relations(older)
    known = {each.text for each in before.checks}
    new = found.checks.without(known).check(older)
    result = before.checks.check(table)
    own = tuple(each for each in new.laws if not each.holds)
    return Comparison(result, own), before.n_rows
