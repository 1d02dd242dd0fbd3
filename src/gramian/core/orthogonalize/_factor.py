"""The triangular factor that takes functions to orthonormal ones, with or without shrinkage.

With E[ffᵀ] + αD = LLᵀ, where D marks the functions that are penalized, f̂ = L⁻¹f and c = E[f̂Xᵀ],
the penalized least-squares fit of X is cᵀf̂ = Bᵀf with B = L⁻ᵀc, and the least value of

    E[(X - Bᵀf)(X - Bᵀf)ᵀ] + α BᵀDB    is    E[XXᵀ] - cᵀc.

So the recursion of Lemma 2(a) holds with shrinkage as it does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from gramian._support.blas import add_product, solve_lower
from gramian._support.threads import AddProduct, share_out
from gramian._support.types import Array, IntArray
from gramian.core.orthogonalize._orthogonalizer import RANK_TOLERANCE, Extension
from gramian.core.orthogonalize._triangle import BlockTriangle, split, workers
from gramian.core.sums import GrowingRows

N_PROBES = 32
"""Number of random vectors that estimate norms and the trace of an inverse."""


@dataclass(frozen=True)
class Dropped:
    """A function that is a combination of orthonormal ones."""

    number: int
    free: bool
    """True if the function has no penalty."""
    projections: Array
    """Coefficients of the function; those of later orthonormal functions are zero."""


class Factor:
    """A factor L that grows, and E[f̂Xᵀ] of its functions f̂ = L⁻¹f, scaled to norm one.

    Parameters
    ----------
    n_columns : int
        The number of columns of X.
    alpha : float, default=0
        The penalty of every function but the constant and the variables themselves. Infinity
        leaves the others out.
    keep_dropped : bool, default=False
        True to store dropped functions as combinations of others, so that they can return when
        `without` removes these others.
    """

    def __init__(self, n_columns: int, alpha: float = 0.0, *, keep_dropped: bool = False) -> None:
        self.n_columns = n_columns
        self.alpha = alpha
        self.keep_dropped = keep_dropped
        self.sensitivity = 1.0
        """Largest norm of a row of L⁻¹."""
        self.loss = 0.0
        """Bound of the errors of E[f̂f̂ᵀ]."""
        # The constant function: norm one, and every centred column is orthogonal to it.
        self._order = np.zeros(1, dtype=np.intp)
        """Numbers of the basis functions in the factor, in the order of their entry."""
        self._triangle = BlockTriangle(np.ones((1, 1)))
        self._coefficients = GrowingRows(np.zeros(n_columns))
        self._penalized = np.empty(0, dtype=np.intp)
        """Rows of the factor that have the penalty on their diagonal."""
        self._probes = GrowingRows(np.ones(N_PROBES))
        """L⁻¹v for vectors v of random signs."""
        self._penalized_probes = GrowingRows(np.zeros(N_PROBES))
        """L⁻¹Dv for other vectors v of random signs."""
        self._fit_probes = np.zeros((N_PROBES, n_columns))
        self._errors = np.zeros(n_columns)
        self._dropped: list[Dropped] = []
        self._random = np.random.default_rng(0)
        self._signs = np.random.default_rng(1)

    def __len__(self) -> int:
        return len(self._order)

    @property
    def n_known(self) -> int:
        """The number of functions whose moments are known: in the factor, or dropped and kept."""
        return len(self._order) + len(self._dropped)

    @property
    def noise(self) -> float:
        """Estimate of the largest rounding error of a column's residual variance."""
        return float(self._errors.max(initial=0.0))

    @property
    def degrees_of_freedom(self) -> float:
        """The trace of the matrix that takes X to its fit: the effective number of functions.

        It is n - α trace(D(LLᵀ)⁻¹D), and the trace is the expectation of ‖L⁻¹Dv‖² for vectors v
        of random signs.
        """
        if not 0 < self.alpha < np.inf:
            return float(len(self))
        probes = self._penalized_probes.view
        return len(self) - self.alpha * float(np.einsum("ij,ij->", probes, probes)) / N_PROBES

    def project(self, gram: Array, with_x: Array, n_workers: int = 1) -> Array:
        """Return E[r f̂ᵀ], and subtract the part of E[r Xᵀ] that projections on f̂ explain.

        Parameters
        ----------
        gram : array of shape (n, n_basis + n_new)
            E[r fᵀ] for the functions of the basis, then for the new ones, all of norm one.
        with_x : array of shape (n, n_columns)
            E[r Xᵀ]; overwritten.
        n_workers : int, default=1
            The number of threads.
        """
        w = np.empty((len(gram), len(self)))

        def project(multiply: AddProduct, new: slice) -> None:
            part = np.ascontiguousarray(gram[new].T[self._order])
            self._triangle.solve(part, multiply)
            w[new] = part.T
            multiply(with_x[new], w[new], self._coefficients.view, -1.0)

        share_out(split(len(gram), n_workers), workers(project, n_workers))
        return w

    def combine(self, projections: Array, n_functions: int) -> Array:
        """Return U with ``U @ f == projections @ f̂``, for all functions of norm one."""
        solved = np.array(projections.T, order="C")
        self._triangle.solve_transposed(solved)
        combinations = np.zeros((len(projections), n_functions))
        combinations[:, self._order] = solved.T
        return combinations

    def penalties(self, n_functions: int) -> Array:
        """Return the diagonal of αD, the penalties added to second moments of functions."""
        penalties = np.zeros(n_functions)
        if self._penalized.size:
            penalties[self._order[self._penalized]] = self.alpha
        return penalties

    def sensitivities(self, left: Array, diagonal: Array) -> tuple[Array, Array]:
        """Return estimates of the norms of new rows of L⁻¹, and the probes for `append`.

        Rounding errors of sums are multiplied by these norms. For a vector v of random signs, the
        entries of L⁻¹v (the probes) have these norms as standard deviations.
        """
        probes = self._signs.choice([-1.0, 1.0], (len(diagonal), N_PROBES))
        add_product(probes, left, self._probes.view, -1.0)
        solve_lower(diagonal, probes)
        return np.sqrt(np.einsum("ij,ij->i", probes, probes) / N_PROBES), probes

    def append(self, extension: Extension, indices: IntArray, probes: Array | None = None) -> None:
        """Add new functions; `indices` are the numbers of the pivots among all functions.

        Probes are None if the functions do not come from sums, whose errors probes follow.
        """
        left, diagonal = extension.left, extension.diagonal
        if 0 < self.alpha < np.inf:
            penalized = len(self) + np.flatnonzero(extension.pivots)  # the variable itself is free
            self._penalized = np.append(self._penalized, penalized)
            signs = self._random.choice([-1.0, 1.0], (len(diagonal), N_PROBES))
            signs[extension.pivots == 0] = 0.0
            add_product(signs, left, self._penalized_probes.view, -1.0)
            solve_lower(diagonal, signs)
            self._penalized_probes.append(signs)
        self._order = np.append(self._order, indices)
        self._triangle.append(left, diagonal)
        self._coefficients.append(extension.coefficients)
        if probes is not None:
            self._probes.append(probes)
            self._fit_probes += probes.T @ extension.coefficients

    def note_errors(self, errors: Array, coefficients: Array) -> None:
        """Note the rounding errors of E[f̂fᵀ] for the newest functions, given their E[f̂Xᵀ]."""
        # vᵀB = (L⁻¹v)ᵀE[f̂Xᵀ]: for vectors v of random signs, its standard deviation is B's norm.
        size = np.sqrt(np.mean(self._fit_probes**2, axis=0))
        self._errors += 2 * size * np.linalg.norm(errors[:, np.newaxis] * coefficients, axis=0)

    def drop(self, numbers: IntArray, free: NDArray[np.bool_], projections: Array) -> None:
        """Note functions that are ``projections @ f̂``, within a tolerance, some without penalty."""
        if self.keep_dropped:
            rows = zip(numbers.tolist(), free.tolist(), projections, strict=True)
            self._dropped += [Dropped(number, is_free, row) for number, is_free, row in rows]

    def settle(self, n_basis: int, kept: IntArray) -> None:
        """Renumber the new functions by their place among the kept functions."""
        new = self._order >= n_basis
        self._order[new] = n_basis + np.searchsorted(kept, self._order[new] - n_basis)

    def fit(self, n_basis: int) -> Array:
        """Return B = L⁻ᵀE[f̂Xᵀ] for all functions of the basis, scaled to norm one."""
        b = self._coefficients.view.copy()
        self._triangle.solve_transposed(b)
        fit = np.zeros((n_basis, b.shape[1]))
        fit[self._order] = b
        return fit

    def moments(self, n_basis: int) -> tuple[Array, Array]:
        """Return E[ffᵀ] and E[fXᵀ] of the functions in the factor, and of stored dropped ones.

        Other functions of the basis have zeros.
        """
        order = np.append(self._order, [each.number for each in self._dropped]).astype(np.intp)
        rows = self._triangle.dense()
        if self._dropped:
            rows = np.vstack([rows, self._rows_of(self._dropped)])
        products = rows @ rows.T
        if 0 < self.alpha < np.inf:
            penalized = np.append(
                np.isin(np.arange(len(self)), self._penalized),
                [not each.free for each in self._dropped],
            ).astype(bool)
            products[penalized, penalized] -= self.alpha
        gram = np.zeros((n_basis, n_basis))
        gram[np.ix_(order, order)] = products
        with_x = np.zeros((n_basis, self.n_columns))
        with_x[order] = rows @ self._coefficients.view
        return gram, with_x

    def _rows_of(self, dropped: Sequence[Dropped]) -> Array:
        """Return E[g f̂ᵀ] of functions that were dropped."""
        rows = np.zeros((len(dropped), len(self)))
        for row, each in zip(rows, dropped, strict=True):
            row[: len(each.projections)] = each.projections
        return rows

    def without(self, functions: IntArray) -> Factor:
        """Return the factor without some functions, given by number.

        With L = (L₁ 0; L₂ L₃), where the first function to go is the first row of L₂: the rows of
        L₃ that stay have as many columns as before, and MMᵀ = TTᵀ with Mᵀ = QTᵀ makes a triangle
        of them. Q takes the old orthonormal functions and their coefficients to the new ones. Q is
        orthogonal, so no digits are lost. Functions that were dropped as combinations of removed
        functions return, if they are stored.

        Parameters
        ----------
        functions : array of int
            Functions of the basis.

        Returns
        -------
        factor : Factor
            The factor of the other functions, which keep their numbers.
        """
        gone = np.isin(self._order, functions)
        start = int(np.argmax(gone)) if gone.any() else len(self)
        lower = self._triangle.dense()
        stay = start + np.flatnonzero(~gone[start:])
        q, r = _positive_qr(lower[stay, start:].T)
        waiting = [each for each in self._dropped if each.number not in set(functions.tolist())]
        rows = self._rows_of(waiting)
        inside = rows[:, start:] @ q
        # Residuals of dropped functions, once the given functions are removed.
        again, rest, order = _positive_qr_pivoted((rows[:, start:] - inside @ q.T).T)
        rank = min(np.count_nonzero(rest.diagonal() > RANK_TOLERANCE), gone.sum())
        back = order[:rank]

        n = start + len(stay)
        triangle = np.zeros((n + rank, n + rank))
        triangle[:start, :start] = lower[:start, :start]
        triangle[start:n, :start] = lower[stay, :start]
        triangle[start:n, start:n] = r.T
        triangle[n:, :start] = rows[back, :start]
        triangle[n:, start:n] = inside[back]
        triangle[n:, n:] = rest[:rank, :rank].T
        turn = np.hstack([q, again[:, :rank]]).T

        other = Factor(self.n_columns, self.alpha, keep_dropped=self.keep_dropped)
        other.loss = self.loss
        other._errors = self._errors.copy()
        other._order = np.append(self._order[~gone], [waiting[i].number for i in back]).astype(
            np.intp
        )
        other._triangle = BlockTriangle(triangle)
        coefficients = self._coefficients.view
        other._coefficients = GrowingRows(
            np.vstack([coefficients[:start], turn @ coefficients[start:]])
        )
        is_penalized = np.isin(np.arange(len(self)), self._penalized)[~gone]
        is_penalized = np.append(is_penalized, [not waiting[i].free for i in back]).astype(bool)
        if 0 < self.alpha < np.inf:
            other._penalized = np.flatnonzero(is_penalized)
        other._probe(is_penalized)
        for i, row in zip(order[rank:], rest[:rank, rank:].T, strict=True):
            projections = np.concatenate([rows[i, :start], inside[i], row])
            other._dropped.append(Dropped(waiting[i].number, waiting[i].free, projections))
        return other

    def _probe(self, is_penalized: NDArray[np.bool_]) -> None:
        """Compute the probes anew with random signs, for all rows at once."""
        probes = self._signs.choice([-1.0, 1.0], (len(self), N_PROBES))
        self._triangle.solve(probes)
        self._probes = GrowingRows(probes)
        self.sensitivity = float(np.sqrt(np.mean(probes**2, axis=1)).max())
        self._fit_probes = probes.T @ self._coefficients.view
        signs = self._random.choice([-1.0, 1.0], (len(self), N_PROBES))
        signs[~is_penalized] = 0.0
        self._triangle.solve(signs)
        self._penalized_probes = GrowingRows(signs)


def _positive_qr(a: Array) -> tuple[Array, Array]:
    """Return Q and R with ``a == Q @ R`` and a positive diagonal of R."""
    if not a.size:  # older versions of SciPy refuse empty matrices
        return np.empty((len(a), 0)), np.empty((0, a.shape[1]))
    q, r = qr(a, mode="economic", check_finite=False)
    return _positive(q, r)


def _positive_qr_pivoted(a: Array) -> tuple[Array, Array, IntArray]:
    """Return Q, R and an order of columns with ``a[:, order] == Q @ R``."""
    if not a.size:
        return np.empty((len(a), 0)), np.empty((0, a.shape[1])), np.arange(a.shape[1])
    q, r, order = qr(a, mode="economic", pivoting=True, check_finite=False)
    return *_positive(q, r), order.astype(np.intp)


def _positive(q: NDArray[Any], r: NDArray[Any]) -> tuple[Array, Array]:
    signs = np.where(r.diagonal() < 0, -1.0, 1.0)
    return q * signs, signs[:, np.newaxis] * r
