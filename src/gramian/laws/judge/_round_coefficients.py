"""Round coefficients: replaces coefficients by round numbers within their standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from gramian._support.types import Array
from gramian.formulas import MAX_DENOMINATOR
from gramian.laws._law_tolerances import EXACT_ERROR, STANDARD_ERRORS
from gramian.laws.forms import ONE, Law, Values
from gramian.laws.judge._level_regression import rms
from gramian.laws.judge._noise import Noise
from gramian.laws.judge._printed_digits import keeps_whole_numbers, share_reproduced

FINE = 1e-6
"""A coefficient with a relative standard error below this may be rounded to three digits."""
EPSILON = 1e-14
"""Least relative standard error of a coefficient: float64 sums are not more accurate."""
ADDED_UP = 1e-11
"""Assumed relative standard error of coefficients of numbers that were added up one by one."""
PRINTED_COEFFICIENT_ERROR = 1e-6
"""Assumed relative standard error of coefficients, in laws that hold up to rounding."""
FACTOR_ERRORS = (1e-6, 1e-5, 1e-4)
"""Relative standard errors of a factor between columns, tried one after the other."""
CONSTANT_ERROR = 0.01
"""Largest relative change of a constant term when the other coefficients become round."""
LOST_ROWS = 1e-3
"""Share of the rows that a law with simpler coefficients may no longer give to the last digit, if
it did not give all."""
LOST_OTHERS = 0.01
"""The same share for another column, which the law was not fitted to give."""
LARGEST_CHANGE = 0.1
"""Largest relative change of a coefficient that becomes simpler."""
SMALL_DENOMINATOR = 36
"""Largest denominator of a fraction that is simpler than four digits."""
ROUNDED_ERROR = 1.05
"""Round coefficients are used only if they increase the error of the law at most by this factor."""


def relative_errors(law: Law, values: Values, reference: int, noise: Noise | None) -> Array:
    """Return the relative standard error of each coefficient of a law; 0 for `reference`.

    Parameters
    ----------
    law : Law
        The law, fitted to the rows of `values`.
    values : Values
        The rows from which standard errors are computed.
    reference : int
        Index of the term whose coefficient is fixed.
    noise : Noise or None
        The errors of the column that the law gives; None for errors relative to the largest term.
    """
    terms = law.terms(values)
    if noise is None:
        largest = np.abs(terms).max(axis=1)
        weighted = terms[largest > 0] / largest[largest > 0, np.newaxis]
    else:
        weighted = terms * noise.weights(law, values)[:, np.newaxis]
    others = np.delete(weighted, reference, axis=1)
    sigma = np.sqrt(np.mean(weighted.sum(axis=1) ** 2))
    inverse = np.linalg.pinv(others.T @ others)
    found: Array = sigma * np.sqrt(np.abs(np.diag(inverse)))
    return np.insert(found + EPSILON, reference, 0.0)


def round_number(value: float, error: float) -> float | None:
    """Return a number of few digits, a small fraction, or a part such as 1/3600, near a value.

    The result is None if there is none.

    The number must be within `STANDARD_ERRORS` times the relative standard error `error`.
    """
    slack = STANDARD_ERRORS * error
    digits = 3 if error < FINE else 2 if error < 1e-3 else 1
    for n in range(digits):
        rounded = float(f"{value:.{n}e}")
        if abs(rounded - value) <= slack * abs(value):
            return rounded
    near = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    small = 0 < abs(near.numerator) <= (999 if error < FINE else MAX_DENOMINATOR)
    if small and abs(float(near) - value) <= slack * abs(value):
        return float(near)
    part = _to_part(digits)(value)
    return part if abs(part - value) <= slack * abs(value) else None


def snapped(law: Law, values: Values) -> Law | None:
    """Return a law with round coefficients; None if the law is no sum and no coefficient changes.

    It is for laws that hold up to the rounding of the numbers in the table. The coefficients for
    unscaled columns are divided by the coefficient of the first column. Each is then replaced by a
    number of few digits or a small fraction, if one is very near. The constant term is then the
    median that the other terms leave: if numbers are large, a fit determines it badly.

    Parameters
    ----------
    law : Law
        The law, fitted to the rows of `values`.
    values : Values
        The rows.
    """
    raw = law.raw_coefficients(values.scale)
    raw = raw / next(value for value, each in zip(raw, law.monomials, strict=True) if each)
    near = [round_number(float(value), PRINTED_COEFFICIENT_ERROR) or float(value) for value in raw]
    if not law.is_linear:
        same = bool((np.array(near) == raw).all())
        return None if same else Law(law.coefficients * (np.array(near) / raw), law.monomials)
    # Scales are powers of two: the coefficients of scaled columns are exact.
    units = np.array([values.scale[each[0][0][0]] if each else 1.0 for each in law.monomials])
    coefficients = np.array(near) * (units / units.max())
    if ONE in law.monomials:
        place = law.monomials.index(ONE)
        rest = np.delete(Law(coefficients, law.monomials).terms(values), place, axis=1)
        constant = -float(np.median(rest.sum(axis=1))) * units.max()
        if constant and abs(constant - raw[place]) <= CONSTANT_ERROR * abs(raw[place]):
            constant = round_number(constant, PRINTED_COEFFICIENT_ERROR) or constant
            coefficients[place] = constant / units.max()
    return Law(coefficients, law.monomials)


def with_best_factor(law: Law, values: Values, target: int) -> Law:
    """Return a law of two terms with the factor that gives most cells of its column.

    A round factor stays unless it misses many more cells.

    Parameters
    ----------
    law : Law
        The law; it is returned if it has more than two terms, or if the column is in both.
    values : Values
        The rows.
    target : int
        The column that the law gives, rounded to printed digits.
    """
    own = [any(i == target for (i, _), _ in each) for each in law.monomials]
    if len(own) != 2 or sum(own) != 1:
        return law
    place = own.index(False)
    best = _with_best_coefficient(law, values, target, place)
    most = max(share_reproduced(each, values, target) for each in (best, law))
    # If other columns were rounded, or have wrong cells, cells are missed by chance.
    needed = most - max(LOST_OTHERS, STANDARD_ERRORS * math.sqrt(most * (1 - most) / values.n_rows))
    raw = best.raw_coefficients(values.scale)
    factor = float(raw[place] / raw[own.index(True)])
    for error in FACTOR_ERRORS if factor and np.isfinite(factor) else ():
        known = round_number(factor, error)
        if known is not None:
            coefficients = best.coefficients.copy()
            coefficients[place] *= known / factor
            found = Law(coefficients, best.monomials)
            if share_reproduced(found, values, target) >= needed:
                return found
    return best if share_reproduced(law, values, target) < most else law


def _with_best_coefficient(law: Law, values: Values, target: int, place: int) -> Law:
    """Return a law with the coefficient of one term that gives most cells of a column.

    Every row in which the column is printed to some digits says that the coefficient lies in an
    interval; the middle of the numbers that lie in most intervals is taken.

    Parameters
    ----------
    law, values, target
        See `with_best_factor`.
    place : int
        The index of the term, in which the column does not occur.
    """
    terms, half = law.terms(values), values.half_unit(target)
    allowed = np.abs(law.slope(values, target)) / values.scale[target] * half
    factor = terms[:, place]
    others = terms.sum(axis=1) - factor
    usable = (factor != 0) & (allowed > 0)
    if not usable.any():
        return law
    ends = np.stack([(side * allowed - others)[usable] / factor[usable] for side in (-1.0, 1.0)])
    every = np.concatenate([ends.min(axis=0), ends.max(axis=0)])
    order = np.argsort(every, kind="stable")
    depth = np.cumsum(np.where(order < usable.sum(), 1, -1))
    deepest = int(np.argmax(depth))
    coefficients = law.coefficients.copy()
    coefficients[place] *= float(every[order[deepest : deepest + 2]].mean())
    return Law(coefficients, law.monomials)


def simplest(law: Law, values: Values, target: int) -> Law:
    """Return a law with the simplest coefficients that still give its column, else the law itself.

    A law of two columns should give both: of the laws with the simplest coefficients for either
    column, the one is returned that gives more cells.

    Parameters
    ----------
    law : Law
        The law.
    values : Values
        Rows that obey it.
    target : int
        The column that the law gives, rounded to printed digits.
    """
    own = _simplest(law, values, target)
    others = [i for i in law.columns if i != target]
    if len(others) > 1 or not law.is_linear or values.traits[others[0]].precision.decimals is None:
        return own
    least = share_reproduced(own, values, target)
    other = _simplest(law, values, others[0])
    if share_reproduced(other, values, target) < least:
        return own
    better = share_reproduced(other, values, others[0]) > share_reproduced(own, values, others[0])
    return other if better else own


def _simplest(law: Law, values: Values, target: int) -> Law:
    """Return a law with the simplest coefficients that still give its column, else the law itself.

    Coefficients are divided by that of the column. Few digits are tried first, then small
    fractions, then parts such as 1/3600, then more digits. A constant that is added is fitted again
    when the other coefficients are round. The parameters are those of `simplest`.
    """
    law = with_best_factor(law, values, target)
    # A factor between two columns must give both, if it can.
    given = law.columns if len(law.columns) == 2 else [target]
    shares = [share_reproduced(law, values, i) for i in given]
    least = [
        share - (LOST_OTHERS if i != target else LOST_ROWS if share < 1 else 0.0)
        for i, share in zip(given, shares, strict=True)
    ]

    def is_good(other: Law) -> bool:
        return all(
            share_reproduced(other, values, i) >= n for i, n in zip(given, least, strict=True)
        )

    constant = law.monomials.index(ONE) if ONE in law.monomials else None
    for rounded in ROUNDINGS:
        found = _rounded(law, values, target, rounded)
        if found is not None and is_good(found):
            return found
        if found is not None and constant is not None:
            moved = _with_best_coefficient(found, values, target, constant)
            if moved.coefficients[constant] and is_good(moved):
                choices = (_rounded(moved, values, target, each) for each in ROUNDINGS)
                return next((each for each in choices if each and is_good(each)), moved)
    return law


def _rounded(
    law: Law, values: Values, target: int, rounded: Callable[[float], float]
) -> Law | None:
    """Return a law with rounded coefficients; None if one is zero or changes much."""
    raw = law.raw_coefficients(values.scale)
    own = [k for k, each in enumerate(law.monomials) if any(i == target for (i, _), _ in each)]
    raw = raw / raw[min(own, key=lambda k: len(law.monomials[k]))]
    if not np.isfinite(raw).all():
        return None  # the scales of subnormal numbers overflow
    near = np.array([rounded(float(value)) for value in raw])
    if not near.all() or np.abs(near / raw - 1).max() >= LARGEST_CHANGE:
        return None
    return Law(law.coefficients * near / raw, law.monomials)


def _to_digits(digits: int) -> Callable[[float], float]:
    return lambda value: float(f"{value:.{digits - 1}e}")


def _to_part(digits: int) -> Callable[[float], float]:
    """Return a function that rounds a number of which 1 is a multiple, such as 1/3600."""
    return lambda value: 1 / float(f"{1 / value:.{digits - 1}e}") if 0 < abs(value) < 1 else value


def _to_fraction(value: float) -> float:
    return float(Fraction(value).limit_denominator(SMALL_DENOMINATOR))


def with_round_coefficients(
    law: Law, raw: Array, values: Values, reference: int, noise: Noise | None = None
) -> tuple[Law, Array]:
    """Return a law with round coefficients, unless they increase its error too much.

    Parameters
    ----------
    law : Law
        The law, with coefficients of scaled columns.
    raw : array of shape (n_terms,)
        Its coefficients in the units of the table; the coefficient of `reference` is 1.
    values : Values
        The rows in which the error of the law is computed.
    reference : int
        Index of the term whose coefficient is fixed.
    noise : Noise, optional
        The errors of the column that a law with noise gives, which may not increase.

    Returns
    -------
    law : Law
        The law with round coefficients, or the unchanged law.
    raw : array of shape (n_terms,)
        The coefficients of the returned law in the units of the table.
    """
    errors = relative_errors(law, values, reference, noise)
    choices = [(errors, ROUNDED_ERROR * _error(law, values, noise) + EPSILON)]
    if noise is None:
        # Numbers that were added up, such as months of 1/12 years, differ by many rounding errors.
        choices.insert(0, (np.maximum(errors, ADDED_UP), EXACT_ERROR))
    for errors, allowed in choices:
        pairs = zip(raw.tolist(), errors.tolist(), strict=True)
        # A coefficient that would be rounded to zero keeps its value.
        new = np.array([round_number(value, error) or value for value, error in pairs])
        candidate = Law(law.coefficients * new / raw, law.monomials)
        lost = keeps_whole_numbers(law, values) and not keeps_whole_numbers(candidate, values)
        if _error(candidate, values, noise) <= allowed and not lost:
            return candidate, new
    return law, raw


def _error(law: Law, values: Values, noise: Noise | None) -> float:
    """Return the error of a law, or that of the column which a law with noise gives."""
    return law.error(values) if noise is None else rms(noise.errors(law, values))


ROUNDINGS = (
    *map(_to_digits, (1, 2, 3)),
    _to_fraction,
    *map(_to_part, (1, 2, 3)),
    *map(_to_digits, (4, 5, 6, 7)),
)
"""Ways to round coefficients, simple numbers first."""
