"""Rows that break laws with their cells, and laws as if these were corrected."""

import numpy as np
import pandas as pd
import pytest

import gramian


def bills(n=300):
    """Return bills with two wrong amounts, and the rows that have them."""
    net, vat = np.random.default_rng(0).uniform(1, 99, (2, n)).round(2)
    table = pd.DataFrame({"net": net, "vat": vat, "gross": (net + vat).round(2)})
    table.loc[[7, 90], "gross"] += 10
    return table


def test_broken_rows_have_the_cells_and_the_value_of_the_law():
    table = bills()
    checks = gramian.relations(table).checks
    (rows,) = checks.broken_rows(table, checks.check(table))
    assert [each.row for each in rows] == [7, 90]
    assert rows[0].cells == table.loc[7].to_dict()
    assert rows[0].expected == round(table.net[7] + table.vat[7], 2)


def test_at_most_as_many_rows_are_returned_as_asked_for():
    table = bills()
    checks = gramian.relations(table).checks
    (rows,) = checks.broken_rows(table, checks.check(table), most=1)
    assert [each.row for each in rows] == [7]


def test_a_law_that_looks_back_gives_values_in_later_blocks(monkeypatch):
    monkeypatch.setattr("gramian.laws.columns._coded_table.BLOCK_ROWS", 40)
    paid = np.random.default_rng(1).integers(1, 50, 300).astype(float)
    table = pd.DataFrame({"paid": paid, "balance": np.cumsum(paid)})
    checks = gramian.relations(table).checks
    table.loc[211, "balance"] += 5
    (rows,) = checks.broken_rows(table, checks.check(table))
    assert [(each.row, each.expected) for each in rows] == [(211, np.cumsum(paid)[211])]


def test_dates_and_texts_are_python_objects():
    rng = np.random.default_rng(2)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 200), "D")
    table = pd.DataFrame({"day": day, "due": day + pd.Timedelta(days=30)})
    table["zip"] = rng.choice(["1010", "8020", "4020"], 200)
    table["city"] = table.zip.map({"1010": "Wien", "8020": "Graz", "4020": "Linz"})
    checks = gramian.relations(table).checks
    table.loc[3, "due"] = pd.Timestamp("2030-01-01")
    table.loc[4, "city"] = "Gratz"
    found = dict(zip([each.text for each in checks], checks.broken_rows(table, checks.check(table)),
                     strict=True))  # fmt: skip
    (late,) = found["due = day + 30"]
    assert str(late.expected)[:10] == str(day[3] + pd.Timedelta(days=30))[:10]
    (named,) = found["city follows from zip (3 levels)"]
    assert named.cells["city"] == "Gratz"
    assert named.expected == table.zip.map({"1010": "Wien", "8020": "Graz", "4020": "Linz"})[4]


def test_an_equation_expects_no_value():
    angle = np.random.default_rng(0).uniform(0, 6.28, 200)
    table = {"x": np.cos(angle), "y": np.sin(angle)}
    checks = gramian.relations(table).checks
    table["x"][9] = 5.0
    ((row,),) = checks.broken_rows(table, checks.check(table))
    assert row.expected is None
    assert row.cells["x"] == 5.0


def test_a_table_without_names_has_them_from_the_laws():
    table = bills().to_numpy()
    checks = gramian.relations(table, ["net", "vat", "gross"]).checks
    ((row, _),) = checks.broken_rows(table, checks.check(table))
    assert set(row.cells) == {"net", "vat", "gross"}


def test_corrected_laws_drop_the_column_of_a_law_with_exceptions():
    found = gramian.relations(bills())
    assert found[0].n_exceptions == 2
    assert found.redundant() == {}
    assert set(found.corrected().redundant()) == {"gross"}


def test_wrong_cells_do_not_count_as_errors_of_corrected_laws():
    """tripled follows from wrong cells of gross, and is far from what the law of gross gives."""
    table = bills()
    table.loc[[7, 90], "gross"] += 500
    table["tripled"] = (3 * table.gross).round(2)
    keep = ["net", "vat"]
    found = gramian.relations(table)
    assert len(found.allowing(1.0).redundant(keep)) == 1
    assert len(found.corrected().redundant(keep)) == 2


@pytest.mark.parametrize("n", [0, 1])
def test_laws_without_exceptions_stay_as_they_are(n):
    table = bills().drop(index=[7, 90]).iloc[:, : 3 - n]
    found = gramian.relations(table)
    assert found.corrected() == found
