"""Allowed error of a law: what rounding and noise explain, learned from the rows of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns import Printed
from gramian.laws.forms import AllowedError

TIE = 1e-6
"""Relative error of half a unit: a number in the middle is rounded up or down."""
FLOAT_ERROR = 1e-12
"""Least relative error of a number with all digits: many rounding errors of float64."""
LAST_BITS = 2e-15
"""Least relative error of a number that was rounded to some digits."""
MARGINS = (1.5, 1.2, 1.05)
"""Allowed errors are the largest error in the known rows times the first of these numbers for which
no row with a wrong cell is allowed; or else a number that leaves the nearest of them outside."""
NOISE_MARGIN = 1.25
"""The same for a law with noise, whose largest error is that of a few rows."""
DEVIATIONS = 6.0
"""Errors of a law with noise that are allowed at least, in its standard errors."""


def with_uncertain_scale(
    allowed: AllowedError, made: Array, cells: Array, holds: NDArray[np.bool_]
) -> AllowedError:
    """Return the allowed error of a law whose coefficients are known from the rows only.

    Rounded cells determine a coefficient such as 0.62137 up to an interval. On rows with larger
    values than the known ones have, the law may miss by more than rounding. The interval has all
    multiples of the law that obey the known rows.

    Parameters
    ----------
    allowed : AllowedError
        The error that rounding or noise explain.
    made, cells, holds : arrays of shape (n_rows,)
        See `allowed_error_of`.
    """
    holds = holds & np.isfinite(cells) & np.isfinite(made) & (made != 0)
    if not holds.any():
        return allowed
    made, cells = made[holds], cells[holds]
    size = np.abs(made)
    error = (made - cells) * np.sign(made)
    largest = MARGINS[0] * float(np.max(np.abs(error)))
    limit = np.minimum(allowed.absolute + allowed.relative * size, largest)
    up, down = float(np.min((limit - error) / size)), float(np.min((limit + error) / size))
    return AllowedError(allowed.absolute, allowed.relative + max(up, down, 0.0))


def allowed_error_of(
    made: Array, cells: Array, holds: NDArray[np.bool_], *, noisy: bool
) -> AllowedError:
    """Return the error that a law allows: rounding, or the noise of the rows that obey it.

    It is an absolute or a relative error, whichever allows less on average. A number that was
    rounded once may miss by half a unit of its last digit. A number that was computed from other
    numbers before they were rounded misses by more.

    Parameters
    ----------
    made : array of shape (n_rows,)
        The values that the law gives.
    cells : array of shape (n_rows,)
        The values of the column in the table.
    holds : array of shape (n_rows,)
        True for the rows that obey the law.
    noisy : bool
        True if the errors are noise, and not rounding.
    """
    there = np.isfinite(made) & np.isfinite(cells)
    holds = holds & there
    if not holds.any():
        return AllowedError(0.0, FLOAT_ERROR)
    half = 0.0 if noisy else _half_unit(cells[holds])
    error, size = np.abs(made - cells), np.abs(made)
    own, sizes = error[holds], size[holds]
    if half and float(np.max(own)) <= half:
        same = bool((own == 0).all())
        return AllowedError(half, 0.0 if same else LAST_BITS)
    broken = there & ~holds
    margins = (NOISE_MARGIN,) if noisy else MARGINS
    if broken.any() and not noisy and 0 < np.max(own) < np.min(error[broken]):
        margins = (*margins, float(np.sqrt(np.min(error[broken]) / np.max(own))))
    found = AllowedError()
    for margin in margins:
        found = _least(own, sizes, half, margin, noisy=noisy)
        if not broken.any() or _allows(found, error[broken], size[broken]) == 0:
            break
    return found


def _least(own: Array, sizes: Array, half: float, margin: float, *, noisy: bool) -> AllowedError:
    """Return the absolute or relative allowed error, whichever is smaller on average.

    Parameters
    ----------
    own, sizes : array of shape (n_rows,)
        The errors of the rows that obey the law, and the absolute values that it gives.
    half : float
        Half a unit of the last digit; 0 if the numbers were not rounded.
    margin : float
        The factor of the largest error.
    noisy : bool
        True if the errors are noise.
    """
    with np.errstate(all="ignore"):
        shares = np.maximum(own - half, 0.0) / sizes
    shares[own <= half] = 0.0
    absolute, relative = margin * float(np.max(own)), margin * float(np.max(shares))
    if noisy:
        absolute = max(absolute, DEVIATIONS * float(np.sqrt(np.mean(own**2))))
        relative = max(relative, DEVIATIONS * float(np.sqrt(np.mean(shares**2))))
    in_shares = half + relative * float(np.mean(sizes))
    if np.isfinite(in_shares) and in_shares < absolute:
        return AllowedError(half, max(relative, FLOAT_ERROR))
    return AllowedError(absolute, LAST_BITS if half else FLOAT_ERROR)


def _allows(allowed: AllowedError, errors: Array, sizes: Array) -> int:
    """Return the number of rows whose error is allowed."""
    return int(np.sum(errors <= allowed.absolute + allowed.relative * sizes))


def _half_unit(cells: Array) -> float:
    """Return half a unit of the last digit of a column; 0 for numbers with all digits."""
    printed = Printed.of(cells)
    if printed.decimals is None:
        return 0.0
    return 0.5 * 10.0**-printed.decimals * (1 + TIE)
