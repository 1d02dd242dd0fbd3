"""Planted formulas are recovered: the right terms, with coefficients in raw units."""

import itertools

import numpy as np
import pandas as pd
import pytest
from explain_cases import (
    assert_formula,
    evaluate,
    explained_by,
    measurements,
    monomials,
    plain,
)
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property

from gramian import GFA
from gramian.explanations import explain
from gramian.explanations._coordinates import Coordinates
from gramian.explanations._dictionary import Dictionary
from gramian.explanations._explaining import MAX_TERMS
from gramian.explanations._subject import subject_of
from gramian.explanations._target_moments import of_fit
from gramian.explanations._term_search import Shape, SupportSearch
from gramian.families import Multilinear, Polynomial

BASE = measurements()
A, B, C = BASE["a"], BASE["b"], BASE["c"]


def test_power_is_voltage_times_current_and_nothing_else():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"voltage": rng.uniform(100, 400, 300), "current": rng.uniform(1, 60, 300)}
    )
    table["power"] = 0.0001 * table.voltage * table.current
    for rows in [None, table]:
        (power,) = explain(
            GFA(threshold=1e-3, relative=True, backward=False, alpha=0).fit(table), rows
        )
        assert_formula(power, {"voltage current": 0.0001}, rtol=1e-12)
        assert power.formula == "0.0001 · voltage · current"
        assert power.feature == "power"
        assert power.kind == "nonlinear"
        assert power.r2 == pytest.approx(1.0, abs=1e-12)


PLANTED = {
    "a product": ({"a b": 7.0}, "multilinear", 2),
    "a square": ({"b b": -2.5e-3}, "polynomial", 2),
    "a cube": ({"a a a": 4.0}, "polynomial", 3),
    "a product of three": ({"a b c": 1.5}, "multilinear", 3),
    "a sum of products": ({"a b": 1.0, "b c": 2e-2}, "multilinear", 2),
    "a sum of columns": ({"a": 3e4, "b": -2e-6, "c": 1.0, "": 11.0}, "multilinear", 2),
    "products and columns": ({"a b": 0.02, "c": 2.0, "": -30.0}, "multilinear", 3),
    "a centred product": ({"a b": 1.0, "a": -2e7, "b": -3e-4, "": 6e3}, "multilinear", 2),
    "squares and a product": ({"a a": 1e8, "b b": 1e-14, "a b": 5e-3}, "polynomial", 2),
    "hermite": ({"a a b": 1.0, "c": 40.0}, "hermite", 3),
    "legendre": ({"a a a": 1e12, "b c": 1e-6, "": 2.0}, "legendre", 3),
}


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_formula_is_recovered_exactly(name, solver, held_out):
    formula, family, degree = PLANTED[name]
    planted = sum(value * evaluate(BASE, key) for key, value in formula.items())
    fitted, table, unit = explained_by(
        BASE, planted.to_frame("y"), family=family, degree=degree, solver=solver
    )
    (found,) = explain(fitted, table if held_out else None)
    assert_formula(found, {key: unit * value for key, value in formula.items()})


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e2, 1e4])
def test_means_far_from_zero_do_not_blur_a_formula_without_noise(offset):
    base = BASE / BASE.std()
    base += offset * np.array([1.0, -2.0, 3.0])
    planted = pd.DataFrame({"y": 2 * base.a * base.b - 0.5 * base.c})
    fitted, _, unit = explained_by(base, planted)
    (found,) = explain(fitted)
    assert_formula(found, {"a b": 2 * unit, "c": -0.5 * unit})


@a_property
@given(
    st.integers(0, 10**6),
    st.sampled_from(["multilinear", "polynomial", "hermite", "legendre"]),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_any_sparse_polynomial_is_recovered(seed, family, degree, n_terms):
    rng = np.random.default_rng(seed)
    base = measurements(200, seed)
    keys = monomials(["a", "b", "c"], degree, squares=family != "multilinear")
    chosen = rng.choice(keys, min(n_terms, len(keys)), replace=False)
    formula = {
        str(key): rng.choice([-1, 1]) * rng.uniform(0.5, 2) / evaluate(base, key).std()
        for key in chosen
    }
    planted = sum(value * evaluate(base, key) for key, value in formula.items())
    fitted, _, unit = explained_by(base, planted.to_frame("y"), family=family, degree=degree)
    (found,) = explain(fitted)
    assert_formula(found, {key: unit * value for key, value in formula.items()})


@pytest.mark.parametrize(("held_out", "n"), [(False, 60), (True, 20)])
def test_with_ten_percent_noise_95_percent_of_formulas_have_the_right_terms(held_out, n):
    keys = monomials(["a", "b", "c"], 2)
    right = 0
    for seed in range(n):
        rng = np.random.default_rng(1000 + seed)
        base = measurements(300, seed) / [1e-4, 1e6, 1] - [0, 18, 0]
        formula = {
            str(key): rng.choice([-1, 1]) * rng.uniform(0.5, 2) / evaluate(base, key).std()
            for key in rng.choice(keys, 2, replace=False)
        }
        planted = sum(value * evaluate(base, key) for key, value in formula.items())
        noisy = planted + 0.1 * planted.std() * rng.standard_normal(len(base))
        fitted, table, _ = explained_by(base, noisy.to_frame("y"), family="polynomial")
        (found,) = explain(fitted, table if held_out else None)
        terms = {key for key in plain(found) if key}
        wanted = {
            tuple(sorted((name, key.split().count(name)) for name in set(key.split())))
            for key in formula
        }
        right += terms == wanted
    assert right >= 0.95 * n


def test_formulas_are_nearly_the_best_of_their_length():
    """Compared with all formulas of equal length; the columns are correlated, the target is not
    a polynomial."""
    ratios = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = rng.standard_normal((200, 4)) @ (np.eye(4) + 0.7 * rng.standard_normal((4, 4)))
        base = pd.DataFrame(values + rng.normal(0, 3, 4), columns=list("abcd"))
        planted = np.sin(base.a) * base.b + np.abs(base.c) + 0.3 * rng.standard_normal(200)
        fitted, table, _ = explained_by(base, planted.to_frame("y"), family="polynomial")
        y = table["y"] - table["y"].mean()
        functions = [evaluate(base, key) for key in monomials(list("abcd"), 2)]
        centred = np.column_stack([each - each.mean() for each in functions])
        for n in [1, 2, 3]:
            best = min(
                np.linalg.norm(y - part @ np.linalg.lstsq(part, y, rcond=None)[0]) ** 2
                for chosen in itertools.combinations(range(len(functions)), n)
                for part in [centred[:, chosen]]
            )
            found = _search(fitted).fit(Shape(n, constant=True, linear=False))
            ratios.append(found.error * len(y) / best)
    assert np.mean(np.array(ratios) < 1 + 1e-9) >= 0.8
    assert np.mean(ratios) < 1.02


def _search(fitted):
    view = subject_of(fitted.model_, None)
    dictionary = Dictionary(fitted.model_.decoder, view.variable_means)
    coordinates = Coordinates(
        of_fit(fitted.model_, None, view.targets), dictionary, view.target_means
    )
    return SupportSearch(coordinates, 0, np.arange(0), MAX_TERMS)


def test_r2_and_residual_measure_the_noise():
    rng = np.random.default_rng(1)
    noisy = 2 * A * B + 50 * rng.standard_normal(len(A))
    fitted, table, unit = explained_by(BASE, noisy.to_frame("y"))
    (found,) = explain(fitted, table)
    assert_formula(found, {"a b": 2 * unit}, rtol=0.05)
    y = table["y"]
    missed = y - found(table)
    assert found.residual_std == pytest.approx(np.sqrt(np.mean(missed**2)))
    assert found.residual_std == pytest.approx(50 * unit, rel=0.1)
    assert found.r2 == pytest.approx(1 - np.mean(missed**2) / y.var(ddof=0))
    assert found.r2 == pytest.approx(found.score(table, y))
    assert found.validation_r2 == pytest.approx(found.r2, abs=0.02)
    assert found.linear_r2 <= found.full_r2
    assert found.r2 <= found.full_r2


def test_held_out_r2_equals_that_of_formulas_found_without_the_rows():
    """Reference: five-fold cross-validation of a regression on the given terms, by hand."""
    rng = np.random.default_rng(1)
    base = measurements(60)[["a"]]
    noisy = (1e4 * base["a"] + 10 + rng.standard_normal(60)).to_frame("y")
    fitted, table, _ = explained_by(base, noisy, degree=1)
    (found,) = explain(fitted, table, min_gain=0.01)
    assert len(found.terms) == 2
    parts = np.array_split(np.random.default_rng(0).permutation(60), 5)
    left = 0.0
    for part in parts:
        others = np.setdiff1d(np.arange(60), part)
        slope, offset = np.polyfit(table["a"].iloc[others], table["y"].iloc[others], 1)
        left += np.sum((table["y"].iloc[part] - slope * table["a"].iloc[part] - offset) ** 2)
    assert found.validation_r2 == pytest.approx(1 - left / 60 / table["y"].var(ddof=0))


def test_a_formula_that_fits_by_chance_has_a_low_held_out_r2():
    rng = np.random.default_rng(0)
    base = pd.DataFrame(rng.standard_normal((40, 4)), columns=list("abcd"))
    fitted, table, _ = explained_by(
        base, pd.DataFrame({"y": rng.standard_normal(40)}), family="polynomial"
    )
    (found,) = explain(fitted, table, min_gain=0.0)
    assert found.full_r2 > 0.2
    assert found.validation_r2 < 0.2
    assert found.kind == "partial"


def test_a_formula_has_at_most_max_terms():
    planted = A * B + 1e-5 * B * C + 4e-5 * B + 300 * C
    fitted, _, _ = explained_by(BASE, planted.to_frame("y"))
    for n in [1, 2, 3, 4]:
        (found,) = explain(fitted, max_terms=n)
        assert sum(1 for term in found.terms if term.factors) <= n
    assert found.r2 > 1 - 1e-12
    assert len(explain(fitted, max_terms=1)[0].terms) <= 2


def test_a_larger_gain_makes_shorter_formulas():
    rng = np.random.default_rng(1)
    base = BASE / BASE.std()
    planted = base.a + 0.05 * base.b + 5 + 0.02 * rng.standard_normal(len(base))
    fitted, _, _ = explained_by(base, planted.to_frame("y"))
    assert len(explain(fitted)[0].sources) == 2
    assert len(explain(fitted, min_gain=0.95)[0].sources) == 1


def test_a_formula_is_found_although_functions_were_dropped():
    """x² equals x for a column of zeros and ones, so the basis does not hold the square."""
    rng = np.random.default_rng(0)
    base = pd.DataFrame({"on": rng.integers(0, 2, 300).astype(float), "x": rng.normal(5, 1, 300)})
    planted = pd.DataFrame({"y": 3 * base.on * base.x + base.x**2})
    fitted, table, unit = explained_by(base, planted, family="polynomial", degree=3)
    assert fitted.n_dropped_functions_.sum() > 0
    for rows in [None, table]:
        (found,) = explain(fitted, rows)
        assert_formula(found, {"on x": 3 * unit, "x x": unit})


def test_a_variable_whose_own_function_was_dropped_is_expanded():
    """With three levels, x, x² and x³ are dependent, and the dropped function may be x."""
    rng = np.random.default_rng(2)
    base = pd.DataFrame({"x": rng.choice([0.0, 1.0, 4.0], 300), "z": rng.normal(3, 1, 300)})
    planted = pd.DataFrame({"y": base.x**2 + base.z})
    family = Multilinear(1) + Polynomial(4)
    fitted, table, _ = explained_by(base, planted, family=family, degree=None)
    (found,) = explain(fitted)
    assert found.r2 > 1 - 1e-10
    np.testing.assert_allclose(found(table), table["y"], rtol=1e-6)


def test_weights_and_copies_of_rows_give_equal_formulas():
    rng = np.random.default_rng(1)
    copies = rng.integers(0, 4, len(BASE))
    planted = A * B + 20 * rng.standard_normal(len(A))
    table = pd.concat([BASE, (1e-15 * planted).rename("y")], axis=1)
    repeated = table.loc[np.repeat(table.index, copies)]
    weighted = GFA(3, threshold=None, backward=False, alpha=0).fit(table, sample_weight=copies)
    copied = GFA(3, threshold=None, backward=False, alpha=0).fit(repeated)
    (one,), (other,) = explain(weighted), explain(copied)
    assert plain(one).keys() == plain(other).keys()
    np.testing.assert_allclose(list(plain(one).values()), list(plain(other).values()))
    assert one.r2 == pytest.approx(other.r2)
    (held_out,) = explain(weighted, table, sample_weight=copies)
    assert held_out.validation_r2 == pytest.approx(one.r2, abs=0.05)
