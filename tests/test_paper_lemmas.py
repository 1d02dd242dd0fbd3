"""The paper's lemmas, Theorem 4, and the appendix on UFFS, for any data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property_cases import (
    a_property,
    assert_same_directions,
    assert_same_up_to_rounding,
    families,
    names,
    new,
    residual_covariance,
    seeds,
    solvers,
    tables,
    variables,
)
from sklearn.decomposition import PCA
from support import orthonormal

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import Hermite, Indicator, Legendre, Multilinear, Polynomial

# GFR: PCA without nonlinear functions, and Lemmas 1 and 2


def with_principal_variances(seed: int, n: int, variances: np.ndarray, d: int) -> np.ndarray:
    """Return a table of n rows and d columns with the given principal variances."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((n, len(variances)))
    scores -= scores.mean(axis=0)
    scores = np.linalg.qr(scores)[0] * np.sqrt(n * variances)
    return scores @ orthonormal(rng, d)[: len(variances)] + rng.uniform(-5, 5, d)


@a_property
@given(
    seeds,
    st.sampled_from([Multilinear(1), Polynomial(1), Hermite(1), Legendre(1)]),
    st.integers(2, 6),
    st.sampled_from([(40, 6), (16, 40)]),
    solvers,
)
def test_with_linear_functions_gfr_is_pca(seed, family, rank, shape, solver):
    n, d = shape
    rng = np.random.default_rng(seed)
    variances = np.cumprod(rng.uniform(0.2, 0.8, rank))
    X = with_principal_variances(seed, n, variances, d)
    pca = PCA(rank, svd_solver="full").fit(X)
    gfr = GFR(threshold=1e-6 * variances[-1], family=family, solver=solver, alpha=0).fit(X)
    assert gfr.n_components_ == rank
    assert_same_directions(gfr.components_, pca.components_, up_to_sign=True)
    ddof_0 = pca.explained_variance_ * (n - 1) / n
    np.testing.assert_allclose(gfr.residual_variance_[:-1], ddof_0, rtol=1e-10)
    np.testing.assert_allclose(gfr.residual_variance_[:-1], variances, rtol=1e-10)
    np.testing.assert_allclose(
        gfr.explained_variance_ratio_, pca.explained_variance_ratio_, rtol=1e-10
    )


def largest_residual(estimator: Any, Sigma: np.ndarray) -> float:
    """Return the largest residual variance of the estimator's candidates."""
    if isinstance(estimator, GFR):
        return float(np.linalg.eigvalsh(Sigma)[-1])
    if isinstance(estimator, GCA):
        return max(float(rho @ Sigma @ rho) for rho in estimator.basis_)
    return float(Sigma.diagonal().max())


@a_property
@given(names, tables, families, solvers)
def test_lemmas_2a_and_4a_the_recursion_gives_the_residual_covariance(name, X, family, solver):
    """Σ_j by the recursion equals the residual covariance of least squares on the functions."""
    ours, by_hand = family
    estimator = new(name, count=3, threshold=None, family=ours, solver=solver).fit(X)
    Z = variables(estimator, X)
    assert len(Z) == 3
    total = estimator.total_residual_variance_[0]
    for j in range(4):
        Sigma = residual_covariance(X, Z[:j], by_hand)
        np.testing.assert_allclose(
            estimator.total_residual_variance_[j], np.trace(Sigma), rtol=0, atol=1e-9 * total
        )
        np.testing.assert_allclose(
            estimator.residual_variance_[j],
            largest_residual(estimator, Sigma),
            rtol=0,
            atol=1e-9 * total,
        )


@a_property
@given(names, tables, families, solvers, st.floats(0.01, 0.5))
def test_lemmas_1_and_3_the_threshold_bounds_all_residual_variances(name, X, family, solver, share):
    """When the fit stops, no candidate has more residual variance than the threshold.

    For GFR the candidates are all directions.
    """
    ours, by_hand = family
    threshold = share * X.var(axis=0).max()
    estimator = new(name, threshold=threshold, family=ours, solver=solver).fit(X)
    assert estimator.stop_reason_ == "threshold"
    Sigma = residual_covariance(X, variables(estimator, X), by_hand)
    assert largest_residual(estimator, Sigma) <= threshold * (1 + 1e-9)
    assert all(estimator.residual_variance_[:-1] >= threshold)


def fading_table(seed: int, n: int, d: int, smallest: float) -> np.ndarray:
    """Return rotated columns of variances from 1 to `smallest`, two of them dependent."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, d)) * np.geomspace(1, smallest**0.5, d)
    Z[:, 1] += 0.3 * Z[:, 0] ** 2
    return Z @ orthonormal(rng, d) + rng.uniform(-1, 1, d)


@a_property
@given(seeds, st.integers(3, 12), st.sampled_from([1e-2, 1e-6, 1e-8]), st.integers(1, 2), solvers)
def test_lemma_2b_directions_are_orthonormal(seed, d, smallest, degree, solver):
    """Directions are orthonormal to the last digits, even if almost no variance remains."""
    X = fading_table(seed, 240, d, smallest)
    gfr = GFR(threshold=1e-9, degree=degree, solver=solver, alpha=0).fit(X)
    assert gfr.n_components_ == d
    assert gfr.residual_variance_[-2] < 10 * smallest
    gram = gfr.components_ @ gfr.components_.T
    np.testing.assert_allclose(gram, np.eye(d), rtol=0, atol=1e-13)


@a_property
@given(seeds, st.integers(2, 8), solvers)
def test_lemma_2b_directions_are_orthonormal_with_more_columns_than_rows(seed, count, solver):
    X = fading_table(seed, 100, 130, 1e-8)
    gfr = GFR(count, degree=2, solver=solver, alpha=0).fit(X)
    gram = gfr.components_ @ gfr.components_.T
    np.testing.assert_allclose(gram, np.eye(count), rtol=0, atol=1e-13)


@a_property
@given(names, tables, families, solvers)
def test_residual_variances_never_increase(name, X, family, solver):
    estimator = new(name, threshold=1e-9, family=family[0], solver=solver).fit(X)
    rounding = 1e-12 * estimator.total_residual_variance_[0]
    assert len(estimator.residual_variance_) > 1
    assert all(np.diff(estimator.residual_variance_) <= rounding)
    assert all(np.diff(estimator.total_residual_variance_) <= rounding)
    assert all(estimator.explained_variance_ratio_ >= -1e-12)
    assert estimator.residual_variance_[-1] >= 0
    assert all(estimator.residual_variance_ <= estimator.total_residual_variance_ + rounding)


@a_property
@given(seeds, st.integers(5, 9), st.sampled_from([None, 1]))
def test_qr_keeps_functions_orthonormal_however_ill_conditioned_they_are(seed, degree, most):
    """Powers of a positive variable are close to dependent: one pass of Gram-Schmidt is not enough.

    Legendre polynomials span the same functions and are far better conditioned.
    """
    rng = np.random.default_rng(seed)
    latent = rng.uniform(0, 1, (500, 2))
    functions = [np.exp(latent[:, 0]), np.sqrt(latent[:, 1]), np.sin(5 * latent[:, 0])]
    X = np.column_stack([4 * latent, *functions, rng.standard_normal(500)])
    fits = [
        GFS(
            3, family=family(degree, max_variables=most), solver="qr", alpha=0, criterion="variance"
        ).fit(X)
        for family in (Polynomial, Legendre)
    ]
    assert all(fit.orthogonality_loss_ < 1e-13 for fit in fits)
    assert_same_up_to_rounding(*fits)


@a_property
@given(seeds, st.sampled_from([1e-2, 1e-3, 1e-4, 1e-5]), st.integers(1, 3))
def test_qr_keeps_functions_of_near_copies_orthonormal(seed, difference, degree):
    """The remainder of a near copy is small, so it needs a second pass to be orthogonal."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal((3, 200))
    X = np.column_stack([3 * a, 3 * a + difference * b, c])
    gfa = GFA(threshold=0.0, degree=degree, solver="qr", backward=False, alpha=0).fit(X)
    assert sorted(gfa.selected_features_) == [0, 1, 2]
    assert all(gfa.n_functions_ >= 1)
    assert gfa.orthogonality_loss_ < 1e-13


# GFS: Lemma 4(b), Theorem 4, and UFFS


@st.composite
def tables_with_copies(draw) -> tuple[np.ndarray, list[int]]:
    """Draw a table with copies in other units, and the original column of each column."""
    X = draw(tables)
    originals = list(range(X.shape[1]))
    copied = draw(st.lists(st.sampled_from(originals), min_size=1, max_size=4))
    units = draw(
        st.lists(
            st.sampled_from([1.0, -1.0, 1e-3, 12.7, 1e4]),
            min_size=len(copied),
            max_size=len(copied),
        )
    )
    order = draw(st.permutations(range(len(originals) + len(copied))))
    columns = np.column_stack([X, X[:, copied] * units])[:, order]
    return columns, [[*originals, *copied][i] for i in order]


@a_property
@pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")
@given(st.sampled_from(["GFS", "GFA"]), tables_with_copies(), families, solvers)
def test_lemma_4b_no_feature_and_no_copy_is_selected_twice(name, table, family, solver):
    """With a threshold of zero, exactly the features that add something are selected."""
    X, origin = table
    estimator = new(name, threshold=0.0, family=family[0], solver=solver).fit(X)
    selected = estimator.selected_features_
    assert len(set(selected)) == len(selected)
    assert sorted(origin[i] for i in selected) == sorted(set(origin))
    for i in selected:  # the most variant copy is selected, and the first one in a tie
        copies = [j for j, other in enumerate(origin) if other == origin[i]]
        variances = X[:, copies].var(axis=0)
        assert copies[np.argmax(variances >= (1 - 1e-9) * variances.max())] == i


@st.composite
def discrete_tables(draw) -> np.ndarray:
    """Draw up to three independent discrete columns, and functions of them."""
    rng = np.random.default_rng(draw(seeds))
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=3))
    base = np.column_stack([rng.integers(0, size, 250) for size in sizes])
    functions = [
        base.sum(axis=1) % 3,
        base.max(axis=1),
        np.where(base[:, 0] == 1, base[:, -1], 2 * rng.integers(0, 2, 250)),
    ]
    columns = np.column_stack([base, *functions])
    return columns[:, draw(st.permutations(range(columns.shape[1])))].astype(float)


def conditional_variances(X: np.ndarray, given_columns: np.ndarray) -> np.ndarray:
    """Return E[Var(X_i | given columns)]."""
    _, group = np.unique(X[:, given_columns], axis=0, return_inverse=True)
    group = group.ravel()
    means = [np.bincount(group, column) / np.bincount(group) for column in X.T]
    return np.mean((X - np.column_stack(means)[group]) ** 2, axis=0)


@a_property
@given(st.sampled_from(["GFS", "GFA"]), discrete_tables(), solvers)
def test_with_all_functions_of_discrete_features_residuals_are_conditional_variances(
    name, X, solver
):
    """Theorem 4 bounds the entropy by conditional variances; if they are zero, H(X|X_S) = 0."""
    estimator = new(name, threshold=0.0, family=Indicator(None), solver=solver).fit(X)
    selected = estimator.selected_features_
    for j in range(1, len(selected) + 1):
        expected = conditional_variances(X, selected[:j])
        np.testing.assert_allclose(estimator.residual_variance_[j], expected.max(), atol=1e-10)
        np.testing.assert_allclose(
            estimator.total_residual_variance_[j], expected.sum(), atol=1e-10
        )
    # The selected features determine all others.
    assert len(np.unique(X[:, selected], axis=0)) == len(np.unique(X, axis=0))


@a_property
@given(tables, solvers, solvers)
def test_residual_variances_of_gfs_are_fourier_norms_of_uffs(X, solver, other_solver):
    """The appendix: with all multilinear functions, σ at each selection is a Fourier norm."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    d = X.shape[1]
    gfs = GFS(d, degree=None, solver=solver, alpha=0, criterion="variance").fit(X)
    order = gfs.selected_features_
    assert sorted(order) == list(range(d))
    uffs = UFFS(threshold=None, solver=other_solver).fit(X[:, order])
    np.testing.assert_allclose(uffs.fourier_norms_**2, gfs.residual_variance_[:-1], rtol=1e-9)


@a_property
@given(tables, st.integers(1, 4), solvers)
def test_gfs_selects_what_uffs_selects_with_fewer_functions(X, m, solver):
    """The corollary of the appendix, for a threshold between two steps of GFS."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    d = X.shape[1]
    full = GFS(d, degree=None, solver=solver, alpha=0, criterion="variance").fit(X)
    order, variances = full.selected_features_, full.residual_variance_
    assume(m < d)
    assume(variances[m] < 0.999 * variances[m - 1])
    epsilon_squared = (variances[m - 1] + variances[m]) / 2
    gfs = GFS(
        threshold=epsilon_squared, degree=None, solver=solver, alpha=0, criterion="variance"
    ).fit(X)
    uffs = UFFS(threshold=epsilon_squared, solver=solver).fit(X[:, order])
    assert set(order[uffs.selected_features_]) == set(gfs.selected_features_)
    assert gfs.n_functions_.sum() == 2**m - 1
    assert uffs.n_functions_.sum() == 2**d - 1
