"""Solved causes: the value of a column with which a sum of terms is a given number, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.formulas import Formula, Term


def balancing(
    terms: Sequence[Term], name: str, known: Mapping[str, Array], now: Array
) -> Array | None:
    """Return the values of a column with which terms add up to zero.

    The column must occur as one power only: A · x^p + B = 0. Of two roots, the one with the sign of
    the present value is returned.

    Parameters
    ----------
    terms : sequence of Term
        The terms.
    name : str
        The name of the column.
    known : mapping from str to array
        All columns of the terms.
    now : array of shape (n_rows,)
        The present values of the column, of which the sign is taken.
    """
    powers = {each.factors[name] for each in terms if name in each.factors}
    in_functions = any(isinstance(key, tuple) and name in key for t in terms for key in t.factors)
    if len(powers) != 1 or in_functions:
        return None
    (power,) = powers
    if not isinstance(power, (int, Fraction)):
        return None
    own = [
        Term(each.coefficient, {key: f for key, f in each.factors.items() if key != name})
        for each in terms
        if name in each.factors
    ]
    rest = [each for each in terms if name not in each.factors]
    with np.errstate(all="ignore"):
        slope, constant = _sum(own, known, len(now)), _sum(rest, known, len(now))
        powered = np.where(slope != 0, -constant / slope, np.nan)
        even = Fraction(power).numerator % 2 == 0
        size = np.abs(powered) ** float(1 / Fraction(power))
        if even:
            return np.where(powered < 0, np.nan, np.where(now < 0, -size, size))
        return np.sign(powered) * size


def _sum(terms: Sequence[Term], known: Mapping[str, Any], n_rows: int) -> Array:
    columns = tuple(dict.fromkeys(name for each in terms for name in each.columns))
    return np.array(np.broadcast_to(Formula(tuple(terms), columns)(known), n_rows))
