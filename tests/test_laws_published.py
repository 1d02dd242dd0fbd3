"""Laws of published tables: rounded, stored in single precision, sorted, with flags."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.formulas._notation import MINUS
from gramian.laws.columns import precision_of


def laws_of(columns):
    return {
        str(each) for each in gramian.relations(pd.DataFrame(columns, dtype=float), tolerance=0)
    }


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(
    "store",
    [
        lambda x: np.round(x, 2),
        lambda x: np.rint(x * 100) * 0.01,  # 1.15 becomes 1.1500000000000001
        lambda x: np.round(x, 2).astype(np.float32),
    ],
    ids=["decimals", "computed decimals", "single precision"],
)
def test_two_decimals_are_recognized_in_every_storage(rng, store):
    poor, people = rng.integers(100, 5_000, 300), rng.integers(5_000, 90_000, 300)
    share = store(100 * poor / people).astype(float)
    precision = precision_of(share)
    assert precision.decimals == 2
    np.testing.assert_allclose(precision.half_unit(share), 0.005)
    assert laws_of({"poor": poor, "people": people, "share": share}) == {
        "share = 100 · poor / people"
    }


def test_numbers_of_single_precision_are_not_taken_for_decimals(rng):
    x = rng.lognormal(5, 1, 200).astype(np.float32).astype(float)
    precision = precision_of(x)
    np.testing.assert_allclose(precision.half_unit(x), 2.0**-24 * x)


@pytest.mark.parametrize("digits", [6, 7])
def test_digits_are_recognized_in_single_precision(rng, digits):
    income = 100 * rng.integers(90, 600, 300)
    lincome = np.array([float(f"{each:.{digits}g}") for each in np.log(income)])
    stored = lincome.astype(np.float32)
    assert precision_of(stored.astype(float)).digits == digits
    assert laws_of({"income": income, "lincome": stored}) == {"lincome = log(income)"}


def test_laws_are_found_if_columns_were_stored_in_single_precision_afterwards(rng):
    rate = np.round(rng.uniform(0.8, 1.3, 300), 3)
    lrate = np.log(rate)  # near 0, where single precision is finer than the digits of the rate
    columns = {"rate": rate.astype(np.float32), "lrate": lrate.astype(np.float32)}
    table = pd.DataFrame(columns, dtype=float)
    (law,) = gramian.relations(table, tolerance=0)
    assert str(law) == "lrate = log(rate)"
    assert str(law.solve_for("lrate")) == "lrate = log(rate)"


def test_units_with_adjacent_numbers_and_a_common_property_are_no_interval(rng):
    unit, year = np.repeat(np.arange(1, 22), 5), np.tile(np.arange(1990, 1995), 21)
    table = {"unit": unit, "year": year, "south": (unit == 8) | (unit == 9), "y92": year == 1992}
    table |= {"size": rng.lognormal(5, 1, 105)}
    assert laws_of(table) == {"y92 = [year = 1992]"}


def test_a_threshold_is_the_roundest_number_that_the_rows_allow(rng):
    rank = np.setdiff1d(np.arange(1, 200), [10, 25, 26])
    people = rng.choice(np.setdiff1d(np.arange(1_000, 90_000), np.arange(19_880, 20_100)), 196)
    found = laws_of(
        {
            "rank": rank,
            "top10": rank <= 10,
            "top25": rank <= 25,
            "people": people,
            "large": people > 20_000,
        }
    )
    assert found == {"top10 = [rank ≤ 10]", "top25 = [rank ≤ 25]", "large = [people > 20000]"}


@pytest.mark.parametrize("first", ["a", "b"])
def test_a_share_of_either_part_is_found(rng, first):
    a, b = rng.lognormal(5, 1, (2, 300)).round(3)
    share = np.round(100 * (a if first == "a" else b) / (a + b), 3)
    (law,) = gramian.relations(np.column_stack([a, b, share]), ["a", "b", "share"], tolerance=0)
    assert str(law) == f"share = 100 · {first} / (a + b)"


def test_a_rate_is_a_ratio_even_beside_logarithms_of_all_columns(rng):
    crimes, people = rng.integers(200, 4_000, 300), rng.integers(5_000, 90_000, 300)
    rate = np.round(1000 * crimes / people, 4)
    columns = {"lcrimes": np.log(crimes), "crimes": crimes, "people": people, "rate": rate}
    columns |= {"lpeople": np.log(people), "lrate": np.log(1000 * crimes / people)}
    assert laws_of({name: np.round(each, 4) for name, each in columns.items()}) == {
        "lcrimes = log(crimes)",
        "lpeople = log(people)",
        "lrate = log(rate)",
        "rate = 1000 · crimes / people",
    }


def test_growth_is_found_as_a_difference_of_rounded_logarithms(rng):
    before = rng.integers(200, 4_000, 300)
    now = np.rint(before * rng.lognormal(0, 0.2, 300))
    growth = np.round(np.round(np.log(now), 4) - np.round(np.log(before), 4), 4)
    assert np.abs(growth - np.log(now / before)).max() > 0.9e-4  # twice the error of one rounding
    assert laws_of({"now": now, "before": before, "growth": growth}) == {
        f"growth = log(now) {MINUS} log(before)"
    }


def test_flags_add_up_to_one_even_if_one_of_them_is_rare(rng):
    judges = np.random.default_rng(0).permutation(120)[:30]  # a quarter of the rows
    place = rng.integers(0, 6, 120)
    place[np.setdiff1d(np.arange(120), judges)[:6]] = 6
    columns = {f"occ{i}": place == i for i in range(7)}
    columns |= {f"z{i}": rng.normal(size=120) for i in range(4)}
    (law,) = laws_of(columns)
    assert law == "occ0 + occ1 + occ2 + occ3 + occ4 + occ5 + occ6 = 1"
