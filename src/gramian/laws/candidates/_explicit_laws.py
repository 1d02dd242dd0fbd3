"""Candidate laws that compute one column by a short formula of other columns, with noise.

The column is first divided by powers of other columns that multiply the whole formula. A power of
this quotient is then fitted by a short sum, or by a ratio of two polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import ERROR_FLOOR
from gramian.laws.candidates._null_space import without_common_factor
from gramian.laws.candidates._quotient import AS_GOOD, Quotient, divide_out, left_by_functions
from gramian.laws.candidates._search_context import SMALL_TABLE, Candidate, SearchContext
from gramian.laws.candidates._shortest_sum import shortest_sum
from gramian.laws.columns import Traits
from gramian.laws.forms import ONE, Law, Monomial, Values, Variable, multiplied, plain_power
from gramian.laws.judge import refit_law

POWERS = tuple(Fraction(each) for each in ("1", "2", "-1", "-2", "1/2", "-1/2"))
"""Powers of the quotient that are tried; each power is fitted by a short sum."""
MAX_SUM_FUNCTIONS = 350
"""Largest number of functions among which the terms of a short sum are chosen."""
MAX_COMPLEXITY = 7
"""Largest complexity of a term: the sum of the absolute powers of its factors."""
MAX_REST = 6
"""A short formula is searched only if the quotient depends on at most this many columns."""
MAX_RATIO_COLUMNS = 4
"""Ratios of polynomials are tried only if the quotient depends on at most this many columns."""
GOOD_SUM = 1.5
"""A sum is good if its residual is at most this multiple of the residual of smooth functions.

Ratios of polynomials are tried only if no single term is good.
"""
UNEXPLAINED = 0.2
"""A column is skipped if its residual on smooth functions of the other columns exceeds this, and
the multiple `OF_TOLERANCE` of the tolerance.

The residual is a share of the standard deviation of the column. A short formula may be sharper than
smooth functions, but seldom that much.
"""
OF_TOLERANCE = 2.0
TARGETS = 3
"""Short formulas are fitted for this many columns: those that the other columns explain best."""
N_TRIED = 1e6
"""Assumed number of candidates that were tried to find a short formula; reduces its evidence."""
ROWS_FOR_SUMS = 60
"""Short formulas are searched only in tables with at least this many rows."""


def explicit_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield short noisy formulas for the columns of `context.free` that others explain best.

    Others are all other columns of `context.free`. A column is skipped if the columns that accepted
    laws tie to it explain it as well: a short formula would only approximate those laws.
    """
    few, free = context.few, context.free
    if len(free) <= SMALL_TABLE and few.n_rows >= ROWS_FOR_SUMS:
        most = max(UNEXPLAINED, OF_TOLERANCE * context.tolerance)
        for _, target, quotient in _quotients(few, free, context.tied_to, most)[:TARGETS]:
            found = _law_for(few, target, quotient)
            if found is not None:
                yield Candidate(refit_law(found, context.train), N_TRIED)


def _quotients(
    values: Values, columns: Sequence[int], tied_to: Callable[[int], set[int]], most: float
) -> list[tuple[float, int, Quotient]]:
    """Return (residual, column, quotient) of well explained columns, smallest residual first.

    A column is well explained if smooth functions of the other columns fit it. Its quotient is the
    column divided by powers of other columns.

    Parameters
    ----------
    values : Values
        The rows in which functions are fitted.
    columns : sequence of int
        Indices of the columns to explain, and to explain with.
    tied_to : function
        Returns the columns that accepted laws tie to a column.
    most : float
        The largest residual of a well explained column, as a share of its standard deviation.
    """
    x = values.x / values.scale
    positive = [each.positive for each in values.traits]
    found = []
    for target in columns:
        others = [i for i in columns if i != target]
        left = left_by_functions(x, positive, target, others)
        if left > most:
            continue
        tied = [i for i in others if i in tied_to(target)]
        if tied and left_by_functions(x, positive, target, tied) <= AS_GOOD * left:
            continue
        quotient = divide_out(x, positive, target, others)
        if len(quotient.rest) <= MAX_REST:
            y = x[:, target]
            found.append((quotient.left * np.sqrt(np.mean(y**2)) / np.std(y), target, quotient))
    return sorted(found, key=lambda each: each[0])


def _law_for(values: Values, target: int, quotient: Quotient) -> Law | None:
    """Return the law for the column `target` with the shortest description; None if none is found.

    The description length rates both the length of the formula and its errors; less is better.

    Parameters
    ----------
    values : Values
        The rows in which laws are fitted.
    target : int
        Index of the column that the law computes.
    quotient : Quotient
        The column divided by powers of other columns.
    """
    best: Law | None = None
    least = missed = math.inf
    for laws in (_candidates(values, target, quotient), _ratios(values, target, quotient)):
        for law, cost in laws:
            left = _left(law, values, target)
            score = len(values.x) * math.log(max(left, ERROR_FLOOR)) + cost
            if score < least:
                best, least, missed = law, score, left
        if best is not None and len(best.monomials) <= 2 and missed <= GOOD_SUM * quotient.left:
            break
    return best


def _left(law: Law, values: Values, target: int) -> float:
    """Return the root mean square error of the column `target` if a law computes the column.

    The error is a share of the root mean square of the column.
    """
    slope = law.gradient(values)[:, target]
    with np.errstate(all="ignore"):
        missed = law.terms(values).sum(axis=1) / slope
    y = values.of((target, "x"))
    return float(np.sqrt(np.mean(missed**2) / np.mean(y**2)))


def _candidates(values: Values, target: int, quotient: Quotient) -> Iterator[tuple[Law, float]]:
    """Yield (law, description length) pairs; in each law a power of the quotient is a short sum.

    Parameters
    ----------
    values : Values
        The rows in which laws are fitted.
    target : int
        Index of the column that the law computes.
    quotient : Quotient
        The column divided by powers of other columns.
    """
    y, traits = values.of((target, "x")), values.traits[target]
    powers = [
        power
        for power in POWERS
        if (power.denominator == 1 or traits.positive)
        and (power > 0 or traits.never_zero)
        and (quotient.rest or power == 1)
    ]
    for i, family in enumerate(_families_of(quotient.rest, values.traits)):
        functions = [each for each, _ in family]
        matrix = values.matrix(functions)
        costs = [math.log(2 + len(family)) + complexity for _, complexity in family]
        for power in powers:
            raised = quotient.values ** float(power)
            weights = _weights(y, float(power) * raised)
            found = shortest_sum(matrix * weights[:, None], raised * weights, costs, prune=i == 0)
            if found is not None:
                law = found.law(_lead(target, power, quotient), functions)
                extra = math.log(len(y)) * (power != 1)
                yield without_common_factor(law), found.cost + extra


def _ratios(values: Values, target: int, quotient: Quotient) -> Iterator[tuple[Law, float]]:
    """Yield (law, description length) pairs; in each law the quotient is a ratio of polynomials.

    The square of the quotient is also tried as a ratio of polynomials. Parameters are those of
    `_candidates`.
    """
    rest = quotient.rest
    if not 0 < len(rest) <= MAX_RATIO_COLUMNS:
        return
    top, bottom = _polynomial(rest, 3), _polynomial(rest, 2)
    above, below = values.matrix(top), values.matrix(bottom)
    y = values.of((target, "x"))
    for power in (1, 2):
        raised = quotient.values**power
        inner = below * raised[:, np.newaxis]
        lead = _lead(target, Fraction(power), quotient)
        for i, monomial in enumerate(bottom):
            matrix = np.column_stack([above, np.delete(inner, i, axis=1)])
            names = [*top, *(multiplied(each, lead) for k, each in enumerate(bottom) if k != i)]
            weights = _weights(y, power * inner[:, i])
            costs = [math.log(2 + len(names)) + _degree(each) for each in names]
            found = shortest_sum(
                matrix * weights[:, np.newaxis], inner[:, i] * weights, costs, max_terms=5
            )
            if found is not None:
                law = found.law(multiplied(lead, monomial), names)
                yield without_common_factor(law), found.cost + 2 * math.log(len(y))


def _weights(y: Array, raised: Array) -> Array:
    """Return the weights |y / raised|, which turn errors of a power into errors of the target y.

    With a power q^p of the quotient q, `raised` is p q^p; the weight is zero where it is infinite.
    """
    weights: Array = np.abs(y / raised)
    weights[~np.isfinite(weights)] = 0.0
    return weights


def _lead(target: int, power: Fraction, quotient: Quotient) -> Monomial:
    """Return a power of the quotient as a monomial of columns.

    The quotient is the column `target`, divided by powers of other columns.
    """
    powers: dict[Variable, Fraction] = {(target, "x"): power}
    for column, exponent in quotient.exponents.items():
        powers[column, "x"] = -exponent * power
    return tuple(sorted((variable, plain_power(p)) for variable, p in powers.items() if p))


RatedTerms = list[tuple[Monomial, int]]
"""List of (monomial, complexity) pairs; a monomial multiplies powers and functions of columns."""


def _families_of(columns: Sequence[int], traits: Sequence[Traits]) -> Iterator[RatedTerms]:
    """Yield lists of terms for short sums: polynomials, then ratios, then functions of a column.

    Each term has a rating, its complexity; `traits` say which functions suit a column.
    """
    if not columns:
        yield [(ONE, 0)]
        return
    powers = [_powers(column, traits[column]) for column in columns]
    ratios = [_powers(column, traits[column], ratios=True) for column in columns]
    yield _terms(powers, 2)
    yield _terms(ratios, MAX_COMPLEXITY)
    for i, column in enumerate(columns):
        functions = _functions(column, traits[column])
        if functions:
            yield _terms([*ratios[:i], functions, *ratios[i + 1 :]], MAX_COMPLEXITY)


def _terms(choices: Sequence[RatedTerms], limit: int) -> RatedTerms:
    """Multiply one factor of each column in all ways, and return the products, simplest first.

    `choices` has for each column its possible factors with their complexities. Products above the
    complexity `limit` are left out. The limit is lowered until at most `MAX_SUM_FUNCTIONS` products
    remain.
    """
    every = [(tuple(sorted(factors)), c) for factors, c in _bounded(choices, limit)]
    every.sort(key=lambda each: each[1])
    while sum(complexity <= limit for _, complexity in every) > MAX_SUM_FUNCTIONS:
        limit -= 1
    return [each for each in every if each[1] <= limit]


def _bounded(choices: Sequence[RatedTerms], limit: int) -> Iterator[tuple[Monomial, int]]:
    """Yield (product, complexity) for one factor of each column, up to the complexity `limit`."""
    if not choices:
        yield ONE, 0
        return
    for part, cost in choices[0]:
        if cost <= limit:
            for others, more in _bounded(choices[1:], limit - cost):
                yield (*part, *others), cost + more


def _powers(column: int, traits: Traits, *, ratios: bool = False) -> RatedTerms:
    x = (column, "x")
    highest = 4 if traits.n_levels is None else min(2, traits.n_levels - 1)
    found: RatedTerms = [(ONE, 0), *((((x, power),), power) for power in range(1, highest + 1))]
    if ratios and traits.never_zero:
        found += [(((x, -1),), 1), (((x, -2),), 2)]
    return found


def _functions(column: int, traits: Traits) -> RatedTerms:
    found: RatedTerms = [(ONE, 0)]
    if traits.angle:
        sin, cos = (column, "sin"), (column, "cos")
        found += [(((sin, 1),), 1), (((cos, 1),), 1), (((cos, 2),), 2), (((cos, 1), (sin, 1)), 2)]
    if traits.positive and traits.n_levels is None:
        x = (column, "x")
        found += [((((column, "log"), 1),), 1), (((x, 1),), 1)]
    return found if len(found) > 1 else []


def _polynomial(columns: Sequence[int], degree: int) -> list[Monomial]:
    powers = [
        each for each in product(range(degree + 1), repeat=len(columns)) if sum(each) <= degree
    ]
    return [
        tuple(((column, "x"), p) for column, p in zip(columns, each, strict=True) if p)
        for each in sorted(powers, key=sum)
    ]


def _degree(monomial: Monomial) -> int:
    return sum(abs(int(power)) for _, power in monomial)
