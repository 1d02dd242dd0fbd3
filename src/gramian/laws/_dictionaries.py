"""Which functions of all columns are looked through for exact laws, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from gramian.laws._columns import Traits
from gramian.laws._law import Monomial, multiplied
from gramian.laws._nullspace import caps_of, monomials_of

Families = Callable[[Sequence[int], Sequence[Traits], int], Iterator[list[Monomial]]]
"""Yields functions of some columns, no more than a limit at once."""
MAX_DEGREE = 8
MAX_FUNCTIONS = 900
ANGLE_DEGREE = 5
PAIR_DEGREE = 4
LOG_DEGREE = 4
MAX_PAIR_COLUMNS = 8
"""Sines of two columns at once are tried in tables with no more columns."""


def polynomials(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield the monomials of all columns, those that are no more than the limit."""
    variables = [(column, "x") for column in columns]
    yield _up_to(monomials_of(variables, MAX_DEGREE, caps_of(columns, traits)), limit)


def with_angles(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield monomials of sines and cosines of one or two columns, and of the others."""
    angles = [i for i in columns if traits[i].angle]
    turns: list[tuple[tuple[int, ...], int]] = [((j,), ANGLE_DEGREE) for j in angles]
    if len(columns) <= MAX_PAIR_COLUMNS:
        turns += [(pair, PAIR_DEGREE) for pair in combinations(angles, 2)]
    for turning, degree in turns:
        variables = [(column, "x") for column in columns if column not in turning]
        limits = caps_of(columns, traits)
        for j in turning:
            # sin² = 1 − cos²: one of the two is enough.
            variables += [(j, "cos"), (j, "sin")]
            limits |= {(j, "cos"): 2, (j, "sin"): 1}
        yield _up_to(monomials_of(variables, degree, limits), limit)


def with_logarithms(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield monomials times at most one logarithm."""
    logs = [i for i in columns if traits[i].positive]
    if not logs:
        return
    variables = [(column, "x") for column in columns]
    found: list[list[Monomial]] = []
    before: list[Monomial] = []
    for plain in monomials_of(variables, LOG_DEGREE, caps_of(columns, traits)):
        found.append(
            [*plain, *(multiplied(each, (((j, "log"), 1),)) for each in before for j in logs)]
        )
        before = plain
    yield _up_to(found, limit)


def _up_to(degrees: Iterable[list[Monomial]], limit: int) -> list[Monomial]:
    """Put degrees together as long as there are not too many functions."""
    found: list[Monomial] = []
    for new in degrees:
        if len(found) + len(new) > limit:
            break
        found += new
    return found
