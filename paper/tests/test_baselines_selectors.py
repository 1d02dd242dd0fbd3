"""Reimplemented selectors: their definitions, and planted columns on easy data."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.feature_selection import f_classif
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramian_paper.baselines import (
    MCFS,
    NDFS,
    SELECTORS,
    UDFS,
    CorrelationFilter,
    FisherScore,
    LaplacianScore,
    TraceRatio,
    UFFSRanking,
    VarianceRanking,
    selector,
)

CLASSES = np.repeat([0, 1, 2], 40)
PLANTED = [1, 4]


def clustered(seed=0):
    """Return three clusters that columns 1 and 4 of six separate; the other columns are noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((len(CLASSES), 6))
    X[:, PLANTED] = 0.3 * X[:, PLANTED] + 4 * np.array([[0, 0], [1, 0], [0, 1]])[CLASSES]
    return X - X.mean(axis=0)


# Planted columns


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mcfs", {"variant": "published", "n_clusters": 2}),
        ("ndfs", {"variant": "published", "n_clusters": 3}),
        ("ndfs", {"n_clusters": 3}),
        ("laplacian-score", {"variant": "published"}),
        ("laplacian-score", {}),
        ("trace-ratio", {"variant": "published"}),
        ("trace-ratio", {}),
        ("fisher-score", {}),
        ("variance", {}),
    ],
)
def test_columns_that_separate_clusters_are_found(name, options, seed):
    found = selector(name, 2, random_state=0, **options).fit(clustered(seed), CLASSES)
    np.testing.assert_array_equal(found.get_support(indices=True), PLANTED)


def test_uffs_finds_the_factors_of_products():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 400))
    X = np.column_stack([a, b, a * b, c, a * b * c, b * c])
    np.testing.assert_array_equal(UFFSRanking(3).fit(X).get_support(indices=True), [0, 1, 3])


def test_uffs_selects_by_residual_variance():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 400)) * [[1], [0.1], [0.5]]
    X = np.column_stack([a, a + b, c])
    np.testing.assert_array_equal(UFFSRanking(2).fit(X).selected_features_, [0, 2])


# Scores of single columns


def test_the_fisher_score_and_the_f_statistic_order_columns_alike():
    X = np.random.default_rng(0).standard_normal((120, 20))
    F, _ = f_classif(X, CLASSES)
    np.testing.assert_array_equal(
        FisherScore(20).fit(X, CLASSES).selected_features_, F.argsort()[::-1]
    )


def test_columns_without_variance_within_classes_come_first_and_constant_ones_last():
    X = np.column_stack([np.ones(120), np.random.default_rng(0).standard_normal(120), CLASSES])
    for made in [FisherScore(3), TraceRatio(3, variant="published")]:
        np.testing.assert_array_equal(made.fit(X, CLASSES).selected_features_[0], 2)
    np.testing.assert_array_equal(FisherScore(3).fit(X, CLASSES).selected_features_, [2, 1, 0])
    assert LaplacianScore(3, variant="published").fit(X).selected_features_[-1] == 0


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_no_set_has_a_larger_trace_ratio(count, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((120, 7)) * rng.exponential(size=7)
    X += CLASSES[:, None] * rng.standard_normal(7) * rng.exponential(size=7)
    means = np.array([X[c == CLASSES].mean(axis=0) for c in range(3)])
    between = 40 * ((means - X.mean(axis=0)) ** 2).sum(axis=0)
    within = sum(40 * X[c == CLASSES].var(axis=0) for c in range(3))
    ratios = {
        columns: between[list(columns)].sum() / within[list(columns)].sum()
        for columns in combinations(range(7), count)
    }
    made = TraceRatio(count, variant="published").fit(X, CLASSES)
    assert tuple(made.get_support(indices=True)) == max(ratios, key=ratios.get)
    assert made.trace_ratio_ == pytest.approx(max(ratios.values()))


def test_the_laplacian_score_is_the_published_formula():
    X = clustered()
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    nearest = np.argsort(distances, axis=1)[:, :6]  # five neighbours and the row itself
    W = np.zeros((120, 120))
    np.put_along_axis(W, nearest, 1, axis=1)
    W = np.maximum(W, W.T)
    D = np.diag(W.sum(axis=1))
    one = np.ones(120)
    scores = []
    for f in X.T:
        g = f - (f @ D @ one) / (one @ D @ one)
        scores.append((g @ (D - W) @ g) / (g @ D @ g))
    order = LaplacianScore(6, variant="published").fit(X).selected_features_
    np.testing.assert_array_equal(order, np.argsort(scores))


# UDFS and NDFS as published


def test_udfs_reaches_a_stationary_point_of_its_objective():
    X = np.random.default_rng(0).standard_normal((60, 6)) * [1, 2, 0.5, 1, 3, 0.2]
    made = UDFS(3, variant="published", n_clusters=2, gamma=0.5).fit(X)
    assert (np.diff(made.objective_) <= 1e-9).all()

    # M by its definition.
    M = np.zeros((6, 6))
    H = np.eye(6) - np.full((6, 6), 1 / 6)
    for x in X:
        nearest = np.argsort(((X - x) ** 2).sum(axis=1))[:6]
        S = np.eye(60)[:, nearest]
        local = X[nearest].T @ H
        B = np.linalg.inv(local.T @ local + 0.5 * np.eye(6))
        M += X.T @ S @ H @ B @ H @ S.T @ X

    def objective(W):
        return np.trace(W.T @ M @ W) + 0.5 * np.linalg.norm(W, axis=1).sum()

    rng = np.random.default_rng(1)
    best = made.objective_[-1]
    others = [objective(np.linalg.qr(rng.standard_normal((6, 2)))[0]) for _ in range(2000)]
    assert best <= min(others)
    axes = [objective(np.eye(6)[:, list(pair)]) for pair in combinations(range(6), 2)]
    assert best <= min(axes) * (1 + 1e-6)


def test_udfs_stops_after_the_largest_number_of_iterations():
    X = np.random.default_rng(0).standard_normal((60, 6))
    assert len(UDFS(3, max_iter=2).fit(X).objective_) == 2
    assert len(NDFS(3, max_iter=2, random_state=0).fit(X).objective_) == 2


# Filters


def test_the_variance_filter_takes_columns_of_equal_variance_in_table_order():
    X = np.random.default_rng(0).standard_normal((100, 30))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_array_equal(VarianceRanking(5).fit(X).selected_features_, range(5))


def test_the_correlation_filter_keeps_no_two_correlated_columns():
    rng = np.random.default_rng(0)
    sources = rng.standard_normal((200, 4))
    X = np.repeat(sources, 3, axis=1) * np.tile([1, 3, 2], 4)
    X += 0.05 * rng.standard_normal(X.shape)
    made = CorrelationFilter(4, threshold=0.9).fit(X)
    assert made.n_kept_ == 4
    np.testing.assert_array_equal(made.get_support(indices=True), [1, 4, 7, 10])
    correlations = np.abs(np.corrcoef(X[:, made.get_support()].T))
    assert (correlations[~np.eye(4, dtype=bool)] < 0.9).all()


def test_the_correlation_filter_fills_up_with_the_least_correlated_and_constants_last():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 200))
    X = np.column_stack([np.ones(200), 3 * a, a + 0.01 * b, a + 0.2 * b])
    made = CorrelationFilter(4, threshold=0.9).fit(X)
    assert made.n_kept_ == 1
    np.testing.assert_array_equal(made.selected_features_, [1, 3, 2, 0])


def test_opposite_columns_are_correlated():
    a, b = np.random.default_rng(0).standard_normal((2, 100))
    X = np.column_stack([3 * a, -2 * a, b])
    np.testing.assert_array_equal(CorrelationFilter(2).fit(X).selected_features_, [0, 2])


# The contract

OWN = [
    MCFS(variant="published"),
    *[SELECTORS[name].make() for name in SELECTORS if SELECTORS[name].module is None],
]


# The checks fit tables of ten or twenty rows, where UFFS has more products than rows.
@pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")
@parametrize_with_checks(OWN)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
