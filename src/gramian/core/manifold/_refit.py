"""Refit of a surface to rows whose coordinates are given: ridge regression, from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core._tolerances import RIDGE
from gramian.core.manifold._nearest_points import NearestSearch
from gramian.core.manifold._start import Start
from gramian.core.manifold._surface import Surface
from gramian.core.manifold._surface_terms import Terms
from gramian.core.rows import BlockWork, RowBlock, Rows

PENALTY_GROWTH = 3.0
"""Factor by which the penalty grows with each degree above 2. Of the factors 1, 3 and 10, the error
of held-out rows of the USPS data was smallest with 10 for 20 and 40 codes, and with 3 for 10 codes;
3 was better than 1 in all cases."""


@dataclass(frozen=True)
class Coding:
    """Map of rows to coordinates: of their nearest points on a surface, or estimates of these."""

    search: NearestSearch
    start: Start
    surface: Surface | None = None
    """The surface; None if the coordinates are the estimates of `start`."""
    shift: Array | None = None
    scale: Array | None = None
    """Divisor of the coordinates after `shift` is subtracted; both are None if coordinates are not
    standardized."""

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """Return (standardized coordinates, squared distances from the surface) of centred rows."""
        if self.surface is None:
            u, errors = self.start(x), np.einsum("ij,ij->i", x, x)
        else:
            u, errors = self.search(self.surface, self.start, x)
        if self.shift is not None and self.scale is not None:
            u = (u - self.shift) / self.scale
        return u, errors


@dataclass(frozen=True)
class TermSums:
    """Expectations of products of the functions of a surface, from which it is fitted."""

    gram: Array
    """E[ffᵀ], of shape (n_terms, n_terms)."""
    with_x: Array
    """E[fxᵀ], of shape (n_terms, n_columns)."""
    error: float
    """The mean squared distance of the rows from the surface."""


@dataclass(frozen=True)
class RefitWork(BlockWork):
    """Work that computes `TermSums`: it evaluates the terms at the coordinates of each row."""

    coding: Coding
    terms: Terms
    n_columns: int

    def zeros(self) -> list[Array]:
        """Return the three arrays of `TermSums` before any row is added: zeros."""
        n = len(self.terms)
        return [np.zeros((n, n)), np.zeros((n, self.n_columns)), np.zeros(1)]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Evaluate the functions on a row block, and add their products to the arrays `sums`."""
        u, errors = self.coding(rows.x / rows.root[:, np.newaxis])
        values = self.terms(u)
        values *= rows.root
        gram, with_x, error = sums
        add_product(gram, values, values.T)
        add_product(with_x, values, rows.x)
        error += (rows.root**2) @ errors


def sum_over(rows: Rows, coding: Coding, terms: Terms) -> TermSums:
    """Read all rows once, and return the sums from which a surface is fitted.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    coding : Coding
        Map of rows to coordinates.
    terms : Terms
        The functions of the coordinates that form the surface.
    """
    gram, with_x, error = rows.sum(RefitWork(coding, terms, rows.n_columns))
    if not np.isfinite(gram).all():
        raise FloatingPointError(
            "Products of codes exceed the range of float64. Lower the degree, or tame the outliers "
            "in the data (scikit-learn's RobustScaler with clipping, or a transform)."
        )
    return TermSums(gram, with_x, float(error[0]))


def refit(sums: TermSums, terms: Terms, alpha: float) -> Surface:
    """Return the surface that minimizes E‖x - Bᵀf‖² + Σ penalty(f) E[f²]‖B_f‖².

    The sum runs over the terms f. The penalty is alpha for terms of degree 2, and grows by the
    factor `PENALTY_GROWTH` with each degree: terms of higher degree are many, and they are steep
    outside the range of the data.

    Parameters
    ----------
    sums : TermSums
        Sums over the rows, from `sum_over`.
    terms : Terms
        The terms (functions of the coordinates) of the surface.
    alpha : float
        The penalty of terms of degree 2, after all terms are scaled to norm one.
    """
    norms = np.sqrt(sums.gram.diagonal())
    norms = np.where(norms > 0, norms, 1.0)
    gram = sums.gram / norms / norms[:, np.newaxis]
    penalties = np.where(terms.degrees >= 2, alpha * PENALTY_GROWTH ** (terms.degrees - 2.0), 0.0)
    gram.flat[:: len(gram) + 1] += penalties + RIDGE
    right = sums.with_x / norms[:, np.newaxis]
    try:
        solution = cho_solve(cho_factor(gram, lower=True, check_finite=False), right)
    except LinAlgError:
        solution = _least_squares(gram, right)
    return Surface(terms, solution / norms[:, np.newaxis])


def _least_squares(gram: Array, right: Array) -> Array:
    """Return the solution of smallest norm of gram · solution = right, for a singular matrix."""
    values, vectors = eigh(gram, check_finite=False)
    taken = values > len(gram) * RIDGE * values[-1]
    vectors = vectors[:, taken]
    solution: Array = vectors @ ((vectors.T @ right) / values[taken, np.newaxis])
    return solution
