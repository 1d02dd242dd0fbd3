"""Leave-one-out residuals of dropped columns, computed from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


def leave_one_out(rows: Rows, layout: Layout, targets: Sequence[int], alpha: float = 0.0) -> Array:
    """Return leave-one-out residual shares of columns, explained by functions of others.

    A row's residual is divided by 1 - h, where h is its leverage: this is its residual in the fit
    without that row. Sums are computed anew, so that they check an elimination independently.

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

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.elimination import lay_out, leave_one_out
    >>> from gramian.families import Polynomial
    >>> from gramian.core.rows import centre
    >>> x, noise = np.random.default_rng(0).standard_normal((2, 300))
    >>> rows, _ = centre(np.column_stack([x, x**2, noise]), None, "column")
    >>> layout = lay_out(rows, Polynomial(2), [0])
    >>> leave_one_out(rows, layout, [1, 2]).round(1) + 0.0
    array([0., 1.])
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
        work = LeaveOneOut(layout, use, mean[use], deviations, factor, coefficients, tuple(targets))
        (found,) = rows.sum(work)
    return found


@dataclass(frozen=True)
class LeaveOneOut(BlockWork):
    """Work that sums the squared leave-one-out residuals of each target."""

    layout: Layout
    use: IntArray
    mean: Array
    deviations: Array
    factor: Array
    coefficients: Array
    targets: tuple[int, ...]

    def zeros(self) -> list[Array]:
        """Return the squares of no rows."""
        return [np.zeros(len(self.targets))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the squared residuals of a row block."""
        for piece in pieces(rows):
            values, _, _ = self.layout.evaluate(piece, self.layout.n_functions)
            values = values[1:][self.use]
            values -= np.multiply.outer(self.mean, piece.root)
            values /= self.deviations[:, np.newaxis]
            orthonormal = solve_triangular(self.factor, values, lower=True, check_finite=False)
            # The leverage of the constant is the weight of the row.
            leverage = piece.root**2 + np.einsum("ij,ij->j", orthonormal, orthonormal)
            residual = piece.x[:, list(self.targets)] - orthonormal.T @ self.coefficients
            with np.errstate(divide="ignore"):
                residual /= np.maximum(1 - leverage, 0.0)[:, np.newaxis]
            sums[0] += np.einsum("ij,ij->j", residual, residual)
