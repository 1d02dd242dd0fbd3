"""Variance that the functions of a set of columns explain, and its change by an exchange.

A set of columns is selected; its columns are called members, and all other columns are candidates.
Let G be the covariance of the functions f of the set, C = E[fXᵀ], P the penalties, and
G + P = LLᵀ. The set explains ‖Y‖² of X, Y = L⁻¹C. A candidate with functions g, which have the
covariance E with f, adds

    ‖T‖²,    TᵀT = (C_g - WᵀY)ᵀ K⁻¹ (C_g - WᵀY),    K = G_g + P_g - WᵀW,    W = L⁻¹E.

With H = (G + P)⁻¹, β = HC and B the functions that involve a member, the set loses β_Bᵀ(H_BB)⁻¹β_B
without that member. After the candidate has joined, the rows B of the new H and β are
H_BB + U_B K⁻¹ U_Bᵀ and β_B - U_B K⁻¹(C_g - WᵀY), with U = L⁻ᵀW, and one row more for each function
of the candidate that involves the member. So an exchange needs no factorization of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from gramian._support.blas import (
    solve_lower,
    subtract_second_moments,
    symmetric,
    threads_for,
    times,
)
from gramian._support.types import Array
from gramian.core._tolerances import RIDGE
from gramian.core.gain._candidates import Candidate, ScaledMoments
from gramian.core.gain._frame import Frame


@dataclass(frozen=True)
class Gain:
    """Variance that one more column adds to the selected columns, and matrices of the module."""

    candidate: Candidate
    value: float
    """Residual variance that the candidate explains."""
    inverse: Array
    """K⁻¹."""
    change: Array
    """K⁻¹(C_g - WᵀY)."""


class Explained:
    """Fit of all columns by the functions of a set.

    Parameters
    ----------
    frame : Frame
        The functions.
    moments : ScaledMoments
        The covariances of the functions.
    covariance : array of shape (n_columns, n_columns)
        The covariance of the columns, in the units in which variances count.
    units : array of shape (n_columns,)
        The standard deviation of each column in these units.
    alpha : float, default=0
        The penalty of every function but the columns themselves.
    """

    def __init__(
        self,
        frame: Frame,
        moments: ScaledMoments,
        covariance: Array,
        units: Array,
        alpha: float = 0.0,
    ) -> None:
        self.frame = frame
        self.moments = moments
        self.alpha = alpha
        self._covariance = covariance
        self._units = units

    @cached_property
    def _factor(self) -> Array:
        """The lower Cholesky factor L of G + P (see the module)."""
        penalty = np.full(self.frame.n_functions, self.alpha)
        penalty[self.frame.layout.singles] = 0.0
        return _factorize(self.moments.gram, penalty)

    @cached_property
    def _fit(self) -> Array:
        """Y = L⁻¹C (see the module): the selected columns explain ‖Y‖² of the variance."""
        fit = np.ascontiguousarray(self.moments.with_x * self._units)
        with self._threads(fit.shape[1]):
            solve_lower(self._factor, fit)
        return fit

    @cached_property
    def value(self) -> float:
        """Variance of all columns that the selected columns explain, minus the penalty."""
        return float(np.einsum("ij,ij->", self._fit, self._fit))

    def _threads(self, n_columns: int) -> AbstractContextManager[Any]:
        return threads_for(float(self.frame.n_functions) ** 2 * n_columns)

    @cached_property
    def left(self) -> Array:
        """Residual covariance Σ, in the units of the variances."""
        left = np.asfortranarray(self._covariance.copy())
        with self._threads(len(left)):
            subtract_second_moments(left, self._fit)
        return symmetric(left)

    @cached_property
    def _squares(self) -> Array:
        """The sum of squares of each column of the residual covariance Σ."""
        squares: Array = np.einsum("ij,ij->j", self.left, self.left)
        return squares

    @cached_property
    def inverse(self) -> Array:
        """H = (G + P)⁻¹, where G is the covariance of the functions and P their penalties."""
        if not self._factor.size:  # LAPACK refuses empty matrices
            return self._factor.copy()
        inverse, _ = lapack.dpotri(self._factor, lower=1)
        return symmetric(inverse)

    @cached_property
    def coefficients(self) -> Array:
        """The coefficients β of the functions in the fit of all columns."""
        found = self._fit.copy()
        solve_lower(self._factor, found, transposed=True)
        return found

    def linear_gains(self) -> Array:
        """Return the variance that each column would add by itself; 0 for selected columns.

        Products of the column with other columns do not count.
        """
        gains = self._gains_of(self.left.diagonal(), self._squares)
        gains[self.frame.columns] = 0.0
        return gains

    def linear_gains_without(self) -> Array:
        """Return the linear gains of all columns; row i is without the selected column i.

        Without a selected column, the residual covariance is Σ + RᵀR. The matrices R of all
        selected columns are stacked; diagonals and column squares of Σ + RᵀR are sums over the rows
        of each R.
        """
        lost = np.concatenate(self._lost)
        starts = np.cumsum([0, *map(len, self._lost[:-1])])
        with threads_for(float(lost.size) * len(self.left)):
            both = times(lost, self.left)
        both *= 2
        for start, each in zip(starts, self._lost, strict=True):
            both[start : start + len(each)] += times(times(each, each.T), each)
        both *= lost
        lost *= lost
        variances = self.left.diagonal() + np.add.reduceat(lost, starts)
        gains = self._gains_of(variances, self._squares + np.add.reduceat(both, starts))
        columns = self.frame.columns
        own = gains[range(len(columns)), columns]
        gains[:, columns] = 0.0
        gains[range(len(columns)), columns] = own
        return gains

    def _gains_of(self, variances: Array, squares: Array) -> Array:
        """Return ‖Σe‖²/eᵀΣe for all columns e; 0 for columns without a residual variance.

        `variances` and `squares` are eᵀΣe and ‖Σe‖².
        """
        gains = np.zeros_like(variances)
        some = variances > LEAST_SHARE * self._units**2
        np.divide(squares, variances, out=gains, where=some)
        return gains

    @cached_property
    def _lost(self) -> list[Array]:
        """For each selected column, R such that RᵀR is the covariance that only it explains."""
        found = []
        for involved in self.frame.involves.T:
            rows = np.flatnonzero(involved)
            factor, _ = lapack.dpotrf(self.inverse[np.ix_(rows, rows)], lower=1)
            lost = self.coefficients[rows]
            solve_lower(factor, lost)
            found.append(lost)
        return found

    @property
    def losses(self) -> Array:
        """For each selected column, the explained variance that is lost without it."""
        return np.array([np.sum(lost**2) for lost in self._lost])

    def gains(self, candidates: Sequence[Candidate]) -> list[Gain]:
        """Return for each candidate (a column outside the set) the variance that it would add."""
        ends = np.cumsum([len(each.cross) for each in candidates])
        weights = np.ascontiguousarray(np.vstack([each.cross for each in candidates]).T)
        with self._threads(weights.shape[1]):
            solve_lower(self._factor, weights)
            explained = times(weights.T, self._fit)
        found = []
        with threads_for(0):
            for each, end in zip(candidates, ends, strict=True):
                part = slice(end - len(each.cross), end)
                mine = np.ascontiguousarray(weights[:, part])
                penalty = np.full(len(each.cross), self.alpha)
                penalty[0] = 0.0
                factor = _factorize(each.moments.gram - times(mine.T, mine), penalty)
                right = each.moments.with_x * self._units - explained[part]
                solve_lower(factor, right)
                value = float(np.einsum("ij,ij->", right, right))
                solve_lower(factor, right, transposed=True)
                inverse, _ = lapack.dpotri(factor, lower=1)
                found.append(Gain(each, value, symmetric(inverse), right))
        return found

    def exchanges(self, gain: Gain, places: Sequence[int]) -> list[float]:
        """Return the explained variance if a candidate replaces a member, for each of some members.

        Parameters
        ----------
        gain : Gain
            The candidate, and the variance that it adds to the whole set.
        places : sequence of int
            The positions in the set of the members to replace.
        """
        found = []
        for place in places:
            rows = np.flatnonzero(self.frame.involves[:, place])
            more = np.flatnonzero(gain.candidate.newcomer.involves[:, place])
            inverse = self.inverse[rows]
            turned = times(inverse, gain.candidate.cross.T)
            part = turned @ gain.inverse
            n = len(rows)
            both = np.empty((n + len(more), n + len(more)))
            both[:n, :n] = inverse[:, rows] + part @ turned.T
            both[n:, :n] = -part[:, more].T
            both[n:, n:] = gain.inverse[np.ix_(more, more)]
            factor, info = lapack.dpotrf(both, lower=1)
            lost = np.vstack(
                [self.coefficients[rows] - times(turned, gain.change), gain.change[more]]
            )
            solve_lower(factor, lost)
            value = self.value + gain.value - float(np.einsum("ij,ij->", lost, lost))
            found.append(value if info == 0 else -np.inf)
        return found

    def joined(self, candidate: Candidate) -> ScaledMoments:
        """Return the covariances of the functions of the selected columns and of `candidate`."""
        mine, new = self.moments, candidate.moments
        return ScaledMoments(
            np.append(mine.mean, new.mean),
            np.append(mine.norm, new.norm),
            np.block([[mine.gram, candidate.cross.T], [candidate.cross, new.gram]]),
            np.vstack([mine.with_x, new.with_x]),
        )


LEAST_SHARE = 1e-8
"""Residual share below which a column has no linear gain: the division would magnify errors."""


def without_member(moments: ScaledMoments, frame: Frame, place: int) -> ScaledMoments:
    """Return the covariances of the functions that do not involve selected column `place`."""
    stay = ~frame.involves[:, place]
    return ScaledMoments(
        moments.mean[stay],
        moments.norm[stay],
        moments.gram[np.ix_(stay, stay)],
        moments.with_x[stay],
    )


def _factorize(gram: Array, penalty: Array) -> Array:
    """Return the lower Cholesky factor of `gram` + diag(`penalty`).

    A small number is added to the diagonal. It begins with `RIDGE`, and is multiplied by 10 until
    the matrix is positive definite.
    """
    if not len(gram):
        return np.empty((0, 0))
    floor = RIDGE
    while True:
        full = np.array(gram, order="F")
        full[np.diag_indices_from(full)] += penalty + floor
        factor, info = lapack.dpotrf(full, lower=1, overwrite_a=1)
        if info == 0:
            lower: Array = factor
            return lower
        floor *= 10
