"""Null space: finds functions that are exact linear combinations of simpler functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy.linalg import qr, solve_triangular

from gramian._support.types import Array
from gramian.laws.columns import Traits
from gramian.laws.forms import ONE, Law, Monomial, Values, Variable, columns_of, multiplied

DEPENDENT = 1e-12
"""A function of norm 1 is an exact combination of other functions if its residual is below this."""
COMBINED_TERMS = 30
"""Largest number of functions in a combination that is equal to another function."""
SPARE_POINTS = 4
"""Number of different combinations of values that a set of functions needs besides its size."""
MOST_FAILED = 40
"""Number of dependent functions in a row without a short law, after which a search stops.

If some columns have few distinct combinations of values, countless polynomials are zero there.
"""
SHORT = 8
"""A law of at most this many terms is accepted; a longer law must pass the test of `SPARSE`."""
SPARSE = 3.5
"""A law of more than `SHORT` terms needs at least this many tried functions per term."""


def monomials_of(
    variables: Sequence[Variable], degree: int, caps: dict[Variable, int]
) -> Iterator[list[Monomial]]:
    """Yield the list of monomials of degree 0, then of degree 1, and so on.

    Parameters
    ----------
    variables : sequence of (int, str)
        The variables of the monomials.
    degree : int
        The largest degree.
    caps : dict
        The largest exponent of each variable whose exponent is limited.
    """
    last: list[Monomial] = [ONE]
    yield last
    place = {variable: i for i, variable in enumerate(variables)}
    for _ in range(degree):
        new: list[Monomial] = []
        for parent in last:
            start = place[parent[-1][0]] if parent else 0
            for variable in variables[start:]:
                power = dict(parent).get(variable, 0)
                if power < caps.get(variable, degree):
                    rest = parent[:-1] if power else parent
                    new.append((*rest, (variable, power + 1)))
        last = new
        yield last


def caps_of(columns: Iterable[int], traits: Sequence[Traits]) -> dict[Variable, int]:
    """Return the largest exponent of columns with few distinct values, which is 1.

    Powers of such columns obey trivial laws: x² = x if the values are 0 and 1.
    """
    return {(i, "x"): 1 for i in columns if traits[i].n_levels is not None}


def divides(one: Monomial, other: Monomial) -> bool:
    """Return True if the monomial `one` is a factor of the monomial `other`."""
    powers = dict(other)
    return all(powers.get(variable, 0) >= power for variable, power in one)


def _n_points(values: Values, columns: Sequence[int]) -> int:
    """Return the number of different combinations of values in some columns.

    A sum with random weights tells combinations apart.
    """
    x = values.x[:, columns] / values.scale[columns]
    return len(np.unique(x @ np.random.default_rng(0).uniform(1, 2, len(columns))))


def dependencies(values: Values, monomials: Sequence[Monomial]) -> Iterator[Law]:
    """Yield laws in which a function is an exact linear combination of simpler functions.

    If a function has such a law, its multiples are skipped: their laws follow from its law.

    Parameters
    ----------
    values : Values
        The rows in which functions are computed; more rows than functions are needed.
    monomials : sequence of Monomial
        The functions, simple functions first.
    """
    if _n_points(values, columns_of(monomials)) < len(monomials) + SPARE_POINTS:
        return  # countless polynomials are zero in few points
    matrix = values.matrix(monomials)
    norms = np.sqrt(np.einsum("ij,ij->j", matrix, matrix))
    usable = np.flatnonzero((norms > 0) & np.isfinite(norms))
    unit = matrix[:, usable] / norms[usable]
    monomials = [monomials[i] for i in usable.tolist()]
    (upper,) = qr(unit, mode="r", check_finite=False)[:1]
    upper = upper[: len(usable)]
    left = np.abs(np.diag(upper))
    independent = left > DEPENDENT
    leads: list[Monomial] = []
    n_failed = 0
    points = _Points(values, monomials)
    for j in np.flatnonzero(~independent).tolist():
        if any(divides(lead, monomials[j]) for lead in leads):
            continue
        if points.too_few(monomials[j]):
            leads.append(monomials[j])
            continue
        n_failed += 1
        if n_failed > MOST_FAILED:
            return
        before = [i for i in range(j) if independent[i]]
        # Sums of functions have the norms of the sums of these columns, which have fewer rows.
        law = _sparse(upper, before, j)
        if law is None:
            continue
        which, coefficients = law
        terms = tuple(monomials[i] for i in which)
        # Many smooth functions of few columns fit any curve: only short sums are laws.
        columns = set(columns_of(terms))
        n_own = sum(columns.issuperset(columns_of([each])) for each in monomials)
        if len(terms) <= max(SHORT, n_own / SPARSE):
            n_failed = 0
            leads.append(monomials[j])
            yield without_common_factor(Law(coefficients / norms[usable][which], terms))


class _Points:
    """Counts the different combinations of values in columns of functions."""

    def __init__(self, values: Values, monomials: Sequence[Monomial]) -> None:
        self._values = values
        self._columns = [{*columns_of([each])} for each in monomials]
        self._every = columns_of(monomials)
        self._known: dict[frozenset[int], bool] = {}

    def too_few(self, monomial: Monomial) -> bool:
        """Return True if there are more functions than points in the columns of a function.

        Columns that follow from these, such as other attributes of the same regions, count with
        them: in few points, countless polynomials of all of them are zero.
        """
        own = frozenset(columns_of([monomial]))
        if own not in self._known:
            self._known[own] = self._are_few(own)
        return self._known[own]

    def _are_few(self, own: frozenset[int]) -> bool:
        n_points = _n_points(self._values, [*own])
        if n_points >= len(self._columns) + SPARE_POINTS:
            return False
        follow = {i for i in self._every if _n_points(self._values, [*own, i]) == n_points}
        return n_points < sum(each <= follow for each in self._columns) + SPARE_POINTS


def _sparse(unit: Array, before: list[int], j: int) -> tuple[list[int], Array] | None:
    """Write function j as a short sum of functions in `before`; return (indices, coefficients).

    `unit` has the values of the functions, scaled to norm 1, as columns. Function j is the last
    index, with the coefficient −1, so that all terms add up to zero. Return None if no combination
    of at most `COMBINED_TERMS` functions is equal to function j.
    """
    (upper,) = qr(unit[:, [*before, j]], mode="r", check_finite=False)[:1]
    n = len(before)
    weights = solve_triangular(upper[:n, :n], upper[:n, n])
    order = np.argsort(-np.abs(weights))
    for n_terms in _sizes(n):
        chosen = [before[i] for i in order[:n_terms]]
        coefficients = _exact_fit(unit, chosen, j)
        if coefficients is not None:
            chosen, coefficients = _shorten(unit, chosen, coefficients, j)
            return [*chosen, j], np.append(coefficients, -1.0)
    return None


def _sizes(n: int) -> Iterator[int]:
    size = 1
    while size < min(n, COMBINED_TERMS):
        yield size
        size += max(1, size // 3)
    yield min(n, COMBINED_TERMS)


def _exact_fit(unit: Array, chosen: list[int], j: int) -> Array | None:
    """Return the coefficients with which the chosen functions add up to function j, or None.

    `unit` has the values of the functions, scaled to norm 1, as columns.
    """
    matrix, target = unit[:, chosen], unit[:, j]
    coefficients = np.asarray(np.linalg.lstsq(matrix, target, rcond=None)[0], dtype=np.float64)
    left = np.linalg.norm(target - matrix @ coefficients) / np.linalg.norm(target)
    return coefficients if left < DEPENDENT else None


def _shorten(
    unit: Array, chosen: list[int], coefficients: Array, j: int
) -> tuple[list[int], Array]:
    """Remove terms that an exact sum does not need, and return its functions and coefficients.

    Terms with small coefficients are removed first.
    """
    shorter = True
    while shorter and len(chosen) > 1:
        shorter = False
        for i in np.argsort(np.abs(coefficients)):
            fewer = [*chosen[:i], *chosen[i + 1 :]]
            others = _exact_fit(unit, fewer, j)
            if others is not None:
                chosen, coefficients, shorter = fewer, others, True
                break
    return chosen, coefficients


def without_common_factor(law: Law) -> Law:
    """Divide a law by the common factor of its terms, so that no exponent is negative."""
    powers = [dict(each) for each in law.monomials]
    variables = {variable for each in powers for variable in each}
    common = {variable: min(each.get(variable, 0) for each in powers) for variable in variables}
    inverse = tuple((variable, -power) for variable, power in common.items() if power)
    if not inverse:
        return law
    return Law(law.coefficients, tuple(multiplied(each, inverse) for each in law.monomials))
