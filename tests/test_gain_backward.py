"""Backward GFS: begin with all columns, and repeatedly drop the column with the smallest loss."""

from __future__ import annotations

import families_by_hand as hand
import numpy as np
import pytest
from gain_cases import left_by, related
from hypothesis import given
from property_cases import a_slow_property, seeds

from gramian import GFS
from gramian.models import load, save

EXACT = {"alpha": 0.0, "exchange": False, "backward": True, "family": "polynomial"}


def dropped_one_by_one(
    X: np.ndarray,
    n: int,
    by_hand: hand.NewFunctions,
    alpha: float = 0.0,
    keep: tuple[int, ...] = (),
) -> set[int]:
    """Drop columns by explicit regressions of all columns on the functions of all but one."""
    kept = list(range(X.shape[1]))
    while len(kept) > n:

        def left_without(j: int, kept: list[int] = kept) -> float:
            return left_by(X, [i for i in kept if i != j], by_hand, alpha=alpha)

        kept.remove(min((j for j in kept if j not in keep), key=left_without))
    return set(kept)


@given(seeds)
@a_slow_property
def test_the_dropped_column_has_the_smallest_loss_in_regressions(seed):
    X = related(seed, 6)
    for n in (1, 2, 4):
        fitted = GFS(n, **EXACT).fit(X)
        assert set(fitted.selected_features_) == dropped_one_by_one(X, n, hand.polynomial(2))
        left = left_by(X, fitted.selected_features_, hand.polynomial(2))
        assert fitted.best_sets_residual_variance_[-1] == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_dropped_column_has_the_smallest_loss_in_penalized_regressions(seed):
    X = related(seed, 6)
    fitted = GFS(3, **EXACT | {"alpha": 0.1}).fit(X)
    expected = dropped_one_by_one(X, 3, hand.polynomial(2), alpha=0.1)
    assert set(fitted.selected_features_) == expected


def test_given_columns_are_never_dropped():
    X = related(4, 6)
    fitted = GFS(3, given=[0, 5], **EXACT).fit(X)
    expected = dropped_one_by_one(X, 3, hand.polynomial(2), keep=(0, 5))
    assert set(fitted.selected_features_) == expected > {0, 5}


def test_the_best_sets_are_nested_and_equal_those_of_smaller_fits():
    X = related(5, 7)
    sets = GFS(5, **EXACT).fit(X).best_sets_
    for n, columns in enumerate(sets, start=1):
        assert set(columns) == set(GFS(n, **EXACT).fit(X).selected_features_)
        assert n == 1 or set(sets[n - 2]) < set(columns)


def test_exchanges_after_dropping_do_not_raise_the_residual_variance():
    X = related(6)
    plain, again = (GFS(4, **EXACT | {"exchange": exchange}).fit(X) for exchange in (False, True))
    assert again.best_sets_residual_variance_[-1] <= plain.best_sets_residual_variance_[-1]


def test_backward_gfs_keeps_the_smallest_set_that_explains_the_requested_share():
    X = related(7)
    fitted = GFS(0.9, **EXACT).fit(X)
    total = np.trace(np.cov(X.T, bias=True))
    *_, smaller, kept = fitted.best_sets_
    assert left_by(X, kept, hand.polynomial(2)) <= 0.1 * total
    assert left_by(X, smaller, hand.polynomial(2)) > 0.1 * total


def test_the_first_of_several_copies_is_kept_and_constants_are_dropped():
    X = related(8, 3)
    X = np.column_stack([np.ones(len(X)), X, X])
    fitted = GFS(6, **EXACT).fit(X)
    assert set(fitted.selected_features_) == {1, 2, 3}
    assert fitted.stop_reason_ == "exhausted"


def test_backward_gfs_drops_a_sum_that_forward_gfs_keeps():
    """Forward search chooses the sum of all columns first; backward search finds it redundant."""
    z = np.random.default_rng(9).standard_normal((400, 4))
    X = np.column_stack([z, z.sum(axis=1) + 0.1 * np.random.default_rng(10).standard_normal(400)])
    forward = GFS(4, degree=1, exchange=False, alpha=0).fit(X)
    backward = GFS(4, degree=1, exchange=False, alpha=0, backward=True).fit(X)
    assert 4 in forward.selected_features_
    left = [each.best_sets_residual_variance_[-1] for each in (forward, backward)]
    assert left[1] <= left[0]


def test_a_model_file_holds_the_backward_selection(tmp_path):
    fitted = GFS(3, **EXACT).fit(related(11, 5))
    save(fitted, tmp_path / "model.gram")
    again = load(tmp_path / "model.gram")
    assert again.backward
    np.testing.assert_array_equal(again.selected_features_, fitted.selected_features_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "functions of all 30 columns.* half of the 100 rows.*alpha=0.01"),
        ({"criterion": "variance"}, "backward=True is for criterion='gain'"),
    ],
)
def test_impossible_options_of_backward_gfs_are_refused(options, message):
    X = np.random.default_rng(12).standard_normal((100, 30))
    with pytest.raises(ValueError, match=message):
        GFS(3, backward=True, **options).fit(X)
