"""Generators with labels, and the appendix example, draw what the paper's text says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, norm

from gramian import UFFS
from gramian.exceptions import OverfittingWarning
from gramian_paper.datasets import (
    make_appendix_example,
    make_labelled_products,
    make_uffs_comparison,
)

LABELLED = [make_labelled_products, make_uffs_comparison]


def labels_by_hand(X, truth):
    independent = truth.columns(X)[:, truth.informative]
    factors = [weights[0] + independent @ weights[1:] for weights in truth.label_weights]
    return np.sign(np.prod(factors, axis=0))


@pytest.mark.parametrize("make", LABELLED)
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("labels", ["ltf", "ptf", 2])
def test_columns_and_labels_follow_from_the_truth(make, shuffle, labels):
    X, y, truth = make(300, labels=labels, shuffle=shuffle, random_state=0)
    columns = X[:, [each.column for each in truth.products]]
    np.testing.assert_allclose(truth.recompute(X), columns, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(y, labels_by_hand(X, truth))
    assert len(truth.label_weights) == {"ltf": 1, "ptf": 3}.get(labels, labels)
    assert all(each.coefficient == 1 for each in truth.products)
    assert sorted([*truth.informative, *truth.redundant]) == list(range(X.shape[1]))
    assert np.array_equal(truth.informative, np.arange(len(truth.informative))) != shuffle


@pytest.mark.parametrize(
    ("make", "low", "high"), [(make_labelled_products, 0, 2), (make_uffs_comparison, 0.5, 1)]
)
def test_independent_columns_have_the_variances_of_the_text(make, low, high):
    X, _, truth = make(20_000, shuffle=True, random_state=0)
    independent = X[:, truth.informative]
    np.testing.assert_allclose(independent.var(axis=0) / truth.variances, 1, atol=5 * 0.01)
    assert np.abs(np.corrcoef(independent.T) - np.eye(len(truth.informative))).max() < 0.04
    drawn = np.concatenate([make(10, random_state=seed)[2].variances for seed in range(100)])
    assert kstest((drawn - low) / (high - low), "uniform").pvalue > 1e-3


def test_gfr_is_compared_with_pca_on_20_or_60_columns_half_of_them_products_of_two():
    X, _, truth = make_labelled_products(50, random_state=0)
    assert X.shape == (50, 20)
    assert {len(set(each.factors)) for each in truth.products} == {2}
    X, _, truth = make_labelled_products(50, 60, 30, random_state=0)
    assert X.shape == (50, 60)
    assert len(truth.products) == 30


def test_products_of_two_and_of_three_occur_in_proportion_to_their_number():
    sizes = [
        len(set(each.factors))
        for seed in range(100)
        for each in make_uffs_comparison(10, random_state=seed)[2].products
    ]
    assert set(sizes) == {2, 3}
    expected, n = 105 / 560, len(sizes)  # C(15, 2) of C(15, 2) + C(15, 3)
    assert abs(np.mean(np.array(sizes) == 2) - expected) < 5 * np.sqrt(expected / n)


@pytest.mark.parametrize("seed", range(5))
def test_the_constant_of_a_linear_threshold_function_sets_the_share_of_labels(seed):
    _, y, truth = make_labelled_products(20_000, labels="ltf", random_state=seed)
    constant, *weights = truth.label_weights[0]
    expected = norm.cdf(constant / np.sqrt(np.square(weights) @ truth.variances))
    assert 0.5 < expected < 0.8
    assert abs(np.mean(y == 1) - expected) < 5 * 0.5 / np.sqrt(len(y))


def test_weights_of_labels_are_uniform_between_0_and_1():
    drawn = [make_labelled_products(10, random_state=seed)[2].label_weights for seed in range(50)]
    assert drawn[0].shape == (3, 11)
    assert kstest(np.ravel(drawn), "uniform").pvalue > 1e-3


def test_both_labels_occur():
    for make in LABELLED:
        for labels in ("ltf", "ptf", 2):
            _, y, _ = make(2000, labels=labels, random_state=1)
            assert np.isin(y, [-1, 1]).all()
            assert 0.1 < np.mean(y == 1) < 0.9


def test_standardization_changes_the_scale_of_the_columns_and_nothing_else():
    X, y, truth = make_uffs_comparison(random_state=0)
    scaled, same, scaled_truth = make_uffs_comparison(standardize=True, random_state=0)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.var(axis=0), 1, atol=1e-12)
    np.testing.assert_allclose(scaled_truth.columns(scaled), X, atol=1e-12)
    np.testing.assert_array_equal(same, y)
    assert scaled_truth.products == truth.products
    assert truth.threshold == scaled_truth.threshold == 0.01


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_uffs_selects_the_independent_columns_if_they_come_first(seed, standardize):
    X, _, truth = make_uffs_comparison(shuffle=False, standardize=standardize, random_state=seed)
    with pytest.warns(OverfittingWarning):  # 575 functions, and 1000 rows
        uffs = UFFS(threshold=truth.threshold, degree=truth.degree).fit(X)
    np.testing.assert_array_equal(uffs.get_support(indices=True), truth.informative)


def test_the_example_of_the_appendix_has_the_columns_of_the_text():
    X, truth = make_appendix_example(random_state=0)
    assert X.shape == (10_000, 5)
    np.testing.assert_allclose(X[:, :3].var(axis=0), [0.9, 0.8, 0.7], rtol=0.07)
    np.testing.assert_allclose(X[:, 3], X[:, 0] * X[:, 2])
    np.testing.assert_allclose(X[:, 4], X[:, 0] * X[:, 1] ** 2)
    np.testing.assert_allclose(truth.recompute(X), X[:, truth.redundant])
    assert np.abs(np.corrcoef(X[:, :3].T) - np.eye(3)).max() < 0.05


@pytest.mark.parametrize("make", [*LABELLED, make_appendix_example])
def test_a_seed_fixes_the_data_and_another_seed_changes_them(make):
    X, again, other = (make(50, random_state=seed)[0] for seed in (3, 3, 4))
    np.testing.assert_array_equal(X, again)
    assert not np.allclose(X, other)


@pytest.mark.parametrize("make", LABELLED)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "'n_samples' parameter of make_"),
        ({"n_informative": 50, "n_features": 40}, "n_informative must be less than n_features"),
        ({"n_informative": 1}, "products of [23] distinct columns need"),
        ({"labels": "linear"}, "'labels' parameter"),
        ({"labels": 0}, "'labels' parameter"),
        ({"variances": (-1, 1)}, r"variances must be a tuple \(low, high\)"),
        ({"shuffle": 2}, "'shuffle' parameter"),
    ],
)
def test_bad_arguments_are_named(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_a_bad_number_of_rows_of_the_example_is_named():
    with pytest.raises(ValueError, match="'n_samples' parameter of make_appendix_example"):
        make_appendix_example(-5)
