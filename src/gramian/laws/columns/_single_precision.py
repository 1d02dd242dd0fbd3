"""Single precision: columns of float32 numbers, in whatever decimal digits they are written.

Many tables hold logarithms and ratios that were stored in single precision and then written with
more digits: 5.703782558441162 is the float32 number nearest to log(300), which R writes as
5.70378255844116, C with nine digits as 5.70378256, and pandas as 5.7037826.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._law_tolerances import MIN_EVIDENCE

FULL, FEWEST = 17, 0
"""Spellings: all digits of the float64 number that is equal, and as few as tell float32 apart."""
SPELLINGS = (FULL, 16, 15, 9, FEWEST)
"""Numbers of significant digits with which programs write float32 numbers; 0 is `FEWEST`."""
N_SHOWN = 300
"""Number of different values in which the spelling of a column is looked for."""
LONG = 15
"""Least number of digits of which the last may differ."""
WRITTEN = 5.1e-15
"""Relative error with which the numbers of a column may be written: half a unit of 15 digits."""
SINGLE = 2.0**-24
"""Relative rounding error of single precision (float32): half a unit of the last bit."""
MANTISSA = 24
"""Number of binary digits of a float32 number."""
LAST_BITS = 3
"""A float32 number that was computed seldom has zeros in this many last binary digits."""
FULL_SHARE = 0.5
"""Least share of values that use these digits; multiples of 1/4 and 1/64 use fewer digits."""


def spelled(values: Array, spelling: int) -> Array:
    """Return numbers rounded to single precision, then written with some digits and read again.

    Parameters
    ----------
    values : array of shape (n_rows,)
        The numbers.
    spelling : int
        The number of significant digits, one of `SPELLINGS`.
    """
    with np.errstate(all="ignore"):
        single = np.asarray(values, dtype=np.float64).astype(np.float32)
    if spelling == FULL:
        return single.astype(np.float64)
    if spelling == FEWEST:
        return single.astype(str).astype(np.float64)
    texts = np.char.mod(f"%.{spelling - 1}e", single.astype(np.float64))
    return np.asarray(texts.astype(np.float64))


def spelling_of(x: Array) -> int | None:
    """Return how a column of single precision is written; None if it has another precision.

    All values must be float32 numbers, and so many of them have so many digits that it is no
    chance: halves, multiples of 1/64, whole numbers and numbers of seven digits are float32
    numbers, or are written as these are, in any column.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The values of the column; all are finite.
    """
    values = np.unique(x[x != np.rint(x)])
    shown = values[:: max(1, len(values) // N_SHOWN)]
    shares = {
        each: float(np.mean(spelled(shown, each) == shown)) for each in SPELLINGS if len(shown)
    }
    for spelling in sorted(shares, key=lambda each: -shares[each]):
        if is_spelled(shown, shown, spelling).all():
            known = _evidence(shown) >= MIN_EVIDENCE and _uses_all_bits(shown)
            return spelling if known and is_spelled(x, x, spelling).all() else None
    return None


def is_spelled(cells: Array, numbers: Array, spelling: int) -> NDArray[np.bool_]:
    """Return for each cell True if it is a number in single precision, as written with some digits.

    The last of 15 digits or more may differ: some programs write 15, 16 or 17 digits, whichever
    they take to be enough.

    Parameters
    ----------
    cells : array of shape (n_rows,)
        The cells.
    numbers : array of shape (n_rows,)
        The numbers.
    spelling : int
        The number of digits, one of `SPELLINGS`.
    """
    error = np.abs(cells - spelled(numbers, spelling))
    found: NDArray[np.bool_] = error <= (WRITTEN if spelling >= LONG else 0.0) * np.abs(cells)
    return found


def _evidence(values: Array) -> float:
    """Return the evidence that numbers are float32 numbers, in powers of ten.

    By chance, a number of d decimal digits is the one with which a float32 number is written once
    in so many times as numbers of d digits lie between two float32 numbers.
    """
    found = 0.0
    for value, gap in zip(values.tolist(), np.spacing(values.astype(np.float32)), strict=True):
        digits, _, power = f"{value:.16e}".partition("e")
        if float(f"{value:.14e}") == value:
            digits, _, power = f"{value:.14e}".partition("e")
        n_decimals = len(digits.rstrip("0").partition(".")[2]) - int(power)
        found += max(0.0, math.log10(abs(float(gap))) + n_decimals)
    return found


def _uses_all_bits(values: Array) -> bool:
    """Return True if numbers need all binary digits of float32, unlike multiples of 1/64."""
    mantissas = np.frexp(values.astype(np.float32).astype(np.float64))[0]
    short = mantissas * 2.0 ** (MANTISSA - LAST_BITS)
    return bool(np.mean(short != np.rint(short)) >= FULL_SHARE)
