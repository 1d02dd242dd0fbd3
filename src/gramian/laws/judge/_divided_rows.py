"""Held-out rows of the judge: laws are fitted to some rows, and tested on the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws.forms import Law, Values
from gramian.laws.judge._noise import Noise

FEW_ROWS = 40
"""In tables with fewer rows, no rows are held out: each row is predicted from all other rows."""
HELD_OUT_SHARE = 0.25
"""Share of the rows that are held out: laws are tested on them, and not fitted to them."""
MAX_ROWS = 2_000
"""Largest number of rows to which laws are fitted."""
MAX_JUDGES = 2_000
"""Largest number of held-out rows on which laws are tested."""
GAUSS_NEWTON_STEPS = 3
"""Number of least squares fits of a law whose errors are those of a column."""
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


def refit_law(law: Law, values: Values, noise: Noise | None = None) -> Law:
    """Fit the coefficients of a law by least squares, and return the new law.

    Without `noise`, the weight of a row is about the inverse of its largest term, and the first
    coefficient does not change. If the fit fails, the law is returned unchanged.

    Parameters
    ----------
    law : Law
        The law.
    values : Values
        The rows to fit.
    noise : Noise, optional
        The errors of a column, of which the squares are minimized by Gauss-Newton steps.
    """
    if noise is None:
        largest = np.abs(law.terms(values)).max(axis=1)
        return _refitted(law, values, 0, 1 / (largest + 0.1 * np.median(largest)))
    fixed = noise.leading_term(law, values)
    for _ in range(GAUSS_NEWTON_STEPS):
        law = _refitted(law, values, fixed, noise.weights(law, values))
    return law


def _refitted(law: Law, values: Values, fixed: int, weights: Array) -> Law:
    """Return a law after one weighted least squares fit; coefficient `fixed` does not change."""
    weighted = law.terms(values) * weights[:, np.newaxis]
    if not np.isfinite(weighted).all():  # in most rows, all terms or derivatives are zero
        return law
    others = np.delete(weighted, fixed, axis=1)
    factors = np.linalg.lstsq(others, -weighted[:, fixed], rcond=None)[0]
    if not np.isfinite(factors).all() or not factors.all():
        return law
    return replace(law, coefficients=law.coefficients * np.insert(factors, fixed, 1.0))


def left_out_errors(law: Law, values: Values, noise: Noise | None = None) -> Array:
    """Return the error of each row if the law is fitted to all other rows.

    If rows have groups, each group tests the law that is fitted to all other groups. The errors are
    `Law.imbalance`, or those of the column in `noise`, in its units.
    """
    groups = np.arange(values.n_rows) if values.groups is None else values.groups
    errors = np.empty(values.n_rows)
    for i in np.unique(groups):
        own = groups == i
        one = refit_law(law, values.take(np.flatnonzero(~own)), noise)
        rows = values.take(own)
        errors[own] = one.imbalance(rows) if noise is None else one.missed(rows, noise.column)
    return errors
