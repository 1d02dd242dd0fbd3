"""Round coefficients: replaces coefficients by round numbers within their standard errors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from gramian._support.types import Array
from gramian.formulas import MAX_DENOMINATOR
from gramian.laws._law_tolerances import STANDARD_ERRORS
from gramian.laws.forms import ONE, Law, Values
from gramian.laws.judge._level_regression import rms
from gramian.laws.judge._noise import Noise
from gramian.laws.judge._printed_digits import keeps_whole_numbers, share_reproduced

FINE = 1e-6
"""A coefficient with a relative standard error below this may be rounded to three digits."""
EPSILON = 1e-14
"""Least relative standard error of a coefficient: float64 sums are not more accurate."""
PRINTED_COEFFICIENT_ERROR = 1e-6
"""Assumed relative standard error of coefficients, in laws that hold up to rounding."""
CONSTANT_ERROR = 0.01
"""Largest relative change of a constant term when the other coefficients become round."""
LOST_ROWS = 1e-3
"""Share of the rows that a law with simpler coefficients may no longer give to the last digit."""
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
    """Return a number of few digits, or a small fraction, near a value; None if there is none.

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
    return None


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


def simplest(law: Law, values: Values, target: int) -> Law:
    """Return a law with the simplest coefficients that still give its column, else the law itself.

    Coefficients are divided by that of the column. Few digits are tried first, then small
    fractions, then more digits.

    Parameters
    ----------
    law : Law
        The law.
    values : Values
        Rows that obey it.
    target : int
        The column that the law gives, rounded to printed digits.
    """
    raw = law.raw_coefficients(values.scale)
    own = [k for k, each in enumerate(law.monomials) if any(i == target for (i, _), _ in each)]
    raw = raw / raw[min(own, key=lambda k: len(law.monomials[k]))]
    # A factor between two columns must give both, if it can.
    given = law.columns if len(law.columns) == 2 else [target]
    least = [
        share_reproduced(law, values, i) - (LOST_ROWS if i == target else LOST_OTHERS)
        for i in given
    ]
    for rounded in (*map(_to_digits, (1, 2, 3)), _to_fraction, *map(_to_digits, (4, 5, 6, 7))):
        near = np.array([rounded(float(value)) for value in raw])
        if near.all() and np.abs(near / raw - 1).max() < LARGEST_CHANGE:
            found = Law(law.coefficients * near / raw, law.monomials)
            if all(
                share_reproduced(found, values, i) >= n for i, n in zip(given, least, strict=True)
            ):
                return found
    return law


def _to_digits(digits: int) -> Callable[[float], float]:
    return lambda value: float(f"{value:.{digits - 1}e}")


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
    pairs = zip(raw.tolist(), errors.tolist(), strict=True)
    # A coefficient that would be rounded to zero keeps its value.
    new = np.array([round_number(value, error) or value for value, error in pairs])
    candidate = Law(law.coefficients * new / raw, law.monomials)
    if _error(candidate, values, noise) > ROUNDED_ERROR * _error(law, values, noise) + EPSILON:
        return law, raw
    if keeps_whole_numbers(law, values) and not keeps_whole_numbers(candidate, values):
        return law, raw
    return candidate, new


def _error(law: Law, values: Values, noise: Noise | None) -> float:
    """Return the error of a law, or that of the column which a law with noise gives."""
    return law.error(values) if noise is None else rms(noise.errors(law, values))
