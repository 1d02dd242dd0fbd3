"""Laws with noise: the column that they give, their fit, and how it is stated."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

import gramian
from gramian.formulas import MINUS


def uniform(seed, n_rows=800, **ranges):
    rng = np.random.default_rng(seed)
    return rng, {name: rng.uniform(*limits, n_rows) for name, limits in ranges.items()}


@pytest.mark.parametrize("seed", range(5))
def test_a_power_law_is_found_although_noise_hides_small_values(seed):
    rng, x = uniform(seed, a=(1, 5), q=(1, 5), c=(1, 5), e=(1, 5))
    y = x["a"] ** 2 * x["q"] ** 2 / (x["e"] * x["c"] ** 3)
    x["p"] = y + 0.01 * y.std() * rng.standard_normal(len(y))
    (law,) = gramian.relations(pd.DataFrame(x))
    assert law.gives == "p"
    assert law.kind == "power"
    assert {*law.terms[0].factors.items(), *law.terms[1].factors.items()} == {
        ("p", 1),
        ("c", 3),
        ("e", 1),
        ("a", 2),
        ("q", 2),
    }


@pytest.mark.parametrize("seed", range(4))
def test_r2_and_typical_error_are_those_of_new_rows(seed):
    rng, x = uniform(seed, a=(1, 3), b=(-2, 2))
    new = {name: np.random.default_rng(100).permutation(values) for name, values in x.items()}
    sigma = 0.1
    for table in (x, new):
        clean = 3 * table["a"] * table["b"] + 500
        table["y"] = clean + sigma * rng.standard_normal(len(clean))
    (law,) = gramian.relations(pd.DataFrame(x))
    given = law.solve_for("y")(new)
    assert law.gives == "y"
    assert law.typical_error == pytest.approx(sigma, rel=0.15)
    assert 1 - law.r2 == pytest.approx(1 - r2_score(new["y"], given), rel=0.3)


def test_an_offset_does_not_hide_the_error():
    # The offset makes the error small relative to the largest term: 0.05 % in place of 20 %.
    rng, x = uniform(0, a=(0, 1))
    x["y"] = 1000 + x["a"] + 0.06 * rng.standard_normal(800)
    assert not gramian.relations(pd.DataFrame(x))


@pytest.mark.parametrize("tolerance", [0.02, 0.05, 0.1])
def test_tolerance_is_the_largest_share_of_the_deviation(tolerance):
    shares = {}
    for k, share in enumerate((0.5, 0.8, 1.25, 2)):
        rng, x = uniform(k, a=(1, 5), b=(1, 5), n_rows=2000)
        y = x["a"] * x["b"]
        x["y"] = y + share * tolerance * y.std() * rng.standard_normal(2000)
        shares[share] = bool(len(gramian.relations(pd.DataFrame(x), tolerance=tolerance)))
    assert shares == {0.5: True, 0.8: True, 1.25: False, 2: False}


def test_noise_that_grows_with_the_values_is_weighted():
    # Absolute errors of the last rows would decide on the factor.
    rng, x = uniform(3, a=(-2, 3), n_rows=300)
    x["a"] = 10 ** x["a"]
    x["y"] = 2 * x["a"] ** 1.5 * (1 + 0.01 * rng.standard_normal(300))
    (law,) = gramian.relations(pd.DataFrame(x))
    factor = law.solve_for("y")({"a": np.ones(1)})[0]
    assert factor == pytest.approx(2, rel=0.003)


def test_the_remark_states_fit_and_error():
    rng, x = uniform(0, a=(1, 5), b=(1, 5))
    x["y"] = x["a"] * x["b"] + 0.05 * rng.standard_normal(800)
    found = gramian.relations(pd.DataFrame(x))
    assert str(found) == f"y = a · b  (R² {found[0].r2:.4f}, error {found[0].typical_error:.2g})"
    assert found.table[0]["r2"] == found[0].r2
    assert found.to_frame()["typical_error"][0] == found[0].typical_error


def test_printed_digits_are_as_good_as_the_law():
    # With four digits of the slope, an offset of 1e5 would move the line by 5.
    rng, x = uniform(1, year=(100_000, 100_010))
    x["y"] = 0.0123456 * x["year"] + 1e-4 * rng.standard_normal(800)
    (law,) = gramian.relations(pd.DataFrame(x))
    assert r2_score(x["y"], law.solve_for("y")(x)) > 0.999
    right = str(law).split(" = ")[1].replace(MINUS, "-").replace(" · ", "*")
    assert r2_score(x["y"], eval(right, {"year": x["year"]})) > 0.999


def test_an_exact_law_has_no_error():
    _, x = uniform(2, a=(1, 5), b=(1, 5))
    x["y"] = x["a"] * x["b"]
    (law,) = gramian.relations(pd.DataFrame(x))
    assert (law.exact, law.r2, law.typical_error, law.gives) == (True, 1, 0, None)


def test_few_rows_are_left_out_one_by_one():
    rng, x = uniform(4, a=(1, 5), b=(1, 5), n_rows=30)
    x["y"] = x["a"] * x["b"] + 0.05 * rng.standard_normal(30)
    (law,) = gramian.relations(pd.DataFrame(x))
    assert law.gives == "y"
    assert 0.02 < law.typical_error < 0.08


def test_the_error_in_a_large_table_is_that_of_all_rows():
    rng, x = uniform(5, a=(1, 5), b=(1, 5), n_rows=30_000)
    x["y"] = x["a"] * x["b"] + 0.05 * rng.standard_normal(30_000)
    (law,) = gramian.relations(pd.DataFrame(x))
    missed = x["y"] - law.solve_for("y")(x)
    assert law.n_rows == 30_000
    assert law.typical_error == pytest.approx(np.sqrt(np.mean(missed**2)), rel=1e-3)


def test_neighbouring_years_are_no_laws_of_each_other():
    rng = np.random.default_rng(0)
    size = rng.lognormal(8, 1.5, 200)
    years = {}
    for year in range(2000, 2008):
        size = size * np.exp(rng.normal(0.01, 0.02, 200))
        years[str(year)] = size.round()
    assert not gramian.relations(pd.DataFrame(years))


def test_nine_rows_are_no_law_with_noise():
    rng = np.random.default_rng(0)
    x = rng.uniform(50, 90, 9).round(1)
    y = (0.98 * x + 0.3 * rng.normal(size=9)).round(1)
    assert not gramian.relations(pd.DataFrame({"x": x, "y": y}))
