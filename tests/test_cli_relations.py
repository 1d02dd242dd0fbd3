"""``gramian relations``: the laws of a table, from a shell."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import run, succeed


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
