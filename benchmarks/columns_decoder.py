"""Decode all columns from a few: ridge regression on monomials, all settings by training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.linalg import cho_factor, cho_solve

Array = np.ndarray
PENALTIES = (1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0)
GROWTHS = (1.0, 10.0)
"""Factors of the penalty for each degree beyond the second."""
MOST_FUNCTIONS = 2500
"""Number of functions above which kernels solve the regression, for fewer penalties."""
KERNEL_PENALTIES = (0.1, 0.3, 1.0)
SEED = 0


@dataclass(frozen=True)
class Decoded:
    """Residual shares of the variance of a decoder."""

    chosen: float
    """Residual share of the training rows that chose its penalties."""
    test: float
    error: float
    """Standard error of `test` for random test rows."""


def decode(X: Array, T: Array, columns: Sequence[int], degree: int) -> Decoded:
    """Decode test rows from some of their columns.

    Functions are scaled to variance 1. The columns themselves have no penalty. A fifth of the
    training rows chooses the penalties of other functions, and the fit is repeated with all
    training rows.

    Parameters
    ----------
    X, T : arrays
        Training rows and test rows.
    columns : sequence of int
        The columns that are known.
    degree : int
        The largest degree of a monomial.
    """
    fit, choose = split(len(X))
    F, degrees = functions(X[:, list(columns)], degree)
    few = F.shape[1] <= MOST_FUNCTIONS
    grid = list(product(PENALTIES if few else KERNEL_PENALTIES, GROWTHS[: 1 if degree < 3 else 2]))
    kind = _Ridge if few else _Kernels
    first = kind(F[fit], X[fit], degrees)
    left = first.left(F[choose], X[choose], grid)
    best = int(np.argmin([np.mean(each) for each in left]))
    whole = np.mean(np.sum((X[choose] - X[fit].mean(axis=0)) ** 2, axis=1))
    chosen = float(np.mean(left[best]) / whole)
    del first
    G, _ = functions(T[:, list(columns)], degree)
    (rows,) = kind(F, X, degrees).left(G, T, [grid[best]])
    total = np.sum((T - X.mean(axis=0)) ** 2, axis=1)
    share = float(np.sum(rows) / np.sum(total))
    error = np.std(rows - share * total) / np.sqrt(len(T)) / np.mean(total)
    return Decoded(chosen, share, float(error))


def functions(Z: Array, degree: int) -> tuple[Array, Array]:
    """Return all monomials up to a degree, the columns themselves first, and their degrees."""
    terms = [
        term
        for n in range(1, degree + 1)
        for term in combinations_with_replacement(range(Z.shape[1]), n)
    ]
    dtype = np.float64 if len(terms) <= MOST_FUNCTIONS else np.float32
    values = np.empty((len(Z), len(terms)), dtype=dtype, order="F")
    for place, term in enumerate(terms):
        values[:, place] = np.prod(Z[:, term], axis=1)
    return values, np.array([len(term) for term in terms])


def split(n: int) -> tuple[Array, Array]:
    """Return indices of rows to fit, and of a fifth that chooses penalties."""
    order = np.random.default_rng(SEED).permutation(n)
    return order[n // 5 :], order[: n // 5]


class _Scaled:
    """Functions of rows, scaled by the training rows."""

    def __init__(self, F: Array, X: Array, degrees: Array) -> None:
        self.degrees = degrees
        self.mean, self.x_mean = F.mean(axis=0), X.mean(axis=0)
        deviation = F.std(axis=0)
        self.deviation = np.where(deviation > 0, deviation, 1.0)
        self.Q, self.Y = self.scaled(F), X - self.x_mean

    def scaled(self, F: Array) -> Array:
        """Scale functions of other rows."""
        return (F - self.mean) / self.deviation


class _Ridge(_Scaled):
    """A regression with any penalties, by normal equations."""

    @cached_property
    def sums(self) -> tuple[Array, Array]:
        """Covariances of the functions, and of functions with all columns."""
        return self.Q.T @ self.Q / len(self.Q), self.Q.T @ self.Y / len(self.Q)

    def left(self, F: Array, X: Array, grid: Sequence[tuple[float, float]]) -> list[Array]:
        """Return the squares that are left of other rows, for pairs of a penalty and a growth."""
        gram, cross = self.sums
        Q, Y, found = self.scaled(F), X - self.x_mean, []
        for penalty, growth in grid:
            ridge = penalty * growth ** np.maximum(self.degrees - 2.0, 0.0)
            ridge[self.degrees == 1] = 1e-9
            weights = cho_solve(cho_factor(gram + np.diag(ridge), lower=True), cross)
            found.append(np.sum((Y - Q @ weights) ** 2, axis=1))
        return found


class _Kernels(_Scaled):
    """Regression by a matrix of rows by rows, for more functions than rows.

    The columns themselves have no penalty, so that everything else is regressed on them first.
    """

    def left(self, F: Array, X: Array, grid: Sequence[tuple[float, float]]) -> list[Array]:
        """Return the squares that are left of other rows, for pairs of a penalty and a growth."""
        linear = self.degrees == 1
        n = len(self.Q)
        A, B = self.Q[:, linear], self.scaled(F)
        Q, Y = self._without(A, A, self.Q), self._without(A, A, self.Y)
        R, X = self._without(B[:, linear], A, B, self.Q), X - self.x_mean
        X = self._without(B[:, linear], A, X, self.Y)
        kernels = {}
        for degree in range(2, self.degrees.max() + 1):
            some = self.degrees == degree
            kernels[degree] = Q[:, some] @ Q[:, some].T, R[:, some] @ Q[:, some].T
        del Q, R, B
        found = []
        for penalty, growth in grid:
            own, others = (
                sum(pair[i] * growth ** (2.0 - degree) for degree, pair in kernels.items())
                for i in (0, 1)
            )
            own[np.diag_indices(n)] += n * penalty
            weights = cho_solve(
                cho_factor(own, lower=True, overwrite_a=True, check_finite=False), Y
            )
            found.append(np.sum((X - others @ weights) ** 2, axis=1))
        return found

    @staticmethod
    def _without(B: Array, A: Array, values: Array, fitted: Array | None = None) -> Array:
        """Subtract the linear fit to training rows A from the values of rows B."""
        fitted = values if fitted is None else fitted
        weights = np.linalg.lstsq(A.astype(np.float64), fitted.astype(np.float64), rcond=None)[0]
        return values - B @ weights.astype(values.dtype)
