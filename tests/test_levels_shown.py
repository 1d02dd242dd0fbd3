"""Columns that follow from levels of others, in `gramian explain` and in the report."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest
from cli_cases import succeed

import gramian

pd = pytest.importorskip("pandas")


def shop(n=300):
    """Return a table with slopes, a lookup, intervals, and the parts of a date."""
    rng = np.random.default_rng(0)
    product, age = rng.choice(["ham", "egg", "tea"], n), rng.uniform(1, 90, n).round(1)
    weight = rng.uniform(1, 20, n)
    date = pd.Series(pd.date_range("2022-11-05", periods=n))
    return pd.DataFrame(
        {
            "product": product,
            "shelf": pd.Series(product).map({"ham": "cold", "egg": "cold", "tea": "dry"}),
            "weight": weight,
            "price": weight * pd.Series(product).map({"ham": 4, "egg": 0.25, "tea": 1.5}) + 2,
            "age": age,
            "group": np.where(age > 40, "old", "young"),
            "date": date,
            "month": date.dt.month,
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shop().to_csv("shop.csv", index=False)
    return tmp_path


def test_explain_lists_laws_of_levels_and_counts_the_rows_that_obey_them(folder):
    succeed("select", "shop.csv", "-m", "m.gram", "-q")
    lines = succeed("explain", "m.gram").stdout.splitlines()
    assert "shelf follows from product (3 levels)" in lines
    other = shop()
    other.loc[:29, "shelf"] = "?"
    other.loc[:9, "price"] += 1
    other.loc[:4, "month"] = np.nan
    other.loc[:1, "age"] = np.nan
    other.to_csv("other.csv", index=False)
    document = json.loads(succeed("explain", "m.gram", "other.csv", "--json").stdout)
    counts = {each["feature"]: (each["n_rows"], each["n_holds"]) for each in document["levels"]}
    assert counts == {
        "shelf": (300, 270),
        "price": (300, 290),
        "month": (295, 295),
        "group": (298, 298),
    }
    printed = succeed("explain", "m.gram", "other.csv").stdout
    assert "shelf follows from product (3 levels), in 270 of 300 rows of other.csv" in printed


def test_explain_counts_no_rows_if_a_column_is_missing(folder):
    succeed("select", "shop.csv", "-m", "m.gram", "-q")
    shop().drop(columns="shelf").to_csv("other.csv", index=False)
    document = json.loads(succeed("explain", "m.gram", "other.csv", "--json").stdout)
    tested = {each["feature"]: each["n_rows"] for each in document["levels"]}
    assert tested["shelf"] is None
    assert tested["price"] == 300


def test_json_gives_the_reason_for_every_dropped_column(folder):
    rows = shop().assign(code=lambda table: "code " + table["product"])
    rows.to_csv("shop.csv", index=False)
    done = json.loads(succeed("select", "shop.csv", "-m", "m.gram", "--json").stdout)
    dropped = done["elimination"]["dropped"]
    assert {*dropped} == {*done["dropped"]}
    assert {"shelf", "price", "month", "group"} < {*dropped}
    for each in dropped.values():
        assert each["evidence"] == "law"
        assert each["share_left"] == 0
        assert {*each["alternatives"]} <= {*done["kept"], *done["beside"]}
    assert dropped["shelf"]["law"].startswith("shelf follows from ")
    assert dropped["shelf"]["alternatives"] == []
    (one,) = {"code", "product"} & {*dropped}
    (other,) = {"code", "product"} - {one}
    assert dropped[one]["alternatives"] == [other]


def page_of(data):
    pytest.importorskip("jinja2")
    succeed("report", data, "-a", "gfa", "-o", "page.html", "-q")
    with open("page.html", encoding="utf-8") as stream:
        return stream.read()


def cells(page):
    """Return the cells of the table of columns that levels give, as texts."""
    table = page.partition('id="by-levels"')[2].partition("</div></div>")[0]
    return [html.unescape(each) for each in re.findall(r"<bdi>(.*?)</bdi>", table, re.DOTALL)]


def test_the_report_shows_laws_of_levels_and_counts_columns_of_text(folder):
    page = page_of("shop.csv")
    assert "Keep <strong>4 of 8 columns</strong>" in page
    found = cells(page)
    for text in ("4 · weight + 2", "0.25 · weight + 2", "cold", "≤ 40", "> 40", "month of date"):
        assert text in found


def test_the_report_escapes_hostile_levels(folder):
    levels = np.array(["", "\0", "x" * 10**6, "</script>", "a\nb", "<b>"], dtype=object)
    rng = np.random.default_rng(0)
    index, x = rng.integers(0, 6, 300), rng.uniform(1, 9, 300)
    table = pd.DataFrame(
        {"key": levels[index], "value": levels[::-1][index // 2], "x": x, "y": x * (index + 2)}
    )
    table["z"] = x[::-1]
    table.to_parquet("hostile.parquet")
    page = page_of("hostile.parquet")
    assert "x" * 200 not in page
    assert "\0" not in page
    shown = page.partition('id="by-levels"')[2].partition("</div></div>")[0]
    assert "<b>" not in shown
    assert "</script>" not in shown
    assert "7 · x" in cells(page)


def test_a_row_breaks_a_law_only_if_the_rounded_law_is_not_the_cell(folder):
    rng = np.random.default_rng(0)
    cents, country = rng.integers(100, 90_000, 400), rng.choice(["DE", "FR", "NL"], 400)
    percent = np.select([country == "DE", country == "FR"], [119, 120], 121)
    gross = (2 * cents * percent + 100) // 200  # half a cent is rounded up
    table = pd.DataFrame({"net": cents / 100, "country": country, "gross": gross / 100})
    table.to_csv("good.csv", index=False)
    table.loc[::40, "gross"] = (table.gross[::40] + 5.123).round(3)
    table.to_csv("bad.csv", index=False)
    succeed("select", "good.csv", "-m", "model.gram")
    for name, n_holds in (("good.csv", 400), ("bad.csv", 390)):
        printed = succeed("explain", "model.gram", name).stdout
        assert f"in {n_holds} of 400 rows of {name}" in printed


def test_the_report_tells_what_is_true_of_gaps_formulas_and_exceptions(folder):
    rng = np.random.default_rng(0)
    net, country = rng.lognormal(6, 1, 1500).round(2), rng.choice(["CH", "DE", "FR"], 1500)
    rate = pd.Series(country).map({"CH": 8.1, "DE": 19, "FR": 20}).to_numpy()
    vat = (net * rate / 100).round(2)
    table = pd.DataFrame({"sku": [f"00{i % 40:02d}" for i in range(1500)], "country": country})
    table["name"] = "a-" + table.sku
    table["net"], table["vat"], table["gross"] = net, vat, (net + vat).round(2)
    table.loc[::100, "gross"] = (table.gross[::100] + 9).round(2)
    table["double"] = 2 * table.net
    table["paid"] = rng.integers(1, 99, 1500)
    table.loc[::9, "paid"] = np.nan
    table["points"] = table.net * table.paid / 50 + rng.normal(0, 0.5, 1500)
    table.to_csv("sales.csv", index=False)
    page = page_of("sales.csv")
    text = html.unescape(
        re.sub(r"<[^>]+>", "", re.sub(r"<(script|style).*?</\1>", "", page, flags=re.S))
    )
    assert "Tested on 1,333 rows without missing values." in text
    assert "drawn at random" not in text
    assert "has a short formula" not in text
    assert "Columns that follow from levels of others are below." in text
    assert "gross would follow from net + vat but for 15 of 1,500 rows, and is kept." in text
    assert "`" not in text
    assert "<code>0000</code>" in page
    cautions = gramian.select(table).cautions
    assert "gross would follow from net + vat but for 15 of 1,500 rows" in " ".join(
        map(str, cautions)
    )
