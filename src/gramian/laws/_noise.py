"""Candidates for laws that hold up to noise: laws of few terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gramian.laws._control import refit_law
from gramian.laws._explicit import law_for, quotients
from gramian.laws._law import Law, Values
from gramian.laws._pairs import pairs
from gramian.laws._wide import (
    SMALL_TABLE,
    WIDEST,
    products_with_sums,
    sparse_products,
    sparse_sums,
)

TARGETS = 3
"""The columns for which short laws are compared before one is believed."""
SHORT_TRIED = 1e6
ROWS_FOR_SUMS = 60
"""Sums of several terms are not looked for in fewer rows."""


def short_laws(train: Values, few: Values, free: Sequence[int]) -> Iterator[tuple[Law, float]]:
    """Yield laws of few terms, fitted to all rows, and among how many each was found.

    Parameters
    ----------
    train : Values
        Rows to fit.
    few : Values
        Enough of them to choose among short laws.
    free : sequence of int
        The columns that no other law gives.
    """
    n = float(len(free))
    sources = [
        (pairs(few, free), 25 * n**2),
        (sparse_products(few, free), 5 * n**3),
        (sparse_sums(few, free), n**3),
    ]
    if SMALL_TABLE < n <= WIDEST:
        sources.append((products_with_sums(few, free), n**4))
    for laws, n_tried in sources:
        for law in laws:
            yield refit_law(law, train), n_tried
    if n <= SMALL_TABLE and few.n_rows >= ROWS_FOR_SUMS:
        for _, target, quotient in quotients(few, free)[:TARGETS]:
            found = law_for(few, target, quotient)
            if found is not None:
                yield refit_law(found, train), SHORT_TRIED
