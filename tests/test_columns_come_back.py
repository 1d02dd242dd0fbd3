"""Dropped columns come back as they were: to the last digit, with their gaps, and in chains."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian import GFA
from gramian.laws import Rounding, Solution
from gramian.laws.columns import Printed
from gramian.laws.forms import has_common_factor


def returned(table: pd.DataFrame, **options) -> tuple[list[str], pd.DataFrame]:
    """Return the dropped columns of a selection, and the table that it reconstructs."""
    selection = gramian.select(table, **options)
    return [*selection.dropped], selection.reconstruct(selection.transform(table))


def with_cents(n_rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    euros = rng.integers(100, 99_999, n_rows) / 100
    return pd.DataFrame({"euros": euros, "cents": np.rint(100 * euros).astype(int)})


@pytest.mark.parametrize("seed", range(2))
def test_a_law_of_a_computed_column_compares_the_printed_numbers(seed):
    """The date gives age with a rounding error, which must not cross the steps at age 14."""
    year = np.random.default_rng(seed).integers(1950, 2024, 400)
    date = pd.Timestamp("2000-01-01") + pd.to_timedelta(year - 1950, unit="D")
    table = pd.DataFrame(
        {
            "year": year,
            "age": 2024 - year,
            "decade": year // 10 * 10,
            "month": date.month,
            "date": date,
        }
    )
    dropped, back = returned(table, keep=["date"])
    assert {"age", "decade"} <= {*dropped}
    pd.testing.assert_frame_equal(back, table, check_dtype=False)


def test_numbers_with_all_digits_keep_them_in_a_chain_of_laws():
    x = np.random.default_rng(0).standard_normal(120)
    table = pd.DataFrame({"x": x, "minus": -x, "minus_too": -x})
    dropped, back = returned(table)
    assert len(dropped) == 2
    pd.testing.assert_frame_equal(back, table, check_exact=True)


def test_whole_numbers_and_decimals_come_back_as_printed():
    table = with_cents().assign(pounds=lambda each: each.cents)
    dropped, back = returned(table)
    assert len(dropped) == 2
    pd.testing.assert_frame_equal(back, table, check_exact=True)


def test_a_rounded_column_comes_back_rounded():
    rng = np.random.default_rng(0)
    length = rng.integers(100, 2000, 300) / 10
    table = pd.DataFrame({"cm": length, "inch": (length / 2.54).round(2)})
    dropped, back = returned(table, keep=["cm"])
    assert dropped == ["inch"]
    pd.testing.assert_frame_equal(back, table, check_exact=True)


def test_a_law_of_rounded_numbers_has_the_coefficient_that_it_prints():
    inch = np.random.default_rng(0).integers(100, 9000, 300) / 100
    table = pd.DataFrame({"inch": inch, "cm": (2.54 * inch).round(1)})
    law = gramian.relations(table)[0]
    assert str(law) == "cm = 2.54 · inch"
    np.testing.assert_array_equal(law({"inch": [100.0, 1e6]}), [254.0, 2.54e6])


def test_a_law_that_misses_the_last_printed_digit_of_a_cell_drops_nothing():
    """Half units are rounded up, and the law rounds them to even: 0.125 is 0.13 or 0.12."""
    x = np.arange(1, 400) / 1000
    table = pd.DataFrame({"x": x, "y": np.floor(100 * x + 0.5 + 1e-9) / 100})
    fitted = GFA(threshold=None).fit(table)
    assert fitted.model_.laws == ()


def test_laws_in_model_files_keep_their_decimals(tmp_path):
    selection = gramian.select(with_cents(), keep=["cents"])
    selection.save(tmp_path / "model.gram")
    (law,) = gramian.models.read(tmp_path / "model.gram").estimator.model_.laws
    assert law.rounding == Rounding(2)
    assert law({"cents": [14099.0]}).tolist() == [140.99]


def test_a_stored_law_without_decimals_is_not_rounded():
    """Model files of earlier versions have no decimals."""
    law = gramian.relations(with_cents()).redundant(keep=["cents"])["euros"]
    assert "decimals" not in law.to_json()
    assert Solution.from_json(law.to_json()) == law


@pytest.mark.parametrize("decimals", [-1, 21, True, "2", 1.0])
def test_decimals_of_a_damaged_law_are_refused(decimals):
    law = gramian.relations(with_cents()).redundant(keep=["cents"])["euros"]
    with pytest.raises(ValueError, match="whole number"):
        Solution.from_json({**law.to_json(), "decimals": decimals})


def test_a_gap_that_a_law_would_fill_keeps_the_column():
    table = with_cents()
    gaps = table.astype(float)
    gaps.loc[::7, "cents"] = np.nan
    assert GFA(keep=["euros"]).fit(table).model_.laws
    assert GFA(keep=["euros"]).fit(gaps).model_.laws == ()


def test_functions_give_the_columns_that_do_not_depend_on_a_gap():
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 2, (3, 400))
    product = a * b + 0.0005 * rng.standard_normal(400)
    table = np.column_stack([a, b, c, product, b * c + 0.0005 * rng.standard_normal(400)])
    fitted = GFA(keep=[0, 1, 2]).fit(table)
    assert fitted.redundant_features_.tolist() == [3, 4]
    kept = fitted.transform(table)
    kept[::3, 2] = np.nan
    back = fitted.inverse_transform(kept)
    assert np.isnan(back[::3, 4]).all()
    np.testing.assert_allclose(back[:, 3], product, atol=0.01)


@pytest.mark.parametrize(
    ("cells", "decimals", "spelling"),
    [
        ([1.0, 20.0, np.nan], 0, None),
        ([0.25, 1.2, 100.0], 2, None),
        ([0.1 + 0.2, 1.0], None, None),
        (np.float32([0.1, 2.5]).astype(float), 1, 17),
        ([2.0**60, 1.0], None, None),
        ([], 0, None),
    ],
)
def test_printed_decimals_are_those_of_all_cells(cells, decimals, spelling):
    assert Printed.of(np.array(cells, dtype=float)) == Printed(decimals, spelling)


@pytest.mark.parametrize("spelling", ["dates", "texts"])
def test_laws_take_dates_as_the_table_has_them(spelling):
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 2000, 300), unit="D")
    if spelling == "texts":
        day = day.strftime("%Y-%m-%d")
    table = pd.DataFrame({"day": day, "noise": rng.standard_normal(300)})
    days = (pd.to_datetime(table.day) - pd.to_datetime(table.day).min()).dt.days
    table["km"] = 3 * days + 5
    (law,) = gramian.relations(table)
    assert str(law) == "km = 3 · day + 5"
    np.testing.assert_array_equal(law(table), table["km"])
    np.testing.assert_allclose(law.imbalance(table), 0, atol=1e-12)
    solved = law.solve_for("km")
    np.testing.assert_array_equal(solved({"day": table["day"].to_numpy()}), table["km"])
    np.testing.assert_array_equal(Solution.from_json(solved.to_json())(table), table["km"])


def test_dates_are_refused_by_a_law_of_numbers():
    law = gramian.relations(with_cents()).redundant(keep=["cents"])["euros"]
    with pytest.raises(ValueError, match="found in a column of numbers"):
        law({"cents": np.array(["2024-01-01"], dtype="datetime64[D]")})


def test_a_law_with_a_factor_that_cancels_is_not_returned():
    """In y · f = y₀ · f the factor f says nothing about y."""
    y, f, one = ((0, "x"), 1), ((1, "sin"), 1), ((2, "x"), 1)
    assert has_common_factor([(1.0, (y, f)), (2.0, (one, y)), (-3.0, (f,)), (-6.0, (one,))])
    assert not has_common_factor([(1.0, (y, f)), (2.0, (one, y)), (-3.0, (f,)), (6.0, (one,))])
    assert not has_common_factor([(1.0, (y,)), (-3.0, ())])
    assert not has_common_factor([(1.0, (y, one)), (-3.0, (f,))])


def test_a_selection_keeps_a_column_whose_cells_would_be_lost():
    """Functions drop the product, although it has values where a factor is missing."""
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 2, (3, 300))
    table = pd.DataFrame({"a": a, "b": b, "c": c})
    table["ab"] = a * b + 0.0005 * rng.standard_normal(300)
    assert [*gramian.select(table).dropped] == ["ab"]
    table.loc[::4, "c"] = np.nan
    dropped, back = returned(table)
    assert dropped == ["ab"]
    assert back.notna().equals(table.notna())
    table.loc[::5, "a"] = np.nan
    assert GFA().fit(table).redundant_features_.tolist() == [3]
    assert gramian.select(table).kept == ["a", "b", "c", "ab"]


def test_a_selection_keeps_a_column_whose_gaps_would_be_filled():
    table = with_cents().astype(float)
    table.loc[::7, "cents"] = np.nan
    assert gramian.select(table, keep=["euros"]).kept == ["euros", "cents"]
    _, back = returned(table)
    assert back.notna().equals(table.notna())


def test_gaps_are_compared_in_tables_that_are_read_in_pieces(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 2, (2, 6000))
    table = pd.DataFrame({"a": a, "b": b, "ab": a * b + 0.0005 * rng.standard_normal(6000)})
    table.loc[::5, "a"] = np.nan
    table.to_csv(tmp_path / "table.csv", index=False)
    selection = gramian.select(tmp_path / "table.csv", memory_budget=2**20)
    assert selection.kept == ["a", "b", "ab"]


def sales(n_wrong: int) -> pd.DataFrame:
    """Return sales with some wrong amounts."""
    rng = np.random.default_rng(0)
    quantity, price = rng.integers(1, 30, 1000), rng.uniform(1, 99, 1000).round(2)
    amount = (quantity * price).round(2)
    wrong = rng.choice(1000, n_wrong, replace=False)
    amount[wrong] = (amount[wrong] + rng.integers(1, 50, n_wrong)).round(2)
    return pd.DataFrame({"quantity": quantity, "price": price, "amount": amount})


def test_a_law_with_exceptions_keeps_its_columns_and_says_so():
    selection = gramian.select(sales(5))
    assert selection.kept == ["quantity", "price", "amount"]
    (caution,) = selection.cautions
    assert caution.kind == "exceptions"
    assert str(caution).startswith("amount would follow from ")
    rows = "but for 5 of 1,000 rows, and is kept unless exceptions=0.02 allows such rows."
    assert str(caution).endswith(rows)
    assert gramian.select(sales(0)).cautions == ()


def test_exceptions_allow_a_law_to_drop_its_column():
    table = sales(5)
    assert [*gramian.select(table, exceptions=0.004).dropped] == []
    selection = gramian.select(table, exceptions=0.005)
    assert selection.dropped["amount"].kind == "law"
    (lost,) = selection.cautions
    assert (lost.kind, lost.facts["n_exceptions"], lost.facts["n_rows"]) == ("lost", 5, 1000)
    back = selection.reconstruct(selection.transform(table))
    assert (back["amount"] != table["amount"]).sum() == 5


@pytest.mark.parametrize("share", [-0.1, 1.0, "all"])
def test_a_share_of_exceptions_is_checked(share):
    with pytest.raises(ValueError, match="exceptions"):
        gramian.select(sales(0), exceptions=share)


@pytest.mark.parametrize("options", [{"algorithm": "gfs", "n": 2}, {"backward": False}])
def test_exceptions_are_for_the_search_that_uses_laws(options):
    with pytest.raises(ValueError, match="exceptions is for"):
        gramian.select(sales(0), exceptions=0.1, **options)
    with pytest.raises(ValueError, match="exceptions needs backward=True"):
        GFA(exceptions=0.1, backward=False).fit(sales(0))


def with_half_cents(seed=0, n_rows=600):
    """Return a payroll in which a spreadsheet rounded pay: the middle between two cents goes up."""
    rng = np.random.default_rng(seed)
    hours, wage = rng.integers(600, 1800, n_rows), rng.integers(1300, 4500, n_rows)
    thousandths = hours * wage
    pay = (thousandths + 5) // 10 / 100
    return pd.DataFrame({"hours": hours / 10, "wage": wage / 100, "pay": pay})


def test_the_middle_between_two_cents_may_be_rounded_up():
    table = with_half_cents()
    selector = gramian.GFA().fit(table)
    assert [*selector.get_feature_names_out()] == ["hours", "wage"]
    again = selector.inverse_transform(selector.transform(table))
    assert (again[:, 2] == table.pay).all()
    even = table.assign(pay=np.round(table.hours * table.wage, 2))
    assert (even.pay != table.pay).any()
    assert [*gramian.GFA().fit(even).get_feature_names_out()] == ["hours", "wage"]


def test_laws_in_model_files_keep_the_way_of_rounding(tmp_path):
    table = with_half_cents()
    gramian.GFA().fit(table).save(tmp_path / "pay.gram")
    again = gramian.load(tmp_path / "pay.gram")
    assert (again.inverse_transform(again.transform(table))[:, 2] == table.pay).all()


@pytest.mark.parametrize(
    "value", [0.125, -0.125, 1.005, 2.675, 0.0, -0.004, 12345678901.235, 1e15 + 1, 1e18, np.nan]
)
def test_rounding_up_agrees_with_decimal_arithmetic(value):
    up = Rounding(2, half_up=True)(np.array([value]))[0]
    if np.isnan(value):
        assert np.isnan(up)
    else:
        exact = Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP)
        assert up == float(exact)


def test_nonsense_about_rounding_is_refused():
    law = gramian.relations(with_half_cents())[0].solve_for("pay").rounded_to(Rounding(2, True))
    document = law.to_json()
    assert type(law).from_json(document) == law
    with pytest.raises(ValueError, match="half_up"):
        type(law).from_json({**document, "half_up": 1})


@pytest.mark.parametrize("half_up", [True, False])
def test_cents_by_country_come_back_in_both_ways_of_rounding(half_up):
    rng = np.random.default_rng(1)
    cents, percent = rng.integers(1, 99999, 400), np.resize([19, 20, 7], 400)
    up = (cents * (100 + percent) + 50) // 100 / 100
    even = np.round(np.resize([1.19, 1.2, 1.07], 400) * (cents / 100), 2)
    gross = up if half_up else even
    assert (up != even).any()
    country = np.array(["de", "at", "es"])[np.resize([0, 1, 2], 400)]
    table = pd.DataFrame({"country": country, "net": cents / 100, "gross": gross})
    dropped, again = returned(table)
    assert dropped == ["gross"]
    assert (again.gross == table.gross).all()


def test_parts_of_a_total_go_rather_than_its_factors():
    rng = np.random.default_rng(0)
    price, count = rng.integers(100, 9999, 500) / 100, rng.integers(1, 40, 500)
    net = np.round(price * count, 2)
    cost = np.round(net * rng.uniform(0.3, 0.9, 500), 2)
    table = {"unit_price": price, "count": count, "net": net, "cost": cost}
    table["margin"] = np.round(net - cost, 2)
    kept = gramian.GFA().fit(pd.DataFrame(table)).get_feature_names_out()
    assert [*kept] == ["unit_price", "count", "cost"]
