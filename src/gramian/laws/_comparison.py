"""Comparison of two tables by their laws: which hold in both, which broke, which are new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gramian._support.display import html_table
from gramian._support.time_limit import part_of_time, time_limited
from gramian._support.words import counted, plural
from gramian.laws._table_relations import TooFewValuesError, relations
from gramian.laws.checks import CheckResult, Checks, LawOutcome


@dataclass(frozen=True)
class Comparison:
    """Two tables compared by the laws of each.

    Attributes
    ----------
    result : CheckResult
        The check of the new table against the laws of the old one: the laws that hold in both, the
        laws that broke with the rows that break them, and the columns that came and went.
    new : tuple of LawOutcome
        Laws of the new table that do not hold in the old one, with the outcome in the old one.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> old = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> new = {name: column[:150].copy() for name, column in old.items()}
    >>> new["gross"][3] += 1
    >>> print(gramian.laws.compare(old, new))
    0 of 1 law of the old table hold in the new one.
    Laws that broke:
      gross = net + vat: broken in 1 of 150 rows, most in row 3 (by 1)
    1 row breaks a law (rows count from 0):
    row 3: net, vat, or gross is wrong
    """

    result: CheckResult
    new: tuple[LawOutcome, ...]

    @property
    def ok(self) -> bool:
        """True if every law of the old table holds in the new one."""
        return self.result.ok

    @property
    def holding(self) -> tuple[LawOutcome, ...]:
        """The laws that hold in both tables."""
        return tuple(each for each in self.result.laws if each.holds)

    @property
    def broken(self) -> tuple[LawOutcome, ...]:
        """The laws of the old table that do not hold in the new one."""
        return tuple(each for each in self.result.laws if not each.holds)

    def __str__(self) -> str:
        every, n = self.result.laws, len(self.holding)
        of = f"{n:,} of {counted(len(every), 'law')} of the old table"
        lines = [f"{of} {plural(n, 'holds', 'hold')} in the new one{':' if n else '.'}"]
        lines += [f"  {each.law}" for each in self.holding]
        if self.broken:
            lines.append("Laws that broke:")
            lines += [f"  {each}" for each in self.broken]
        if self.new:
            lines.append("New laws:")
            lines += [f"  {each.law}{_before(each)}" for each in self.new]
        lines += self.result.told_rows()
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a dictionary that can be stored as JSON."""
        return {**self.result.to_json(), "new_laws": [each.to_json() for each in self.new]}

    def _repr_html_(self) -> str:
        rows = [(each.law, "holds in both") for each in self.holding]
        rows += [(each.law, f"broke: {each.said}") for each in self.broken]
        rows += [(each.law, "new") for each in self.new]
        return html_table(("law", ""), rows)


def _before(outcome: LawOutcome) -> str:
    """Return in how many rows of the old table a new law held, as a part of a sentence."""
    if outcome.reason is not None or not outcome.n_tested:
        return ""
    held = outcome.n_tested - outcome.n_broken
    return f" (before: {held:,} of {counted(outcome.n_tested, 'row')})"


def compare(old: Any, new: Any, *, time_limit: float | None = None) -> Comparison:
    """Compare two tables by their laws.

    The laws of each table are found, and tested on the other table.

    Parameters
    ----------
    old, new : array, data frame, Arrow table, dict of columns, path, dataset, or Dask collection
        The tables.
    time_limit : float, optional
        Seconds after which the searches for laws stop, and the laws found so far are compared.

    Returns
    -------
    comparison : Comparison
        The laws that hold in both tables, those that broke, and those that are new.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> U, I = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> monday = {"U": U, "I": I, "P": U * I}
    >>> gramian.laws.compare(monday, {**monday, "P": U * I / 1000}).new[0].law
    'P = 0.001 · U · I'
    """
    with time_limited(time_limit):
        with part_of_time(0.5):
            checks = _laws_of(old, "old")
        others = _laws_of(new, "new")
    result = checks.check(new)
    known = {each.text for each in checks}
    found = others.without(known).check(old)
    return Comparison(result, tuple(each for each in found.laws if not each.holds))


def _laws_of(table: Any, which: str) -> Checks:
    """Return the laws of the old or new table; an error says which of them is too small."""
    try:
        return relations(table).checks
    except TooFewValuesError as error:
        raise TooFewValuesError(f"the {which} table is too small: {error}") from error
