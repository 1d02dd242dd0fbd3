"""``gramian relations``: the laws of a table, from a shell."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import run, succeed

import gramian


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    u, i, t = rng.uniform(1, 5, (3, 200))
    frame = pd.DataFrame({"U": u, "I": i, "P": 0.001 * u * i, "C": t, "F": 1.8 * t + 32})
    frame.insert(0, "sample", [f"s{k}" for k in range(200)])
    frame.to_csv("table.csv", index=False)
    frame.to_parquet("table.parquet")
    return frame


def test_each_law_is_printed_on_one_line(table):
    for name in ("table.csv", "table.parquet"):
        done = succeed("relations", name)
        *laws, note = done.stdout.splitlines()
        assert laws == ["F = 1.8 · C + 32", "P = 0.001 · U · I"]
        assert "label of its own: column 'sample'" in note


def test_laws_can_be_printed_as_json(table):
    document = json.loads(succeed("relations", "table.csv", "-x", "F", "--json").stdout)
    assert document["columns"] == ["sample", "U", "I", "P", "C"]
    assert document["complete"] is True
    (law,) = document["relations"]
    assert law["law"] == "P = 0.001 · U · I"
    assert law["exact"] is True


def test_only_the_named_columns_are_searched(table):
    done = succeed("relations", "table.csv", "-c", "U,I,C")
    assert done.stdout == "No law was found among 3 columns.\n"


def test_a_table_read_in_pieces_has_the_same_laws(table):
    pd.concat([table] * 20).to_csv("long.csv", index=False)
    done = succeed("relations", "long.csv", "--memory-budget", "1MiB")
    assert done.stdout == succeed("relations", "table.csv").stdout


def test_mistakes_are_reported(table):
    assert run("relations", "none.csv").exit_code == 2
    table.head(3).to_csv("short.csv", index=False)
    done = run("relations", "short.csv")
    assert done.exit_code == 3
    assert "at least 6" in done.stderr


def test_tables_with_missing_values_and_flags_have_laws(table):
    table["rich"] = table["U"] > 3
    table.loc[::9, "I"] = np.nan
    table.to_csv("missing.csv", index=False)
    lines = succeed("relations", "missing.csv").stdout.splitlines()
    assert "P = 0.001 · U · I" in lines
    assert any(line.startswith("rich = [U > ") for line in lines)


def test_many_laws_are_printed_in_groups(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    u, i, t = rng.uniform(1, 5, (3, 400)).round(4)
    k = rng.integers(0, 4, 400)
    made = {"P": u * i, "F": 1.8 * t + 32, "K": t + 273.15, "D": 2 * u, "S": u + i + t}
    frame = pd.DataFrame({"u": u, "i": i, "t": t, **made})
    frame["near"] = 2 * frame["i"] + 3 + 0.02 * rng.standard_normal(400)
    frame["kind"], frame["tax"] = np.array([*"abcd"])[k], np.array([7, 19, 7, 16])[k]
    frame["start"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, 400), "D")
    frame["days"] = rng.integers(1, 30, 400)
    frame["end"] = frame["start"] + pd.to_timedelta(frame["days"], "D")
    frame["month"] = frame["start"].dt.month
    frame.to_csv("many.csv", index=False)
    printed = succeed("relations", "many.csv").stdout.splitlines()
    groups, heading = {}, ""
    for line in printed:
        if line.startswith("  "):
            groups[heading].append(line.strip())
        elif line.endswith(":"):
            heading = line.removesuffix(":")
            groups[heading] = []
    assert [*groups] == ["Numbers", "Levels", "Dates", "With noise"]
    assert len(groups["Numbers"]) == len(made)
    assert groups["Levels"] == ["tax follows from kind (4 levels)"]
    assert {*groups["Dates"]} == {"end = start + days", "month = the month of start"}
    assert [each.startswith("near = 2 · i + 3  (R² ") for each in groups["With noise"]] == [True]
    document = json.loads(succeed("relations", "many.csv", "--json").stdout)["relations"]
    laws = [each for group in groups.values() for each in group]
    assert {each["law"] for each in document} == {each.partition("  (")[0] for each in laws}
    plain = str(gramian.relations("many.csv")).splitlines()
    assert {each.strip() for each in printed} - {f"{each}:" for each in groups} == {*plain}
