"""GFS from behind: begin with all columns, and drop the one without which least is lost."""

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
def test_what_is_dropped_is_what_regressions_lose_least_without(seed):
    X = related(seed, 6)
    for n in (1, 2, 4):
        fitted = GFS(n, **EXACT).fit(X)
        assert set(fitted.selected_features_) == dropped_one_by_one(X, n, hand.polynomial(2))
        left = left_by(X, fitted.selected_features_, hand.polynomial(2))
        assert fitted.best_sets_residual_variance_[-1] == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_with_a_penalty_regressions_have_it_too(seed):
    X = related(seed, 6)
    fitted = GFS(3, **EXACT | {"alpha": 0.1}).fit(X)
    expected = dropped_one_by_one(X, 3, hand.polynomial(2), alpha=0.1)
    assert set(fitted.selected_features_) == expected


def test_columns_that_are_given_are_never_dropped():
    X = related(4, 6)
    fitted = GFS(3, given=[0, 5], **EXACT).fit(X)
    expected = dropped_one_by_one(X, 3, hand.polynomial(2), keep=(0, 5))
    assert set(fitted.selected_features_) == expected > {0, 5}


def test_the_sets_of_one_fit_are_nested_and_those_of_other_sizes():
    X = related(5, 7)
    sets = GFS(5, **EXACT).fit(X).best_sets_
    for n, columns in enumerate(sets, start=1):
        assert set(columns) == set(GFS(n, **EXACT).fit(X).selected_features_)
        assert n == 1 or set(sets[n - 2]) < set(columns)


def test_exchanges_afterwards_leave_no_more():
    X = related(6)
    plain, again = (GFS(4, **EXACT | {"exchange": exchange}).fit(X) for exchange in (False, True))
    assert again.best_sets_residual_variance_[-1] <= plain.best_sets_residual_variance_[-1]


def test_it_stops_where_less_would_be_explained_than_asked_for():
    X = related(7)
    fitted = GFS(0.9, **EXACT).fit(X)
    total = np.trace(np.cov(X.T, bias=True))
    *_, smaller, kept = fitted.best_sets_
    assert left_by(X, kept, hand.polynomial(2)) <= 0.1 * total
    assert left_by(X, smaller, hand.polynomial(2)) > 0.1 * total


def test_of_copies_the_first_is_kept_and_constants_never_are():
    X = related(8, 3)
    X = np.column_stack([np.ones(len(X)), X, X])
    fitted = GFS(6, **EXACT).fit(X)
    assert set(fitted.selected_features_) == {1, 2, 3}
    assert fitted.stop_reason_ == "exhausted"


def test_a_column_that_only_several_others_explain_is_seen_from_behind():
    """Forward, the sum of all is chosen first; from behind, it is what the others give."""
    z = np.random.default_rng(9).standard_normal((400, 4))
    X = np.column_stack([z, z.sum(axis=1) + 0.1 * np.random.default_rng(10).standard_normal(400)])
    forward = GFS(4, degree=1, exchange=False, alpha=0).fit(X)
    backward = GFS(4, degree=1, exchange=False, alpha=0, backward=True).fit(X)
    assert 4 in forward.selected_features_
    left = [each.best_sets_residual_variance_[-1] for each in (forward, backward)]
    assert left[1] <= left[0]


def test_a_model_file_remembers_it(tmp_path):
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
def test_what_cannot_be_done_is_said(options, message):
    X = np.random.default_rng(12).standard_normal((100, 30))
    with pytest.raises(ValueError, match=message):
        GFS(3, backward=True, **options).fit(X)
