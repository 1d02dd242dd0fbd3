"""The linear part: a normal distribution with gaps, and what it expects in each gap.

With the covariance Σ, the cells O that are present in a row and B = (Σ_OO)⁻¹, the row that is
expected is ΣB x: it is x where x is present. A cell j that is present can be left out as well. Then

    the expected cell j is  x_j - (Bx)_j / B_jj,  and cell k is  (ΣBx)_k - (ΣB)_kj (Bx)_j / B_jj,

so that one inverse a row tells what would be expected without each of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array

Mask = NDArray[np.bool_]
RIDGES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
"""How many rows of unit variance are added to the covariance; hidden cells decide."""
HIDDEN = 0.1
"""The share of cells that are hidden for that."""
MAX_ROUNDS = 30
LEAST_CHANGE = 1e-3
"""Rounds end when no entry of the covariance, of columns of variance about 1, changes by more."""
INVERSES_BYTES = 2**26
"""The inverses of a block of rows take this much memory."""


@dataclass(frozen=True)
class Completed:
    """Rows without gaps, and how they would be without one of the cells present."""

    rows: Array
    """Expected rows, centred; the cells that are present are as given."""
    gain: Array
    """(n_rows, n_columns): what a cell adds to its own expectation given the others, where it is
    present; 0 in gaps."""
    effects: Array
    """(n_rows, n_columns, n_columns): how expected cells change, by row, with those present, by
    column; ΣB above."""

    def without(self, column: int) -> Array:
        """Return the rows that are expected when cells of a column are left out, all of them."""
        rows: Array = self.rows - self.effects[:, :, column] * self.gain[:, [column]]
        return rows


@dataclass(frozen=True)
class Gaussian:
    """A mean and a covariance."""

    mean: Array
    covariance: Array
    ridge: float = 0.0
    """With which it was fitted."""

    def expect(self, x: Array, present: Mask) -> Array:
        """Return expected rows, centred, given the cells that are present."""
        parts = [self.complete(x[part], present[part]).rows for part in _blocks(x)]
        return np.concatenate([np.empty((0, x.shape[1])), *parts])

    def complete(self, x: Array, present: Mask) -> Completed:
        """Return what is expected of rows, with and without each of their cells.

        This takes a number for each row and each pair of columns.
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
        """Return the most likely parameters, given what these ones expect: a round of EM."""
        n = len(x)
        total = np.zeros(len(self.mean))
        products = np.zeros_like(self.covariance)
        for part in _blocks(x):
            done = self.complete(x[part], present[part])
            gaps = (~present[part]).astype(np.float64)
            total += done.rows.sum(axis=0)
            products += done.rows.T @ done.rows
            # what is uncertain of the gaps: Σ - ΣBΣ
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
    """Fit a normal distribution to rows with gaps.

    Some cells that are present are hidden, and the ridge is the one with which they are expected
    best. Then the distribution is fitted to all cells.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Columns of variance about 1. What stands in gaps does not matter.
    present : array of bool
        Which cells are no gaps.
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
    """Choose some of the cells that are present, to see how well they are expected."""
    return present & (np.random.default_rng(0).random(present.shape) < HIDDEN)


def _converge(found: Gaussian, x: Array, present: Mask) -> Gaussian:
    """Make rounds until they change nothing that matters."""
    for _ in range(MAX_ROUNDS):
        last, found = found, found.updated(x, present)
        if np.abs(found.covariance - last.covariance).max() < LEAST_CHANGE:
            break
    return found


def _blocks(x: Array) -> Iterator[slice]:
    step = max(1, INVERSES_BYTES // (8 * x.shape[1] ** 2))
    for start in range(0, len(x), step):
        yield slice(start, start + step)
