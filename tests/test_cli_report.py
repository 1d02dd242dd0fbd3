"""The command ``gramian report`` on a table, and when it writes the page about a fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_cases import folder, run, succeed  # noqa: F401
from table_page_cases import WRONG, invoices

from gramian._support.formats import Format
from gramian.cli._options import PageFormatName, PageOrTable

pytest.importorskip("jinja2")
pytestmark = pytest.mark.usefixtures("folder")
OF_TABLES = "What this table is"
OF_FITS = "What do I keep?"


@pytest.fixture(autouse=True)
def table(folder):  # noqa: F811
    invoices().to_csv("invoices.csv", index=False)


def test_the_plain_command_writes_the_page_about_the_table():
    done = succeed("report", "invoices.csv")
    assert done.stderr == "gramian: wrote report.html\n"
    text = Path("report.html").read_text(encoding="utf-8")
    assert OF_TABLES in text
    assert "gross = net + vat" in text


@pytest.mark.parametrize(
    "options",
    [["-a", "gfa"], ["-n", "3"], ["--degree", "3"], ["--id", "customer"], ["-m", "model.gram"]],
)
def test_options_of_a_fit_write_the_page_about_the_fit(options):
    succeed("report", "invoices.csv", *options, "-q")
    assert OF_FITS in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options", [["--keep", "gross"], ["-x", "customer"], ["--groups", "date"], ["-c", "n*,v*"]]
)
def test_options_of_columns_keep_the_page_about_the_table(options):
    succeed("report", "invoices.csv", *options, "-q")
    assert OF_TABLES in Path("report.html").read_text(encoding="utf-8")


def test_the_ending_or_the_option_tells_the_format():
    succeed("report", "invoices.csv", "-o", "page.md")
    assert Path("page.md").read_text(encoding="utf-8").startswith("# invoices.csv\n")
    succeed("report", "invoices.csv", "-o", "page.txt", "--format", "json")
    assert json.loads(Path("page.txt").read_text(encoding="utf-8"))["title"] == "invoices.csv"


def test_the_format_of_a_table_is_that_of_data():
    assert [*PageOrTable] == [*PageFormatName, *Format]
    data = Path("invoices.csv").read_bytes()
    assert run("report", "-", "--format", "csv", "-o", "page.md", data=data).exit_code == 0
    assert Path("page.md").read_text(encoding="utf-8").startswith("# Standard input\n")
    assert run("report", "invoices.csv", "--format", "pdf").exit_code == 2


def test_the_json_document_has_the_facts_and_the_file():
    done = succeed("report", "invoices.csv", "--json")
    told = json.loads(done.stdout)
    assert done.stderr == ""
    assert told["command"] == "report"
    assert told["files"] == {"output": "report.html"}
    gross = [each["number"] for each in told["broken_rows"] if each["column"] == "gross"]
    assert gross == [row + 2 for row in WRONG]


def test_an_older_table_is_compared():
    invoices().drop(index=[*WRONG]).to_csv("old.csv", index=False)
    succeed("report", "invoices.csv", "--against", "old.csv", "-o", "page.md")
    text = Path("page.md").read_text(encoding="utf-8")
    assert "## What changed since old.csv" in text
    assert "gross = net + vat: broken in 3 of 300 rows" in text


def test_the_page_shows_the_command():
    succeed("report", "invoices.csv", "--title", "Invoices of 2023")
    text = Path("report.html").read_text(encoding="utf-8")
    assert 'aria-label="Command"' in text
    assert "title=&#39;Invoices of 2023&#39;" in text


def test_a_table_on_standard_input_has_a_page():
    data = Path("invoices.csv").read_bytes()
    assert run("report", "-", "-o", "page.md", data=data).exit_code == 0
    text = Path("page.md").read_text(encoding="utf-8")
    assert text.startswith("# Standard input\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["invoices.csv", "-o", "invoices.csv"], "invoices.csv is named twice"),
        (["invoices.csv", "--against", "old.csv", "-o", "old.csv"], "old.csv is named twice"),
        (["invoices.csv", "-o", "-"], "a report and its model are written to files"),
        (["invoices.csv", "-a", "gfa", "--format", "md"], "--algorithm asks for one about"),
        (["none.csv"], "there is no file none.csv"),
        (["invoices.csv", "--keep", "nothing"], "--keep 'nothing' matches no column"),
        (["few.csv"], "Laws need at least 6 rows"),
    ],
)
def test_mistakes_are_named_and_leave_no_page(arguments, said):
    invoices(3).to_csv("few.csv", index=False)
    invoices().to_csv("old.csv", index=False)
    before = Path("invoices.csv").read_bytes()
    done = run("report", *arguments)
    assert done.exit_code in (2, 3)
    assert said in done.stderr
    assert Path("invoices.csv").read_bytes() == before
    assert not Path("report.html").exists()
