"""Precision of columns: the number of digits that the values were rounded to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns._single_precision import FULL, SINGLE, spelled, spelling_of

MOST_DECIMALS = 14
"""Largest number of decimals that is tried when the decimals of a column are counted."""
LARGEST_WHOLE = 2.0**53
"""Largest number up to which float64 represents every whole number exactly."""
SINGLE_DIGITS = 7
"""Largest number of significant digits that is tried for a column of single precision."""
DOUBLE = 2.0**-51
"""Relative error allowed for a decimal number in float64, which may be computed, as 3 · 0.1."""
NEARLY_ALL = 0.85
"""A column has this many decimals if this share of its cells has no more: others may be wrong."""
LAST_USED = 0.5
"""Share of these cells whose last decimal is not 0, in a column that was rounded to it."""
COARSEST = 0.1
"""Largest storage error in units of the last digit; with more, every number looks decimal."""
COARSE = 0.05
"""A column counts as not rounded if the rounding error exceeds this share of its deviation."""
RELATIVE = 1e-9
"""Allowed error of a cell relative to its value: laws with several steps lose some digits."""
DEVIATIONS = 1e-6
"""Allowed error of a cell that is not printed with few digits, in standard deviations."""


@dataclass(frozen=True)
class Precision:
    """The number of digits that the values of a column were rounded to.

    Values may be rounded to a fixed number of decimals, or to a fixed number of significant digits.
    The rounding error of a value is at most half a unit of the last digit. `half_unit` returns the
    larger of the two half units, one for the decimals and one for the significant digits.
    """

    decimals: int | None = None
    digits: int = 0
    relative: float = 0.0
    """Relative rounding error of single precision; 0 for double precision."""

    @property
    def significant(self) -> int:
        """The number of significant digits; without rounding, 7 (float32) or 16 (float64)."""
        if self.digits:
            return self.digits
        return 7 if self.relative else 16

    def half_unit(self, x: Array) -> Array:
        """Return half a unit of the last digit of each value: the largest rounding error.

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
"""The precision of a column whose values were not rounded."""


def precision_of(x: Array) -> Precision:
    """Return the number of digits that the values of a column were rounded to.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The values of the column; all are finite.
    """
    found = _decimal(x, DOUBLE)
    if (found is None or found.digits > SINGLE_DIGITS) and spelling_of(x) is not None:
        single = spelled(x, FULL)
        found = replace(_decimal(single, SINGLE) or _significant(single), relative=SINGLE)
    if found is None:
        return UNROUNDED
    spread = float(np.std(x))
    fine = float(np.median(found.half_unit(x))) <= COARSE * spread
    return found if fine else UNROUNDED


def allowed_error(column: Array) -> Callable[[Array], Array]:
    """Return a function from cells of a column to the largest error of a law that gives the cells.

    A law gives a cell if the computed value, rounded to the printed digits of the column, is the
    cell.

    Parameters
    ----------
    column : array of shape (n_rows,)
        Values of the column, which show its printed digits.
    """
    column = column[np.isfinite(column)]
    if not len(column):
        return np.zeros_like
    precision, deviation = precision_of(column), float(np.std(column))

    def allowed(cells: Array) -> Array:
        half_unit = precision.half_unit(cells)
        width = np.where(half_unit > 0, half_unit, DEVIATIONS * deviation)
        return width + RELATIVE * np.abs(cells)

    return allowed


def _decimal(x: Array, share: float) -> Precision | None:
    """Count the decimals and significant digits of a column; return None if it was not rounded.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The values of the column.
    share : float
        The largest relative difference between a stored number and the decimal number it stands
        for: the rounding error of float32 or float64.
    """
    for decimals in range(MOST_DECIMALS + 1):
        whole = np.rint(x * 10.0**decimals)
        if np.abs(whole).max() * share >= COARSEST:
            return None
        written = np.abs(whole / 10.0**decimals - x) <= share * np.abs(x)
        if written.all() or (decimals > 0 and _is_usual(written, whole)):
            return Precision(decimals, _digits(np.abs(whole[written])))
    return None


def _is_usual(written: NDArray[np.bool_], whole: Array) -> bool:
    """Return True if nearly all cells have a number of decimals, and most need all of them.

    Parameters
    ----------
    written : array of bool
        True for the cells that have no more decimals.
    whole : array
        The cells in units of the last decimal.
    """
    if written.mean() < NEARLY_ALL:
        return False
    return bool(np.mean(whole[written] % 10 != 0) >= LAST_USED)


def _significant(x: Array) -> Precision:
    """Count the significant digits that float32 values were rounded to before they were stored."""
    for digits in range(1, SINGLE_DIGITS + 1):
        unit = _last_digit(x, digits)
        if (np.abs(np.rint(x / unit) * unit - x) <= SINGLE * np.abs(x)).all():
            return Precision(digits=digits)
    return UNROUNDED


def _last_digit(x: Array, digits: int) -> Array:
    """Return the unit of the last of `digits` significant digits: 0.01 for 3.14159 and 3 digits."""
    size = np.floor(np.log10(np.where(x == 0, 1.0, np.abs(x)))) + 1
    unit: Array = 10.0 ** (size - digits)
    return unit


def _digits(whole: Array) -> int:
    """Return the largest number of digits of whole numbers; zeros at the end do not count."""
    left = np.unique(whole[whole > 0])
    for _ in range(20):
        ends = left % 10 == 0
        if not ends.any():
            break
        left = np.where(ends, left / 10, left)
    return int(np.floor(np.log10(left.max())) + 1) if len(left) else 1
