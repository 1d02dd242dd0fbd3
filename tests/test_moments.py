"""Gram matrices from shared moments equal those of evaluated functions."""

from math import comb

import numpy as np
import pytest

from gramian import GFR, GFS
from gramian.core.orthogonalize import Gram
from gramian.core.rows import centre
from gramian.core.sums import Direction, Halves
from gramian.families import Fourier, Multilinear, Polynomial

FAMILIES = [Multilinear(1), Multilinear(2), Multilinear(3), Multilinear(4)]
FAMILIES += [Polynomial(2), Polynomial(3), Polynomial(4), Polynomial(3, max_variables=2)]


def table(seed, n_rows=900, n_columns=7):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) * np.linspace(2, 1, n_columns)
    X[:, 1] += 0.5 * X[:, 0] ** 2
    return X, rng.random(n_rows)


def gram_blocks(X, weights, family, moments, n_steps):
    """Return the sums of every step, with all functions kept."""
    rows, _ = centre(X, weights, "column")
    gram = Gram(rows, family, moments=moments)
    blocks = []
    plain_sum = gram._sum
    gram._sum = lambda *args: blocks.append(plain_sum(*args)) or _copy(blocks[-1])
    for column in range(n_steps):
        gram.orthogonalize(gram.substitute(Direction(column, 1.0)))
    return blocks


def _copy(sums):
    return type(sums)(sums.gram.copy(), sums.with_x.copy())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_moments_give_the_plain_gram_matrix_to_1e_12(family, weighted):
    X, weights = table(0)
    if not weighted:
        weights = None
    plain = gram_blocks(X, weights, family, False, 5)
    shared = gram_blocks(X, weights, family, True, 5)
    for a, b in zip(plain, shared, strict=True):
        size = np.abs(a.gram).max()
        np.testing.assert_allclose(b.gram, a.gram, rtol=1e-12, atol=1e-12 * size)
        size = np.abs(a.with_x).max()
        np.testing.assert_allclose(b.with_x, a.with_x, rtol=1e-12, atol=1e-12 * size)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_fit_by_moments_equals_a_fit_by_evaluation(family):
    X, weights = table(1, n_rows=2000)
    plain = GFR(4, family=family, solver="gram", alpha=0).fit(X, sample_weight=weights)
    shared = GFR(4, family=family, solver="moments", alpha=0).fit(X, sample_weight=weights)
    assert (plain.solver_, shared.solver_) == ("gram", "moments")
    np.testing.assert_allclose(shared.components_, plain.components_, atol=1e-10)
    np.testing.assert_allclose(shared.residual_variance_, plain.residual_variance_, rtol=1e-9)
    np.testing.assert_array_equal(shared.n_functions_, plain.n_functions_)


def test_functions_dropped_by_one_step_are_left_out_of_the_next():
    rng = np.random.default_rng(2)
    X = rng.choice([-1.0, 1.0], (400, 5)) * np.linspace(2, 1, 5)  # all squares are constant
    plain = GFS(4, family=Polynomial(3), solver="gram", alpha=0, criterion="variance").fit(X)
    shared = GFS(4, family=Polynomial(3), solver="moments", alpha=0, criterion="variance").fit(X)
    assert plain.n_dropped_functions_.sum() > 0
    np.testing.assert_array_equal(shared.n_dropped_functions_, plain.n_dropped_functions_)
    np.testing.assert_allclose(
        shared.total_residual_variance_, plain.total_residual_variance_, atol=1e-12
    )


def test_auto_uses_moments_only_if_they_are_cheaper_than_plain_products():
    X, _ = table(3, n_rows=6000, n_columns=16)
    assert GFS(3, degree=2, alpha=0, criterion="variance").fit(X).solver_ == "gram"
    assert GFS(16, degree=4, alpha=0, criterion="variance").fit(X).solver_ == "moments"


@pytest.mark.parametrize("family", [Fourier(2), Multilinear(None), Multilinear(2) + Fourier(1)])
def test_moments_refuse_families_other_than_monomials_of_bounded_degree(family):
    X, _ = table(4)
    with pytest.raises(ValueError, match=r"needs a family of monomials.*Use solver='gram'"):
        GFS(2, family=family, solver="moments", alpha=0, criterion="variance").fit(X)


@pytest.mark.parametrize("max_exponent", [None, 2])
def test_halves_are_all_sorted_tuples_in_order_of_their_last_symbol(max_exponent):
    halves = Halves(5, 0, 4, max_exponent)
    for length, tuples in enumerate(halves.tuples):
        rows = [tuple(row) for row in tuples.tolist()]
        assert len(set(rows)) == len(rows)
        assert all(list(row) == sorted(row) for row in rows)
        assert rows == sorted(rows, key=lambda row: row[::-1])
        np.testing.assert_array_equal(halves.find(tuples), np.arange(len(rows)))
        if max_exponent is not None:
            assert all(row.count(s) <= max_exponent for row in rows for s in range(1, 5))
        else:
            assert len(rows) == comb(4 + length, length)
