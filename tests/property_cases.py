"""Strategies for the paper's statements and the invariances, and comparisons of fits.

Hypothesis draws the shapes and a seed; the data are built from the seed. Where a statement is about
residual variances, they are computed anew, by least squares on the functions of
`families_by_hand.py`.
"""

from __future__ import annotations

from typing import Any

import families_by_hand as hand
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from support import clone_with, unlike_variables

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import Family, Fourier, Hermite, Legendre, Multilinear, Polynomial

a_property = settings(deadline=None, derandomize=True, max_examples=30)
a_slow_property = settings(a_property, max_examples=12)

seeds = st.integers(0, 2**32 - 1)
solvers = st.sampled_from(["qr", "gram"])

# Families that are equal for a direction and its opposite.
FAMILIES: list[tuple[Family, hand.NewFunctions]] = [
    (Multilinear(1), hand.multilinear(1)),
    (Multilinear(2), hand.multilinear(2)),
    (Multilinear(3), hand.multilinear(3)),
    (Polynomial(2), hand.polynomial(2)),
    (Polynomial(3, max_variables=1), hand.polynomial(3, 1)),
    (Hermite(3), hand.hermite(3)),
    (Legendre(2), hand.legendre(2)),
    (Fourier(1), hand.fourier(1)),
    (Multilinear(2) + Fourier(1), hand.union(hand.multilinear(2), hand.fourier(1))),
]
families = st.sampled_from(FAMILIES)


# The data


def nonlinear_table(seed: int, d: int = 5, n: int = 220) -> np.ndarray:
    """Return columns with linear and nonlinear dependences, and variances that differ clearly."""
    rng = np.random.default_rng(seed)
    a, b, c = unlike_variables(rng, n)
    latent = np.column_stack([a, b, c, a * b, b * c, a**2 - 1, np.sin(2 * b)])
    mixed = latent @ rng.standard_normal((7, d)) + 0.5 * rng.standard_normal((n, d))
    scales = 1.4 ** rng.permutation(d)
    return mixed / mixed.std(axis=0) * scales + rng.uniform(-5, 5, d)


tables = st.builds(nonlinear_table, seeds, st.integers(3, 5))


# The estimators


ESTIMATORS = {
    "GFR": GFR(alpha=0),
    "GCA": GCA(backward=False, alpha=0),
    "GFS": GFS(alpha=0, criterion="variance"),
    "GFA": GFA(backward=False, alpha=0),
}
names = st.sampled_from(list(ESTIMATORS))


def new(name: str, **params: Any) -> Any:
    """Return an estimator; `count` is its number of directions or features."""
    return clone_with(ESTIMATORS[name], **params)


def variables(estimator: Any, X: np.ndarray) -> list[np.ndarray]:
    """Return the chosen variables Z_1, Z_2, ..., scaled to variance 1."""
    columns = getattr(estimator, "selected_features_", None)
    centred = X - X.mean(axis=0)
    Z = centred @ estimator.components_.T if columns is None else centred[:, columns]
    return list((Z / Z.std(axis=0)).T)


def residual_covariance(
    X: np.ndarray, Z: list[np.ndarray], functions: hand.NewFunctions
) -> np.ndarray:
    """Return the residual covariance of X after least squares on all functions of Z."""
    values = [np.ones(len(X))]
    for j in range(1, len(Z) + 1):
        values += [g for f in functions(j) for g in np.atleast_2d(f(Z[:j]))]
    F = np.column_stack(values)
    rest = X - F @ np.linalg.lstsq(F, X, rcond=None)[0]
    return rest.T @ rest / len(X)


def assert_same_residuals(one: Any, other: Any) -> None:
    """Check that two fits have equal numbers of functions, and equal residuals up to rounding."""
    close = {"rtol": 0, "atol": 1e-9 * one.total_residual_variance_[0]}
    np.testing.assert_allclose(
        one.total_residual_variance_, other.total_residual_variance_, **close
    )
    np.testing.assert_allclose(one.residual_variance_, other.residual_variance_, **close)
    np.testing.assert_array_equal(one.n_functions_, other.n_functions_)
    np.testing.assert_array_equal(one.n_dropped_functions_, other.n_dropped_functions_)
    assert one.stop_reason_ == other.stop_reason_


def assert_same_up_to_rounding(one: Any, other: Any) -> None:
    """Check that two fits have equal choices, and equal residuals up to rounding."""
    assert_same_residuals(one, other)
    if isinstance(one, GFR):
        assert_same_directions(one.components_, other.components_, up_to_sign=False)
    elif isinstance(one, GCA):
        np.testing.assert_array_equal(one.component_indices_, other.component_indices_)
        assert_same_directions(one.components_, other.components_, up_to_sign=False)
    else:
        np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
    if isinstance(one, UFFS):
        np.testing.assert_allclose(one.fourier_norms_, other.fourier_norms_, rtol=0, atol=1e-6)


def assert_same_directions(one: np.ndarray, other: np.ndarray, *, up_to_sign: bool) -> None:
    assert one.shape == other.shape
    if up_to_sign:
        other = other * np.sign(np.sum(one * other, axis=1))[:, np.newaxis]
    # A direction's error is the rounding error divided by the gap to the next eigenvalue.
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-7)
