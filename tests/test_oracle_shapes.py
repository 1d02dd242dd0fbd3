"""Comparison with the pseudo-code: wide tables, dependent columns, and too few samples."""

from __future__ import annotations

import warnings

import families_by_hand as hand
import numpy as np
import oracle
import pytest
from oracle_cases import (
    FAMILIES,
    PAIRS,
    TOLERANCE,
    assert_same,
    deficient,
    every_pair,
    every_solver,
    fitting,
    planted,
    weights,
)
from sklearn.base import clone

from gramian import GFR
from gramian.exceptions import NumericalWarning, OverfittingWarning, SaturationWarning
from gramian.families import Fourier, Polynomial

# Other shapes of data


def wide(n: int = 40, d: int = 70) -> np.ndarray:
    """Return more columns than rows, with different variances."""
    rng = np.random.default_rng(4)
    latent = rng.standard_normal((n, 5)) * [6, 5, 4, 3, 2]
    nonlinear = np.column_stack([latent[:, 0] * latent[:, 1], latent[:, 2] ** 2]) / 4
    mixing = rng.standard_normal((7, d))
    noise = rng.standard_normal((n, d)) * np.linspace(0.1, 0.5, d)
    return np.column_stack([latent, nonlinear]) @ mixing + noise


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("family", ["multilinear 2", "custom, sign-dependent"])
@pytest.mark.parametrize("name", ["GFR", "GCA", "GCA, any basis"])
def test_tables_with_more_columns_than_rows_follow_the_pseudo_code(name, family, weighted, solver):
    X, (ours, by_hand) = wide(), FAMILIES[family]
    w = weights(len(X)) if weighted else None
    pair = fitting(PAIRS[name], X)
    run = pair.run(X, by_hand, n_steps=5, weights=w)
    estimator = pair.new(count=5, family=ours, solver=solver).fit(X, sample_weight=w)
    assert_same(estimator, run, "count")
    if name == "GCA":
        # The principal directions equal those of the oracle, within the span of X.
        Xc, ow = oracle.centred(X, w)
        values, vectors = np.linalg.eigh(oracle.covariance(Xc, ow))
        expected = [oracle.signed(v) for v in vectors.T[::-1][:5]]
        assert np.all(np.diff(values[-6:]) > 0.1)
        np.testing.assert_allclose(estimator.basis_[:5], expected, rtol=0, atol=TOLERANCE)


@every_solver
@pytest.mark.parametrize("n", [300, 150], ids=["more rows", "more columns"])
def test_leading_eigenvectors_found_by_iteration_follow_the_pseudo_code(n, solver):
    """From 200 columns on, a step's direction is found by iteration."""
    X = wide(n, 220)
    run = oracle.gfr(X, hand.multilinear(2), n_steps=6)
    gfr = GFR(6, degree=2, solver=solver, alpha=0).fit(X)
    assert_same(gfr, run, "count")


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("family", ["multilinear 1", "multilinear 2", "polynomial 2", "fourier 1"])
@pytest.mark.parametrize("name", PAIRS)
def test_tables_of_deficient_rank_follow_the_pseudo_code(name, family, weighted, solver):
    X, (ours, by_hand) = deficient(), FAMILIES[family]
    w = weights(len(X)) if weighted else None
    pair = fitting(PAIRS[name], X)
    run = pair.run(X, by_hand, threshold=1e-6, weights=w)
    estimator = pair.new(threshold=1e-6, family=ours, solver=solver).fit(X, sample_weight=w)
    assert_same(estimator, run, "threshold")
    if name in ("GFR", "GCA") and family == "multilinear 1":
        assert estimator.n_components_ == 4  # the rank


@every_solver
@every_pair
def test_a_fit_without_a_threshold_ends_at_rounding_errors(pair, solver):
    X = deficient()
    pair = fitting(pair, X)
    run = pair.run(X, hand.multilinear(2))
    count = X.shape[1]  # no limit; GFR and GFS get a number, because None means 95 %
    estimator = pair.new(threshold=None, count=count, solver=solver).fit(X)
    assert_same(estimator, run, "exhausted")


@every_solver
@every_pair
def test_a_threshold_of_zero_equals_no_threshold(pair, solver):
    X = deficient()
    pair = fitting(pair, X)
    run = pair.run(X, hand.multilinear(2), threshold=0.0)
    estimator = pair.new(threshold=0.0, solver=solver).fit(X)
    # The last residual may be zero or a rounding error.
    assert estimator.stop_reason_ in ("threshold", "exhausted")
    assert_same(estimator, run, estimator.stop_reason_)


# Overfitting and saturation


@every_solver
@pytest.mark.parametrize("family", ["hermite 3", "multilinear"])
@every_pair
def test_a_saturated_fit_has_residual_zero_and_warns(pair, family, solver):
    X, (ours, by_hand) = planted(28), FAMILIES[family]
    run = pair.run(X, by_hand, threshold=1e-9)
    assert run.saturated
    assert 1 + sum(run.n_functions) == len(X)
    with pytest.warns(SaturationWarning, match=f"After {len(run.choices)} steps .* all 28 samples"):
        estimator = pair.new(threshold=1e-9, family=ours, solver=solver).fit(X)
    assert_same(estimator, run, "saturated")
    assert estimator.residual_variance_[-1] == 0.0
    assert estimator.total_residual_variance_[-1] == 0.0


@every_solver
@every_pair
def test_more_functions_than_half_the_samples_give_a_warning(pair, solver):
    """With 27 functions and the constant, 56 samples are enough and 55 are not."""
    X = planted(56)
    enough = pair.new(count=6, family=Polynomial(2), solver=solver, threshold=None).fit(X)
    assert enough.n_functions_.sum() == 27
    run = pair.run(X[:-1], hand.polynomial(2), n_steps=6)
    estimator = clone(enough)
    with pytest.warns(OverfittingWarning, match="28 functions were fitted to 55 samples") as caught:
        estimator.fit(X[:-1])
    assert [w.category for w in caught] == [OverfittingWarning]
    assert_same(estimator, run, "count")


@every_solver
@pytest.mark.parametrize("family", [Fourier(3), Polynomial(3) + Fourier(2)], ids=repr)
@pytest.mark.parametrize("name", ["GFS", "GFA"])
def test_rows_on_which_all_functions_are_equal_prevent_saturation(name, family, solver):
    """The first and the last row differ in the last column only, which is not selected.

    Every function of the others has the same value on both rows. So there are no more independent
    functions than distinct rows, and something is left of the last column. An inaccuracy that is
    announced is excused.
    """
    n, wrong = 24, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 8, (n - 1, 3)) * [30.0, 20.0, 10.0]
        values = np.vstack([values, values[0]])
        X = np.column_stack([values, rng.standard_normal(n)])
        estimator = PAIRS[name].new(threshold=6.0, family=family, solver=solver, count=3)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(X)
        assert 3 not in estimator.selected_features_
        assert any(issubclass(each.category, OverfittingWarning) for each in caught)
        if any(each.category is NumericalWarning for each in caught):
            continue
        left = (X[0, 3] - X[-1, 3]) ** 2 / 2 / n
        if (
            1 + estimator.n_functions_.sum() > len(np.unique(values, axis=0))
            or estimator.stop_reason_ == "saturated"
            or estimator.total_residual_variance_[-1] < left - 1e-8 * X[:, 3].var()
        ):
            wrong.append(seed)
    assert not wrong, f"rounding errors were taken for functions with the seeds {wrong}"
