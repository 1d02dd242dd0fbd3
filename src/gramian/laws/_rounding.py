"""Coefficients that are round numbers, as far as the data can tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gramian._support.types import Array
from gramian.laws._law import Law, Values
from gramian.laws._terms import raw_coefficients

SURE = 3.0
"""A round number is accepted within this many standard errors."""
FINE = 1e-6
"""Coefficients that are known better than this may have three digits, others one or two."""
MAX_DENOMINATOR = 12
EPSILON = 1e-14
NEAR = 1e-6
"""Coefficients of sums that may be rounded are compared with round numbers to about this."""


def relative_errors(law: Law, values: Values, reference: int) -> Array:
    """Return the relative standard errors of the coefficients, that of the reference being 0.

    Parameters
    ----------
    law : Law
        The law, fitted to these rows.
    values : Values
        The rows.
    reference : int
        The term whose coefficient is given.
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
    """Return the simplest number that is as near to a value as its relative error allows."""
    slack = SURE * error
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
    """Return a law with coefficients that are near round numbers replaced by these, if any are.

    The coefficient of the first term is 1 in the units of the table.
    """
    raw = raw_coefficients(law, scale)
    raw = raw / raw[0]
    near = [round_number(float(value), NEAR) or float(value) for value in raw]
    factors = np.array(near) / raw
    if (factors == 1).all():
        return None
    return Law(law.coefficients * factors, law.monomials)


def with_round_coefficients(
    law: Law, raw: Array, values: Values, reference: int
) -> tuple[Law, Array]:
    """Round coefficients where the data support it.

    Parameters
    ----------
    law : Law
        The law in scaled columns.
    raw : array of shape (n_terms,)
        Its coefficients in the units of the table, that of the reference being 1.
    values : Values
        Rows.
    reference : int
        The term whose coefficient is given.

    Returns
    -------
    law : Law
        The law with these coefficients.
    raw : array
        The coefficients in the units of the table.
    """
    errors = relative_errors(law, values, reference)
    pairs = zip(raw.tolist(), errors.tolist(), strict=True)
    # Nothing is rounded to zero.
    new = np.array([round_number(value, error) or value for value, error in pairs])
    candidate = Law(law.coefficients * new / raw, law.monomials)
    if candidate.error(values) > 1.05 * law.error(values) + EPSILON:
        return law, raw
    return candidate, new
