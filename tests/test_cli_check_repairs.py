"""Repaired files: new cells are written in the spelling of their column."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, run, succeed  # noqa: F401

pytestmark = pytest.mark.usefixtures("folder")

SPELLED = {
    "german": (lambda x: _german(x), ";"),
    "dollars": (lambda x: f"${x:,.2f}", ","),
    "euros": (lambda x: f"{_german(x)} €", ";"),
    "plain, in quotes": (lambda x: f"{x:.2f}", ","),
}


def _german(x):
    return f"{x:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


def write(path, spell, delimiter, wrong=False, quoting=csv.QUOTE_MINIMAL):
    """Write a bill, in which gross and rest are wrong in a row if `wrong`; return right cells."""
    rng = np.random.default_rng(0)
    net, percent = rng.integers(100, 500_000, 300), rng.integers(1, 100, 300)
    vat = (19 * net + 50) // 100
    gross = net + vat
    rows = [
        [spell(n / 100), spell(v / 100), spell(g / 100), f"{p}%", f"{100 - p}%", f"{200 - 2 * p}%"]
        for n, v, g, p in zip(net, vat, gross, percent, strict=True)
    ]
    right = rows[7][2], rows[9][4]
    if wrong:
        rows[7][2], rows[9][4] = spell(9_999.5), "1234%"
    with Path(path).open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        lines.writerows([["net", "vat", "gross", "p", "rest", "twice"], *rows])
    return right


@pytest.mark.parametrize("name", SPELLED)
def test_a_repaired_number_is_spelled_as_its_column(name):
    spell, delimiter = SPELLED[name]
    quoting = csv.QUOTE_ALL if "quotes" in name else csv.QUOTE_MINIMAL
    write("good.csv", spell, delimiter, quoting=quoting)
    write("wrong.csv", spell, delimiter, True, quoting=quoting)
    succeed("relations", "good.csv", "-o", "spelled.json")
    run("check", "spelled.json", "wrong.csv", "--repair", "fixed.csv")
    fixed, good = (Path(each).read_bytes().splitlines()[1:] for each in ("fixed.csv", "good.csv"))
    assert fixed == good
    succeed("check", "spelled.json", "fixed.csv")


def test_a_column_with_several_spellings_stays():
    write("good.csv", lambda x: f"${x:,.2f}", ",")
    mixed = [lambda x: f"${x:.2f}", lambda x: f"${x:,.2f}"]
    write("wrong.csv", lambda x: mixed[int(x) % 2](x), ",", True)
    succeed("relations", "good.csv", "-o", "spelled.json")
    done = run("check", "spelled.json", "wrong.csv", "--repair", "fixed.csv")
    assert "1 cell replaced" in done.stderr
    assert "1 cell of gross kept: its cells are written in several ways" in done.stderr
    before, after = (Path(n).read_text("utf-8").splitlines() for n in ("wrong.csv", "fixed.csv"))
    assert [i for i in range(301) if before[i] != after[i]] == [10]
    changes = Path("fixed.csv.changes.csv").read_text("utf-8").splitlines()
    assert len(changes) == 2


def test_a_repaired_label_with_a_delimiter_is_quoted():
    rng = np.random.default_rng(0)
    labels = np.array(["Smith, J", "Miller, A", "Baker, B"])
    key = rng.integers(0, 3, 300)
    rate = np.array([10, 20, 40])[key]
    hours = rng.integers(2, 50, 300)
    table = pd.DataFrame({"who": labels[key], "rate": rate, "hours": hours, "pay": rate * hours})
    table.to_csv("good.csv", index=False)
    table.loc[3, "who"] = table.who[3].replace("i", "ii").replace("ak", "aak")
    table.to_csv("wrong.csv", index=False)
    succeed("relations", "good.csv", "-o", "labels.json")
    run("check", "labels.json", "wrong.csv", "--repair", "fixed.csv")
    assert Path("fixed.csv").read_bytes() == Path("good.csv").read_bytes()


def test_a_comparison_says_why_broken_rows_have_exit_code_0():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 99, (2, 300)).round(2)
    table = pd.DataFrame({"a": a, "b": b, "sum": (a + b).round(2)})
    table.loc[7, "sum"] += 2
    table.to_csv("today.csv", index=False)
    last = succeed("compare", "today.csv", "today.csv").stdout.splitlines()[-1]
    assert last.startswith("The exit code is 0: no law is broken in more rows than it allows")
    assert last.endswith("gramian check --allow 0 allows none.")
