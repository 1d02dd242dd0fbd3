"""Lookups: columns that follow from levels of others, compared with a brute-force search."""

from __future__ import annotations

import functools
import itertools
import json

import numpy as np
import pytest

import gramian
from gramian.laws import Dependency, Lookup

pd = pytest.importorskip("pandas")


def shop(seed=0, n=600):
    """Return zip code, city, canton; product, price; colour, size, and a column given by both."""
    rng = np.random.default_rng(seed)
    zips, product = rng.integers(0, 18, n), rng.integers(0, 30, n)
    colour, size = rng.integers(0, 3, n), rng.integers(0, 4, n)
    prices = rng.permutation(1000)[:30] / 100
    taxes = rng.permutation(12)[:12] + 1.5
    return pd.DataFrame(
        {
            "zip": [f"z{i}" for i in zips],
            "city": [f"city {i // 3}" for i in zips],
            "canton": [f"canton {i // 9}" for i in zips],
            "product": [f"p{i}" for i in product],
            "price": prices[product],
            "colour": np.array(["red", "green", "blue"])[colour],
            "size": np.array(["S", "M", "L", "XL"])[size],
            "tax": taxes[4 * colour + size],
            "other": rng.choice(["a", "b", "c"], n),
        }
    )


@functools.cache
def laws_of_shop(seed=0):
    return gramian.relations(shop(seed))


def determines(rows, causes, effect):
    """Return True if equal causes have equal effects in all rows."""
    seen = {}
    for row in rows:
        key = tuple(row[name] for name in causes)
        if seen.setdefault(key, row[effect]) != row[effect]:
            return False
    return True


def follows(start, laws):
    """Return all columns that follow from `start` by repeated use of laws."""
    known = set(start)
    for _ in laws:
        for law in laws:
            for lookup in (law.lookup, law.inverse):
                if lookup is not None and set(lookup.columns) <= known:
                    known.add(lookup.column)
    return known


def test_planted_lookups_are_found_as_written():
    assert {*map(str, laws_of_shop())} == {
        "price and product follow from each other (30 levels)",
        "canton follows from city (6 levels)",
        "city follows from zip (18 levels)",
        "tax follows from colour and size (12 levels)",
        "colour follows from tax (12 levels)",
        "size follows from tax (12 levels)",
    }


@pytest.mark.parametrize("seed", range(3))
def test_the_laws_imply_exactly_all_functional_dependencies(seed):
    table = shop(seed)
    rows = table.to_dict("records")
    laws = list(laws_of_shop(seed))
    for law in laws:
        assert determines(rows, law.lookup.columns, law.lookup.column)
    for size in (1, 2):
        for causes in itertools.combinations(table.columns, size):
            given = follows(causes, laws)
            for effect in set(table.columns) - set(causes):
                assert determines(rows, causes, effect) == (effect in given)


@pytest.mark.parametrize("seed", range(3))
def test_no_law_follows_from_the_others(seed):
    laws = list(laws_of_shop(seed))
    for law in laws:
        others = [each for each in laws if each is not law]
        assert law.lookup.column not in follows(law.lookup.columns, others)


def test_a_few_wrong_rows_do_not_hide_a_law_and_are_counted():
    table, rng = shop(), np.random.default_rng(1)
    wrong = rng.random(len(table)) < 0.01
    table.loc[wrong, "city"] = "nowhere"
    found = gramian.relations(table)
    laws = {law.lookup.column: law for law in found}
    assert not laws["city"].exact
    assert laws["city"].error == pytest.approx(wrong.mean())
    rows = f"({(~wrong).sum()} of {len(table)} rows)"
    assert f"city follows from zip (18 levels)  {rows}" in str(found)
    assert f"city follows from zip (18 levels)  {rows}" in str(
        gramian.relations(table, tolerance=0)
    )
    # Cities that others have, too, may be a tendency, not wrong cells.
    table.loc[wrong, "city"] = shop()["city"][0]
    assert "city" not in {law.lookup.column for law in gramian.relations(table, tolerance=0)}


def test_independent_labels_have_no_law():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"c{i}": rng.choice(list("abcdefgh"), 500) for i in range(12)})
    assert len(gramian.relations(table)) == 0


def test_shuffling_destroys_a_law():
    table = shop()
    table["city"] = np.random.default_rng(0).permutation(table["city"])
    assert "city" not in {law.lookup.column for law in gramian.relations(table)}


def test_renaming_and_reordering_do_not_change_the_laws():
    table = shop()
    names = {each: f"{i} {each[::-1]}" for i, each in enumerate(sorted(table["zip"].unique()))}
    other = table.assign(zip=table["zip"].map(names)).sample(frac=1, random_state=0)
    other["size"] = pd.Categorical(other["size"], ["XL", "S", "L", "M"])
    assert str(gramian.relations(other)) == str(laws_of_shop())


def test_a_column_that_names_rows_has_no_law():
    table = shop().assign(id=[f"row {i}" for i in range(600)])
    found = gramian.relations(table)
    assert all("id" not in law.columns for law in found)
    assert any("'id'" in note for note in found.notes)


@pytest.mark.parametrize("n_rows", [30, 150])
def test_repeated_rows_are_no_evidence(n_rows):
    rng = np.random.default_rng(0)
    once = pd.DataFrame({"x": rng.normal(size=n_rows), "label": rng.choice(list("abcd"), n_rows)})
    assert len(gramian.relations(pd.concat([once] * 6))) == 0


def test_repeated_rows_with_names_are_no_evidence():
    rng = np.random.default_rng(0)
    once = pd.DataFrame({"x": rng.normal(size=150), "label": rng.choice(list("abcd"), 150)})
    once["name"] = [f"row {i}" for i in range(150)]
    assert len(gramian.relations(pd.concat([once] * 6))) == 0


@pytest.mark.parametrize("unit", [1, 100])
@pytest.mark.parametrize("n_products", [3, 80])
def test_prices_follow_from_products_in_any_unit(unit, n_products):
    rng = np.random.default_rng(0)
    product = rng.integers(0, n_products, 1200)
    price = (100 + rng.permutation(900)[:n_products])[product] / unit
    table = pd.DataFrame({"product": [f"p{i}" for i in product], "price": price})
    (law,) = gramian.relations(table)
    assert law.solve_for("price").columns == ("product",)


@pytest.mark.parametrize("unit", [1, 100, 1.0837])
def test_lookups_of_numbers_are_found_in_any_unit(unit):
    rng = np.random.default_rng(0)
    colour, size = rng.choice(["red", "green", "blue"], 400), rng.choice(list("SML"), 400)
    prices, factors = {"red": 150, "green": 275, "blue": 525}, {"S": 1, "M": 2, "L": 4}
    price = pd.Series(colour).map(prices) * pd.Series(size).map(factors) / unit
    found = gramian.relations(pd.DataFrame({"colour": colour, "size": size, "price": price}))
    assert set(map(str, found)) == {
        "colour follows from price (9 levels)",
        "size follows from price (9 levels)",
        "price follows from colour and size (9 levels)",
    }


def test_labels_of_intervals_of_numbers_are_found():
    rng = np.random.default_rng(0)
    age = rng.uniform(0, 90, 400)
    group = np.array(["young", "grown up", "old"])[np.searchsorted([18, 65], age)]
    (law,) = gramian.relations(pd.DataFrame({"age": age, "group": group}))
    assert law.columns == ("age", "group")
    assert law({"age": [3, 40, 89]}).tolist() == ["young", "grown up", "old"]
    low, high = law.lookup.keys[0].thresholds
    assert age[age <= 18].max() <= low < age[age > 18].min()
    assert age[age <= 65].max() <= high < age[age > 65].min()


def test_laws_are_judged_by_rows_without_missing_values():
    table, rng = shop(n=1500), np.random.default_rng(2)
    for name in ("zip", "city", "canton"):
        table[name] = table[name].mask(rng.random(len(table)) < 0.2)
    laws = {str(law): law for law in gramian.relations(table)}
    law = laws["city follows from zip (18 levels)"]
    assert law.exact
    assert law.n_rows == table[["zip", "city"]].notna().all(axis=1).sum()
    with pytest.raises(ValueError, match="where another column is missing"):
        law.solve_for("city")


def test_a_column_without_any_value_has_no_law():
    table = shop().assign(nothing=None)
    assert str(gramian.relations(table)).startswith(str(laws_of_shop()))


def test_redundant_columns_include_lookups():
    found = laws_of_shop()
    table = shop()
    for keep in ((), ("price",), ("tax", "canton")):
        dropped = found.redundant(keep=keep)
        assert not {*keep} & {*dropped}
        known = table.drop(columns=list(dropped))
        for name, solution in dropped.items():
            known[name] = solution(known)
        pd.testing.assert_frame_equal(known[table.columns], table, check_dtype=False)


def test_unknown_and_missing_levels_give_missing_values():
    found = laws_of_shop().redundant(keep=["product"])
    assert found["city"]({"zip": ["z1", "?", None]}).tolist() == ["city 0", None, None]
    prices = found["price"]({"product": ["p1", "?", np.nan]})
    assert np.isnan(prices).tolist() == [False, True, True]


def test_lookups_are_written_as_text_latex_html_and_sympy():
    sympy = pytest.importorskip("sympy")
    found = laws_of_shop()
    assert r"\mathrm{city} &= f\left(\mathrm{zip}\right)" in found.latex()
    assert "city follows from zip" in found._repr_html_()
    assert all(isinstance(each, sympy.Eq) for each in found.sympy())
    assert {row["kind"] for row in found.table} == {"lookup"}


def test_lookups_are_stored_as_json():
    for law in laws_of_shop():
        again = Lookup.from_json(json.loads(json.dumps(law.lookup.to_json())))
        assert again == law.lookup


@pytest.mark.parametrize(
    "change",
    [
        {"keys": []},
        {"values": [1.0]},
        {"values": ["a", 1.0] * 9},
        {"lookup": "zip"},
        {"levels": [["z1", "z2"]] * 18},
        {"levels": [[float("inf")]] * 18},
        {"more": 1},
        {"keys": [{"column": "zip"}]},
        {"keys": [{"column": "zip", "thresholds": [2, 1], "part": None, "origin": None,
                   "unit": None}]},
        {"keys": [{"column": "zip", "thresholds": [], "part": "month", "origin": None,
                   "unit": None}]},
        {"keys": [{"column": "zip", "thresholds": [], "part": "month", "origin": "soon",
                   "unit": "days"}]},
    ],
)  # fmt: skip
def test_damaged_lookups_are_refused(change):
    law = next(law for law in laws_of_shop() if law.lookup.column == "city")
    with pytest.raises(ValueError, match=r"stored lookup|clock|date"):
        Lookup.from_json({**law.lookup.to_json(), **change})


def test_hostile_text_works_as_levels():
    levels = np.array(["", "\0", "x" * 10**6, "ключ", "a\nb", "<b>"], dtype=object)
    index = np.random.default_rng(0).integers(0, 6, 300)
    table = pd.DataFrame({"key": levels[index], "value": levels[::-1][index // 2]})
    (law,) = gramian.relations(table)
    assert isinstance(law, Dependency)
    assert law({"key": levels}).tolist() == levels[::-1][np.arange(6) // 2].tolist()
    assert (law.imbalance(table) == 0).all()


def test_columns_that_follow_from_parts_of_dates_are_found():
    times = pd.date_range("2021-03-01 00:10", periods=700, freq="397min")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"time": times, "hour": times.hour, "day": times.day_name(), "x": rng.normal(size=700)}
    )
    found = gramian.relations(table)
    assert set(map(str, found)) == {
        "hour = the hour of time",
        "day follows from the weekday of time (7 levels)",
    }
    assert "time counts seconds since 2021-03-01 00:10:00." in found.notes
    for law in found:
        assert law({"time": times.to_numpy()}).tolist() == table[law.lookup.column].tolist()


@pytest.mark.parametrize("form", ["frame", "arrow", "csv", "parquet", "dask"])
def test_every_form_of_a_table_has_the_same_lookups(form, tmp_path):
    table = shop().assign(day=pd.date_range("2024-01-01", periods=600))
    table["month"] = table["day"].dt.month
    data = table
    if form == "arrow":
        data = pytest.importorskip("pyarrow").Table.from_pandas(table)
    elif form == "csv":
        data = tmp_path / "table.csv"
        table.to_csv(data, index=False)
    elif form == "parquet":
        pytest.importorskip("pyarrow")
        data = tmp_path / "table.parquet"
        table.to_parquet(data)
    elif form == "dask":
        data = pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=3)
    assert str(gramian.relations(data)) == str(gramian.relations(table))


def three_causes(seed=0, n=900):
    """Return three columns that only together decide a fourth, and two independent columns."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, (3, 4, 2), (n, 3)).T
    result = rng.integers(0, 5, 24)[8 * a + 2 * b + c]
    return pd.DataFrame(
        {
            "a": np.array([*"rgb"])[a],
            "b": np.array([*"SMLX"])[b],
            "c": np.array(["new", "old"])[c],
            "result": np.array([*"vwxyz"])[result],
            "d": rng.choice([*"pq"], n),
            "e": rng.choice([*"stu"], n),
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_three_columns_together_decide_another(seed):
    table = three_causes(seed)
    laws = list(gramian.relations(table))
    assert "result follows from a, b and c (24 levels)" in [*map(str, laws)]
    rows = table.to_dict("records")
    for size in (1, 2, 3):
        for causes in itertools.combinations(table.columns, size):
            given = follows(causes, laws)
            for effect in set(table.columns) - set(causes):
                assert determines(rows, causes, effect) == (effect in given)


def test_a_few_wrong_rows_do_not_hide_three_causes():
    table = three_causes()
    table.loc[::90, "result"] = "?"
    laws = [str(law) for law in gramian.relations(table) if law.lookup.column == "result"]
    assert laws == ["result follows from a, b and c (24 levels)"]


@pytest.mark.parametrize("width", range(2, 7))
def test_independent_categories_never_decide_one_another(width):
    rng = np.random.default_rng(width)
    for _ in range(12):
        n, table = int(rng.integers(12, 80)), {}
        for i in range(width):
            shares = rng.dirichlet(np.full(rng.integers(2, 5), 0.4))  # some levels are rare
            table[f"c{i}"] = rng.choice([*"abcd"][: len(shares)], n, p=shares)
        found = gramian.relations(pd.DataFrame(table))
        assert [law for law in found if law.kind == "lookup"] == []


def test_one_row_that_a_third_column_singles_out_by_chance_makes_no_law():
    table = three_causes().drop(columns="result")
    table["pair"] = table["a"] + table["b"]
    table.loc[0, "pair"] = "?"
    other = table.index[table["a"] != table.loc[0, "a"]]
    table["d"] = np.where(table.index.isin([0, *other[:9]]), "rare", "frequent")
    assert determines(table.to_dict("records"), ("a", "b", "d"), "pair")
    found = gramian.relations(table, tolerance=0)
    assert "pair" not in {law.lookup.column for law in found}


@pytest.mark.parametrize("rows_of_a_unit", [6, 12, 40])
@pytest.mark.parametrize("digits", [0, 1, 2])
def test_measurements_of_units_do_not_determine_each_other(rows_of_a_unit, digits):
    rng = np.random.default_rng(rows_of_a_unit)
    unit = rng.permutation(np.repeat(np.arange(25), rows_of_a_unit))
    measured = rng.uniform(10, 1000, (25, 3)).round(digits)
    table = pd.DataFrame(measured[unit], columns=list("abc"))
    table["x"] = rng.standard_normal(len(unit)).round(3)
    assert len(gramian.relations(table)) == 0
    assert not gramian.select(table).dropped


def test_rows_that_are_copied_unequally_often_do_not_make_lookups():
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        {
            "weight": rng.normal(70, 9, 45).round(1),
            "income": rng.lognormal(8, 1, 45).round(2),
            "score": rng.normal(0, 1, 45),
        }
    )
    times = rng.multinomial(450, np.full(45, 1 / 45))
    copied = rows.loc[np.repeat(np.arange(45), times)].sample(frac=1, random_state=1)
    assert len(gramian.relations(copied)) == 0
    assert gramian.GFA().fit(copied).redundant_features_.tolist() == []


@pytest.mark.parametrize("name", ["shop_id", "zip", "year"])
def test_numbers_that_name_things_determine_their_measurements(name):
    rng = np.random.default_rng(0)
    shops = np.sort(rng.choice(90_000, 25, replace=False)) + 10_000
    size = rng.uniform(10, 1000, 25).round(1)
    shop = rng.integers(0, 25, 600)
    table = pd.DataFrame({name: shops[shop], "size": size[shop], "x": rng.normal(size=600)})
    (law,) = gramian.relations(table)
    assert (law.kind, {*law.columns}) == ("lookup", {name, "size"})
    assert [*gramian.select(table).dropped] == ["size"]


def test_an_exact_lookup_is_not_said_to_hold_both_ways_if_rows_break_the_other_way():
    rng = np.random.default_rng(0)
    month = rng.integers(1, 36, 3000)
    ads = np.r_[0, rng.permutation(np.arange(100, 400))[:34], 0]
    ads[20] = ads[3]  # two months have the same number
    found = gramian.relations(
        pd.DataFrame({"month": month, "ads": ads[month], "x": rng.normal(size=3000)})
    )
    assert [str(each) for each in found] == ["ads follows from month (35 levels)"]


def test_values_that_are_frequent_in_their_level_are_no_wrong_cells():
    rng = np.random.default_rng(1)
    brand = rng.integers(0, 12, 400)
    model = brand * 10 + np.where(rng.uniform(size=400) < 0.85, 0, rng.integers(1, 3, 400))
    table = pd.DataFrame({"brand": [f"b{i}" for i in brand], "model": [f"m{i}" for i in model]})
    assert [str(each) for each in gramian.relations(table)] == [
        "brand follows from model (35 levels)"
    ]


def test_things_are_the_evidence_for_attributes_that_follow_from_a_measured_number():
    rng = np.random.default_rng(2)
    altitude = rng.permutation(np.arange(100, 900))[:38]
    altitude[:4] = altitude[4:8]
    forest = rng.choice(["pine", "birch", "oak"], 38)
    forest[:4] = forest[4:8]
    site = rng.integers(0, 38, 500)
    table = {"site": [f"s{i}" for i in site], "altitude": altitude[site], "forest": forest[site]}
    lines = {str(each) for each in gramian.relations(pd.DataFrame(table))}
    assert lines == {
        "altitude follows from site (38 levels)",
        "forest follows from site (38 levels)",
    }


def test_a_measured_number_with_decimals_is_no_key_with_exceptions():
    rng = np.random.default_rng(3)
    wage = rng.permutation(np.arange(600, 1300))[:40] / 100
    region = rng.choice(["west", "east"], 40)
    state = rng.integers(0, 40, 3000)
    where = np.where(rng.uniform(size=3000) < 0.005, "north", region[state])
    assert not gramian.relations(pd.DataFrame({"wage": wage[state], "region": where}))
