"""Rows that depend on each other: units, time series, one wrong cell."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian import GCA, GFA
from gramian.core.elimination import fit_columns, lay_out, leave_groups_out
from gramian.core.rows import centre
from gramian.families import Polynomial


def regions(rng, n=400):
    """Return attributes of 30 regions, joined to persons; nothing follows from anything."""
    region = rng.integers(0, 30, n)
    return np.column_stack([rng.lognormal(0, 0.5, (30, 8))[region], rng.standard_normal((n, 2))])


def walks(rng, n=240):
    return np.cumsum(rng.standard_normal((n, 6)), axis=0)


def growth(rng, n=240):
    return np.exp(np.cumsum(0.01 + 0.02 * rng.standard_normal((n, 6)), axis=0))


def trends(rng, n=240):
    t = np.linspace(0, 1, n)
    curves = [rng.uniform(0.5, 2) * t + rng.uniform(-1, 1) * t**2 for _ in range(6)]
    return np.array(curves).T + 0.01 * rng.standard_normal((n, 6))


def smooth(rng, n=240):
    spectrum = np.fft.rfft(rng.standard_normal((n, 6)), axis=0)
    spectrum[8:] = 0
    return np.fft.irfft(spectrum, n, axis=0) + 1e-4 * rng.standard_normal((n, 6))


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_left_out_have_the_residuals_of_explicit_fits(weighted):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    X = np.column_stack([X, X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(120)])
    weights = rng.uniform(0.5, 2, 120) if weighted else None
    rows, _ = centre(X, weights, "column")
    fit = fit_columns(rows, lay_out(rows, Polynomial(2), [0, 1]), [2, 3])
    groups = np.array_split(rng.permutation(120), 7)
    Z = rows.x / rows.root[:, np.newaxis]
    x, y = Z[:, 0], Z[:, 1]
    functions = np.column_stack([np.ones(120), x, y, x * x, x * y, y * y])
    expected = np.zeros(2)
    for group in groups:
        rest = np.setdiff1d(np.arange(120), group)
        root = rows.root[rest, np.newaxis]
        coefficients = np.linalg.lstsq(functions[rest] * root, Z[rest, 2:] * root, rcond=None)[0]
        missed = Z[group, 2:] - functions[group] @ coefficients
        expected += np.sum(rows.root[group, np.newaxis] ** 2 * missed**2, axis=0)
    np.testing.assert_allclose(leave_groups_out(rows, fit, groups), expected, rtol=1e-6)


@pytest.mark.parametrize("make", [regions, walks, growth, trends, smooth])
@pytest.mark.parametrize("seed", range(2))
def test_columns_that_only_share_rows_give_no_law_and_none_is_dropped(make, seed):
    table = pd.DataFrame(make(np.random.default_rng(seed))).add_prefix("c")
    assert [str(each) for each in gramian.relations(table)] == []
    assert GFA().fit(table).redundant_features_.tolist() == []


@pytest.mark.parametrize("make", [walks, growth, smooth])
def test_a_column_computed_from_series_is_dropped(make):
    rng = np.random.default_rng(0)
    table = make(rng)[:, :4]
    product = table[:, 0] * table[:, 1]
    noise = 1e-3 * product.std() * rng.standard_normal(len(product))
    by_functions = GFA(laws=False).fit(np.column_stack([table, product + noise]))
    assert by_functions.redundant_features_.size == 1
    frame = pd.DataFrame(table, columns=list("abcd")).assign(sum=table[:, 0] + table[:, 1])
    assert [str(each) for each in gramian.relations(frame)] == ["sum = a + b"]


def test_a_column_computed_from_attributes_of_regions_is_dropped():
    table = regions(np.random.default_rng(0))
    table = np.column_stack([table, table[:, 0] * table[:, 1]])
    dropped = GFA(laws=False, family="multilinear").fit(table[:, [0, 1, 8, 9, 10]])
    assert dropped.redundant_features_.size == 1


def whole_attributes(rng, n_units, n_columns, largest, n=400):
    """Return attributes of units, as whole numbers that repeat, joined to persons."""
    attributes = rng.integers(1, largest + 1, (n_units, n_columns))[rng.integers(0, n_units, n)]
    return np.column_stack([attributes, rng.integers(18, 80, n), rng.standard_normal(n)])


@pytest.mark.parametrize("n_units", [15, 25, 40])
@pytest.mark.parametrize("largest", [9, 59, 9999])
def test_attributes_of_few_units_explain_nothing_although_no_column_tells_the_units(
    n_units, largest
):
    table = whole_attributes(np.random.default_rng(n_units), n_units, 10, largest, 600)
    assert GFA(laws=False).fit(table).redundant_features_.tolist() == []


@pytest.mark.parametrize("compute", [np.add, np.multiply])
def test_a_function_of_attributes_of_enough_units_is_dropped(compute):
    table = whole_attributes(np.random.default_rng(1), 40, 5, 59)
    table = np.column_stack([table, compute(table[:, 0], table[:, 1])])
    assert GFA(laws=False).fit(table).redundant_features_.size == 1


def test_all_combinations_of_categories_explain_although_functions_are_as_many():
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 2, (3, 400))
    table = np.column_stack([a, b, c, a * b * c, rng.integers(0, 60, 400)])
    assert GFA(laws=False, family="multilinear", degree=3).fit(table).redundant_features_.size == 1


def test_functions_that_fail_outside_their_stretch_drop_nothing():
    rng = np.random.default_rng(0)
    for estimator in (GFA(laws=False), GCA()):
        for _ in range(4):
            table = growth(rng, 200)[:140]
            kept = estimator.fit(table)
            n_kept = kept.transform(table).shape[1]
            assert n_kept == 6


@pytest.mark.parametrize("seed", range(6))
def test_a_trend_is_not_an_exact_law(seed):
    rng, t = np.random.default_rng(seed), np.arange(60)
    gdp = np.cumsum(2 + 0.3 * rng.standard_normal(60))
    years = pd.DataFrame({"year": 1950 + t, "gdp": gdp})
    curve = 0.05 * t**2 + 3 * t + 7 + 1.5 * rng.standard_normal(60)
    for table in (years, pd.DataFrame({"t": t, "y": curve})):
        assert not any(each.exact for each in gramian.relations(table))
        assert GFA().fit(table).redundant_features_.tolist() == []


@pytest.mark.parametrize("seed", range(4))
def test_a_law_has_no_factor_that_vanishes_in_the_row_of_a_wrong_cell(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(3, 2, (2, 800)).round(4)
    y = a + 2 * b
    y[rng.integers(800)] += 3
    found = gramian.relations(pd.DataFrame({"a": a, "b": b, "y": y}))
    assert {str(each) for each in found} <= {"y = a + 2 · b", "y = 2 · b + a"}
    assert not any(each.exact for each in found)


def test_repeated_measurements_are_no_keys():
    rng = np.random.default_rng(0)
    region = rng.integers(0, 30, 500)
    attributes = rng.lognormal(0, 0.5, (30, 2))[region]
    table = pd.DataFrame(attributes, columns=["income", "rent"]).assign(age=rng.normal(size=500))
    assert not len(gramian.relations(table))
    with_name = table.assign(region=[f"r{i}" for i in region])
    assert any("region" in str(each) for each in gramian.relations(with_name))


@pytest.mark.parametrize("seed", range(4))
def test_steady_growth_is_no_law(seed):
    rng = np.random.default_rng(seed)
    growth = np.cumsum(0.01 + 0.002 * rng.standard_normal((40, 4)), axis=0)
    table = pd.DataFrame(np.round(1e6 * np.exp(growth)), columns=[*"abcd"])
    table.insert(0, "year", 1950 + np.arange(40))
    assert not len(gramian.relations(table))


@pytest.mark.parametrize("seed", [0, 2])
def test_dates_give_no_slopes_of_independent_series(seed):
    rng = np.random.default_rng(seed)
    growth = np.cumsum(0.02 + 0.007 * rng.standard_normal((300, 5)), axis=0)
    table = pd.DataFrame(1000 * np.exp(growth), columns=[*"abcde"])
    table.insert(0, "date", pd.date_range("1990-01-01", periods=300))
    assert not len(gramian.relations(table))
