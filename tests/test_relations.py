"""Laws among columns: planted laws are found as written, and no others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_cases import NAMES, planted, slow_imbalance, table_of

import gramian
from gramian.laws import Relation, Relations, Solution


def found(columns, **options):
    x, names = table_of(columns)
    return gramian.relations(x, names, **options)


@pytest.mark.parametrize("name", NAMES)
def test_planted_laws_are_found_as_written(name):
    columns, law = planted(1)[name]
    relations = found(columns)
    assert len(relations) == 1
    assert relations[0].exact
    assert set(relations[0].columns) == set(columns)
    if law is not None:
        assert str(relations[0]) == law


@pytest.mark.parametrize("name", [each for each in NAMES if each not in ("step", "above", "level")])
@pytest.mark.parametrize("seed", [2, 3])
def test_planted_laws_are_found_in_any_units_and_order(name, seed):
    columns, _ = planted(seed)[name]
    x, names = table_of(columns)
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.uniform(-3, 3, len(names))
    units[[each == "theta" for each in names]] = 1.0
    if name in ("dummies", "logarithm"):
        units[:] = units[0]
    order = rng.permutation(len(names))
    relations = gramian.relations((x * units)[:, order], [names[i] for i in order])
    assert len(relations) == 1
    assert relations[0].exact
    assert set(relations[0].columns) == set(names)


@pytest.mark.parametrize("name", NAMES)
def test_an_exact_law_holds_on_new_rows(name):
    relation = found(planted(4)[name][0])[0]
    new, names = table_of(planted(5)[name][0])
    error = np.sqrt(np.mean(relation.imbalance(new) ** 2))
    assert error < 1e-11
    slow = [slow_imbalance(relation.terms, dict(zip(names, row, strict=True))) for row in new[:20]]
    np.testing.assert_allclose(relation.imbalance(new[:20]), slow, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_solved_law_gives_the_column(name):
    columns, _ = planted(6)[name]
    relation = found(columns)[0]
    n_solved = 0
    for column in relation.columns:
        try:
            solution = relation.solve_for(column)
        except ValueError:
            continue
        others = {each: columns[each] for each in solution.columns}
        assert column not in others
        values = np.asarray(columns[column], float)
        told = ~np.isnan(solved := solution(others))  # NaN in rows that would divide by zero
        assert told.mean() > 0.4
        np.testing.assert_allclose(solved[told], values[told], rtol=1e-7, atol=1e-9)
        n_solved += 1
    assert n_solved > 0 or name in ("circle", "sphere")


def test_consequences_of_laws_are_not_listed():
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 5, (3, 300))
    relations = found({"a": a, "b": b, "c": c, "ab": a * b, "abc": a * b * c, "twice": 2 * a * b})
    assert len(relations) == 3
    assert {each for law in relations for each in law.columns} == set("abc") | {
        "ab",
        "abc",
        "twice",
    }


def test_columns_to_drop_can_be_computed_one_after_the_other():
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 5, (3, 300))
    columns = {"a": a, "b": b, "c": c, "ab": a * b, "abc": a * b * c, "twice": 2 * a * b}
    for keep in ([], ["ab"], ["abc", "twice"]):
        redundant = found(columns).redundant(keep)
        assert len(redundant) == 3
        assert not set(redundant) & set(keep)
        known = {name: values for name, values in columns.items() if name not in redundant}
        for name, solution in redundant.items():
            known[name] = solution(known)
            np.testing.assert_allclose(known[name], columns[name], rtol=1e-9)


def test_a_noisy_law_is_found_with_its_error():
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 5, (3, 1000))
    y = a * b + 3 * c
    noisy = y + 0.01 * y.std() * rng.standard_normal(1000)
    (law,) = found({"a": a, "b": b, "c": c, "y": noisy})
    assert not law.exact
    assert str(law) == "y = a · b + 3 · c"
    expected = np.sqrt(np.mean(((noisy - y) / np.maximum(noisy, np.maximum(a * b, 3 * c))) ** 2))
    assert law.error == pytest.approx(expected, rel=0.1)
    assert len(found({"a": a, "b": b, "c": c, "y": noisy}, tolerance=0)) == 0


def test_keplers_third_law_is_found_in_eight_rows():
    axis = [0.387, 0.723, 1, 1.524, 5.203, 9.537, 19.191, 30.069]
    years = [0.241, 0.615, 1, 1.881, 11.862, 29.457, 84.011, 164.79]
    (law,) = found({"a": axis, "T": years})
    assert str(law) == "a³ = T²"
    assert law.evidence > 10


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(20, 400),
    n_columns=st.integers(2, 8),
    kind=st.sampled_from(["uniform", "normal", "lognormal", "integers", "heavy", "years"]),
)
def test_independent_columns_have_no_law(seed, n_rows, n_columns, kind):
    rng = np.random.default_rng(seed)
    shape = (n_rows, n_columns)
    x = {
        "uniform": lambda: rng.uniform(1, 2, shape),
        "normal": lambda: rng.standard_normal(shape),
        "lognormal": lambda: np.exp(rng.standard_normal(shape)),
        "integers": lambda: rng.integers(0, rng.integers(2, 40), shape),
        "heavy": lambda: rng.standard_t(1.1, shape),
        "years": lambda: rng.integers(1997, 2001, shape),
    }[kind]()
    relations = gramian.relations(x)
    assert [str(each) for each in relations if each.kind != "constant"] == []


def test_relations_offer_tables_latex_and_solutions():
    relations = found(planted(0)["product"][0])
    assert isinstance(relations, Relations)
    (law,) = relations
    assert isinstance(law, Relation)
    assert relations.table[0]["law"] == str(law)
    assert relations.to_frame()["exact"].tolist() == [True]
    assert "<td>P = 0.001 · U · I</td>" in relations._repr_html_()
    assert law.latex() == r"\mathrm{P} = 0.001 \, \mathrm{U} \, \mathrm{I}"
    assert isinstance(law.solve_for("U"), Solution)
    assert str(law.solve_for("U")) == "U = 1000 · P / I"
    np.testing.assert_allclose(law({"U": [2.0], "I": [3.0]}), [0.006])
    assert relations.of("U") == [law]
    assert relations.of("U")[0].sympy().lhs.name == "P"


def test_a_factor_that_matters_in_some_rows_only_is_not_dropped():
    columns, _ = planted(0)["interaction"]
    laws = found(columns)
    assert list(laws.redundant()) == ["fe"]
    assert list(laws.redundant(keep=["fe", "f"])) == []
    with pytest.raises(ValueError, match="in some rows only"):
        laws[0].solve_for("e")


@pytest.mark.parametrize("derived", ["differences", "ratios", "sums"])
def test_the_order_of_columns_changes_neither_laws_nor_what_they_drop(derived):
    e, b = np.random.default_rng(0).uniform(1, 9, (2, 150))
    made = {"differences": (e - b, e + b), "ratios": (e * b, e / b), "sums": (e + b, 2 * e + b)}
    table = dict(zip("ebcd", (e, b, *made[derived]), strict=True))

    def found(names):
        X = np.column_stack([table[name] for name in names])
        laws = gramian.relations(X, list(names), tolerance=0)
        assert all(np.abs(each.imbalance(X)).max() < 1e-12 for each in laws)
        return [{*each.columns} for each in laws], {*laws.redundant()}

    laws, dropped = found("ebcd")
    assert len(dropped) == 2
    assert all(found(names) == (laws, dropped) for names in ("bcde", "edcb", "cbed", "dbec"))


def test_the_dropped_column_of_a_rounded_table_is_computed_accurately():
    second = np.random.default_rng(0).integers(0, 700 * 86_400, 400)
    day = second // 86_400
    X = np.column_stack([second, day, second - 86_400 * day]).astype(float)
    found = gramian.relations(X, ["second", "day", "clock"], tolerance=0).redundant()
    ((name, solution),) = found.items()
    table = dict(zip(("second", "day", "clock"), X.T, strict=True))
    np.testing.assert_allclose(solution(table), table[name], atol=1e-3)
