"""Candidate laws: exact linear combinations of functions of all columns, if columns are few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from gramian._support.time_limit import check_time
from gramian.laws.candidates._null_space import caps_of, dependencies, monomials_of
from gramian.laws.candidates._search_context import SMALL_TABLE, Candidate, SearchContext
from gramian.laws.columns import Traits
from gramian.laws.forms import Monomial, multiplied

Families = Callable[[Sequence[int], Sequence[Traits], int], Iterator[list[Monomial]]]
"""Type of a function (columns, traits, largest number of functions) → lists of monomials."""
MAX_DEGREE = 8
"""Largest degree of polynomial laws."""
MAX_FUNCTIONS = 900
"""Largest number of functions in one search for exact combinations."""
ROWS_SHARE = 0.7
"""Largest number of functions in one search, as a share of the number of rows."""
ANGLE_DEGREE = 5
"""Largest degree of laws with the sine and cosine of one column."""
PAIR_DEGREE = 4
"""Largest degree of laws with the sines and cosines of two columns."""
LOG_DEGREE = 4
"""Largest degree of laws with logarithms; a logarithm counts as a factor of degree 1."""
MAX_PAIR_COLUMNS = 8
"""Sines of two columns at once are tried only if at most this many columns are searched."""


def polynomial_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield exact polynomial laws among the columns that no accepted law computes."""
    return _among(context, _polynomials)


def logarithm_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield exact laws with logarithms, among the columns that no accepted law computes."""
    return _among(context, _with_logarithms)


def angle_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield exact laws with sines and cosines, among the columns that no accepted law computes."""
    return _among(context, _with_angles)


def _among(context: SearchContext, families: Families) -> Iterator[Candidate]:
    """Yield exact laws within each list of functions that `families` makes of `context.free`.

    Nothing is yielded if `context.free` has more than `SMALL_TABLE` columns.
    """
    free = context.free
    if len(free) > SMALL_TABLE:
        context.n_unsearched = len(free)
        return
    limit = min(MAX_FUNCTIONS, int(ROWS_SHARE * context.train.n_rows))
    for functions in families(free, context.traits, limit):
        check_time()
        for law in dependencies(context.train, functions):
            yield Candidate(law, float(len(functions)))


def _polynomials(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield one list: the monomials of the columns, up to the degree that `limit` allows."""
    variables = [(column, "x") for column in columns]
    yield _up_to(monomials_of(variables, MAX_DEGREE, caps_of(columns, traits)), limit)


def _with_angles(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield a list of monomials for each angle, and for each pair of angles.

    The monomials contain sines and cosines of the angles, and powers of the other columns. A list
    has at most `limit` monomials.
    """
    angles = [i for i in columns if traits[i].angle]
    turns: list[tuple[tuple[int, ...], int]] = [((j,), ANGLE_DEGREE) for j in angles]
    if len(columns) <= MAX_PAIR_COLUMNS:
        turns += [(pair, PAIR_DEGREE) for pair in combinations(angles, 2)]
    for turning, degree in turns:
        variables = [(column, "x") for column in columns if column not in turning]
        limits = caps_of(columns, traits)
        for j in turning:
            # sin² = 1 − cos²: the square of the cosine is enough.
            variables += [(j, "cos"), (j, "sin")]
            limits |= {(j, "cos"): 2, (j, "sin"): 1}
        yield _up_to(monomials_of(variables, degree, limits), limit)


def _with_logarithms(
    columns: Sequence[int], traits: Sequence[Traits], limit: int
) -> Iterator[list[Monomial]]:
    """Yield one list: monomials of the columns, alone and times one logarithm.

    The list has at most `limit` monomials.
    """
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
    """Join the lists of functions, lowest degree first; stop before more than `limit` functions."""
    found: list[Monomial] = []
    for new in degrees:
        if len(found) + len(new) > limit:
            break
        found += new
    return found
