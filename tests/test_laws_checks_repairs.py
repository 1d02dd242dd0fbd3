"""Cells that a check replaces: a law must fix the value to the last printed digit."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest

import gramian


def cents(values):
    return np.array(
        [float(Decimal(str(x)).quantize(Decimal("0.01"), ROUND_HALF_UP)) for x in values]
    )


def shop(seed, n=300):
    """Return a bill; `returned` is 0 in all rows."""
    rng = np.random.default_rng(seed)
    price, count = rng.integers(100, 9000, n) / 100, rng.integers(1, 20, n)
    net = cents((price * count).round(4))
    vat = cents((net * 0.2).round(6))
    return pd.DataFrame(
        {"price": price, "count": count, "net": net, "vat": vat, "gross": cents(net + vat)}
        | {"returned": 0}
    )


def test_another_value_of_a_constant_is_told_and_stays():
    found = gramian.relations(shop(0))
    table = shop(1)
    table.loc[17, "returned"] = 2
    (cell,) = found.check(table).cells
    assert (cell.column, cell.kind, cell.mends) == ("returned", "constant", False)
    assert str(cell) == "row 17: returned is 2, all earlier rows have 0"


def test_a_value_that_is_fixed_to_the_cent_is_right():
    found = gramian.relations(shop(0))
    right, table = shop(1), shop(1)
    table.loc[::30, "gross"] += 20
    cells = found.check(table).cells
    assert len(cells) == 10
    assert all(each.mends and not each.about for each in cells)
    assert [each.expected for each in cells] == right.gross[::30].tolist()


def test_a_value_that_rounding_leaves_open_is_approximate_and_stays():
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 90, (3, 300))
    sums = {"sum": (a + b + c).round(2), "double": (2 * (a + b + c)).round(2)}
    table = pd.DataFrame({"a": a.round(2), "b": b.round(2), "c": c.round(2), **sums})
    found = gramian.relations(table)
    today = table.copy()
    today.loc[7, "sum"] = 1.0
    today.loc[9, "double"] = 1.0
    cells = {each.row: each for each in found.check(today).cells}
    assert (cells[9].column, cells[9].about, cells[9].mends) == ("double", True, False)
    assert ", the laws give about " in str(cells[9])
    assert abs(cells[9].expected - table.double[9]) < 0.1
    assert cells[9].to_json()["about"] is True


def test_two_intervals_of_columns_that_are_tied_confirm_no_value():
    rng = np.random.default_rng(0)
    stock, cost = rng.integers(-300, 600, 300), rng.integers(100, 6000, 300) / 100
    value = (stock * cost).round(2)
    short = np.where(stock < 0, "Y", "N")
    table = pd.DataFrame({"stock": stock, "cost": cost, "value": value, "short": short})
    found = gramian.relations(table)
    assert sum("short follows from" in str(each) for each in found) == 2
    row = int(np.flatnonzero(stock > 100)[0])
    table.loc[row, "short"] = "Y"
    (cell,) = found.check(table).cells
    assert (cell.column, cell.expected, cell.mends) == ("short", "N", False)


def test_a_running_balance_stays_because_the_row_before_may_be_wrong():
    amount = np.random.default_rng(0).integers(-500, 900, 300) / 100
    balance = np.cumsum(amount).round(2)
    table = pd.DataFrame({"amount": amount, "twice": (2 * amount).round(2), "balance": balance})
    found = gramian.relations(table)
    assert "balance = sum of amount up to this row" in str(found)
    table.loc[280, "amount"] += 50
    cells = found.check(table).cells
    assert [each.row for each in cells] == [*range(280, 300)]
    assert not any(each.column == "balance" and each.mends for each in cells)


def test_one_cent_may_be_rounded_in_another_way():
    found = gramian.relations(shop(0))
    table = shop(1)
    table.loc[4, "vat"] = round(table.vat[4] + 0.01, 2)
    table.loc[5, "vat"] = round(table.vat[5] + 0.05, 2)
    assert [each.mends for each in found.check(table).cells] == [False, True]


@pytest.mark.parametrize("half_up", [True, False])
def test_the_middle_between_two_numbers_is_replaced_only_if_it_is_rounded_up(half_up):
    units, count = np.random.default_rng(0).integers(1, 90, (2, 600))
    value = 0.005 * units * count
    value = cents(value.round(6)) if half_up else value.round(2)
    table = pd.DataFrame({"units": units, "count": count, "all": units * count, "value": value})
    found = gramian.relations(table)
    tie = int(np.flatnonzero(units * count % 4 == 1)[0])
    table.loc[tie, "value"] = 900.0
    (cell,) = found.check(table).cells
    assert (cell.column, cell.expected, cell.mends) == ("value", value[tie], half_up)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_value_whose_sign_no_row_has_is_not_named(sign):
    rng = np.random.default_rng(0)
    net, tip = rng.uniform(1, 99, 300).round(2), rng.uniform(1, 9, 300).round(2)
    tax = (0.2 * net).round(2)
    table = sign * pd.DataFrame(
        {"net": net, "tax": tax, "tip": tip, "sum": (net + tax + tip).round(2)}
    )
    found = gramian.relations(table)
    right = table.loc[7, "sum"]
    table.loc[7, "sum"] = sign * 2.0
    (cell,) = found.check(table).cells
    assert (cell.column, cell.found, cell.mends) == ("sum", sign * 2.0, False)
    assert cell.expected == right
