"""Order-free selection by the command: its defaults and its options."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import MADE, MEASURED, folder, measurements, run, succeed  # noqa: F401

from gramian import models

pytestmark = pytest.mark.usefixtures("folder")
SELECT = ["select", "data.csv", "-x", "key,label"]


def selected(*arguments):
    return json.loads(succeed("select", *arguments, "--json").stdout)


def temperatures():
    """Write a table with one quantity in three units."""
    celsius, x = np.random.default_rng(0).uniform(1, 30, (2, 200))
    table = pd.DataFrame({"F": 1.8 * celsius + 32, "x": x, "C": celsius, "K": celsius + 273.15})
    table.to_csv("units.csv", index=False)
    return table


def test_select_without_options_drops_redundant_columns_and_says_how_in_one_line():
    lines = succeed(*SELECT).stdout.splitlines()
    assert lines[0] == "data.csv: 60 rows, 9 columns: 4 kept, 3 dropped, 2 left out"
    assert lines[-1] == "Laws give every cell of 3 columns again."
    functions = succeed(*SELECT, "--no-laws", "-t", "0.0001").stdout.splitlines()
    assert functions[-1] == (
        "Functions of the kept columns give 3 columns with R² ≥ 0.9999 on rows left out "
        "(GFA, Polynomial(2))."
    )
    assert "--same-unit" in succeed("select", "--help-all").stdout
    document = json.loads(succeed(*SELECT, "--json").stdout)
    assert_found(document)


def assert_found(document):
    """Check that width or perimeter is dropped, as each follows from the other and the height."""
    assert {*document["kept"]} - {"width", "perimeter"} == {"voltage", "current", "height"}
    assert len(document["kept"]) == 4
    assert {*document["kept"], *document["dropped"]} == {*MEASURED, *MADE}


def test_units_and_order_of_columns_do_not_change_the_selection():
    table = measurements().drop(columns=["key", "label"])
    rng = np.random.default_rng(0)
    kept = {*selected(*SELECT[1:])["kept"]}
    for _ in range(3):
        units = 10.0 ** rng.integers(-6, 6, table.shape[1])
        shuffled = (table * units)[rng.permutation(table.columns)]
        shuffled.to_csv("other.csv", index=False)
        assert {*selected("other.csv")["kept"]} == kept


def test_a_number_asks_for_the_most_informative_columns():
    document = selected(*SELECT[1:], "-n", "2")
    assert document["algorithm"] == "gfs"
    assert len(document["kept"]) == 2
    assert selected(*SELECT[1:], "-n", "2", "-a", "gfa")["algorithm"] == "gfa"
    done = succeed(*SELECT, "-n", "2")
    assert "(GFS, Multilinear(2), columns scaled to variance 1)" in done.stdout


def test_forward_is_the_published_algorithm_for_which_the_order_matters():
    table = measurements()[["power", "voltage", "current"]]
    table.to_csv("other.csv", index=False)
    options = ["--forward", "--relative", "-t", "0.001"]
    assert selected("other.csv", *options)["dropped"] == []  # power comes first
    table[["voltage", "current", "power"]].to_csv("other.csv", index=False)
    assert selected("other.csv", *options)["dropped"] == ["power"]


@pytest.mark.parametrize("name", ["F", "C", "K"])
def test_keep_and_prefer_name_columns_that_stay(name):
    temperatures()
    assert {*selected("units.csv", "--keep", name)["kept"]} == {name, "x"}
    assert {*selected("units.csv", "--prefer", name)["kept"]} == {name, "x"}


def test_keep_keeps_all_named_columns_and_overrides_prefer():
    temperatures()
    assert {*selected("units.csv", "--keep", "F,C")["kept"]} == {"F", "C", "x"}
    assert {*selected("units.csv", "--prefer", "K,C")["kept"]} == {"K", "x"}
    both = selected("units.csv", "--keep", "F", "--prefer", "K")
    assert {*both["kept"]} == {"F", "x"}


def test_columns_named_first_are_kept_among_equals():
    temperatures()
    assert {*selected("units.csv", "-c", "C,F,x,K")["kept"]} == {"C", "x"}
    assert {*selected("units.csv", "-c", "K", "-c", "C,F,x")["kept"]} == {"K", "x"}
    assert {*selected("units.csv", "-c", "K,C,F,x", "--prefer", "F")["kept"]} == {"F", "x"}


def test_prove_marks_the_selection_as_proved_minimal():
    temperatures()
    succeed("select", "units.csv", "--prove", "-m", "model.gram")
    assert models.read("model.gram").estimator.elimination_.minimal == "proved"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threshold", "5"], "--threshold 5 is no share of a variance"),
        (["--threshold", "0"], "--threshold 0 is no share of a variance"),
        (["-n", "2", "--keep", "voltage"], "--keep is for -a gfa, without --forward"),
        (["--forward", "--prefer", "width"], "--prefer is for -a gfa, without --forward"),
        (["--forward", "--prove"], "--prove is for -a gfa or gca, without --forward"),
        (["-a", "gfs", "--forward"], "--forward is for -a gfa or gca"),
        (["--keep", "volt"], "--keep 'volt' matches no column"),
        (["--prefer", "volt"], "--prefer 'volt' matches no column"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, message):
    done = run(*SELECT, *options)
    assert done.exit_code == 2
    assert message in done.stderr


def test_no_warning_of_units_appears_with_same_unit_or_standardization():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((200, 4)) * [1e6, 1, 1, 1], columns=[*"abcd"])
    table.to_csv("large.csv", index=False)
    for options in (["--same-unit"], []):
        done = succeed("extract", "large.csv", "-n", "2", *options, "-o", "z.csv")
        assert "scale=True" not in done.output
        assert "warning" not in done.stderr.lower()
    document = json.loads(
        succeed("extract", "large.csv", "-n", "1", "--same-unit", "-o", "z.csv", "--json").stdout
    )
    assert document["warnings"] == []


def test_json_gives_evidence_residual_share_and_alternatives_of_each_dropped_column():
    table = temperatures()
    table["constant"] = 3.0
    table["square"] = table["x"] ** 2
    table.to_csv("units.csv", index=False)
    found = selected("units.csv", "--no-laws")["elimination"]
    assert found["start"] == "all"
    assert found["minimal"] == "exchanges"
    assert {name: each["evidence"] for name, each in found["dropped"].items()} == {
        "constant": "constant",
        "F": "rows left out",
        "K": "rows left out",
        "square": "rows left out",
    }
    assert found["dropped"]["F"]["alternatives"] == found["dropped"]["K"]["alternatives"] == ["C"]
    assert all(each["share_left"] <= found["threshold"] for each in found["dropped"].values())
    with_laws = selected("units.csv")["elimination"]["dropped"]["square"]
    assert (with_laws["evidence"], with_laws["law"]) == ("law", "square = x²")


def test_a_dry_run_estimates_memory_for_functions_of_all_columns():
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.standard_normal((2000, 40))).add_prefix("x").to_csv("wide.csv", index=False)
    costs = [
        json.loads(succeed("select", "wide.csv", "--dry-run", "--json", *options).stdout)["costs"]
        for options in ([], ["--forward", "--family", "polynomial"])
    ]
    for whole, forward in zip(*costs, strict=True):
        assert whole["n_functions"] == forward["n_functions"]
        assert whole["memory"] >= 3 * 8 * 860**2 > forward["memory"] or whole["n_steps"] > 20
        assert whole["seconds"] > forward["seconds"]
