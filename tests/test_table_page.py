"""The page about a table: its facts, in HTML, Markdown and JSON."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from report_cases import Page
from sklearn.decomposition import PCA
from table_page_cases import (
    LATE,
    WRONG,
    facts_of,
    invoices,
    measured,
    without_laws,
)

import gramian
from gramian import report
from gramian.laws import Comparison
from gramian.reports.table_page._few_columns import shares_of_components

pytest.importorskip("jinja2")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with the page about invoices.csv in each format."""
    folder = tmp_path_factory.mktemp("invoices")
    invoices().to_csv(folder / "invoices.csv", index=False)
    for ending in ("html", "md", "json"):
        report(folder / "invoices.csv", path=folder / f"page.{ending}")
    return folder


@pytest.fixture(scope="module")
def facts(folder):
    return json.loads((folder / "page.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(folder):
    return Page(folder / "page.html")


def words(text):
    """Return a text with single spaces, as a reader sees it."""
    return " ".join(text.split())


def test_the_first_screen_says_what_the_table_is(facts, page):
    said = (
        "invoices.csv has 300 rows and 11 columns: 4 base columns, and 7 computed columns, which "
        "laws compute from them."
    )
    assert facts["summary"]["what"] == said
    assert said in words(page.text)
    assert len(facts["base_columns"]) == 4


def test_the_planted_laws_are_told_with_the_rows_in_which_they_hold(facts, page):
    found = {each["law"]: each for each in facts["laws"]}
    assert found["net = quantity · price"]["n_broken"] == 0
    assert found["gross = net + vat"]["n_broken"] == len(WRONG)
    assert found["due = date + 14"]["n_broken"] == 1
    groups = {law: each["group"] for law, each in found.items()}
    assert groups["gross = net + vat"] == "arithmetic"
    assert groups["due = date + 14"] == "dates"
    assert "levels" in groups.values()
    assert "gross = net + vat holds in 297 of 300 rows" in words(page.text)


def test_the_best_laws_are_five_and_arithmetic_comes_first(facts):
    best = facts["summary"]["best_laws"]
    assert len(best) == 5
    assert {"net = quantity · price", "gross = net + vat"} <= {*best[:3]}


def test_rows_that_break_laws_are_counted_as_a_spreadsheet_counts_them(facts, page):
    gross = [each for each in facts["broken_rows"] if each["column"] == "gross"]
    assert [each["row"] for each in gross] == list(WRONG)
    assert [each["number"] for each in gross] == [row + 2 for row in WRONG]
    assert all(each["mends"] for each in gross)
    table = invoices()
    row, number = WRONG[0], WRONG[0] + 2
    wrong, right = table.gross[row], round(table.net[row] + table.vat[row], 2)
    assert f"Row {number}: gross is {wrong:g}; its law gives {right:g}." in words(page.text)


def test_a_row_of_a_law_has_its_cells_and_the_value_that_is_expected(facts):
    (law,) = [each for each in facts["laws"] if each["law"] == "gross = net + vat"]
    table, row = invoices(), WRONG[1]
    (told,) = [each for each in law["rows"] if each["row"] == row]
    assert told["found"] == {name: table[name][row] for name in ("net", "vat", "gross")}
    assert told["expected"] == round(table.net[row] + table.vat[row], 2)


def test_the_likely_wrong_cells_are_marked(page):
    """In the rows of a law, also of one that was broken by a column on its right-hand side."""
    marked = re.findall('<td class="wrong"[^>]*><bdi>([^<]*)</bdi>', page.source)
    table = invoices()
    assert {f"{table.gross[row]:g}" for row in WRONG} <= {*marked}
    assert "2024-01-01" in marked
    assert not {f"{table.net[row]:g}" for row in WRONG} & {*marked}


def test_dates_are_shown_as_dates(facts, folder):
    (late,) = [each for each in facts["broken_rows"] if each["column"] == "due"]
    assert late["row"] == LATE
    assert late["found"] == "2024-01-01"
    date = pd.Timestamp(invoices().date[LATE]) + pd.Timedelta(days=14)
    assert late["expected"] == f"{date:%Y-%m-%d}"
    text = (folder / "page.md").read_text(encoding="utf-8")
    assert f"due is 2024-01-01; its laws give {date:%Y-%m-%d}" in text
    assert "counted in days; holds in 299 of 300 rows" in text


def test_columns_that_can_go_are_told_from_those_that_must_be_corrected_first(facts):
    status = {each["column"]: each["status"] for each in facts["computed_columns"]}
    assert status["name"] == "exact"
    assert status["net"] == "exact"
    assert status["due"] == "broken"
    assert set(status) | {*facts["base_columns"]} == set(invoices().columns)
    go = " ".join(facts["summary"]["can_go"])
    assert re.search(r"\d columns can go, as their laws give every value again: .*net", go)
    assert "once the wrong cells are corrected" in go


def test_lookups_are_on_the_map(page):
    nodes = [each for _, each in page.tags if (each.get("class") or "").startswith("node ")]
    right = {each["data-key"] for each in nodes if each["class"] != "node base"}
    assert {"name", "price"} <= right
    assert all(each["tabindex"] == "0" for each in nodes)
    (net,) = [each for each in nodes if each["data-key"] == "net"]
    assert net["data-says"] == "net = quantity · price"


def test_the_columns_compute_the_others_value_by_value(facts):
    """What the page promises: the base columns and the laws give every other value again."""
    table = invoices().assign(date=lambda t: pd.to_datetime(t.date))
    found = gramian.relations(table)
    rebuilt = {name: table[name] for name in facts["base_columns"]}
    for each in facts["computed_columns"]:
        if each["status"] != "exact":
            continue
        law = next(
            solved
            for law in found
            for solved in gramian.laws._relation_collection.solutions(law)
            if str(solved) == each["law"]
        )
        made, cells = law(rebuilt), table[each["column"]].to_numpy()
        if made.dtype.kind == "f":  # half a cent is rounded to even, or up
            options = np.round(made, 2), np.floor(100 * made + 0.5 + 1e-7) / 100
            made = max(options, key=lambda option: (option == cells).sum())
        rebuilt[each["column"]] = made
        assert (made == cells).all()


def test_other_choices_say_what_changes(facts, page):
    (price,) = [each for each in facts["alternatives"] if each["keep"] == "price"]
    assert price["instead"]
    assert price["laws"]
    assert "price" in price["base_columns"]
    assert not {*price["instead"]} & {*price["base_columns"]}
    assert len(price["base_columns"]) <= len(facts["base_columns"])
    assert f"Keep price rather than {price['instead'][0]}" in words(page.text)


def test_few_columns_are_compared_with_pca_on_held_out_rows(facts):
    few = facts["few_columns"]
    assert len(few["columns"]) == len(few["share_by_columns"]) == len(few["share_by_components"])
    assert few["share_by_columns"][-1] > 0.99
    assert all(0 < each <= 1 + 1e-9 for each in few["share_by_components"])
    assert np.all(np.diff(few["share_by_components"]) >= -1e-12)


def test_shares_of_components_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6)), rng.normal(size=(90, 6))
    old -= old.mean(axis=0)
    wanted = []
    for n in range(1, 6):
        pca = PCA(n).fit(old)
        left = new - pca.inverse_transform(pca.transform(new))
        wanted.append(1 - np.sum(left**2) / np.sum(new**2))
    np.testing.assert_allclose(shares_of_components(old, new, 5), wanted, rtol=1e-9)


def test_gaps_and_dates_are_told(facts):
    assert facts["empty_cells"] == {"customer": 1}
    done = " ".join(facts["done"])
    assert "Dates: date and due. In laws, dates count days." in done
    assert "1 cell is empty: customer has 1." in done


def test_sections_with_nothing_to_say_are_absent(tmp_path):
    path = report(without_laws(), path=tmp_path / "page.html")
    found = Page(path)
    assert not {"map", "laws", "rows", "columns", "done", "cautions", "changes"} & {*found.ids}
    assert {"answer", "few", "again"} <= {*found.ids}
    assert "No law was found" in found.text
    links = {each["href"][1:] for each in found.all("a") if (each["href"] or "").startswith("#")}
    assert links <= {*found.ids}
    text = report(without_laws(), path=tmp_path / "page.md").read_text(encoding="utf-8")
    assert re.findall("^## .*", text, re.MULTILINE) == [
        "## How few columns stand for all",
        "## Do it again",
    ]


def test_every_section_of_a_full_page_has_a_link_and_ids_are_unique(page):
    assert len(page.ids) == len({*page.ids})
    links = {each["href"][1:] for each in page.all("a") if (each["href"] or "").startswith("#")}
    assert links <= {*page.ids}
    sections = {each["id"] for each in page.all("section")}
    assert sections <= links
    assert page.headings[0] == 1
    assert all(b - a <= 1 for a, b in zip(page.headings, page.headings[1:], strict=False))


def test_a_table_without_wrong_cells_says_so(tmp_path):
    table = invoices().drop(index=[*WRONG, LATE])
    told = facts_of(tmp_path, table)
    assert told["broken_rows"] == []
    assert told["summary"]["broken"] == "No row breaks a law."
    assert "once the wrong cells are corrected" not in " ".join(told["summary"]["can_go"])
    assert not any("Look first" in each for each in told["summary"]["look_at"])


def test_rows_in_which_another_rule_may_hold_have_no_wrong_cell(tmp_path):
    """The parts are those of the local time, and the time itself is UTC."""
    rng = np.random.default_rng(0)
    local = pd.Timestamp("2023-01-01 05:00") + pd.to_timedelta(rng.integers(0, 365, 3000), "D")
    local = pd.DatetimeIndex(local + pd.to_timedelta(rng.integers(0, 19, 3000), "h"))
    parts = {"month": local.month, "hour": local.hour}
    table = pd.DataFrame({**parts, "utc": local + pd.Timedelta(hours=4)})
    told = facts_of(tmp_path, table)
    assert {each["kind"] for each in told["broken_rows"]} == {"rule"}
    summary = told["summary"]
    assert "They break only rules that had exceptions" in summary["broken"]
    said = " ".join([summary["broken"], *summary["can_go"], *summary["look_at"]])
    assert "wrong cell" not in said.replace("no cell need be wrong", "")
    assert "month" in summary["can_go"][-1]
    page = Page(report(table, path=tmp_path / "page.html"))
    assert "likely wrong" not in page.text
    assert "Rows with a wrong cell" not in page.text
    assert '<td class="wrong">' not in page.source


def test_a_wrong_sum_is_an_error_though_other_columns_were_computed_from_it(tmp_path):
    """All cells of the row obey other laws: net and vat those of before, gross that of due."""
    table = invoices().drop(columns=["date", "due", "weekday"])
    table["payable"] = (0.97 * table.gross + 1e-9).round(2)
    told = facts_of(tmp_path, table)
    assert [each["row"] for each in told["broken_rows"]] == [*WRONG]
    assert told["laws_of_most_rows"] == []


def test_a_law_with_noise_has_its_typical_error(tmp_path):
    told = facts_of(tmp_path, measured())
    (law,) = told["laws"]
    assert law["group"] == "noisy"
    assert 0.05 < law["typical_error"] < 0.5
    assert told["computed_columns"][0]["status"] == "noisy"
    assert "only up to an error" in " ".join(told["summary"]["can_go"])
    text = report(measured(), path=tmp_path / "p.md").read_text(encoding="utf-8")
    assert "typical error" in text


def test_a_year_is_that_of_its_date_and_no_error_because_of_another_date(tmp_path):
    """The year of an invoice is also that of its due date, except around New Year."""
    table = invoices(800)
    table["year"] = pd.to_datetime(table.date).dt.year
    told = facts_of(tmp_path, table)
    named = [each["law"] for each in [*told["laws"], *told["laws_of_most_rows"]]]
    assert "year = the year of date" in named
    assert "year = the year of due" not in named
    assert [each["row"] for each in told["broken_rows"]] == sorted([*WRONG, LATE])


def test_a_wrong_input_is_an_error_though_its_result_obeys_another_law(tmp_path):
    """total = a + b holds in all rows, and total = 2 · c in all but those with a wrong c."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(1, 99, (2, 300)).astype(float)
    c = (a + b) / 2
    c[[3, 30]] += 5
    told = facts_of(tmp_path, {"a": a, "b": b, "c": c, "total": a + b, "x": rng.normal(size=300)})
    assert [(each["row"], each["column"]) for each in told["broken_rows"]] == [(3, "c"), (30, "c")]


def test_a_comparison_is_explained_and_a_constant_is_no_telling_law(tmp_path):
    rng = np.random.default_rng(0)
    weight, zone = rng.uniform(1, 60, 300).round(1), np.ones(300)
    table = {"zone": zone, "weight": weight, "heavy": (weight > 30) * 1.0, "grams": 1000 * weight}
    told = facts_of(tmp_path, table)
    assert told["summary"]["best_laws"][0] == "grams = 1000 · weight"
    assert told["summary"]["best_laws"][-1] == "zone = 1"
    text = report(table, path=tmp_path / "p.md").read_text(encoding="utf-8")
    assert re.search(r"`heavy = .*`: \[ \] is 1 if true, else 0; holds in all 300 rows", text)


def test_an_equation_of_several_columns_is_told_and_gives_none(tmp_path):
    angle = np.random.default_rng(0).uniform(0, 6.28, 300)
    table = {"x": np.cos(angle), "y": np.sin(angle), "z": angle[::-1].copy()}
    told = facts_of(tmp_path, table)
    (law,) = told["laws"]
    assert (law["law"], law["gives"]) == ("x² + y² = 1", None)
    assert told["computed_columns"] == []
    assert told["summary"]["can_go"] == ["No column can go: no law gives every value of a column."]
    assert "map" not in Page(report(table, path=tmp_path / "page.html")).ids


def test_coefficients_have_the_digits_that_give_the_column(tmp_path):
    bar = np.random.default_rng(0).uniform(1, 900, 400).round(2)
    table = {"bar": bar, "psi": (14.5038 * bar).round(2), "x": np.arange(400.0) % 7}
    told = facts_of(tmp_path, table)
    assert [each["law"] for each in told["laws"]] == ["psi = 14.5038 · bar"]
    assert told["computed_columns"][0]["status"] == "exact"


def test_an_older_table_is_compared(tmp_path):
    old = invoices().drop(index=[*WRONG, LATE])
    new = invoices().drop(columns="customer").assign(weight=lambda t: 2.5 * t.quantity)
    told = facts_of(tmp_path, new, against=old)
    broken = [each["law"] for each in told["against"]["laws"] if not each["holds"]]
    assert "gross = net + vat" in broken
    assert "weight = 2.5 · quantity" in [each["law"] for each in told["against"]["new_laws"]]
    text = report(new, path=tmp_path / "page.md", against=old).read_text(encoding="utf-8")
    assert "gross = net + vat: broken in 3 of 300 rows" in text
    assert "## What changed since the older table" in text
    assert "The older table has 296 rows, and this one has 300." in text
    assert "- Column customer is missing." in text
    assert "- Column weight is new." in text
    found = Page(report(new, path=tmp_path / "page.html", against=old))
    assert "changes" in found.ids
    assert "Laws that hold in both" in found.text


def test_a_comparison_finds_what_compare_finds(tmp_path):
    old = invoices().drop(index=[*WRONG, LATE])
    told = facts_of(tmp_path, invoices(), against=old)["against"]
    wanted = gramian.laws.compare(old, invoices())
    assert isinstance(wanted, Comparison)
    held = {each["law"]: each["holds"] for each in told["laws"]}
    assert held == {each.law: each.holds for each in wanted.result.laws}


def test_what_was_not_searched_is_told(tmp_path):
    table = invoices()
    table["remark"] = [f"remark {i}" for i in range(len(table))]
    table["nothing"] = np.nan
    done = facts_of(tmp_path, table)["done"]
    assert "Set aside, as almost every row has a label of its own: column 'remark'." in done
    assert "Left out, as too few cells hold a number, a text or a date: nothing." in done


def test_cautions_are_counted(tmp_path):
    table = invoices(40)[["quantity", "price", "net", "vat"]]
    table.to_csv(tmp_path / "few.csv", index=False)
    found = Page(report(tmp_path / "few.csv", path=tmp_path / "page.html"))
    told = facts_of(tmp_path, tmp_path / "few.csv")
    assert told["cautions"] == ["The table has only 40 rows: a law may hold by chance."]
    assert "1 caution" in found.text
    assert "There is 1 caution below." in found.text


def test_a_stray_text_among_numbers_is_named_with_its_row(tmp_path):
    table = invoices()
    table["customer"] = table.customer.fillna(100).astype(int).astype(str)
    table.loc[30, "customer"] = "unknown"
    table.to_csv(tmp_path / "in.csv", index=False)
    told = facts_of(tmp_path, tmp_path / "in.csv")
    (caution,) = told["cautions"]
    assert "row 32 has 'unknown'" in caution


def test_numbers_in_other_spellings_are_told(tmp_path):
    table = invoices()
    table["vat"] = [f"{each:.2f}".replace(".", ",") for each in table.vat]
    table.to_csv(tmp_path / "in.csv", index=False, sep=";")
    told = facts_of(tmp_path, tmp_path / "in.csv")
    assert any("vat are read as numbers" in each for each in told["done"])
    assert "gross = net + vat" in [each["law"] for each in told["laws"]]
