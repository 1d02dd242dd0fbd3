"""Plane through rows with missing cells: each row is a combination of a few directions (lines).

Codes are coordinates in the plane. Let the codes c have mean 0 and variance 1, and let x = cL +
noise, with the lines L as rows of a matrix and noise of variance σ² in each cell. Given the present
cells O, the expected code is (L_O L_Oᵀ + σ² I)⁻¹ L_O x_O. This is the nearest point of the plane in
the present cells, moved towards the mean: the more, the less these cells determine the code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from gramian._support.types import Array
from gramian.core.imputation._gaussian import Mask, hide

LEAST_NOISE = 1e-9
"""Smallest variance of the noise, as a share of the mean variance of a column."""
N_LINES = (1, 2, 3, 5, 8, 12, 20, 30)
"""Numbers of lines (dimensions of the plane) that are tried; the error in hidden cells decides."""
ROWS_A_LINE = 5
"""A plane with n lines is tried only if the table has at least n times this number of rows."""
MAX_TURNS = 50
"""Largest number of rounds in which the plane and the missing cells are estimated in turn."""
LEAST_GAP_CHANGE = 1e-3
"""Rounds end when the relative change of the filled cells is at most this."""


def expected_codes(x: Array, present: Mask, lines: Array, noise: float) -> Array:
    """Return the expected codes (coordinates in a plane) of rows, given their present cells.

    Rows with missing cells in the same columns are solved together. The codes of a row without any
    value are NaN.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Centred rows. Values in missing cells are ignored.
    present : array of bool
        True for cells that are not missing.
    lines : array of shape (n_codes, n_columns)
        The change of the columns if a code grows by 1. Codes have variance 1.
    noise : float
        The variance of a cell around the plane.
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
    """Return the mean variance of a cell around the plane: total variance minus that of the plane.

    Parameters
    ----------
    total : float
        The sum of the variances of all columns.
    lines : array of shape (n_codes, n_columns)
        The change of the columns if a code, of variance 1, grows by 1.
    """
    n_columns = lines.shape[1]
    left = total - float(np.sum(lines**2))
    least = max(LEAST_NOISE * total, float(np.finfo(np.float64).tiny))
    return max(left, least) / float(n_columns)


@dataclass(frozen=True)
class Plane:
    """Plane fitted to a table with missing cells; it fills missing cells of rows."""

    mean: Array
    deviation: Array
    """Standard deviations of the columns; `lines` and `noise` are for columns divided by them."""
    lines: Array
    noise: float

    def transform(self, table: Array) -> Array:
        """Return the table with missing cells (NaN) filled by expected points of the plane."""
        present = ~np.isnan(table)
        x = (table - self.mean) / self.deviation
        codes = expected_codes(x, present, self.lines, self.noise)
        return np.where(present, table, self.mean + self.deviation * (codes @ self.lines))


def fit_plane(table: Array) -> Plane:
    """Fit a plane to a table with missing cells.

    The lines of the plane, the codes of the rows and the missing cells are estimated in turn. Some
    present cells are hidden, and numbers of lines are tried in increasing order until the error in
    the hidden cells grows. The time is proportional to the size of the table times the smaller of
    its numbers of rows and columns, so the method suits wide tables.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table; missing cells are NaN. Every row and every column has a value.
    """
    present = ~np.isnan(table)
    mean, deviation = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    x = np.where(present, (table - mean) / deviation, 0.0)
    hidden = hide(present)
    hidden[~(present & ~hidden).any(axis=1)] = False  # every row keeps a present cell
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
    """Return (centre, lines, noise) of the plane; missing cells of `x` are 0 in the first round."""
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
    """Return (lines, noise) of the most likely plane for centred rows without missing cells.

    The lines are the principal directions; noise is subtracted from their variances.
    """
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
