"""Factors of laws among rounded columns: few digits, which give every cell, as a person writes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import gramian


@pytest.mark.parametrize("n_rows", [40, 300, 2000])
@pytest.mark.parametrize("seed", range(3))
def test_a_conversion_to_whole_numbers_gives_every_cell(seed, n_rows):
    rng = np.random.default_rng(seed)
    km = rng.uniform(50, 2000, n_rows).round(1)
    table = pd.DataFrame(
        {"km": km, "nmi": (km * 0.539957).round(), "load": rng.integers(1, 30, n_rows)}
    )
    (law,) = gramian.relations(table)
    assert law.exact
    assert law.solved.column == "nmi"
    np.testing.assert_array_equal(law(table).round(), table["nmi"])


@pytest.mark.parametrize("seed", range(4))
def test_degrees_of_a_narrow_range_have_their_round_numbers(seed):
    rng = np.random.default_rng(seed)
    celsius = rng.uniform(35, 41, 60).round(1)
    table = {"temp_c": celsius, "temp_f": (1.8 * celsius + 32).round(1)}
    assert str(gramian.relations(table)) == "temp_f = 1.8 · temp_c + 32"


def test_parts_of_a_unit_are_fractions():
    rng = np.random.default_rng(0)
    seconds, days = rng.integers(100, 90_000, (2, 400))
    hours, years = (seconds / 36_000).round(4), days / 365
    table = {"s": seconds, "h": hours, "d": days, "y": years}
    assert {*map(str, gramian.relations(table))} == {"h = 1/36000 · s", "y = 1/365 · d"}


@pytest.mark.parametrize("seed", range(3))
def test_a_root_of_a_product_is_written_as_one(seed):
    rng = np.random.default_rng(seed)
    mass, height = rng.uniform(45, 120, 1500).round(1), rng.integers(150, 200, 1500)
    table = {
        "mass": mass,
        "height": height,
        "bmi": (mass / (height / 100) ** 2).round(1),
        "bsa": np.sqrt(mass * height / 3600).round(2),
    }
    found = {*map(str, gramian.relations(table))}
    assert found == {"bmi = 10000 · mass / height²", "bsa = 1/60 · √mass · √height"}


def test_an_equation_holds_in_its_own_rows():
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 400)
    table = {"x": np.cos(angle).round(3), "y": np.sin(angle).round(3)}
    found = gramian.relations(table)
    assert len(found) == 1
    assert found[0].solved is None
    assert found.check(table).ok
    table["x"][5] += 0.5
    assert found.check(table).rows.tolist() == [5]


@pytest.mark.parametrize("n_rows", [3_000, 20_000, 30_000])
@pytest.mark.parametrize("kind", ["sum", "product"])
def test_one_cell_that_is_off_by_a_cent_is_an_exception(n_rows, kind):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 900, (2, n_rows)).round(2)
    y = (a + b if kind == "sum" else a * b).round(2)
    y[n_rows // 2] += 0.01
    table = pd.DataFrame({"a": a, "b": b, "y": y})
    found = gramian.relations(table)
    assert [each.n_exceptions for each in found] == [1]
    assert found.check(table).rows.tolist() == [n_rows // 2]
    selection = gramian.select(table)
    assert not selection.dropped
    assert "exceptions" in {each.kind for each in selection.cautions}


def test_the_largest_value_of_a_column_is_no_upper_limit():
    rng = np.random.default_rng(2)
    celsius = rng.uniform(35, 41, 150).round(1)
    fahrenheit = (1.8 * celsius + 32).round(1)
    wrong = np.flatnonzero(rng.random(150) < 0.1)
    fahrenheit[wrong] = rng.permutation(fahrenheit)[wrong]
    found = gramian.relations({"temp_c": celsius, "temp_f": fahrenheit})
    assert not [each for each in found if each.kind == "extreme"]


def test_columns_are_computed_from_base_columns_rather_than_from_each_other():
    rng = np.random.default_rng(0)
    nights, guests = rng.integers(1, 14, 800), rng.integers(1, 6, 800)
    product = nights * guests
    table = {"nights": nights, "guests": guests, "tax": 2.2 * product, "breakfast": 12.5 * product}
    found = {*map(str, gramian.relations(table))}
    assert found == {"tax = 2.2 · nights · guests", "breakfast = 12.5 · nights · guests"}
