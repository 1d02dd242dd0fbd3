"""Candidates: exact combinations of functions of all columns, in small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from gramian.laws.candidates._null_space import caps_of, dependencies, monomials_of
from gramian.laws.candidates._search_context import SMALL_TABLE, Candidate, SearchContext
from gramian.laws.columns import Traits
from gramian.laws.forms import Monomial, multiplied

Families = Callable[[Sequence[int], Sequence[Traits], int], Iterator[list[Monomial]]]
"""Yields lists of functions of columns, given the columns, traits, and a limit of the length."""
MAX_DEGREE = 8
"""Largest degree of polynomials."""
MAX_FUNCTIONS = 900
"""Largest number of functions at once."""
ROWS_SHARE = 0.7
"""Largest number of functions, as a share of the number of rows."""
ANGLE_DEGREE = 5
"""Largest degree of monomials with the sine and cosine of one column."""
PAIR_DEGREE = 4
"""Largest degree of monomials with sines and cosines of two columns."""
LOG_DEGREE = 4
"""Largest degree of monomials with a logarithm."""
MAX_PAIR_COLUMNS = 8
"""Largest number of columns of a table for sines of two columns at once."""


def polynomial_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield polynomial laws of the free columns."""
    return _among(context, _polynomials)


def logarithm_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of the free columns with logarithms."""
    return _among(context, _with_logarithms)


def angle_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of the free columns with sines and cosines."""
    return _among(context, _with_angles)


def _among(context: SearchContext, families: Families) -> Iterator[Candidate]:
    """Yield the exact laws among functions of the free columns, if these are few."""
    free = context.free
    if len(free) > SMALL_TABLE:
        return
    limit = min(MAX_FUNCTIONS, int(ROWS_SHARE * context.train.n_rows))
    for functions in families(free, context.traits, limit):
        context.check_time()
        for law in dependencies(context.train, functions):
            yield Candidate(law, float(len(functions)))


def _polynomials(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield the monomials of all columns, of as many degrees as the limit allows."""
    variables = [(column, "x") for column in columns]
    yield _up_to(monomials_of(variables, MAX_DEGREE, caps_of(columns, traits)), limit)


def _with_angles(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield monomials of sines and cosines of one or two columns and of the other columns."""
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


def _with_logarithms(
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
    """Return the functions of the first degrees, no more than the limit."""
    found: list[Monomial] = []
    for new in degrees:
        if len(found) + len(new) > limit:
            break
        found += new
    return found
