"""``--groups`` of the command: rows of a label are left out together."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import run, succeed
from group_cases import patients

NUMBERS = [*"abcdefghij"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, patient = patients(12, n_columns=10)
    frame = pd.DataFrame(X, columns=NUMBERS)
    frame.insert(3, "patient", [f"p{i}" for i in patient])
    frame["k"] = frame.a * frame.b
    frame["ward"] = np.array([*"uvwxyz"])[np.random.default_rng(0).integers(0, 6, 30)][patient]
    frame.to_csv("table.csv", index=False, float_format="%.17g")
    frame.to_parquet("table.parquet")
    return frame


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_select_drops_only_what_follows_beyond_groups(table, name):
    alone = json.loads(succeed("select", name, "-x", "patient", "--json").stdout)
    assert len(alone["dropped"]) > 1
    done = succeed("select", name, "--groups", "patient", "--json", "-o", "kept.csv")
    document = json.loads(done.stdout)
    assert document["dropped"] == ["k"]
    kept = pd.read_csv("kept.csv")
    assert [*kept.columns] == ["patient", *NUMBERS, "ward"]
    assert kept["patient"].tolist() == table["patient"].tolist()


def test_a_model_passes_the_column_of_groups_through_if_a_table_has_it(table):
    succeed("select", "table.csv", "--groups", "patient", "-m", "model.gram", "-q")
    succeed("apply", "model.gram", "table.csv", "-o", "with.csv")
    assert [*pd.read_csv("with.csv").columns] == ["patient", *NUMBERS, "ward"]
    table.drop(columns="patient").to_csv("other.csv", index=False)
    succeed("apply", "model.gram", "other.csv", "-o", "without.csv")
    assert [*pd.read_csv("without.csv").columns] == [*NUMBERS, "ward"]
    succeed("select", "table.csv", "--groups", "patient", "-x", "patient", "-o", "none.csv")
    assert "patient" not in pd.read_csv("none.csv").columns


@pytest.mark.parametrize("algorithm", ["gfr", "gca", "manifold"])
def test_extract_leaves_groups_out_together(table, algorithm):
    options = ("-a", algorithm, "-x", "k", "--degree", "2", "--json", "--quiet")
    options += ("-n", "3", "--validation", "0.2") if algorithm == "gfr" else ("-n", "2")
    alone = json.loads(succeed("extract", "table.csv", "-x", "patient", *options).stdout)
    grouped = json.loads(succeed("extract", "table.csv", "--groups", "patient", *options).stdout)
    assert grouped["columns"] == alone["columns"] == 10
    assert grouped != alone


def test_a_report_takes_groups(table):
    pytest.importorskip("jinja2")
    options = ("-a", "gfa", "--groups", "patient", "-o", "page.html", "--json")
    assert json.loads(succeed("report", "table.csv", *options).stdout)["dropped"] == ["k"]


def test_relations_counts_a_group_once(table):
    assert "patient" in succeed("relations", "table.csv").stdout
    expected = "k = a · b\n"
    assert succeed("relations", "table.csv", "--groups", "patient").stdout == expected
    excluded = succeed("relations", "table.csv", "--groups", "patient", "-x", "patient")
    assert excluded.stdout == expected


def test_mistakes_with_groups_are_reported(table):
    for command in ("select", "extract", "relations"):
        done = run(command, "table.csv", "--groups", "doctor")
        assert done.exit_code == 2
        assert "--groups 'doctor' matches no column" in done.stderr
        done = run(command, "table.csv", "--groups", "[ab]")
        assert done.exit_code == 2
        assert "matches 2 columns" in done.stderr
    table.assign(patient="Ada").to_csv("one.csv", index=False)
    table.assign(patient=table.patient.where(table.patient != "p3")).to_csv("gaps.csv", index=False)
    for command in ("select", "extract", "relations"):
        done = run(command, "one.csv", "--groups", "patient")
        assert done.exit_code == 3
        assert "All rows are in one group" in done.stderr
        done = run(command, "gaps.csv", "--groups", "patient")
        assert done.exit_code == 3
        assert "no label in 20 rows" in done.stderr
    pd.concat([table] * 30).to_csv("long.csv", index=False)
    done = run("select", "long.csv", "--groups", "patient", "--memory-budget", "1MiB")
    assert done.exit_code == 3
    assert "--groups needs all rows in memory" in done.stderr
    assert "raise --memory-budget" in done.stderr
