"""Least squares on functions written out by hand, a reference for decoders and held-out rows.

The reference takes only the chosen directions or columns from a fit. The functions are those of
`families_by_hand.py`, and the equations are solved directly.
"""

from __future__ import annotations

import warnings
from typing import Any

import families_by_hand as hand
import numpy as np
from support import unlike_variables

from gramian import GCA, GFR, GFS


class Explicit:
    """X fitted by all functions of a fit's first variables, by penalized least squares.

    Functions are scaled to second moment 1 on the rows of the fit. All of them are penalized but
    the constant and the variables themselves.
    """

    def __init__(
        self,
        fitted: Any,
        functions: hand.NewFunctions,
        X: np.ndarray,
        weights: np.ndarray | None = None,
    ) -> None:
        w = normalized(weights, len(X))
        self.X, self.w = np.asarray(X, dtype=float)[w > 0], w[w > 0]
        self.mean = self.w @ self.X
        self.axes = axes_of(fitted)
        self._functions = functions
        self._units = np.sqrt(self.w @ ((self.X - self.mean) @ self.axes.T) ** 2)

    def functions(
        self, j: int, others: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the functions on the rows of the fit and on others, and which are penalized."""
        n = len(self.X)
        # Evaluated together, so that indicators have equal levels on both parts.
        rows = self.X if others is None else np.vstack([self.X, others])
        Z = list(((rows - self.mean) @ self.axes.T / self._units).T)
        blocks, penalized = [np.ones((1, len(rows)))], [False]
        for i in range(1, j + 1):
            blocks.append(np.vstack([f(Z[:i]) for f in self._functions(i)]))
            penalized += [False] + [True] * (len(blocks[-1]) - 1)
        F = np.vstack(blocks).T
        norms = np.sqrt(self.w @ F[:n] ** 2)
        F = F / np.where(norms > 0, norms, 1.0)
        return F[:n], F[n:], np.array(penalized)

    def coefficients(self, j: int, alpha: float = 0.0) -> np.ndarray:
        """Return the B that minimizes E‖X - mean - Bᵀf‖² + α Σ‖B_k‖²."""
        F, _, penalized = self.functions(j)
        root = np.sqrt(self.w)[:, np.newaxis]
        if np.isinf(alpha):
            F, alpha = np.where(penalized, 0.0, F), 0.0
        A = np.vstack([root * F, np.sqrt(alpha) * np.eye(F.shape[1])[penalized]])
        Y = np.vstack([root * (self.X - self.mean), np.zeros((penalized.sum(), self.X.shape[1]))])
        return np.linalg.lstsq(A, Y, rcond=1e-12)[0]

    def reconstruct(self, X: np.ndarray, j: int, alpha: float = 0.0) -> np.ndarray:
        """Return all columns of rows, reconstructed from the first j variables."""
        return self.mean + self.functions(j, X)[1] @ self.coefficients(j, alpha)

    def left(self, j: int, alpha: float = 0.0) -> np.ndarray:
        """Return the residual covariance, the penalty counted as residual."""
        F, _, penalized = self.functions(j)
        B = self.coefficients(j, alpha)
        rest = self.X - self.mean - F @ B
        size = 0.0 if np.isinf(alpha) else alpha
        return rest.T @ (self.w[:, np.newaxis] * rest) + size * B[penalized].T @ B[penalized]

    def left_of(
        self, X: np.ndarray, weights: np.ndarray | None, j: int, alpha: float = 0.0
    ) -> np.ndarray:
        """Return the second moments of the residuals of other rows."""
        w = normalized(weights, len(X))
        rest = X - self.reconstruct(X, j, alpha)
        return rest.T @ (w[:, np.newaxis] * rest)


def reconstruct(fitted: Any, table: np.ndarray, **options: Any) -> np.ndarray:
    """Return rows after transform and inverse transform."""
    return fitted.inverse_transform(fitted.transform(table), **options)


def normalized(weights: np.ndarray | None, n: int) -> np.ndarray:
    """Return weights that sum to one."""
    return np.full(n, 1 / n) if weights is None else np.asarray(weights, float) / np.sum(weights)


def axes_of(fitted: Any) -> np.ndarray:
    """Return a fit's choices as unit vectors, one a row, in the order of choice."""
    if hasattr(fitted, "components_"):
        return fitted.components_
    return np.eye(fitted.n_features_in_)[fitted.selected_features_]


def candidates_of(fitted: Any) -> np.ndarray | None:
    """Return the unit vectors among which a fit chooses; None if any may be chosen."""
    if hasattr(fitted, "selected_features_"):
        return np.eye(fitted.n_features_in_)
    return getattr(fitted, "basis_", None)


def largest_of(fitted: Any, moments: np.ndarray) -> float:
    """Return the largest second moment along a candidate."""
    candidates = candidates_of(fitted)
    if candidates is None:
        return np.linalg.eigvalsh(moments)[-1]
    return np.einsum("ij,jk,ik->i", candidates, moments, candidates).max()


def assert_held_out_residuals(
    fitted: Any,
    explicit: Explicit,
    X: np.ndarray,
    weights: np.ndarray | None = None,
    tolerance: float = 1e-10,
) -> None:
    """Check the residual variances of held-out rows, for every number of variables."""
    moments = [
        explicit.left_of(X, weights, j, alpha) for j, alpha in enumerate([0.0, *fitted.alpha_path_])
    ]
    total = np.array([np.trace(each) for each in moments])
    close = {"rtol": 0, "atol": tolerance * total[0]}
    np.testing.assert_allclose(fitted.validation_total_residual_variance_, total, **close)
    largest = [largest_of(fitted, each) for each in moments]
    np.testing.assert_allclose(fitted.validation_residual_variance_, largest, **close)


def fit_anyway(estimator: Any, table: np.ndarray, **params: Any) -> Any:
    """Fit without warnings, such as of too many functions for the rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(table, **params)


def assert_fitted_to_all_rows(
    fitted: Any, deciding: Any, functions: hand.NewFunctions, X: np.ndarray
) -> None:
    """Check a final fit to all rows, whose choice and penalty come from held-out rows."""
    for name in vars(deciding):
        if name.startswith("validation_") and name.endswith("_"):
            np.testing.assert_array_equal(getattr(fitted, name), getattr(deciding, name))
    np.testing.assert_array_equal(fitted.alpha_path_, deciding.alpha_path_)
    assert fitted.alpha_ == deciding.alpha_
    assert fitted.family_ == deciding.family_
    assert fitted.stop_reason_ == deciding.stop_reason_
    steps = len(deciding.n_functions_)
    assert len(axes_of(fitted)) == len(fitted.n_functions_) == steps

    explicit = Explicit(fitted, functions, X)
    np.testing.assert_allclose(fitted.mean_, explicit.mean)
    left = [explicit.left(j, fitted.alpha_) for j in range(steps + 1)]
    total = np.array([np.trace(each) for each in left])
    np.testing.assert_allclose(
        fitted.total_residual_variance_, total, rtol=0, atol=1e-10 * total[0]
    )
    if isinstance(fitted, GFR | GFS):  # they choose again, by the largest residual
        chosen = [axis @ each @ axis for axis, each in zip(axes_of(fitted), left, strict=False)]
        largest = [largest_of(fitted, each) for each in left[:-1]]
        np.testing.assert_allclose(chosen, largest, rtol=0, atol=1e-10 * total[0])
    else:  # GCA and GFA keep their earlier choice
        name = "component_indices_" if isinstance(fitted, GCA) else "selected_features_"
        np.testing.assert_array_equal(getattr(fitted, name), getattr(deciding, name))
    np.testing.assert_allclose(
        reconstruct(fitted, X), explicit.reconstruct(X, steps, fitted.alpha_), atol=1e-7
    )


def assert_same_attributes(one: Any, other: Any, tolerance: float = 0.0, skip: str = " ") -> None:
    """Check that two fits have equal public attributes, except those with a prefix."""
    names = {name for name in vars(one) if name.endswith("_") and not name.startswith(skip)}
    others = {name for name in vars(other) if name.endswith("_") and not name.startswith(skip)}
    assert names == others
    for name in names - {"orthogonality_loss_", "model_"}:
        value, expected = getattr(one, name), getattr(other, name)
        if isinstance(expected, float | np.ndarray):
            size = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
            np.testing.assert_allclose(value, expected, rtol=0, atol=tolerance * size, err_msg=name)
        else:
            assert value == expected, name


def of_degree(degree: int, n: int = 400, seed: int = 0, noise: float = 0.0) -> np.ndarray:
    """Return three variables and products of at most `degree` of them, in random order."""
    rng = np.random.default_rng(seed)
    a, b, c = unlike_variables(rng, n)
    columns = [3 * a, 2.5 * b, 2 * c, a - b, b + 0.5 * c]
    if degree >= 2:
        columns += [a * b, 0.5 * b * c - a]
    if degree >= 3:
        columns += [a * b * c, 0.7 * a * b * c + a * c]
    table = np.column_stack(columns)
    table = table + noise * rng.standard_normal(table.shape) + rng.uniform(-3, 3, len(columns))
    return table[:, rng.permutation(len(columns))]


def wide_table() -> tuple[np.ndarray, np.ndarray]:
    """Return thirty rows of seventy columns for a fit, and others."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((55, 8)) @ rng.standard_normal((8, 70))
    table += 0.3 * rng.standard_normal(table.shape) + rng.uniform(-3, 3, 70)
    return table[:30], table[30:]


def independent_grid(n_levels: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return three variables and small products of them, for the rows of a fit and for other rows.

    On a grid, variables and products are uncorrelated to the last digit, so that the principal
    directions are the variables.
    """
    levels = np.linspace(-1.5, 1.5, n_levels)
    grid = np.array(np.meshgrid(levels, levels, levels)).reshape(3, -1)
    others = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 60))

    def columns(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        products = [0.3 * a * b, 0.2 * b * c, 0.1 * a * b * c]
        return np.column_stack([3 * a, 2.5 * b, 2 * c, *products])

    return columns(*grid), columns(*others)


def noise(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Return independent columns."""
    return np.random.default_rng(seed).standard_normal((n, d))
