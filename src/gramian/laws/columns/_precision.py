"""Precision of columns: the number of printed digits, and half a unit of the last digit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gramian._support.types import Array

MOST_DECIMALS = 14
"""Largest number of decimals of a printed column."""
LARGEST_WHOLE = 2.0**53
"""Largest whole number up to which float64 holds all whole numbers."""
SINGLE = 2.0**-24
"""Half a unit of single precision, as a share of a number."""
SINGLE_DIGITS = 7
"""Largest number of digits that single precision holds; text files often have so many."""
DOUBLE = 2.0**-51
"""A few units of double precision: a decimal may have been computed, as 3 · 0.1 is."""
COARSEST = 0.1
"""Largest error of storage in units of the last digit; with more, any number looks decimal."""
COARSE = 0.05
"""Largest half unit of the last digit, as a share of the standard deviation of the column."""


@dataclass(frozen=True)
class Precision:
    """The printed digits of a column.

    A column may be printed with a fixed number of decimals, or of digits. The rounding error of a
    value is at most the larger of the two half units: if the decimals are fixed, the half unit of
    the digits is smaller in all but the largest values, and the other way round.
    """

    decimals: int | None = None
    digits: int = 0
    relative: float = 0.0
    """Relative rounding error of single precision; 0 for double precision."""

    @property
    def significant(self) -> int:
        """About the number of significant digits."""
        if self.digits:
            return self.digits
        return 7 if self.relative else 16

    def half_unit(self, x: Array) -> Array:
        """Return half a unit of the last digit of each value.

        Parameters
        ----------
        x : array of shape (n_rows,)
            Values of the column.
        """
        found: Array = self.relative * np.abs(x)
        if self.digits:
            found = np.maximum(found, np.where(x == 0, 0.0, 0.5 * _last_digit(x, self.digits)))
        if self.decimals is not None:
            found = np.maximum(found, 0.5 * 10.0**-self.decimals)
        return found


UNROUNDED = Precision()
"""The precision of a column that was not rounded to printed digits."""


def precision_of(x: Array) -> Precision:
    """Return the printed digits of a column.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column, finite values only.
    """
    found = _decimal(x, DOUBLE)
    if found is None and bool((x == x.astype(np.float32)).all()):
        found = replace(_decimal(x, SINGLE) or _significant(x), relative=SINGLE)
    if found is None:
        return UNROUNDED
    spread = float(np.std(x))
    fine = float(np.median(found.half_unit(x))) <= COARSE * spread
    return found if fine else UNROUNDED


def _decimal(x: Array, share: float) -> Precision | None:
    """Return the decimals and digits of a column; None if it has too many.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column.
    share : float
        The largest relative difference of a stored number and its decimal number.
    """
    for decimals in range(MOST_DECIMALS + 1):
        whole = np.rint(x * 10.0**decimals)
        if np.abs(whole).max() * share >= COARSEST:
            return None
        if (np.abs(whole / 10.0**decimals - x) <= share * np.abs(x)).all():
            return Precision(decimals, _digits(np.abs(whole)))
    return None


def _significant(x: Array) -> Precision:
    """Return the digits with which numbers were printed before they became single precision."""
    for digits in range(1, SINGLE_DIGITS + 1):
        unit = _last_digit(x, digits)
        if (np.abs(np.rint(x / unit) * unit - x) <= SINGLE * np.abs(x)).all():
            return Precision(digits=digits)
    return UNROUNDED


def _last_digit(x: Array, digits: int) -> Array:
    """Return the unit of the last digit of each value, for a given number of digits."""
    size = np.floor(np.log10(np.where(x == 0, 1.0, np.abs(x)))) + 1
    unit: Array = 10.0 ** (size - digits)
    return unit


def _digits(whole: Array) -> int:
    """Return the largest number of digits, without zeros at the end."""
    left = np.unique(whole[whole > 0])
    for _ in range(20):
        ends = left % 10 == 0
        if not ends.any():
            break
        left = np.where(ends, left / 10, left)
    return int(np.floor(np.log10(left.max())) + 1) if len(left) else 1
