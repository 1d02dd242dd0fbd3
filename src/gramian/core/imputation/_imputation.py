"""What is known after gaps of a table were looked at: one immutable value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.imputation._corrections import Correction, best_correction
from gramian.core.imputation._gaussian import Gaussian, fit_gaussian

MAX_NUMBERS = 2**26
"""Rows by columns by columns: what is kept of rows while corrections are fitted, 512 MB. Of larger
tables a sample of rows is used for that."""


@dataclass(frozen=True, eq=False)
class Imputation:
    """What to expect of cells, given the others of their row."""

    centre: Array
    scale: Array
    """The scale of the columns; the other attributes describe ``(X - centre) / scale``."""
    gaussian: Gaussian
    corrections: tuple[Correction | None, ...]
    """What linear expectations miss, by column."""
    low: Array
    high: Array
    """Filled cells are not beyond these, by column."""

    def fill(self, table: Array) -> Array:
        """Return rows, their gaps filled."""
        gaps = np.isnan(table)
        which = np.flatnonzero(gaps.any(axis=1))
        filled: Array = table.copy()
        if len(which):
            filled[which] = np.where(gaps[which], self._expect(table[which]), table[which])
        return filled

    def _expect(self, table: Array) -> Array:
        """Return what is expected of rows, in the units of the table."""
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
    """Fit a normal distribution, and corrections by functions.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table; NaN are gaps.
    names : list of str
        What its columns are called in messages.
    nonlinear : bool
        Whether to correct the linear expectations.
    margin : float
        How far beyond the values seen a filled one may lie, as a share of their range.
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
    gaussian = fit_gaussian(x, present)
    corrections: tuple[Correction | None, ...] = (None,) * table.shape[1]
    if nonlinear:
        corrections = _corrections(gaussian, x, present)
    beyond = margin * (high - low)
    return Imputation(centre, scale, gaussian, corrections, low - beyond, high + beyond)


def _corrections(
    gaussian: Gaussian, x: Array, present: NDArray[np.bool_]
) -> tuple[Correction | None, ...]:
    """Fit what the linear expectations miss, column by column."""
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
    """Return the absolute correlation of each column with other values; 0 where one is constant."""
    centred = rows - rows.mean(axis=0)
    values = values - values.mean()
    sizes = np.linalg.norm(centred, axis=0) * np.linalg.norm(values)
    products = np.abs(centred.T @ values)
    shares: Array = np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)
    return shares
