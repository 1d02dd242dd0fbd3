"""How exactly a column is printed: what its last digit leaves open."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gramian._support.types import Array

MOST_DECIMALS = 14
LARGEST_WHOLE = 2.0**53
SINGLE = 2.0**-24
"""Half a unit of numbers of single precision, as a share of them."""
SINGLE_DIGITS = 7
"""Text files often have this many digits; single precision just holds them."""
DOUBLE = 2.0**-51
"""A few units of numbers of double precision: decimals may have been computed, as 3 · 0.1 is."""
COARSEST = 0.1
"""With more digits, any number might be taken for a decimal one."""
COARSE = 0.05
"""A column whose last digit is a larger share of its deviation is taken as it is."""


@dataclass(frozen=True)
class Precision:
    """With how many digits the values of a column are known.

    A column may be printed with a number of decimals, or with a number of digits. The larger of the
    two half units is what its last digit leaves open: where decimals are what is fixed, digits
    leave less open in all but the largest values, and the other way round.
    """

    decimals: int | None = None
    digits: int = 0
    relative: float = 0.0
    """What numbers of single precision leave open."""

    @property
    def significant(self) -> int:
        """About how many digits there are."""
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


EXACT = Precision()
"""The precision of a column that is as it is: nothing is left open but rounding."""


def precision_of(x: Array) -> Precision:
    """Return with how many digits a column is printed.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column, finite values only.
    """
    found = _decimal(x, DOUBLE)
    if found is None and bool((x == x.astype(np.float32)).all()):
        found = replace(_decimal(x, SINGLE) or _significant(x), relative=SINGLE)
    if found is None:
        return EXACT
    spread = float(np.std(x))
    fine = float(np.median(found.half_unit(x))) <= COARSE * spread
    return found if fine else EXACT


def _decimal(x: Array, share: float) -> Precision | None:
    """Return the decimals and digits of a column, if it has few enough of them.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column.
    share : float
        By which share of it a stored number may differ from the decimal one.
    """
    for decimals in range(MOST_DECIMALS + 1):
        whole = np.rint(x * 10.0**decimals)
        if np.abs(whole).max() * share >= COARSEST:
            return None
        if (np.abs(whole / 10.0**decimals - x) <= share * np.abs(x)).all():
            return Precision(decimals, _digits(np.abs(whole)))
    return None


def _significant(x: Array) -> Precision:
    """Return with how many digits numbers were printed before they became single precision."""
    for digits in range(1, SINGLE_DIGITS + 1):
        unit = _last_digit(x, digits)
        if (np.abs(np.rint(x / unit) * unit - x) <= SINGLE * np.abs(x)).all():
            return Precision(digits=digits)
    return EXACT


def _last_digit(x: Array, digits: int) -> Array:
    """Return the unit of the last digit of each value, if it has this many digits."""
    size = np.floor(np.log10(np.where(x == 0, 1.0, np.abs(x)))) + 1
    unit: Array = 10.0 ** (size - digits)
    return unit


def _digits(whole: Array) -> int:
    """Return the largest number of digits, zeros at the end not counted."""
    left = np.unique(whole[whole > 0])
    for _ in range(20):
        ends = left % 10 == 0
        if not ends.any():
            break
        left = np.where(ends, left / 10, left)
    return int(np.floor(np.log10(left.max())) + 1) if len(left) else 1
