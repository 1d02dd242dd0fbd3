"""What laws say of one another, and of the columns that they give away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from gramian.laws._control import ROUNDING, Verdict
from gramian.laws._law import Law, Power, Variable, comparison

TERM_COST = 1.5
"""What a term costs in a description, in units of the logarithm of the number of rows."""


def is_linear(law: Law) -> bool:
    """Return whether a law is a sum of columns as they are."""
    return all(sum(map(_degree, each)) <= 1 for each in law.monomials)


def _degree(factor: tuple[Variable, Power]) -> float:
    """Return the power of a column, infinity for a function of it."""
    (_, atom), power = factor
    return abs(float(power)) if atom == "x" else math.inf


def for_any_column(laws: Iterable[Law]) -> Iterator[tuple[Law, int]]:
    """Yield laws for each of their columns that may have been computed from the others."""
    for law in laws:
        for column in law.columns:
            yield law, column


def description_length(verdict: Verdict, n_rows: int) -> float:
    """Return how long it takes to describe what a law ties, given the law, and the law itself."""
    missed = n_rows * math.log(max(verdict.overall, ROUNDING))
    return missed + TERM_COST * math.log(n_rows) * len(verdict.law.monomials)


def without_echoes(found: Sequence[Verdict]) -> list[Verdict]:
    """Leave out steps of a column that a law computes from the very column that they give.

    With x = y · z, y is 1 where x is not 0; that is the law, read backwards.
    """
    others = [each.law for each in found if step_of(each.law) is None]

    def echo(law: Law) -> bool:
        source = step_of(law)
        return source is not None and any(
            set(law.columns) <= set(each.columns) and linear_in(each, source) for each in others
        )

    return [each for each in found if not echo(each.law)]


def step_of(law: Law) -> int | None:
    """Return the column whose steps a law says another one is, if it says so."""
    for each in law.monomials:
        for (column, atom), _ in each:
            if comparison(atom):
                return column
    return None


def linear_in(law: Law, column: int) -> bool:
    """Return whether a column is a term of its own in a law."""
    return (((column, "x"), 1),) in law.monomials


def among_steps(law: Law, known: Sequence[Law]) -> bool:
    """Return whether a law says no more than that columns are steps of others.

    A column and its steps may be tied in many ways. So may several of them: with each of two
    columns a sum of its levels, the difference of the two is a sum of all levels.
    """
    groups: dict[int, set[int]] = {}
    for each in known:
        source = step_of(each)
        if source is not None:
            groups.setdefault(source, {source}).update(each.columns)
    columns = set(law.columns)
    if any(columns <= group for group in groups.values()):
        return True
    flags = columns - groups.keys()
    return is_linear(law) and bool(flags) and columns <= set[int]().union(*groups.values())


def invertible(law: Law) -> bool:
    """Return whether a law of two columns gives each of them by the other."""
    factors = {factor for each in law.monomials for factor in each}
    return len(factors) == len(law.columns) and all(
        atom in ("x", "log", "exp") for (_, atom), _ in factors
    )


def given_away(laws: Iterable[Law]) -> set[int]:
    """Return a column of each law, as far as there are any: what the others give."""
    taken: set[int] = set()
    for law in laws:
        giving = determined(law, taken)
        if giving is not None:
            taken.add(giving)
    return taken


def determined(law: Law, taken: set[int]) -> int | None:
    """Return a column that the law gives away: one that enters it most simply.

    Parameters
    ----------
    law : Law
        The law.
    taken : set of int
        Columns that other laws give away.
    """

    def rank(column: int) -> tuple[int, int, int]:
        powers = {
            (atom, power) for each in law.monomials for (i, atom), power in each if i == column
        }
        n_terms = sum(any(i == column for (i, _), _ in each) for each in law.monomials)
        simple = 0 if powers == {("x", 1)} else 1 if len(powers) == 1 else 2
        return simple, n_terms, -column

    return min((i for i in law.columns if i not in taken), key=rank, default=None)
