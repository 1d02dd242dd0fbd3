"""Round coefficients: replaces coefficients by round numbers within their standard errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gramian._support.types import Array
from gramian.formulas import MAX_DENOMINATOR
from gramian.laws._law_tolerances import STANDARD_ERRORS
from gramian.laws.forms import Law, Values

FINE = 1e-6
"""A coefficient with a relative standard error below this may be rounded to three digits."""
EPSILON = 1e-14
"""Least relative standard error of a coefficient: float64 sums are not more accurate."""
PRINTED_COEFFICIENT_ERROR = 1e-6
"""Assumed relative standard error of coefficients, in laws that hold up to rounding."""
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


def snapped(law: Law, scale: Array) -> Law | None:
    """Return a law with round coefficients; None if no coefficient changes.

    It is for laws that hold up to the rounding of the numbers in the table. The coefficients for
    unscaled columns are divided by the first one; each is then replaced by a number of few digits
    or a small fraction, if one is very near. `scale` has the divisors of the columns.
    """
    raw = law.raw_coefficients(scale)
    raw = raw / raw[0]
    near = [round_number(float(value), PRINTED_COEFFICIENT_ERROR) or float(value) for value in raw]
    factors = np.array(near) / raw
    if (factors == 1).all():
        return None
    return Law(law.coefficients * factors, law.monomials)


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
    return candidate, new
