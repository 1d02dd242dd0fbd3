"""Laws of whole numbers: ids with many digits, thresholds in all rows, factors that are zero."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian
from gramian.laws.forms import Law


@pytest.mark.parametrize("digits", [9, 11, 13, 15])
def test_ids_that_differ_by_little_are_not_equal(digits):
    rng = np.random.default_rng(digits)
    number = 10**digits + rng.integers(0, 10 ** (digits - 1), 300)
    table = pd.DataFrame({"id": number, "next": number + rng.integers(0, 20, 300)})
    assert not any(each.exact for each in gramian.relations(table))


@pytest.mark.parametrize("digits", [9, 10, 11, 12, 13])
def test_a_sum_of_ids_is_solved_to_the_last_digit(digits):
    rng = np.random.default_rng(digits)
    number = 10**digits + rng.integers(0, 10 ** (digits - 1), 300)
    table = pd.DataFrame({"id": number, "odd": 2 * number + 1})
    for law in gramian.relations(table):
        assert law.exact
        if law.solved is not None:
            computed = np.rint(law.solved(table))
            np.testing.assert_array_equal(computed, table[law.solved.column])


@pytest.mark.parametrize("n_rows", [5_000, 20_000])
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_the_printed_threshold_separates_all_rows(n_rows, seed):
    rng = np.random.default_rng(seed)
    x, e = rng.integers(0, 100_000, n_rows), rng.standard_normal(n_rows)
    y = (x > rng.integers(20_000, 80_000)).astype(int)
    (law,) = gramian.relations(pd.DataFrame({"x": x, "y": y, "e": e}))
    sign, threshold = re.fullmatch(r"y = \[x (>|≥) (\d+)\]", str(law)).groups()
    above = x > float(threshold) if sign == ">" else x >= float(threshold)
    np.testing.assert_array_equal(y, above)
    assert law.exact
    assert law.n_rows == n_rows


def test_one_wrong_cell_of_a_large_table_is_an_exception_of_a_threshold():
    rng = np.random.default_rng(0)
    x, e = rng.integers(0, 100_000, 20_000), rng.standard_normal(20_000)
    y = (x > 50_000).astype(int)
    far = np.flatnonzero(x < 10_000)[7]
    y[far] = 1
    (law,) = gramian.relations(pd.DataFrame({"x": x, "y": y, "e": e}))
    assert law.n_exceptions <= 20
    assert not law.exact


def test_a_constant_times_a_factor_is_no_law():
    rng = np.random.default_rng(0)
    x = rng.uniform(7, 9, 70).round(2)
    rank = np.ones(70)
    x[:15], rank[:15] = 8.24, rng.integers(2, 19, 15)
    found = gramian.relations(pd.DataFrame({"rank": rank, "x": x}))
    for law in found:
        _, right = str(law).split(" = ")
        numerator, _, denominator = right.partition(" / ")
        assert numerator != denominator


def test_numbers_of_regions_have_no_long_laws():
    rng = np.random.default_rng(0)
    regions = rng.integers(0, 1000, (25, 6))
    table = np.column_stack([regions[rng.integers(0, 25, 500)], rng.standard_normal(500)])
    for law in gramian.relations(table):
        assert len(law.columns) == 2  # a lookup, which is true in this table


def test_three_rows_that_are_repeated_are_three_rows():
    rng = np.random.default_rng(4)
    rows = np.exp(rng.standard_normal((40, 6)))
    table = np.concatenate([rows, np.repeat(rows[:3], 250, axis=0)])
    assert not len(gramian.relations(table))


def test_the_square_root_of_a_column_is_no_sum_of_columns():
    root, other = ((0, "x"), Fraction(1, 2)), ((1, "x"), Fraction(1, 2))
    for monomials in (((root,), ()), ((root, other), ()), ((((0, "x"), -1),), ())):
        assert not Law(np.array([1.0, -2.0]), monomials).is_linear
    assert Law(np.array([1.0, -2.0, 3.0]), ((((0, "x"), 1),), (((1, "x"), 1),), ())).is_linear


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_roots_and_percentages_of_whole_numbers_have_laws(seed):
    p = np.random.default_rng(seed).integers(100, 9999, 400)
    table = {"root": np.round(np.sqrt(p)).astype(int), "cents": np.round(p * 0.0725, 2), "p": p}
    laws = gramian.relations(table)
    assert {frozenset(law.columns) for law in laws} >= {frozenset({"cents", "p"})}
    assert "cents" in gramian.select(pd.DataFrame(table)).dropped


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_table_of_whole_numbers_and_their_roots_shares_and_floors_is_searched(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 120))
    p, q = rng.integers(1, int(rng.choice([10, 100, 10_000])), n), rng.integers(-5, 50, n)
    made = {
        "root": np.round(np.sqrt(p)),
        "rate": np.round(0.0725 * p, 2),
        "floor": p // int(rng.integers(2, 60)),
        "share": np.round(100 * p / p.sum(), 1),
        "sum": p + q,
        "product": p * q,
        "large": p > 20,
    }
    some = rng.choice([*made], 3, replace=False).tolist()
    found = gramian.relations({"p": p, "q": q, **{name: made[name] for name in some}})
    assert all(law.n_exceptions < law.n_rows for law in found)
