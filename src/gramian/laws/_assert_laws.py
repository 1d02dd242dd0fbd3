"""The function `assert_laws`: laws as an assertion, for tests of tables."""

from __future__ import annotations

import os
from typing import Any

from gramian._support.words import counted, plural
from gramian.laws._relation_collection import Relations
from gramian.laws.checks import CheckResult, Checks, load_checks

SHOWN = 10
"""Number of rows that a message names."""


def assert_laws(
    table: Any, laws: Checks | Relations | str | os.PathLike[str], *, allow: float | None = None
) -> None:
    """Raise an AssertionError if a table breaks laws.

    Parameters
    ----------
    table : array, data frame, Arrow table, dict of columns, path, dataset, or Dask collection
        The table. Its columns may have another order, and there may be further columns.
    laws : Checks, Relations, str or path
        The laws, or laws.json, the file that `gramian relations --output` writes.
    allow : float, optional
        The share of the rows that may break each law; by default the share that broke it when
        it was found, and two standard errors.

    Raises
    ------
    AssertionError
        If a law is broken, or cannot be tested. The message names the laws, the rows, and the cells
        that are likely wrong.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> laws = gramian.relations(table)
    >>> gramian.assert_laws(table, laws)
    >>> table["gross"][7] += 100
    >>> gramian.assert_laws(table, laws)
    Traceback (most recent call last):
    ...
    AssertionError: 1 of 1 law does not hold in 200 rows:
    gross = net + vat: broken in 1 of 200 rows, most in row 7 (by 100)
    1 row breaks a law (rows count from 0):
    row 7: net, vat, or gross is wrong
    """
    if isinstance(laws, Relations):
        laws = laws.checks
    checks = laws if isinstance(laws, Checks) else load_checks(laws)
    result = checks.check(table, allow=allow)
    if not result.ok:
        raise AssertionError(_message(result))


def _message(result: CheckResult) -> str:
    failed = [each for each in result.laws if not each.holds]
    of = counted(len(result.laws), "law")
    rows = counted(result.n_rows, "row")
    return "\n".join(
        [
            f"{len(failed):,} of {of} {plural(len(failed), 'does', 'do')} not hold in {rows}:",
            *map(str, failed),
            *result.told_rows(SHOWN),
        ]
    )
