"""Functions of the remaining variables, and residual shares after dropping each variable.

Let G = E[ffᵀ] be the covariance of the functions of all variables that remain, P their penalties,
and H = (G + P)⁻¹. Let B be the functions that involve variable j. Then K = (H[B, B])⁻¹ is the
covariance of the residuals of B after projection on all functions *without* j: its entry for
variable j is the share of j that the others do not explain. If x is a variable dropped earlier,
dropping j raises the residual share of x by βᵀKβ, with β = H E[fx] restricted to B.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from scipy.linalg import lapack

from gramian._support.blas import (
    MAX_SIDE,
    add_product,
    solve_lower,
    symmetric,
    threads_for,
    times,
)
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import EPSILON, RIDGE
from gramian.core.elimination._layout_sums import FunctionSums

COARSE_RIDGE = 1e-9
"""Ridge for more than `LARGE` functions: H is then only updated, and updates lose digits."""
LARGE = 4000
"""Number of functions above which H is only updated, never computed anew."""
TRUSTED = 1e-7
"""Relative error of updates above which H is computed anew."""
NEGLIGIBLE = 0.01
"""Share of a residual below which the lower bound of its increase replaces the exact value."""


class Remaining:
    """The variables that remain, and the share of each that the others would not explain.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    alpha : float, default=0
        The penalty of every function but the variables themselves; infinity removes the others.
    variables : collection of int, optional
        The variables to begin with; the others count as removed. By default all remain.
    overwrite : bool, default=False
        True if the Gram matrix may be overwritten when it is large.
    """

    def __init__(
        self,
        sums: FunctionSums,
        alpha: float = 0.0,
        *,
        variables: Collection[int] | None = None,
        overwrite: bool = False,
    ) -> None:
        gram, involves, singles = sums.gram, sums.involves, sums.singles
        if np.isinf(alpha):
            gram = gram[np.ix_(singles, singles)]
            involves, singles = involves[singles], np.arange(len(singles))
        n = len(gram)
        self._gram = gram if n <= LARGE else None
        self._involves = np.asfortranarray(involves)
        self._all_singles = singles
        self._singles = singles
        self._penalty = np.full(n, RIDGE if n <= LARGE else COARSE_RIDGE)
        if 0 < alpha < np.inf:
            self._penalty += alpha
            self._penalty[singles] -= alpha
        present = range(sums.n_variables) if variables is None else sorted(variables)
        self.variables = list(present)
        """The variables that remain."""
        self.removed = [j for j in range(sums.n_variables) if j not in set(present)]
        """The removed variables, in the order of their removal."""
        self.left = np.empty(0)
        """Residual share of each removed variable, given the remaining variables."""
        self._h: Array
        self._beta: Array
        self._functions = np.arange(n)
        """Numbers of the functions that the rows of H belong to."""
        self._error = 0.0
        self._blocks: dict[int, IntArray] = {}
        self._residuals: dict[int, Array] = {}
        self._explanations: dict[int, Array] = {}
        self._alive = np.ones(n, dtype=bool)
        if self.removed:
            self._gram = gram
            self._alive = np.logical_not(np.any(involves[:, self.removed], axis=1))
            self._refresh()
        else:
            self._factorize(gram, np.empty((n, 0)), overwrite=overwrite and n > LARGE)
        self.n_functions = 0
        """The number of functions that remain."""
        self.degrees_of_freedom = 0.0
        """Effective number of remaining functions: the trace of G(G + P)⁻¹. Functions that are
        combinations of others do not count, and neither does the constant."""
        self._count()

    def block(self, variable: int) -> IntArray:
        """Return the indices of the remaining functions that involve a variable."""
        found = self._blocks.get(variable)
        if found is None:
            found = self._blocks[variable] = np.flatnonzero(self._involves[:, variable])
        return found

    def n_functions_without(self, variable: int, other: int | None = None) -> float:
        """Return an upper bound of the effective number of functions without some variables.

        The functions that involve `variable` do not count, nor those that involve `other` if it is
        given.
        """
        common = self._common
        number = self.n_functions - common[variable, variable]
        if other is not None:
            number -= common[other, other] - common[variable, other]
        return min(float(number), self.degrees_of_freedom)

    def residual(self, variable: int) -> Array:
        """Return K (see the module): residual covariances of functions that involve a variable.

        The residuals are those after projection on all other functions.
        """
        found = self._residuals.get(variable)
        if found is None:
            block = self.block(variable)
            found = self._residuals[variable] = _small_inverse(self._h[np.ix_(block, block)])
        return found

    def share(self, variable: int) -> float:
        """Return the share of a variable that functions of the other variables do not explain."""
        at = self._at(variable)
        return max(0.0, float(self.residual(variable)[at, at]) - self._floor(variable))

    def shares_without(self, variables: Sequence[int], other: int) -> Array:
        """Return the `share` of each of `variables` if the variable `other` is dropped, too."""
        theirs = self.block(other)
        # Coefficients of the functions of `other` in the explanations. They give a lower bound of
        # the losses, which counts only the present residuals of these functions.
        parts = np.column_stack([self._weights(each)[theirs] for each in variables])
        parts[self._involves[np.ix_(theirs, np.asarray(variables, dtype=np.intp))]] = 0.0
        least = np.einsum("ij,ij->j", parts, self.residual(other) @ parts)
        shares = np.array([self.share(each) for each in variables])
        found: Array = shares + least
        for i in np.flatnonzero(least > NEGLIGIBLE * shares).tolist():
            found[i] = max(shares[i], self._share_without(variables[i], other))
        return found

    def _share_without(self, variable: int, other: int) -> float:
        mine, theirs = self.block(variable), self.block(other)
        both = np.concatenate([mine, theirs[~self._involves[theirs, variable]]])
        unit = np.zeros(len(both))
        unit[self._at(variable)] = 1.0
        found = _solve(self._h[np.ix_(both, both)], unit)[self._at(variable)]
        return float(found) - self._floor(variable)

    def _weights(self, variable: int) -> Array:
        """Return the negated coefficients of all functions in the explanation of a variable."""
        found = self._explanations.get(variable)
        if found is None:
            row = self.residual(variable)[self._at(variable)]
            h = np.ascontiguousarray(self._h[self.block(variable)])
            found = self._explanations[variable] = times(h.T, row)
        return found

    def losses(self, variable: int) -> Array:
        """Return how much the residual share of each removed variable grows without `variable`."""
        beta = self._beta[self.block(variable)]
        losses: Array = np.einsum("ij,ij->j", beta, self.residual(variable) @ beta)
        return losses

    def coefficients(self, variable: int) -> Array:
        """Return the coefficients of all functions in the explanation of a variable.

        They are zero for functions that involve the variable.
        """
        found: Array = -self._weights(variable)
        found[self.block(variable)] = 0.0
        return found

    def remove(self, variable: int) -> None:
        """Remove a variable and its functions."""
        h, block = self._h, self.block(variable)
        beta = self.coefficients(variable)
        self.left = np.append(self.left + self.losses(variable), self.share(variable))
        before = h.diagonal().copy()
        # Without B, the inverse of G + P is H - H[:, B] (H[B, B])⁻¹ H[B, :]. A triangular factor
        # makes the difference a square: an explicit inverse would lose twice as many digits.
        factor, info = lapack.dpotrf(h[np.ix_(block, block)], lower=1)
        if info == 0:
            right = np.hstack([h[block], self._beta[block]])
            solve_lower(factor, right)
            left = np.ascontiguousarray(right[:, : len(h)])
            with threads_for(float(len(h)) ** 2 * len(block)):
                self._beta -= times(left.T, right[:, len(h) :])
                add_product(h, left.T, left, -1.0)
        self._beta = np.column_stack([self._beta, beta])
        self._alive[block] = False
        self._involves[block] = False
        h[block] = 0.0
        h[:, block] = 0.0
        self._beta[block] = 0.0
        self.variables.remove(variable)
        self.removed.append(variable)
        self._forget_found()
        after = h.diagonal()[self._alive]
        spoilt = info != 0 or (after <= 0).any()
        ratio = before[self._alive] / np.where(after > 0, after, 1.0)
        self._error += np.inf if spoilt else EPSILON * float(ratio.max(initial=1.0))
        if self._gram is not None and self._error > TRUSTED:
            self._refresh()
        elif int(self._alive.sum()) < 0.8 * len(h):
            self._compact()
        self._count()

    def _refresh(self) -> None:
        """Compute H and β (see the module) from covariances, without rounding errors of updates."""
        assert self._gram is not None
        self._forget()
        functions = self._functions
        removed = self._gram[np.ix_(functions, self._all_singles[self.removed])]
        self._factorize(self._gram[np.ix_(functions, functions)], removed, overwrite=False)
        self._error = 0.0

    def _compact(self) -> None:
        """Remove the entries of removed functions from the arrays H and β (see the module)."""
        alive = np.flatnonzero(self._alive)
        self._h = self._h[np.ix_(alive, alive)]
        self._beta = self._beta[alive]
        self._forget()

    def _forget(self) -> None:
        """Remove the removed functions from all lists of functions."""
        alive = np.flatnonzero(self._alive)
        self._functions = self._functions[alive]
        self._involves = np.asfortranarray(self._involves[alive])
        self._penalty = self._penalty[alive]
        self._alive = np.ones(len(alive), dtype=bool)
        self._singles = np.searchsorted(self._functions, self._all_singles)
        self._forget_found()

    def _forget_found(self) -> None:
        """Clear the cached results for single variables, which a removal makes invalid."""
        self._blocks.clear()
        self._residuals.clear()
        self._explanations.clear()

    def _count(self) -> None:
        """Count the remaining functions, and the functions that involve each pair of variables."""
        self.n_functions = int(self._alive.sum())
        involves = self._involves.astype(np.float32)
        self._common = np.rint(involves.T @ involves).astype(np.intp)
        self.degrees_of_freedom = float(
            np.sum(1 - (self._penalty * self._h.diagonal())[self._alive])
        )

    def _factorize(self, gram: Array, removed: Array, *, overwrite: bool) -> None:
        """Compute H and β (see the module), and the residual shares of the removed variables.

        Parameters
        ----------
        gram : array of shape (n, n)
            The covariance G of the n remaining functions.
        removed : array of shape (n, n_removed)
            The covariances of the functions with the removed variables.
        overwrite : bool
            True if `gram` may be overwritten. If False and G + P has no inverse, P grows by an
            equal amount for all functions until it has one.
        """
        # With threads, OpenBLAS crashes on very large matrices: see `MAX_SIDE`.
        with threads_for(0 if len(gram) > MAX_SIDE else float(len(gram)) ** 3):
            while True:
                h = gram if overwrite else gram.copy()
                h[np.diag_indices_from(h)] += self._penalty
                # The transpose of a symmetric matrix in C order is the matrix in Fortran's order.
                factor, info = lapack.dpotrf(h.T, lower=1, overwrite_a=1)
                if info == 0:
                    break
                if overwrite:
                    raise ArithmeticError(
                        "The covariance of the functions has negative eigenvalues beyond rounding "
                        "errors. Choose a family that is better conditioned (legendre, hermite), "
                        "or a penalty (alpha)."
                    )
                self._penalty = self._penalty + 9 * self._penalty.min()
            beta = np.ascontiguousarray(removed)
            solve_lower(factor, beta)
            # A sum of squares keeps digits that 1 - E[fx]ᵀ H E[fx] would lose.
            self.left = np.maximum(0.0, 1 - np.einsum("ij,ij->j", beta, beta))
            solve_lower(factor, beta, transposed=True)
            self._beta = beta
            if len(h):  # LAPACK refuses empty matrices
                lapack.dpotri(factor, lower=1, overwrite_c=1)
            _mirror(h)
            self._h = h

    def _at(self, variable: int) -> int:
        return int(np.searchsorted(self.block(variable), self._singles[variable]))

    def _floor(self, variable: int) -> float:
        return float(self._penalty[self._singles[variable]])


def _mirror(h: Array, tile: int = 1024) -> None:
    """Copy the upper triangle of a matrix in C order to its lower triangle, in place."""
    for start in range(0, len(h), tile):
        part = slice(start, start + tile)
        square = h[part, part]
        square[:] = np.triu(square) + np.triu(square, 1).T
        h[start + tile :, part] = h[part, start + tile :].T


def _small_inverse(matrix: Array) -> Array:
    """Return the inverse of a matrix, or its pseudoinverse if rounding made it indefinite."""
    factor, info = lapack.dpotrf(matrix, lower=1)
    if info:
        return np.asarray(np.linalg.pinv(matrix, hermitian=True), dtype=np.float64)
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    return symmetric(inverse)


def _solve(matrix: Array, right: Array) -> Array:
    """Solve a positive definite system, by the pseudoinverse if rounding made it indefinite."""
    factor, info = lapack.dpotrf(matrix, lower=1)
    if info:
        return np.asarray(np.linalg.pinv(matrix, hermitian=True) @ right)
    found, _ = lapack.dpotrs(factor, right, lower=1)
    return np.asarray(found)
