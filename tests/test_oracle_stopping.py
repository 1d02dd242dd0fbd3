"""The estimators stop where the pseudo-code stops, and record the residual variances it has."""

from __future__ import annotations

import itertools

import families_by_hand as hand
import numpy as np
import oracle
import pytest
from oracle_cases import (
    PAIRS,
    TOLERANCE,
    assert_same,
    between,
    every_pair,
    every_solver,
    planted,
    random_basis,
)

from gramian import GCA, GFR
from gramian.families import Hermite

# When to stop


@every_solver
@pytest.mark.parametrize("name", ["GFR", "GFS"])
def test_gfr_and_gfs_stop_at_the_first_residual_variance_below_the_threshold(name, solver):
    """The path of GFR and GFS does not depend on the threshold, only its length does."""
    X, pair = planted(), PAIRS[name]
    full = pair.run(X, hand.multilinear(2))
    recorded = full.residual_variance
    assert len(recorded) == 7
    for m, (above, below) in enumerate(itertools.pairwise(recorded), start=1):
        threshold = (above + below) / 2
        estimator = pair.new(threshold=threshold, solver=solver).fit(X)
        assert len(estimator.n_functions_) == m
        assert_same(estimator, pair.run(X, hand.multilinear(2), threshold), "threshold")
    none = pair.new(threshold=1.001 * recorded[0], solver=solver).fit(X)
    assert len(none.residual_variance_) == 1
    assert_same(none, pair.run(X, hand.multilinear(2), n_steps=0), "threshold")


@every_solver
@pytest.mark.parametrize("name", ["GCA", "GCA, any basis", "GFA"])
def test_gca_and_gfa_go_on_while_a_residual_variance_reaches_the_threshold(name, solver):
    """GCA and GFA skip candidates below the threshold, so the path depends on the threshold."""
    X, pair = planted(), PAIRS[name]
    full = pair.run(X, hand.multilinear(2))
    chosen = []
    for threshold in between(full.residual_variance):
        estimator = pair.new(threshold=threshold, solver=solver).fit(X)
        assert_same(estimator, pair.run(X, hand.multilinear(2), threshold), "threshold")
        assert all(estimator.residual_variance_[:-1] >= threshold)
        assert estimator.residual_variance_[-1] < threshold
        chosen.append(len(estimator.n_functions_))
        indices = getattr(estimator, "component_indices_", None)
        kept = estimator.selected_features_ if indices is None else indices
        redundant = (
            estimator.redundant_features_ if indices is None else estimator.redundant_indices_
        )
        # At the end every candidate was either kept or found redundant.
        assert sorted([*kept, *redundant]) == list(range(6))
    assert len(set(chosen)) >= 4  # the thresholds give different fits


@every_solver
@pytest.mark.parametrize(("name", "steps"), [("GFR", 0), ("GFS", 0), ("GCA", 1), ("GFA", 1)])
def test_a_variance_equal_to_the_threshold_is_too_small_for_gfr_and_gfs_only(name, steps, solver):
    """Algorithms 2 and 4 stop at <=, Algorithms 3 and 5 skip candidates with <."""
    X, pair = planted(), PAIRS[name]
    largest = pair.new(count=1, solver=solver, threshold=None).fit(X).residual_variance_[0]
    estimator = pair.new(threshold=largest, solver=solver).fit(X)
    assert len(estimator.n_functions_) == steps
    assert estimator.stop_reason_ == "threshold"


@every_solver
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
@every_pair
def test_a_float_count_stops_once_that_share_of_the_variance_is_explained(pair, share, solver):
    X = planted()
    totals = np.array(pair.run(X, hand.multilinear(2)).total_residual_variance)
    steps = int(np.argmax(totals <= (1 - share) * totals[0]))
    assert steps >= 1
    estimator = pair.new(count=share, threshold=None, solver=solver).fit(X)
    run = pair.run(X, hand.multilinear(2), n_steps=steps)
    assert_same(estimator, run, "explained_variance")
    assert estimator.explained_variance_ratio_.sum() >= share
    assert estimator.explained_variance_ratio_[:-1].sum() < share


@every_solver
@every_pair
def test_the_first_limit_that_is_reached_stops_the_fit(pair, solver):
    X, functions = planted(), hand.multilinear(2)
    recorded = pair.run(X, functions, n_steps=4).residual_variance
    assert np.all(np.diff(recorded) < 0)
    low, high = recorded[4] / 2, (recorded[1] + recorded[2]) / 2
    few = pair.new(threshold=low, count=2, solver=solver).fit(X)
    assert_same(few, pair.run(X, functions, low, n_steps=2), "count")
    weak = pair.new(threshold=high, count=6, solver=solver).fit(X)
    assert_same(weak, pair.run(X, functions, high), "threshold")
    # 1 + 2 + 3 functions come with three variables, and 4 more with the next.
    small = pair.new(threshold=low, max_functions=9, solver=solver).fit(X)
    assert_same(small, pair.run(X, functions, low, n_steps=3), "max_functions")
    large = pair.new(threshold=low, max_functions=10, count=4, solver=solver).fit(X)
    assert_same(large, pair.run(X, functions, low, n_steps=4), "count")


@every_solver
@pytest.mark.parametrize(("name", "share"), [("GFR", 0.95), ("GFS", 0.95)])
def test_gfr_and_gfs_explain_95_percent_by_default(name, share, solver):
    X, pair = planted(), PAIRS[name]
    totals = np.array(pair.run(X, hand.multilinear(2)).total_residual_variance)
    steps = int(np.argmax(totals <= (1 - share) * totals[0]))
    run = pair.run(X, hand.multilinear(2), n_steps=steps)
    assert_same(pair.new(solver=solver).fit(X), run, "explained_variance")


# Residual variances


@every_solver
def test_gfr_records_the_top_eigenvalues_of_the_residual_covariances(solver):
    X = planted()
    run = oracle.gfr(X, hand.hermite(3), n_steps=5)
    gfr = GFR(5, family=Hermite(3), solver=solver, alpha=0).fit(X)
    atol = TOLERANCE * run.total_residual_variance[0]
    for j, Sigma in enumerate(run.covariances):
        eigenvalues = np.linalg.eigvalsh(Sigma)
        np.testing.assert_allclose(gfr.residual_variance_[j], eigenvalues[-1], rtol=0, atol=atol)
        np.testing.assert_allclose(
            gfr.total_residual_variance_[j], eigenvalues.sum(), rtol=0, atol=atol
        )
    along = [nu @ Sigma @ nu for nu, Sigma in zip(gfr.components_, run.covariances, strict=False)]
    np.testing.assert_allclose(gfr.residual_variance_[:-1], along, rtol=0, atol=atol)


@every_solver
@pytest.mark.parametrize("basis", ["pca", random_basis()], ids=["pca", "any basis"])
def test_gca_records_the_largest_residual_variance_along_its_basis(basis, solver):
    X = planted()
    gca = GCA(4, threshold=None, basis=basis, solver=solver, backward=False, alpha=0).fit(X)
    run = oracle.gca(X, hand.multilinear(2), basis=gca.basis_, n_steps=4)
    for j, Sigma in enumerate(run.covariances):
        largest = max(rho @ Sigma @ rho for rho in gca.basis_)
        np.testing.assert_allclose(gca.residual_variance_[j], largest, rtol=TOLERANCE)
    np.testing.assert_array_equal(gca.components_, gca.basis_[gca.component_indices_])


@every_solver
def test_the_principal_basis_of_gca_is_pca_by_decreasing_variance(solver):
    X = planted()
    gca = GCA(solver=solver, backward=False, alpha=0).fit(X)
    values, vectors = np.linalg.eigh(np.cov(X.T, ddof=0))
    expected = [oracle.signed(v) for v in vectors.T[::-1]]
    np.testing.assert_allclose(gca.basis_, expected, rtol=0, atol=TOLERANCE)
    along = np.var((X - gca.mean_) @ gca.basis_.T, axis=0)
    np.testing.assert_allclose(along, values[::-1], rtol=TOLERANCE)
