"""Of several laws that say the same, the one that a person would write is listed."""

import json

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.formulas import Formula, Term
from gramian.laws import Extreme, Rounding, Series, Solution, law_from_json


def sales(seed=0, n=600):
    rng = np.random.default_rng(seed)
    quantity = rng.integers(1, 40, n)
    price = rng.lognormal(3, 0.8, n).round(2)
    off = rng.choice([0, 5, 10, 20], n)
    net = (quantity * price * (1 - off / 100)).round(2)
    vat = (0.19 * net).round(2)
    cost = (net * rng.uniform(0.3, 0.9, n)).round(2)
    return pd.DataFrame(
        {
            "quantity": quantity,
            "price": price,
            "off": off,
            "net": net,
            "vat": vat,
            "gross": (net + vat).round(2),
            "cost": cost,
            "margin": (net - cost).round(2),
        }
    )


def laws_of(table, **options):
    return {str(each) for each in gramian.relations(table, **options)}


def test_sums_of_base_columns_come_before_sums_of_their_parts():
    found = laws_of(sales())
    assert {"gross = net + vat", "vat = 0.19 · net"} <= found
    assert {"net = cost + margin", "net = margin + cost"} & found
    assert len(found) == 4


def test_a_price_times_a_quantity_less_a_percentage_is_found():
    (law,) = [each for each in gramian.relations(sales()) if "quantity" in each.columns]
    new = pd.DataFrame({"quantity": [3], "price": [10.0], "off": [10]})
    assert law.solve_for("net")(new)[0] == pytest.approx(27.0)


@pytest.mark.parametrize("seed", range(3))
def test_units_conversions_have_the_digits_that_give_the_column(seed):
    rng = np.random.default_rng(seed)
    km = rng.integers(5, 1900, 500)
    table = pd.DataFrame({"km": km, "miles": (km * 0.621371).round(1)})
    law = gramian.relations(table)[0]
    for column in table:
        given = np.round(law.solve_for(column)(table), 1 if column == "miles" else 0)
        assert np.mean(given == table[column]) > 0.99


def test_thirds_are_written_as_fractions():
    rng = np.random.default_rng(1)
    total = rng.integers(60, 300, 400)
    found = laws_of(pd.DataFrame({"total": total, "mean": (total / 3).round(2)}))
    assert found == {"mean = 1/3 · total"}


def test_a_law_with_noise_among_columns_of_exact_laws_is_not_listed():
    rng = np.random.default_rng(2)
    price = rng.integers(100_000, 900_000, 500)
    tax = np.round(price * rng.choice([0.035, 0.05, 0.065], 500))
    fee = np.round(0.0357 * price)
    table = pd.DataFrame({"price": price, "fee": fee, "tax": tax, "all": price + fee + tax})
    assert all(each.exact for each in gramian.relations(table))


def test_a_ratio_of_few_values_is_no_polynomial():
    rng = np.random.default_rng(3)
    nights = rng.integers(1, 15, 800)
    guests = rng.integers(1, 5, 800)
    table = pd.DataFrame({"nights": nights, "breakfast": 12.5 * nights * guests})
    assert not len(gramian.relations(table))


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_maximum_and_minimum_of_two_columns_are_found(share):
    rng = np.random.default_rng(4)
    a, b = rng.gamma(2, 9, (2, 800)).round(1)
    top, low = np.maximum(a, b), np.minimum(a, b)
    wrong = rng.choice(800, int(share * 800), replace=False)
    top[wrong] += 10
    found = gramian.relations(pd.DataFrame({"a": a, "b": b, "top": top, "low": low}))
    law = next(each for each in found if each.columns[-1] == "top")
    assert str(law) == "top = max(a, b)"
    assert law.n_exceptions == len(wrong)
    assert set(np.flatnonzero(law.imbalance({"a": a, "b": b, "top": top}))) == set(wrong)


def test_a_fee_with_a_least_amount_is_a_maximum():
    rng = np.random.default_rng(5)
    value = rng.lognormal(8, 1.2, 900).round(2)
    fee = np.maximum(4.9, 0.0025 * value).round(2)
    found = laws_of(pd.DataFrame({"value": value, "fee": fee}))
    assert found == {"fee = max(4.9, 0.0025 · value)"}


def test_an_extreme_column_is_dropped_and_comes_back():
    rng = np.random.default_rng(6)
    a, b = rng.uniform(1, 30, (2, 500)).round(1)
    table = pd.DataFrame({"a": a, "b": b, "top": np.maximum(a, b)})
    selection = gramian.select(table)
    assert list(selection.dropped) == ["top"]
    pd.testing.assert_frame_equal(selection.reconstruct(selection.transform(table)), table)


SERIES = {
    "lag": ("sales one row before", lambda s: s.shift(1)),
    "difference": ("sales minus sales one row before", lambda s: s.diff()),
    "mean": ("mean of the last 7 of sales", lambda s: s.rolling(7).mean().round(2)),
    "sum": ("sum of the last 3 of sales", lambda s: s.rolling(3).sum()),
    "total": ("sum of sales up to this row", lambda s: 1000 + s.cumsum()),
}


@pytest.mark.parametrize("name", SERIES)
def test_series_of_another_column_are_found_and_drop_nothing(name):
    text, made = SERIES[name]
    rng = np.random.default_rng(7)
    sales = pd.Series(rng.poisson(40, 300).astype(float))
    table = pd.DataFrame({"sales": sales, "made": made(sales), "other": rng.standard_normal(300)})
    (law,) = gramian.relations(table)
    assert str(law) == f"made = {text}"
    assert law.kind == "series"
    assert not np.nansum(law.imbalance(table))
    assert not gramian.relations(table).redundant()
    assert not gramian.select(table).dropped


def test_wrong_cells_do_not_hide_a_running_mean():
    rng = np.random.default_rng(8)
    sales = pd.Series(rng.poisson(40, 400).astype(float))
    mean = sales.rolling(7).mean().round(2)
    mean[[20, 90, 200]] += 5
    (law,) = gramian.relations(pd.DataFrame({"sales": sales, "mean7": mean}))
    assert (str(law), law.n_exceptions) == ("mean7 = mean of the last 7 of sales", 3)


@pytest.mark.parametrize("seed", range(5))
def test_independent_series_are_no_lags_of_each_other(seed):
    rng = np.random.default_rng(seed)
    walks = np.cumsum(rng.integers(-3, 4, (300, 5)), axis=0).astype(float)
    assert not len(gramian.relations(pd.DataFrame(walks, columns=[*"abcde"])))


def test_a_lookup_has_exceptions_if_their_values_are_strange():
    rng = np.random.default_rng(9)
    country = rng.choice(["DE", "AT", "CH"], 600)
    rate = np.array([{"DE": 19.0, "AT": 20.0, "CH": 8.1}[each] for each in country])
    wrong = rng.choice(600, 30, replace=False)
    rate[wrong] = rng.uniform(30, 99, 30).round(1)
    (law,) = gramian.relations(pd.DataFrame({"country": country, "rate": rate}))
    assert (law.columns, law.n_exceptions) == (("country", "rate"), 30)


def test_a_tendency_is_no_lookup():
    rng = np.random.default_rng(10)
    kind = rng.choice(["a", "b", "c"], 600)
    often = np.array([{"a": 1, "b": 2, "c": 3}[each] for each in kind])
    often = np.where(rng.uniform(size=600) < 0.15, rng.integers(1, 4, 600), often)
    assert not len(gramian.relations(pd.DataFrame({"kind": kind, "often": often})))


@pytest.mark.parametrize(
    "law",
    [
        Extreme("y", True, ((4.9, None), (0.5, "x")), Rounding(2, half_up=True)),
        Extreme("y", False, ((1.0, "x"), (1.0, "z"))),
        Series("y", "mean", "x", 7, 0.0, Rounding(2)),
        Series("y", "total", "x", 1, 1000.0),
    ],
)
def test_extremes_and_series_survive_documents(law):
    assert law_from_json(law.to_json()) == law
    assert law.sympy() is not None
    assert law.latex()


@pytest.mark.parametrize(
    "document",
    [
        {"extreme": "y", "largest": 1, "parts": [[1.0, "x"], [1.0, "z"]], "decimals": None},
        {"extreme": "y", "largest": True, "parts": [[1.0, "y"], [1.0, "z"]], "decimals": None},
        {"extreme": "y", "largest": True, "parts": [[float("inf"), "x"], [1, "z"]], "decimals": 2},
        {"extreme": "y", "largest": True, "parts": [[1.0, None], [1, None]], "decimals": 2},
        {"extreme": "y", "largest": True, "parts": "xz", "decimals": 2},
        {"extreme": "y", "largest": True, "parts": [[1.0, "x"], [1, "z"]], "decimals": -1},
        {"extreme": "y"},
        {"series": "y", "kind": "up", "source": "x", "n_rows": 1, "start": 0, "decimals": None},
        {"series": "y", "kind": "lag", "source": "y", "n_rows": 1, "start": 0, "decimals": None},
        {"series": "y", "kind": "lag", "source": "x", "n_rows": 0, "start": 0, "decimals": None},
        {"series": "y", "kind": "lag", "source": "x", "n_rows": 1, "start": None, "decimals": 1},
        {"series": "y", "kind": "lag", "source": "x", "n_rows": 1, "start": 0, "decimals": 999},
        {"series": "y"},
    ],
)
def test_documents_that_are_no_laws_are_refused(document):
    with pytest.raises(ValueError, match="stored"):
        law_from_json(document)


@pytest.mark.parametrize("wrong", [0, 10])
@pytest.mark.parametrize(
    ("levels", "factor"), [([0, 5, 10, 20], "0.01 \N{MIDDLE DOT} "), ([0, 0.05, 0.1, 0.2], "")]
)
def test_a_discount_is_written_as_a_factor(levels, factor, wrong):
    rng = np.random.default_rng(0)
    quantity, price = rng.integers(1, 40, 500), rng.uniform(2, 90, 500).round(2)
    discount = rng.choice(levels, 500)
    net = (quantity * price * (1 - discount * (0.01 if factor else 1))).round(2)
    net[rng.choice(500, wrong, replace=False)] += 7
    table = {"quantity": quantity, "price": price, "discount": discount, "net": net.round(2)}
    (law,) = gramian.relations(pd.DataFrame(table))
    dot, minus = "\N{MIDDLE DOT}", "\N{MINUS SIGN}"
    assert str(law) == f"net = quantity {dot} price {dot} (1 {minus} {factor}discount)"


def test_a_product_is_written_whenever_its_numbers_are_printed_so():
    names = ("q", "p", "d")
    terms = (Term(1.0, {"q": 1, "p": 1}), Term(-0.0100000004, {"q": 1, "p": 1, "d": 1}))
    one = Formula((Term(1.0, {}),), names)
    top = Solution("net", Formula(terms, names, (3, 3)), one)
    assert top.text == "q \N{MIDDLE DOT} p \N{MIDDLE DOT} (1 \N{MINUS SIGN} 0.01 \N{MIDDLE DOT} d)"
    below = Solution(
        "x", Formula((Term(1.0, {"net": 1}),), ("net",)), Formula(terms, names, (3, 3))
    )
    assert below.text == f"net / ({top.text})"
    assert r"\frac" in below.latex()
    assert r"\left(1 - 0.01" in below.latex()


@pytest.mark.parametrize("wrong", [0, 5])
@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_hours_above_a_limit_are_a_maximum(wrong, decimals):
    rng = np.random.default_rng(0)
    hours, noise = rng.normal(170, 12, 500).round(decimals), rng.normal(size=500).round(2)
    overtime, rows = np.maximum(hours - 168, 0), rng.choice(500, wrong, replace=False)
    overtime[rows] += 37
    table = {"hours": hours, "noise": noise, "overtime": overtime.round(decimals)}
    (law,) = gramian.relations(pd.DataFrame(table))
    assert str(law) == "overtime = max(hours \N{MINUS SIGN} 168, 0)"
    assert (law.n_exceptions, law.exact) == (wrong, not wrong)
    assert law({"hours": [160, 171]}).tolist() == [0, 3]
    stored = law_from_json(json.loads(json.dumps(law.form.to_json())))
    assert stored == law.form
    assert "Max" in str(law.sympy())
    assert law.latex().endswith(r"\left(\mathrm{hours} - 168, 0\right)")


def test_a_line_up_to_a_largest_number_is_a_minimum():
    hours = np.random.default_rng(0).normal(170, 12, 500).round()
    table = pd.DataFrame({"hours": hours, "cost": np.minimum(0.25 * hours + 5, 48)})
    (law,) = gramian.relations(table)
    assert str(law) == "cost = min(0.25 \N{MIDDLE DOT} hours + 5, 48)"


def test_an_exact_law_is_printed_with_the_digits_that_its_cells_need():
    month = np.arange(1.0, 200)
    rng = np.random.default_rng(0)
    table = {"month": rng.permutation(month), "noise": rng.standard_normal(199)}
    table["time"] = table["month"] / 12 + 1955 + 11 / 12
    (law,) = gramian.relations(table)
    text = str(law)
    assert text.startswith("time = 1/12 · month + 1955.91")
    made = table["month"] / 12 + float(text.split(" + ")[1])
    assert np.abs(made - table["time"]).max() <= 1e-5


def test_a_common_coefficient_is_written_once():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(1, 90, (300, 3)), columns=["jan", "feb", "mar"])
    table["mean"] = (table.jan + table.feb + table.mar) / 3
    table["gap"] = 0.5 * table.feb - 0.5 * table.mar
    found = gramian.relations(table)
    assert {*map(str, found)} == {
        "mean = 1/3 · (jan + feb + mar)",
        "gap = 0.5 · (feb \N{MINUS SIGN} mar)",
    }
    mean = next(law for law in found if "mean" in law.columns)
    assert mean.latex() == (
        r"\mathrm{mean} = \tfrac{1}{3} \left(\mathrm{jan} + \mathrm{feb} + \mathrm{mar}\right)"
    )


def test_the_number_of_a_row_is_no_sum_of_measured_numbers():
    low, high = np.meshgrid(np.arange(40) / 12 + 4.5, np.arange(20) / 8 + 9, indexing="ij")
    grid = {"rownames": np.arange(800), "low": low.ravel(), "high": high.ravel()}
    assert not gramian.relations(pd.DataFrame(grid))
    block, plot = np.meshgrid(np.arange(40), np.arange(20), indexing="ij")
    plots = {"rownames": np.arange(800), "block": block.ravel(), "plot": plot.ravel()}
    assert [*map(str, gramian.relations(pd.DataFrame(plots)))] == ["rownames = 20 · block + plot"]


def test_the_number_of_a_row_is_no_maximum():
    number = 20_040_001 + np.arange(400) // 50 * 10_000 + np.arange(400) % 50
    year = np.minimum(2012, np.round(0.0001 * number, 1))
    assert not gramian.relations(pd.DataFrame({"rownames": number, "year": year}))


def test_what_changed_in_a_year_did_not_change_at_a_population():
    year = np.arange(1960, 2020)
    rng = np.random.default_rng(0)
    people = 3000 + 80.0 * (year - 1960) + rng.normal(0, 5, 60).cumsum()
    level = rng.normal(size=60)
    table = {"year": year, "people": people.round(1), "level": level}
    table["method"] = np.select([year < 1985, year < 2001], ["paper", "phone"], "web")
    table["sign"] = np.where(level < 0, "minus", "plus")
    assert {*map(str, gramian.relations(pd.DataFrame(table)))} == {
        "method follows from year (steps at 1984, 2000)",
        "sign follows from level (steps at 0)",
    }
