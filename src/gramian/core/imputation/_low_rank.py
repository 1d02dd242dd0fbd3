"""Rows as combinations of a few lines: expected codes of rows with missing cells.

With codes c of mean 0 and variance 1, lines L and x = cL + noise of variance σ² in each cell, the
present cells O give the code (L_O L_Oᵀ + σ² I)⁻¹ L_O x_O. It is the nearest point of the plane with
respect to these cells, shrunk to the mean as far as they leave the code uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from gramian._support.types import Array
from gramian.core.imputation._gaussian import Mask, hide

LEAST_NOISE = 1e-9
"""Smallest variance of noise, as a share of the mean variance of a column."""
N_LINES = (1, 2, 3, 5, 8, 12, 20, 30)
"""Numbers of lines that are tried; hidden cells choose."""
ROWS_A_LINE = 5
"""Number of rows that each line needs."""
MAX_TURNS = 50
"""Largest number of rounds."""
LEAST_GAP_CHANGE = 1e-3
"""Relative change of the gaps below which rounds end."""


def expected_codes(x: Array, present: Mask, lines: Array, noise: float) -> Array:
    """Return the expected codes of rows, given the present cells.

    One system is solved for each pattern of gaps. The codes of a row without any value are NaN.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Centred rows. Values in gaps are ignored.
    present : array of bool
        True for cells that are not missing.
    lines : array of shape (n_codes, n_columns)
        The change of the columns per unit of a code. Codes have variance 1.
    noise : float
        The residual variance of a cell, given the codes.
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
    """Return the residual variance of a cell, given codes of variance 1.

    Parameters
    ----------
    total : float
        The sum of the variances of all columns.
    lines : array of shape (n_codes, n_columns)
        The change of the columns per unit of a code.
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
    """Standard deviations of the columns; `lines` describe columns divided by them."""
    lines: Array
    noise: float

    def transform(self, table: Array) -> Array:
        """Return the table with gaps filled by nearest points with respect to present cells."""
        present = ~np.isnan(table)
        x = (table - self.mean) / self.deviation
        codes = expected_codes(x, present, self.lines, self.noise)
        return np.where(present, table, self.mean + self.deviation * (codes @ self.lines))


def fit_plane(table: Array) -> Plane:
    """Fit a plane to a table with gaps: codes, gaps and lines are estimated in turn.

    Some present cells are hidden, and the number of lines with the smallest error in these cells is
    chosen. The time grows with the size of the table times the smaller of its numbers of rows and
    columns: the method is for wide tables.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table; NaN is missing. Every row and every column has a value.
    """
    present = ~np.isnan(table)
    mean, deviation = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    x = np.where(present, (table - mean) / deviation, 0.0)
    hidden = hide(present)
    hidden[~(present & ~hidden).any(axis=1)] = False  # every row keeps a cell
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
    """Return centre, lines and noise of scaled columns; gaps begin at 0."""
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
    """Return the most likely lines (shortened principal directions) and noise of centred rows."""
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
