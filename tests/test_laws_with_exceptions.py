"""Laws of tables with wrong cells."""

import json

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian import GFA
from gramian.laws import _table_relations


def invoices(seed, dirt, n=600):
    """Return invoices with wrong cells, and the mask of the wrong cells of each computed column."""
    rng = np.random.default_rng(seed)
    quantity = rng.integers(1, 40, n)
    price = rng.uniform(2, 90, n).round(2)
    off = rng.choice([0, 5, 10, 20], n)
    rate = rng.choice([7, 19], n)
    net = (quantity * price * (1 - off / 100)).round(2)
    vat = (net * rate / 100).round(2)
    shipping = rng.choice([0, 4.9, 12.5], n)
    total = (net + vat + shipping).round(2)
    table = pd.DataFrame(
        {
            "quantity": quantity,
            "price": price,
            "off": off,
            "rate": rate,
            "net": net,
            "vat": vat,
            "shipping": shipping,
            "total": total,
        }
    )
    wrong = {}
    for name in ("net", "vat", "total"):
        rows = rng.choice(n, int(dirt * n), replace=False)
        values = table[name].to_numpy(copy=True)
        values[rows] += rng.choice([-1, 1], len(rows)) * rng.choice([1, 10, 100], len(rows))
        wrong[name] = set(rows.tolist())
        table[name] = values.round(2)
    return table, wrong


@pytest.mark.parametrize("dirt", [0.01, 0.05, 0.1])
def test_laws_are_found_in_spite_of_wrong_cells(dirt):
    table, wrong = invoices(0, dirt)
    found = {frozenset(law.columns): law for law in gramian.relations(table)}
    total = found[frozenset({"net", "vat", "shipping", "total"})]
    vat = found[frozenset({"net", "rate", "vat"})]
    assert set(str(total).partition(" = ")[2].split(" + ")) == {"net", "vat", "shipping"}
    assert str(vat) in ("vat = 0.01 · net · rate", "vat = 0.01 · rate · net")
    for law, names in ((total, ("net", "vat", "total")), (vat, ("net", "vat"))):
        # Two wrong cells of a row may cancel.
        damaged = len(set.union(*(wrong[name] for name in names)))
        assert damaged - 2 <= law.n_exceptions <= damaged
        assert law.share == pytest.approx(1 - law.n_exceptions / 600)
        assert not law.exact
        assert law.error < 1e-3


def test_exceptions_are_printed_and_part_of_the_table():
    table, _ = invoices(1, 0.05)
    found = gramian.relations(table)
    law = next(each for each in found if "total" in each.columns and "vat" in each.columns)
    assert f"({600 - law.n_exceptions} of 600 rows)" in str(found)
    rows = {each["law"]: each for each in found.table}
    assert rows[str(law)]["n_exceptions"] == law.n_exceptions
    assert json.dumps(found.table)


def test_a_law_with_exceptions_drops_no_column():
    table, _ = invoices(2, 0.02)
    found = gramian.relations(table)
    assert any(each.n_exceptions for each in found)
    assert found.redundant() == {}
    assert GFA().fit(table).redundant_features_.size == 0


def test_clean_tables_have_no_exceptions():
    table, _ = invoices(3, 0.0)
    found = gramian.relations(table)
    assert not any(each.n_exceptions for each in found)
    assert any({"net", "vat", "shipping", "total"} == {*each.columns} for each in found)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_false_is_claimed_if_a_third_of_the_cells_is_wrong(seed):
    table, _ = invoices(seed, 0.33)
    clean, _ = invoices(seed, 0.0)
    for law in gramian.relations(table):
        if law.n_exceptions:
            assert np.median(np.abs(law.imbalance(clean))) < 1e-2, str(law)


@pytest.mark.parametrize("seed", range(4))
def test_independent_printed_columns_have_no_law_with_exceptions(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "a": rng.integers(0, 30, 400),
            "b": rng.uniform(0, 9, 400).round(1),
            "c": rng.lognormal(3, 1, 400).round(2),
            "d": rng.choice([0, 0, 0, 5, 10], 400),
            "e": rng.integers(0, 2, 400),
            "f": rng.normal(50, 9, 400).round(0),
        }
    )
    assert [str(law) for law in gramian.relations(table) if law.n_exceptions] == []


def test_a_threshold_is_found_in_spite_of_wrong_flags():
    rng = np.random.default_rng(0)
    weight = rng.gamma(2, 9, 800).round(1)
    heavy = (weight > 30).astype(int)
    heavy[rng.choice(800, 24, replace=False)] ^= 1
    (law,) = gramian.relations(pd.DataFrame({"weight": weight, "heavy": heavy}))
    assert str(law).startswith("heavy = [weight > 30")
    assert law.n_exceptions == 24


def test_all_rows_of_a_large_table_are_tested_for_exceptions():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 99, (2, 30_000)).round(2)
    total = (a + b).round(2)
    total[rng.choice(30_000, 60, replace=False)] += 5
    (law,) = gramian.relations(pd.DataFrame({"a": a, "b": b, "total": total}))
    assert str(law) == "total = a + b"
    assert law.n_rows == 30_000
    assert law.n_exceptions == 60


def test_one_wrong_cell_of_many_rows_outside_the_sample_does_not_hide_a_law():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 30_000))
    product = a * b
    product[17] = 8.0
    (law,) = gramian.relations(pd.DataFrame({"a": a, "b": b, "product": product}))
    assert str(law) == "product = a · b"
    assert law.n_exceptions == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_threshold_that_only_goes_along_is_no_law(seed):
    rng = np.random.default_rng(seed)
    time = rng.exponential(1000, 300).round(0)
    died = (time + 300 * rng.standard_normal(300) < 900).astype(int)
    number = np.arange(300) + 1
    sorted_group = (number + 20 * rng.standard_normal(300) > 150).astype(int)
    table = pd.DataFrame({"time": time, "died": died, "row": number, "group": sorted_group})
    assert [str(law) for law in gramian.relations(table) if law.n_exceptions] == []


def test_an_approximation_that_rounding_hides_in_most_rows_is_no_law():
    rng = np.random.default_rng(0)
    people = rng.integers(1_000, 90_000, 400)
    density = rng.uniform(50, 900, 400).round(4)
    area = (people / density / 1000).round(3)
    nearly = (people * rng.uniform(0.95, 1.0, 400)).round(0)
    table = pd.DataFrame({"density": density, "area": area, "nearly": nearly})
    assert [str(law) for law in gramian.relations(table) if law.n_exceptions] == []


@pytest.mark.parametrize("share", [0.01, 0.05])
@pytest.mark.parametrize(
    "formula",
    [
        lambda a, b, c: a * np.exp(-b / c),
        lambda a, b, c: a / (1 + a * b / c),
        lambda a, b, c: np.sqrt(a**2 + b**2 - 2 * a * b * np.cos(c)),
        lambda a, b, c: a * b**2 / (c**3 + a**3),
    ],
)
def test_wrong_cells_do_not_hide_laws_beyond_the_catalogue(formula, share):
    rng = np.random.default_rng(5)
    a, b, c = rng.uniform(1, 5, (3, 2000))
    y = formula(a, b, c)
    wrong = rng.choice(2000, int(share * 2000), replace=False)
    damaged = y.copy()
    damaged[wrong] = rng.permutation(y)[wrong] * rng.choice([1, 10, 3], len(wrong))
    (law,) = gramian.relations(np.column_stack([a, b, c, damaged]), [*"abcy"])
    fresh = rng.uniform(1, 5, (3, 500))
    new = dict(zip("abcy", [*fresh, formula(*fresh)], strict=True))
    assert np.abs(law.imbalance(new)).max() < 1e-9
    assert law.n_exceptions == (damaged != y).sum()


def test_columns_of_which_all_but_one_are_zero_have_no_law_and_no_error():
    # Products of two columns are zero in all rows.
    rng = np.random.default_rng(0)
    amounts = rng.uniform(1, 2, (400, 3)) * np.eye(3)[rng.integers(3, size=400)]
    cost = amounts[:, 0] ** 2 + amounts[:, 1:] @ [3, 4] + 0.3 * rng.standard_normal(400)
    table = pd.DataFrame(amounts, columns=["bus", "train", "plane"]).assign(cost=cost)
    assert [*gramian.relations(table)] == []


@pytest.mark.parametrize("size", [1e80, 1e100])
def test_a_cell_whose_powers_overflow_does_not_end_the_search(size):
    width, height = np.random.default_rng(0).uniform(1, 2, (2, 400))
    area = width * height
    area[::40] += 1
    width[3] = size
    found = gramian.relations({"width": width, "height": height, "area": area})
    assert all(np.isfinite(law.error) for law in found)


@pytest.mark.parametrize("how", ["swapped", "ten times", "other sign", "off"])
@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("q · p · w · (1 - 0.01 · c)", 0.01),
        ("q · p · w · (1 - 0.01 · c)", 0.1),
        ("q · p · w · d", 0.05),
        ("q · p / w", 0.05),
    ],
)
def test_products_of_four_factors_are_found_in_spite_of_wrong_cells(how, text, share):
    rng = np.random.default_rng([len(how), len(text)])
    n = 1000
    table = {
        "q": rng.integers(1, 30, n),
        "p": rng.uniform(1, 500, n).round(2),
        "w": rng.uniform(0.1, 9, n).round(1),
        "d": rng.integers(2, 60, n),
        "c": rng.choice([0, 5, 10, 20, 25], n),
        "other": rng.normal(50, 5, n).round(1),
    }
    clean = np.round(eval(text.replace("·", "*"), dict(table)), 2)
    y, rows = clean.copy(), rng.choice(n, round(share * n), replace=False)
    y[rows] = {
        "swapped": np.roll(clean[rows], 1),
        "ten times": 10 * clean[rows],
        "other sign": -clean[rows],
        "off": clean[rows] + rng.choice([1, 10, 100], len(rows)),
    }[how]
    table["y"] = y.round(2)
    (law,) = gramian.relations(pd.DataFrame(table))
    assert {*law.columns} == {"y", *(name for name in "qpwdc" if name in text)}
    assert law.n_exceptions == np.sum(table["y"] != clean)


def test_dates_in_order_obey_a_law_up_to_the_rounding_of_floats():
    start = pd.date_range("2024-03-30", periods=400, freq="h", tz="Europe/Berlin")
    table = pd.DataFrame({"start": start, "x": np.random.default_rng(0).standard_normal(400)})
    table["due"] = table.start + pd.Timedelta(days=30)
    (law,) = gramian.relations(table)
    # On the wall clock, rows before the change to summer time differ by an hour.
    assert {*law.columns} == {"start", "due"}
    assert law.n_exceptions == np.sum(start < "2024-03-31 03:00:00+02:00")


def test_no_law_is_returned_that_few_of_all_rows_obey(monkeypatch):
    rng = np.random.default_rng(0)
    table, _ = invoices(0, 0.05)
    assert any(law.n_exceptions for law in gramian.relations(table))
    maker = _table_relations.RelationMaker
    monkeypatch.setattr(maker, "exceptions", lambda *_: int(rng.integers(181, 600)))
    assert not any(law.n_exceptions for law in gramian.relations(table))


@pytest.mark.parametrize("wrong", [["net"], ["gross"], ["tax", "social", "net"]])
@pytest.mark.parametrize(("tax", "social"), [(0.22, 0.0765), (0.2, 0.16046), (0.25, 0.093)])
def test_a_sum_of_rounded_parts_is_not_replaced_by_multiples(tax, social, wrong):
    rng = np.random.default_rng(0)
    gross, fee = rng.normal(4000, 900, 600).round(2), rng.uniform(5, 50, 600).round(2)
    parts = {"tax": (gross * tax).round(2), "social": (gross * social).round(2), "union_fee": fee}
    table = pd.DataFrame({"gross": gross, **parts, "net": (gross - sum(parts.values())).round(2)})
    for name in wrong:
        rows = rng.choice(600, 12, replace=False)
        table.loc[rows, name] = (table.loc[rows, name] + rng.choice([1, -10, 100], 12)).round(2)
    assert {*map(str, gramian.relations(table))} == {
        f"tax = {tax} \N{MIDDLE DOT} gross",
        f"social = {social} \N{MIDDLE DOT} gross",
        "gross = tax + social + union_fee + net",
    }


@pytest.mark.parametrize("n_wrong", [10, 50, 150])
def test_sums_that_are_off_by_a_cent_are_exceptions(n_wrong):
    rng = np.random.default_rng(5)
    net, fee, tip = rng.uniform(1, 500, (3, 1000)).round(2)
    total = (net + fee + tip).round(2)
    wrong = rng.choice(1000, n_wrong, replace=False)
    total[wrong] = (total[wrong] + rng.choice([-0.01, 0.01], n_wrong)).round(2)
    table = pd.DataFrame({"net": net, "fee": fee, "tip": tip, "total": total})
    (law,) = gramian.relations(table)
    assert (law.exact, law.n_exceptions) == (False, n_wrong)


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_numbers_that_were_rounded_before_have_no_exceptions(seed):
    rng = np.random.default_rng(seed)
    parts = rng.uniform(1, 500, (3, 800))
    table = {name: each.round(2) for name, each in zip("abc", parts, strict=True)}
    (law,) = gramian.relations(pd.DataFrame({**table, "sum": parts.sum(axis=0).round(2)}))
    assert law.n_exceptions == 0


@pytest.mark.parametrize("how", ["a cent", "other sign", "off"])
@pytest.mark.parametrize("text", ["max(x, z)", "min(x, z)", "min(250, x)", "max(4.9, 0.025 · x)"])
def test_extremes_are_found_in_spite_of_wrong_cells(text, how):
    rng = np.random.default_rng(len(how) + len(text))
    n, wrong = 1000, 150
    x, z = rng.uniform(1, 500, (2, n)).round(2)
    names = {"max": np.maximum, "min": np.minimum, "x": x, "z": z}
    y = np.round(eval(text.replace("·", "*"), names), 2)
    rows = rng.choice(n, wrong, replace=False)
    y[rows] = {
        "a cent": y[rows] + rng.choice([-0.01, 0.01], wrong),
        "other sign": -y[rows],
        "off": y[rows] + rng.choice([1, 10, 100], wrong),
    }[how]
    table = {"x": x, "z": z, "y": y.round(2)} if "z" in text else {"x": x, "y": y.round(2)}
    (law,) = gramian.relations(table)
    assert str(law) == f"y = {text}"
    # Half a cent may be rounded in either way.
    assert wrong - 5 <= law.n_exceptions <= wrong


@pytest.mark.parametrize("seed", range(3))
def test_a_minimum_with_wrong_cents_is_no_product_of_factors(seed):
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(1, 500, (2, 1000)).round(2)
    y = np.minimum(x, z)
    y[rng.choice(1000, 10, replace=False)] += 0.01
    assert [str(law) for law in gramian.relations({"x": x, "z": z, "y": y.round(2)})] == [
        "y = min(x, z)"
    ]


@pytest.mark.parametrize(("n", "wrong"), [(300, 2), (1500, 75)])
def test_a_number_that_was_rounded_down_is_no_line_with_exceptions(n, wrong):
    rng = np.random.default_rng(2)
    seconds = rng.integers(100, 9000, n)
    minutes = seconds // 60
    minutes[rng.choice(n, wrong, replace=False)] *= 10
    assert len(gramian.relations({"seconds": seconds, "minutes": minutes})) == 0
    rounded = np.where(minutes == seconds // 60, np.round(0.07 * seconds), 9999)
    (law,) = gramian.relations({"seconds": seconds, "rounded": rounded})
    assert law.n_exceptions == wrong
