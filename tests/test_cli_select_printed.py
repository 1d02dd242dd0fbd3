"""What ``gramian select`` prints, read as the owner of the table would."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, measurements, succeed  # noqa: F401

import gramian
from gramian.cli._pages import Page
from gramian.explanations import RowsNeededError

pytestmark = pytest.mark.usefixtures("folder")
HINT = "For the few that stand for all: -n"
N_ROWS = 240


def shop(n_rows=N_ROWS):
    """Write a table with laws, a gap, text, an empty and a constant column."""
    rng = np.random.default_rng(0)
    net = rng.uniform(1, 99, n_rows).round(2)
    product = rng.integers(0, 6, n_rows)
    table = pd.DataFrame(
        {
            "product": np.array([*"abcdef"])[product],
            "maker": np.array([*"xxyyzz"])[product],
            "pieces": rng.integers(1, 9, n_rows),
            "net": net,
            "empty": np.nan,
            "weight": rng.uniform(1, 5, n_rows).round(3),
            "day": "2024-05-01",
        }
    )
    table["total"] = (table["net"] * table["pieces"]).round(2)
    table.loc[[3, 50], "weight"] = np.nan
    table.to_csv("shop.csv", index=False)
    return table


def independent(n_columns, n_rows=100, name="in.csv"):
    """Write a table of random columns, none of which follows from others."""
    x = np.random.default_rng(0).standard_normal((n_rows, n_columns))
    table = pd.DataFrame(x).add_prefix("c")
    table.to_csv(name, index=False)
    return table


def lines_of(*arguments):
    return succeed("select", *arguments).stdout.splitlines()


def test_all_that_is_printed_about_a_table_with_laws():
    shop()
    done = succeed("select", "shop.csv", "-o", "kept.csv")
    assert done.stdout.splitlines() == [
        "shop.csv: 240 rows, 8 columns: 4 kept, 3 dropped, 1 set aside",
        "Kept: product, pieces, net, weight",
        "Dropped:",
        "  maker follows from product (6 levels)",
        "  day = 2024-05-01",
        "  total = pieces · net",
        "Laws give every cell of 2 columns again. 1 column is constant.",
    ]
    assert done.stderr.splitlines() == [
        "gramian: the fit left out 2 of 240 rows, as values are missing; "
        "set aside: 'empty' (no value in any row)",
        "gramian: wrote kept.csv",
    ]
    assert pd.read_csv("kept.csv").columns.tolist() == ["product", "pieces", "net", "weight"]


def test_python_prints_the_same_laws():
    shop()
    told = str(gramian.select("shop.csv")).splitlines()
    printed = lines_of("shop.csv")
    assert told[0] == "Kept 4 of 7 columns: product, pieces, net, weight"
    assert told[2:5] == printed[3:6]
    assert told[5:] == ["Set aside: empty (no value in any row)"]


def test_text_that_is_kept_is_named_if_only_a_ranking_is_printed():
    shop()
    ranked = succeed("select", "shop.csv", "-n", "1")
    assert ranked.stderr.count("text or codes, kept as they are: 'product'") == 1
    assert "text or codes" not in succeed("select", "shop.csv").stderr


@pytest.mark.parametrize("options", [["-n", "2"], ["--forward"], ["-a", "gfs", "-n", "2"]])
def test_a_ranking_has_a_table_without_residual_variances(options):
    lines = lines_of("data.csv", "-x", "key,label", *options)
    assert lines[1].split()[:2] == ["column", "explained"]
    assert "residual variance" not in "".join(lines)
    assert not any(each.startswith("Kept:") for each in lines)
    assert sum(each.startswith("explained: share of the variance of 7") for each in lines) == 1
    document = json.loads(
        succeed("select", "data.csv", "-x", "key,label", *options, "--json").stdout
    )
    assert len(document["residual_variance"]) == len(document["kept"]) + 1
    assert [each.split()[1] for each in lines[2 : 2 + len(document["kept"])]] == document["kept"]


def test_a_selection_that_is_no_ranking_has_no_table_but_the_names_in_the_order_of_the_file():
    table = measurements()[["height", "label", "perimeter", "voltage", "width"]]
    table.to_csv("other.csv", index=False)
    lines = lines_of("other.csv", "--prefer", "width")
    names = lines[1].removeprefix("Kept: ").split(", ")
    assert names == [name for name in table if name in names]
    assert "explained" not in "".join(lines)


@pytest.mark.parametrize(("n_columns", "proposed"), [(5, 2), (30, 10)])
def test_a_table_of_which_nothing_is_dropped_has_one_line_of_advice(n_columns, proposed):
    independent(n_columns)
    first, kept, last = lines_of("in.csv", "--degree", "1", "--no-laws")
    assert first == f"in.csv: 100 rows, {n_columns} columns: all kept"
    assert kept == "Kept: " + ", ".join(f"c{i}" for i in range(n_columns))
    assert last == f"No column follows from others. {HINT} {proposed}"
    assert len(pd.read_csv("in.csv").columns) > proposed
    succeed("select", "in.csv", "-n", str(proposed))  # the advice works


def test_columns_that_the_user_keeps_are_not_said_to_follow_from_no_others():
    independent(4).assign(copy=lambda table: 2 * table.c0).to_csv("in.csv", index=False)
    assert lines_of("in.csv", "--keep", "c0,copy")[-1] == f"No column was dropped. {HINT} 2"
    assert "copy = 2 · c0" in "".join(lines_of("in.csv"))


def test_a_long_list_of_kept_columns_is_shortened():
    independent(40)
    assert lines_of("in.csv", "--degree", "1", "--no-laws")[1].endswith(", c38, c39")
    independent(41)
    kept = lines_of("in.csv", "--degree", "1", "--no-laws")[1]
    assert kept == "Kept: " + ", ".join(f"c{i}" for i in range(30)) + " and 11 more"


def test_names_are_broken_between_lines_of_a_terminal_only():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    names = [f"column_{i}," for i in range(30)]
    shown = {}
    for stream in (Terminal(), io.StringIO()):
        page = Page(stream)
        page._console.width = 40 if page.is_terminal else page._console.width
        page.words("Kept:", names, "  ")
        shown[page.is_terminal] = stream.getvalue().splitlines()
    assert max(map(len, shown[True])) <= 40
    assert all(each.startswith("  column_") for each in shown[True][1:])
    assert " ".join(" ".join(shown[True]).split()) == shown[False][0]
    assert len(shown[False]) == 1


def test_names_with_commas_cannot_be_taken_for_two():
    independent(3).rename(columns={"c1": "a, b"}).to_csv("in.csv", index=False)
    assert lines_of("in.csv")[1] == "Kept: c0, `a, b`, c2"


def test_functions_are_told_from_laws_and_their_accuracy_is_on_rows_left_out():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 2, (2, 300))
    near = a * b + 1e-4 * rng.standard_normal(300)
    pd.DataFrame({"a": a, "b": b, "near": near}).to_csv("in.csv", index=False)
    (dropped,) = json.loads(succeed("select", "in.csv", "--json").stdout)["elimination"][
        "dropped"
    ].values()
    assert dropped["evidence"] == "rows left out"
    assert lines_of("in.csv")[-1] == (
        "Functions of the kept columns give 1 column with R² ≥ 0.9999 on rows left out "
        "(GFA, Polynomial(2))."
    )


def test_laws_with_exceptions_do_not_give_every_cell():
    rng = np.random.default_rng(0)
    net, fee = rng.uniform(1, 99, (2, 600)).round(2)
    total = (net + fee).round(2)
    total[::100] += 7
    pd.DataFrame({"net": net, "fee": fee, "total": total}).to_csv("in.csv", index=False)
    assert lines_of("in.csv")[-1] == "No column follows from others in every row."
    done = succeed("select", "in.csv", "--exceptions", "0.02")
    assert done.stdout.splitlines()[-1] == "Laws with exceptions give 1 column again."
    assert "whose cells do not come back" in done.stderr


@pytest.mark.parametrize(("n_copies", "n_more"), [(10, 0), (11, 0), (12, 2)])
def test_a_few_dropped_columns_are_all_printed(n_copies, n_more):
    table = independent(2)
    for i in range(n_copies):
        table[f"copy{i}"] = (i + 2) * table["c0"]
    table.to_csv("in.csv", index=False)
    lines = lines_of("in.csv", "--prefer", "c0", "-m", "m.gram")
    dropped = lines[lines.index("Dropped:") + 1 : -1]
    more = ["  and 2 more, see gramian explain m.gram in.csv"] if n_more else []
    assert dropped[n_copies - n_more :] == more
    assert len(succeed("explain", "m.gram", "in.csv").stdout.splitlines()) == n_copies


def test_formulas_that_need_rows_are_promised_where_they_can_be_had(monkeypatch):
    def refuse(*arguments):
        raise RowsNeededError("rows")

    monkeypatch.setattr("gramian.cli._fit_page.formulas", refuse)
    options = ["data.csv", "-x", "key,label", "--degree", "1", "-n", "5"]
    names = json.loads(succeed("select", *options, "--json").stdout)["dropped"]
    said = f"  {' and '.join(names)}; for formulas: "
    command = "gramian explain m.gram data.csv"
    assert lines_of(*options, "-m", "m.gram")[-1] == said + command
    told = f"{said}write a model with -m, then gramian explain MODEL data.csv"
    assert lines_of(*options)[-1] == told
    assert len(succeed(*command.split()[1:]).stdout.splitlines()) == len(names)


@pytest.mark.parametrize("n_missing", [0, 40])
def test_the_share_of_exceptions_that_a_warning_proposes_is_enough(n_missing):
    rng = np.random.default_rng(0)
    net, fee = rng.uniform(1, 99, (2, 600)).round(2)
    total = (net + fee).round(2)
    total[::25] += 7
    table = pd.DataFrame({"name": [f"n{i}" for i in range(600)], "net": net, "fee": fee})
    table["total"], table["day"] = total, pd.Timestamp("2024-05-01")
    table.loc[1 : 2 * n_missing : 2, "fee"] = np.nan
    table["kind"] = np.array([*"xyz"])[rng.integers(0, 3, 600)]
    table["rate"] = table["kind"].map({"x": 1, "y": 2, "z": 5})
    table.to_csv("in.csv", index=False)
    told = succeed("select", "in.csv").stderr
    (share,) = re.findall(r"is kept unless --exceptions ([\d.]+) allows such rows", told)
    assert float(share) == (0.04 if not n_missing else 0.11)
    assert "with exceptions" in lines_of("in.csv", "--exceptions", share)[-1].lower()
