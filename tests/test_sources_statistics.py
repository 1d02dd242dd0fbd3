"""Means, variances and covariances, merged from blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gramian.core.rows import as_source, open_stream
from gramian.core.rows._first_pass import Split, look_at, put_together
from gramian.core.rows._statistics import (
    centring_of,
    merge_statistics,
    scaled_covariance,
    statistics_of,
)


def by_blocks(x, weights, n_blocks, covariance=True):
    parts = np.array_split(np.arange(len(x)), n_blocks)
    weights = [None] * n_blocks if weights is None else [weights[part] for part in parts]
    total, *others = (
        statistics_of(x[part], w, covariance=covariance)
        for part, w in zip(parts, weights, strict=True)
    )
    for other in others:
        total = merge_statistics(total, other)
    return total


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 7, 1000])
def test_merging_loses_no_digits_if_the_mean_is_large(n_blocks, weighted):
    rng = np.random.default_rng(0)
    x = 1e9 + rng.standard_normal((20_000, 3)) @ rng.standard_normal((3, 3))
    w = rng.uniform(0, 2, len(x)) if weighted else None
    found = by_blocks(x, w, n_blocks)
    exact = x.astype(np.longdouble)
    weights = np.ones(len(x), np.longdouble) if w is None else w.astype(np.longdouble)
    mean = weights @ exact / weights.sum()
    centred = exact - mean
    covariance = (centred * weights[:, np.newaxis]).T @ centred / weights.sum()
    np.testing.assert_allclose(found.mean, mean.astype(float), rtol=1e-15)
    np.testing.assert_allclose(found.variances, covariance.diagonal().astype(float), rtol=1e-12)
    np.testing.assert_allclose(
        found.products / found.weight, np.tril(covariance).astype(float), rtol=1e-10, atol=1e-12
    )


def test_a_naive_variance_loses_all_digits_on_that_data():
    x = 1e9 + np.random.default_rng(0).standard_normal((20_000, 1))
    naive = np.mean(x**2) - np.mean(x) ** 2
    assert abs(naive - 1) > 0.5


def test_a_long_chain_of_blocks_loses_no_digits_either():
    x = 1e9 + np.random.default_rng(0).standard_normal((200_000, 1))
    found = by_blocks(x, None, 10_000, covariance=False)
    exact = np.var(x.astype(np.longdouble))
    assert found.variances[0] == pytest.approx(float(exact), rel=1e-12)


BLOCK = arrays(
    np.float64, st.tuples(st.integers(0, 6), st.just(2)), elements=st.floats(-1e3, 1e3, width=32)
)


def assert_equal_up_to_rounding(a, b):
    assert a.n_rows == b.n_rows
    assert a.weight == pytest.approx(b.weight)
    np.testing.assert_array_equal(a.low, b.low)
    np.testing.assert_array_equal(a.high, b.high)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(a.products, b.products, rtol=1e-9, atol=1e-6)


@given(BLOCK, BLOCK, BLOCK, st.booleans())
@settings(deadline=None)
def test_merging_is_associative_and_commutative_up_to_rounding(a, b, c, covariance):
    one, two, three = (statistics_of(each, None, covariance=covariance) for each in (a, b, c))
    left = merge_statistics(merge_statistics(one, two), three)
    assert_equal_up_to_rounding(left, merge_statistics(one, merge_statistics(two, three)))
    assert_equal_up_to_rounding(left, merge_statistics(three, merge_statistics(two, one)))
    whole = statistics_of(np.vstack([a, b, c]), None, covariance=covariance)
    assert_equal_up_to_rounding(left, whole)


def test_integer_weights_equal_copies_of_rows():
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((100, 3)), rng.integers(0, 3, 100)
    found = by_blocks(x, w.astype(float), 4)
    copies = by_blocks(np.repeat(x, w, axis=0), None, 3)
    assert found.n_rows == np.count_nonzero(w)
    np.testing.assert_allclose(found.mean, copies.mean, atol=1e-14)
    np.testing.assert_allclose(found.products, copies.products, atol=1e-12)


@pytest.mark.parametrize("scaling", ["column", "table"])
def test_columns_are_scaled_separately_or_by_one_factor(scaling):
    x = np.random.default_rng(0).standard_normal((500, 3)) * [1, 5, 0] + 3
    statistics = by_blocks(x, None, 5)
    centring = centring_of(statistics, scaling)
    np.testing.assert_array_equal(centring.varies, [True, True, False])
    deviations = x.std(axis=0)
    expected = [deviations[0], deviations[1], 1] if scaling == "column" else [deviations[1]] * 3
    np.testing.assert_allclose(centring.scale, expected)
    scaled = (x - x.mean(axis=0)) / centring.scale
    np.testing.assert_allclose(
        scaled_covariance(statistics, centring), np.tril(scaled.T @ scaled / 500), atol=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_held_out_rows_do_not_depend_on_the_order_of_merging(weighted):
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2000, 2)), rng.uniform(0.5, 2, 2000) if weighted else None
    split = Split(0.5, seed=3, limit=100)
    looks = []
    for number in range(20):
        part = slice(100 * number, 100 * (number + 1))
        weights = None if w is None else w[part]
        looks.append(look_at(x[part], weights, split, covariance=True))
    chain = put_together(looks)
    tree = put_together([put_together(looks[i : i + 5]) for i in range(0, 20, 5)])
    assert chain.split == tree.split
    out = chain.split.mask(x)
    assert 25 <= out.sum() <= 100
    for look in (chain, tree):
        held_out, weights = look.held_out
        np.testing.assert_array_equal(held_out, x[out])
        assert weights is None if w is None else np.array_equal(weights, w[out])
        rest = statistics_of(x[~out], None if w is None else w[~out], covariance=True)
        assert_equal_up_to_rounding(look.statistics, rest)


def test_rows_far_from_zero_are_centred_by_a_mean_in_two_parts():
    x = 2 + 1e-9 * np.random.default_rng(0).standard_normal((5000, 3))
    source = as_source(lambda: iter(np.array_split(x, 5)))
    rows, _, _ = open_stream(source, "column", memory_budget=2**20)
    centred = np.concatenate([block.x for block in rows.blocks()])
    assert np.abs(np.sqrt(5000) * centred.mean(axis=0)).max() < 1e-14
