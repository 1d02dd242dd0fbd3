"""Triangular factor that maps functions to orthonormal functions, with or without shrinkage.

Let E[ffᵀ] + αD = LLᵀ, where the diagonal matrix D is 1 for the functions with a penalty and 0 for
the others. With f̂ = L⁻¹f and c = E[f̂Xᵀ], the penalized least-squares fit of X is cᵀf̂ = Bᵀf with
B = L⁻ᵀc, and the minimum of

    E[(X - Bᵀf)(X - Bᵀf)ᵀ] + α BᵀDB    is    E[XXᵀ] - cᵀc.

So the recursion of Lemma 2(a) holds with and without shrinkage.
"""

from __future__ import annotations

import numpy as np

from gramian._support.blas import add_product, solve_lower
from gramian._support.threads import AddProduct, share_out
from gramian._support.types import Array, IntArray
from gramian.core.orthogonalize._orthogonalizer import Extension
from gramian.core.orthogonalize._triangle import BlockTriangle, split, workers
from gramian.core.sums import GrowingRows

N_PROBES = 32
"""Number of random vectors with which row norms of L⁻¹ and the trace of an inverse are
estimated."""


class Factor:
    """Triangular factor L, to which functions are appended, and E[f̂Xᵀ] of f̂ = L⁻¹f.

    The functions f are scaled to norm one.

    Parameters
    ----------
    n_columns : int
        The number of columns of X.
    alpha : float, default=0
        The penalty of every function except the constant and the variables themselves, which have
        none. With infinity, only the constant and the variables enter the factor.
    """

    def __init__(self, n_columns: int, alpha: float = 0.0) -> None:
        self.n_columns = n_columns
        self.alpha = alpha
        self.sensitivity = 1.0
        """Largest norm of a row of L⁻¹, by which rounding errors of sums are multiplied."""
        self.loss = 0.0
        """Upper bound of the errors of E[f̂f̂ᵀ], which should be the identity matrix."""
        # The first function is the constant of norm one, orthogonal to every centred column.
        self._order = np.zeros(1, dtype=np.intp)
        """Numbers of the basis functions that are in the factor, in the order of the rows of L."""
        self._triangle = BlockTriangle(np.ones((1, 1)))
        self._coefficients = GrowingRows(np.zeros(n_columns))
        self._penalized = np.empty(0, dtype=np.intp)
        """Numbers of the rows of L whose functions have the penalty."""
        self._probes = GrowingRows(np.ones(N_PROBES))
        """L⁻¹v for vectors v of random signs."""
        self._penalized_probes = GrowingRows(np.zeros(N_PROBES))
        """L⁻¹Dv for other vectors v of random signs."""
        self._fit_probes = np.zeros((N_PROBES, n_columns))
        self._errors = np.zeros(n_columns)
        self._random = np.random.default_rng(0)
        self._signs = np.random.default_rng(1)

    def __len__(self) -> int:
        return len(self._order)

    @property
    def noise(self) -> float:
        """Estimate of the largest rounding error of a column's residual variance."""
        return float(self._errors.max(initial=0.0))

    @property
    def degrees_of_freedom(self) -> float:
        """Effective number of functions: the trace of the matrix that maps X to its fit.

        It is n - α trace(D(LLᵀ)⁻¹D) for n functions. The trace is the expectation of ‖L⁻¹Dv‖² for
        vectors v of random signs.
        """
        if not 0 < self.alpha < np.inf:
            return float(len(self))
        probes = self._penalized_probes.view
        return len(self) - self.alpha * float(np.einsum("ij,ij->", probes, probes)) / N_PROBES

    def project(self, gram: Array, with_x: Array, n_workers: int = 1) -> Array:
        """Return E[r f̂ᵀ] of functions r, and subtract E[r f̂ᵀ] E[f̂ Xᵀ] from `with_x`, in place.

        Parameters
        ----------
        gram : array of shape (n, n_basis + n_new)
            E[r fᵀ] for all functions f of norm one: basis functions, then new functions.
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
        """Return U with ``U @ f == projections @ f̂``, where f̂ are the orthonormal functions.

        f are all functions, of norm one. U has the shape (len(projections), n_functions).
        """
        solved = np.array(projections.T, order="C")
        self._triangle.solve_transposed(solved)
        combinations = np.zeros((len(projections), n_functions))
        combinations[:, self._order] = solved.T
        return combinations

    def penalties(self, n_functions: int) -> Array:
        """Return the penalty of each function, which is zero for the constant and the variables.

        It is the diagonal of αD (see the module).
        """
        penalties = np.zeros(n_functions)
        if self._penalized.size:
            penalties[self._order[self._penalized]] = self.alpha
        return penalties

    def sensitivities(self, left: Array, diagonal: Array) -> tuple[Array, Array]:
        """Return estimates of the norms of new rows of L⁻¹, and the probes to pass to `append`.

        Rounding errors of sums are multiplied by these norms. The probes are the new entries of
        L⁻¹v for vectors v of random signs; their standard deviations are the norms. `left` and
        `diagonal` are the new rows of L.
        """
        probes = self._signs.choice([-1.0, 1.0], (len(diagonal), N_PROBES))
        add_product(probes, left, self._probes.view, -1.0)
        solve_lower(diagonal, probes)
        return np.sqrt(np.einsum("ij,ij->i", probes, probes) / N_PROBES), probes

    def append(self, extension: Extension, indices: IntArray, probes: Array | None = None) -> None:
        """Append new functions to the factor.

        Parameters
        ----------
        extension : Extension
            The new rows of L.
        indices : array of int
            The numbers of the new functions among all functions.
        probes : array, optional
            The probes that `sensitivities` returned; None if the functions were not computed from
            sums, so that rounding errors need no estimate.
        """
        left, diagonal = extension.left, extension.diagonal
        if 0 < self.alpha < np.inf:
            penalized = len(self) + np.flatnonzero(extension.pivots)  # not the variable itself
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
        """Add rounding errors of the newest functions to the estimate `noise`.

        `errors` are the errors of E[f̂fᵀ], and `coefficients` are E[f̂Xᵀ], of these functions f̂.
        """
        # vᵀB = (L⁻¹v)ᵀE[f̂Xᵀ]: for vectors v of random signs, its standard deviation is B's norm.
        size = np.sqrt(np.mean(self._fit_probes**2, axis=0))
        self._errors += 2 * size * np.linalg.norm(errors[:, np.newaxis] * coefficients, axis=0)

    @property
    def coefficients(self) -> Array:
        """E[f̂Xᵀ] of the orthonormal functions f̂, one row for each function in the factor."""
        return self._coefficients.view

    def settle(self, n_basis: int, kept: IntArray) -> None:
        """Renumber the functions of the last block after some of them were removed.

        Parameters
        ----------
        n_basis : int
            The number of functions before the block.
        kept : array of int
            The numbers, in the block, of the functions that were not removed.
        """
        new = self._order >= n_basis
        self._order[new] = n_basis + np.searchsorted(kept, self._order[new] - n_basis)

    def fit(self, n_basis: int) -> Array:
        """Return B = L⁻ᵀE[f̂Xᵀ] (see the module), the coefficients of all basis functions.

        Basis functions have norm one. B has the shape (n_basis, n_columns); functions that are not
        in the factor L have zeros.
        """
        b = self._coefficients.view.copy()
        self._triangle.solve_transposed(b)
        fit = np.zeros((n_basis, b.shape[1]))
        fit[self._order] = b
        return fit

    def moments(self, n_basis: int) -> tuple[Array, Array]:
        """Return (E[ffᵀ], E[fXᵀ]) of all basis functions f of norm one.

        Functions that are not in the triangular factor have zeros. `n_basis` is the number of
        functions.
        """
        rows = self._triangle.dense()
        products = rows @ rows.T
        products[self._penalized, self._penalized] -= self.alpha
        gram = np.zeros((n_basis, n_basis))
        gram[np.ix_(self._order, self._order)] = products
        with_x = np.zeros((n_basis, self.n_columns))
        with_x[self._order] = rows @ self._coefficients.view
        return gram, with_x
