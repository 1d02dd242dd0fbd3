"""Formulas of flags and sums: the shortest exact formula of the model, or none."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import succeed

from gramian import GFA, GFS
from gramian.formulas._notation import MINUS


@pytest.fixture
def flags():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 9, 400)
    table = pd.DataFrame({f"occ{i + 1}": (place == i).astype(float) for i in range(9)})
    return table.assign(noise=rng.normal(size=400))


def test_one_flag_of_nine_is_one_minus_the_others(flags):
    (found,) = (
        GFA(threshold=1e-6, relative=True, family="multilinear", laws=False).fit(flags).explain()
    )
    coefficients = {term.columns: term.coefficient for term in found.terms}
    assert coefficients.pop(()) == pytest.approx(1.0)
    assert len(coefficients) == 8
    assert list(coefficients.values()) == pytest.approx([-1.0] * 8)
    np.testing.assert_allclose(found(flags), flags[found.feature], atol=1e-9)


def test_the_sum_is_validated_on_rows_held_out(flags):
    (found,) = (
        GFA(threshold=1e-6, relative=True, family="multilinear", laws=False)
        .fit(flags)
        .explain(flags)
    )
    assert found.validation_r2 == pytest.approx(1.0)


def test_a_flag_is_not_written_with_products_that_cancel():
    rng = np.random.default_rng(0)
    male, hi = (rng.random((2, 400)) < 0.5).astype(float)
    w = rng.normal(5, 0.4, 400)
    table = pd.DataFrame(
        {"male": male, "w": w, "hi": hi, "malew": male * w, "other": 1 - male, "square": w**2}
    )
    fit = GFA(threshold=1e-6, relative=True, family="polynomial", degree=2, laws=False).fit(table)
    assert str(fit.explain()["other"]).startswith(f"other = {MINUS}male + 1 (")


def test_a_product_with_a_flag_is_one_term():
    rng = np.random.default_rng(0)
    highearn, male, married = (rng.random((3, 400)) < 0.5).astype(float)
    lprewage = rng.normal(5.6, 0.5, 400)
    table = pd.DataFrame(
        {
            "highearn": 10 * highearn,
            "lprewage": lprewage,
            "male": male,
            "married": married,
            "highlpre": 0.1 * highearn * lprewage,
        }
    )
    fit = GFA(
        threshold=1e-6, relative=True, family="polynomial", degree=2, keep=[0, 1], laws=False
    ).fit(table)
    for rows in (None, table):
        assert fit.explain(rows)["highlpre"].formula == "0.01 · highearn · lprewage"


@pytest.mark.parametrize("family", ["multilinear", "polynomial"])
def test_a_difference_is_one_column_minus_another(family):
    rng = np.random.default_rng(0)
    tuit17 = rng.gamma(3, 2, 200).round(3)
    tuit18 = (tuit17 * rng.normal(1.05, 0.03, 200)).round(3)
    others = {f"z{i}": rng.normal(size=200) for i in range(4)}
    table = pd.DataFrame({"tuit17": tuit17, "tuit18": tuit18, "ctuit": tuit18 - tuit17, **others})
    fit = GFA(
        threshold=1e-6, relative=True, family=family, keep=["tuit17", "tuit18"], laws=False
    ).fit(table)
    for rows in (None, table):
        assert fit.explain(rows)["ctuit"].formula == f"tuit18 {MINUS} tuit17"


def test_explain_with_rows_finds_laws_outside_the_functions_of_the_fit():
    rng = np.random.default_rng(0)
    wage = np.exp(rng.normal(2, 0.6, 300)).round(2)
    educ, hours = rng.integers(6, 19, 300).astype(float), rng.uniform(10, 60, 300)
    table = pd.DataFrame(
        {
            "hours": hours,
            "educ": educ,
            "wage": wage,
            "lwage": np.log(wage).round(6),
            "rate": wage / hours,
            "college": (educ >= 16).astype(float),
            "noise": 0.1 * rng.normal(size=300),
        }
    )
    fit = GFS(3, criterion="variance", alpha=0).fit(table)
    assert {*fit.get_feature_names_out()} == {"hours", "educ", "wage"}
    laws = fit.explain(table)
    assert {each.feature: each.kind for each in laws if each.feature != "noise"} == dict.fromkeys(
        ["lwage", "rate", "college"], "law"
    )
    assert laws["rate"].formula == "wage / hours"
    assert not laws["noise"].has_formula
    kept = fit.transform(table)
    for name in ("lwage", "rate", "college"):
        np.testing.assert_allclose(laws[name](kept), table[name], atol=1e-6)
        assert laws[name].r2 > fit.explain()[name].r2


def test_no_formula_is_printed_if_no_short_one_exists():
    rng = np.random.default_rng(0)
    a, b, noise = rng.standard_normal((3, 400))
    table = pd.DataFrame({"a": 3 * a, "b": 2 * b, "d": 0.25 * a * b + noise})
    (found,) = (
        GFA(threshold=0.97, relative=True, family="multilinear", laws=False).fit(table).explain()
    )
    assert not found.has_formula
    assert str(found).startswith("d: no short formula (all functions of the fit: R² 0.0")


def test_the_command_evaluates_the_formula_of_the_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    exper = rng.integers(0, 40, 520).astype(float)
    table = pd.DataFrame(
        {"exper": exper, "expersq": exper**2 / 1000, "other": rng.normal(size=520)}
    )
    model = GFA(threshold=1e-6, relative=True, family="polynomial", degree=2, laws=False).fit(
        table[:400]
    )
    (law,) = model.explain()
    table[:400].to_csv("train.csv", index=False)
    new = table[400:].copy()
    new.loc[new.index[:3], law.feature] += 10  # rows that break the model's formula
    new.to_csv("new.csv", index=False)
    options = ["-a", "gfa", "-t", "1e-6", "--relative", "--family", "polynomial", "--degree", "2"]
    succeed("select", "train.csv", *options, "-m", "model.gram")
    told = json.loads(succeed("explain", "model.gram", "new.csv", "--json").stdout)
    (row,) = told["formulas"]
    y = new[law.feature].to_numpy()
    expected = 1 - np.mean((y - law(new)) ** 2) / np.var(y)
    assert row["formula"] == law.formula
    assert row["validation_r2"] == pytest.approx(expected, rel=1e-6)
