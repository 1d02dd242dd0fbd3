"""Reach of a decoder: which rows are near those of its fit, and how others are decoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray

WATCHED = 128
"""Largest number of columns whose nonlinear parts have stored ranges; they are evenly spaced."""
RAMP = 1.0
"""Distance from a range, as a share of its width, at which functions no longer count. With a
shorter ramp, new rows of the distribution of the fit, some of which are just out of range, are
reconstructed less well; with a longer one, rows of other distributions are."""
SLACK = 1e-4
"""Distance from a range, as a share of its width, that still counts as inside: codes in float32,
and sums in another order, differ from those of the fit by rounding errors."""
ROUNDING = 1e-8
"""Share of the sum of the absolute values of the terms of a nonlinear part that counts as a
rounding error: the nonlinear part of a column that is linear in the variables is nothing else."""


def watched_columns(n_columns: int) -> IntArray:
    """Return the indices of at most `WATCHED` columns, evenly spaced.

    `Reach` stores the range of the nonlinear parts of these columns only. The nonlinear part of a
    column is its prediction by functions minus its prediction by linear regression.
    """
    n = min(n_columns, WATCHED)
    return np.linspace(0, n_columns - 1, n).round().astype(np.intp)


@dataclass(frozen=True)
class Reach:
    """Ranges of functions, and of nonlinear parts of columns, over the rows of a fit.

    The nonlinear part of a column is its prediction by functions minus its prediction by linear
    regression. A row inside all ranges is decoded by the functions, a row far outside by linear
    regression, and a row in between by a mean of both.
    """

    low: Array
    """Least value of each function of the basis, without the constant, on the rows of the fit."""
    high: Array
    """Largest value of each function."""
    columns: IntArray
    """Indices of the columns whose nonlinear parts have the ranges below."""
    part_low: Array
    """Least nonlinear part of each column in `columns`, on the rows of the fit."""
    part_high: Array
    """Largest nonlinear part of each column in `columns`, on the rows of the fit."""

    def trust(self, functions: Array, parts: Array, sizes: Array) -> Array:
        """Return the weight of the prediction by functions in each row: 1 in range, 0 far from it.

        Parameters
        ----------
        functions : array of shape (n_functions, n_rows)
            Values of the functions, without the constant.
        parts : array of shape (n_watched, n_rows)
            Nonlinear parts of the columns `watched_columns`.
        sizes : array of shape (n_watched,)
            Sums of the absolute values of the terms of the nonlinear parts.
        """
        outside = np.maximum(
            _distance(functions, self.low, self.high, 0.0),
            _distance(parts, self.part_low, self.part_high, ROUNDING * sizes),
        )
        trusted: Array = np.clip(1 - outside / RAMP, 0.0, 1.0)
        return trusted


def _distance(values: Array, low: Array, high: Array, error: Array | float) -> Array:
    """Return how far each row is outside the ranges: the largest share of the width of a range.

    The ranges are from `low` to `high`, one for each row of `values`. Distances up to the slack and
    the rounding error `error` count as zero. Values that are not finite are at an infinite
    distance.
    """
    width = high - low
    allowed = SLACK * width + error
    excess = np.maximum(values - (high + allowed)[:, np.newaxis], 0.0)
    np.maximum(excess, (low - allowed)[:, np.newaxis] - values, out=excess)
    unit = width + allowed
    excess /= np.where(unit > 0, unit, 1.0)[:, np.newaxis]
    excess[~np.isfinite(values)] = np.inf
    largest: Array = excess.max(axis=0, initial=0.0)
    return largest
