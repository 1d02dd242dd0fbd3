"""Which column goes first, where several may, and when penalties and proofs are looked for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from elimination_cases import selection_of, sums_of
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property, seeds

from gramian.core.elimination import (
    KeptSetSearch,
    Preferences,
    _selection,
    eliminate,
    lay_out,
    leave_one_out,
)
from gramian.core.elimination._exchange import _best_first
from gramian.core.elimination._remaining import Remaining
from gramian.core.elimination._selection import forward_order
from gramian.core.rows import centre
from gramian.families import Multilinear, Polynomial

THRESHOLD = 1e-3


def dropped_first(X, family=None, **preferences):
    sums = sums_of(X, family or Polynomial(2))
    return eliminate(sums, THRESHOLD, preferences=Preferences(**preferences)).dropped[0]


def test_of_two_that_give_each_other_the_one_stays_that_gives_a_third_as_well():
    rng = np.random.default_rng(0)
    a, noise = rng.standard_normal((2, 400))
    near = a + 0.02 * noise
    X = np.column_stack([near, a**2, a])  # what is left of both is about the same
    assert dropped_first(X, priority=[0, 1, 0]) == 0
    assert dropped_first(X[:, ::-1], priority=[0, 1, 0]) == 2


def test_of_two_that_follow_exactly_the_one_goes_that_has_more_in_common_with_all():
    a, b = np.random.default_rng(0).standard_normal((2, 400))
    X = np.column_stack([a + b, b, a])
    assert dropped_first(X, Multilinear(1), priority=[0, 1, 0]) == 0
    assert dropped_first(X[:, ::-1], Multilinear(1), priority=[0, 1, 0]) == 2


def test_of_columns_that_nothing_tells_apart_the_last_goes_or_the_last_by_order():
    a = np.random.default_rng(0).standard_normal(400)
    X = np.column_stack([a, 2 * a, 3 * a])
    assert dropped_first(X) == 2
    assert dropped_first(X, order=[5, 2, 1]) == 0
    assert dropped_first(X, order=[5, 2, 1], keep=[0]) == 1


def made_of_three(z):
    return [*z, z[0] * z[1], z[1] + 2 * z[2], (z[0] + 3) ** 2]


def made_of_two(z):
    return [z[0], z[1], z[0] * z[1], z[0] - z[1], 2 * z[1]]


def made_of_one(z):
    return [z[0], 2 * z[0] - 1, z[0] ** 2, z[0] ** 2 + z[0]]


@pytest.mark.parametrize("make", [made_of_one, made_of_two, made_of_three])
@pytest.mark.parametrize("seed", range(3))
def test_the_smallest_set_is_found_from_nothing(seed, make):
    """Branch and bound alone, without an elimination to begin with, against all sets."""
    rng = np.random.default_rng(seed)
    columns = make(rng.standard_normal((3, 250)))
    n = len(columns)
    X = np.column_stack([columns[i] for i in rng.permutation(n)])
    search = KeptSetSearch(sums_of(X, Polynomial(2)), THRESHOLD, 0.0, Preferences())
    found, complete = search._smallest(range(n))
    enough = [
        set(kept)
        for size in range(1, n)
        for kept in itertools.combinations(range(n), size)
        if search.among(kept).left.max() <= THRESHOLD
    ]
    assert complete
    assert set(found) in enough
    assert len(found) == min(map(len, enough))


def test_penalties_are_looked_for_where_functions_are_many():
    """With 44 functions of 60 rows the sum is not believed; of linear functions it is."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    X[:, 7] = X[:, 0] + X[:, 1] + 0.02 * X[:, 7]
    assert len(selection_of(X, Polynomial(2)).dropped) == 1
    assert selection_of(X, Polynomial(2), alpha=0.0).dropped == ()


@a_property
@given(seeds, st.integers(3, 6))
def test_columns_come_in_the_order_of_what_they_explain_of_all_that_is_left(seed, d):
    """Against explicit regressions, column by column."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, d)) @ rng.standard_normal((d, d))
    left = (X - X.mean(axis=0)) / X.std(axis=0)
    covariance, expected = left.T @ left / 80, []
    for _ in range(d):
        gains = [-1.0] * d
        for j in set(range(d)) - set(expected):
            fit = np.outer(left[:, j], left[:, j] @ left) / (left[:, j] @ left[:, j])
            gains[j] = np.sum(left**2) - np.sum((left - fit) ** 2)
        best = int(np.argmax(gains))
        left = left - np.outer(left[:, best], left[:, best] @ left) / np.sum(left[:, best] ** 2)
        expected.append(best)
    assert forward_order(covariance, range(d), range(d)) == expected


def test_functions_that_are_combinations_of_others_cost_no_rows():
    """Functions without a variable are no more than there are in all, those of copies once."""
    a, b = np.random.default_rng(0).standard_normal((2, 300))
    remaining = Remaining(sums_of(np.column_stack([a, a, a, b]), Polynomial(2)))
    assert remaining.n_functions == 14
    assert remaining.degrees_of_freedom == pytest.approx(5, abs=1e-3)  # a, b, a², ab, b²
    for j in range(4):
        assert remaining.n_functions_without(j) == pytest.approx(5, abs=1e-3)


def test_a_function_that_is_constant_takes_no_part_when_rows_are_left_out():
    """The square of a sign."""
    rng = np.random.default_rng(0)
    sign = np.repeat([-1.0, 1.0], 30)
    rows, _ = centre(np.column_stack([sign, sign + 0.1 * rng.standard_normal(60)]), None, "column")
    squared, plain = (
        leave_one_out(rows, lay_out(rows, family, [0]), [1])
        for family in (Polynomial(2), Polynomial(1))
    )
    np.testing.assert_allclose(squared, plain, rtol=1e-9)


@pytest.mark.parametrize("keep", [0, 1])
def test_checks_that_come_at_the_end_bring_back_what_is_not_believed(keep, monkeypatch):
    """Wherever it stands: one row far out makes two columns look alike."""
    monkeypatch.setattr(_selection, "CHEAP", 0.0)
    X = np.random.default_rng(0).standard_normal((100, 3))
    X[0, :2] = 1e6
    found = selection_of(X, Polynomial(2), preferences=Preferences(keep=[keep]))
    assert found.dropped == ()
    assert found.refused == (1 - keep,)


def test_of_exchanges_the_best_come_first_and_ties_are_decided():
    few, many = (2, 0, 0.0), (3, 0, 0.0)
    found = [
        ((many, -1.0), (0.0, 2, 1), frozenset({1})),
        ((many, -1.0005), (0.0, 5, 0), frozenset({2})),  # hardly less is left: a tie
        ((many, -2.0), (0.0, 9, 0), frozenset({3})),
        ((many, -0.0005), (0.0, 0, 0), frozenset({4})),  # no better than what there is
        ((few, 5.0), (0.0, 9, 9), frozenset({5})),
    ]
    assert list(_best_first(found, (many, 0.0))) == [{5}, {3}, {1}, {2}]


def test_exchanges_that_are_equally_good_keep_what_comes_first():
    a, b = np.random.default_rng(0).standard_normal((2, 300))
    search = KeptSetSearch(
        sums_of(np.column_stack([a, a, a, b]), Polynomial(1)), 1e-3, 0.0, Preferences()
    )
    state = search.among([0, 3])
    assert search._ties(state, gone=2, variable=0) < search._ties(state, gone=1, variable=0)
    assert search._ties(state, gone=2, variable=0) < search._ties(state, gone=2, variable=1)
