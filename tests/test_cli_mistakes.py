"""Mistakes of users: a sentence that says what to do, an exit code, and no file left behind."""

import gzip
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, measurements, run, succeed  # noqa: F401

pytestmark = pytest.mark.usefixtures("folder")
FEATURES = ["-x", "key,label"]


def files():
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def refused(*arguments, code, data=None):
    """Run a command that must fail and write no file; return its message as one line."""
    before = files()
    done = run(*arguments, data=data)
    assert done.exit_code == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert files() == before
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("nothing.csv", "there is no file nothing.csv"),
        (".", ". is a folder without Parquet files, and of folders these alone are read"),
        ("data.csv -x key,label -o data.csv", "data.csv is named twice"),
        ("data.csv -x key,label -o ./data.csv", "./data.csv is named twice"),
        ("data.csv -x key,label -o k.csv -m k.csv", "k.csv is named twice"),
        ("data.csv -x key,label -o no/k.csv", "no/k.csv cannot be written: there is no folder no"),
        ("data.csv -x key,label -m no/m.gram", "no/m.gram cannot be written"),
        ("data.csv -x key,label -o folder", "folder is a folder; name a file to write to"),
        ("data.csv -x key,label -o k.xyz", "The format of k.xyz is not clear"),
        ("data.csv -x key,label -o k.npy.gz", "only CSV and TSV files can be compressed"),
        ("data.csv -x key,label -o - --json", "-o - and --json cannot both have standard output"),
        ("data.csv -x key,label -m -", "a model is written to a file"),
        ("data.csv -c zz*", "--columns 'zz*' matches no column; there are columns 'key'"),
        ("data.csv --target lable", "--target 'lable' matches no column"),
        ("data.csv --target label --id label", "column 'label' cannot be both --target and --id"),
        ("data.csv -x *", "no column is left to work with"),
        ("data.csv -x key,label -n 8", "-n 8 is more than the 7 columns that take part"),
        ("data.csv -n 0", "'0' is neither a whole number of columns nor a share"),
        ("data.csv -n 1.5", "'1.5' is neither a whole number"),
        ("data.csv -n many", "'many' is neither a whole number"),
        ("data.csv --degree 0", "'0' is neither a whole number such as 2 nor 'auto'"),
        ("data.csv --alpha=-1", "'-1' is neither a number such as 0.1 nor 'auto'"),
        ("data.csv --alpha nan", "'nan' is neither a number"),
        ("data.csv --threshold=-1", "'-1' is not a variance"),
        ("data.csv --validation 1", "'1' is not a share between 0 and 1"),
        ("data.csv --exceptions 1", "'1' is not a share from 0 to below 1"),
        ("data.csv --exceptions=-0.1", "'-0.1' is not a share from 0 to below 1"),
        ("data.csv --memory-budget lots", "'lots' is not a size such as 500MB or 2GiB"),
        ("data.csv --memory-budget 5kB", "'5kB' is too little: give at least 1MiB"),
        ("data.csv --delimiter ab", "a delimiter is one character"),
        ("data.csv --algorithm gfr", "'gfr'"),
        ("data.csv --family cubic", "'cubic'"),
        ("data.csv --impute zero", "'zero'"),
        ("data.csv --seed=-1", "Invalid value for '--seed'"),
        ("data.csv --seed 4294967296", "Invalid value for '--seed'"),
        ("data.csv --no-such-option", "--no-such-option"),
        ("", "Missing argument 'DATA'"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_refused(arguments, sentence):
    Path("folder").mkdir()
    assert sentence in refused("select", *arguments.split(), code=2)


def test_an_unknown_command_is_refused():
    assert "No such command 'selekt'" in refused("selekt", code=2)


def test_relative_is_refused_for_gfr():
    said = refused("extract", "data.csv", *FEATURES, "--relative", "-n", "2", code=2)
    assert "--relative is not for gfr, which finds its own directions" in said


def test_a_folder_that_cannot_be_written_to_is_named_before_the_work(monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    assert "is read-only" in refused("select", "data.csv", *FEATURES, "-o", "k.csv", code=2)


# Data


def test_a_table_without_numbers_is_refused_with_the_remedy():
    said = refused("select", "data.csv", "-c", "label", "-o", "k.csv", code=3)
    assert "data.csv has no column of numbers that a fit could use" in said
    assert "--encode" in said


@pytest.mark.parametrize("options", [[], ["--standardize"], ["--memory-budget", "1MiB"]])
def test_values_near_the_largest_float_are_refused_with_the_remedy(options):
    table = measurements(30_000 if "1MiB" in options else 60)
    table.loc[3, "width"] = 1.5e308
    table.loc[4, "power"] = -1.7e308
    table.loc[5, "power"] = 1.7e308
    table.to_csv("huge.csv", index=False)
    said = refused("select", "huge.csv", *FEATURES, "-n", "2", *options, code=3)
    assert "columns 'width' and 'power' of huge.csv have values that differ by more" in said
    assert "Change the unit" in said
    assert "warning" not in said


def test_indicators_of_columns_with_many_values_are_refused():
    options = ["--family", "indicator", "-n", "2"]
    said = refused("select", "data.csv", *FEATURES, *options, code=3)
    assert "--family indicator is for columns of at most 32 distinct values" in said
    assert "columns 'voltage', 'current', 'width', 'height', 'power' and 2 more have more" in said
    assert "max_levels" not in said
    said = refused("extract", "data.csv", *FEATURES, *options, code=3)
    assert "components have more: say gramian select" in said
    said = refused("select", "data.csv", *FEATURES, *options, "--dry-run", code=2)
    assert "--dry-run cannot tell the cost of --family indicator" in said
    assert succeed("select", "data.csv", "-c", "label", "--encode", *options[:2], "-n", "1").stdout


def test_streamed_indicators_of_columns_with_many_values_are_refused():
    measurements(30_000).to_csv("long.csv", index=False)
    options = ["--family", "indicator", "-n", "2", "--memory-budget", "1MiB"]
    said = refused("select", "long.csv", *FEATURES, *options, code=3)
    assert "such as categories; some have more" in said


def test_a_table_without_complete_rows_is_refused():
    table = measurements()
    table.loc[::2, "width"] = np.nan
    table.loc[1::2, "height"] = np.nan
    table.to_csv("in.csv", index=False)
    for options in ([], ["--standardize"]):
        said = refused("select", "in.csv", *FEATURES, "--impute", "drop-rows", *options, code=3)
        assert re.search("without missing values|Every row has a missing value", said)


def test_dates_pass_through():
    table = measurements()
    table["when"] = pd.date_range("2024-01-01", periods=60)
    table.to_parquet("in.parquet")
    succeed("select", "in.parquet", "--id", "when", *FEATURES, "-o", "out.parquet")
    assert pd.read_parquet("out.parquet")["when"].tolist() == table["when"].tolist()


def test_infinity_is_named():
    measurements().assign(far=[np.inf] + [1.0] * 59).to_csv("in.csv", index=False)
    said = "gramian: in.csv: Column 'far' has an infinite value in row 0. Leave the row out"
    assert said in refused("select", "in.csv", *FEATURES, code=3)
    assert said in refused("relations", "in.csv", code=3)


def test_infinity_far_down_in_a_file_is_located_by_row():
    table = measurements(30_000)
    table.loc[29_000, "width"] = -np.inf
    table.to_csv("long.csv", index=False)
    options = ["-n", "2", "--memory-budget", "1MiB"]
    for more in ([], ["--impute", "median"]):
        said = refused("select", "long.csv", *FEATURES, *options, *more, code=3)
        assert "long.csv: Column 'width' has an infinite value in row 29000." in said


def test_columns_that_vary_too_little_are_named_with_their_file():
    (measurements()[["width", "height"]] * 1e-200).to_csv("small.csv", index=False)
    for command in ("select", "extract"):
        said = refused(command, "small.csv", "-n", "1", "--memory-budget", "1MiB", code=3)
        assert "The values of column 'width' of small.csv differ by up to" in said


def test_too_few_rows_for_validation_are_refused_in_terms_of_the_command():
    measurements(2).to_csv("two.csv", index=False)
    said = refused("extract", "two.csv", *FEATURES, "-n", "1", code=3)
    assert "two.csv has 2 rows, and holding out a share of 0.1 leaves 1 to fit" in said
    assert "validation_" not in said


@pytest.mark.parametrize("ending", ["csv", "parquet", "npy", "npz"])
@pytest.mark.parametrize("command", [["select"], ["select", "--no-laws"], ["extract", "-n", "1"]])
def test_a_table_of_constant_columns_gives_no_output(command, ending):
    pd.DataFrame({"a": [1.0] * 20, "b": [2.0] * 20}).to_csv("same.csv", index=False)
    command, *options = command
    said = refused(command, "same.csv", *options, "-o", f"out.{ending}", code=3)
    kept = "column" if command == "select" else "component"
    assert f"the model keeps no {kept}, because no column varies" in said


def test_a_threshold_above_all_variances_is_refused():
    arguments = ["extract", "data.csv", *FEATURES, "-t", "1e9", "-o", "out.csv"]
    assert "keeps no component, because the threshold of its fit" in refused(*arguments, code=3)


def test_a_model_that_keeps_no_component_cannot_be_applied():
    pd.DataFrame({"a": [1.0] * 20, "b": [2.0] * 20}).to_csv("same.csv", index=False)
    succeed("extract", "same.csv", "-n", "1", "-m", "model.gram")
    for command in ("apply", "reconstruct"):
        said = refused(command, "model.gram", "same.csv", "-o", "out.csv", code=3)
        assert "the model keeps no component, because no column varies" in said


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("ragged.csv", b"a,b\n1,2\n3\n", "ragged.csv cannot be read as csv"),
        ("latin.csv", b"a,b\xe9\n1,2\n2,3\n", "latin.csv is not UTF-8 text. Save it as UTF-8"),
        ("wide.csv", "a,b\n1,2\n2,3\n".encode("utf-16"), "wide.csv is not UTF-8 text"),
        ("wide.csv", "a,b\n1,2\n2,3\n".encode("utf-16-be"), "wide.csv is not UTF-8 text"),
        ("twice.csv", b"a,a\n1,2\n2,3\n", "more than one column 'a': rename one of them"),
        ("few.csv", b"a,b\n1,2\n", "few.csv has 1 row, and a fit needs at least 2"),
        ("none.csv", b"a,b\n", "none.csv has 0 rows"),
        ("none.csv", b"a,b", "none.csv has 0 rows"),
        ("none.csv.gz", gzip.compress(b"a,b", mtime=0), "none.csv.gz has 0 rows"),
        ("same.csv", b"a,b\n1,2\n1,2\n", "because no column varies"),
        ("cut.parquet", b"PAR1xxxx", "cut.parquet cannot be read as parquet"),
        ("cut.feather", b"ARROW1xx", "cut.feather cannot be read as feather"),
        ("cut.npy", b"\x93NUMPY\x01\x00", "cut.npy cannot be read as npy"),
        ("cut.npz", b"PK\x03\x04xx", "cut.npz cannot be read as npz"),
        ("cut.csv.gz", b"\x1f\x8b\x08xxxxx", "cut.csv.gz cannot be read as csv"),
    ],
)
def test_damaged_tables_are_refused(name, content, sentence):
    Path(name).write_bytes(content)
    assert sentence in refused("select", name, "-o", "out.csv", code=3)


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros(5), "an array of shape (5,) and type float64"),
        (np.zeros((5, 2), dtype=complex), "type complex128"),
        (np.array([["a", "b"]]), "type <U1; a table has two dimensions, and holds numbers"),
        (np.array([[{}, {}]], dtype=object), "in.npy holds objects of Python's and no numbers"),
    ],
)
def test_arrays_other_than_tables_of_numbers_are_refused(array, sentence):
    np.save("in.npy", array, allow_pickle=True)
    said = refused("select", "in.npy", code=3)
    assert sentence in said
    assert "pickle" not in said


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_the_error_about_text_named_npy_does_not_suggest_unsafe_loading(ending):
    Path(f"in.{ending}").write_text("a,b\n1,2\n")
    said = refused("select", f"in.{ending}", code=3)
    assert f"in.{ending} is none of NumPy's files" in said
    assert "pickle" not in said


def test_text_and_long_integers_are_refused_in_array_outputs():
    arguments = ["select", "data.csv", "-x", "key", "--id", "label", "-n", "1"]
    assert "Column 'label' cannot be written as npy" in refused(*arguments, "-o", "k.npy", code=2)
    table = measurements().assign(long=2**62 + np.arange(60))
    table.to_parquet("in.parquet")
    arguments = ["select", "in.parquet", *FEATURES, "--id", "long", "-n", "1"]
    assert "Column 'long' cannot be written as npz" in refused(*arguments, "-o", "k.npz", code=2)


# Models


def model(*options):
    options = ["-n", "2", "--same-unit", *options]
    succeed("select", "data.csv", *FEATURES, "-m", "model.gram", "-q", *options)


def test_missing_and_damaged_model_files_are_refused():
    assert "there is no file no.gram" in refused("apply", "no.gram", "new.csv", code=2)
    said = refused("apply", "data.csv", "new.csv", code=3)
    assert "data.csv cannot be read as a model" in said
    model()
    Path("cut.gram").write_bytes(Path("model.gram").read_bytes()[:-100])
    assert "cut.gram cannot be read as a model" in refused("explain", "cut.gram", code=3)


def test_missing_columns_are_named():
    model()
    measurements()[["voltage", "width"]].to_csv("few.csv", index=False)
    said = refused("apply", "model.gram", "few.csv", "-o", "out.csv", code=3)
    assert "few.csv lacks the column 'height' that the model takes" in said
    assert "'height'" in refused("reconstruct", "model.gram", "few.csv", "-o", "o.csv", code=3)
    assert "'current'" in refused("explain", "model.gram", "few.csv", code=3)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("tall", "bad.csv: Column 'height' contains"),
        (np.inf, "bad.csv: Column 'height' has an infinite value in row 3. Leave the row out"),
    ],
)
def test_apply_refuses_text_and_infinite_values_in_numeric_columns(value, sentence):
    model()
    measurements(4).assign(height=[1.0, 2.0, 3.0, value]).to_csv("bad.csv", index=False)
    Path("out.csv").write_text("as it was", encoding="utf-8")
    assert sentence in refused("apply", "model.gram", "bad.csv", "-o", "out.csv", code=3)


def test_an_unknown_category_is_refused():
    succeed("select", "data.csv", "-x", "key", "--encode", "-n", "8", "-m", "model.gram")
    measurements(2).assign(label=["yes", "perhaps"]).to_csv("bad.csv", index=False)
    said = refused("apply", "model.gram", "bad.csv", "-o", "out.csv", code=3)
    assert "Column 'label' contains 'perhaps', which is not among the categories" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("apply model.gram new.csv -o model.gram", "model.gram is named twice"),
        ("apply model.gram new.csv -o new.csv", "new.csv is named twice"),
        ("apply model.gram new.csv --json", "--json needs -o FILE"),
        ("apply model.gram new.csv --id name", "--id 'name' matches no column"),
        (
            "apply model.gram new.csv --id voltage -o o.csv",
            "column 'voltage' cannot pass through, as the model uses it",
        ),
        ("apply model.gram", "Missing argument 'DATA'"),
        ("explain model.gram --max-terms 0", "Invalid value for '--max-terms'"),
    ],
)
def test_a_wrong_use_of_a_model_is_refused(arguments, sentence):
    model()
    assert sentence in refused(*arguments.split(), code=2)


def test_a_selection_without_a_decoder_reconstructs_and_explains_nothing():
    from gramian import UFFS

    UFFS().fit(measurements()[["voltage", "current", "power"]]).save("uffs.gram")
    succeed("apply", "uffs.gram", "new.csv", "-o", "out.csv")
    succeed("inspect", "uffs.gram")
    said = refused("reconstruct", "uffs.gram", "new.csv", "-o", "o.csv", code=3)
    assert "UFFS cannot reconstruct columns" in said
    assert "got UFFS" in refused("explain", "uffs.gram", code=3)


def test_a_warning_of_another_library_becomes_one_line(monkeypatch):
    def warn(*given, **options):
        warnings.warn("a division\nby zero", RuntimeWarning, stacklevel=1)

    monkeypatch.setattr("gramian.demo.main", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert succeed("demo").stderr == "gramian: warning: a division\n"


def test_debug_shows_the_traceback_of_an_error(monkeypatch):
    done = run("--debug", "select", "nothing.csv")
    assert done.exit_code == 2
    assert "Traceback" in done.stderr
    assert done.stderr.endswith("gramian: there is no file nothing.csv\n")
    monkeypatch.setenv("GRAMIAN_DEBUG", "1")
    assert "Traceback" in run("select", "nothing.csv").stderr


@pytest.mark.parametrize(
    ("command", "shown", "hidden"),
    [
        ("select", ["--keep", "--given", "--criterion"], ["--directions"]),
        ("extract", ["--directions"], ["--keep", "--prefer", "--laws", "--given", "--criterion"]),
        ("report", ["--keep", "--given", "--directions"], []),
    ],
)
def test_the_whole_help_shows_the_options_that_a_command_takes(command, shown, hidden):
    text = run(command, "--help-all").output
    assert all(option in text for option in shown)
    assert not any(option in text for option in hidden)


@pytest.mark.parametrize("command", ["select", "report"])
def test_a_model_that_cannot_be_written_leaves_no_other_file(command, monkeypatch):
    def save(model, path):
        raise ValueError("This model does not fit in a model file.")

    monkeypatch.setattr("gramian.tabular.TableModel.save", save)
    output = "out.csv" if command == "select" else "out.html"
    said = refused(command, "data.csv", *FEATURES, "-o", output, "-m", "model.gram", code=3)
    assert said.endswith("This model does not fit in a model file.")


@pytest.mark.parametrize("command", ["select", "report"])
def test_a_table_or_page_that_cannot_be_written_leaves_no_model(command, monkeypatch):
    def write(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gramian.tables._outputs.ArrowWriter.write", write)
    monkeypatch.setattr("gramian.reports.report", write)
    output = "out.csv" if command == "select" else "out.html"
    said = refused(command, "data.csv", *FEATURES, "-o", output, "-m", "model.gram", code=2)
    assert said.endswith(f"{output} cannot be written: No space left on device")
