"""Checks: the laws of a table as tests of other tables, and the file laws.json that stores them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from gramian.exceptions import LawsFileError
from gramian.laws.checks._broken_rows import BrokenRow, broken_rows
from gramian.laws.checks._check_result import CheckResult
from gramian.laws.checks._checking import checked
from gramian.laws.columns import ColumnFacts
from gramian.laws.exports import (
    Backend,
    Dialect,
    checks_as_sql,
    data_contract,
    dbt_files,
    expectation_suite,
    pandera_schema,
    pytest_file,
    python_module,
    rounded_as_columns,
)
from gramian.laws.forms import ColumnLaw, LawCheck

FORMAT = "gramian laws"
VERSION = 1
KEYS = ("format", "version", "n_rows", "columns", "laws")


@dataclass(frozen=True)
class Checks(Sequence[LawCheck]):
    """The laws of a table as tests of other tables.

    Attributes
    ----------
    laws : tuple of LawCheck
        The laws, each with the error that it allows. The collection is a sequence of them.
    facts : tuple of ColumnFacts
        The columns of the table in which the laws were found.
    n_rows : int
        The number of rows of this table.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> checks = gramian.relations({"net": net, "vat": vat, "gross": (net + vat).round(2)}).checks
    >>> result = checks.check({"net": [1.0, 2.0], "vat": [0.5, 0.5], "gross": [1.5, 3.5]})
    >>> result.ok, result.rows
    (False, array([1]))
    """

    laws: tuple[LawCheck, ...]
    facts: tuple[ColumnFacts, ...] = ()
    n_rows: int = 0

    @overload
    def __getitem__(self, index: int) -> LawCheck: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[LawCheck]: ...
    def __getitem__(self, index: int | slice) -> LawCheck | Sequence[LawCheck]:
        """Return the law at a position, or several laws for a slice."""
        return self.laws[index]

    def __len__(self) -> int:
        return len(self.laws)

    def __iter__(self) -> Iterator[LawCheck]:
        return iter(self.laws)

    def __str__(self) -> str:
        return "\n".join(each.text for each in self.laws) or "There is no law."

    def check(self, table: Any, *, allow: float | None = None) -> CheckResult:
        """Test the laws on a table.

        Parameters
        ----------
        table : array, data frame, Arrow table or stream, dict, path, dataset, or Dask collection
            The table. Its columns may have another order, and there may be further columns. A table
            without names must have as many columns as the table in which the laws were found.
        allow : float, optional
            The share of the rows that may break each law; by default the share that broke it when
            it was found, and two standard errors.

        Returns
        -------
        result : CheckResult
            The laws that hold, those that break, the rows that break them, and the cells that are
            likely wrong.
        """
        if allow is not None and not 0 <= float(allow) <= 1:
            raise ValueError(f"allow must be a share between 0 and 1; got {allow!r}.")
        names = [each.name for each in self.facts]
        return checked(self.laws, self.facts, table, names, allow, self.n_rows)

    def broken_rows(
        self, table: Any, result: CheckResult, *, most: int = 20
    ) -> tuple[tuple[BrokenRow, ...], ...]:
        """Return for each law the first rows that break it, with their cells.

        Parameters
        ----------
        table : array, data frame, Arrow table, dict of columns, path, dataset, or Dask collection
            The table that was checked.
        result : CheckResult
            The result of `check`.
        most : int, default=20
            The largest number of rows of each law.
        """
        return broken_rows(self.laws, self.facts, table, result, most)

    def without(self, laws: Collection[str]) -> Checks:
        """Return the checks without some laws.

        Parameters
        ----------
        laws : collection of str
            The laws to leave out, as text.
        """
        return replace(self, laws=tuple(each for each in self.laws if each.text not in laws))

    def to_json(self) -> dict[str, Any]:
        """Return the checks as a dictionary that can be stored as JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "n_rows": self.n_rows,
            "columns": [each.to_json() for each in self.facts],
            "laws": [each.to_json() for each in self.laws],
        }

    def text(self) -> str:
        """Return the content of a file that `load_checks` reads: a JSON document."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, document: Any) -> Checks:
        """Read stored checks; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`, which people may have edited. A LawsFileError says what is
            wrong with any other document, and where.
        """
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise LawsFileError(f'it must be a JSON object with "format": "{FORMAT}"')
        version = document.get("version")
        if type(version) is not int or version != VERSION:
            raise LawsFileError(f"it has version {version!r:.40}; this gramian reads {VERSION}")
        if set(document) != set(KEYS):
            raise LawsFileError(f"it must have the keys {', '.join(KEYS)}")
        n_rows = document["n_rows"]
        if type(n_rows) is not int or n_rows < 0:
            raise LawsFileError(f"n_rows must be a whole number; got {n_rows!r:.40}")
        facts = _read_each(document["columns"], "column", ColumnFacts.from_json)
        laws = _read_each(document["laws"], "law", LawCheck.from_json)
        names = [each.name for each in facts]
        if len({*names}) < len(names):
            raise LawsFileError("two columns have one name")
        return cls(tuple(laws), tuple(facts), n_rows)

    def to_sql(
        self, dialect: Dialect, table: str, *, together: bool = False, maths: bool = True
    ) -> str:
        """Return SQL that finds the rows of a table which break laws.

        Each statement returns whole rows of the table with the value that the law gives. A law
        that the database cannot compute is left out; a comment gives the reason.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgresql"}
            The database. Dates are texts in SQLite, such as 2024-03-01.
        table : str
            The name of the table; a dot separates it from its schema.
        together : bool, default=False
            True for one statement with all laws, which adds the columns "law" and "expected".
        maths : bool, default=True
            False if the database has no functions such as `sqrt` and `exp`, as some builds of
            SQLite.
        """
        return checks_as_sql(self.laws, self.facts, dialect, table, together, maths)

    def to_python(self) -> str:
        """Return the source of a Python module that needs nothing but Python.

        Its function `check(row)` returns the laws, as texts, that a row breaks; a row is a
        dictionary. Its function `compute(row)` returns the columns that laws give, of those that
        the row does not have.
        """
        return python_module(self.laws, self._columns)

    def to_pytest(self, path: str) -> str:
        """Return the source of a pytest file with a test for each law.

        Parameters
        ----------
        path : str
            The CSV file that is tested. The file needs pytest only; its function `rows` can be
            changed to read other tables.
        """
        return pytest_file(self.laws, path)

    def to_pandera(self, backend: Backend = "pandas") -> str:
        """Return the source of a pandera schema, which tests each law row by row.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default="pandas"
            The data frames that the schema validates.
        """
        return pandera_schema(self.laws, backend)

    def to_great_expectations(self, dialect: Dialect, name: str = "laws") -> str:
        """Return a suite of Great Expectations as JSON.

        Each law is a query for unexpected rows, so the table must be in a database. A law that
        cannot be said is in the entry "left out" with its reason.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgresql"}
            The database.
        name : str, default="laws"
            The name of the suite.
        """
        return expectation_suite(self.laws, self.facts, dialect, name)

    def to_dbt(self, dialect: Dialect, model: str) -> dict[str, str]:
        """Return the files of tests for dbt: path in the project → content.

        Each law is a query that returns the rows which break it; a YAML file describes them. A law
        that some rows broke when it was found gives a warning in place of an error.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgresql"}
            The database.
        model : str
            The name of the model that is tested.
        """
        return dbt_files(self.laws, self.facts, dialect, model)

    def to_contract(self, dialect: Dialect, table: str) -> str:
        """Return a data contract as YAML, in which each law is a rule of `type: sql`.

        The contract follows the Open Data Contract Standard (ODCS) 3.0.2, which several programs
        read, among them Soda and the Data Contract CLI; Soda's own language is read by Soda alone.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgresql"}
            The database.
        table : str
            The name of the table; a dot separates it from its schema.
        """
        return data_contract(self.laws, self.facts, dialect, table, self.n_rows)

    @property
    def _columns(self) -> list[ColumnLaw]:
        """The laws that give columns, which few rows break; rounded as the columns are."""
        solved = [each.law for each in self.laws if not each.allowed_share]
        laws = [each for each in solved if isinstance(each, ColumnLaw)]
        return rounded_as_columns(laws, self.facts)


def _read_each(documents: Any, what: str, read: Any) -> list[Any]:
    """Read each entry of a list; an error names the entry by its number, from 1."""
    if not isinstance(documents, list):
        raise LawsFileError(f'"{what}s" must be a list')
    found = []
    for i, each in enumerate(documents, 1):
        try:
            found.append(read(each))
        except (ValueError, OverflowError) as error:
            raise LawsFileError(f"{what} {i}: {error}") from error
    return found


def load_checks(path: str | os.PathLike[str]) -> Checks:
    """Read laws.json, the file that `gramian relations --output` writes.

    Parameters
    ----------
    path : str or path
        The file. Nothing in it is executed. A LawsFileError says what is wrong with other files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import gramian
    >>> from gramian.laws import load_checks
    >>> U, I = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> checks = gramian.relations({"U": U, "I": I, "P": U * I}).checks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "laws.json")
    ...     n_characters = path.write_text(checks.text(), encoding="utf-8")
    ...     print(load_checks(path))
    P = U · I
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LawsFileError(f"{os.fspath(path)} is no file of laws: {error}") from error
    try:
        return Checks.from_json(document)
    except LawsFileError as error:
        raise LawsFileError(f"{os.fspath(path)} is no file of laws: {error}") from error
