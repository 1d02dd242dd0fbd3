"""The commands check and compare: what they print, write and return."""

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import run, succeed

BROKEN, USAGE, DATA = 1, 2, 3


def read(path):
    return Path(path).read_text(encoding="utf-8")


def invoices(seed, n=400):
    rng = np.random.default_rng(seed)
    net = rng.uniform(1, 900, n).round(2)
    vat = (0.19 * net).round(2)
    return pd.DataFrame(
        {
            "number": [f"{i:05d}" for i in range(n)],
            "net": net,
            "vat": vat,
            "gross": (net + vat).round(2),
            "note": rng.choice(["NA", "a;b", 'say "x"', "=1+1"], n),
        }
    )


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Write the table of yesterday, a good one of today, and one with wrong cells."""
    monkeypatch.chdir(tmp_path)
    invoices(0).to_csv("old.csv", index=False)
    invoices(1).to_csv("good.csv", index=False)
    wrong = invoices(1)
    wrong.loc[7, "gross"] += 100
    wrong.loc[9, "net"] = 1.5
    wrong.to_csv("wrong.csv", index=False)
    succeed("relations", "old.csv", "-o", "laws.json")


def test_a_good_table_has_exit_code_0_and_a_line_for_each_law():
    done = succeed("check", "laws.json", "good.csv")
    assert done.stdout.splitlines() == [
        "vat = 0.19 · net: holds in 400 rows",
        "gross = net + vat: holds in 400 rows",
    ]


def test_wrong_rows_are_printed_and_have_exit_code_1():
    done = run("check", "laws.json", "wrong.csv")
    assert done.exit_code == BROKEN
    right = invoices(1)
    assert done.stdout.splitlines()[2:] == [
        "2 rows break a law (rows count from 0):",
        f"row 7: gross is {right.gross[7] + 100:g}, the laws give {right.gross[7]:g}",
        f"row 9: net is 1.5, the laws give {right.net[9]:g}",
    ]
    assert not done.stderr


def test_broken_rows_are_written_with_what_they_break():
    run("check", "laws.json", "wrong.csv", "-o", "broken.csv", "--quiet")
    lines = read("broken.csv").splitlines()
    source = read("wrong.csv").splitlines()
    assert [line[: len(source[i])] for line, i in zip(lines, (0, 8, 10), strict=True)] == [
        source[i] for i in (0, 8, 10)
    ]
    rows = list(csv.DictReader(lines))
    assert [each["check_column"] for each in rows] == ["gross", "net"]
    assert float(rows[0]["check_expected"]) == invoices(1).gross[7]
    assert rows[1]["check_laws"] == "vat = 0.19 · net; gross = net + vat"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_repair_changes_the_explained_cells_and_nothing_else(ending):
    if ending == "parquet":
        pd.read_csv("wrong.csv", dtype={"number": str}, keep_default_na=False).to_parquet(
            "wrong.parquet"
        )
    before = Path(f"wrong.{ending}").read_bytes()
    done = run("check", "laws.json", f"wrong.{ending}", "--repair", f"fixed.{ending}")
    assert done.exit_code == BROKEN
    assert "2 cells replaced" in done.stderr
    assert Path(f"wrong.{ending}").read_bytes() == before
    changes = list(csv.DictReader(read(f"fixed.{ending}.changes.csv").splitlines()))
    assert [(each["row"], each["column"]) for each in changes] == [("7", "gross"), ("9", "net")]
    if ending == "csv":
        assert read("fixed.csv") == read("good.csv")
    else:
        good = pd.read_csv("good.csv", dtype={"number": str}, keep_default_na=False)
        pd.testing.assert_frame_equal(pd.read_parquet("fixed.parquet"), good)
    succeed("check", "laws.json", f"fixed.{ending}")


def test_nothing_is_written_that_was_not_asked_for(tmp_path):
    before = {each.name for each in tmp_path.iterdir()}
    run("check", "laws.json", "wrong.csv")
    assert {each.name for each in tmp_path.iterdir()} == before


def test_an_undecided_cell_is_not_repaired():
    x = np.random.default_rng(0).uniform(1, 9, (200, 2)).round(2)
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "sum": x.sum(axis=1).round(2)})
    table.to_csv("a.csv", index=False)
    table.loc[3, "sum"] += 1
    table.to_csv("b.csv", index=False)
    done = run("check", "a.csv", "b.csv", "--repair", "c.csv")
    assert "row 3: a, b, or sum" in done.stdout
    assert read("c.csv") == read("b.csv")


def test_laws_of_a_table_are_found_and_saved():
    assert run("check", "old.csv", "wrong.csv", "--save", "again.json").exit_code == BROKEN
    assert read("again.json") == read("laws.json")
    done = run("check", "laws.json", "wrong.csv", "--save", "again.json")
    assert done.exit_code == USAGE
    assert "has laws already" in done.stderr


def test_laws_of_a_model_are_tested():
    succeed("select", "old.csv", "-m", "model.gram", "-q")
    succeed("check", "model.gram", "good.csv")
    done = run("check", "model.gram", "wrong.csv")
    assert done.exit_code == BROKEN
    assert "row 7" in done.stdout
    assert "is new" not in done.stdout


def test_the_document_has_laws_rows_and_cells():
    done = run("check", "laws.json", "wrong.csv", "--json")
    assert done.exit_code == BROKEN
    found = json.loads(done.stdout)
    assert (found["command"], found["ok"], found["n_rows"]) == ("check", False, 400)
    assert [each["row"] for each in found["rows"]] == [7, 9]
    assert [each["n_broken"] for each in found["laws"]] == [1, 2]


def test_the_report_for_build_servers_has_a_test_for_each_law():
    run("check", "laws.json", "wrong.csv", "--junit", "report.xml", "-q")
    suite = ET.parse("report.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "2")
    assert [each.get("name") for each in suite] == ["vat = 0.19 · net", "gross = net + vat"]
    assert "1 of 400 rows" in suite[1][0].get("message") or "2 of 400" in suite[1][0].get("message")


def test_a_share_of_the_rows_may_break_laws():
    succeed("check", "laws.json", "wrong.csv", "--allow", "0.01")
    assert run("check", "laws.json", "wrong.csv", "--allow", "0.001").exit_code == BROKEN


def test_renamed_columns_break_their_laws_and_new_ones_do_not():
    table = invoices(1)
    table.rename(columns={"gross": "Gross "}).assign(new=1).to_csv("renamed.csv", index=False)
    done = run("check", "laws.json", "renamed.csv")
    assert done.exit_code == BROKEN
    assert "Column gross is missing; `Gross ` may be its new name." in done.stdout
    assert "Column new is new." in done.stdout
    succeed("check", "laws.json", "good.csv")
    table.assign(new=1).to_csv("more.csv", index=False)
    succeed("check", "laws.json", "more.csv")


UNUSABLE = {
    "no rows": ("laws.json", "empty.csv", "no rows"),
    "none of the columns": ("laws.json", "other.csv", "none of the columns"),
    "nonsense": ("nonsense.json", "good.csv", "nonsense.json is no file of laws"),
    "cut off": ("cut.json", "good.csv", "cut.json is no file of laws"),
    "edited": ("edited.json", "good.csv", "law 1: 'tolerance'"),
}


def test_a_comparison_says_which_table_is_too_small(tmp_path):
    (tmp_path / "empty.csv").write_text(read("old.csv").splitlines()[0])
    (tmp_path / "one.csv").write_text("\n".join(read("old.csv").splitlines()[:2]) + "\n")
    for small in ("empty.csv", "one.csv"):
        done = run("compare", small, "good.csv")
        assert done.exit_code == DATA
        assert "the old table is too small: " in done.stderr
        done = run("compare", "good.csv", small)
        assert done.exit_code == DATA
        assert "the new table is too small: " in done.stderr


@pytest.mark.parametrize("name", UNUSABLE)
def test_data_that_cannot_be_used_have_exit_code_3(name, tmp_path):
    laws, table, said = UNUSABLE[name]
    text = read("laws.json")
    (tmp_path / "empty.csv").write_text(read("old.csv").splitlines()[0])
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "nonsense.json").write_text('{"x": 1}')
    (tmp_path / "cut.json").write_text(text[:100])
    document = json.loads(text)
    document["laws"][0]["tolerance"] = "much"
    (tmp_path / "edited.json").write_text(json.dumps(document))
    done = run("check", laws, table, "-o", "out.csv")
    assert done.exit_code == DATA
    assert said in done.stderr
    assert not (tmp_path / "out.csv").exists()


WRONG_COMMANDS = {
    "no laws": ("check", "none.json", "good.csv"),
    "no table": ("check", "laws.json", "none.csv"),
    "an output that is an input": ("check", "laws.json", "good.csv", "-o", "laws.json"),
    "a share above 1": ("check", "laws.json", "good.csv", "--allow", "3"),
    "no old table": ("compare", "none.csv", "good.csv"),
}


@pytest.mark.parametrize("name", WRONG_COMMANDS)
def test_a_wrong_command_has_exit_code_2(name):
    assert run(*WRONG_COMMANDS[name]).exit_code == USAGE


def test_two_tables_are_compared():
    done = succeed("compare", "old.csv", "good.csv")
    assert done.stdout.splitlines() == [
        "2 of 2 laws of the old table hold in the new one:",
        "  vat = 0.19 · net",
        "  gross = net + vat",
    ]
    table = invoices(1).drop(columns="note")
    table["vat"] = (0.07 * table["net"]).round(2)
    table["gross"] = (table["net"] + table["vat"]).round(2)
    table.to_csv("new.csv", index=False)
    done = run("compare", "old.csv", "new.csv")
    assert done.exit_code == BROKEN
    assert "vat = 0.07 · net (before: 0 of 400 rows)" in done.stdout
    assert "Column note is missing." in done.stdout
    document = json.loads(run("compare", "old.csv", "new.csv", "--json").stdout)
    assert [each["law"] for each in document["new_laws"]] == ["vat = 0.07 · net"]


def bills(n=300):
    """Write bills.csv, whose tip and total occur in one law only; the total of row 7 is wrong."""
    rng = np.random.default_rng(0)
    net, tip = rng.uniform(1, 99, n).round(2), rng.uniform(1, 9, n).round(2)
    tax = (0.2 * net).round(2)
    table = pd.DataFrame({"net": net, "tax": tax, "tip": tip, "total": (net + tax + tip).round(2)})
    table.to_csv("bills.csv", index=False)
    table.loc[7, "total"] += 2
    return table


def test_broken_rows_have_their_number_and_the_value_of_each_likely_cell():
    table = bills()
    table.to_csv("today.csv", index=False)
    run("check", "bills.csv", "today.csv", "-o", "broken.csv", "--repair", "fixed.csv", "-q")
    (row,) = csv.DictReader(read("broken.csv").splitlines())
    assert row["check_row"] == "7"
    assert row["check_column"] == "tip or total"
    right = table.loc[7, "tip"] + 2, table.loc[7, "total"] - 2
    assert row["check_expected"] == " or ".join(f"{each:g}" for each in right)
    assert read("fixed.csv") == read("today.csv")


def test_columns_of_a_check_leave_columns_of_this_name_alone():
    bills().assign(check_row=1).to_csv("today.csv", index=False)
    run("check", "bills.csv", "today.csv", "-o", "broken.csv", "-q")
    names = read("broken.csv").splitlines()[0].split(",")
    assert len({*names}) == len(names)
    assert names[4:7] == ["check_row", "check_row_", "check_laws_"]


def test_the_last_line_says_why_broken_rows_have_exit_code_0():
    bills().to_csv("today.csv", index=False)
    done = succeed("check", "today.csv", "today.csv")
    last = done.stdout.splitlines()[-1]
    assert last.startswith("The exit code is 0: no law is broken in more rows than it allows")
    assert last.endswith("--allow 0 allows none.")
    none = run("check", "today.csv", "today.csv", "--allow", "0")
    assert none.exit_code == BROKEN
    assert "exit code" not in none.stdout
    some = succeed("check", "today.csv", "today.csv", "--allow", "0.004")
    assert some.stdout.splitlines()[-1].endswith("in a larger share of its rows than --allow.")
    assert "exit code" not in succeed("check", "laws.json", "good.csv").stdout


WRITTEN = {
    "one decimal": ("{:.1f}", ",", ".", "80.0"),
    "two decimals": ("{:.2f}", ",", ".", "80.00"),
    "a decimal comma": ("{:.1f}", ";", ",", "80,0"),
    "no decimals": ("{:.0f}", ",", ".", "80"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_repaired_cell_is_written_as_the_others_of_its_column(name):
    form, delimiter, decimal, right = WRITTEN[name]
    count, price = np.random.default_rng(0).integers(2, 60, (2, 300))
    count[4], price[4] = 8, 10
    lines = []
    for i in range(300):
        total = count[i] * price[i] + 900 * (i == 4)
        cells = (
            f"{count[i]}",
            f"{price[i]}",
            form.format(total),
            form.format(2 * count[i] * price[i]),
        )
        lines.append(delimiter.join(cells).replace(".", decimal))
    head = delimiter.join(["count", "price", "total", "double"])
    Path("today.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    run("check", "today.csv", "today.csv", "--repair", "fixed.csv", "-q")
    assert read("fixed.csv").splitlines()[5].split(delimiter)[2] == right
