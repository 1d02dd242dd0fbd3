"""Digits of coefficients: how many digits a law needs when it is printed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns import allowed_error
from gramian.laws.forms import (
    COEFFICIENT_DIGITS,
    ROUND_DIGITS,
    Law,
    Values,
    as_written,
    is_round,
)
from gramian.laws.judge._level_regression import rms
from gramian.laws.judge._noise import Noise

PRINTED_DIGITS = range(4, 10)
"""Numbers of significant digits with which coefficients of rounded numbers are tried."""
NOISY_DIGITS = range(1, 9)
"""Numbers of significant digits with which coefficients of a law with noise are tried."""
PRINTED_ERROR = 1e-3
"""Largest error of a printed law, as a share of the deviation of its column."""


def with_fewest_digits(law: Law, raw: Array, as_good: Callable[[Law], bool]) -> tuple[Law, Array]:
    """Return a law with the fewest digits that are as good: 2.54, not 2.54002, for inches.

    Parameters
    ----------
    law : Law
        The law, with coefficients of scaled columns.
    raw : array of shape (n_terms,)
        Its coefficients in the units of the table.
    as_good : callable
        Returns True if a law with other coefficients is as good as the law.

    Returns
    -------
    law : Law
        The law with fewer digits, or the unchanged law.
    raw : array of shape (n_terms,)
        The coefficients of the returned law in the units of the table.
    """
    for digits in PRINTED_DIGITS:
        candidate, printed = _with_digits(law, raw, digits)
        if as_good(candidate):
            return candidate, printed
    return law, raw


def with_shortest_digits(law: Law, raw: Array, values: Values, noise: Noise) -> tuple[Law, Array]:
    """Return a law with noise whose coefficients and errors together are described shortest.

    A digit costs log 10, and an error of relative size e in each of n rows costs n · log e: few
    rows do not determine many digits.

    Parameters
    ----------
    law : Law
        The law, with coefficients of scaled columns.
    raw : array of shape (n_terms,)
        Its coefficients in the units of the table.
    values : Values
        The rows.
    noise : Noise
        The errors of the column that the law gives.

    Returns
    -------
    law : Law
        The law with fewer digits, or the unchanged law.
    raw : array of shape (n_terms,)
        The coefficients of the returned law in the units of the table.
    """
    best, least = (law, raw), math.inf
    for digits in NOISY_DIGITS:
        candidate, printed = _with_digits(law, raw, digits)
        error = rms(noise.errors(candidate, values))
        length = math.log(10) * sum(map(_n_digits, printed)) + values.n_rows * math.log(error)
        if length < least:
            best, least = (candidate, printed), length
    return best


def _with_digits(law: Law, raw: Array, digits: int) -> tuple[Law, Array]:
    """Return a law with coefficients of some digits, and these coefficients."""
    printed = np.array([as_written(value, digits) for value in raw.tolist()])
    return Law(law.coefficients * printed / raw, law.monomials), printed


def _n_digits(value: float) -> int:
    """Return the number of significant digits of a number."""
    return len(f"{abs(value):.{ROUND_DIGITS}e}".split("e")[0].replace(".", "").rstrip("0"))


def digits_needed(
    law: Law, raw: Array, values: Values, column: int | None, noise: Noise | None
) -> int:
    """Return the number of digits with which a printed law gives a column.

    A law with noise may miss it by a small share of its deviation; another law must give as many
    cells as with all digits.

    Parameters
    ----------
    law : Law
        The law for scaled columns.
    raw : array of shape (n_terms,)
        Its coefficients in the units of the table.
    values : Values
        The rows.
    column : int or None
        The column for which the law is solved; None for an equation.
    noise : Noise or None
        The errors of a law with noise.
    """
    if column is None:
        return COEFFICIENT_DIGITS
    x = values.x[:, column]
    spread = float(np.std(values.of((column, "x"))))
    allowed = allowed_error(x)(x) / values.scale[column]
    n_given = int(np.sum(np.abs(law.missed(values, column)) <= allowed))
    for digits in range(COEFFICIENT_DIGITS, ROUND_DIGITS):
        printed = [v if is_round(v) else as_written(v, digits) for v in raw.tolist()]
        other = Law(law.coefficients * np.array(printed) / raw, law.monomials)
        missed = other.missed(values, column)
        close = rms(missed) <= PRINTED_ERROR * spread
        if close and (noise or int(np.sum(np.abs(missed) <= allowed)) >= n_given):
            return digits
    return COEFFICIENT_DIGITS
