"""Formulas of flags and sums: the shortest exact one, or none, and as the model has them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import succeed

from gramian import GFA
from gramian.explanations._text import MINUS


@pytest.fixture
def flags():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 9, 400)
    table = pd.DataFrame({f"occ{i + 1}": (place == i).astype(float) for i in range(9)})
    return table.assign(noise=rng.normal(size=400))


def test_one_flag_of_nine_is_one_minus_the_others(flags):
    (found,) = GFA(threshold=1e-6, relative=True).fit(flags).explain()
    coefficients = {term.columns: term.coefficient for term in found.terms}
    assert coefficients.pop(()) == pytest.approx(1.0)
    assert len(coefficients) == 8
    assert list(coefficients.values()) == pytest.approx([-1.0] * 8)
    np.testing.assert_allclose(found(flags), flags[found.feature], atol=1e-9)


def test_the_sum_is_validated_on_rows_held_out(flags):
    (found,) = GFA(threshold=1e-6, relative=True).fit(flags).explain(flags)
    assert found.validation_r2 == pytest.approx(1.0)


def test_a_flag_is_not_written_with_products_that_cancel():
    rng = np.random.default_rng(0)
    male, hi = (rng.random((2, 400)) < 0.5).astype(float)
    w = rng.normal(5, 0.4, 400)
    table = pd.DataFrame(
        {"male": male, "w": w, "hi": hi, "malew": male * w, "other": 1 - male, "square": w**2}
    )
    fit = GFA(threshold=1e-6, relative=True, family="polynomial", degree=2).fit(table)
    assert str(fit.explain()["other"]).startswith(f"other = {MINUS}male + 1 (")


def test_without_a_short_formula_none_is_printed():
    rng = np.random.default_rng(0)
    a, b, noise = rng.standard_normal((3, 400))
    table = pd.DataFrame({"a": 3 * a, "b": 2 * b, "d": 0.25 * a * b + noise})
    (found,) = GFA(threshold=0.97, relative=True).fit(table).explain()
    assert not found.has_formula
    assert str(found).startswith("d: no short formula (all functions of the fit: R² 0.0")


def test_the_command_evaluates_the_formula_of_the_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    exper = rng.integers(0, 40, 520).astype(float)
    table = pd.DataFrame(
        {"exper": exper, "expersq": exper**2 / 1000, "other": rng.normal(size=520)}
    )
    model = GFA(threshold=1e-6, relative=True, family="polynomial", degree=2).fit(table[:400])
    (law,) = model.explain()
    table[:400].to_csv("train.csv", index=False)
    new = table[400:].copy()
    new.loc[new.index[:3], law.feature] += 10  # rows that the model's formula does not fit
    new.to_csv("new.csv", index=False)
    options = ["-a", "gfa", "-t", "1e-6", "--relative", "--family", "polynomial", "--degree", "2"]
    succeed("select", "train.csv", *options, "-m", "model.gram")
    told = json.loads(succeed("explain", "model.gram", "new.csv", "--json").stdout)
    (row,) = told["formulas"]
    y = new[law.feature].to_numpy()
    expected = 1 - np.mean((y - law(new)) ** 2) / np.var(y)
    assert row["formula"] == law.formula
    assert row["validation_r2"] == pytest.approx(expected, rel=1e-6)
