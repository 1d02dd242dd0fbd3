"""Residual shares of all variables from one inverse, compared with explicit regressions."""

from __future__ import annotations

import families_by_hand as hand
import numpy as np
import pytest
from elimination_cases import share_left, standardized, sums_of
from hypothesis import given
from property_cases import FAMILIES, a_property, nonlinear_table, seeds

from gramian.core.elimination import _layout_sums as sums_module
from gramian.core.elimination import _remaining as remaining_module
from gramian.core.elimination import collect, eliminate, fit_columns, lay_out, leave_one_out
from gramian.core.elimination._left_out_evidence import Evidence
from gramian.core.elimination._remaining import Remaining
from gramian.core.rows import as_source, centre, open_dask, open_stream
from gramian.families import Custom, Indicator, Legendre, Multilinear, Polynomial


def hypot(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.hypot(u, v)


OTHERS = [
    (Custom([(np.abs, 1), (hypot, 2)]), hand.custom([(np.abs, 1), (hypot, 2)])),
    (Multilinear(None), hand.multilinear(None)),
]
every_family = pytest.mark.parametrize(
    ("family", "by_hand"), FAMILIES + OTHERS, ids=lambda value: repr(value)[:40]
)
every_penalty = pytest.mark.parametrize("alpha", [0.0, 0.01])


def weights_of(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).exponential(size=n)


@every_penalty
@pytest.mark.parametrize("weighted", [False, True])
@every_family
def test_the_residual_share_of_each_variable_equals_that_of_a_regression_on_the_others(
    family, by_hand, weighted, alpha
):
    X = nonlinear_table(0, 4)
    weights = weights_of(1, len(X)) if weighted else None
    Z, w = standardized(X, weights)
    remaining = Remaining(sums_of(X, family, weights), alpha)
    for j in range(4):
        others = [i for i in range(4) if i != j]
        expected = share_left(Z, w, j, others, by_hand, alpha)
        assert remaining.share(j) == pytest.approx(expected, rel=1e-6)
        for missing in others:
            rest = [i for i in others if i != missing]
            expected = share_left(Z, w, j, rest, by_hand, alpha)
            (found,) = remaining.shares_without([j], missing)
            if expected > 1.1 * remaining.share(j):
                assert found == pytest.approx(expected, rel=1e-6)
            else:  # a small loss may be a lower estimate
                assert remaining.share(j) <= found <= expected * (1 + 1e-6)


@every_penalty
@every_family
def test_residual_shares_after_removals_equal_those_of_regressions(family, by_hand, alpha):
    X = nonlinear_table(2, 5)
    Z, w = standardized(X)
    remaining = Remaining(sums_of(X, family), alpha)
    present = [0, 1, 2, 3, 4]
    for gone in (3, 0):
        remaining.remove(gone)
        present.remove(gone)
        removed = remaining.removed
        for j in present:
            others = [i for i in present if i != j]
            expected = share_left(Z, w, j, others, by_hand, alpha)
            assert remaining.share(j) == pytest.approx(expected, rel=1e-6)
            # Residual shares of removed variables if j is also removed.
            without = remaining.left + remaining.losses(j)
            for i, left in zip(removed, without, strict=True):
                expected = share_left(Z, w, i, others, by_hand, alpha)
                assert left == pytest.approx(expected, rel=1e-6)
        for i, left in zip(removed, remaining.left, strict=True):
            expected = share_left(Z, w, i, present, by_hand, alpha)
            assert left == pytest.approx(expected, rel=1e-6)


def test_residual_shares_with_indicators_equal_those_of_regressions():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, (2, 300))
    X = np.column_stack([a, b, (a + b) % 3, rng.integers(0, 2, 300)]).astype(float)
    Z, w = standardized(X)
    remaining = Remaining(sums_of(X, Indicator(2)))
    for j in range(4):
        others = [i for i in range(4) if i != j]
        expected = share_left(Z, w, j, others, hand.indicator(2))
        # Many exact laws: the numeric floor bounds the inverse.
        assert remaining.share(j) == pytest.approx(expected, rel=1e-4, abs=1e-8)


def test_an_infinite_penalty_leaves_linear_functions():
    X = nonlinear_table(4, 4)
    one, other = Remaining(sums_of(X, Polynomial(3)), np.inf), Remaining(sums_of(X, Multilinear(1)))
    assert [one.share(j) for j in range(4)] == pytest.approx([other.share(j) for j in range(4)])


def test_linearly_dependent_functions_add_no_degrees_of_freedom():
    z = np.random.default_rng(5).standard_normal((400, 2))
    X = np.column_stack([z, z[:, 0] + z[:, 1]])
    assert Remaining(sums_of(X, Polynomial(2))).degrees_of_freedom == pytest.approx(5, abs=1e-3)


def test_the_effective_number_of_functions_is_the_trace_of_the_smoother():
    sums = sums_of(nonlinear_table(6, 3), Polynomial(2))
    penalty = np.full(len(sums.gram), 0.1)
    penalty[sums.singles] = 0.0
    expected = np.trace(np.linalg.solve(sums.gram + np.diag(penalty), sums.gram))
    assert Remaining(sums, 0.1).degrees_of_freedom == pytest.approx(expected)


@given(seeds)
@a_property
def test_a_state_after_removals_equals_one_computed_from_scratch(seed):
    X = nonlinear_table(seed, 5)
    sums = sums_of(X, Polynomial(2))
    one, other = Remaining(sums), Remaining(sums, variables=[0, 2, 4])
    one.remove(3)
    one.remove(1)
    for j in (0, 2, 4):
        assert one.share(j) == pytest.approx(other.share(j), rel=1e-6)
    assert sorted(one.left) == pytest.approx(sorted(other.left), rel=1e-6)
    assert one.n_functions == other.n_functions


def test_updates_alone_are_accurate_enough(monkeypatch):
    """If the Gram matrix is too large, H is only updated, never recomputed."""
    z = np.random.default_rng(7).standard_normal((500, 3))
    X = np.column_stack([z, z[:, 0] * z[:, 1], z[:, 1] ** 2, z.sum(axis=1)])
    expected = eliminate(sums_of(X, Polynomial(2)))
    monkeypatch.setattr(remaining_module, "LARGE", 10)
    sums = sums_of(X, Polynomial(2))
    found = eliminate(sums, overwrite=True)
    assert len(found.dropped) == len(expected.dropped) == 3
    assert (found.share_left < 1e-6).all()


def test_sums_do_not_depend_on_the_tiles():
    X = nonlinear_table(8, 5)
    rows, _ = centre(X, None, "column")
    layout = lay_out(rows, Polynomial(2), range(4), [4])
    one, other = collect(rows, layout), collect(rows, layout, tile=3)
    np.testing.assert_allclose(one.gram, other.gram, atol=1e-13)
    values = np.linalg.eigvalsh(one.gram)
    assert values.min() > 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("family", [Polynomial(2), Polynomial(3), Multilinear(2), Multilinear(3)])
def test_shared_moments_equal_matrix_products(family, weighted, monkeypatch):
    X = nonlinear_table(13, 5)
    rows, _ = centre(X, weights_of(14, len(X)) if weighted else None, "column")
    layout = lay_out(rows, family, [4, 1, 0, 3])
    expected = collect(rows, layout, tile=7)
    monkeypatch.setattr(sums_module, "MANY_MULTIPLICATIONS", 0.0)
    monkeypatch.setattr(sums_module.SharedMoments, "pays", lambda *_: True)
    monkeypatch.setattr(sums_module, "TileWork", None)  # is not called
    found = collect(rows, layout, tile=7)
    np.testing.assert_allclose(found.gram, expected.gram, atol=1e-12)


def test_only_monomials_share_moments():
    rows, _ = centre(nonlinear_table(15, 4), None, "column")
    assert lay_out(rows, Polynomial(2), range(4)).monomials is not None
    assert lay_out(rows, Polynomial(2), range(3), [3]).monomials is None
    assert lay_out(rows, Legendre(2), range(4)).monomials is None


def test_constant_functions_are_left_out():
    rng = np.random.default_rng(9)
    X = np.column_stack([np.tile([-1.0, 1.0], 150), rng.standard_normal(300)])
    sums = sums_of(X, Polynomial(2))
    assert len(sums.gram) == Polynomial(2).count(2) - 1
    assert sums.involves[sums.singles].sum() == 2


@every_penalty
@pytest.mark.parametrize("weighted", [False, True])
def test_the_leave_one_out_error_equals_that_of_fits_without_each_row(weighted, alpha):
    X = nonlinear_table(10, 4, 60)
    weights = weights_of(11, 60) if weighted else np.ones(60)
    rows, _ = centre(X, weights, "column")
    found = leave_one_out(
        rows, fit_columns(rows, lay_out(rows, Polynomial(2), [0, 2]), [1, 3], alpha)
    )
    Z, w = standardized(X, weights)
    z0, z2 = Z[:, 0], Z[:, 2]
    F = np.column_stack([np.ones(60), z0, z2, z0**2, z0 * z2, z2**2])
    penalty = np.diag(alpha * (w @ (F - w @ F) ** 2) * [0, 0, 0, 1, 1, 1])
    expected = np.zeros(2)
    for i in range(60):
        rest = np.arange(60) != i
        G = F[rest].T @ (w[rest, np.newaxis] * F[rest]) + penalty
        b = np.linalg.solve(G, F[rest].T @ (w[rest, np.newaxis] * Z[rest][:, [1, 3]]))
        expected += w[i] * (Z[i, [1, 3]] - F[i] @ b) ** 2
    assert found == pytest.approx(expected, rel=1e-6)


def test_generalized_cross_validation_is_infinite_for_as_many_functions_as_rows():
    evidence = Evidence(100, 1e-3)
    assert evidence.on_new_rows(0.0, 99) == np.inf
    assert evidence.on_new_rows(1e-3, 49) == pytest.approx(4e-3)
    assert evidence.margin(1.0) == 0
    assert evidence.margin(0.0) == pytest.approx(np.log(1e6))


def test_sums_of_a_file_and_of_dask_equal_those_of_the_array(tmp_path):
    X = nonlinear_table(12, 4, 3000)
    rows, _ = centre(X, None, "column")
    expected = collect(rows, lay_out(rows, Polynomial(2), range(4)))
    np.save(tmp_path / "x.npy", X)
    source = as_source(tmp_path / "x.npy")
    assert source is not None
    stream, _, _ = open_stream(source, "column", memory_budget=2**18, split=None)
    array = pytest.importorskip("dask.array").from_array(X, chunks=(700, 4))
    dask, _, _ = open_dask(array, None, "column", memory_budget=2**20, split=None)
    for other in (stream, dask):
        layout = lay_out(other, Polynomial(2), range(4))
        np.testing.assert_allclose(collect(other, layout).gram, expected.gram, atol=1e-10)
        left = leave_one_out(
            other, fit_columns(other, lay_out(other, Polynomial(2), [0, 1]), [2, 3])
        )
        assert left == pytest.approx(
            leave_one_out(rows, fit_columns(rows, lay_out(rows, Polynomial(2), [0, 1]), [2, 3])),
            rel=1e-8,
        )
