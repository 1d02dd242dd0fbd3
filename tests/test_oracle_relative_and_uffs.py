"""Relative thresholds and UFFS: the pseudo-code's loop over columns with another choice."""

from __future__ import annotations

from collections.abc import Callable

import families_by_hand as hand
import numpy as np
import oracle
import pytest
from oracle_cases import (
    PAIRS,
    TOLERANCE,
    assert_same,
    assert_same_trace,
    between,
    deficient,
    every_solver,
    planted,
    weights,
)

from gramian import GCA, UFFS
from gramian.exceptions import SaturationWarning

Choose = Callable[[np.ndarray, np.ndarray, list[int]], int | None]


def pursue_columns(
    X: np.ndarray, functions: hand.NewFunctions, choose: Choose, w: np.ndarray | None = None
) -> oracle.Run:
    """Run Algorithm 4 or 5 with a given rule: choose(sigma, original, chosen) -> index or None."""
    X, w = oracle.centred(X, w)
    run, chosen, T, Z, d = oracle.Run(), [], [np.ones(len(w))], [], X
    original = w @ X**2
    while True:
        sigma = w @ d**2
        sigma = np.where(sigma > oracle.ZERO * original, sigma, 0.0)
        run.variances.append(sigma)
        run.record(sigma.max(), sigma.sum())
        column = choose(sigma, original, chosen)
        if column is None:
            break
        chosen.append(column)
        Z.append(oracle.scaled(X[:, column], w))
        d = oracle.orthogonalize(T, functions(len(Z)), Z, X, w, run)
    run.choices = chosen
    return run


def largest_of(
    rank: Callable[..., np.ndarray], eligible: Callable[[np.ndarray], np.ndarray]
) -> Choose:
    """Choose the largest of rank(sigma, original) among the eligible shares sigma / original."""

    def choose(sigma: np.ndarray, original: np.ndarray, chosen: list[int]) -> int | None:
        candidates = eligible(sigma / original) & (sigma > 0)
        if not candidates.any():
            return None
        return oracle.lowest_argmax(rank(sigma, original), candidates)

    return choose


def residual(sigma: np.ndarray, original: np.ndarray) -> np.ndarray:
    return sigma


def initial(sigma: np.ndarray, original: np.ndarray) -> np.ndarray:
    return original


# Relative thresholds


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("threshold", [0.7, 0.4, 0.2, 0.1, 0.03])
@pytest.mark.parametrize("name", ["GFS", "GFA", "GCA", "GCA, any basis"])
def test_a_relative_threshold_is_a_share_of_each_candidates_own_variance(
    name, threshold, weighted, solver
):
    X = planted()
    w = weights() if weighted else None
    pair = PAIRS[name]
    estimator = pair.new(threshold=threshold, relative=True, solver=solver).fit(X, sample_weight=w)
    along = (X - estimator.mean_) @ estimator.basis_.T if isinstance(estimator, GCA) else X
    if name == "GFS":
        choose = largest_of(residual, lambda share: share > threshold)
    else:
        choose = largest_of(initial, lambda share: share >= threshold)
    run = pursue_columns(along, hand.multilinear(2), choose, w)
    assert 1 <= len(run.choices) <= 6
    assert_same(estimator, run, "threshold")


@every_solver
@pytest.mark.parametrize("name", ["GFS", "GFA"])
def test_relative_and_absolute_thresholds_agree_on_standardized_columns(name, solver):
    X = planted()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for threshold in (0.6, 0.3, 0.1):
        run = PAIRS[name].run(X, hand.multilinear(2), threshold)
        for relative in (False, True):
            estimator = PAIRS[name].new(threshold=threshold, relative=relative, solver=solver)
            assert_same(estimator.fit(X), run, "threshold")


# UFFS


def in_turn(n_columns: int) -> Choose:
    return lambda sigma, original, chosen: len(chosen) if len(chosen) < n_columns else None


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("degree", [1, 2, 3, None])
def test_uffs_finds_the_fourier_norms(degree, weighted, solver):
    X = planted()
    w = weights() if weighted else None
    norms = oracle.uffs(X, degree, weights=w)
    uffs = UFFS(degree=degree, solver=solver).fit(X, sample_weight=w)
    np.testing.assert_allclose(uffs.fourier_norms_, norms, rtol=0, atol=TOLERANCE)
    assert uffs.stop_reason_ == "exhausted"

    run = pursue_columns(X, hand.multilinear(degree), in_turn(6), w)
    assert_same_trace(uffs, run, run.total_residual_variance[0])


@every_solver
@pytest.mark.parametrize("cluster_size", [1, 2, 3, 4, 6, 10])
@pytest.mark.parametrize("degree", [1, 2, None])
def test_uffs_orthogonalizes_within_clusters(cluster_size, degree, solver):
    X = planted()
    norms = oracle.uffs(X, degree, cluster_size)
    uffs = UFFS(degree=degree, cluster_size=cluster_size, solver=solver).fit(X)
    np.testing.assert_allclose(uffs.fourier_norms_, norms, rtol=0, atol=TOLERANCE)

    # Cluster by cluster: each step changes the residuals of its own cluster only.
    runs = [
        pursue_columns(part, hand.multilinear(degree), in_turn(part.shape[1]))
        for part in np.split(X, range(cluster_size, 6, cluster_size), axis=1)
    ]
    state = [run.variances[0] for run in runs]
    states = [np.concatenate(state)]
    for i, run in enumerate(runs):
        for sigma in run.variances[1:]:
            state[i] = sigma
            states.append(np.concatenate(state))
    close = {"rtol": 0, "atol": TOLERANCE * states[0].sum()}
    np.testing.assert_allclose(uffs.residual_variance_, [s.max() for s in states], **close)
    np.testing.assert_allclose(uffs.total_residual_variance_, [s.sum() for s in states], **close)
    assert uffs.n_functions_.tolist() == [n for run in runs for n in run.n_functions]
    assert uffs.n_dropped_functions_.tolist() == [n for run in runs for n in run.n_dropped]


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_uffs_gives_copies_combinations_and_constants_the_norm_zero(weighted, solver):
    X = deficient()
    w = weights(len(X)) if weighted else None
    norms = oracle.uffs(X, 2, weights=w)
    uffs = UFFS(degree=2, solver=solver).fit(X, sample_weight=w)
    # A norm is the root of a variance; its rounding error is the root of the variance's.
    np.testing.assert_allclose(uffs.fourier_norms_**2, norms**2, rtol=0, atol=TOLERANCE)
    assert set(uffs.selected_features_) == set(np.flatnonzero(norms**2 > 0.01)) == {0, 1, 4}


@every_solver
@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("degree", [1, 2, None])
def test_uffs_selects_the_norms_above_the_threshold_by_decreasing_norm(degree, relative, solver):
    X = planted()
    norms = oracle.uffs(X, degree)
    squares = (norms if relative else norms * X.std(axis=0)) ** 2
    order = np.argsort(-squares)
    for threshold in between(squares.tolist()):
        uffs = UFFS(threshold=threshold, degree=degree, relative=relative, solver=solver).fit(X)
        expected = [j for j in order if squares[j] > threshold]
        assert uffs.selected_features_.tolist() == expected
        uffs.set_params(n_features_to_select=2).fit(X)
        assert uffs.selected_features_.tolist() == expected[:2]
    np.testing.assert_allclose(uffs.fourier_norms_**2, squares, rtol=0, atol=TOLERANCE * X.var())


@every_solver
def test_uffs_warns_of_saturation(solver):
    """Five features have 32 characters on 28 samples, so the sixth feature adds nothing."""
    X = planted(28)
    norms = oracle.uffs(X)
    assert norms[5] == 0
    with pytest.warns(SaturationWarning, match="After 5 steps .* all 28 samples"):
        uffs = UFFS(solver=solver).fit(X)
    assert uffs.stop_reason_ == "saturated"
    assert uffs.fourier_norms_[5] == uffs.total_residual_variance_[-1] == 0.0
    np.testing.assert_allclose(uffs.fourier_norms_, norms, rtol=0, atol=TOLERANCE)
