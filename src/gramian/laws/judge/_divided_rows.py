"""Held-out rows of the judge: laws are fitted to some rows, and tested on the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gramian._support.types import IntArray
from gramian.laws.forms import Law, Values

FEW_ROWS = 40
"""In tables with fewer rows, no rows are held out: each row is predicted from all other rows."""
HELD_OUT_SHARE = 0.25
"""Share of the rows that are held out: laws are tested on them, and not fitted to them."""
MAX_ROWS = 2_000
"""Largest number of rows to which laws are fitted."""
MAX_JUDGES = 2_000
"""Largest number of held-out rows on which laws are tested."""
SEARCHED_ROWS = MAX_ROWS + MAX_JUDGES
"""Largest number of rows that a search uses; all rows of a larger table must confirm its laws."""


def divided_rows(
    n_rows: int, seed: int, groups: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Return the numbers of the rows to fit laws to, and of the held-out rows, in their order.

    No rows are held out if there are fewer than `FEW_ROWS`.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    seed : int
        The seed that chooses the held-out rows.
    groups : array of shape (n_rows,), optional
        The number of the group of each row. All rows of a group are held out, or none; at least
        one of the groups is.
    """
    rng = np.random.default_rng(seed)
    if groups is None:
        order = rng.permutation(n_rows)
        n_test = 0 if n_rows < FEW_ROWS else int(HELD_OUT_SHARE * n_rows)
        n_test = max(n_test, n_rows - MAX_ROWS) if n_test else 0
        return np.sort(order[n_test:]), np.sort(order[:n_test][:MAX_JUDGES])
    names = np.unique(groups)
    n_test = 0 if n_rows < FEW_ROWS else max(1, int(HELD_OUT_SHARE * len(names)))
    held = np.isin(groups, rng.permutation(names)[:n_test])
    order = rng.permutation(n_rows)
    train, test = order[~held[order]], order[held[order]]
    return np.sort(train[:MAX_ROWS]), np.sort(test[:MAX_JUDGES])


def refit_law(law: Law, values: Values) -> Law:
    """Fit the coefficients of a law by least squares, and return the new law.

    The first coefficient does not change. The weight of a row is about the inverse of its largest
    term. If the fit fails, the law is returned unchanged.
    """
    terms = law.terms(values)
    largest = np.abs(terms).max(axis=1)
    weights = 1 / (largest + 0.1 * np.median(largest))
    weighted = terms * weights[:, np.newaxis]
    if not np.isfinite(weighted).all():  # in most rows, all terms are zero
        return law
    factors = np.linalg.lstsq(weighted[:, 1:], -weighted[:, 0], rcond=None)[0]
    if not np.isfinite(factors).all() or not factors.all():
        return law
    return replace(law, coefficients=law.coefficients * np.append(1.0, factors))


def left_out_error(law: Law, values: Values) -> float:
    """Return the leave-one-out error: each row tests the law that is fitted to all other rows.

    If rows have groups, each group tests the law that is fitted to all other groups.
    """
    groups = np.arange(values.n_rows) if values.groups is None else values.groups
    errors = [
        refit_law(law, values.take(np.flatnonzero(groups != i))).imbalance(values.take(groups == i))
        for i in np.unique(groups)
    ]
    return float(np.sqrt(np.mean(np.square(np.concatenate(errors)))))
