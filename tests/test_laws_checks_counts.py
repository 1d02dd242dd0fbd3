"""Broken rows are counted in one way: by a law, by its check, and by selection."""

import numpy as np
import pandas as pd
import pytest

import gramian


def gems(n=3000):
    """Return sizes of gems; 15 % of the depths belong to a length with more digits.

    So their heights miss the law by a little more than half a unit of their last digit.
    """
    rng = np.random.default_rng(0)
    x, y = rng.uniform(3.8, 12, (2, n)).round(2)
    z = (rng.normal(0.617, 0.012, n) * (x + y) / 2).round(2)
    length = x + np.where(rng.random(n) < 0.15, rng.uniform(-0.01, 0.01, n), 0)
    depth = (200 * z / (length + y)).round(1)
    table = pd.DataFrame({"depth": depth, "x": x, "y": y, "z": z})
    wrong = rng.choice(n, 20, replace=False)
    table.loc[wrong, "z"] = (z[wrong] + rng.uniform(0.05, 3, 20)).round(2)
    return table, wrong


def temperatures(n=400):
    """Return temperatures with six digits: the decimals differ from row to row."""
    celsius = np.random.default_rng(0).uniform(0, 100, n)
    units = {"C": celsius, "F": 1.8 * celsius + 32, "K": celsius + 273.15}
    return pd.DataFrame({name: [float(f"{each:.6g}") for each in x] for name, x in units.items()})


def n_exceptions(found):
    return [each.n_exceptions for each in found for _ in each.checks]


@pytest.mark.parametrize("table", [gems()[0], temperatures()], ids=["gems", "temperatures"])
def test_a_check_of_the_table_itself_counts_the_exceptions_of_its_laws(table):
    found = gramian.relations(table)
    result = found.check(table)
    assert len(found)
    assert [each.n_broken for each in result.laws] == n_exceptions(found)
    assert result.ok


def test_rounded_inputs_make_no_row_wrong():
    table, wrong = gems()
    found = gramian.relations(table)
    assert str(found[0]).startswith("z = 0.005")
    assert {*found.check(table).rows.tolist()} == {*wrong.tolist()}


def test_decimals_that_differ_from_row_to_row_make_no_exceptions():
    found = gramian.relations(temperatures())
    assert n_exceptions(found) == [0, 0]


def test_all_rows_of_a_large_table_are_counted_in_one_way():
    rng = np.random.default_rng(0)
    n = 20_000
    a, b = rng.uniform(1, 99, (2, n)).round(2)
    table = pd.DataFrame({"a": a, "b": b, "c": (a * b / 7).round(2)})
    table.loc[rng.choice(n, 100, replace=False), "c"] += 0.01
    table = table.round(2)
    found = gramian.relations(table)
    assert [each.n_broken for each in found.check(table).laws] == n_exceptions(found) == [100]
