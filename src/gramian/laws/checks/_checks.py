"""Checks: the laws of a table as tests of other tables, and the file laws.json that stores them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from gramian.exceptions import LawsFileError
from gramian.laws.checks._check_result import CheckResult
from gramian.laws.checks._checking import checked
from gramian.laws.columns import ColumnFacts
from gramian.laws.forms import LawCheck

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
        table : array, data frame, Arrow table, dict of columns, path, dataset, or Dask collection
            The table. Its columns may have another order, and there may be further columns. A table
            without names must have as many columns as the table in which the laws were found.
        allow : float, optional
            The share of the rows that may break each law; by default the share that broke it when
            it was found.

        Returns
        -------
        result : CheckResult
            The laws that hold, those that break, the rows that break them, and the cells that are
            likely wrong.
        """
        if allow is not None and not 0 <= float(allow) <= 1:
            raise ValueError(f"allow must be a share between 0 and 1; got {allow!r}.")
        names = [each.name for each in self.facts]
        return checked(self.laws, self.facts, table, names, allow)

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
        if document.get("version") != VERSION:
            raise LawsFileError(
                f"it has version {document.get('version')!r:.40}; this gramian reads {VERSION}"
            )
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
        text = Path(path).read_text(encoding="utf-8")
        document = json.loads(text)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise LawsFileError(f"{os.fspath(path)} is no file of laws: {error}") from error
    try:
        return Checks.from_json(document)
    except LawsFileError as error:
        raise LawsFileError(f"{os.fspath(path)} is no file of laws: {error}") from error
