"""Round coefficients: replaces coefficients by round numbers within their standard errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gramian._support.types import Array
from gramian.formulas import MAX_DENOMINATOR
from gramian.laws._law_tolerances import STANDARD_ERRORS
from gramian.laws.forms import ONE, Law, Values
from gramian.laws.judge._printed_digits import keeps_whole_numbers

FINE = 1e-6
"""A coefficient with a relative standard error below this may be rounded to three digits."""
EPSILON = 1e-14
"""Least relative standard error of a coefficient: float64 sums are not more accurate."""
PRINTED_COEFFICIENT_ERROR = 1e-6
"""Assumed relative standard error of coefficients, in laws that hold up to rounding."""
CONSTANT_ERROR = 0.01
"""Largest relative change of a constant term when the other coefficients become round."""
ROUNDED_ERROR = 1.05
"""Round coefficients are used only if they increase the error of the law at most by this factor."""


def relative_errors(law: Law, values: Values, reference: int) -> Array:
    """Return the relative standard error of each coefficient of a law; 0 for `reference`.

    Parameters
    ----------
    law : Law
        The law, fitted to the rows of `values`.
    values : Values
        The rows from which standard errors are computed.
    reference : int
        Index of the term whose coefficient is fixed.
    """
    terms = law.terms(values)
    largest = np.abs(terms).max(axis=1)
    weighted = terms[largest > 0] / largest[largest > 0, np.newaxis]
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


def with_round_coefficients(
    law: Law, raw: Array, values: Values, reference: int
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

    Returns
    -------
    law : Law
        The law with round coefficients, or the unchanged law.
    raw : array of shape (n_terms,)
        The coefficients of the returned law in the units of the table.
    """
    errors = relative_errors(law, values, reference)
    pairs = zip(raw.tolist(), errors.tolist(), strict=True)
    # A coefficient that would be rounded to zero keeps its value.
    new = np.array([round_number(value, error) or value for value, error in pairs])
    candidate = Law(law.coefficients * new / raw, law.monomials)
    if candidate.error(values) > ROUNDED_ERROR * law.error(values) + EPSILON:
        return law, raw
    if keeps_whole_numbers(law, values) and not keeps_whole_numbers(candidate, values):
        return law, raw
    return candidate, new
