"""Length of a law: the number of bits that it takes to write the law down.

Of several laws that say the same, a person writes the shortest. A column costs as many bits as it
takes to name it among all columns, a coefficient as many as its digits take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from gramian.formulas import MAX_DENOMINATOR, PART_DIGITS
from gramian.laws.forms import Law, Monomial, Values, comparison
from gramian.laws.judge._control import Verdict
from gramian.laws.judge._printed_digits import share_reproduced

DIGIT = 5.0
"""Bits of a decimal digit, more than log2(10): numbers with few digits are more common."""
MOST_DIGITS = 5
"""A coefficient with more digits than these is not a number that a person wrote."""
UNKNOWN_NUMBER = 6 * DIGIT
"""Bits of a coefficient that is no round number."""
FEWEST_COLUMNS = 32
"""A column costs as many bits as in a table of at least this many columns."""
SMALL = 12
"""Largest of the numbers 2, 3, 4, ... and 1/2, 1/3, 1/4, ... that people multiply by."""
SMALL_NUMBER = 4.5
"""Bits of such a number; half a bit is added for each of its first two digits."""
POWER_OF_TEN = 2.0
"""Bits of a coefficient 0.01, 0.1, 10, 100 and so on."""
NEAR = 1e-9
"""Largest relative difference of two equal coefficients."""
FRACTION = 2.0
"""Bits of each bit of the two numbers of a fraction."""
REPEATED = 2.0
"""Bits of a column that occurs once more in a law."""
MOST_MISSED = 40.0
"""Largest number of bits of last digits, if more than one column was rounded."""
MINUS = 0.5
"""Bits of a minus sign."""
TERM = 0.5
"""Bits of a further term."""
NUMBER = 4.0
"""Bits of a coefficient besides its digits: a person seldom multiplies by a number."""
EXPONENT = 2.0
"""Bits of an exponent 2 or 1/2; larger ones take more."""
FUNCTION = 4.0
"""Bits of a function such as log."""
ROUNDED = 4.0
"""Bits by which a law may be longer that holds without rounding: it gives each of its columns."""
NO_DECIMAL = 1.0
"""Bits of a fraction such as 1/6 more than of one such as 1/5, which is a decimal number."""
COUNTED = 2.0
"""Bits of a whole number that is computed from decimals, which is rare."""
MOST_BITS = 50.0
"""Bits of a value with all digits of float64."""
ALL_ROUNDED = 12.0
"""Bits of the assumption that more than one column was rounded after the law was computed."""
AS_SHORT = 1.0
"""Bits by which a law may be longer that is solved for another column."""
MISSED_DIGITS = 200.0
"""Bits of last digits that the law, computed from the table and rounded, does not give; a share of
the rows costs this share of the bits."""
EXCEPTIONS = 30.0
"""Bits of exceptions in all rows; a share of the rows costs this share of the bits."""


def law_length(verdict: Verdict, values: Values) -> tuple[float, float]:
    """Return the length of an accepted law, and the bits that it does not save.

    Short laws are preferred. Of two solutions of the same length, the better one gives the column
    with the most values: it saves the most bits.

    Parameters
    ----------
    verdict : Verdict
        The law, the share of rows that obey it, and the column that was computed and rounded.
    values : Values
        The rows of the search.
    """
    law = verdict.law
    own = law.columns if verdict.target is None else [verdict.target]
    bits = {i: _value_bits(values, i) for i in law.columns}
    length = min(_solved_length(law, values, column) for column in own)
    length += len(law.columns) * math.log2(max(len(values.traits), FEWEST_COLUMNS))
    if verdict.rounding:
        length += ROUNDED
        if verdict.target is None:
            given = max(share_reproduced(law, values, i) for i in law.columns)
            length += ALL_ROUNDED + min(MISSED_DIGITS * (1 - given), MOST_MISSED)
        else:
            given = share_reproduced(law, (verdict.rows or (values,))[0], verdict.target)
            length += MISSED_DIGITS * (1 - given)
    length += EXCEPTIONS * (1 - verdict.share)
    whole = [values.traits[i].whole for i in law.columns]
    if verdict.target is not None and values.traits[verdict.target].whole and not all(whole):
        length += COUNTED
    return round(length, 1), max(bits.values()) - max(bits[i] for i in own)


def of_another_column(
    verdict: Verdict,
    length: float,
    lengths: Sequence[tuple[tuple[float, float], Verdict]],
    found: Sequence[Verdict],
) -> Verdict:
    """Return a law solved for a column that no accepted law gives, if it is about as short.

    Parameters
    ----------
    verdict : Verdict
        The law, solved for its target.
    length : float
        Its length.
    lengths : sequence of pairs
        All laws with their lengths and the bits that they do not save; see `law_length`.
    found : sequence of Verdict
        The accepted laws.
    """
    taken = {each.target for each in found} - {None}
    if verdict.target not in taken:
        return verdict
    others = [
        (lost, k)
        for k, ((bits, lost), each) in enumerate(lengths)
        if each.target is not None
        and each.target not in taken
        and (((each.target, "x"), 1),) in each.law.monomials
        and {*each.law.monomials} == {*verdict.law.monomials}
        and bits <= length + AS_SHORT
    ]
    if others:
        return lengths[min(others)[1]][1]
    sums = verdict.law.is_linear and verdict.rows is None
    return replace(verdict, target=None) if sums else verdict


def _solved_length(law: Law, values: Values, column: int) -> float:
    """Return the bits of the terms of a law that is solved for a column."""
    raw = law.raw_coefficients(values.scale)
    places = [k for k, each in enumerate(law.monomials) if any(i == column for (i, _), _ in each)]
    lengths = []
    for place in places:
        terms = [
            TERM + _number_length(float(raw[k] / raw[place])) if k != place else 0.0
            for k in range(len(raw))
        ]
        lengths.append(sum(terms))
    factors = sum(_factor_length(each) for each in law.monomials)
    again = sum(map(len, law.monomials)) - len(law.columns)
    return min(lengths) + factors + REPEATED * again


def _value_bits(values: Values, column: int) -> float:
    """Return the bits of a value of a column, in units of the last digit within its range."""
    x, precision = values.x[:, column], values.traits[column].precision
    unit = 1.0 if values.traits[column].whole else 2 * float(np.median(precision.half_unit(x)))
    return math.log2(1 + np.ptp(x) / unit) if unit else MOST_BITS


def _number_length(value: float) -> float:
    """Return the bits of a coefficient."""
    sign = MINUS if value > 0 else 0.0  # the other side of the equation changes the sign
    size = abs(value)
    if abs(size - 1) < NEAR:
        return sign
    simple = Fraction(size).limit_denominator(SMALL)
    small = max(simple.numerator, simple.denominator) <= SMALL
    if (
        small
        and 1 in (simple.numerator, simple.denominator)
        and abs(float(simple) - size) <= NEAR * size
    ):
        short = _is_near(size, 2)
        digits_text = f"{size:.2g}".strip("0.") if short else str(simple.denominator)
        decimal = short or _is_near(size, 3)
        return sign + SMALL_NUMBER + 0.5 * len(digits_text) + (0.0 if decimal else NO_DECIMAL)
    digits = next((d for d in range(1, MOST_DIGITS + 1) if _is_near(size, d)), None)
    if digits == 1 and abs(math.log10(size) - round(math.log10(size))) < NEAR:
        return sign + POWER_OF_TEN
    if digits is not None:
        return sign + NUMBER + DIGIT * digits
    digits = next((d for d in range(1, PART_DIGITS + 1) if _is_near(1 / size, d)), None)
    if digits is not None and abs(1 / size - round(1 / size)) < NEAR:  # 1/3600
        return sign + NUMBER + DIGIT * digits
    ratio = Fraction(size).limit_denominator(MAX_DENOMINATOR)
    if abs(float(ratio) - size) <= NEAR * size:
        return sign + NUMBER + FRACTION * math.log2(ratio.numerator * ratio.denominator)
    return sign + UNKNOWN_NUMBER


def _is_near(size: float, digits: int) -> bool:
    return abs(float(f"{size:.{digits - 1}e}") - size) <= NEAR * size


def _factor_length(monomial: Monomial) -> float:
    """Return the bits of the exponents, functions and thresholds of a term."""
    length = 0.0
    for (_, atom), power in monomial:
        length += EXPONENT * abs(math.log2(abs(float(power)))) + FUNCTION * (atom != "x")
        step = comparison(atom)
        if step is not None and step[1]:
            length += _number_length(step[1])
    return length
