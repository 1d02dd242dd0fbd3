"""The option --time-limit of the commands that search for laws or formulas."""

import itertools
import json

import pytest
from cli_cases import gramian, run, succeed
from test_time_limit import orders

from gramian._support import time_limit


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write a table into the current folder, and return its name."""
    monkeypatch.chdir(tmp_path)
    orders().to_csv("orders.csv", index=False)
    return "orders.csv"


@pytest.fixture
def slow(monkeypatch):
    """Let each look at the clock take a second."""
    ticks = itertools.count()
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: float(next(ticks)))


@pytest.mark.parametrize(
    "command",
    [
        ["select", "orders.csv"],
        ["relations", "orders.csv"],
        ["report", "orders.csv"],
        ["compare", "orders.csv", "orders.csv"],
        ["check", "orders.csv", "orders.csv"],
    ],
    ids=lambda command: command[0],
)
def test_each_command_says_on_standard_error_that_the_limit_stopped_it(table, slow, command):
    done = run(*command, "--time-limit", "2.5")
    said = "gramian: the time limit of 2.5 s stopped a search: there may be more laws."
    assert said in done.stderr
    assert "--time-limit none" in done.stderr
    assert done.exit_code in (0, 3)
    free = run(*command, "--time-limit", "none")
    assert free.exit_code == 0
    assert "time limit" not in free.stderr


def test_formulas_of_a_model_have_the_limit(table, slow):
    succeed("select", table, "--no-laws", "-m", "orders.gram", "--time-limit", "none")
    limited = succeed("explain", "orders.gram", "--time-limit", "0.5")
    assert "no short formula" in limited.stdout
    assert "the time limit of 0.5 s stopped a search" in limited.stderr
    assert "total = " in succeed("explain", "orders.gram", "--time-limit", "none").stdout


def test_the_limit_is_ten_seconds_unless_the_environment_says_otherwise(table, slow, monkeypatch):
    monkeypatch.delenv("GRAMIAN_TIME_LIMIT")
    assert "the time limit of 10 s" in succeed("relations", table).stderr
    monkeypatch.setenv("GRAMIAN_TIME_LIMIT", "3")
    assert "the time limit of 3 s" in succeed("relations", table).stderr
    monkeypatch.setenv("GRAMIAN_TIME_LIMIT", "none")
    assert succeed("relations", table).stderr == ""


def test_json_says_whether_the_searches_were_finished(table, slow):
    for command in ("select", "relations", "report"):
        for seconds, complete in (("2", False), ("none", True)):
            done = succeed(command, table, "--json", "--time-limit", seconds)
            assert json.loads(done.stdout)["complete"] is complete


@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan"])
def test_other_values_are_refused(table, value):
    done = run("relations", table, f"--time-limit={value}")
    assert done.exit_code == 2
    assert "neither a number of seconds" in done.stderr


def test_a_process_of_its_own_obeys(table, tmp_path):
    done = gramian("relations", table, "--time-limit", "0.0001", cwd=tmp_path)
    assert done.returncode == 0
    assert "the time limit of 0.0001 s stopped a search" in done.stderr
