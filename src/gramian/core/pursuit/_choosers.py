"""Choosers of the next direction: the only difference between the algorithms.

A chooser holds the residual variances of X after its projections on the functions so far are
subtracted. GFR needs the residual covariance Σ_j, the others only the residual variances of given
directions. Lemma 2(a) updates both: Σ_{j+1} = Σ_j - Σ E[Xf̂]E[Xf̂]ᵀ over the new functions f̂. The
residual d_j(X) itself is never formed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from gramian._support.blas import threads_for, times
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import TIE
from gramian.core.pursuit._eigen import LeadingEigenvector, orient
from gramian.core.rows import ResidualCovariance
from gramian.core.sums import Direction

NoChoice = Literal["threshold", "exhausted"]
"""Reason why no direction is chosen: residuals are below the threshold, or rounding errors."""


class Chooser(Protocol):
    """Directions that may be chosen next, and the residual variances of the data along them."""

    @property
    def largest(self) -> float:
        """The largest residual variance along a direction that may be chosen."""
        ...

    @property
    def total(self) -> float:
        """The sum of the residual variances of all columns of X."""
        ...

    def choose(self, noise: float) -> Direction | NoChoice:
        """Return the next direction, or the reason why there is none.

        Residual variances below the share `noise` of the original variances are rounding errors.
        """
        ...

    def undo(self) -> None:
        """Forget the last choice, as if it had not been made."""
        ...

    def subtract(self, coefficients: Sequence[Array], use: int = 0) -> None:
        """Subtract the projections of X on the new functions of the chosen direction.

        Parameters
        ----------
        coefficients : sequence of arrays
            One array for each penalty: row i is E[Xf̂ᵢ] of the new function f̂ᵢ.
        use : int, default=0
            The index of the penalty whose residuals count from now on.
        """
        ...

    def vanish(self) -> None:
        """Set all residuals to zero, because there are as many functions as rows."""
        ...


class TopEigenvector:
    """Chooser of GFR: the unit vector of largest residual variance.

    Parameters
    ----------
    covariance : ResidualCovariance
        E[XXᵀ] of the scaled data.
    unit : float
        The variance, in reported units, of scaled data of variance 1.
    threshold : float or None
        The residual variance that a direction must exceed to be chosen.
    lift : callable, optional
        Function from a direction to the original space, where its sign is decided.
    n_penalties : int, default=1
        The number of penalties; each has a residual covariance.
    given : array of shape (n_given, n_columns), optional
        Unit vectors to choose first, one after the other, even if their residual is zero.
    """

    def __init__(
        self,
        covariance: ResidualCovariance,
        unit: float,
        threshold: float | None,
        lift: Callable[[Array], Array] = lambda vector: vector,
        n_penalties: int = 1,
        given: Array | None = None,
    ) -> None:
        self._initial = covariance
        self._covariances = [covariance.copy() for _ in range(n_penalties)]
        self._use = 0
        self._unit = unit
        self._threshold = threshold
        self._lift = lift
        self._solve = LeadingEigenvector()
        with threads_for(0):
            self._update()
        self._scale = self._variance
        self._given = np.empty((0, 0)) if given is None else given
        self._orthonormal: list[Array] = []
        """Orthonormal basis of the span of the given directions."""
        if len(self._given):  # older SciPy refuses an empty matrix
            self._orthonormal = list(qr(self._given.T, mode="economic")[0].T)
        self.directions: list[Array] = []

    def _update(self) -> None:
        covariance = self._covariances[self._use]
        self._variance, self._vector = self._solve(covariance)
        self.largest = self._unit * max(self._variance, 0.0)
        """The largest eigenvalue of Σ_j."""
        self.total = self._unit * max(covariance.trace, 0.0)
        """The trace of Σ_j."""

    def choose(self, noise: float) -> Direction | NoChoice:
        """Return the direction of largest residual variance, or why there is none.

        It is the top eigenvector of the residual covariance. Residual variances below the share
        `noise` of the original variance are rounding errors.
        """
        n = len(self.directions)
        if n < len(self._given):
            vector = self._given[n]
        elif self._threshold is not None and self.largest <= self._threshold:
            return "threshold"
        elif self._variance <= noise * self._scale:
            return "exhausted"
        else:
            vector = self._vector
            if self.directions:  # Lemma 2(b), up to rounding errors
                chosen = np.array([*self._orthonormal, *self.directions[len(self._given) :]])
                vector = vector - times(chosen.T, times(chosen, vector))
                vector /= np.linalg.norm(vector)
            vector = orient(vector, like=self._lift(vector))
        self.directions.append(vector)
        variance = vector @ self._initial.times(vector)
        return Direction(vector, float(np.sqrt(variance)))

    def undo(self) -> None:
        """Forget the last choice, as if it had not been made."""
        self.directions.pop()

    def subtract(self, coefficients: Sequence[Array], use: int = 0) -> None:
        """Subtract the projections of X on the new functions from the residual covariance.

        This is Lemma 2(a). Parameters are those of `Chooser.subtract`.
        """
        vector = self.directions[-1]
        for covariance, each in zip(self._covariances, coefficients, strict=True):
            covariance.subtract(each)
            # The variable itself is among the functions, so Σν = 0. Setting Σν to exactly 0 keeps
            # later directions orthogonal to ν even if the residual variance is small.
            covariance.deflate(vector)
        if use != self._use:
            self._use = use
            self._solve = LeadingEigenvector()  # the old start belongs to other matrices
        with threads_for(0):
            self._update()

    def vanish(self) -> None:
        """Set all residuals to zero, because there are as many functions as rows."""
        self.largest = self.total = self._variance = 0.0


class GivenDirections(ABC):
    """Chooser among the columns of the data, each scaled to variance 1 (or 0 if constant).

    Parameters
    ----------
    variances : array of shape (d,)
        The original variances of the columns.
    varies : boolean array of shape (d,)
        The mask of the columns that are not constant.
    threshold : float or None
        The residual variance that a column must have to be chosen.
    relative : bool
        True if the threshold is a share of each column's own variance.
    n_penalties : int, default=1
        The number of penalties; each has a vector of residual variances.
    prescribed : sequence of int, optional
        Columns to choose first, one after the other, even if their residual is zero.
    order : array of shape (d,), optional
        The variances that decide the order of columns, if they are known from more rows than those
        of the fit.
    """

    def __init__(
        self,
        variances: Array,
        varies: NDArray[np.bool_],
        threshold: float | None,
        relative: bool,
        n_penalties: int = 1,
        prescribed: Sequence[int] | None = None,
        order: Array | None = None,
    ) -> None:
        self._variances = variances
        self._order = variances if order is None else order
        self._prescribed = prescribed
        self._all_shares = np.tile(varies.astype(np.float64), (n_penalties, 1))
        self._use = 0
        self._threshold = threshold
        self._relative = relative
        self._noise = 0.0
        self.chosen: list[int] = []

    @property
    def _shares(self) -> Array:
        """The residual variance of each column, as a share of its original variance."""
        shares: Array = self._all_shares[self._use]
        return shares

    @property
    def variances(self) -> Array:
        """The residual variances σ_j of the columns."""
        return self._shares * self._variances

    @property
    def largest(self) -> float:
        """The largest residual variance of a column."""
        return float(self.variances.max())

    @property
    def total(self) -> float:
        """The sum of the residual variances of all columns."""
        return float(self.variances.sum())

    @abstractmethod
    def _rank(self) -> Array:
        """Return a value for each column: the column with the largest value is chosen."""

    @abstractmethod
    def _meets(self, variances: Array, threshold: float) -> NDArray[np.bool_]:
        """Return a mask of columns: True if the residual variance is enough to be chosen."""

    @property
    def qualified(self) -> NDArray[np.bool_]:
        """A mask of columns: True if the residual variance meets the threshold."""
        if self._threshold is None:
            return np.ones(len(self._shares), dtype=bool)
        return self._meets(self._shares if self._relative else self.variances, self._threshold)

    @property
    def redundant(self) -> IntArray:
        """Columns that were not chosen and are below the threshold or have no residual variance."""
        others = ~self.qualified | (self._shares <= self._noise)
        others[self.chosen] = False
        return np.flatnonzero(others)

    def choose(self, noise: float) -> Direction | NoChoice:
        """Return the next column, or the reason why there is none.

        Residual variances below the share `noise` of the original variances are rounding errors.
        """
        self._noise = noise
        if self._prescribed is not None and len(self.chosen) < len(self._prescribed):
            self.chosen.append(self._prescribed[len(self.chosen)])
            return Direction(self.chosen[-1], 1.0)
        qualified = self.qualified
        if not qualified.any():
            return "threshold"
        candidates = qualified & (self._shares > noise)
        if not candidates.any():
            return "exhausted"
        rank = np.where(candidates, self._rank(), -1.0)
        self.chosen.append(int(np.argmax(rank >= (1 - TIE) * rank.max())))
        return Direction(self.chosen[-1], 1.0)

    def undo(self) -> None:
        """Forget the last choice, as if it had not been made."""
        self.chosen.pop()

    def subtract(self, coefficients: Sequence[Array], use: int = 0) -> None:
        """Subtract the projections on the new functions from the residual variances (Lemma 2(a)).

        Parameters are those of `Chooser.subtract`.
        """
        for shares, each in zip(self._all_shares, coefficients, strict=True):
            shares -= np.einsum("ij,ij->j", each, each)
        np.maximum(self._all_shares, 0.0, out=self._all_shares)
        self._all_shares[:, self.chosen[-1]] = 0.0  # the variable itself is among the functions
        self._use = use

    def vanish(self) -> None:
        """Set all residuals to zero, because there are as many functions as rows."""
        self._shares[:] = 0.0


class LargestResidual(GivenDirections):
    """Chooser of GFS: the column with the largest residual variance."""

    def _rank(self) -> Array:
        return self._shares * self._order

    def _meets(self, variances: Array, threshold: float) -> NDArray[np.bool_]:
        return variances > threshold


class LargestOriginal(GivenDirections):
    """Chooser of GFA and GCA: of the columns that are not redundant, the one of largest variance.

    The variance is that of the data, before any projection is subtracted.
    """

    def _rank(self) -> Array:
        return self._order

    def _meets(self, variances: Array, threshold: float) -> NDArray[np.bool_]:
        return variances >= threshold


class GivenOrder(LargestResidual):
    """Chooser of UFFS: all columns in a given order, also redundant columns."""

    def __init__(self, variances: Array, varies: NDArray[np.bool_], n_penalties: int = 1) -> None:
        super().__init__(variances, varies, None, relative=False, n_penalties=n_penalties)
        self.shares_when_chosen = self._shares.copy()
        """Residual share of each column when its turn came."""

    def choose(self, noise: float) -> Direction | NoChoice:
        """Return the next column in the given order."""
        column = len(self.chosen)
        # If no column to come has a residual, further functions cannot change the residuals.
        if not (self._shares[column:] > noise).any():
            return "exhausted"
        self.chosen.append(column)
        return Direction(column, 1.0)

    def subtract(self, coefficients: Sequence[Array], use: int = 0) -> None:
        """Subtract the projections on the new functions, and record the residuals of later columns.

        Parameters are those of `Chooser.subtract`.
        """
        super().subtract(coefficients, use)
        to_come = slice(len(self.chosen), None)
        self.shares_when_chosen[to_come] = self._shares[to_come]

    def vanish(self) -> None:
        """Set all residuals to zero, because there are as many functions as rows."""
        super().vanish()
        self.shares_when_chosen[len(self.chosen) :] = 0.0
