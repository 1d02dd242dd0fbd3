"""Invariances of fits: rotation, row blocks, order, threads, weights and units."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from property_cases import (
    ESTIMATORS,
    FAMILIES,
    a_property,
    a_slow_property,
    assert_same_directions,
    assert_same_residuals,
    assert_same_up_to_rounding,
    families,
    new,
    nonlinear_table,
    residual_covariance,
    seeds,
    solvers,
    tables,
    variables,
)
from sklearn.base import clone
from support import orthonormal
from threadpoolctl import threadpool_limits

from gramian import GFS, UFFS
from gramian.core.rows import ArrayRows
from gramian.families import Family


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
    one, other = new("GCA", **params).fit(X), new("GCA", **params).fit(X @ R)
    np.testing.assert_array_equal(one.component_indices_, other.component_indices_)
    assert_same_directions(one.components_ @ R, other.components_, up_to_sign=True)
    assert_same_residuals(one, other)


# Two fits for each of the five algorithms; UFFS has one family only.
def every_estimator(X: np.ndarray, family: Family, **params: Any) -> Iterator[Any]:
    """Return all estimators, with limits that allow several steps."""
    threshold = 0.05 * X.var()
    for name in ESTIMATORS:
        yield new(name, threshold=threshold, family=family, **params)
    basis = orthonormal(np.random.default_rng(1), X.shape[1])
    yield new("GCA", threshold=threshold, basis=basis, family=family, **params)
    yield new("GFA", threshold=0.2, relative=True, family=family, **params)
    yield new("GFS", threshold=0.2, relative=True, family=family, **params)
    yield UFFS(degree=2, **params)
    yield UFFS(threshold=0.2, cluster_size=3, **params)


@a_property
@given(tables, families)
def test_all_solvers_give_equal_fits(X, family):
    for estimator in every_estimator(X, family[0]):
        by_qr = clone(estimator).set_params(solver="qr").fit(X)
        by_gram = clone(estimator).set_params(solver="gram").fit(X)
        assert (by_qr.solver_, by_gram.solver_) == ("qr", "gram")
        assert_same_up_to_rounding(by_qr, by_gram)


@contextmanager
def blocks_of(n_rows: int) -> Iterator[None]:
    """Read tables in blocks of so many rows."""
    with mock.patch("gramian.core.rows._protocol.BLOCK_ROWS", n_rows):
        blocks = list(ArrayRows(np.zeros((50, 1)), np.full(50, 0.1)).blocks())
        assert len(blocks) == -(-50 // n_rows)
        yield


@a_slow_property
@given(tables, families, st.sampled_from([13, 64, 219, 1000]), st.booleans())
@example(nonlinear_table(0), FAMILIES[1], 1, True)
def test_the_size_of_row_blocks_does_not_change_the_fit(X, family, n_rows, cached):
    for estimator in every_estimator(X, family[0], solver="gram"):
        one = clone(estimator).fit(X)
        cache_bytes = 2**30 if cached else 0
        with (
            blocks_of(n_rows),
            mock.patch("gramian.core.rows._array.CACHE_BYTES", cache_bytes),
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
def test_integer_weights_equal_repeated_rows(X, family, seed, solver):
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
def test_a_common_unit_scales_only_the_variances(X, family, c, shift, solver):
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
def test_the_order_of_columns_matters_only_to_uffs(X, family, solver):
    order = np.random.default_rng(len(X)).permutation(X.shape[1])
    for name in ESTIMATORS:
        params = {"threshold": 0.05 * X.var(), "family": family[0], "solver": solver}
        one, other = new(name, **params).fit(X), new(name, **params).fit(X[:, order])
        assert_same_residuals(one, other)
        if name in ("GFS", "GFA"):
            np.testing.assert_array_equal(one.selected_features_, order[other.selected_features_])
        else:
            assert_same_directions(one.components_[:, order], other.components_, up_to_sign=True)


# Relative thresholds and units of columns

given_a_selector_and_a_threshold = given(
    st.sampled_from(["GFS", "GFA"]),
    tables,
    families,
    seeds,
    st.floats(0.02, 0.6),
    solvers,
)


@a_property
@given_a_selector_and_a_threshold
def test_a_relative_threshold_bounds_the_residual_of_each_feature_in_any_units(
    name, X, family, seed, threshold, solver
):
    """Units may change the selection; the bound on residuals holds for every selection."""
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
    """With a relative threshold, GFA uses only the order of the original variances."""
    order = np.argsort(-X.std(axis=0))
    units = 1 / X.std(axis=0)
    units[order] *= np.cumprod(np.random.default_rng(seed).uniform(0.05, 0.95, X.shape[1]))
    params = {"threshold": threshold, "relative": True, "family": family[0], "solver": solver}
    one, other = new("GFA", **params).fit(X), new("GFA", **params).fit(X * units)
    np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
    np.testing.assert_array_equal(one.redundant_features_, other.redundant_features_)
    np.testing.assert_array_equal(one.n_functions_, other.n_functions_)


@a_property
@given_a_selector_and_a_threshold
def test_a_smaller_unit_of_redundant_features_does_not_change_the_selection(
    name, X, family, seed, threshold, solver
):
    """A feature that is not selected stays unselected if its variance shrinks."""
    params = {"threshold": threshold, "relative": True, "family": family[0], "solver": solver}
    one = new(name, **params).fit(X)
    shrink = np.random.default_rng(seed).uniform(0.01, 1, X.shape[1])
    other = new(name, **params).fit(X * np.where(one.support_, 1.0, shrink))
    np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
    np.testing.assert_array_equal(one.n_functions_, other.n_functions_)


# The comparison itself


def test_the_comparison_notices_a_residual_that_is_slightly_wrong():
    """A residual that is wrong by 1e-6 of the variance is no rounding error."""
    X = nonlinear_table(0)
    one, other = (
        GFS(3, alpha=0, criterion="variance").fit(X),
        GFS(3, alpha=0, criterion="variance").fit(X),
    )
    assert_same_up_to_rounding(one, other)
    other.residual_variance_[1] += 1e-6 * other.total_residual_variance_[0]
    with pytest.raises(AssertionError):
        assert_same_up_to_rounding(one, other)
