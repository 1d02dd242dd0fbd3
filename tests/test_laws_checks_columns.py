"""Checks of tables whose columns differ, and of laws that do not concern each row."""

import json

import numpy as np
import pandas as pd
import pytest
from invoice_cases import invoices

import gramian
from gramian.laws import Checks


@pytest.fixture(scope="module")
def found():
    return gramian.relations(invoices(0))


def test_columns_may_have_another_order_and_company(found):
    table = invoices(1).iloc[:, ::-1].assign(note="new")
    result = found.check(table)
    assert result.ok
    assert [each.text for each in result.drift] == ["column note is new"]


def test_columns_that_are_missing_renamed_or_of_another_type_are_named(found):
    table = invoices(1).drop(columns="price").rename(columns={"gross": "Gross "})
    table["vat"] = table["vat"].astype(str) + " EUR"
    result = found.check(table)
    assert not result.ok
    told = {each.column: each for each in result.drift}
    assert told["price"].kind == "missing"
    assert told["gross"].kind == "renamed"
    assert "`Gross `" in told["gross"].text
    assert told["vat"].kind == "type"
    assert " EUR" in told["vat"].text
    untested = [each for each in result.laws if each.reason is not None]
    assert {each.column for each in untested} >= {"net", "gross"} - {None}
    assert all(each.n_tested == 0 and not each.holds for each in untested)
    assert all(each.holds for each in result.laws if each.reason is None)


def test_tables_of_each_kind_give_one_answer(found, tmp_path):
    pa, dd = pytest.importorskip("pyarrow"), pytest.importorskip("dask.dataframe")
    pl = pytest.importorskip("polars")
    table = invoices(1)
    table.loc[[5, 300], "gross"] += 1
    table.loc[6, "city"] = "Bonn"
    whole = found.check(table).to_json()
    assert [each["row"] for each in whole["rows"]] == [5, 6, 300]
    table.to_csv(tmp_path / "table.csv", index=False)
    others = {
        "polars": pl.from_pandas(table),
        "arrow": pa.Table.from_pandas(table),
        "columns": {name: table[name].to_numpy() for name in table},
        "dask": dd.from_pandas(table, npartitions=3),
        "csv": tmp_path / "table.csv",
        "index": table.set_index(np.arange(len(table)) + 7),
    }
    for name, other in others.items():
        assert found.check(other).to_json() == whole, name


def test_a_text_among_numbers_breaks_the_laws_of_its_row_only(found):
    table = invoices(1)
    right = table.loc[5, "net"]
    table["net"] = table["net"].astype(object)
    table.loc[5, "net"] = "about 30"
    table.loc[8, "gross"] += 1
    for each in (table, pd.concat([table.iloc[:300], table.iloc[300:]]).astype({"net": str})):
        result = found.check(each)
        assert result.rows.tolist() == [5, 8]
        assert all(law.reason is None for law in result.laws)
        cell = result.cells[0]
        assert (cell.column, cell.found, cell.expected) == ("net", "about 30", right)
        (told,) = result.drift
        assert (told.kind, told.column) == ("cells", "net")
        assert told.text == 'column net has text among its numbers: "about 30"'


def test_numbers_that_became_text_are_read_and_named(found):
    table = invoices(1).astype({"net": str, "price": str})
    table.loc[8, "gross"] += 1
    result = found.check(table)
    assert result.rows.tolist() == [8]
    assert [(each.kind, each.column) for each in result.drift] == [
        ("type", "price"),
        ("type", "net"),
    ]


def test_a_text_among_dates_breaks_the_laws_of_its_row_only(found):
    table = invoices(1)
    for name in ("due", "day"):
        other = table.copy()
        other.loc[8, "due"] += pd.Timedelta(days=1)
        other[name] = other[name].dt.strftime("%Y-%m-%d").where(other.index != 5, "2024-13-01")
        result = found.check(other)
        assert result.rows.tolist() == [5, 8]
        (told,) = result.drift
        assert told.text == f'column {name} has text among its dates: "2024-13-01"'
        (law,) = (each for each in result.laws if each.column == "due")
        assert (law.worst, law.worst_row) == (np.inf, 5)
        whole = found.check(table.assign(**{name: table[name].dt.strftime("%Y-%m-%d")}))
        assert not len(whole.rows)
        assert not whole.drift
    other[name] = "in " + other[name]
    assert "such as" in found.check(other).drift[0].text


def test_a_column_without_values_has_not_changed_its_type(found):
    table = invoices(1).assign(city=None, day=np.datetime64("NaT"), gross=np.nan)
    for empty in (table, table.assign(city=np.nan, day=np.nan), table.iloc[:0]):
        result = found.check(empty)
        assert not result.drift
        assert not len(result.rows)
        told = {each.column: str(each) for each in result.laws}
        for column in ("city", "gross"):
            assert told[column].endswith("not tested, no row has values in all its columns")
        assert all(each.holds for each in result.laws)


def test_a_law_of_a_column_that_no_table_has_cannot_be_tested(found):
    document = json.loads(found.checks.text().replace('"vat"', '"no such column"'))
    del document["columns"]
    result = Checks.from_json(document | {"columns": []}).check(invoices(1))
    untested = [each for each in result.laws if each.reason is not None]
    assert len(untested) == 2
    assert not result.ok
    assert "column no such column is missing" in str(result)


def test_a_law_of_some_rows_says_nothing_about_the_others():
    rng = np.random.default_rng(0)
    recurred, overall = rng.integers(0, 2, 300), rng.integers(50, 3000, 300).astype(float)
    free = np.where(recurred, rng.integers(1, 3000, 300), overall).astype(float)
    table = {"recurred": recurred, "overall": overall, "free": free}
    found = gramian.relations(table)
    assert len(found) == 1
    assert str(found[0]).startswith("where recurred is 0: ")
    inside, outside = np.flatnonzero(recurred == 0), np.flatnonzero(recurred == 1)
    free[[inside[0], outside[0]]] = np.inf
    overall[[inside[1], outside[1]]] = -np.inf
    free[[inside[2], outside[2]]] += 1
    result = found.check(table)
    assert result.rows.tolist() == sorted(inside[:3])
    assert result.laws[0].n_tested == len(inside)
    assert {*result.cells[2].likely} >= {"free", "overall"}
