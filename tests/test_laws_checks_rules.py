"""Cells that may be right: another rule may hold in a row, and a label may be new."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.laws import load_checks
from gramian.laws.checks._new_labels import is_misspelling


def flights(n=3000):
    """Return a time in UTC, and the parts of the local time, four hours before; all are right."""
    rng = np.random.default_rng(0)
    local = pd.Timestamp("2023-01-01 05:00") + pd.to_timedelta(rng.integers(0, 365, n), "D")
    local = pd.DatetimeIndex(local + pd.to_timedelta(rng.integers(0, 19, n), "h"))
    utc = local + pd.Timedelta(hours=4)
    price = rng.uniform(20, 90, n).round(2)
    parts = {"month": local.month, "hour": local.hour}
    return pd.DataFrame({**parts, "utc": utc, "price": price})


def hotel(n=600):
    """Return rooms: the type and the rate follow from each other, and the price from the rate."""
    rng = np.random.default_rng(0)
    rates = {"Standard": 89.0, "Superior": 119.0, "Deluxe": 159.0, "Suite": 249.0}
    room, nights = rng.choice([*rates], n), rng.integers(2, 15, n)
    rate = pd.Series(room).map(rates)
    return pd.DataFrame({"room": room, "rate": rate, "nights": nights, "price": rate * nights})


def test_a_part_of_a_date_with_exceptions_calls_no_cell_wrong():
    table = flights()
    found = gramian.relations(table)
    assert any(str(each).startswith("month = the month of utc") for each in found)
    result = found.check(table)
    assert len(result.rows) > 3
    assert not any(each.mends for each in result.cells)
    assert {each.kind for each in result.cells} == {"rule"}
    text = str(result)
    assert ", which does not follow the rule: it gives " in text
    assert "is wrong" not in text
    assert "the laws give" not in text
    assert "They break only rules that had exceptions when they were found" in text


def test_a_share_that_the_user_allows_makes_no_rule_certain():
    table = flights()
    checks = gramian.relations(table).checks
    assert not any(each.mends for each in checks.check(table, allow=0).cells)


def test_a_lookup_with_exceptions_mends_a_cell_if_another_law_confirms_the_value():
    table = hotel()
    table["tax"] = (0.1 * table.rate).round(2)
    table.loc[5, "rate"] = 119.0 if table.rate[5] != 119.0 else 89.0
    table.loc[[50, 90], "room"] = [
        "Suite" if each != "Suite" else "Deluxe" for each in table.room[[50, 90]]
    ]
    found = gramian.relations(table)
    cells = {each.row: each for each in found.check(table).cells}
    assert cells[5].mends
    assert cells[5].expected == table.tax[5] * 10
    assert {cells[row].kind for row in (50, 90)} == {"rule"}
    assert not cells[50].mends


def test_rows_that_may_be_right_come_last():
    table = flights()
    table["price"], table["both"] = table.price, (2 * table.price).round(2)
    found = gramian.relations(table)
    last = len(table) - 1
    table.loc[last, "both"] += 1
    result = found.check(table)
    rows = [each for each in str(result).splitlines() if each.startswith("row ")]
    assert rows[0].startswith(f"row {last}: price")
    assert result.gravest_first[0].row == last


def test_a_new_label_is_called_new_and_stays():
    found = gramian.relations(hotel())
    table = hotel()
    row = int(np.flatnonzero(table.room == "Standard")[0])
    table.loc[row, "room"] = "Penthouse"
    result = found.check(table)
    (cell,) = result.cells
    assert (cell.kind, cell.mends, cell.expected) == ("new", False, "Standard")
    assert str(cell) == (
        f"row {row}: room is Penthouse, which no row had when the laws were found "
        "(the laws would give Standard)"
    )


def test_a_misspelled_label_is_wrong_and_is_mended(tmp_path):
    (tmp_path / "laws.json").write_text(gramian.relations(hotel()).checks.text(), encoding="utf-8")
    table = hotel()
    row = int(np.flatnonzero(table.room == "Standard")[0])
    table.loc[row, "room"] = "Standrad"
    (cell,) = load_checks(tmp_path / "laws.json").check(table).cells
    assert (cell.kind, cell.mends, cell.expected) == ("wrong", True, "Standard")


def test_a_known_label_in_a_wrong_row_is_wrong():
    found = gramian.relations(hotel())
    table = hotel()
    table["room"] = table.room.where(
        table.index != 4, "Suite" if table.room[4] != "Suite" else "Deluxe"
    )
    (cell,) = found.check(table).cells
    assert cell.kind == "wrong"


MISSPELLED = {
    ("Gratz", "Graz"): True,
    ("zurich ", "Zurich"): True,
    ("Wein", "Wien"): True,
    ("Standrad", "Standard"): True,
    ("Penthouse", "Standard"): False,
    ("Superior Plus", "Superior"): False,
    ("zone 12", "zone 11"): False,
    ("AT", "AU"): False,
    ("", "Graz"): False,
}


@pytest.mark.parametrize("pair", MISSPELLED)
def test_a_misspelling_differs_by_few_letters(pair):
    assert is_misspelling(*pair) is MISSPELLED[pair]


def test_two_cells_that_are_as_likely_wrong_both_have_a_value():
    rng = np.random.default_rng(0)
    net = rng.uniform(1, 99, 300).round(2)
    tax, tip = (0.2 * net).round(2), rng.uniform(1, 9, 300).round(2)
    table = pd.DataFrame({"net": net, "tax": tax, "tip": tip, "sum": (net + tax + tip).round(2)})
    found = gramian.relations(table)
    right = table.loc[7, "sum"]
    table.loc[7, "sum"] += 2
    result = found.check(table)
    (cell,) = result.cells
    assert (cell.column, cell.expected, cell.mends) == (None, None, False)
    assert dict(zip(cell.likely, cell.values, strict=True)) == {
        "tip": round(tip[7] + 2, 2),
        "sum": right,
    }
    assert str(cell) == f"row 7: tip (the laws give {tip[7] + 2:g}) or sum ({right:g}) is wrong"
    (row,) = result.to_json()["rows"]
    assert row["values"] == [*cell.values]


def test_the_row_with_the_largest_miss_is_the_first_to_look_at():
    a, b = np.random.default_rng(0).uniform(1, 99, (2, 300)).round(2)
    table = pd.DataFrame({"a": a, "b": b, "sum": (a + b).round(2)})
    found = gramian.relations(table)
    table.loc[[3, 200, 250], "sum"] += [0.02, 70, 5]
    assert [each.row for each in found.check(table).gravest_first] == [200, 250, 3]


def test_the_check_says_that_broken_rows_are_allowed():
    a, b = np.random.default_rng(0).uniform(1, 99, (2, 600)).round(2)
    table = pd.DataFrame({"a": a, "b": b, "sum": (a + b).round(2)})
    table.loc[[3, 40, 50, 90], "sum"] += 7
    checks = gramian.relations(table).checks
    passes = "No law is broken in more rows than it allows, so all hold; allow=0 allows none."
    assert str(checks.check(table)).splitlines()[-1] == passes
    assert passes not in str(checks.check(table, allow=0))
    share = 4 / 600
    most = int(600 * share + 2 * np.sqrt(600 * share * (1 - share)))
    assert checks.check(table).laws[0].n_allowed == most == 7
    assert checks.check(table, allow=share).laws[0].n_allowed == 4
