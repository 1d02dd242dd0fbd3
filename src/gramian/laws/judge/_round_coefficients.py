"""Round coefficients: replaces coefficients by round numbers within their standard errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gramian._support.types import Array
from gramian.formulas import MAX_DENOMINATOR
from gramian.laws._law_tolerances import STANDARD_ERRORS
from gramian.laws.forms import Law, Values

FINE = 1e-6
"""Relative standard error below which a round coefficient may have three digits, else fewer."""
EPSILON = 1e-14
"""Smallest relative standard error: float64 sums are not more accurate."""
PRINTED_COEFFICIENT_ERROR = 1e-6
"""Relative standard error that is assumed of coefficients of laws of printed digits."""
ROUNDED_ERROR = 1.05
"""Factor by which rounding of coefficients may increase the error of a law."""


def relative_errors(law: Law, values: Values, reference: int) -> Array:
    """Return the relative standard errors of the coefficients; the error of the reference is 0.

    Parameters
    ----------
    law : Law
        The law, fitted to these rows.
    values : Values
        The rows.
    reference : int
        The term whose coefficient is fixed.
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
    """Return the simplest number within the relative error of a value; None if there is none."""
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
    """Return a law of printed digits with round coefficients; None if no coefficient changes.

    The coefficient of the first term becomes 1 in the units of the table.
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
    """Return a law with round coefficients, unless rounding increases its error.

    Parameters
    ----------
    law : Law
        The law in scaled columns.
    raw : array of shape (n_terms,)
        The coefficients in the units of the table; the coefficient of the reference is 1.
    values : Values
        Rows.
    reference : int
        The term whose coefficient is fixed.

    Returns
    -------
    law : Law
        The law with round coefficients.
    raw : array
        The coefficients in the units of the table.
    """
    errors = relative_errors(law, values, reference)
    pairs = zip(raw.tolist(), errors.tolist(), strict=True)
    # No coefficient is rounded to zero.
    new = np.array([round_number(value, error) or value for value, error in pairs])
    candidate = Law(law.coefficients * new / raw, law.monomials)
    if candidate.error(values) > ROUNDED_ERROR * law.error(values) + EPSILON:
        return law, raw
    return candidate, new
