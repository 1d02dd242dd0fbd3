"""Printed digits: the errors of a law that the rounding of the numbers in the table can cause."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR
from gramian.laws.columns import Printed
from gramian.laws.forms import ONE, Law, Solution, Values

LAST_DIGIT = 2.2
"""A printed number may miss a law by this many half units of its last digit.

The limit allows for a number that was rounded twice.
"""
WHOLE = 0.25
"""A law of whole numbers may miss by this share of the number 1, because of float64 rounding."""
SHIFTED = 0.45
"""Largest mean error of a whole number that was rounded."""
TIE = 1e-6
"""Relative error of half a unit: a number in the middle is rounded up or down."""
ROUNDED_ONCE = 0.85
"""Share of rows that obey a law to the last digit, from which on its result was rounded once."""
APART = 1.5
"""Median error of the other rows, in half units: one unit of the last digit is from 1 to 3."""
FEW, BEYOND = 0.01, 1.05
"""If at most this share of the rows miss a law, each by so many half units, cells are wrong by a
unit of the last digit."""
SINGLE_ERROR = 1e-6
"""A law can be solved for a column if the error is at most this share of its deviation.

The number is a few rounding errors of single precision (float32).
"""
ROUNDING = np.finfo(np.float64).eps
"""Relative error of a sum of terms in float64."""


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


def is_shifted(law: Law, values: Values, target: int | None) -> bool:
    """Return True if a rounded whole number is nearly always half a unit too large or too small.

    Then the law lacks a constant. Parameters are those of `printed_error`.
    """
    if target is None or not values.traits[target].whole:
        return False
    slope = law.slope(values, target) / values.scale[target]
    missed = law.terms(values).sum(axis=1)[slope != 0] / slope[slope != 0]
    return bool(len(missed)) and abs(float(np.mean(missed))) > SHIFTED


def is_truncated(law: Law, values: Values, target: int | None) -> bool:
    """Return True if a line gives a whole number that was rounded down or up, not to the nearest.

    Minutes are the seconds over 60, rounded down: the line minus a half, rounded, gives most rows.
    Parameters are those of `printed_error`.
    """
    if target is None or not values.traits[target].whole:
        return False
    if not law.is_linear or ONE not in law.monomials or len(law.columns) != 2:
        return False
    slope = law.slope(values, target)[0] / values.scale[target]
    constant = law.coefficients[law.monomials.index(ONE)] / slope
    (other,) = (i for i in law.columns if i != target)
    fine = abs(law.slope(values, other)[0] / values.scale[other] / slope) < 1
    return bool(fine and abs(abs(constant) - 0.5) <= 0.5 - SHIFTED)


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


def share_reproduced(law: Law, values: Values, target: int) -> float:
    """Return the share of rows in which a law, rounded to the printed digits, gives its column."""
    return float(np.mean(rows_reproduced(law, values, target)))


def rows_reproduced(law: Law, values: Values, target: int) -> NDArray[np.bool_]:
    """Return a mask of the rows in which a law, rounded to the printed digits, gives its column."""
    slope = np.abs(law.slope(values, target)) / values.scale[target]
    half = values.half_unit(target)
    terms = law.terms(values)
    allowed = slope * half * (1 + TIE) + EXACT_ERROR * np.abs(terms).max(axis=1)
    return np.asarray(np.abs(terms.sum(axis=1)) <= allowed)


def is_single_error(errors: Array, column: Array) -> bool:
    """Return True if errors of a column are as small as rounding errors of single precision."""
    return bool(np.std(errors) <= SINGLE_ERROR * np.std(column))


def given_best(solved: Mapping[int, Solution | None], table: Mapping[str, Array]) -> list[int]:
    """Return the columns that a law gives in the most rows, rounded as they are in the table.

    If r = p / q was computed and rounded to float32, p = q · r is seldom right to the last bit.

    Parameters
    ----------
    solved : mapping from int to Solution or None
        The law, solved for each column.
    table : mapping from str to array of shape (n_rows,)
        The columns, by name; NaN where a cell is empty.
    """
    n_given = dict.fromkeys(solved, 0)
    for i, solution in solved.items():
        if solution is not None:
            cells = table[solution.column]
            made = solution.rounded_to(Printed.of(cells).rounding)(table)
            n_given[i] = int(np.sum(made == cells))
    return [i for i, n in n_given.items() if n == max(n_given.values())]


def keeps_whole_numbers(law: Law, values: Values) -> bool:
    """Return False if a law misses whole numbers: ids of 15 digits differ by little, but differ."""
    missed = np.abs(law.terms(values).sum(axis=1))
    largest = np.abs(law.terms(values)).max(axis=1)
    return bool((missed <= _float_errors(law, values, largest)).all())


def _float_errors(law: Law, values: Values, largest: Array) -> Array:
    """Return for each row the largest error of a law that float64 rounding can cause.

    If all columns have whole numbers, the error is also less than 1 in the unit of each column. It
    is zero if float64 cannot tell whole numbers apart: then only a sum of columns can be tested.

    Parameters
    ----------
    law, values
        The law and the rows.
    largest : array of shape (n_rows,)
        The largest absolute term in each row.
    """
    found: Array = EXACT_ERROR * largest
    if not all(values.traits[i].whole for i in law.columns):
        return found
    units = [np.abs(law.slope(values, i)) / values.scale[i] for i in law.columns]
    found = np.minimum(found, WHOLE * np.min(units, axis=0))
    least = ROUNDING * largest
    if not law.is_linear and np.median(least) > np.median(found):
        return np.zeros(len(largest))
    return np.maximum(found, least)


def is_rounded_once(missed: Array, half: Array) -> bool:
    """Return True if nearly all rows obey a law to the last digit, and the others miss by more.

    Then a row that misses by one unit of the last digit has a wrong cell. If a law is computed from
    numbers that were rounded before, many rows miss the last digit, and most of them by little.

    Parameters
    ----------
    missed : array of shape (n_rows,)
        The errors of the law.
    half : array of shape (n_rows,)
        The largest errors, if the result was rounded once.
    """
    outside = missed > (1 + TIE) * half
    if not outside.any() or outside.mean() > 1 - ROUNDED_ONCE or not (half > 0).all():
        return False
    times = missed[outside] / half[outside]
    return bool(np.median(times) >= APART or (outside.mean() <= FEW and times.min() >= BEYOND))


def _printed_widths(law: Law, values: Values, target: int | None) -> tuple[Array, Array, Array]:
    """Return for each row the error of a law, the largest error of rounding, the largest term."""
    terms, traits = law.terms(values), values.traits
    missed = np.abs(terms.sum(axis=1))
    largest = np.abs(terms).max(axis=1)
    if target is not None and traits[target].counts_up:
        return missed, _float_errors(law, values, largest), largest
    rounded = [i for i in law.columns if not traits[i].whole] if target is None else [target]
    width = _float_errors(law, values, largest)
    for i in {*law.columns} - {*rounded}:
        # Other columns may have been computed before this column became single precision.
        left = traits[i].precision.relative * np.abs(values.x[:, i])
        width = width + np.abs(law.slope(values, i)) * left / values.scale[i]
    logs = {i for each in law.monomials for (i, atom), _ in each if atom == "log"}
    # Sums of several logarithms are often computed from logarithms that were already rounded.
    last_digit = LAST_DIGIT + max(len(logs) - 1, 0)
    for i in rounded:
        unit = values.half_unit(i)
        half = np.abs(law.slope(values, i)) * unit / values.scale[i]
        # Numbers with some significant digits may be differences of larger numbers.
        has_decimals = unit.min() == unit.max()
        # Whole numbers are rounded once; decimals may be sums of rounded numbers.
        if traits[i].whole:
            width = width + half
        elif i == target and has_decimals and is_rounded_once(missed - width, half):
            width = width + (1.0 + TIE) * half
        else:
            width = width + last_digit * half
    return missed, width, largest
