"""Which column goes first, where several may, and when penalties and proofs are looked for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from elimination_cases import selection_of, sums_of

from gramian.elimination import Preferences, Search, eliminate
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
    search = Search(sums_of(X, Polynomial(2)), THRESHOLD, 0.0, Preferences())
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
