"""Fitted imputation: expected cells of a normal distribution, corrected and limited."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.blas import threads_for
from gramian._support.types import Array
from gramian.core.imputation._corrections import Correction, best_correction
from gramian.core.imputation._gaussian import Gaussian, fit_gaussian

MAX_NUMBERS = 2**26
"""Largest product n_rows · n_columns² for which corrections are fitted to all rows (512 MB); for
larger tables, corrections are fitted to a random sample of the rows."""


@dataclass(frozen=True, eq=False)
class Imputation:
    """Fitted imputation: it fills missing cells with expected values, given the rest of the row."""

    centre: Array
    scale: Array
    """Divisor of the centred columns; `gaussian` and `corrections` are for scaled columns
    ``(X - centre) / scale``."""
    gaussian: Gaussian
    corrections: tuple[Correction | None, ...]
    """For each column, the nonlinear correction of its expected cells; None for no correction."""
    low: Array
    high: Array
    """Largest value of filled cells in each column; `low` is the smallest."""

    def fill(self, table: Array) -> Array:
        """Return a copy of the table in which missing cells (NaN) are filled."""
        gaps = np.isnan(table)
        which = np.flatnonzero(gaps.any(axis=1))
        filled: Array = table.copy()
        if len(which):
            with _threads(table):
                filled[which] = np.where(gaps[which], self._expect(table[which]), table[which])
        return filled

    def _expect(self, table: Array) -> Array:
        """Return the expected values of all cells, corrected and limited, in the table's units."""
        present = ~np.isnan(table)
        x = np.where(present, (table - self.centre) / self.scale, 0.0)
        expected = self.gaussian.expect(x, present)
        corrected = expected.copy()
        for column, correction in enumerate(self.corrections):
            rows = np.flatnonzero(~present[:, column])
            if correction is not None and len(rows):
                corrected[rows, column] += correction(expected[rows])
        corrected += self.gaussian.mean
        found: Array = np.clip(self.centre + self.scale * corrected, self.low, self.high)
        return found


def fit_imputation(
    table: Array, names: list[str], *, nonlinear: bool = True, margin: float = 0.2
) -> Imputation:
    """Fit an imputation: a normal distribution, and nonlinear corrections of its expected cells.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table; missing cells are NaN.
    names : list of str
        The names of the columns, for error messages.
    nonlinear : bool
        True to add nonlinear corrections to the linear expectations.
    margin : float
        Filled values may exceed the range of the present values of their column by this share of
        the range.
    """
    present = ~np.isnan(table)
    empty = np.flatnonzero(~present.any(axis=0))
    if len(empty):
        raise ValueError(
            f"Column {names[empty[0]]} has no value in any row, so nothing is known about it. "
            "Leave it out."
        )
    low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
    with np.errstate(over="ignore"):
        centre, scale = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    if not np.isfinite(scale).all():
        column = int(np.flatnonzero(~np.isfinite(scale))[0])
        raise ValueError(
            f"The variance of column {names[column]} exceeds the range of float64. Rescale the "
            "column first."
        )
    scale = np.where(scale > 0, scale, 1.0)
    x = np.where(present, (table - centre) / scale, 0.0)
    corrections: tuple[Correction | None, ...] = (None,) * table.shape[1]
    with _threads(table):
        gaussian = fit_gaussian(x, present)
        if nonlinear:
            corrections = _corrections(gaussian, x, present)
    beyond = margin * (high - low)
    return Imputation(centre, scale, gaussian, corrections, low - beyond, high + beyond)


def _threads(table: Array) -> AbstractContextManager[Any]:
    """Return a context manager for the BLAS threads of inverses, of which each row needs one."""
    return threads_for(float(table.shape[1]) ** 3)


def _corrections(
    gaussian: Gaussian, x: Array, present: NDArray[np.bool_]
) -> tuple[Correction | None, ...]:
    """Return the nonlinear correction of the expected cells of each column.

    A value is None if no correction helps the column.
    """
    n_rows, n_columns = x.shape
    most = max(2, MAX_NUMBERS // n_columns**2)
    if n_rows > most:
        chosen = np.random.default_rng(0).permutation(n_rows)[:most]
        x, present = x[chosen], present[chosen]
    completed = gaussian.complete(x, present)
    corrections: list[Correction | None] = []
    for column in range(n_columns):
        these = present[:, column]
        rows = completed.without(column)[these]
        values = completed.rows[these, column]
        corrections.append(None)
        if len(rows) > 2 and np.ptp(values) > 0:
            relevance = _correlations(rows, values)
            missed = completed.gain[these, column]
            corrections[-1] = best_correction(rows, missed, relevance)
    return tuple(corrections)


def _correlations(rows: Array, values: Array) -> Array:
    """Return the absolute correlation of each column with `values`; 0 if either is constant."""
    centred = rows - rows.mean(axis=0)
    values = values - values.mean()
    sizes = np.linalg.norm(centred, axis=0) * np.linalg.norm(values)
    products = np.abs(centred.T @ values)
    shares: Array = np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)
    return shares
