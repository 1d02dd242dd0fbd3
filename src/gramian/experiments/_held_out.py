"""What functions of GFR's directions leave of rows that were not fitted."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, solve_triangular
from sklearn.preprocessing import PolynomialFeatures

from gramian import GFR
from gramian._types import Array


def shares_left(gfr: GFR, fitted: Array, held_out: Array) -> tuple[Array, Array]:
    """Return the share of the variance that is left with 0, 1, … directions.

    The decoder x ≈ Σ E[X f̂] f̂(z) has its functions f̂ orthonormal over the fitted rows and its
    coefficients from them, and is then applied to both.

    Parameters
    ----------
    gfr : GFR
        Fitted to `fitted`, with multilinear functions.
    fitted, held_out : array of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    of_fitted, of_held_out : array of shape (n_components + 1,)
        The shares, of the rows' sum of squares about the mean of the fitted ones.
    """
    scale = gfr.transform(fitted).std(axis=0)
    expand = PolynomialFeatures(gfr.degree, interaction_only=True).fit(gfr.transform(fitted[:2]))
    # A function belongs to the step that brought its last variable; the constant comes first.
    last = np.array([max(np.flatnonzero(row), default=-1) for row in expand.powers_])
    order = np.argsort(last, kind="stable")
    functions = expand.transform(gfr.transform(fitted) / scale)[:, order]
    q, r = qr(functions, mode="economic", overwrite_a=True, check_finite=False)
    coefficients = q.T @ fitted
    new = expand.transform(gfr.transform(held_out) / scale)[:, order]
    q_new = solve_triangular(r, new.T, trans="T", check_finite=False).T

    mean = fitted.mean(axis=0)
    residuals = [fitted - mean, held_out - mean]
    totals = [np.sum(each**2) for each in residuals]
    shares = [[1.0], [1.0]]
    for step in range(gfr.n_components_):
        block = np.flatnonzero(last[order] == step)
        for i, values in enumerate((q, q_new)):
            residuals[i] -= values[:, block] @ coefficients[block]
            shares[i].append(np.sum(residuals[i] ** 2) / totals[i])
    return np.array(shares[0]), np.array(shares[1])
