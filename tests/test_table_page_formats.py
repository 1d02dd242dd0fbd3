"""The page about a table: its formats, its code, and hostile names and arguments."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from report_cases import HOSTILE, Page, code_of
from table_page_cases import (
    WRONG,
    facts_of,
    hostile,
    invoices,
    many_columns,
    measured,
    without_laws,
)

from gramian import GFA, report

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


def test_hostile_names_and_cells_stay_text(tmp_path):
    path = report(hostile(), path=tmp_path / "page.html", title=HOSTILE[0])
    found = Page(path)
    assert len(found.scripts) == 1
    assert not found.all("img")
    assert not found.all("b")
    assert not found.all("i")
    assert HOSTILE[0] in found.text
    assert "<b>five</b>" in found.text
    assert "{{ 7 * 7 }}" in found.text
    assert "49" not in re.findall(r"\b49\b(?= }})", found.text)
    assert all("javascript:" not in (each.get("href") or "") for each in found.all("a"))


def test_hostile_names_and_cells_stay_text_in_markdown(tmp_path):
    markdown = pytest.importorskip("markdown_it")
    text = report(hostile(), path=tmp_path / "page.md", title=HOSTILE[0]).read_text("utf-8")
    html = markdown.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert not re.search("<(script|img|b|i)[ >]", html)
    assert "javascript:" not in "".join(re.findall('href="([^"]*)"', html))
    assert "<b>five</b>" in unescape(html)


def test_json_and_markdown_have_the_facts_of_the_page(facts, folder):
    assert facts["format"] == "gramian table report"
    assert facts["version"] == 1
    assert set(facts) == {
        "format", "version", "title", "table", "summary", "laws", "laws_of_most_rows",
        "broken_rows", "base_columns", "computed_columns", "alternatives", "few_columns", "done",
        "not_searched", "cautions", "empty_cells", "against", "code", "versions",
    }  # fmt: skip
    assert facts["table"]["n_rows"] == 300
    assert facts["table"]["columns"] == [*invoices().columns]
    text = (folder / "page.md").read_text(encoding="utf-8")
    assert text.startswith("# invoices.csv\n\n")
    for law in facts["laws"]:
        assert f"`{law['law']}`" in text
    assert "| row | net | vat | gross | gross by the law |" in text


def test_the_code_on_the_page_runs_on_a_csv_file_with_dates(folder, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    exec(code_of(page), {"print": lambda *each: said.append(" ".join(map(str, each)))})
    assert any("due = date + 14" in each for each in said)
    again = Page(tmp_path / "report.html")
    without_date = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
    assert without_date.sub("", again.text) == without_date.sub("", page.text)


def test_the_code_has_the_options_of_the_page(tmp_path, monkeypatch):
    invoices().to_csv(tmp_path / "in.csv", index=False, sep=";")
    options = {"exclude": ["customer"], "keep": "price", "delimiter": ";", "title": "It's"}
    path = report(str(tmp_path / "in.csv"), path=tmp_path / "page.html", **options)
    monkeypatch.chdir(tmp_path)
    exec(code_of(Page(path)), {})
    both = [Page(tmp_path / name).source for name in ("page.html", "report.html")]
    one, other = (re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "", each) for each in both)
    assert one == other
    assert "Not looked at: customer." in one


def test_kept_columns_never_go(tmp_path):
    told = facts_of(tmp_path, invoices(), keep=["gross", "net"])
    assert {"gross", "net"} <= {*told["base_columns"]}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "dict"])
def test_frames_of_all_kinds_have_a_page(tmp_path, kind):
    table = invoices()
    if kind == "polars":
        table = pytest.importorskip("polars").from_pandas(table)
    if kind == "arrow":
        table = pytest.importorskip("pyarrow").Table.from_pandas(table, preserve_index=False)
    if kind == "dict":
        table = {name: table[name].to_numpy() for name in table}
    told = facts_of(tmp_path, table)
    assert told["title"] == "The table"
    assert told["table"]["rows_count"] == "from 0"
    wrong = [each["number"] for each in told["broken_rows"] if each["column"] == "gross"]
    assert wrong == list(WRONG)


def test_blank_lines_of_a_file_are_told(tmp_path):
    lines = invoices().to_csv(index=False).splitlines()
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n\n\n", encoding="utf-8")
    assert "blank" not in facts_of(tmp_path, tmp_path / "in.csv")["table"]["rows_count"]
    (tmp_path / "in.csv").write_text("\n".join([*lines[:9], "", *lines[9:]]), encoding="utf-8")
    counted = facts_of(tmp_path, tmp_path / "in.csv")["table"]["rows_count"]
    assert counted.endswith("and blank lines are not counted")


def test_several_files_are_one_table_whose_rows_are_counted_from_0(tmp_path):
    table = invoices()
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for part, file in zip((table[:100], table[100:]), files, strict=True):
        part.to_csv(file, index=False)
    told = facts_of(tmp_path, files)
    assert told["table"]["n_rows"] == 300
    assert [each["number"] for each in told["broken_rows"] if each["column"] == "gross"] == [*WRONG]
    assert f"table = {[str(file) for file in files]!r}" in told["code"]


def test_pages_of_many_columns_are_small(tmp_path):
    path = report(many_columns(30), path=tmp_path / "page.html")
    assert path.stat().st_size < 400_000
    found = Page(path)
    assert "derived_3" in found.text


def test_nothing_is_loaded_and_no_other_script_may_run(page):
    assert not [each for tag in ("link", "img", "iframe") for each in page.all(tag)][1:]
    (policy,) = [
        each["content"]
        for each in page.all("meta")
        if each.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "sha256-" in policy
    assert "plotly" not in page.source.lower()


@pytest.mark.parametrize(
    ("name", "format", "begins"),
    [
        ("page.htm", None, "<!doctype html>"),
        ("page.txt", None, "<!doctype html>"),
        ("page.txt", "md", "# "),
        ("page.json", "html", "<!doctype html>"),
        ("page.JSON", None, "{"),
        ("page.markdown", None, "# "),
    ],
)
def test_the_format_is_that_of_the_ending_unless_it_is_given(tmp_path, name, format, begins):
    path = report(without_laws(60), path=tmp_path / name, format=format)
    assert path.read_text(encoding="utf-8").startswith(begins)


def test_wrong_arguments_are_refused_before_any_work(tmp_path):
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match="format must be one of html, md, json; got 'pdf'"):
        report(without_laws(), path=path, format="pdf")
    with pytest.raises(TypeError, match="path= names the file to write"):
        report(without_laws(), tmp_path / "other.html", path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        report(without_laws(), path=tmp_path / "none" / "page.html")
    with pytest.raises(ValueError, match="matches no column"):
        report(without_laws(), path=path, keep="nothing")
    with pytest.raises(ValueError, match="Laws need at least 6 rows"):
        report(without_laws(3), path=path)
    with pytest.raises(ValueError, match="no column of numbers, text or dates"):
        report({"a": [[1], [2]]}, path=path)
    gfa = GFA().fit(measured())
    with pytest.raises(TypeError, match="keep= is for a report about a table"):
        report(gfa, measured(), path, keep="heat")
    with pytest.raises(TypeError, match="needs the rows of the fit"):
        report(gfa, path=path)
    assert not path.exists()


def test_the_code_of_a_comparison_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old = invoices(200)
    for table, name in ((old, "old.csv"), (invoices(), "new.csv")):
        table.to_csv(name, index=False)
    files = Page(report("new.csv", path="page.html", against="old.csv"))
    exec(code_of(files), {"print": lambda *_: None})
    assert "What changed since" in Page(tmp_path / "report.html").text
    mixed = Page(report("new.csv", path="mixed.html", against=old))
    exec(code_of(mixed), {"print": lambda *_: None, "older": old})
    assert "against=older" in code_of(mixed)


def test_a_page_is_not_written_over_a_table(tmp_path):
    path = tmp_path / "table.csv"
    invoices().to_csv(path, index=False)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"table.csv is the table itself"):
        report(path, path=path)
    with pytest.raises(ValueError, match=r"table.csv is the table itself"):
        report(invoices(), path=str(path), against=path)
    assert path.read_bytes() == before


def test_a_page_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("old", encoding="utf-8")

    def fail(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr("gramian.reports.table_page._writing.html", fail)
    with pytest.raises(OSError, match="No space left"):
        report(without_laws(), path=path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
