"""Choices of the elimination: the first column to drop, penalties, exchanges and proofs."""

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
    fit_columns,
    lay_out,
    leave_one_out,
)
from gramian.core.elimination._backward_elimination import Eliminator, largest
from gramian.core.elimination._exchange import _best_first
from gramian.core.elimination._remaining import Remaining
from gramian.core.elimination._selection import forward_order
from gramian.core.rows import centre
from gramian.families import Multilinear, Polynomial

THRESHOLD = 1e-3


def dropped_first(X, family=None, **preferences):
    sums = sums_of(X, family or Polynomial(2))
    return eliminate(sums, THRESHOLD, preferences=Preferences(**preferences)).dropped[0]


def test_between_two_equivalent_columns_the_one_that_explains_a_third_is_kept():
    rng = np.random.default_rng(0)
    a, noise = rng.standard_normal((2, 400))
    near = a + 0.02 * noise
    X = np.column_stack([near, a**2, a])  # both residual shares are about equal
    assert dropped_first(X, priority=[0, 1, 0]) == 0
    assert dropped_first(X[:, ::-1], priority=[0, 1, 0]) == 2


def test_among_exactly_redundant_columns_the_most_correlated_is_dropped_first():
    a, b = np.random.default_rng(0).standard_normal((2, 400))
    X = np.column_stack([a + b, b, a])
    assert dropped_first(X, Multilinear(1), priority=[0, 1, 0]) == 0
    assert dropped_first(X[:, ::-1], Multilinear(1), priority=[0, 1, 0]) == 2


def test_among_equal_columns_the_last_one_or_the_last_by_order_is_dropped_first():
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
def test_branch_and_bound_alone_finds_the_smallest_set(seed, make):
    """Branch and bound without a preceding elimination, compared with all sets."""
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


def test_a_penalty_is_searched_if_functions_are_many():
    """A sum is refused with 44 functions on 60 rows, and accepted with linear functions."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    X[:, 7] = X[:, 0] + X[:, 1] + 0.02 * X[:, 7]
    assert len(selection_of(X, Polynomial(2)).dropped) == 1
    assert selection_of(X, Polynomial(2), alpha=0.0).dropped == ()


@a_property
@given(seeds, st.integers(3, 6))
def test_columns_are_ordered_by_the_residual_variance_that_they_explain(seed, d):
    """Reference: explicit regressions, column by column."""
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


def test_dependent_functions_do_not_count_as_degrees_of_freedom():
    """Functions of copies count once, and dropping a variable does not raise the count."""
    a, b = np.random.default_rng(0).standard_normal((2, 300))
    remaining = Remaining(sums_of(np.column_stack([a, a, a, b]), Polynomial(2)))
    assert remaining.n_functions == 14
    assert remaining.degrees_of_freedom == pytest.approx(5, abs=1e-3)  # a, b, a², ab, b²
    for j in range(4):
        assert remaining.n_functions_without(j) == pytest.approx(5, abs=1e-3)


def test_a_constant_function_does_not_change_the_leave_one_out_error():
    """Example: the square of a column of signs."""
    rng = np.random.default_rng(0)
    sign = np.repeat([-1.0, 1.0], 30)
    rows, _ = centre(np.column_stack([sign, sign + 0.1 * rng.standard_normal(60)]), None, "column")
    squared, plain = (
        leave_one_out(rows, fit_columns(rows, lay_out(rows, family, [0]), [1]))
        for family in (Polynomial(2), Polynomial(1))
    )
    np.testing.assert_allclose(squared, plain, rtol=1e-9)


@pytest.mark.parametrize("keep", [0, 1])
def test_final_checks_restore_a_column_without_evidence(keep, monkeypatch):
    """One outlying row makes two columns, in any order, look equal."""
    monkeypatch.setattr(_selection, "CHEAP", 0.0)
    X = np.random.default_rng(0).standard_normal((100, 3))
    X[0, :2] = 1e6
    found = selection_of(X, Polynomial(2), preferences=Preferences(keep=[keep]))
    assert found.dropped == ()
    assert found.refused == (1 - keep,)


def test_exchanges_are_ordered_by_quality_and_ties_by_preference():
    few, many = (2, 0, 0.0), (3, 0, 0.0)
    found = [
        ((many, -1.0), (0.0, 2, 1), frozenset({1})),
        ((many, -1.0005), (0.0, 5, 0), frozenset({2})),  # hardly better: a tie
        ((many, -2.0), (0.0, 9, 0), frozenset({3})),
        ((many, -0.0005), (0.0, 0, 0), frozenset({4})),  # not better than the current set
        ((few, 5.0), (0.0, 9, 9), frozenset({5})),
    ]
    assert list(_best_first(found, (many, 0.0))) == [{5}, {3}, {1}, {2}]


def test_equally_good_exchanges_keep_the_earlier_column():
    a, b = np.random.default_rng(0).standard_normal((2, 300))
    search = KeptSetSearch(
        sums_of(np.column_stack([a, a, a, b]), Polynomial(1)), 1e-3, 0.0, Preferences()
    )
    state = search.among([0, 3])
    assert search._ties(state, gone=2, variable=0) < search._ties(state, gone=1, variable=0)
    assert search._ties(state, gone=2, variable=0) < search._ties(state, gone=2, variable=1)


@pytest.mark.parametrize("seed", range(8))
def test_earlier_sums_of_margins_hide_no_variable_that_is_as_good(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((400, 3))
    almost = z[:, 1] ** 2 + 0.02 * rng.standard_normal(400)
    sums = z[:, :2] + z[:, 2:]
    table = np.column_stack([z, 2 * z[:, :2], sums, almost])
    chosen = Eliminator._most_remains

    def most_remains(self, free):
        found = chosen(self, free)
        assert {*found} == {*largest(free, [self._remains(j) for j in free])}
        return found

    monkeypatch.setattr(Eliminator, "_most_remains", most_remains)
    dropped = eliminate(sums_of(table, Polynomial(3, max_variables=1))).dropped
    assert {3, 4} <= {*dropped}  # copies of columns 0 and 1


@pytest.mark.parametrize("seed", range(8))
def test_of_two_columns_that_nearly_tell_each_other_the_coarser_one_is_dropped(seed):
    rng = np.random.default_rng(seed)
    seconds = rng.integers(100, 9999, 200)
    X = np.column_stack([seconds, seconds // 60, rng.standard_normal(200)]).astype(float)
    assert selection_of(X, Polynomial(2)).dropped == (1,)
