"""Printed digits: the errors of a law that the rounding of the numbers in the table can cause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR
from gramian.laws.forms import Law, Values

LAST_DIGIT = 2.2
"""A printed number may miss a law by this many half units of its last digit.

The limit allows for a number that was rounded twice.
"""


def printed_error(law: Law, values: Values, target: int | None) -> float:
    """Return the relative error of a law that the rounding of printed digits can cause.

    The result is infinite if a row misses the law by more than rounding can explain, or if all
    terms are zero in all rows.

    Parameters
    ----------
    law : Law
        The law whose errors are compared with rounding errors.
    values : Values
        The rows in which the law is tested.
    target : int or None
        Index of the rounded column; None if all columns may be rounded except columns of whole
        numbers, which are counts.
    """
    missed, width, largest = _printed_widths(law, values, target)
    there = largest > 0
    if not (missed <= width).all() or not there.any():
        return np.inf
    return float(np.sqrt(np.mean((width[there] / largest[there]) ** 2)))


def rows_that_hold(law: Law, values: Values, target: int | None) -> NDArray[np.bool_]:
    """Return a mask of the rows that obey a law up to the rounding of printed digits.

    Parameters
    ----------
    law, values, target
        As in `printed_error`.
    """
    with np.errstate(all="ignore"):
        missed, width, _ = _printed_widths(law, values, target)
        return np.asarray(missed <= width)


def widths_missed(law: Law, values: Values, target: int | None) -> Array:
    """Return for each row the error of a law, divided by the largest error of rounding.

    Parameters
    ----------
    law, values, target
        As in `printed_error`.
    """
    with np.errstate(all="ignore"):
        missed, width, _ = _printed_widths(law, values, target)
        return np.asarray(missed / np.maximum(width, np.finfo(np.float64).tiny))


def _printed_widths(law: Law, values: Values, target: int | None) -> tuple[Array, Array, Array]:
    """Return for each row the error of a law, the largest error of rounding, the largest term."""
    terms, traits = law.terms(values), values.traits
    missed = np.abs(terms.sum(axis=1))
    largest = np.abs(terms).max(axis=1)
    if target is not None and traits[target].counts_up:
        return missed, np.zeros(len(missed)), largest
    rounded = [i for i in law.columns if not traits[i].whole] if target is None else [target]
    width = EXACT_ERROR * largest
    logs = {i for each in law.monomials for (i, atom), _ in each if atom == "log"}
    # Sums of several logarithms are often computed from logarithms that were already rounded.
    last_digit = LAST_DIGIT + max(len(logs) - 1, 0)
    for i in law.columns:
        x, precision = values.x[:, i], traits[i].precision
        if i in rounded:
            # Whole numbers are rounded once; decimals may be sums of rounded numbers.
            left = (1.0 if traits[i].whole else last_digit) * precision.half_unit(x)
        elif precision.relative:
            # Other columns may have been computed before this column became single precision.
            left = precision.relative * np.abs(x)
        else:
            continue
        width = width + np.abs(law.slope(values, i)) * left / values.scale[i]
    return missed, width, largest
