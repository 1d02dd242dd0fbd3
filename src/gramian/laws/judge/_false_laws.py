"""Equations that hold in all rows and are no laws: products of factors, and columns that grow."""

from __future__ import annotations

import math

import numpy as np

from gramian._support.types import Array
from gramian.core.rows import neighbours_resemble
from gramian.laws._law_tolerances import BREAKS, EXACT_ERROR
from gramian.laws.forms import Law, Monomial, Values, Variable, comparison

VANISHES = 1e-9
"""Two directions are parallel if the cosine of their angle differs from 1 by less than this."""
COMMON_ROOT = 1e-6
"""Largest relative error of a common root of polynomials."""
FEW_VALUES = 3
"""A product of factors has at most one direction for this many values of a column."""
FIRST_ROWS = 50
"""Number of rows whose directions are counted first, since most laws have many directions."""
MOST_FACTORS = 12
"""Largest number of factors of a product that is zero in all rows."""
SAME_DIRECTION = 0.9
"""Share of rows in which the gradient of a product law has the direction of one of its factors."""


def numbers_a_grid(law: Law, values: Values) -> bool:
    """Return True if a law computes the number of a row from numbers that do not count.

    The number of a row in a grid is a sum of any two numbers that grow in equal steps. Only where
    they count, such as blocks and plots, this is how somebody numbered the rows: each number is
    multiplied by a whole number.
    """
    traits = [values.traits[i] for i in law.columns]
    if len(traits) <= 2 or not any(each.row_number for each in traits):
        return False
    if not all(each.whole for each in traits):
        return True
    raw = dict(zip(law.monomials, law.raw_coefficients(values.scale), strict=True))
    own = next((raw[each] for each in raw if _is_row_number(each, values)), None)
    if own is None or not law.is_linear:
        return False
    parts = np.array([x / own for each, x in raw.items() if each])
    return bool((np.abs(parts - np.rint(parts)) > COMMON_ROOT * np.abs(parts)).any())


def _is_row_number(monomial: Monomial, values: Values) -> bool:
    return len(monomial) == 1 and values.traits[monomial[0][0][0]].row_number


def is_one_piece(law: Law, values: Values, error: float) -> bool:
    """Return False if the law is a product of two factors, of which one is a simpler law.

    A factor x - c of one column is found by algebra. Another factor of a sum of columns is found by
    the gradient of the law, which has one direction in the rows that obey the sum.
    """
    if has_factor(law, max(COMMON_ROOT, error)):
        return False
    atoms = {atom for each in law.monomials for (_, atom), _ in each}
    if law.is_linear or any(comparison(each) for each in atoms):
        return True
    # An offset of a column must not make its derivative the largest: units are deviations.
    gradient = law.gradient(values) * np.std(values.x / values.scale, axis=0)
    sizes = np.linalg.norm(gradient, axis=1)
    directions = gradient[sizes > 0] / sizes[sizes > 0, np.newaxis]
    if len(directions) < SAME_DIRECTION * len(sizes):
        return True
    middle = directions[np.argsort(np.abs(directions[:, law.columns[0]]))[len(directions) // 2]]
    if _few_directions(directions, law, values):
        return False
    if atoms != {"x"}:
        return True
    # Noise turns the gradients by angles of about its size.
    parallel = np.abs(directions @ middle) > 1 - max(VANISHES, 3 * error**2)
    return bool(parallel.sum() < SAME_DIRECTION * len(sizes))


def _few_directions(directions: Array, law: Law, values: Values) -> bool:
    """Return True if the gradient of a law has fewer directions than the columns have values.

    If y / x has four values, a product of four factors y - c·x is zero in all rows.
    """
    own = directions[:, law.columns]
    if _n_directions(own[:FIRST_ROWS]) > MOST_FACTORS:
        return False
    n_directions = _n_directions(own)
    n_values = max(values.n_distinct(i) for i in law.columns)
    return FEW_VALUES * n_directions < n_values and n_directions <= MOST_FACTORS


def _n_directions(directions: Array) -> int:
    """Return the number of different directions that most rows have; signs do not count.

    `directions` has a unit vector in each row. A wrong cell has a direction of its own.
    """
    signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
    unsigned = np.round(directions * signs[:, np.newaxis], 6)
    counts = np.sort(np.unique(unsigned, axis=0, return_counts=True)[1])[::-1]
    return int(np.searchsorted(np.cumsum(counts), SAME_DIRECTION * len(directions))) + 1


def has_factor(law: Law, tolerance: float = COMMON_ROOT) -> bool:
    """Return True if a law is a product (x - c)·f = 0, for a number c and a column x or a function.

    If y = f(a, b) in all rows but one, then (a - c)·(y - f(a, b)) = 0 holds in all rows, where c is
    the value of a in that row. If y = c in most rows, then (y - c)·g(a) = 0 holds in all rows for a
    function g that is zero in the others.
    """
    variables = {variable for each in law.monomials for variable, _ in each}
    return any(_has_factor_of(law, variable, tolerance) for variable in variables)


def _has_factor_of(law: Law, variable: Variable, tolerance: float) -> bool:
    """Return True if the polynomials of a variable that multiply other terms have a common root.

    Parameters
    ----------
    law : Law
        The law.
    variable : (int, str)
        A column, or a function of a column.
    tolerance : float
        Largest relative error of the root.
    """
    groups: dict[Monomial, dict[int, float]] = {}
    for value, monomial in zip(law.coefficients.tolist(), law.monomials, strict=True):
        power = dict(monomial).get(variable, 0)
        if not isinstance(power, int) or power < 0:
            return False
        rest = tuple(factor for factor in monomial if factor[0] != variable)
        groups.setdefault(rest, {})[power] = value
    if any(len(each) < 2 for each in groups.values()):
        return False
    polynomials = [
        np.array([each.get(power, 0.0) for power in range(max(each), -1, -1)])
        for each in groups.values()
    ]
    roots = np.roots(min(polynomials, key=len))
    return any(
        all(
            abs(np.polyval(each, root)) <= tolerance * np.polyval(np.abs(each), abs(root))
            for each in polynomials
        )
        for root in roots[np.abs(roots.imag) <= tolerance * np.abs(roots)].real
    )


def holds_for_steps(law: Law, values: Values, rounding: float) -> bool:
    """Return False if a law with noise only says that columns grow together.

    Columns of a time series grow or fall together without a law. If there is a law, it also
    explains why changes from row to row differ, and its errors are no time series of their own.
    An exact law, or a law of rounded decimals, needs no such test.
    """
    traits = values.traits
    if rounding and not any(traits[i].whole for i in law.columns):
        return True
    terms = law.terms(values)
    missed = terms.sum(axis=1)
    if np.abs(missed).max() <= EXACT_ERROR * np.abs(terms).max():
        return True
    if not any(neighbours_resemble(values.x[:, i]) for i in law.columns):
        return True
    steps = math.sqrt(np.mean(np.diff(missed) ** 2))
    for i in law.columns:
        own = law.slope(values, i)[1:] * np.diff(values.x[:, i]) / values.scale[i]
        if not float(np.std(own)) > BREAKS * steps:
            return False
    return not neighbours_resemble(missed)
