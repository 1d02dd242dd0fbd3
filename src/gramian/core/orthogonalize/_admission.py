"""Admission of new functions to a factor: in one pass over the rows, or in more for accuracy.

The residual of new functions g after subtracting their projections Wf̂ on the orthonormal
functions f̂ is r = g - Wf̂. A pass over the rows sums P = E[r f̂ᵀ], E[r rᵀ] and E[r Xᵀ]. Then P is
added to W, and the pivoted Cholesky factor D of

    E[r rᵀ] - PPᵀ = DDᵀ

turns the residuals into new orthonormal functions. The first pass has W = 0 and r = g: it is
Cholesky's algorithm on the Gram matrix of all functions, and loses digits of residuals that are
small in comparison with g. If the residual is a share s of the second moment of g, its relative
error is u/s, where u is the rounding error. Functions for which this error is too large wait for
another pass, which evaluates r on the rows as g - Uf with U = WL⁻¹. Since r itself is small there,
the lost digits are recovered. These are the corrected seminormal equations (Björck), block by
block. They need only sums over the rows.

The loss of orthogonality has a bound. Sums have rounding errors u relative to their terms. In f̂ =
L⁻¹f, row i of L⁻¹ multiplies these errors by its norm ρᵢ; so the errors of E[f̂ᵢf̂ⱼ] are uρᵢρⱼ
after the first pass. A later pass sums products of r, and f̂ = D⁻¹r. Then the norm of a row of D⁻¹,
with r scaled to norm one, replaces ρᵢ, and the loss grows with the condition number, not with its
square.

Residual variances have smaller errors. With hᵢ the errors of E[f̂ᵢfᵀ] and B the coefficients of
the fit of a column by f, the error of Σcᵢ² is ΣcᵢhᵢᵀB: it is large only if a fit has large
coefficients.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from gramian._support.blas import solve_lower
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import EPSILON
from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._orthogonalizer import RANK_TOLERANCE, Extension
from gramian.core.orthogonalize._triangle import cholesky_columns, subtract_square

SUMMATION = 64 * EPSILON
"""Largest rounding error of a sum over rows, relative to the sum of the absolute terms.

BLAS adds up to k = 384 terms one after another. If the terms are equal, as for indicators and
columns with few levels, their rounding errors do not cancel: they reach kε/6.
"""
MAX_LOSS = 1e-8
"""Largest loss of orthogonality that is accepted; functions with a larger loss wait for another
pass over the rows."""
HARMLESS_GROWTH = 8.0
"""Growth of rounding errors (as a factor) that is always accepted: below it, another pass would
not improve the accuracy."""
LEAST_PIVOT = 1e-7
"""Smallest squared pivot that one pass accepts, relative to residuals of norm one; functions with
smaller pivots wait for another pass or are dropped."""
CERTAIN = 100 * EPSILON
"""Upper bound of the rounding error of E[r²] for a residual r, as a share of E[r²]."""
EVALUATION_ERROR = 10 * EPSILON
"""Rounding error of a residual r = g - Uf, evaluated on a row, divided by the norm of U."""
MAX_PASSES = 12
"""Largest number of passes over the rows; functions that still wait after them are dropped."""


class Admission:
    """Adds the new functions of one step to a triangular factor, if they are not redundant.

    The rows are read once, and again for functions whose residuals are not accurate yet: these
    functions wait for the next pass.

    Parameters
    ----------
    factor : Factor
        The factor of the earlier functions. New functions are appended to it; their numbers start
        at `n_basis`.
    n_basis, n_new : int
        Number of earlier functions, in the factor or not; number of new functions.
    room : int
        Largest number of functions that may enter the factor. If it is one and the factor has a
        penalty, only the variable itself enters: the first new function, which has no penalty.
    n_workers : int
        The number of threads.
    """

    def __init__(self, factor: Factor, n_basis: int, n_new: int, room: int, n_workers: int) -> None:
        self._factor = factor
        self._n_before = len(factor)
        self._n_basis = n_basis
        self._n_functions = n_basis + n_new
        self._room = room
        self._n_workers = n_workers
        self._n_passes = 0
        self.waiting: IntArray = np.empty(0, dtype=np.intp)
        """Numbers of the new functions that wait: neither in the factor nor dropped."""
        self._projections = np.empty((0, len(factor)))
        self._combinations = np.empty((0, 0))
        self._parts: list[Extension] = []

    def combinations(self) -> Array:
        """Return the matrix A with r = A (f, g): the residuals r of functions that wait.

        Functions wait if they need another pass over the rows. A has one row for each of them, and
        one column for each function: the earlier functions f, and the new functions g.
        """
        self._combinations = -self._factor.combine(self._projections, self._n_functions)
        self._combinations[range(len(self.waiting)), self._n_basis + self.waiting] = 1.0
        return self._combinations

    @property
    def full(self) -> bool:
        """True if as many functions were added to the triangular factor as `room` allows."""
        return len(self._factor) - self._n_before >= self._room

    def begin(self, gram: Array, with_x: Array, piece: slice) -> None:
        """Use the sums of the first pass to admit new functions g, which are a piece of the block.

        Parameters
        ----------
        gram : array of shape (n, n_functions)
            E[g fᵀ] for all functions f.
        with_x : array of shape (n, n_columns)
            E[g Xᵀ].
        piece : slice
            The numbers of the functions g in the block.
        """
        numbers = np.arange(self._n_functions - self._n_basis)[piece]
        only_z = self._factor.alpha > 0 and self._room == 1
        n = np.count_nonzero(numbers == 0) if only_z else len(numbers)
        self.waiting = numbers[:n]
        self._projections = np.zeros((n, len(self._factor)))
        self._n_passes = 0
        squares = gram[:n, self._n_basis + self.waiting]
        if np.isfinite(self._factor.alpha):
            # z has no penalty. A function that is zero on all rows is dropped, for instance
            # the product of indicators of two levels that never occur together.
            penalized = (self.waiting > 0) & (squares.diagonal() > 0)
            squares[range(n), range(n)] += self._factor.alpha * penalized
        self._take(gram[:n], squares, with_x[:n].copy())

    def go_on(self, gram: Array, squares: Array, with_x: Array) -> None:
        """Use the sums of a later pass over the rows for functions whose residuals were inaccurate.

        Parameters
        ----------
        gram : array of shape (n_waiting, n_functions)
            E[r fᵀ] for all functions f.
        squares : array of shape (n_waiting, n_waiting)
            E[r rᵀ].
        with_x : array of shape (n_waiting, n_columns)
            E[r Xᵀ].
        """
        penalties = self._factor.penalties(self._n_functions)
        if np.isfinite(self._factor.alpha):
            penalties[self._n_basis + self.waiting] = self._factor.alpha * (self.waiting > 0)
        if penalties.any():
            # A penalty has the effect of one more row for each function, with the values √(αD).
            penalized = self._combinations * penalties
            gram = gram + penalized
            squares = squares + penalized @ self._combinations.T
        self._take(gram, squares, with_x)

    def _take(self, gram: Array, squares: Array, with_x: Array) -> None:
        self._n_passes += 1
        sizes, floor = np.sqrt(np.maximum(squares.diagonal(), 0.0)), self._floor()
        some = sizes > floor
        if not some.all():
            gram, squares, with_x = gram[some], squares[np.ix_(some, some)], with_x[some]
            sizes, floor = sizes[some], floor[some]
            self._keep(some)
        found = self._factor.project(gram, with_x, self._n_workers)
        self._projections += found
        subtract_square(squares, found, self._n_workers)
        squares /= sizes
        squares /= sizes[:, np.newaxis]
        lower, order = cholesky_columns(squares, LEAST_PIVOT)
        sizes, floor = sizes[order], floor[order]
        errors, probes = self._accept(lower, order, sizes, floor)
        n = len(errors)
        lower = lower[:, :n]
        left = squares.diagonal()[order] - np.einsum("ij,ij->i", lower, lower)
        lower *= sizes[:, np.newaxis]
        self._append(lower[:n], order[:n], with_x, probes, errors)
        self._keep(order[n:])
        self._projections = np.hstack([self._projections, lower[n:]])
        # If rounding made `left` negative, only another pass can measure the residual.
        most = (np.maximum(left, 0.0) + CERTAIN) * sizes**2
        self._finish(most[n:], floor[n:])

    def _floor(self) -> Array:
        """Return residual norms below which functions are redundant.

        There is one value for each function that waits for another pass over the rows.
        """
        floor = np.full(len(self.waiting), RANK_TOLERANCE)
        if self._n_passes > 1:
            norms = np.linalg.norm(self._combinations, axis=1)
            floor = np.maximum(floor, EVALUATION_ERROR * norms)
        return floor

    def _keep(self, which: IntArray | NDArray[np.bool_]) -> None:
        self.waiting, self._projections = self.waiting[which], self._projections[which]

    def _accept(
        self, lower: Array, order: IntArray, sizes: Array, floor: Array
    ) -> tuple[Array, Array]:
        """Return the errors of E[f̂fᵀ] and the probes of the functions that this pass accepts.

        The accepted functions are the first ones in the order of the pivots; all other functions
        need another pass.

        Parameters
        ----------
        lower, order
            The pivoted Cholesky factor of the residuals of norm one, and the order of its pivots.
        sizes : array
            The norms of the residuals, in this order.
        floor : array
            The residual norms below which the functions are redundant, in this order.
        """
        factor = self._factor
        rank = min(lower.shape[1], self._room - (len(factor) - self._n_before))
        scaled = lower[:rank, :rank]
        diagonal = scaled * sizes[:rank, np.newaxis]
        sensitivity, probes = factor.sensitivities(self._projections[order[:rank]], diagonal)
        if self._n_passes == 1 or not rank:
            growth = sensitivity
        else:
            # f̂ = D⁻¹r: the errors of sums over r are relative to the size of r.
            inverse, _ = lapack.dtrtri(scaled, lower=1)
            growth = np.linalg.norm(inverse, axis=1)
        errors = EPSILON * (6 + 2 * np.sqrt(len(factor) + rank)) * growth
        loss = errors * np.maximum(factor.sensitivity, np.maximum.accumulate(growth))
        enough = (loss <= MAX_LOSS) | (growth <= HARMLESS_GROWTH)
        enough &= diagonal.diagonal() > floor[:rank]
        n = rank if enough.all() else int(np.argmin(enough))
        # If growth is above HARMLESS_GROWTH, the errors in `loss` exceed the worst case of sums.
        loss += SUMMATION * np.minimum(growth, HARMLESS_GROWTH) ** 2
        factor.loss = max(factor.loss, float(loss[:n].max(initial=0.0)))
        factor.sensitivity = max(factor.sensitivity, float(sensitivity[:n].max(initial=0.0)))
        return errors[:n], probes[:n]

    def _append(
        self, diagonal: Array, order: IntArray, with_x: Array, probes: Array, errors: Array
    ) -> None:
        if not len(order):
            return
        coefficients = with_x[order]
        solve_lower(diagonal, coefficients)
        pivots = self.waiting[order]
        part = Extension(pivots, self._projections[order], diagonal, coefficients)
        self._factor.append(part, self._n_basis + pivots, probes)
        self._factor.note_errors(errors, coefficients)
        self._parts.append(part)

    def _finish(self, most: Array, floor: Array) -> None:
        """Drop functions whose residual is surely too small.

        They wait for another pass over the rows. After the last pass, or if the factor is full, all
        of them are dropped.

        Parameters
        ----------
        most : array
            Upper bounds of their squared residuals.
        floor : array
            The residual norms below which they are redundant.
        """
        redundant = most <= floor**2
        if self._n_passes == MAX_PASSES:
            self._factor.loss = max(self._factor.loss, float(most.max(initial=0.0)))
            redundant[:] = True
        elif self.full:
            redundant[:] = True
        self._keep(~redundant)

    def extension(self) -> Extension:
        """Return all rows that were added to the triangular factor, as one extension."""
        start, n_columns = self._n_before, self._factor.n_columns
        nothing = Extension(
            np.empty(0, dtype=np.intp),
            np.empty((0, start)),
            np.empty((0, 0)),
            np.empty((0, n_columns)),
        )
        parts = [nothing, *self._parts]
        n = len(self._factor) - start
        left = np.empty((n, start))
        diagonal = np.zeros((n, n))
        done = 0
        for part in parts:
            rows = slice(done, done + len(part.pivots))
            left[rows] = part.left[:, :start]
            diagonal[rows, :done] = part.left[:, start:]
            diagonal[rows, rows] = part.diagonal
            done = rows.stop
        return Extension(
            np.concatenate([part.pivots for part in parts]),
            left,
            diagonal,
            np.vstack([part.coefficients for part in parts]),
        )
