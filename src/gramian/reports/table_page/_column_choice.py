"""The columns that can go, the laws that compute them, and the columns that could go instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gramian.formulas import number
from gramian.laws import AnyLaw, CheckResult, ColumnLaw, Relation, Relations
from gramian.reports.table_page._returned_values import Missed, missed_values
from gramian.reports.table_page._shown_cells import rounded_up
from gramian.tables import Table

Status = Literal["exact", "broken", "noisy"]
ALL_DIGITS = 99
"""Number of decimals by which columns with all digits are sorted: last."""
MAX_TRIES = 6
"""Largest number of times that laws which miss values are replaced by others."""
RETURNED: dict[Status, str] = {
    "exact": "every value",
    "broken": "every value, after correction",
    "noisy": "values up to an error",
}
"""What comes back of a column that a law computes, in words."""
MAX_EXCHANGES = 24
"""Largest number of columns for which the page says what changes if they are kept."""
MAX_WORK = 1_500
"""Largest product of this number and the number of columns of the table."""


@dataclass(frozen=True)
class ComputedColumn:
    """A column that a law computes from other columns."""

    name: str
    law: str
    """The law, solved for the column."""
    causes: tuple[str, ...]
    """The columns from which the law computes it."""
    status: Status
    """"exact" if the law gives every value, "broken" if rows break it or a law before it, "noisy"
    if it gives values up to an error."""
    entries: tuple[tuple[str, str], ...] = ()
    """For a lookup, pairs of a level and the value for it."""
    missed: Missed | None = None
    """The cells that do not come back, and the errors; None if this is not known."""

    @property
    def comes_back(self) -> str:
        """What comes back of the column, in words."""
        said = RETURNED[self.status]
        return f"{said}, {self.error}" if self.status == "noisy" and self.error else said

    @property
    def error(self) -> str:
        """The typical and the largest error of the values that come back; empty if not known."""
        missed = self.missed
        if missed is None or not missed.n:
            return ""
        if missed.typical is None or missed.largest is None:
            return f"{missed.n:,} of {missed.n_compared:,} differ"
        unit = missed.unit
        return f"typically {number(missed.typical, 2)}, at most {rounded_up(missed.largest)}{unit}"


@dataclass(frozen=True)
class Exchange:
    """What changes if a computed column is kept."""

    keep: str
    instead: tuple[str, ...]
    """The columns that can go instead; empty if no other column can."""
    laws: tuple[str, ...]
    """The laws that then compute columns, of those that differ."""
    kept: tuple[str, ...]
    """The columns that are then kept."""


@dataclass(frozen=True)
class ColumnChoice:
    """A smallest set of columns from which laws compute the others."""

    base: tuple[str, ...]
    """The columns that are kept, in the order of the table."""
    computed: tuple[ComputedColumn, ...]
    """The others, in the order in which the laws compute them."""
    exchanges: tuple[Exchange, ...]

    def of(self, status: Status) -> list[str]:
        """Return the computed columns of a status."""
        return [each.name for each in self.computed if each.status == status]


def chosen_columns(
    found: Relations, result: CheckResult, keep: Collection[str], table: Table
) -> ColumnChoice:
    """Choose the columns to keep, by the laws of a table.

    Rows that break a law do not keep its column: its status says that they must be corrected first.

    Parameters
    ----------
    found : Relations
        The laws.
    result : CheckResult
        The check of the table against them.
    keep : collection of str
        Columns that are kept in any case.
    table : Table
        The table; values that the laws compute are compared with its cells.
    """
    whole, prefer = found.corrected(), _plain_columns(found)
    laws, missed = _giving_values(whole, keep, prefer, table, result)
    broken = {each.law for each in result.laws if each.n_broken}
    computed = _computed(laws, found, broken, missed)
    n_exchanges = min(MAX_EXCHANGES, MAX_WORK // len(found.feature_names))
    exchangeable = whole.alternatives(laws, keep)
    exchanges = [
        _exchange(name, laws, whole.redundant([*keep, name], prefer), found.feature_names)
        for name in [name for name in laws if exchangeable.get(name)][:n_exchanges]
    ]
    return ColumnChoice(
        tuple(name for name in found.feature_names if name not in laws),
        tuple(computed),
        tuple(each for each in exchanges if each.instead),
    )


def _giving_values(
    whole: Relations,
    keep: Collection[str],
    prefer: Sequence[str],
    table: Table,
    result: CheckResult,
) -> tuple[dict[str, ColumnLaw], dict[str, Missed]]:
    """Return the laws that compute columns, and the values that they do not give.

    A law that misses values is replaced by others, as long as as many columns are computed.

    Parameters
    ----------
    whole : Relations
        The laws, without exceptions.
    keep, prefer : sequence of str
        The parameters of `Relations.redundant`.
    table : Table
        The table.
    result : CheckResult
        The check of the table against the laws.
    """
    laws, refused = whole.redundant(keep, prefer), set[str]()
    missed = missed_values(laws, whole.facts, table, result.rows)
    for _ in range(MAX_TRIES):
        refused |= {str(laws[name]) for name, each in missed.items() if each.n}
        others = whole.redundant(keep, prefer, refused)
        if len(others) < len(laws):
            break
        now = missed_values(others, whole.facts, table, result.rows)
        if _n_lossy(now) >= _n_lossy(missed):
            break
        laws, missed = others, now
    return laws, missed


def _n_lossy(missed: Mapping[str, Missed]) -> int:
    """Return the number of columns of which a value does not come back."""
    return sum(each.n > 0 for each in missed.values())


def _plain_columns(found: Relations) -> list[str]:
    """Return the columns that people rather keep: those that no law gives, short numbers first."""
    decimals = {each.name: each.decimals for each in found.facts if each.type == "number"}
    one_way = [each.checks for each in found if len(each.checks) == 1]
    given = {check.column for (check,) in one_way}
    names = [name for name in found.feature_names if name not in given]

    def length(name: str) -> int:
        places = decimals.get(name, 0)
        return ALL_DIGITS if places is None else places

    return sorted(names, key=length)


def _computed(
    laws: Mapping[str, ColumnLaw],
    found: Relations,
    broken: Collection[str],
    missed: Mapping[str, Missed],
) -> list[ComputedColumn]:
    """Return the computed columns with their status: the worst of their law and its causes.

    Parameters
    ----------
    laws : mapping from str to ColumnLaw
        The laws, by the column that they compute, in the order of computation.
    found : Relations
        The laws as they were found.
    broken : collection of str
        The laws, as text, that rows break.
    missed : mapping from str to Missed
        For each column the values that its law does not give in other rows.
    """
    status = dict[str, Status]()
    for name, law in laws.items():
        lossy = name in missed and missed[name].n > 0
        own: Status = "noisy" if lossy else _status(law, found, broken)
        before = [status[cause] for cause in law.columns if cause in status]
        status[name] = max([own, *before], key=("exact", "broken", "noisy").index)
    return [
        ComputedColumn(
            name, str(law), law.columns, status[name], tuple(law.entries()), missed.get(name)
        )
        for name, law in laws.items()
    ]


def _status(law: ColumnLaw, found: Relations, broken: Collection[str]) -> Status:
    """Return the status of a law that was solved for a column."""
    for each in found:
        if {law.column, *law.columns} == {*each.columns} and _solves(each, law):
            if isinstance(each, Relation) and each.typical_error:
                return "noisy"
            return "broken" if any(one.text in broken for one in each.checks) else "exact"
    return "noisy"


def _solves(law: AnyLaw, solved: ColumnLaw) -> bool:
    """Return True if a law, solved for the column, is the solved law."""
    try:
        return str(law.solve_for(solved.column)) == str(solved)
    except ValueError:
        return False


def _exchange(
    name: str,
    laws: Mapping[str, ColumnLaw],
    others: Mapping[str, ColumnLaw],
    names: tuple[str, ...],
) -> Exchange:
    """Return what changes if a column is kept.

    Parameters
    ----------
    name : str
        The column.
    laws, others : mapping from str to ColumnLaw
        The laws that compute columns without the change and with it, by column.
    names : tuple of str
        All columns of the table.
    """
    before = {str(each) for each in laws.values()}
    return Exchange(
        name,
        tuple(each for each in others if each not in laws),
        tuple(str(each) for each in others.values() if str(each) not in before),
        tuple(each for each in names if each not in others),
    )
