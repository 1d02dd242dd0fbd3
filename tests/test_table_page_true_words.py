"""Sentences of the page about a table are true, and lists that are cut say so."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from table_page_cases import facts_of, invoices, measured

from gramian import report

pytest.importorskip("jinja2")
pytest.importorskip("pyarrow")


def markdown_of(tmp_path, table, **options):
    """Return the Markdown page about a table."""
    return report(table, path=tmp_path / "page.md", **options).read_text(encoding="utf-8")


def test_values_that_come_back_up_to_an_error_have_a_typical_and_a_largest_error(tmp_path):
    rng = np.random.default_rng(0)
    mass, speed = rng.uniform(10, 500, 400), rng.uniform(0.5, 20, 400)
    table = pd.DataFrame({"mass": mass, "speed": speed, "momentum": mass * speed})
    table = table.map(lambda each: float(f"{each:.6g}"))
    (told,) = facts_of(tmp_path, table)["computed_columns"]
    error = np.abs(table.mass * table.speed - table.momentum)
    assert told["column"] == "momentum"
    assert told["largest_error"] == pytest.approx(error.max(), rel=0.01)
    assert told["typical_error"] == pytest.approx(np.sqrt((error**2).mean()), rel=0.01)
    text = markdown_of(tmp_path, table)
    found = re.search(r"close enough: momentum \(typically (\S+), at most (\S+)\)", text)
    assert found is not None
    assert error.max() <= 1.01 * float(found[2]) < 1.1 * error.max()
    assert "| values up to an error, typically " in text
    assert "to the last printed digit" not in text


def test_a_law_with_noise_says_within_what_it_holds(tmp_path):
    table = measured()
    error = np.abs(table.power - table.voltage * table.current).max()
    text = markdown_of(tmp_path, table)
    laws = re.findall(r"`: within ±(\S+) in all 300 rows, typical error 0\.\d+", text)
    assert len(laws) == 2
    assert all(error <= float(each) < 1.1 * error for each in laws)
    assert "holds in" not in text


def test_the_rows_that_break_older_laws_are_counted_if_not_all_are_shown(tmp_path):
    old, new = invoices().drop(index=[17, 23, 155, 40]), invoices()
    new.loc[100:109, "net"] += 3
    text = markdown_of(tmp_path, new, against=old)
    section = text.split("### Rows that break laws of the older table")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("- Row")]
    assert len(rows) == 8
    assert "- and 6 more rows" in section


def test_a_constant_column_is_told_in_plain_words(tmp_path):
    table = invoices().drop(columns="gross").assign(payday="2025-03-31", never=np.nan, once=1.0)
    table = table.drop(index=40)
    table.loc[3:9, "once"] = np.nan
    text = markdown_of(tmp_path, table)
    assert "payday has the same value in all rows." in text
    assert "once has the same value in all rows that have one." in text
    assert "never has no value in any row." in text
    assert "`payday = 2025-03-31`: holds in all 299 rows" in text


def test_what_was_not_searched_has_its_own_heading(tmp_path):
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 14)).round(3))
    wide.columns = [f"s{i}" for i in range(14)]
    (note,) = facts_of(tmp_path, wide)["not_searched"]
    assert "not searched among the 14 columns" in note
    text = markdown_of(tmp_path, wide)
    assert "## What was not searched\n\n- Polynomials" in text
    assert "## What was done" not in text
    html = report(wide, path=tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<section id="unsearched"' in html


def test_few_columns_are_listed_until_they_explain_99_percent(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 10)) @ rng.normal(size=(10, 20))
    table = pd.DataFrame(rows, columns=[f"s{i}" for i in range(20)])
    few = facts_of(tmp_path, table)["few_columns"]
    assert len(few["columns"]) <= 10
    assert few["share_by_columns"][-1] >= 0.99 > few["share_by_columns"][-2]
    assert few["ends"] == "The list ends where the columns explain 99 %."
    noise = pd.DataFrame(rng.normal(size=(600, 20)), columns=table.columns)
    few = facts_of(tmp_path, noise)["few_columns"]
    assert len(few["columns"]) == 12
    assert few["ends"] == (
        "The list ends after 12 columns, which do not explain 99 %; 8 other columns follow."
    )


def test_a_column_that_counts_the_rows_stands_for_no_others(tmp_path):
    table = invoices().assign(number=range(500, 800), tens=range(10, 3010, 10))
    few = facts_of(tmp_path, table)["few_columns"]
    assert few["left_out"] == ["number", "tens"]
    assert not {"number", "tens"} & {*few["columns"]}
    html = report(table, path=tmp_path / "page.html").read_text(encoding="utf-8")
    assert "number and tens count the rows, and are left out." in html


def test_rows_are_named_by_the_column_that_names_them(tmp_path):
    table = invoices()
    table.insert(2, "order", [f"A-{i}" for i in range(300)])
    table.to_csv(tmp_path / "in.csv", index=False)
    told = facts_of(tmp_path, tmp_path / "in.csv")
    assert told["table"]["rows_named_by"] == "order"
    names = {each["name"] for each in told["broken_rows"]}
    assert names == {f"A-{row}" for row in (17, 23, 155, 40)}
    text = markdown_of(tmp_path, tmp_path / "in.csv")
    assert "Row 19 (order A-17): gross is" in text
    assert "row (order)" in text
    assert "| 19 (A-17) |" in text
    assert "row 2 is the first row below the header" in text


def test_whole_numbers_name_rows_if_they_are_the_first_column(tmp_path):
    numbers = np.random.default_rng(0).permutation(300) + 1000
    first = invoices()
    first.insert(0, "number", numbers)
    assert facts_of(tmp_path, first)["table"]["rows_named_by"] == "number"
    last = invoices().assign(number=numbers)
    assert facts_of(tmp_path, last)["table"]["rows_named_by"] is None
    twice = first.assign(number=numbers // 2)
    assert facts_of(tmp_path, twice)["table"]["rows_named_by"] is None


def test_notes_about_laws_need_a_law(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 3)).round(3), columns=[*"abc"])
    table["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 300), "D")
    table.loc[::9, "a"] = np.nan
    done = facts_of(tmp_path, table)["done"]
    assert done == ["Dates: day.", "34 cells are empty: a has 34."]
