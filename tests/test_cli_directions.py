"""Directions from a file, given to the command."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import run
from numpy.testing import assert_allclose

from gramian import GFR
from gramian.models import read


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    z = rng.standard_normal((300, 2))
    table = pd.DataFrame(
        np.column_stack([z, z[:, 0] * z[:, 1], rng.standard_normal(300)]), columns=list("abcd")
    )
    table["name"] = [f"row {i}" for i in range(300)]
    table.to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame({"b": [1, 0], "a": [0, 2]}).to_csv(tmp_path / "w.csv", index=False)
    return tmp_path


def extract(files, *options):
    return run("extract", str(files / "t.csv"), "--directions", str(files / "w.csv"), *options)


def test_the_command_and_the_estimator_agree_on_given_directions(files):
    done = extract(files, "-n", "3", "--json", "--model", str(files / "m.gram"))
    assert done.exit_code == 0, done.stderr
    X = pd.read_csv(files / "t.csv")[list("abcd")]
    same = GFR(3, given=[[0, 1, 0, 0], [2, 0, 0, 0]], scale=True).fit(X)
    found = read(files / "m.gram").estimator
    assert_allclose(found.components_, same.components_, atol=1e-12)
    assert_allclose(found.components_[:2], np.eye(4)[[1, 0]], atol=1e-12)
    left = same.residual_variance_[-1] / same.residual_variance_[0]
    assert json.loads(done.stdout)["explained_variance"][-1] == pytest.approx(1 - left)


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        ({"b": [1.0], "e": [2.0]}, (), "names column 'e'"),
        ({"b": [1.0], "a": [None]}, (), "no finite number in some cells of column 'a'"),
        ({"b": [1.0], "a": [np.inf]}, (), "no finite number in some cells of column 'a'"),
        ({"b": []}, (), "w.csv has no rows: write a row of weights for each direction"),
        ({"b": ["x"]}, (), "w.csv has other cells than numbers in column 'b', and weights"),
        ({"b": ["01"]}, (), "w.csv has other cells than numbers in column 'b', and weights"),
        ({"b": [1.0, 0.0], "a": [0.0, 1.0]}, ("-n", "1"), "has 2 rows, and -n 1 is less"),
        ({"b": [1.0], "name": [1.0]}, (), "gives a weight to column 'name'"),
        ({"b": [0.0]}, (), "is zero or a combination"),
        ({"b": [1.0]}, ("-a", "gca"), "--directions is for -a gfr"),
    ],
)
def test_invalid_directions_are_refused(files, weights, options, message):
    pd.DataFrame(weights).to_csv(files / "w.csv", index=False)
    done = extract(files, *options)
    assert done.exit_code != 0
    assert message in done.stderr.replace("\n", " ")
    assert "--encode" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["extract", "report"])
@pytest.mark.parametrize("option", ["-o", "-m"])
def test_the_file_of_directions_is_never_written_to(files, command, option):
    if command == "report":
        pytest.importorskip("jinja2")
    weights = files / "w.csv"
    before = weights.read_bytes()
    done = run(
        command, files / "t.csv", "-a", "gfr", "--directions", weights, option, files / "./w.csv"
    )
    assert done.exit_code == 2
    assert "is named twice" in done.stderr
    assert weights.read_bytes() == before


def test_directions_without_names_apply_to_the_columns_that_take_part(files):
    np.save(files / "w.npy", [[0.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]])  # columns a to d
    components = []
    for name in ("w.csv", "w.npy"):
        model = str(files / f"{name}.gram")
        done = run("extract", files / "t.csv", "--directions", files / name, "-n", "3", "-m", model)
        assert done.exit_code == 0, done.stderr
        components.append(read(model).estimator.components_)
    assert_allclose(*components)
    np.save(files / "w.npy", np.eye(3))
    done = run("extract", files / "t.csv", "--directions", files / "w.npy")
    assert done.exit_code == 2
    assert "has 3 columns without names, and 4 columns can take part" in done.stderr


@pytest.mark.parametrize("size", [1e308, 1e-308])
def test_directions_may_have_any_length(files, size):
    weights = np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    X = pd.read_csv(files / "t.csv")[list("abcd")]
    one, other = (GFR(2, given=each).fit(X) for each in (weights, size * weights))
    assert_allclose(other.components_, one.components_, rtol=1e-14)
