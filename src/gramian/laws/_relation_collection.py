"""Collection of all laws that were found in a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np

from gramian._support.display import data_frame, html_table
from gramian._support.types import Array
from gramian.formulas import number
from gramian.laws._any_law import AnyLaw, names_units, solutions
from gramian.laws._cover import computable, exchangeable, fewest
from gramian.laws._error_chains import CLOSE, computed, drifting_column, share_missed
from gramian.laws._notes import notes_for
from gramian.laws._printed_laws import line_of, lines_of
from gramian.laws.checks import CheckResult, Checks
from gramian.laws.columns import ColumnFacts
from gramian.laws.exports import ColumnKind, Dialect, columns_as_sql, rounded_as_columns
from gramian.laws.forms import ColumnLaw, Relation


@dataclass(frozen=True)
class Relations(Sequence[AnyLaw]):
    """The laws of a table: exact laws first, then noisy laws; laws with few columns come first.

    Attributes
    ----------
    relations : tuple of Relation, Dependency or SlopeLaw
        The laws. The collection itself is a sequence of laws.
    feature_names : tuple of str
        The columns of the table.
    n_rows : int
        The number of rows of the table.
    complete : bool
        True if the search was finished; False if the time limit stopped it.
    notes : tuple of str
        Remarks for the user: the columns that were not searched, with the reasons, and the units
        of dates.
    facts : tuple of ColumnFacts
        The types of the columns, their decimals, and the labels of text columns that have few.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> rng = np.random.default_rng(0)
    >>> U, I, t = rng.uniform(1, 5, (3, 200))
    >>> X = np.column_stack([U, I, t, 0.001 * U * I, 1.8 * t + 32])
    >>> found = gramian.relations(X, ["U", "I", "celsius", "P", "fahrenheit"])
    >>> print(found)
    fahrenheit = 1.8 · celsius + 32
    P = 0.001 · U · I
    >>> for solution in found.redundant(keep=["fahrenheit"]).values():
    ...     print(solution)
    celsius = 5/9 · fahrenheit − 160/9
    P = 0.001 · U · I
    """

    relations: tuple[AnyLaw, ...]
    feature_names: tuple[str, ...]
    n_rows: int
    complete: bool = True
    notes: tuple[str, ...] = ()
    facts: tuple[ColumnFacts, ...] = field(default=(), repr=False, compare=False)
    _rows: Mapping[str, Array] = field(default_factory=dict, repr=False, compare=False)
    """Numeric columns in some rows of the table; `redundant` estimates errors on these rows."""

    @overload
    def __getitem__(self, index: int) -> AnyLaw: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AnyLaw]: ...
    def __getitem__(self, index: int | slice) -> AnyLaw | Sequence[AnyLaw]:
        """Return the law at a position, or several laws for a slice."""
        return self.relations[index]

    def __len__(self) -> int:
        return len(self.relations)

    def __str__(self) -> str:
        return "\n".join(self._lines([line_of(each) for each in self]))

    @property
    def in_groups(self) -> str:
        """The printed laws, and if they are more than eight, in groups with headings."""
        return "\n".join(self._lines([*lines_of(self, self.facts)]))

    def _lines(self, lines: list[str]) -> list[str]:
        """Return the printed lines: those of the laws, and what is to be said about the search."""
        if not lines:
            lines = [f"No law was found among {len(self.feature_names)} columns."]
        if not self.complete:
            lines.append("The time limit stopped the search: there may be more.")
        return [*lines, *notes_for(self.notes, self, self.n_rows)]

    def __repr__(self) -> str:
        return f"<{len(self)} relations among {len(self.feature_names)} columns>"

    def of(self, column: str) -> list[AnyLaw]:
        """Return the laws in which a column occurs.

        Parameters
        ----------
        column : str
            The name of the column.
        """
        return [each for each in self if column in each.columns]

    def redundant(
        self,
        keep: Collection[str] = (),
        prefer: Sequence[str] = (),
        refused: Collection[str] = (),
    ) -> dict[str, ColumnLaw]:
        """Return columns to drop, at most one for each law, with the laws that compute them.

        Laws with exceptions drop no column, nor do numbers that name a unit of fewer than ten rows.

        Parameters
        ----------
        keep : collection of str, default=()
            Columns that must not be dropped.
        prefer : sequence of str, default=()
            Columns to keep if possible, the most important first.
        refused : collection of str, default=()
            Solved laws, as text, that must not compute their column.

        Returns
        -------
        redundant : dict from str to ColumnLaw
            The columns to drop, and the laws solved for them. Each law needs only kept columns and
            dropped columns that come before it, so the columns can be computed in this order.
        """
        self._check(keep)
        wanted = {name: len(prefer) - i for i, name in enumerate(prefer)}
        laws = [
            [one for one in solutions(relation) if str(one) not in refused]
            for relation in self
            if not relation.n_exceptions and not names_units(relation, self._rows)
        ]
        errors = {
            id(one): share_missed(computed(one, self._rows), self._rows.get(one.column))
            for law in laws
            for one in law
        }

        def error(one: ColumnLaw) -> float:
            return errors[id(one)] if errors[id(one)] > CLOSE else 0.0

        stay = {*keep}
        while True:
            found = fewest(laws, stay, lambda name: wanted.get(name, 0), error)
            lost = drifting_column(found, self._rows, error)
            if lost is None:
                return found
            stay.add(lost)

    def computable(self, keep: Collection[str]) -> dict[str, ColumnLaw]:
        """Return the columns that laws compute from kept columns, with these laws.

        Parameters
        ----------
        keep : collection of str
            The kept columns.

        Returns
        -------
        computable : dict from str to ColumnLaw
            The columns that laws compute from columns of `keep`, or from columns that come before
            them in the result. The laws compute no other columns.
        """
        self._check(keep)
        return computable(self._every_solution, keep)

    def alternatives(
        self, dropped: Collection[str], keep: Collection[str] = ()
    ) -> dict[str, tuple[str, ...]]:
        """Return for each dropped column the kept columns that could be dropped in its place.

        Parameters
        ----------
        dropped : collection of str
            Dropped columns, as `redundant` returns them.
        keep : collection of str, default=()
            Columns that must not be dropped.

        Returns
        -------
        alternatives : dict from str to tuple of str
            For each dropped column, the kept columns that could be dropped instead of it, so that
            the laws still compute all dropped columns.
        """
        self._check(keep)
        return exchangeable(self._every_solution, dropped, keep)

    @property
    def checks(self) -> Checks:
        """The laws as tests of another table, which can be stored in a file."""
        tests = tuple(check for each in self for check in each.checks)
        return Checks(tests, self.facts, self.n_rows)

    def check(self, table: Any) -> CheckResult:
        """Test the laws on another table with the same columns.

        Parameters
        ----------
        table : array, data frame, Arrow table or stream, dict, path, dataset, or Dask collection
            The table. Its columns may have another order, and there may be further columns.

        Returns
        -------
        result : CheckResult
            The laws that hold, those that break, the rows that break them, and the cells that are
            likely wrong.
        """
        return self.checks.check(table)

    def to_sql(
        self, dialect: Dialect, table: str, *, together: bool = False, maths: bool = True
    ) -> str:
        """Return SQL that finds the rows of a table which break laws: `checks.to_sql`.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgresql"}
            The database.
        table : str
            The name of the table; a dot separates it from its schema.
        together : bool, default=False
            True for one statement with all laws.
        maths : bool, default=True
            False if the database has no functions such as `sqrt` and `exp`.
        """
        return self.checks.to_sql(dialect, table, together=together, maths=maths)

    def columns_to_sql(
        self,
        dialect: Dialect,
        table: str,
        *,
        keep: Collection[str] = (),
        kind: ColumnKind = "view",
        view: str | None = None,
        maths: bool = True,
    ) -> str:
        """Return SQL that computes the columns of `redundant` again, rounded as they were.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgresql"}
            The database.
        table : str
            The name of the table without these columns; a dot separates it from its schema.
        keep : collection of str, default=()
            Columns that the table has, and that are not computed.
        kind : {"view", "generated"}, default="view"
            A view of the table with these columns, or generated columns, which are added to the
            table. DuckDB cannot add generated columns.
        view : str, optional
            The name of the view; by default that of the table, and "_with_columns".
        maths : bool, default=True
            False if the database has no functions such as `sqrt` and `exp`.
        """
        laws = rounded_as_columns(self.redundant(keep).values(), self.facts, self._rows)
        return columns_as_sql(laws, self.facts, dialect, table, kind, view, maths)

    def allowing(self, share: float) -> Relations:
        """Return the same laws, with those counted as exact that few rows break.

        Parameters
        ----------
        share : float
            The largest share of the rows that may break such a law.
        """
        laws = [
            replace(each, n_exceptions=0) if each.n_exceptions <= share * each.n_rows else each
            for each in self
        ]
        return replace(self, relations=tuple(laws))

    def of_numbers(self, names: Sequence[str]) -> Relations:
        """Return the laws among the numbers of some columns, in which dates are numbers, too.

        Parameters
        ----------
        names : sequence of str
            The columns.
        """
        laws = [
            replace(each, _clocks={})
            for each in self
            if isinstance(each, Relation) and {*each.columns} <= {*names}
        ]
        rows = {name: self._rows[name] for name in names if name in self._rows}
        facts = tuple(each for each in self.facts if each.name in names)
        return replace(
            self, relations=tuple(laws), feature_names=tuple(names), facts=facts, _rows=rows
        )

    def corrected(self) -> Relations:
        """Return the laws as if the cells that break them were corrected: none has exceptions."""
        whole = self.allowing(1.0)
        n_rows = len(next(iter(self._rows.values()), ()))
        obey = np.ones(n_rows, dtype=bool)
        for check in (check for each in self if each.n_exceptions for check in each.checks):
            law = check.law
            alone = not (isinstance(law, ColumnLaw) and law.looks_back)
            if alone and {*check.columns} <= {*self._rows}:
                obey &= ~check.outcome(self._rows).broken
        return replace(whole, _rows={name: column[obey] for name, column in self._rows.items()})

    @property
    def _every_solution(self) -> list[ColumnLaw]:
        whole = [relation for relation in self if not relation.n_exceptions]
        return [each for relation in whole for each in solutions(relation)]

    def _check(self, keep: Collection[str]) -> None:
        missing = [name for name in keep if name not in self.feature_names]
        if missing:
            raise ValueError(f"keep names {missing[0]!r}, which is no column of the table.")

    @property
    def table(self) -> list[dict[str, Any]]:
        """The laws as a list of dictionaries, with the law as text, its kind and its errors.

        Each dictionary has the same keys, which are attributes of the laws. Laws of levels have no
        `r2` and no `typical_error`: these are None.
        """
        return [
            {
                "law": str(each),
                "kind": each.kind,
                "columns": list(each.columns),
                "gives": each.gives,
                "exact": each.exact,
                "error": each.error,
                "validation_error": each.validation_error,
                "shuffled_error": each.shuffled_error,
                "evidence": each.evidence,
                "rounding": each.rounding,
                "n_rows": each.n_rows,
                "n_exceptions": each.n_exceptions,
                "share": each.share,
                "r2": each.r2 if isinstance(each, Relation) else None,
                "typical_error": each.typical_error if isinstance(each, Relation) else None,
            }
            for each in self
        ]

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each law."""
        return data_frame(self.table)

    def latex(self) -> str:
        """Return all laws in LaTeX, one below the other."""
        equations = [each.latex().replace(" = ", " &= ", 1) for each in self]
        return "\\begin{aligned}\n" + " \\\\\n".join(equations) + "\n\\end{aligned}"

    def sympy(self) -> list[Any]:
        """Return a list of all laws as SymPy's Eq."""
        return [each.sympy() for each in self]

    def _repr_html_(self) -> str:
        rows = [
            (str(each), each.kind, number(each.error, 2), number(each.validation_error, 2))
            for each in self
        ]
        return html_table(("law", "kind", "error", "held out"), rows)
