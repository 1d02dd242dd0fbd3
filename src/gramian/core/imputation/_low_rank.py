"""Rows as combinations of a few lines: the coordinates that are expected when cells are missing.

With codes c of mean 0 and variance 1, lines L and x = cL + noise of variance σ² in each cell, the
cells O that are present give the code (L_O L_Oᵀ + σ² I)⁻¹ L_O x_O. It is the nearest point of the
plane with respect to these cells, drawn to the mean as much as they leave open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from gramian._support.types import Array
from gramian.core.imputation._gaussian import Mask, hide

LEAST_NOISE = 1e-9
"""The variance of noise, at least, as a share of the mean variance of a column."""
N_LINES = (1, 2, 3, 5, 8, 12, 20, 30)
"""Numbers of lines from which gaps of wide tables are filled; hidden cells decide."""
ROWS_A_LINE = 5
"""A line needs this many rows."""
MAX_TURNS = 50
LEAST_GAP_CHANGE = 1e-3
"""Rounds end when the gaps change by a smaller share."""


def expected_codes(x: Array, present: Mask, lines: Array, noise: float) -> Array:
    """Return the codes that are expected of rows, given the cells that are present.

    One system is solved for each pattern of gaps. The codes of a row without any value are missing.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Centred rows. What stands in gaps does not matter.
    present : array of bool
        Which cells are no gaps.
    lines : array of shape (n_codes, n_columns)
        What the columns gain when a code grows by one. Codes have variance 1.
    noise : float
        The variance of what codes leave open, by cell.
    """
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    edges = np.searchsorted(which.ravel()[order], np.arange(len(patterns) + 1))
    codes = np.full((len(x), len(lines)), np.nan)
    for pattern, start, stop in zip(patterns, edges[:-1], edges[1:], strict=True):
        if pattern.any():
            rows = order[start:stop]
            seen = lines[:, pattern]
            system = seen @ seen.T + noise * np.eye(len(lines))
            codes[rows] = np.linalg.solve(system, seen @ x[np.ix_(rows, pattern)].T).T
    return codes


def noise_of(total: float, lines: Array) -> float:
    """Return the variance, by cell, of what codes of variance 1 leave of all columns.

    Parameters
    ----------
    total : float
        The sum of the variances of all columns.
    lines : array of shape (n_codes, n_columns)
        What the columns gain when a code grows by one.
    """
    n_columns = lines.shape[1]
    left = total - float(np.sum(lines**2))
    least = max(LEAST_NOISE * total, float(np.finfo(np.float64).tiny))
    return max(left, least) / float(n_columns)


@dataclass(frozen=True)
class Plane:
    """A plane through the rows of a table with gaps, from which gaps are filled."""

    mean: Array
    deviation: Array
    """The deviations of the columns; lines are those of columns scaled by them."""
    lines: Array
    noise: float

    def transform(self, table: Array) -> Array:
        """Fill gaps by the nearest point with respect to the cells that are present."""
        present = ~np.isnan(table)
        x = (table - self.mean) / self.deviation
        codes = expected_codes(x, present, self.lines, self.noise)
        return np.where(present, table, self.mean + self.deviation * (codes @ self.lines))


def fit_plane(table: Array) -> Plane:
    """Fit a plane to a table with gaps: codes, gaps and lines are estimated in turns.

    Some cells that are present are hidden, and there are as many lines as expect these best. The
    time grows with the size of the table times the number of rows or columns, whichever are
    fewer, so that it is for wide tables.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table; NaN is missing. No row and no column is without any value.
    """
    present = ~np.isnan(table)
    mean, deviation = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    x = np.where(present, (table - mean) / deviation, 0.0)
    hidden = hide(present)
    hidden[~(present & ~hidden).any(axis=1)] = False  # something is left of every row
    most = min(len(x) // ROWS_A_LINE, x.shape[1] - 1)
    best, least = 1, np.inf
    for n_lines in [n for n in N_LINES if n <= most] if hidden.any() else ():
        centre, lines, noise = _in_turns(np.where(hidden, 0.0, x), present & ~hidden, n_lines)
        expected = expected_codes(x - centre, present & ~hidden, lines, noise) @ lines + centre
        error = float(np.mean((expected - x)[hidden] ** 2))
        if error >= least:
            break
        best, least = n_lines, error
    centre, lines, noise = _in_turns(x, present, best)
    return Plane(mean + deviation * centre, deviation, lines, noise)


def _in_turns(x: Array, present: Mask, n_lines: int) -> tuple[Array, Array, float]:
    """Return the centre, the lines and the noise of scaled columns; gaps begin at 0."""
    for _ in range(MAX_TURNS):
        centre = x.mean(axis=0)
        lines, noise = _lines(x - centre, n_lines)
        codes = expected_codes(x - centre, present, lines, noise)
        filled = np.where(present, x, codes @ lines + centre)
        change, size = np.linalg.norm(filled - x), np.linalg.norm(np.where(present, 0.0, filled))
        x = filled
        if change <= LEAST_GAP_CHANGE * size:
            break
    return centre, lines, noise


def _lines(x: Array, n_lines: int) -> tuple[Array, float]:
    """Return the most likely lines and noise of centred rows: principal directions, shortened."""
    n_rows, n_columns = x.shape
    total = float(np.sum(x**2)) / n_rows
    n = min(n_rows, n_columns)
    inner = x @ x.T if n_rows <= n_columns else x.T @ x
    values, vectors = eigh(inner / n_rows, subset_by_index=[n - n_lines, n - 1])
    values = np.maximum(values, np.finfo(np.float64).tiny)
    noise = max(total - float(values.sum()), LEAST_NOISE * total) / (n_columns - n_lines)
    if n_rows <= n_columns:
        vectors = x.T @ vectors / np.sqrt(n_rows * values)
    return np.sqrt(np.maximum(values - noise, 0.0))[:, np.newaxis] * vectors.T, noise
