"""Check of dropped columns: residuals in rows that are left out, one by one or in groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from gramian._support.blas import threads_for
from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import EPSILON, RIDGE
from gramian.core.elimination._layout import Layout
from gramian.core.elimination._layout_sums import CONSTANT_FUNCTION, moments
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.core.sums import pieces


@dataclass(frozen=True)
class ColumnFit:
    """Least-squares fit of some columns (the targets) by orthonormal functions of other columns."""

    layout: Layout
    use: IntArray
    """Numbers of the functions that vary."""
    mean: Array
    deviations: Array
    factor: Array
    """Cholesky factor of the Gram matrix of the scaled functions, with its penalties."""
    coefficients: Array
    targets: tuple[int, ...]

    def only(self, i: int) -> ColumnFit:
        """Return the fit of column number `i` of the fitted columns alone."""
        return replace(self, coefficients=self.coefficients[:, [i]], targets=(self.targets[i],))

    def evaluate(self, rows: RowBlock) -> Iterator[tuple[Array, Array, Array]]:
        """Yield for some rows at a time (roots of weights, orthonormal functions, residuals).

        The functions have the shape (n_functions, n_rows), the residuals (n_rows, n_targets).
        """
        for piece in pieces(rows):
            values, _, _ = self.layout.evaluate(piece, self.layout.n_functions)
            values = values[1:][self.use]
            values -= np.multiply.outer(self.mean, piece.root)
            values /= self.deviations[:, np.newaxis]
            orthonormal = solve_triangular(self.factor, values, lower=True, check_finite=False)
            residual = piece.x[:, list(self.targets)] - orthonormal.T @ self.coefficients
            yield piece.root, orthonormal, residual


def fit_columns(
    rows: Rows, layout: Layout, targets: Sequence[int], alpha: float = 0.0
) -> ColumnFit:
    """Fit functions to columns by least squares, from new sums over the rows.

    Parameters
    ----------
    rows : Rows
        The table; columns have mean 0 and variance 1.
    layout : Layout
        The functions.
    targets : sequence of int
        The columns to explain.
    alpha : float, default=0
        The penalty of every function but the variables themselves; infinity removes the others.
    """
    gram, mean, cross = moments(rows, layout, with_x=True)
    squares = gram.diagonal() + mean**2
    varies = gram.diagonal() > CONSTANT_FUNCTION * squares
    is_single = np.zeros(len(mean), dtype=bool)
    is_single[layout.singles] = True
    if np.isinf(alpha):
        varies &= is_single
    penalty = np.full(len(mean), RIDGE)
    if 0 < alpha < np.inf:
        penalty[~is_single] += alpha
    # Variances, as second moments minus squared means, have errors relative to the moments.
    penalty += 10 * len(mean) * EPSILON * squares / np.where(varies, gram.diagonal(), 1.0)
    use = np.flatnonzero(varies)
    deviations = np.sqrt(gram.diagonal()[use])
    gram = gram[np.ix_(use, use)] / np.multiply.outer(deviations, deviations)
    gram[np.diag_indices_from(gram)] += penalty[use]
    right = cross[np.ix_(use, np.asarray(targets, dtype=np.intp))] / deviations[:, np.newaxis]
    with threads_for(float(len(use)) ** 2 * max(len(use), rows.n_rows)):
        factor = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
        coefficients = solve_triangular(factor, right, lower=True)
    return ColumnFit(layout, use, mean[use], deviations, factor, coefficients, tuple(targets))


def leave_one_out(rows: Rows, fit: ColumnFit) -> Array:
    """Return the residual share of each fitted column, each row left out of the fit of this row.

    A row's residual is divided by 1 - h, where h is its leverage: this is its residual in the fit
    without that row.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.elimination import fit_columns, lay_out, leave_one_out
    >>> from gramian.families import Polynomial
    >>> from gramian.core.rows import centre
    >>> x, noise = np.random.default_rng(0).standard_normal((2, 300))
    >>> rows, _ = centre(np.column_stack([x, x**2, noise]), None, "column")
    >>> layout = lay_out(rows, Polynomial(2), [0])
    >>> leave_one_out(rows, fit_columns(rows, layout, [1, 2])).round(1) + 0.0
    array([0., 1.])
    """
    n_functions = len(fit.use)
    with threads_for(float(n_functions) ** 2 * max(n_functions, rows.n_rows)):
        (found,) = rows.sum(LeaveOneOut(fit, rows.n_copies))
    return found


@dataclass(frozen=True)
class LeaveOneOut(BlockWork):
    """Work that sums the squared leave-one-out residuals of each fitted column."""

    fit: ColumnFit
    n_copies: float
    """Number of rows that are left out together: the leverage of equal rows adds up."""

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: zeros."""
        return [np.zeros(len(self.fit.targets))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the squared leave-one-out residuals of the row block `rows` to `sums`, in place."""
        for root, orthonormal, residual in self.fit.evaluate(rows):
            # The leverage of the constant is the weight of the row.
            leverage = root**2 + np.einsum("ij,ij->j", orthonormal, orthonormal)
            with np.errstate(divide="ignore"):
                residual /= np.maximum(1 - self.n_copies * leverage, 0.0)[:, np.newaxis]
            sums[0] += np.einsum("ij,ij->j", residual, residual)
