"""Commands select, extract, apply, reconstruct: they agree with the estimators."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import MADE, MEASURED, folder, measurements, read_csv, run, succeed  # noqa: F401
from sklearn.preprocessing import StandardScaler

from gramian import GCA, GFA, GFR, GFS, models

pytestmark = pytest.mark.usefixtures("folder")
SELECT = ["select", "data.csv", "--target", "label", "--id", "key"]
FEATURES = [*MEASURED, *MADE]


def fitted(estimator, table=None):
    return estimator.fit((measurements() if table is None else table)[FEATURES])


def test_the_first_session_works_end_to_end():
    prefer = ["--prefer", ",".join(MEASURED)]
    succeed(*SELECT, *prefer, "-o", "kept.csv", "--model", "model.gram")
    kept = read_csv("kept.csv", dtype={"key": str})
    expected = measurements()[["key", *MEASURED, "label"]]
    pd.testing.assert_frame_equal(kept, expected, check_exact=True)
    succeed("apply", "model.gram", "new.csv", "-o", "kept_new.csv")
    new = read_csv("kept_new.csv", dtype={"key": str})
    pd.testing.assert_frame_equal(
        new, measurements(25, seed=1)[["key", *MEASURED, "label"]], check_exact=True
    )


def test_apply_passes_through_the_columns_that_the_fit_passed_through():
    succeed(*SELECT, "-n", "2", "--same-unit", "--model", "model.gram")
    succeed("apply", "model.gram", "new.csv", "-o", "out.csv")
    columns = read_csv("out.csv").columns.tolist()
    assert columns == ["key", "voltage", "height", "label"]
    measurements(5).drop(columns=["label"]).to_csv("without.csv", index=False)
    succeed("apply", "model.gram", "without.csv", "-o", "out.csv")
    assert read_csv("out.csv").columns.tolist() == ["key", "voltage", "height"]


@pytest.mark.parametrize(
    ("algorithm", "options", "estimator"),
    [
        ("gfs", ["-n", "3"], GFS(3)),
        ("gfs", ["-n", "0.9"], GFS(0.9)),
        ("gfs", ["-t", "100", "--degree", "3"], GFS(threshold=100, degree=3)),
        ("gfs", ["-n", "4", "--validation", "0.3", "--seed", "5"],
         GFS(4, validation_fraction=0.3, random_state=5)),
        ("gfs", ["-n", "3", "--family", "hermite", "--alpha", "0.1"],
         GFS(3, family="hermite", alpha=0.1)),
        ("gfs", ["-n", "2", "--degree", "auto"], GFS(2, degree="auto")),
        ("gfa", [], GFA()),
        ("gfa", ["-t", "0.01", "--family", "multilinear"],
         GFA(threshold=0.01, family="multilinear")),
        ("gfa", ["--forward"], GFA(backward=False)),
        ("gfa", ["--forward", "-t", "1e-3", "--relative", "--alpha", "0"],
         GFA(threshold=1e-3, relative=True, backward=False, alpha=0)),
        ("gfr", ["-n", "2"], GFR(2)),
        ("gfr", ["-n", "2", "--alpha", "auto"], GFR(2, alpha="auto")),
        ("gca", [], GCA()),
        ("gca", ["-t", "1", "--forward"], GCA(threshold=1, backward=False)),
    ],
)  # fmt: skip
def test_options_are_the_parameters_of_the_estimators(algorithm, options, estimator):
    command = "select" if algorithm in ("gfs", "gfa") else "extract"
    done = succeed(
        command, "data.csv", "-x", "key,label", "--algorithm", algorithm, *options,
        "--same-unit", "-o", "out.csv", "--json",
    )  # fmt: skip
    document = json.loads(done.stdout)
    expected = fitted(estimator)
    assert document["residual_variance"] == pytest.approx(expected.residual_variance_.tolist())
    assert document["stop_reason"] == expected.stop_reason_
    assert document["functions"] == 1 + expected.n_functions_.sum()
    held_out = getattr(expected, "validation_residual_variance_", None)
    assert (document["held_out_residual_variance"] is None) == (held_out is None)
    if held_out is not None:
        assert document["held_out_residual_variance"] == pytest.approx(held_out.tolist())
    if command == "select":
        chosen = [FEATURES[i] for i in expected.selected_features_]
        assert document["kept"] == chosen
        assert document["dropped"] == [name for name in FEATURES if name not in chosen]
    written = read_csv("out.csv")
    np.testing.assert_allclose(
        written, expected.transform(measurements()[FEATURES]), rtol=1e-9, atol=1e-9
    )
    assert written.columns.tolist() == expected.get_feature_names_out().tolist()


def test_the_model_file_holds_estimator_names_and_preprocessing():
    succeed(
        "extract", "data.csv", "-x", "key,label", "-n", "2", "--standardize", "-m", "model.gram"
    )
    model = models.read("model.gram")
    rows = measurements()[FEATURES]
    standardized = (rows - rows.mean()) / rows.std(ddof=0)
    expected = GFR(2).fit(standardized)
    np.testing.assert_allclose(model.estimator.components_, expected.components_, atol=1e-9)
    assert model.estimator.scale is True
    assert model.estimator.feature_names_in_.tolist() == FEATURES
    np.testing.assert_array_equal(model.preprocessing.apply(measurements()), rows)


def test_a_selection_needs_only_the_columns_it_keeps_in_any_order():
    succeed(*SELECT, "-n", "2", "--same-unit", "-m", "model.gram")
    table = measurements(5)[["height", "label", "voltage"]]
    table.to_csv("few.csv", index=False)
    done = succeed("apply", "model.gram", "few.csv", "-q")
    assert done.stdout.splitlines()[0] == "voltage,height,label"
    assert len(done.stdout.splitlines()) == 6


def test_reconstruct_returns_all_columns_in_the_units_of_the_table():
    prefer = ["--prefer", ",".join(MEASURED)]
    succeed(*SELECT, *prefer, "-t", "1e-6", "-m", "model.gram")
    succeed("apply", "model.gram", "new.csv", "-o", "kept.csv")
    truth = measurements(25, seed=1)
    for source in ("kept.csv", "new.csv"):  # the output of apply, or a whole table
        succeed("reconstruct", "model.gram", source, "-o", "all.csv")
        found = read_csv("all.csv", dtype={"key": str})
        assert found.columns.tolist() == ["key", *FEATURES, "label"]
        assert found["key"].tolist() == truth["key"].tolist()
        assert (found[MEASURED] == truth[MEASURED]).all(axis=None)  # as given, to the last digit
        np.testing.assert_allclose(found[MADE], truth[MADE], rtol=1e-5, atol=1e-5)


def test_a_standardized_fit_is_reconstructed_in_the_units_of_the_table():
    succeed(*SELECT, "-n", "3", "--standardize", "-m", "model.gram", "-o", "kept.csv")
    succeed("reconstruct", "model.gram", "kept.csv", "-o", "all.csv")
    rows = measurements()[FEATURES]
    mean, scale = rows.mean(), rows.std(ddof=0)
    gfs = GFS(3).fit((rows - mean) / scale)
    inverse = gfs.inverse_transform(gfs.transform((rows - mean) / scale))
    expected = pd.DataFrame(inverse, columns=FEATURES) * scale + mean
    found = read_csv("all.csv")[FEATURES]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    kept = gfs.get_feature_names_out()
    assert (found[kept] == rows[kept]).all(axis=None)  # as given, to the last digit


@pytest.mark.parametrize("algorithm", ["gfs", "gfa", "gfr", "gca"])
def test_a_standardized_model_works_in_the_units_of_the_table_from_end_to_end(algorithm):
    """Oracle: scikit-learn's scaler before a fit that does not scale."""
    command = "select" if algorithm in ("gfs", "gfa") else "extract"
    options = ["-x", "key,label", "--algorithm", algorithm, "-n", "4", "--standardize"]
    if algorithm == "gfr":  # held-out rows choose it in units of the other rows
        options += ["--alpha", "0"]
    succeed(command, "data.csv", *options, "-m", "model.gram", "-q")
    succeed("apply", "model.gram", "new.csv", "-o", "reduced.csv")
    rows, new = measurements()[FEATURES], measurements(25, seed=1)[FEATURES]
    scaler = StandardScaler().set_output(transform="pandas").fit(rows)
    plain = {"gfs": GFS(4), "gfa": GFA(4), "gfr": GFR(4, alpha=0), "gca": GCA(4)}
    plain = plain[algorithm]
    plain.fit(scaler.transform(rows))
    z = plain.transform(scaler.transform(new))
    expected = new[plain.get_feature_names_out()] if command == "select" else z
    reduced = pd.read_csv("reduced.csv")
    np.testing.assert_allclose(reduced, expected, rtol=1e-8, atol=1e-8)
    back = scaler.inverse_transform(plain.inverse_transform(z))
    for source in ("reduced.csv", "new.csv"):
        succeed("reconstruct", "model.gram", source, "-o", "all.csv")
        np.testing.assert_allclose(pd.read_csv("all.csv"), back, rtol=1e-7, atol=1e-7)


def test_the_command_and_the_estimator_reconstruct_equally_from_components():
    options = ["-x", "key,label", "-n", "4", "--same-unit"]
    succeed("extract", "data.csv", *options, "-m", "model.gram", "-o", "z.csv")
    expected = GFR(4).fit(measurements()[FEATURES])
    rows = measurements()[FEATURES]
    inverse = expected.inverse_transform(expected.transform(rows))
    for source in ("z.csv", "data.csv"):
        succeed("reconstruct", "model.gram", source, "-o", "all.csv")
        np.testing.assert_allclose(read_csv("all.csv"), inverse, rtol=1e-8, atol=1e-8)


# Columns


@pytest.mark.parametrize(
    ("options", "features"),
    [
        (["-c", "voltage,current", "-c", "w*"], ["voltage", "current", "width"]),
        (["-c", "*", "-x", "key,label,p*"], [*MEASURED, "area"]),
        (["-c", "[vc]*"], ["voltage", "current"]),
        (["-x", "key", "--target", "label", "-x", "????r,area"], [*MEASURED, "perimeter"]),
    ],
)
def test_columns_are_chosen_by_name_and_pattern(options, features):
    done = succeed("select", "data.csv", *options, "-n", "1", "--json")
    document = json.loads(done.stdout)
    assert sorted([*document["kept"], *document["dropped"]]) == sorted(features)


# Categories and missing values


def damaged():
    """Return a table with categories, and gaps in a column of each kind."""
    table = measurements()
    table["label"] = np.where(table["voltage"] > 200, "high", "low")
    table["grade"] = np.repeat(["a", "b", "c"], 20)
    table["height"] = table["height"].mask(table.index == 3)
    table["grade"] = table["grade"].mask(table.index == 7)
    table.to_csv("damaged.csv", index=False)
    return table


def test_categories_are_encoded_and_stay_text_in_the_output():
    table = damaged()
    options = ["--encode", "-x", "key", "--impute", "median"]
    succeed("select", "damaged.csv", *options, "-n", "9", "-o", "kept.csv", "-m", "model.gram")
    kept = read_csv("kept.csv")
    assert kept["grade"][0] == "a"
    assert kept["grade"][7] == "b"  # most frequent; the gap was an a
    assert kept["height"][3] == pytest.approx(table["height"].median())
    succeed("reconstruct", "model.gram", "kept.csv", "-o", "all.csv")
    assert set(read_csv("all.csv")["label"]) <= {"high", "low"}


def test_apply_imputes_the_values_of_the_fit():
    damaged()
    options = ["-x", "key,label,grade", "-n", "7"]
    succeed("select", "damaged.csv", *options, "--impute", "mean", "-m", "model.gram")
    gap = measurements(3)
    gap["height"] = [np.nan, 1.0, 2.0]
    gap.to_csv("gap.csv", index=False)
    done = succeed("apply", "model.gram", "gap.csv", "-o", "out.csv", "--json")
    assert json.loads(done.stdout)["rows"] == 3
    mean = read_csv("damaged.csv")["height"].mean()
    assert read_csv("out.csv")["height"].tolist() == pytest.approx([mean, 1.0, 2.0])


def test_rows_with_gaps_are_dropped_with_their_ids():
    damaged()
    options = ["--id", "key", "-x", "label,grade", "--impute", "drop-rows", "-n", "7"]
    options += ["--same-unit"]
    succeed("select", "damaged.csv", *options, "-o", "kept.csv", "-m", "model.gram")
    kept = read_csv("kept.csv", dtype={"key": str})
    assert kept["key"].tolist() == [f"{i:04d}" for i in range(60) if i != 3]
    succeed("apply", "model.gram", "damaged.csv", "--id", "key", "-o", "again.csv")
    pd.testing.assert_frame_equal(read_csv("again.csv", dtype={"key": str}), kept)


# Models from Python


def test_a_model_with_names_is_applied_by_name():
    fitted(GFS(2)).save("model.gram")
    done = succeed("apply", "model.gram", "new.csv")
    assert done.stdout.splitlines()[0] == "voltage,height"


def test_a_model_without_names_is_applied_by_position():
    GFR(2).fit(measurements()[FEATURES].to_numpy()).save("model.gram")
    measurements(5)[FEATURES].to_csv("other.csv", index=False, header=list("abcdefg"))
    succeed("apply", "model.gram", "other.csv", "-o", "out.csv")
    expected = fitted(GFR(2)).transform(measurements(5)[FEATURES])
    np.testing.assert_allclose(read_csv("out.csv"), expected, rtol=1e-9)
    done = run("apply", "model.gram", "data.csv", "-o", "out.csv")
    assert done.exit_code == 3
    assert "data.csv has 9 columns to work with, and the model takes 7" in done.stderr


# Tables larger than the budget


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "csv.gz"])
def test_a_table_larger_than_the_budget_gives_the_same_result(ending):
    table = measurements(20_000)
    table["whole"] = np.arange(20_000)
    write = {"csv": table.to_csv, "csv.gz": table.to_csv}
    if ending in write:
        write[ending](f"big.{ending}", index=False)
    else:
        getattr(table, f"to_{ending}")(f"big.{ending}")
    options = ["--id", "key", "--target", "label", "-n", "3", "--json"]
    kept = {}
    for name, budget in (("memory", "1GiB"), ("pieces", "1MiB")):
        output = f"{name}.{ending}"
        done = succeed("select", f"big.{ending}", *options, "--memory-budget", budget, "-o", output)
        kept[name] = json.loads(done.stdout)
    assert kept["memory"]["kept"] == kept["pieces"]["kept"]
    assert kept["memory"]["residual_variance"] == pytest.approx(
        kept["pieces"]["residual_variance"], rel=1e-9
    )
    read = {"parquet": pd.read_parquet, "feather": pd.read_feather}.get(ending, read_csv)
    pd.testing.assert_frame_equal(read(f"memory.{ending}"), read(f"pieces.{ending}"))


@pytest.mark.parametrize("command", ["select", "extract"])
def test_standardizing_does_not_load_a_large_table(command, monkeypatch):
    measurements(20_000).to_parquet("big.parquet")
    options = ["--id", "key", "--target", "label", "-n", "3", "--standardize", "--json"]
    whole = json.loads(succeed(command, "big.parquet", *options, "-o", "whole.csv").stdout)

    def refuse(*arguments):
        raise AssertionError("the table was loaded")

    monkeypatch.setattr("gramian.tabular._table_fit.TableFit._fit_in_memory", refuse)
    options += ["--memory-budget", "1MiB"]
    pieces = json.loads(succeed(command, "big.parquet", *options, "-o", "pieces.csv").stdout)
    assert pieces["kept"] == whole["kept"]
    assert pieces["residual_variance"] == pytest.approx(whole["residual_variance"], rel=1e-8)
    pd.testing.assert_frame_equal(pd.read_csv("pieces.csv"), pd.read_csv("whole.csv"), atol=1e-8)


def test_a_gap_far_down_in_a_large_file_drops_its_row():
    table = measurements(20_000)
    table.loc[19_990, "width"] = np.nan
    table.to_parquet("big.parquet")
    options = ["-x", "key,label", "--memory-budget", "1MiB", "-o", "k.csv"]
    done = succeed("select", "big.parquet", *options)
    assert "the fit left out 1 of 20,000 rows, as values are missing" in done.stderr
