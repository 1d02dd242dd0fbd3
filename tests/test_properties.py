"""The paper's lemmas, theorem and corollaries, and the invariances that follow from them.

Hypothesis draws the shapes and a seed; the data are built from the seed. Where a statement is about
residual variances, they are computed anew, by least squares on the functions of
`families_by_hand.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import families_by_hand as hand
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import (
    Family,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
)
from gramian.rows import ArrayRows

a_property = settings(deadline=None, derandomize=True, max_examples=30)
a_slow_property = settings(a_property, max_examples=12)

seeds = st.integers(0, 2**32 - 1)
solvers = st.sampled_from(["qr", "gram"])

# Families that do not tell a direction from its opposite.
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


def orthonormal(rng: np.random.Generator, d: int) -> np.ndarray:
    """Return a random orthonormal basis, one direction a row."""
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def nonlinear_table(seed: int, d: int = 5, n: int = 220) -> np.ndarray:
    """Columns that depend on each other, linearly and otherwise, of variances well apart."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal(n), rng.uniform(-1.7, 1.7, n), rng.exponential(size=n) - 1
    latent = np.column_stack([a, b, c, a * b, b * c, a**2 - 1, np.sin(2 * b)])
    mixed = latent @ rng.standard_normal((7, d)) + 0.5 * rng.standard_normal((n, d))
    scales = 1.4 ** rng.permutation(d)
    return mixed / mixed.std(axis=0) * scales + rng.uniform(-5, 5, d)


tables = st.builds(nonlinear_table, seeds, st.integers(3, 5))


def with_principal_variances(seed: int, n: int, variances: np.ndarray, d: int) -> np.ndarray:
    """A table of n rows and d columns with just these principal variances."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((n, len(variances)))
    scores -= scores.mean(axis=0)
    scores = np.linalg.qr(scores)[0] * np.sqrt(n * variances)
    return scores @ orthonormal(rng, d)[: len(variances)] + rng.uniform(-5, 5, d)


# The estimators

ESTIMATORS = {"GFR": GFR(), "GCA": GCA(), "GFS": GFS(), "GFA": GFA()}
names = st.sampled_from(list(ESTIMATORS))


def new(name: str, **params: Any) -> Any:
    """Return an estimator; `count` is its number of directions or features."""
    estimator = clone(ESTIMATORS[name])
    if "count" in params:
        params[estimator._count_name] = params.pop("count")
    return estimator.set_params(**params)


def variables(estimator: Any, X: np.ndarray) -> list[np.ndarray]:
    """Return the chosen variables Z_1, Z_2, ..., scaled to variance 1."""
    columns = getattr(estimator, "selected_features_", None)
    centred = X - X.mean(axis=0)
    Z = centred @ estimator.components_.T if columns is None else centred[:, columns]
    return list((Z / Z.std(axis=0)).T)


def residual_covariance(
    X: np.ndarray, Z: list[np.ndarray], functions: hand.NewFunctions
) -> np.ndarray:
    """Return the covariance of what least squares on all functions of Z leave of X."""
    values = [np.ones(len(X))]
    for j in range(1, len(Z) + 1):
        values += [g for f in functions(j) for g in np.atleast_2d(f(Z[:j]))]
    F = np.column_stack(values)
    rest = X - F @ np.linalg.lstsq(F, X, rcond=None)[0]
    return rest.T @ rest / len(X)


def largest_residual(estimator: Any, Sigma: np.ndarray) -> float:
    """Return the largest residual variance of the estimator's candidates."""
    if isinstance(estimator, GFR):
        return float(np.linalg.eigvalsh(Sigma)[-1])
    if isinstance(estimator, GCA):
        return max(float(rho @ Sigma @ rho) for rho in estimator.basis_)
    return float(Sigma.diagonal().max())


def assert_same_residuals(one: Any, other: Any) -> None:
    """Check that two fits saw the same residuals and as many functions, up to rounding."""
    close = {"rtol": 0, "atol": 1e-9 * one.total_residual_variance_[0]}
    np.testing.assert_allclose(
        one.total_residual_variance_, other.total_residual_variance_, **close
    )
    np.testing.assert_allclose(one.residual_variance_, other.residual_variance_, **close)
    np.testing.assert_array_equal(one.n_functions_, other.n_functions_)
    np.testing.assert_array_equal(one.n_dropped_functions_, other.n_dropped_functions_)
    assert one.stop_reason_ == other.stop_reason_


def assert_same_up_to_rounding(one: Any, other: Any) -> None:
    """Check that two fits made the same choices and saw the same residuals."""
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
    # Rounding errors move a direction by their size over the distance to the next eigenvalue.
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-7)


# GFR: what it is without nonlinear functions, and Lemmas 1 and 2


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
    gfr = GFR(threshold=1e-6 * variances[-1], family=family, solver=solver).fit(X)
    assert gfr.n_components_ == rank
    assert_same_directions(gfr.components_, pca.components_, up_to_sign=True)
    ddof_0 = pca.explained_variance_ * (n - 1) / n
    np.testing.assert_allclose(gfr.residual_variance_[:-1], ddof_0, rtol=1e-10)
    np.testing.assert_allclose(gfr.residual_variance_[:-1], variances, rtol=1e-10)
    np.testing.assert_allclose(
        gfr.explained_variance_ratio_, pca.explained_variance_ratio_, rtol=1e-10
    )


@a_property
@given(names, tables, families, solvers)
def test_lemmas_2a_and_4a_the_recursion_gives_the_residual_covariance(name, X, family, solver):
    """Σ_j by the recursion over functions is what least squares on the functions leave."""
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
def test_lemmas_1_and_3_the_threshold_bounds_all_that_is_left(name, X, family, solver, share):
    """When the fit stops, no candidate has more residual variance than the threshold.

    For GFR the candidates are all directions there are.
    """
    ours, by_hand = family
    threshold = share * X.var(axis=0).max()
    estimator = new(name, threshold=threshold, family=ours, solver=solver).fit(X)
    assert estimator.stop_reason_ == "threshold"
    Sigma = residual_covariance(X, variables(estimator, X), by_hand)
    assert largest_residual(estimator, Sigma) <= threshold * (1 + 1e-9)
    assert all(estimator.residual_variance_[:-1] >= threshold)


def fading_table(seed: int, n: int, d: int, smallest: float) -> np.ndarray:
    """Rotated columns whose variances fade to `smallest`, the second a function of the first."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, d)) * np.geomspace(1, smallest**0.5, d)
    Z[:, 1] += 0.3 * Z[:, 0] ** 2
    return Z @ orthonormal(rng, d) + rng.uniform(-1, 1, d)


@a_property
@given(seeds, st.integers(3, 12), st.sampled_from([1e-2, 1e-6, 1e-8]), st.integers(1, 2), solvers)
def test_lemma_2b_directions_are_orthonormal(seed, d, smallest, degree, solver):
    """To the last digits, also when next to no variance is left."""
    X = fading_table(seed, 240, d, smallest)
    gfr = GFR(threshold=1e-9, degree=degree, solver=solver).fit(X)
    assert gfr.n_components_ == d
    assert gfr.residual_variance_[-2] < 10 * smallest
    gram = gfr.components_ @ gfr.components_.T
    np.testing.assert_allclose(gram, np.eye(d), rtol=0, atol=1e-13)


@a_property
@given(seeds, st.integers(2, 8), solvers)
def test_lemma_2b_directions_are_orthonormal_with_more_columns_than_rows(seed, count, solver):
    X = fading_table(seed, 100, 130, 1e-8)
    gfr = GFR(count, degree=2, solver=solver).fit(X)
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
        GFS(3, family=family(degree, max_variables=most), solver="qr").fit(X)
        for family in (Polynomial, Legendre)
    ]
    assert all(fit.orthogonality_loss_ < 1e-13 for fit in fits)
    assert_same_up_to_rounding(*fits)


@a_property
@given(seeds, st.sampled_from([1e-2, 1e-3, 1e-4, 1e-5]), st.integers(1, 3))
def test_qr_keeps_functions_of_near_copies_orthonormal(seed, difference, degree):
    """What is left of a near copy is small, and so needs a second pass to be orthogonal."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal((3, 200))
    X = np.column_stack([3 * a, 3 * a + difference * b, c])
    gfa = GFA(threshold=0.0, degree=degree, solver="qr").fit(X)
    assert sorted(gfa.selected_features_) == [0, 1, 2]
    assert all(gfa.n_functions_ >= 1)
    assert gfa.orthogonality_loss_ < 1e-13


# GFS: Lemma 4(b), Theorem 4, and UFFS


@st.composite
def tables_with_copies(draw) -> tuple[np.ndarray, list[int]]:
    """A table, and which original column each of its columns is a copy of, in some unit."""
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
@given(st.sampled_from(["GFS", "GFA"]), tables_with_copies(), families, solvers)
def test_lemma_4b_no_feature_twice_not_even_a_copy(name, table, family, solver):
    """With a threshold of zero everything is selected that adds something, and nothing else."""
    X, origin = table
    estimator = new(name, threshold=0.0, family=family[0], solver=solver).fit(X)
    selected = estimator.selected_features_
    assert len(set(selected)) == len(selected)
    assert sorted(origin[i] for i in selected) == sorted(set(origin))
    for i in selected:  # of exact copies the most variant is selected, of equals the first
        copies = [j for j, other in enumerate(origin) if other == origin[i]]
        variances = X[:, copies].var(axis=0)
        assert copies[np.argmax(variances >= (1 - 1e-9) * variances.max())] == i


@st.composite
def discrete_tables(draw) -> np.ndarray:
    """Up to three independent discrete columns and functions of them."""
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
    """The proof of Theorem 4 bounds the entropy by them; where they are zero, H(X|X_S) = 0."""
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
def test_gfs_in_its_own_order_is_uffs(X, solver, other_solver):
    """The appendix: with all multilinear functions, σ at each selection is a Fourier norm."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    d = X.shape[1]
    gfs = GFS(d, degree=None, solver=solver).fit(X)
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
    full = GFS(d, degree=None, solver=solver).fit(X)
    order, variances = full.selected_features_, full.residual_variance_
    assume(m < d)
    assume(variances[m] < 0.999 * variances[m - 1])
    epsilon_squared = (variances[m - 1] + variances[m]) / 2
    gfs = GFS(threshold=epsilon_squared, degree=None, solver=solver).fit(X)
    uffs = UFFS(threshold=epsilon_squared, solver=solver).fit(X[:, order])
    assert set(order[uffs.selected_features_]) == set(gfs.selected_features_)
    assert gfs.n_functions_.sum() == 2**m - 1
    assert uffs.n_functions_.sum() == 2**d - 1


# GCA and GFA: Theorem 2, 5 and their corollaries


@dataclass(frozen=True)
class Planted:
    """Variables of which some are, up to epsilon, functions of others of larger variance."""

    Z: np.ndarray
    independent: list[int]
    epsilon: float

    @property
    def by_variance(self) -> list[int]:
        """The independent variables in the order in which GCA and GFA are to keep them."""
        variances = self.Z.var(axis=0)
        return sorted(self.independent, key=lambda i: -variances[i])

    @property
    def redundant(self) -> list[int]:
        return sorted(set(range(self.Z.shape[1])) - set(self.independent))


def smooth(product: np.ndarray) -> np.ndarray:
    """A function of products that no polynomial is, but that one comes close to."""
    return np.tanh(0.4 * product)


def plant(
    rng: np.random.Generator,
    base: np.ndarray,
    sets: list[tuple[int, ...]],
    function: Callable[[np.ndarray], np.ndarray] = lambda product: product,
    noise: np.ndarray | None = None,
    shrink: float = 1.0,
) -> Planted:
    """Add to independent columns a function of a product of some of them for every set.

    As in the paper's experiments, the variance of each is 0.85 of the least variant factor's. The
    epsilon is the largest second moment of the noise, or else the largest error of least squares on
    the multilinear functions of the factors, but no less than the paper's 1e-4. It is a little
    more, since what is captured leaves at most epsilon (the definition), but what is passed over
    less than epsilon (the algorithms). Columns are shuffled.
    """
    variances = base.var(axis=0)
    standard = (base - base.mean(axis=0)) / base.std(axis=0)
    added, epsilon = [], 1e-4
    for i, factors in enumerate(sets):
        r = function(standard[:, factors].prod(axis=1))
        delta = np.zeros(len(r)) if noise is None else noise[:, i] * r.std()
        size = 0.85 * shrink**i * variances[list(factors)].min()
        k = np.sqrt(size / (r + delta).var())
        added.append(k * (r + delta))
        epsilon = max(epsilon, 1.001 * k**2 * np.mean(delta**2))
        if noise is None and function is smooth:
            Z = [standard[:, j] for j in factors]
            error = residual_covariance(added[-1][:, np.newaxis], Z, hand.multilinear(2))
            epsilon = max(epsilon, 1.001 * float(error[0, 0]))
    assume(epsilon < 0.5 * variances.min())  # the independent ones are no redundancies themselves
    Z = np.column_stack([base, *added])
    order = rng.permutation(Z.shape[1])
    independent = [j for j, i in enumerate(order) if i < base.shape[1]]
    return Planted(Z[:, order], independent, epsilon)


@dataclass(frozen=True)
class Setting:
    """How redundancies are planted."""

    seed: int
    n_independent: int
    n_redundant: int
    n_factors: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def sets(self, rng: np.random.Generator) -> list[tuple[int, ...]]:
        """Distinct sets of factors."""
        possible = list(itertools.combinations(range(self.n_independent), self.n_factors))
        chosen = rng.permutation(len(possible))[: self.n_redundant]
        return [possible[i] for i in chosen]

    def normal(self, rng: np.random.Generator, n_rows: int = 400) -> np.ndarray:
        """Independent normal columns with variances from Unif(0, n), those near zero left out."""
        variances = rng.uniform(1, self.n_independent + 1, self.n_independent)
        return rng.standard_normal((n_rows, self.n_independent)) * np.sqrt(variances)

    def symmetric(
        self, rng: np.random.Generator, n_noises: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Columns, and noises, of which all products are exactly uncorrelated in the sample.

        All combinations of signs occur, each with the same magnitudes.
        """
        n_columns = self.n_independent + n_noises
        magnitudes = rng.uniform(0.3, 2.0, (6, n_columns))
        signs = np.array(list(itertools.product([-1, 1], repeat=n_columns)))
        rows = (signs[:, np.newaxis] * magnitudes).reshape(-1, n_columns)
        ratios = rng.uniform(1.5, 2.0, self.n_independent - 1)
        base = rows[:, : self.n_independent]
        base = base / base.std(axis=0) * np.sqrt(np.cumprod([1.0, *ratios]))
        return base, rows[:, self.n_independent :]


def settings_with(n_factors: st.SearchStrategy[int]) -> st.SearchStrategy[Setting]:
    return st.builds(Setting, seeds, st.integers(3, 6), st.integers(1, 5), n_factors)


PLANTED_FAMILIES = st.sampled_from([Multilinear, Polynomial, Hermite])


def check_gfa_and_gca(planted: Planted, family: Family, solver: str) -> None:
    """GFA keeps just the independent columns, GCA just the independent directions of any basis."""
    gfa = GFA(threshold=planted.epsilon, family=family, solver=solver).fit(planted.Z)
    assert gfa.selected_features_.tolist() == planted.by_variance
    assert gfa.redundant_features_.tolist() == planted.redundant
    assert gfa.stop_reason_ == "threshold"

    rng = np.random.default_rng(0)
    d = planted.Z.shape[1]
    basis = orthonormal(rng, d)
    X = planted.Z @ basis + rng.uniform(-3, 3, d)
    gca = GCA(threshold=planted.epsilon, basis=basis, family=family, solver=solver).fit(X)
    assert gca.component_indices_.tolist() == planted.by_variance
    assert gca.redundant_indices_.tolist() == planted.redundant
    np.testing.assert_array_equal(gca.components_, basis[planted.by_variance])
    # The coordinates along them are the independent variables.
    expected = planted.Z - planted.Z.mean(axis=0)
    np.testing.assert_allclose(gca.transform(X), expected[:, planted.by_variance], atol=1e-9)


def check_principal(planted: Planted, family: Family, solver: str) -> None:
    """GCA keeps just the independent principal components."""
    rng = np.random.default_rng(0)
    d = planted.Z.shape[1]
    basis = orthonormal(rng, d)
    X = planted.Z @ basis + rng.uniform(-3, 3, d)
    covariance = np.cov(planted.Z.T, ddof=0)
    np.testing.assert_allclose(covariance, np.diag(covariance.diagonal()), atol=1e-10)
    gca = GCA(threshold=planted.epsilon, family=family, solver=solver).fit(X)
    by_variance = np.argsort(-covariance.diagonal())
    assert by_variance[gca.component_indices_].tolist() == planted.by_variance
    assert sorted(by_variance[gca.redundant_indices_]) == planted.redundant
    assert_same_directions(gca.components_, basis[planted.by_variance], up_to_sign=True)


@a_property
@given(settings_with(st.integers(2, 3)), PLANTED_FAMILIES, solvers)
def test_corollary_1_redundancies_in_the_span_are_eliminated(setting, family, solver):
    rng = setting.rng
    planted = plant(rng, setting.normal(rng), setting.sets(rng))
    assert planted.epsilon == 1e-4
    check_gfa_and_gca(planted, family(setting.n_factors), solver)


@a_property
@given(st.builds(Setting, seeds, st.integers(3, 5), st.integers(1, 4), st.integers(2, 3)), solvers)
def test_corollary_1_for_principal_components(setting, solver):
    rng = setting.rng
    planted = plant(rng, setting.symmetric(rng)[0], setting.sets(rng), shrink=0.95)
    check_principal(planted, Multilinear(setting.n_factors), solver)


@a_property
@given(settings_with(st.integers(2, 3)), PLANTED_FAMILIES, solvers)
def test_corollary_2_noisy_redundancies_are_eliminated(setting, family, solver):
    """The threshold is the variance of the noise in the sample, as in the paper's experiments."""
    rng = setting.rng
    base, sets = setting.normal(rng), setting.sets(rng)
    noise = 0.2 * rng.standard_normal((len(base), len(sets)))
    planted = plant(rng, base, sets, noise=noise)
    check_gfa_and_gca(planted, family(setting.n_factors), solver)


@a_property
@given(st.builds(Setting, seeds, st.integers(3, 4), st.integers(1, 3), st.integers(2, 3)), solvers)
def test_corollary_2_for_principal_components(setting, solver):
    rng = setting.rng
    sets = setting.sets(rng)
    base, noise = setting.symmetric(rng, len(sets))
    planted = plant(rng, base, sets, noise=0.2 * noise, shrink=0.95)
    check_principal(planted, Multilinear(setting.n_factors), solver)


@a_property
@given(settings_with(st.just(2)), solvers)
def test_corollary_3_redundancies_that_the_family_approximates_are_eliminated(setting, solver):
    """The threshold is the largest error of the family on the redundancies' own variables."""
    rng = setting.rng
    planted = plant(rng, setting.normal(rng), setting.sets(rng), smooth)
    assume(planted.epsilon > 1e-4)  # not all redundancies are as good as in the span
    check_gfa_and_gca(planted, Multilinear(2), solver)


@a_property
@given(st.builds(Setting, seeds, st.integers(3, 5), st.integers(1, 3), st.just(2)), solvers)
def test_corollary_3_for_principal_components(setting, solver):
    rng = setting.rng
    planted = plant(rng, setting.symmetric(rng)[0], setting.sets(rng), smooth, shrink=0.95)
    assume(planted.epsilon > 1e-4)
    check_principal(planted, Multilinear(2), solver)


@a_property
@given(seeds, solvers)
def test_corollary_2b_a_branch_of_an_implicit_redundancy_is_eliminated(seed, solver):
    """R = z₁² + z₂² - 1 has no derivative by z₂ where z₂ = 0, on a set of measure zero.

    On the branch z₂ > 0 the redundancy is captured up to an epsilon by polynomials.
    """
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, np.pi, 300)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    Z = np.column_stack([circle[:, 1], 2 * rng.standard_normal(300), circle[:, 0]])
    z = [circle[:, 0] / circle[:, 0].std()]
    captured = residual_covariance(circle[:, 1:] - circle[:, 1:].mean(), z, hand.polynomial(4))
    epsilon = float(captured[0, 0])
    assert 0 < epsilon < 0.05 * circle[:, 1].var()
    gfa = GFA(threshold=epsilon, family=Polynomial(4, max_variables=1), solver=solver).fit(Z)
    assert gfa.selected_features_.tolist() == [1, 2]
    assert gfa.redundant_features_.tolist() == [0]


# Invariances


@a_property
@given(tables, families, seeds, solvers)
def test_gfr_is_equivariant_under_rotation(X, family, seed, solver):
    R = orthonormal(np.random.default_rng(seed), X.shape[1])
    params = {"count": 3, "family": family[0], "solver": solver}
    one, other = new("GFR", **params).fit(X), new("GFR", **params).fit(X @ R)
    assert_same_directions(one.components_ @ R, other.components_, up_to_sign=True)
    assert_same_residuals(one, other)


@a_property
@given(tables, families, seeds, solvers)
def test_gca_is_equivariant_under_rotation(X, family, seed, solver):
    R = orthonormal(np.random.default_rng(seed), X.shape[1])
    params = {"threshold": 0.05 * X.var(), "family": family[0], "solver": solver}
    one, other = GCA(**params).fit(X), GCA(**params).fit(X @ R)
    np.testing.assert_array_equal(one.component_indices_, other.component_indices_)
    assert_same_directions(one.components_ @ R, other.components_, up_to_sign=True)
    assert_same_residuals(one, other)


# Two fits each for all five algorithms; UFFS has but one family.
def every_estimator(X: np.ndarray, family: Family, **params: Any) -> Iterator[Any]:
    """Return all estimators with limits that make for several steps."""
    threshold = 0.05 * X.var()
    for name in ESTIMATORS:
        yield new(name, threshold=threshold, family=family, **params)
    basis = orthonormal(np.random.default_rng(1), X.shape[1])
    yield GCA(threshold=threshold, basis=basis, family=family, **params)
    yield GFA(threshold=0.2, relative=True, family=family, **params)
    yield GFS(threshold=0.2, relative=True, family=family, **params)
    yield UFFS(degree=2, **params)
    yield UFFS(threshold=0.2, cluster_size=3, **params)


@a_property
@given(tables, families)
def test_solvers_agree(X, family):
    for estimator in every_estimator(X, family[0]):
        by_qr = clone(estimator).set_params(solver="qr").fit(X)
        by_gram = clone(estimator).set_params(solver="gram").fit(X)
        assert (by_qr.solver_, by_gram.solver_) == ("qr", "gram")
        assert_same_up_to_rounding(by_qr, by_gram)


@contextmanager
def blocks_of(n_rows: int) -> Iterator[None]:
    """Read tables in blocks of so many rows."""
    with mock.patch.object(ArrayRows.__init__, "__defaults__", (n_rows,)):
        blocks = list(ArrayRows(np.zeros((50, 1)), np.zeros(50)).blocks())
        assert len(blocks) == -(-50 // n_rows)
        yield


@a_slow_property
@given(tables, families, st.sampled_from([13, 64, 219, 1000]), st.booleans())
@example(nonlinear_table(0), FAMILIES[1], 1, True)
def test_the_size_of_row_blocks_does_not_matter(X, family, n_rows, cached):
    for estimator in every_estimator(X, family[0], solver="gram"):
        one = clone(estimator).fit(X)
        cache_bytes = 2**30 if cached else 0
        with (
            blocks_of(n_rows),
            mock.patch("gramian.orthogonalize._gram.CACHE_BYTES", cache_bytes),
        ):
            other = clone(estimator).fit(X)
        assert_same_up_to_rounding(one, other)


@a_property
@given(tables, families, seeds, solvers)
def test_the_order_of_rows_does_not_matter(X, family, seed, solver):
    shuffled = np.random.default_rng(seed).permutation(X)
    for estimator in every_estimator(X, family[0], solver=solver):
        assert_same_up_to_rounding(clone(estimator).fit(X), clone(estimator).fit(shuffled))


@a_slow_property
@given(seeds, families, solvers)
def test_the_number_of_threads_does_not_matter(seed, family, solver):
    X = nonlinear_table(seed, 5, 1500)
    for estimator in every_estimator(X, family[0], solver=solver):
        with threadpool_limits(1):
            one = clone(estimator).fit(X)
        with threadpool_limits(2):
            other = clone(estimator).fit(X)
        assert_same_up_to_rounding(one, other)


@a_property
@given(tables, families, seeds, solvers)
def test_integer_weights_are_repeated_rows(X, family, seed, solver):
    weights = np.random.default_rng(seed).integers(0, 4, len(X))
    repeated = np.repeat(X, weights, axis=0)
    for estimator in every_estimator(X, family[0], solver=solver):
        weighted = clone(estimator).fit(X, sample_weight=weights)
        assert_same_up_to_rounding(weighted, clone(estimator).fit(repeated))
        np.testing.assert_allclose(weighted.mean_, repeated.mean(axis=0), rtol=0, atol=1e-12)


@a_property
@given(tables, families, seeds, st.floats(1e-6, 1e6), solvers)
def test_only_the_ratios_of_weights_matter(X, family, seed, factor, solver):
    weights = np.random.default_rng(seed).uniform(0.1, 2, len(X))
    for estimator in every_estimator(X, family[0], solver=solver):
        one = clone(estimator).fit(X, sample_weight=weights)
        assert_same_up_to_rounding(one, clone(estimator).fit(X, sample_weight=factor * weights))


@a_property
@given(tables, families, st.floats(1e-5, 1e5), st.floats(-10, 10), solvers)
def test_a_common_unit_scales_variances_and_nothing_else(X, family, c, shift, solver):
    for estimator in every_estimator(X, family[0], solver=solver):
        one = clone(estimator).fit(X)
        other = clone(estimator)
        if not getattr(estimator, "relative", False):
            other.set_params(threshold=c**2 * estimator.threshold)
        other.fit(c * (X + shift))
        other.residual_variance_ /= c**2
        other.total_residual_variance_ /= c**2
        assert_same_up_to_rounding(one, other)


@a_property
@given(tables, families, solvers)
def test_the_order_of_columns_does_not_matter_but_to_uffs(X, family, solver):
    order = np.random.default_rng(len(X)).permutation(X.shape[1])
    for name in ESTIMATORS:
        params = {"threshold": 0.05 * X.var(), "family": family[0], "solver": solver}
        one, other = new(name, **params).fit(X), new(name, **params).fit(X[:, order])
        assert_same_residuals(one, other)
        if name in ("GFS", "GFA"):
            np.testing.assert_array_equal(one.selected_features_, order[other.selected_features_])
        else:
            assert_same_directions(one.components_[:, order], other.components_, up_to_sign=True)


# Relative thresholds: what the unit of a column can change, and what it cannot


@a_property
@given(
    st.sampled_from(["GFS", "GFA"]),
    tables,
    families,
    seeds,
    st.floats(0.02, 0.6),
    solvers,
)
def test_in_any_units_a_relative_threshold_bounds_what_is_left_of_each_feature(
    name, X, family, seed, threshold, solver
):
    """Units change the order of selection, and so the selection; but not what it stands for."""
    X = X * 10.0 ** np.random.default_rng(seed).uniform(-3, 3, X.shape[1])
    ours, by_hand = family
    estimator = new(name, threshold=threshold, relative=True, family=ours, solver=solver).fit(X)
    Sigma = residual_covariance(X / X.std(axis=0), variables(estimator, X), by_hand)
    shares = Sigma.diagonal()
    others = ~estimator.support_
    assert all(shares[others] <= threshold + 1e-9)
    np.testing.assert_allclose(shares[estimator.support_], 0, atol=1e-9)
    if name == "GFA":
        np.testing.assert_array_equal(estimator.redundant_features_, np.flatnonzero(others))


@a_property
@given(tables, families, seeds, st.floats(0.02, 0.6), solvers)
def test_units_that_keep_the_order_of_variances_do_not_change_gfa(
    X, family, seed, threshold, solver
):
    """GFA looks at original variances for their order only, once the threshold is relative."""
    order = np.argsort(-X.std(axis=0))
    units = 1 / X.std(axis=0)
    units[order] *= np.cumprod(np.random.default_rng(seed).uniform(0.05, 0.95, X.shape[1]))
    params = {"threshold": threshold, "relative": True, "family": family[0], "solver": solver}
    one, other = GFA(**params).fit(X), GFA(**params).fit(X * units)
    np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
    np.testing.assert_array_equal(one.redundant_features_, other.redundant_features_)
    np.testing.assert_array_equal(one.n_functions_, other.n_functions_)


@a_property
@given(
    st.sampled_from(["GFS", "GFA"]),
    tables,
    families,
    seeds,
    st.floats(0.02, 0.6),
    solvers,
)
def test_a_smaller_unit_of_redundant_features_does_not_change_the_selection(
    name, X, family, seed, threshold, solver
):
    """A feature that was passed over is passed over all the more when its variance shrinks."""
    params = {"threshold": threshold, "relative": True, "family": family[0], "solver": solver}
    one = new(name, **params).fit(X)
    shrink = np.random.default_rng(seed).uniform(0.01, 1, X.shape[1])
    other = new(name, **params).fit(X * np.where(one.support_, 1.0, shrink))
    np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
    np.testing.assert_array_equal(one.n_functions_, other.n_functions_)


@a_property
@given(settings_with(st.just(2)), seeds, solvers)
def test_planted_redundancies_are_found_whatever_their_smaller_units(setting, seed, solver):
    """With noise of 4 %, R² is at least 0.95 or so in any unit; an absolute threshold needs one."""
    rng = setting.rng
    base, sets = setting.normal(rng), setting.sets(rng)
    planted = plant(rng, base, sets, noise=0.2 * rng.standard_normal((len(base), len(sets))))
    units = np.ones(planted.Z.shape[1])
    units[planted.redundant] = 10.0 ** np.random.default_rng(seed).uniform(
        -3, 0, len(planted.redundant)
    )
    for Z in (planted.Z, planted.Z * units):
        gfa = GFA(threshold=0.06, relative=True, solver=solver).fit(Z)
        assert gfa.selected_features_.tolist() == planted.by_variance
        assert gfa.redundant_features_.tolist() == planted.redundant


def test_these_tests_would_notice_an_estimator_that_is_off():
    """The comparison itself: a residual that is off by 1e-6 of the variance is not rounding."""
    X = nonlinear_table(0)
    one, other = GFS(3).fit(X), GFS(3).fit(X)
    assert_same_up_to_rounding(one, other)
    other.residual_variance_[1] += 1e-6 * other.total_residual_variance_[0]
    with pytest.raises(AssertionError):
        assert_same_up_to_rounding(one, other)
