"""The benchmark of the commands: its tables have their laws, and its page has a row for each."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1]


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import commands

    yield commands
    for name in ("commands", "commands_tables"):
        sys.modules.pop(name, None)


def test_tables_have_their_shapes_and_laws(tool):
    tables = {name: make(400) for name, make in tool.commands_tables.TABLES.items()}
    assert {name: frame.shape[1] for name, frame in tables.items()} == {
        "mixed": 20,
        "sales": 18,
        "sensors": 40,
    }
    mixed, sales, sensors = tables.values()
    np.testing.assert_allclose(mixed["total"], mixed[["net", "tax", "shipping"]].sum(axis=1))
    assert (mixed.groupby("category")["tax_rate"].nunique() == 1).all()
    assert sales["margin"].isna().any()
    assert not set(sales["store"]) <= {f"store {k:02d}" for k in range(30)}
    power = (sensors["u1"] * sensors["i1"] * sensors["pf1"] / 1000).round(4)
    np.testing.assert_allclose(sensors["p1"], power)
    assert sensors["level1"].between(0, 100).all()
    assert (sensors["level1"] == 100).any()


def test_tables_are_the_same_every_time(tool):
    for make in tool.commands_tables.TABLES.values():
        assert make(50).equals(make(50))


def test_a_command_is_timed_beside_busy_processes(tool, tmp_path):
    tool.commands_tables.mixed(60).to_csv(tmp_path / "mixed.csv", index=False)
    with tool.busy(1):
        spent = tool.seconds("relations", tmp_path / "mixed.csv", "none")
    assert spent > 0.1


def test_the_page_has_a_row_for_each_table(tool):
    row = {"table": "mixed", "shape": [3000, 20], "select": 1.26, "relations": 2, "report": 3.04}
    assert tool.as_markdown([row]).splitlines() == [
        "| table | rows | columns | select | relations | report |",
        "|---|--:|--:|--:|--:|--:|",
        "| mixed | 3,000 | 20 | 1.3 | 2.0 | 3.0 |",
    ]
