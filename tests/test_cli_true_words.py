"""What the command prints about a selection is what is in its file and its model."""

import numpy as np
import pandas as pd
import pytest
from cli_cases import succeed

import gramian

pytestmark = pytest.mark.usefixtures("in_own_folder")


@pytest.fixture
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 9, (2, 200)).round(2)
    b[::50] = np.nan
    table = pd.DataFrame({"a": a, "b": b, "c": (a * b).round(4), "unit": 1, "factor": 1.5})
    table["key"] = [f"k{i}" for i in range(200)]
    table["tax"] = np.where(rng.integers(0, 2, 200), "low", "high")
    table["rate"] = table.tax.map({"low": 7, "high": 19})
    table["label"] = rng.integers(0, 2, 200)
    table.to_csv("in.csv", index=False)


def test_the_kept_columns_are_counted_as_they_are_in_the_file():
    done = succeed("select", "in.csv", "--target", "label", "-o", "out.csv")
    n_columns = len(pd.read_csv("out.csv").columns)
    first, kept, *_ = done.stdout.splitlines()
    assert first == "in.csv: 200 rows, 9 columns: 4 kept, 4 dropped, 1 passed through"
    assert n_columns == 4 + 1
    assert kept == "Kept: a, b, key, tax"
    assert "Laws give every cell of 2 columns again. 2 columns are constant." in done.stdout
    assert "196" not in done.stdout  # said once, on standard error
    assert "the fit left out 4 of 200 rows, as values are missing" in done.stderr
    assert len(pd.read_csv("out.csv")) == 200


def test_a_constant_column_has_its_value_as_formula():
    done = succeed("select", "in.csv", "-m", "model.gram")
    assert "  unit = 1" in done.stdout
    assert "  factor = 1.5" in done.stdout
    assert "no formula" not in done.stdout
    succeed("report", "in.csv", "-a", "gfa", "-o", "page.html")
    with open("page.html", encoding="utf-8") as file:
        page = file.read()
    assert "none found" not in page
    assert "&#39;unit&#39; and &#39;factor&#39; do not vary." in page


def test_a_column_without_a_short_formula_is_told_as_explain_tells_it():
    a, b, c = np.random.default_rng(0).uniform(1, 2, (3, 300))
    made = np.sin(3 * a * b) + np.exp(b * c)
    noise = np.random.default_rng(1).standard_normal(300)
    columns = {"a": a, "b": b, "c": c, "noise": noise, "made": made}
    pd.DataFrame(columns).to_csv("sums.csv", index=False)
    shown = succeed("select", "sums.csv", "-n", "2", "-m", "sums.gram").stdout
    lines = succeed("explain", "sums.gram").stdout.splitlines()
    assert any("no short formula" in each for each in lines)
    assert {f"  {each}" for each in lines} <= {*shown.splitlines()}
    told = str(gramian.select("sums.csv", n=2)).splitlines()
    assert {f"  {each}" for each in lines if "no short formula" in each} <= {*told}


def test_no_progress_is_printed_into_a_pipe():
    done = succeed("extract", "in.csv", "-a", "manifold", "-n", "1", "-x", "key,tax,b,c")
    assert "PolynomialManifold" not in done.stderr + done.stdout


def test_a_model_shows_the_options_that_were_given():
    succeed("select", "in.csv", "-m", "model.gram", "-q")
    assert "GFA(scale=True)" in succeed("inspect", "model.gram").stdout
    succeed("select", "in.csv", "-m", "model.gram", "-q", "--keep", "c,key")
    assert "['c']" in succeed("inspect", "model.gram").stdout
