"""Properties of laws: linear or not, steps, and the columns that laws give away."""

from __future__ import annotations

import math
from collections.abc import Iterable

from gramian.laws.forms._law import Law, Power, Variable, comparison


def is_linear(law: Law) -> bool:
    """Return True if a law is a sum of columns, without powers, products or functions."""
    return all(sum(map(_degree, each)) <= 1 for each in law.monomials)


def _degree(factor: tuple[Variable, Power]) -> float:
    """Return the absolute power of a column; infinity for a function of a column."""
    (_, atom), power = factor
    return abs(float(power)) if atom == "x" else math.inf


def step_of(law: Law) -> int | None:
    """Return the column that a law compares with thresholds or levels; None if there is none."""
    for each in law.monomials:
        for (column, atom), _ in each:
            if comparison(atom):
                return column
    return None


def linear_in(law: Law, column: int) -> bool:
    """Return True if a column alone is a term of a law."""
    return (((column, "x"), 1),) in law.monomials


def invertible(law: Law) -> bool:
    """Return True if a law of two columns gives each column by the other."""
    factors = {factor for each in law.monomials for factor in each}
    return len(factors) == len(law.columns) and all(
        atom in ("x", "log", "exp") for (_, atom), _ in factors
    )


def given_away(laws: Iterable[Law]) -> set[int]:
    """Return one column of each law that the other columns of the law give."""
    taken: set[int] = set()
    for law in laws:
        giving = determined(law, taken)
        if giving is not None:
            taken.add(giving)
    return taken


def determined(law: Law, taken: set[int]) -> int | None:
    """Return the column that a law gives away: the column that enters most simply.

    Parameters
    ----------
    law : Law
        The law.
    taken : set of int
        Columns that other laws give away; they are not returned.
    """

    def rank(column: int) -> tuple[int, int, int]:
        powers = {
            (atom, power) for each in law.monomials for (i, atom), power in each if i == column
        }
        n_terms = sum(any(i == column for (i, _), _ in each) for each in law.monomials)
        simple = 0 if powers == {("x", 1)} else 1 if len(powers) == 1 else 2
        return simple, n_terms, -column

    return min((i for i in law.columns if i not in taken), key=rank, default=None)
