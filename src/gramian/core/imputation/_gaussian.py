"""Expected values of missing cells, from a normal distribution fitted to rows with missing cells.

Let Σ be the covariance, O the cells that are present in a row, and B = (Σ_OO)⁻¹. The expected row
is ΣB x, which equals x in the cells O. If one present cell j is left out as well,

    the expected cell j is  x_j - (Bx)_j / B_jj,  and cell k is  (ΣBx)_k - (ΣB)_kj (Bx)_j / B_jj,

so that one matrix inverse per row gives the expected values without any one of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array

Mask = NDArray[np.bool_]
RIDGES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
"""Ridges that are tried. A ridge of r acts on the covariance like r additional rows with
independent columns of variance 1. The ridge with the smallest error in hidden cells is chosen."""
HIDDEN = 0.1
"""Share of present cells that are hidden to measure the error of their expected values."""
MAX_ROUNDS = 30
"""Largest number of rounds of the EM algorithm."""
LEAST_CHANGE = 1e-3
"""EM ends when no entry of the covariance changes by this or more; columns have variance near 1."""
INVERSES_BYTES = 2**26
"""Largest size, in bytes, of the matrix inverses that are computed together for a block of rows."""


@dataclass(frozen=True)
class Completed:
    """Filled rows, and matrices that give expected values if one more cell is left out."""

    rows: Array
    """Centred rows: present cells have their values, missing cells their expected values."""
    gain: Array
    """Each present cell minus its expected value given the other cells; 0 for missing cells. The
    shape is (n_rows, n_columns)."""
    effects: Array
    """ΣB for each row, of shape (n_rows, n_columns, n_columns): change of an expected cell (second
    axis) if a present cell (third axis) grows by 1."""

    def without(self, column: int) -> Array:
        """Return the filled rows that result if the cells of one column are not used."""
        rows: Array = self.rows - self.effects[:, :, column] * self.gain[:, [column]]
        return rows


@dataclass(frozen=True)
class Gaussian:
    """Normal distribution of the rows, with its mean and covariance."""

    mean: Array
    covariance: Array
    ridge: float = 0.0
    """Ridge with which the covariance is fitted; see `RIDGES`."""

    def expect(self, x: Array, present: Mask) -> Array:
        """Return the rows minus the mean, with missing cells replaced by expected values.

        `present` is True for cells that are not missing.
        """
        parts = [self.complete(x[part], present[part]).rows for part in _blocks(x)]
        return np.concatenate([np.empty((0, x.shape[1])), *parts])

    def complete(self, x: Array, present: Mask) -> Completed:
        """Return the filled rows, and matrices that give expectations without one more cell.

        The result takes memory for one number per row and pair of columns. `present` is True for
        cells that are not missing.
        """
        covariance = self.covariance
        both = present[:, :, np.newaxis] & present[:, np.newaxis, :]
        inverse = np.where(both, covariance, 0.0)
        np.einsum("nii->ni", inverse)[~present] = 1.0
        inverse = np.linalg.inv(inverse)
        inverse *= both
        weights = np.einsum("nij,nj->ni", inverse, np.where(present, x - self.mean, 0.0))
        rows = weights @ covariance
        rows[present] = (x - self.mean)[present]
        own = np.einsum("nii->ni", inverse)
        gain = np.divide(weights, own, out=np.zeros_like(weights), where=present)
        return Completed(rows, gain, covariance @ inverse)

    def updated(self, x: Array, present: Mask) -> Gaussian:
        """Return the distribution after one round of the EM algorithm on the rows `x`.

        `present` is True for cells that are not missing.
        """
        n = len(x)
        total = np.zeros(len(self.mean))
        products = np.zeros_like(self.covariance)
        for part in _blocks(x):
            done = self.complete(x[part], present[part])
            gaps = (~present[part]).astype(np.float64)
            total += done.rows.sum(axis=0)
            products += done.rows.T @ done.rows
            # covariance of the missing cells given the present cells: Σ - ΣBΣ
            explained = done.effects @ self.covariance
            explained *= gaps[:, :, np.newaxis]
            products += (gaps.T @ gaps) * self.covariance
            products -= np.einsum("nij,nj->ij", explained, gaps)
        shift = total / n
        covariance = products / n - np.outer(shift, shift)
        covariance += self.ridge / n * np.eye(len(shift))
        covariance /= 1 + self.ridge / n
        return Gaussian(self.mean + shift, 0.5 * (covariance + covariance.T), self.ridge)


def fit_gaussian(x: Array, present: Mask) -> Gaussian:
    """Fit a normal distribution to rows with missing cells.

    Some present cells are hidden, and the ridge with the smallest error in the hidden cells is
    chosen. Then the distribution is fitted to all present cells.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Rows whose columns have variance near 1. Values in missing cells are ignored.
    present : array of bool
        True for cells that are not missing.
    """
    hidden = hide(present)
    rows = hidden.any(axis=1)
    found = Gaussian(np.zeros(x.shape[1]), np.eye(x.shape[1]))
    best, least = replace(found, ridge=RIDGES[0]), np.inf
    for ridge in RIDGES if rows.any() else ():
        found = _converge(replace(found, ridge=ridge), x, present & ~hidden)
        expected = found.mean + found.expect(x[rows], (present & ~hidden)[rows])
        error = float(np.mean((expected - x[rows])[hidden[rows]] ** 2))
        if error < least:
            best, least = found, error
    return _converge(best, x, present)


def hide(present: Mask) -> Mask:
    """Return a mask of randomly chosen present cells, to be hidden as a test of their estimates."""
    return present & (np.random.default_rng(0).random(present.shape) < HIDDEN)


def _converge(found: Gaussian, x: Array, present: Mask) -> Gaussian:
    """Return the distribution after rounds of EM, until the covariance changes little."""
    for _ in range(MAX_ROUNDS):
        last, found = found, found.updated(x, present)
        if np.abs(found.covariance - last.covariance).max() < LEAST_CHANGE:
            break
    return found


def _blocks(x: Array) -> Iterator[slice]:
    step = max(1, INVERSES_BYTES // (8 * x.shape[1] ** 2))
    for start in range(0, len(x), step):
        yield slice(start, start + step)
