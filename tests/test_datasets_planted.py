"""Generator of planted redundancy: the data follow the paper's text, and the truth is returned."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import kstest

from gramian import GCA, GFA
from gramian.datasets import make_planted_redundancy

SEEDS = range(5)


def planted_columns(X, truth):
    """Return the redundant columns in the order of the truth's formulas."""
    return truth.columns(X)[:, [each.column for each in truth.products]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"degree": 3},
        {"degree": 5, "noise": 0.1},
        {"rotate": True},
        {"rotate": True, "noise": 0.1, "shuffle": False},
        {"variances": "integers", "distinct": False},
    ],
)
def test_redundant_columns_follow_from_the_truth(options, seed):
    X, truth = make_planted_redundancy(200, 20, 9, random_state=seed, **options)
    columns = planted_columns(X, truth)
    np.testing.assert_allclose(truth.recompute(X), columns, rtol=0, atol=1e-12 * np.ptp(columns))
    assert sorted([*truth.informative, *truth.redundant]) == list(range(20))
    assert len(truth.products) == 11
    for each in truth.products:
        assert set(each.factors) <= set(truth.informative.tolist())
        assert len(set(each.factors)) == options.get("degree", 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ratio", [0.85, 0.3])
def test_products_have_the_given_share_of_their_least_variant_factor_in_the_sample(ratio, seed):
    X, truth = make_planted_redundancy(60, degree=3, ratio=ratio, random_state=seed)
    variances = X.var(axis=0)
    for each in truth.products:
        smallest = variances[list(each.factors)].min()
        assert variances[each.column] == pytest.approx(ratio * smallest, rel=1e-10)


def test_informative_columns_are_normal_with_the_variances_of_the_truth():
    X, truth = make_planted_redundancy(20_000, random_state=0)
    independent = X[:, truth.informative]
    # The deviations of a sample variance and of a mean from their expectations.
    np.testing.assert_allclose(independent.var(axis=0) / truth.variances, 1, atol=5 * 0.01)
    standard = independent / np.sqrt(truth.variances)
    assert np.abs(standard.mean(axis=0)).max() < 5 / np.sqrt(len(X))
    assert min(kstest(column, "norm").pvalue for column in standard.T) > 1e-4


def test_informative_columns_are_independent():
    X, truth = make_planted_redundancy(20_000, random_state=1)
    independent = X[:, truth.informative] / np.sqrt(truth.variances)
    bound = 5 / np.sqrt(len(X))
    for a, b in itertools.combinations(independent.T, 2):
        assert abs(np.mean(a * b)) < bound
        assert abs(np.mean((a**2 - 1) * (b**2 - 1))) < 2 * bound  # E[(a² - 1)²] = 2


def test_distinct_products_are_uncorrelated_with_all_other_columns():
    X, truth = make_planted_redundancy(50_000, random_state=2)
    assert len({each.factors for each in truth.products}) == 15
    correlations = np.corrcoef(X.T) - np.eye(30)
    # A product of two normal variables with a factor in common: E[a⁴] = 3 and E[a²b²] = 1.
    assert np.abs(correlations).max() < 6 * np.sqrt(3 / len(X))


def test_products_repeat_if_distinct_is_false():
    _, truth = make_planted_redundancy(10, 40, 4, distinct=False, random_state=0)
    assert len({each.factors for each in truth.products}) == 6  # 36 draws of 6 products


def test_all_products_are_equally_likely():
    drawn = [
        tuple(np.searchsorted(truth.informative, each.factors))
        for seed in range(100)
        for truth in [make_planted_redundancy(10, 13, 5, random_state=seed)[1]]
        for each in truth.products
    ]
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(counts) == 10
    assert np.abs(counts - 80).max() < 5 * np.sqrt(80 * 0.9)


def test_variances_are_uniform_between_0_and_the_number_of_informative_columns():
    drawn = [make_planted_redundancy(10, random_state=seed)[1].variances for seed in range(100)]
    assert kstest(np.concatenate(drawn) / 15, "uniform").pvalue > 1e-3


def test_variances_are_integers_or_between_two_numbers_on_demand():
    _, truth = make_planted_redundancy(10, variances="integers", random_state=0)
    assert sorted(truth.variances) == list(range(1, 16))
    _, truth = make_planted_redundancy(10, variances=(2, 3), random_state=0)
    assert truth.variances.min() >= 2
    assert truth.variances.max() <= 3


def test_variances_move_with_their_columns_when_columns_are_shuffled():
    X, truth = make_planted_redundancy(50_000, variances="integers", random_state=3)
    np.testing.assert_allclose(X[:, truth.informative].var(axis=0) / truth.variances, 1, atol=0.04)


def test_informative_columns_come_first_unless_shuffled():
    _, ordered = make_planted_redundancy(20, shuffle=False, random_state=0)
    np.testing.assert_array_equal(ordered.informative, np.arange(15))
    places = [make_planted_redundancy(10, random_state=seed)[1].informative for seed in range(200)]
    counts = np.bincount(np.concatenate(places), minlength=30)
    assert np.abs(counts - 100).max() < 5 * np.sqrt(50)


def test_noise_has_the_given_variance_and_its_largest_empirical_one_is_the_threshold():
    X, truth = make_planted_redundancy(20_000, noise=0.1, random_state=0)
    assert truth.noise.shape == (20_000, 15)
    np.testing.assert_allclose(truth.noise.var(axis=0), 0.1, rtol=0.05)
    assert np.abs(np.corrcoef(truth.noise.T) - np.eye(15)).max() < 5 / np.sqrt(len(X))
    assert truth.threshold == truth.noise.var(axis=0).max()
    assert truth.degree == 2


def test_the_threshold_without_noise_is_that_of_the_text():
    _, truth = make_planted_redundancy(50, degree=3, random_state=0)
    assert (truth.threshold, truth.degree, truth.noise) == (1e-4, 3, None)


@pytest.mark.parametrize("degree", [4, 5])
def test_the_threshold_is_the_largest_projection_error_when_degrees_do_not_match(degree):
    X, truth = make_planted_redundancy(400, degree=degree, random_state=0)
    assert truth.degree == 3
    errors = []
    for each in truth.products:
        # Independent of the generator: orthonormal functions of raw factors, one by one.
        factors, left = X[:, list(each.factors)], X[:, each.column]
        functions = [np.ones(400)] + [
            factors[:, list(which)].prod(axis=1)
            for size in (1, 2, 3)
            for which in itertools.combinations(range(degree), size)
        ]
        basis = np.linalg.qr(np.column_stack(functions))[0]
        errors.append(np.mean((left - basis @ (basis.T @ left)) ** 2))
    assert truth.threshold == pytest.approx(max(errors), rel=1e-9)


def test_no_function_of_lower_degree_explains_a_product_of_normal_columns():
    X, truth = make_planted_redundancy(20_000, degree=4, variances=(1, 2), random_state=0)
    largest = X[:, truth.redundant].var(axis=0).max()
    assert 0.95 * largest < truth.threshold <= largest


def test_rotation_keeps_the_components_and_is_orthonormal():
    Z, plain = make_planted_redundancy(100, random_state=5)
    X, truth = make_planted_redundancy(100, rotate=True, random_state=5)
    np.testing.assert_allclose(truth.rotation @ truth.rotation.T, np.eye(30), atol=1e-12)
    np.testing.assert_allclose(truth.columns(X), Z, atol=1e-12 * np.ptp(Z))
    assert truth.products == plain.products
    assert np.abs(X - Z).max() > 1


@pytest.mark.parametrize("rotate", [False, True])
def test_a_seed_fixes_the_data_and_another_seed_changes_them(rotate):
    def draw(seed):
        return make_planted_redundancy(50, noise=0.1, rotate=rotate, random_state=seed)

    X, truth = draw(7)
    again, same = draw(np.random.RandomState(7))
    np.testing.assert_array_equal(X, again)
    assert truth.products == same.products
    other, _ = draw(8)
    assert not np.allclose(X, other)
    assert not np.allclose(draw(None)[0], draw(None)[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_gfa_finds_exactly_the_planted_columns(seed):
    X, truth = make_planted_redundancy(500, random_state=seed)
    gfa = GFA(threshold=truth.threshold, degree=truth.degree, backward=False, alpha=0).fit(X)
    np.testing.assert_array_equal(gfa.get_support(indices=True), truth.informative)
    np.testing.assert_array_equal(np.sort(gfa.redundant_features_), truth.redundant)


@pytest.mark.parametrize("seed", SEEDS)
def test_gca_finds_exactly_the_planted_directions(seed):
    X, truth = make_planted_redundancy(500, 12, 6, rotate=True, random_state=seed)
    gca = GCA(
        threshold=truth.threshold,
        degree=truth.degree,
        basis=truth.rotation,
        backward=False,
        alpha=0,
    ).fit(X)
    np.testing.assert_array_equal(np.sort(gca.component_indices_), truth.informative)
    np.testing.assert_array_equal(np.sort(gca.redundant_indices_), truth.redundant)


@pytest.mark.parametrize(
    "options",
    [
        {"noise": 0.1, "variances": "integers"},
        {"degree": 4, "variances": (4, 4.2)},  # all above the threshold, which is near 0.85 · 4.2
    ],
)
def test_gfa_finds_the_planted_columns_with_noise_and_with_too_low_a_degree(options):
    X, truth = make_planted_redundancy(3000, 14, 7, random_state=0, **options)
    gfa = GFA(threshold=truth.threshold, degree=truth.degree, backward=False, alpha=0).fit(X)
    np.testing.assert_array_equal(gfa.get_support(indices=True), truth.informative)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 1}, "'n_samples' parameter of make_planted_redundancy must be an int"),
        ({"n_samples": 10.5}, "'n_samples' parameter"),
        ({"n_informative": 30}, "n_informative must be less than n_features"),
        ({"n_informative": 0}, "'n_informative' parameter"),
        ({"noise": -0.1}, "'noise' parameter"),
        ({"degree": 0}, "'degree' parameter"),
        ({"degree": 16}, "products of 16 distinct columns need at least 16 informative columns"),
        ({"ratio": 0}, "'ratio' parameter"),
        ({"variances": "descending"}, "'variances' parameter"),
        ({"variances": (2, 1)}, r"variances must be a tuple \(low, high\)"),
        ({"variances": (1, 2, 3)}, r"variances must be a tuple \(low, high\)"),
        ({"rotate": "yes"}, "'rotate' parameter"),
        ({"random_state": "seed"}, "'random_state' parameter"),
        ({"n_features": 100, "n_informative": 3}, "there are only 3 distinct products of 3"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_planted_redundancy(**options)
