"""Laws with a slope for each level: search, evidence, printing and storage."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_cases import read_csv, run, succeed

import gramian
from gramian.laws import SlopeLaw, Slopes, laws_of_mixed
from gramian.models import read

pd = pytest.importorskip("pandas")

RATES = {"tea": 1.5, "ham": 4.0, "oil": 2.25, "egg": 0.3, "nut": 12.0}
FEES = {"tea": 2.0, "ham": 0.0, "oil": 7.5, "egg": 1.0, "nut": 3.0}


def shop(seed=0, n=300, decimals=None):
    """Return a price that follows from weight and product, and independent columns."""
    rng = np.random.default_rng(seed)
    product = pd.Series(rng.choice([*RATES], n))
    weight = rng.uniform(1, 20, n)
    price = product.map(RATES) * weight + product.map(FEES)
    return pd.DataFrame(
        {
            "product": product,
            "weight": weight,
            "price": price if decimals is None else price.round(decimals),
            "other": rng.normal(size=n),
            "colour": rng.choice(["red", "blue"], n),
        }
    )


def slopes_of(table, **options):
    return [law for law in gramian.relations(table, **options) if law.kind == "slopes"]


def by_hand(table, level, x, y):
    """Return the line through the rows of each level."""
    return {
        name: np.polyfit(rows[x], rows[y], 1).round(9).tolist()
        for name, rows in table.groupby(level)
    }


@pytest.mark.parametrize("decimals", [None, 2])
def test_the_law_has_the_line_of_each_level(decimals):
    table = shop(decimals=decimals)
    (law,) = slopes_of(table)
    assert isinstance(law, SlopeLaw)
    assert law.exact
    assert law.columns == ("product", "weight", "price")
    assert law.n_rows == len(table)
    found = dict(zip(law.slopes.levels, law.slopes.coefficients, strict=True))
    assert {name: list(each) for name, each in found.items()} == {
        name: [RATES[name], FEES[name]] for name in RATES
    }
    if decimals is None:
        assert {name: list(each) for name, each in found.items()} == by_hand(
            table, "product", "weight", "price"
        )
    np.testing.assert_allclose(law(table), table["price"], rtol=1e-12)
    assert np.abs(law.imbalance(table)).max() < 1e-12


def test_the_text_of_a_law_shows_a_few_levels():
    (law,) = slopes_of(shop())
    assert str(law) == (
        "price = 0.3 · weight + 1 where product is egg, 4 · weight where product is ham, "
        "12 · weight + 3 where product is nut, ... (5 levels)"
    )
    assert r"\begin{cases} 0.3 \, \mathrm{weight} + 1 & \mathrm{product}" in law.latex()


def test_the_sympy_form_holds_all_levels():
    sympy = pytest.importorskip("sympy")
    (law,) = slopes_of(shop())
    cases = {case.cond.rhs.name: case.expr for case in law.sympy().rhs.args}
    weight = sympy.Symbol("weight")
    assert {name: float(each.subs(weight, 2)) for name, each in cases.items()} == pytest.approx(
        {name: 2 * RATES[name] + FEES[name] for name in RATES}
    )


def test_a_law_can_be_solved_for_the_other_number():
    table = shop()
    (law,) = slopes_of(table)
    np.testing.assert_allclose(law.solve_for("weight")(table), table["weight"], rtol=1e-12)
    with pytest.raises(ValueError, match="does not give 'product'"):
        law.solve_for("product")
    (rounded,) = slopes_of(shop(decimals=2))
    with pytest.raises(ValueError, match="does not give 'weight'"):
        rounded.solve_for("weight")


def test_unknown_and_missing_levels_give_missing_values():
    (law,) = slopes_of(shop())
    found = law({"product": ["tea", "?", None, "ham"], "weight": [2.0, 2.0, 2.0, np.nan]})
    np.testing.assert_array_equal(found, [5.0, np.nan, np.nan, np.nan])


def test_a_law_may_have_two_numbers_and_a_slope_common_to_all_levels():
    table = shop().assign(distance=np.random.default_rng(5).uniform(5, 90, 300))
    table["cost"] = table.pop("price") + 2 * table["distance"]
    (law,) = slopes_of(table)
    columns = dict(zip(law.slopes.numbers, np.array(law.slopes.coefficients).T, strict=False))
    assert {*columns} == {"weight", "distance"}
    np.testing.assert_allclose(columns["distance"], 2, rtol=1e-12)
    np.testing.assert_allclose(law(table), table["cost"], rtol=1e-9)


def test_noise_is_tolerated_and_counted():
    table = shop()
    table["price"] += 0.3 * np.random.default_rng(1).normal(size=len(table))
    (law,) = slopes_of(table)
    assert not law.exact
    assert 0 < law.validation_error < 0.1
    assert slopes_of(table, tolerance=0) == []


def test_a_law_is_judged_by_rows_without_missing_values():
    table, rng = shop(n=600), np.random.default_rng(2)
    for name in ("product", "weight", "price"):
        table[name] = table[name].mask(rng.random(len(table)) < 0.2)
    (law,) = slopes_of(table)
    assert law.exact
    assert law.n_rows == table[["product", "weight", "price"]].notna().all(axis=1).sum()
    with pytest.raises(ValueError, match="where another column is missing"):
        law.solve_for("price")


def test_a_law_of_very_many_levels_is_judged_by_all_of_them():
    rng = np.random.default_rng(0)
    level, x = rng.permutation(np.repeat(np.arange(520), 8)), rng.uniform(1, 9, 4160)
    y = x * (1 + np.arange(520) / 8)[level]
    table = pd.DataFrame({"level": [f"l{i}" for i in level], "x": x, "y": y})
    (law,) = slopes_of(table)
    assert len(law.slopes.levels) == 520
    np.testing.assert_allclose(law(table), y, rtol=1e-12)
    table.loc[table["level"] == "l3", "y"] = rng.normal(size=8)
    assert slopes_of(table, tolerance=0) == []


def test_a_slope_may_depend_on_the_weekday_of_a_date():
    date = pd.date_range("2024-01-01", periods=300)
    hours = np.random.default_rng(0).uniform(1, 8, 300)
    pay = hours * np.where(date.day_of_week >= 5, 30, 20)
    (law,) = slopes_of(pd.DataFrame({"date": date, "hours": hours, "pay": pay}))
    assert str(law.slopes.key) == "weekday of date"
    assert "20 · hours where the weekday of date is 0" in str(law)
    np.testing.assert_allclose(law({"date": date.to_numpy(), "hours": hours}), pay)


@pytest.mark.parametrize("seed", range(6))
def test_independent_columns_have_no_slopes(seed):
    rng = np.random.default_rng(seed)
    for n in (12, 20, 60):
        z = rng.normal(size=(n, 3))
        numbers = np.column_stack([z, z @ [1, 2, 0], z[:, 0] + 0.2 * rng.normal(size=n)])
        numbers = [numbers, np.round(numbers), np.round(numbers, 1)][seed % 3]
        table = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(5)])
        for i in range(3):
            table[f"c{i}"] = rng.choice([*"abcdefgh"[: rng.integers(2, 2 + n // 5)]], n)
        found = laws_of_mixed(table, of_numbers=False)[0]
        assert [str(law) for law in found if law.kind == "slopes"] == []


def test_two_points_of_each_level_are_no_evidence_of_a_line_however_often_they_occur():
    rng = np.random.default_rng(0)
    level, side = rng.integers(0, [[8], [2]], (2, 400))
    x, y = np.array([[1, 2], [3, 4], [1, 4], [2, 3]] * 2), rng.uniform(1, 9, (8, 2))
    table = pd.DataFrame({"level": [f"l{i}" for i in level], "x": x[level, side]})
    table["y"], table["other"] = y[level, side], rng.normal(size=400)
    assert slopes_of(table) == []


def test_a_law_that_needs_no_levels_is_written_without_them():
    table = shop()
    table["double"] = 2 * table["weight"] + 1
    laws = [*map(str, gramian.relations(table))]
    assert "double = 2 · weight + 1" in laws
    assert sum("where product is" in law for law in laws) == 1


def test_rare_levels_and_names_of_rows_are_no_evidence():
    table = shop(n=60).assign(product=[f"p{i // 2}" for i in range(60)])
    table["price"] = np.arange(60.0) ** 1.5  # two points always lie on a line
    assert slopes_of(table) == []
    assert slopes_of(table.assign(product=[f"p{i}" for i in range(60)])) == []


def test_levels_with_too_few_rows_for_a_slope_are_left_out_of_the_law():
    table = shop()
    table.loc[0, "product"] = "salt"
    (law,) = slopes_of(table)
    assert "salt" not in law.slopes.levels
    with pytest.raises(ValueError, match="does not give 'price'"):
        law.solve_for("price")


def test_renaming_and_reordering_do_not_change_the_laws():
    table = shop()
    names = dict(zip([*RATES], ["z", "y", "x", "w", "v"], strict=True))
    other = table.assign(product=table["product"].map(names)).sample(frac=1, random_state=0)
    other = other[other.columns[::-1]]
    (law,), (again,) = slopes_of(table), slopes_of(other)
    found = dict(zip(law.slopes.levels, law.slopes.coefficients, strict=True))
    renamed = dict(zip(again.slopes.levels, again.slopes.coefficients, strict=True))
    assert {names[name]: each for name, each in found.items()} == renamed
    assert again.columns == law.columns


@pytest.mark.parametrize("form", ["arrow", "csv", "dask"])
def test_every_form_of_a_table_has_the_same_slopes(form, tmp_path):
    table = data = shop(decimals=2)
    if form == "arrow":
        data = pytest.importorskip("pyarrow").Table.from_pandas(table)
    elif form == "dask":
        data = pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=3)
    else:
        data = tmp_path / "table.csv"
        table.to_csv(data, index=False)
    assert str(gramian.relations(data)) == str(gramian.relations(table))


def test_a_selection_drops_and_reconstructs_columns_that_slopes_give(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = shop(decimals=2)
    table.to_csv("shop.csv", index=False)
    done = succeed("select", "shop.csv", "-o", "kept.csv", "-m", "m.gram", "--json")
    document = json.loads(done.stdout)
    assert document["dropped"] == ["price"]
    assert "weight" in document["kept"]
    assert "where product is egg" in succeed("select", "shop.csv").stdout
    succeed("reconstruct", "m.gram", "kept.csv", "-o", "all.csv")
    pd.testing.assert_frame_equal(read_csv("all.csv"), read_csv("shop.csv"))
    (law,) = read("m.gram").preprocessing.beside.lookups
    assert isinstance(law, Slopes)
    done = run("select", "shop.csv", "--keep", "price", "--json")
    assert "price" not in json.loads(done.stdout)["dropped"]


def test_hostile_levels_are_stored_and_shown_in_short_form(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    levels = np.array(["", "\0", "x" * 10**6, "ключ", "a\nb", "<b>"], dtype=object)
    index = np.random.default_rng(0).integers(0, 6, 300)
    x = np.random.default_rng(1).uniform(1, 9, 300)
    table = pd.DataFrame({"key": levels[index], "x": x, "y": x * (index + 2), "z": x[::-1]})
    table.to_parquet("hostile.parquet")
    succeed("select", "hostile.parquet", "-o", "kept.parquet", "-m", "m.gram", "-q")
    succeed("reconstruct", "m.gram", "kept.parquet", "-o", "all.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet("all.parquet"), table, check_dtype=False)
    (law,) = read("m.gram").preprocessing.beside.lookups
    assert {*law.levels} == {*levels}
    assert len(str(law)) < 400
    assert str(law).isprintable()


def test_slopes_are_stored_as_json():
    (law,) = slopes_of(shop(decimals=1))
    again = Slopes.from_json(json.loads(json.dumps(law.slopes.to_json())))
    assert again == law.slopes
    assert again.rounding.decimals == 1


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"key": {"column": "product"}},
        {"numbers": []},
        {"numbers": ["weight", "weight"]},
        {"slopes": "weight"},
        {"slopes": 3},
        {"levels": ["tea"]},
        {"levels": [None] * 5},
        {"coefficients": [[1.0]] * 5},
        {"coefficients": [["1", 2]] * 5},
        {"coefficients": [[float("nan"), 2]] * 5},
        {"coefficients": [[10**400, 2]] * 5},
        {"decimals": 2.5},
        {"decimals": -1},
        {"decimals": True},
    ],
)
def test_damaged_slopes_are_refused(change):
    (law,) = slopes_of(shop())
    with pytest.raises(ValueError, match=r"slope|lookup|decimals"):
        Slopes.from_json({**law.slopes.to_json(), **change})
