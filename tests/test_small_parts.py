"""Small parts of the numeric rooms: limiting cases that whole fits rarely reach."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property, seeds

from gramian import GFS
from gramian.core.elimination._backward_elimination import largest
from gramian.core.elimination._left_out_evidence import LEAST_SPARE_ROWS, Evidence
from gramian.core.orthogonalize import _gram, cholesky_columns
from gramian.core.pursuit import _decoder
from gramian.core.pursuit._choosers import LargestOriginal, LargestResidual
from gramian.core.pursuit._pursuit import Limits, Trace, pursue
from gramian.core.pursuit._validation import HeldOut, least
from gramian.core.rows import RowBlock, centre
from gramian.core.sums import (
    Direction,
    GrowingRows,
    VariableValues,
    distinct_levels,
    out_of_range,
    scaled,
)
from gramian.core.sums._moment_table import MAX_TILE, MIN_TILE, _tiles
from gramian.families import Custom, Fourier, Polynomial

# Choice of the penalty, and stalled held-out residuals


@pytest.mark.parametrize(
    ("totals", "chosen"),
    [
        ([2.0, 1.0, 3.0], 1),
        ([1 + 5e-10, 1.0], 0),  # the difference is below one in a billion
        ([1 + 5e-9, 1.0], 1),
        ([5e-13, 0.0], 0),  # both are zero relative to 1
        ([5e-12, 0.0], 1),
        ([np.inf, 4.0], 1),
    ],
)
def test_the_first_of_equally_good_penalties_is_chosen(totals, chosen):
    assert least(np.array(totals), 1.0) == chosen
    assert least(100 * np.array(totals), 100.0) == chosen  # in other units


@pytest.mark.parametrize(
    ("totals", "patience", "tolerance", "stalled"),
    [
        ([8.0, 4.0], 2, 0.0, False),  # too few steps to decide
        ([8.0, 4.0, 4.0], 1, 0.0, True),  # an equal total is no gain
        ([8.0, 4.0, 3.9], 1, 0.0, False),
        ([8.0, 4.0, 3.0], 1, 0.125, True),  # an eighth of 8
        ([8.0, 4.0, 2.9], 1, 0.125, False),
        ([8.0, 4.0, 5.0, 3.0], 2, 0.0, False),  # gain in one of the last two steps
        ([8.0, 4.0, 5.0, 6.0], 2, 0.0, True),
        ([8.0, 2.0, 4.0, 3.0, 3.5], 3, 0.0, True),  # the best step is too long ago
    ],
)
def test_held_out_rows_stall_after_some_steps_without_gain(totals, patience, tolerance, stalled):
    held_out = HeldOut(RowBlock(np.ones((2, 1)), np.full(2, np.sqrt(0.5))), 1.0)
    held_out.total = totals
    assert held_out.stalled(patience, tolerance) == stalled


def test_the_explained_share_of_zero_variance_is_one():
    assert Trace([0.0], [0.0]).explained == 1.0
    assert Trace([2.0], [4.0, 1.0]).explained == 0.75
    assert Trace([0.2], [0.5, 0.25]).explained == 0.5


def test_a_requested_share_counts_as_reached_at_equality():
    chooser = SimpleNamespace(largest=1.0, total=4.0)
    assert pursue(chooser, None, Limits(explained=0.0)).stop_reason == "explained_variance"


@pytest.mark.parametrize(("most", "n_selected"), [(5, 2), (6, 3), (3, 2), (2, 1)])
def test_the_limit_of_functions_itself_is_allowed(most, n_selected):
    """Variables add one, two and three functions: themselves and products with earlier ones."""
    X = np.random.default_rng(0).standard_normal((60, 3))
    fitted = GFS(3, degree=2, alpha=0, criterion="variance", max_functions=most).fit(X)
    assert len(fitted.selected_features_) == n_selected
    assert fitted.stop_reason_ == ("max_functions" if n_selected < 3 else "n_features_to_select")


# Choosers


def chosen_by(chooser, coefficients, n_steps):
    """Choose `n_steps` times; each step's functions explain `coefficients`**2 of the columns."""
    for _ in range(n_steps):
        if not isinstance(chooser.choose(1e-12), Direction):
            break
        chooser.subtract([np.atleast_2d(coefficients)])
    return chooser.chosen


def test_columns_after_the_prescribed_ones_are_chosen_by_rank():
    every = np.ones(3, dtype=bool)
    chooser = LargestResidual(np.array([1.0, 2.0, 3.0]), every, None, False, prescribed=[0])
    assert chosen_by(chooser, np.zeros(3), 3) == [0, 2, 1]


def test_unchosen_columns_with_residuals_below_the_threshold_are_redundant():
    variances, every = np.array([4.0, 3.0, 2.0, 1.0]), np.ones(4, dtype=bool)
    every[3] = False  # constant
    for kind, at_threshold in ((LargestOriginal, [0, 1]), (LargestResidual, [0])):
        chooser = kind(variances, every, 2.25, False)
        explained = np.array([1.0, 0.5, 0.75, 0.0])  # residual of the second: 3 * (1 - 0.5**2)
        assert chosen_by(chooser, explained, 1) == [0]
        assert chooser.redundant.tolist() == ([2, 3] if kind is LargestOriginal else [1, 2, 3])
        assert chosen_by(chooser, np.zeros(4), 3) == at_threshold
    chooser = LargestOriginal(variances, every, 0.75, True)  # relative threshold
    assert chosen_by(chooser, explained, 1) == [0]
    assert chooser.redundant.tolist() == [2, 3]


def test_without_a_threshold_only_columns_with_zero_residual_are_redundant():
    chooser = LargestResidual(np.ones(3), np.ones(3, dtype=bool), None, False)
    assert chosen_by(chooser, [1.0, 0.9, 1.0], 1) == [0]
    assert chooser.redundant.tolist() == [2]
    chooser.vanish()
    assert (chooser.largest, chooser.total) == (0.0, 0.0)
    assert chooser.choose(0.0) == "exhausted"


# Functions: scale, values and independence


@a_property
@given(seeds, st.floats(-280, 280))
def test_functions_are_scaled_by_powers_of_two_to_values_below_one(seed, power):
    x = np.random.default_rng(seed).standard_normal((50, 1))
    rows, _ = centre(x, None, "column")
    block = Custom([(lambda z: 10.0**power * z**2, 1)]).expand().grow(lambda limit: np.empty(0))
    (call,) = scaled(rows, [Direction(0, 1.0)], block.calls)
    z = (x[:, 0] - x.mean()) / x.std()
    assert 0.5 <= np.abs(call([z])).max() < 1
    assert np.frexp(call.scale)[0] == 0.5
    np.testing.assert_allclose(call([z]) / call.scale, 10.0**power * z**2, rtol=1e-12)


def test_second_moments_that_lose_digits_are_out_of_range():
    squares = np.array([0.0, 1e-251, 1e-249, 1.0, 1e249, 1e251, np.inf, np.nan])
    assert out_of_range(squares).tolist() == [True, True, False, False, False, True, True, True]


def test_levels_that_differ_by_rounding_count_as_one():
    values = np.array([2.0, 1.0, 1.0 + 5e-10, 1.0 + 5e-9, -3.0, 2.0])
    np.testing.assert_array_equal(distinct_levels(values), [-3.0, 1.0, 1.0 + 5e-9, 2.0])
    assert len(distinct_levels(np.empty(0))) == 0


@a_property
@given(seeds, st.lists(st.integers(0, 9), max_size=8))
def test_a_growing_matrix_keeps_its_rows(seed, sizes):
    rng = np.random.default_rng(seed)
    rows = [rng.standard_normal(3)]
    grown = GrowingRows(rows[0])
    for size in sizes:
        new = rng.standard_normal((size, 3))
        grown.append(new)
        rows = np.vstack([rows, new])
    np.testing.assert_array_equal(grown.view, rows)
    assert grown.view.nbytes <= grown.n_bytes <= 1.5 * grown.view.nbytes
    grown.truncate(1)
    np.testing.assert_array_equal(grown.view, rows[:1])
    grown.restart(np.arange(5.0))
    np.testing.assert_array_equal(grown.view, [np.arange(5.0)])


@a_property
@given(seeds, st.integers(1, 6), st.integers(0, 4))
def test_pivoted_cholesky_reproduces_a_matrix_up_to_the_tolerance(seed, n, rank):
    factor = np.random.default_rng(seed).standard_normal((n, min(rank, n)))
    a = factor @ factor.T
    lower, order = cholesky_columns(np.tril(a), 1e-9)
    assert sorted(order) == list(range(n))
    assert lower.shape == (n, min(rank, n))
    np.testing.assert_allclose(lower @ lower.T, a[np.ix_(order, order)], rtol=0, atol=1e-9)
    assert (np.triu(lower, 1) == 0).all()
    pivots = lower.diagonal() ** 2
    assert (pivots > 1e-9).all()


def test_a_pivot_equal_to_the_tolerance_is_dropped():
    assert cholesky_columns(np.diag([0.5, 0.5]), 0.5)[0].shape == (2, 0)
    assert cholesky_columns(np.diag([0.5, 0.6]), 0.5)[0].shape == (2, 1)


@pytest.mark.parametrize("budget", [0, 8 * 2 * 20, 10**6])
@pytest.mark.parametrize("along", ["columns", "vectors"])
def test_cached_and_recomputed_variables_are_equal(along, budget):
    rng = np.random.default_rng(0)
    rows, _ = centre(rng.standard_normal((20, 4)), rng.uniform(1, 2, 20), "column")
    axes = range(4) if along == "columns" else rng.standard_normal((4, 4))
    directions = [Direction(axis, i + 0.5) for i, axis in enumerate(axes)]
    variables = VariableValues(20, budget)
    x = rows.x / rows.root[:, np.newaxis]
    expected = [np.ones(20)]
    for n, axis in enumerate(axes):
        column = x[:, axis] if along == "columns" else x @ axis
        expected.append(column / (n + 0.5))
        found = variables.on(0, rows.whole, directions[: n + 1])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
        assert bool(variables._kept) == (8 * (n + 1) * 20 <= budget)
    np.testing.assert_array_equal(variables.on(0, rows.whole, directions), found)


@a_property
@given(st.lists(st.integers(0, 600), min_size=1, max_size=8).filter(any), seeds)
def test_tiles_cover_all_columns_once_and_have_the_rows_they_need(groups, seed):
    """Columns that end in a symbol need the rows of its prefix, or of an earlier, longer prefix."""
    prefixes = np.sort(np.random.default_rng(seed).integers(1, 50, len(groups)))[::-1].tolist()
    tiles = _tiles(groups, prefixes)
    done, start = [], 0
    for tile in tiles:
        assert tile.width <= MAX_TILE
        assert tile.start == start
        start += tile.prefix * tile.width
        assert tile.prefix == prefixes[tile.parts[0][0]]
        assert tile.prefix >= max(prefixes[symbol] for symbol, _, _ in tile.parts)
        columns = [i for _, _, those in tile.parts for i in range(tile.width)[those]]
        assert columns == list(range(tile.width))
        for symbol, parents, those in tile.parts:
            assert parents.stop - parents.start == those.stop - those.start
            done += [(symbol, i) for i in range(groups[symbol])[parents]]
    assert done == [(symbol, i) for symbol, n in enumerate(groups) for i in range(n)]
    assert all(tile.width >= MIN_TILE for tile in tiles[:-1])


@pytest.mark.parametrize(("n_rows", "n_new"), [(12, 11), (11, 1)])
def test_penalized_functions_take_part_up_to_the_number_of_rows(n_rows, n_new, monkeypatch):
    monkeypatch.setattr(_gram, "MIN_SHRUNK", 1)
    x = np.random.default_rng(0).standard_normal((n_rows, 1))
    rows, _ = centre(x, None, "column")
    gram = _gram.Gram(rows, Polynomial(11), alphas=(0.1,))  # twelve functions, with the constant
    assert gram.orthogonalize(gram.substitute(Direction(0, 1.0))).n_kept == n_new


def test_a_penalized_fit_keeps_functions_that_a_saturated_plain_fit_drops(monkeypatch):
    """Without a penalty, no more functions than rows are independent, and pieces end there."""
    monkeypatch.setattr(_gram, "MIN_PIECE", 1)
    rows, _ = centre(np.random.default_rng(0).uniform(-1, 1, (8, 1)), None, "column")
    gram = _gram.Gram(rows, Fourier(10), alphas=(0.0, 0.1))
    block = gram.substitute(Direction(0, 1.0))
    plain, penalized = gram.orthogonalize(block).extensions
    assert len(plain.pivots) == 7
    assert sorted(penalized.pivots) == list(range(block.n_functions))


@pytest.mark.parametrize("solver", ["qr", "gram"])
def test_moments_are_stored_up_to_the_limit_of_functions(solver, monkeypatch):
    X = np.random.default_rng(0).standard_normal((50, 3))
    for most, kept in ((7, True), (6, False)):  # the constant, three variables, three products
        monkeypatch.setattr(_decoder, "MAX_MOMENTS", most)
        fitted = GFS(3, degree=2, alpha=0, criterion="variance", solver=solver).fit(X)
        assert (fitted.model_.decoder.moments is not None) == kept


# Evidence


def test_estimates_for_new_rows_grow_as_spare_rows_become_fewer():
    evidence = Evidence(105.0, 0.01)
    assert evidence.inflation(0) == pytest.approx((105 / 104) ** 2)
    assert evidence.inflation(54) == pytest.approx((105 / 50) ** 2)
    assert evidence.inflation(105 - 1 - LEAST_SPARE_ROWS) == pytest.approx(
        (105 / LEAST_SPARE_ROWS) ** 2
    )
    assert np.isinf(evidence.inflation(105 - LEAST_SPARE_ROWS))
    assert np.isinf(evidence.on_new_rows(0.0, 105 - LEAST_SPARE_ROWS))
    assert evidence.on_new_rows(0.5, 54) == pytest.approx(0.5 * (105 / 50) ** 2)


def test_a_margin_is_the_logarithm_of_threshold_over_share():
    evidence = Evidence(100.0, 0.01)
    found = evidence.margin(np.array([0.02, 0.01, 0.001, 1e-9, 0.0]))
    np.testing.assert_allclose(found, np.log([1, 1, 10, 1e7, 1e7]), atol=1e-12)
    assert Evidence(100.0, 1e-12).margin(1e-13) == 0  # a threshold below all rounding errors


def test_all_values_equal_to_the_largest_up_to_rounding_are_found():
    assert largest([3, 5, 7], [1.0, 1.0 - 5e-7, 1.0 - 5e-6]) == [3, 5]
    assert largest([3, 5], [100.0, 100.0 - 5e-5]) == [3, 5]  # relative to large ones
    assert largest([3, 5], [100.0, 100.0 - 5e-4]) == [3]
    assert largest([3, 5], [0.0, -5e-6]) == [3]
