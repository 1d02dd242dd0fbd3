"""What the command prints about a selection is what is in its file and its model."""

import numpy as np
import pandas as pd
import pytest
from cli_cases import succeed

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
    kept = f"kept {n_columns} columns: 2 in the fit, and 2 of text or codes and 1 passed through"
    assert kept in done.stdout
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


def test_a_model_shows_the_options_that_were_given():
    succeed("select", "in.csv", "-m", "model.gram", "-q")
    assert "GFA(scale=True)" in succeed("inspect", "model.gram").stdout
    succeed("select", "in.csv", "-m", "model.gram", "-q", "--keep", "c,key")
    assert "['c']" in succeed("inspect", "model.gram").stdout
