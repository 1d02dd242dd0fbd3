"""Commands and estimators give bitwise equal numbers on every format."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from cli_cases import folder, run, succeed  # noqa: F401
from source_cases import NAMES, make_table

import gramian.models
from gramian import GCA, GFA, GFR, GFS
from gramian.exceptions import FormatError

pytestmark = pytest.mark.usefixtures("folder")
ENDINGS = [
    "csv", "tsv", "csv.gz", "csv.zst", "tsv.gz", "parquet", "feather", "arrow", "npy", "npz",
]  # fmt: skip
X = make_table(3000)
TABLE = pa.table(dict(zip(NAMES, X.T, strict=True)))
KINDS = {"gfs": GFS, "gfa": GFA, "gfr": GFR, "gca": GCA}
BUDGETS = {"loaded": 2**30, "streamed": 2**20}
EVERY = pytest.mark.parametrize("ending", ENDINGS)
EITHER = pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)


def write(table, path):
    """Write a table by the formats' own libraries."""
    if path.endswith("npy"):
        np.save(path, X if table is TABLE else np.column_stack(table.columns))
    elif path.endswith("npz"):
        np.savez(path, X=np.column_stack(table.columns), columns=table.column_names)
    elif path.endswith("parquet"):
        pa.parquet.write_table(table, path, row_group_size=700)
    elif path.endswith(("feather", "arrow")):
        pa.feather.write_feather(table, path, chunksize=700)
    else:
        options = pa.csv.WriteOptions(delimiter="\t" if ".tsv" in path else ",")
        with pa.output_stream(path) as stream:
            pa.csv.write_csv(table, stream, options)


def content(path):
    """Return the names and the numbers in a file, as the formats' own libraries read them."""
    if path.endswith("npy"):
        return None, np.load(path)
    if path.endswith("npz"):
        with np.load(path) as file:
            return file["columns"].tolist(), file["X"]
    if path.endswith("parquet"):
        found = pa.parquet.read_table(path)
    elif path.endswith(("feather", "arrow")):
        found = pa.feather.read_table(path)
    else:
        with pa.input_stream(path) as stream:
            options = pa.csv.ParseOptions(delimiter="\t" if ".tsv" in path else ",")
            found = pa.csv.read_csv(stream, parse_options=options)
    return found.column_names, np.column_stack(found.columns)


def assert_same_file(one, other):
    names, rows = content(one)
    other_names, other_rows = content(other)
    assert names == other_names
    np.testing.assert_array_equal(rows.view(np.uint64), other_rows.view(np.uint64))


CASES = [
    (algorithm, ending)
    for algorithm in KINDS
    for ending in (ENDINGS if algorithm in ("gfs", "gfr") else ["csv", "npy"])
]


@EITHER
@pytest.mark.parametrize(("algorithm", "ending"), CASES)
def test_commands_and_estimators_write_equal_files(ending, algorithm, budget):
    data = f"in.{ending}"
    write(TABLE, data)
    command = "select" if algorithm in ("gfs", "gfa") else "extract"
    options = ["-a", algorithm, "-n", "3", "--memory-budget", str(budget), "-q"]
    options += ["--same-unit"]
    done = succeed(command, data, *options, "-o", f"kept.{ending}", "-m", "model.gram", "--json")
    fitted = KINDS[algorithm](3, memory_budget=budget).fit(data)
    said = json.loads(done.stdout)
    assert said["residual_variance"] == fitted.residual_variance_.tolist()
    assert said["total_residual_variance"] == fitted.total_residual_variance_.tolist()
    assert fitted.transform(data, output=f"kept_too.{ending}").name == f"kept_too.{ending}"
    assert_same_file(f"kept.{ending}", f"kept_too.{ending}")

    loaded = gramian.models.read("model.gram").estimator
    for each in (loaded, fitted):
        np.testing.assert_array_equal(each.transform(data), content(f"kept.{ending}")[1])
    reading = ["--memory-budget", str(budget)]
    succeed("apply", "model.gram", data, "-o", f"again.{ending}", *reading)
    assert_same_file(f"again.{ending}", f"kept.{ending}")
    succeed("reconstruct", "model.gram", f"kept.{ending}", "-o", f"all.{ending}", *reading)
    fitted.inverse_transform(f"kept.{ending}", output=f"all_too.{ending}")
    assert_same_file(f"all.{ending}", f"all_too.{ending}")


@EVERY
def test_formulas_of_the_command_equal_those_of_the_library(ending):
    write(TABLE, f"in.{ending}")
    succeed("select", f"in.{ending}", "-n", "3", "-q", "-m", "model.gram")
    done = succeed("explain", "model.gram", f"in.{ending}", "--json")
    names = NAMES if ending != "npy" else [f"x{i}" for i in range(8)]
    explanation = gramian.models.read("model.gram").estimator.explain()
    expected = explanation.tested(dict(zip(names, X.T, strict=True)), f"in.{ending}").table
    assert json.loads(done.stdout)["formulas"] == json.loads(json.dumps(expected))


@EVERY
@EITHER
def test_inspect_gives_equal_results_for_every_format(ending, budget):
    write(TABLE, f"in.{ending}")
    done = succeed("inspect", f"in.{ending}", "--json", "--memory-budget", str(budget))
    said = json.loads(done.stdout)
    assert said["rows"] == 3000
    assert [each["min"] for each in said["columns"]] == X.min(axis=0).tolist()
    assert [each["max"] for each in said["columns"]] == X.max(axis=0).tolist()


@EVERY
def test_small_tables_are_loaded_and_all_solvers_work(ending):
    """A table of 300 rows; `solver="qr"` needs all rows in memory."""
    write(TABLE.slice(0, 300) if ending != "npy" else TABLE, f"in.{ending}")
    if ending == "npy":
        np.save("in.npy", X[:300])
    fitted = GFS(3, solver="qr").fit(f"in.{ending}")
    expected = GFS(3, solver="qr").fit(X[:300])
    np.testing.assert_array_equal(fitted.residual_variance_, expected.residual_variance_)
    assert fitted.solver_ == "qr"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "npy", "npz"])
def test_the_limit_of_memory_does_not_depend_on_the_format(ending):
    """The numbers take 192,000 bytes, and must fit into an eighth of the budget."""
    write(TABLE, f"in.{ending}")
    for budget, fits in ((8 * 192_000, True), (8 * 192_000 - 1, False)):
        if fits:
            GFS(2, solver="qr", memory_budget=budget).fit(f"in.{ending}")
        else:
            with pytest.raises(ValueError, match="needs all rows in memory"):
                GFS(2, solver="qr", memory_budget=budget).fit(f"in.{ending}")


def test_the_command_reads_a_folder_of_parquet_files(folder):  # noqa: F811
    (folder / "parts").mkdir()
    for i in range(3):
        write(TABLE.slice(1000 * i, 1000), f"parts/{i}.parquet")
    succeed("select", "parts", "-n", "3", "-q", "-o", "kept.parquet")
    GFS(3).fit_transform("parts", output="kept_too.parquet")
    assert_same_file("kept.parquet", "kept_too.parquet")


@pytest.mark.parametrize("other", ["b.csv", "sub/b.csv.gz", "b.feather", "b.npy"])
def test_a_folder_of_parquet_and_other_tables_is_refused(folder, other):  # noqa: F811
    (folder / "parts" / "sub").mkdir(parents=True)
    write(TABLE, "parts/a.parquet")
    (folder / "parts" / "README.md").write_text("a note is no table")
    assert GFS(3).fit("parts").n_samples_ == 3000
    (folder / "parts" / other).write_bytes(b"1,2")
    with pytest.raises(FormatError, match=f"with other tables: {other.rpartition('/')[2]}"):
        GFS(3).fit("parts")
    done = run("select", "parts")
    assert done.exit_code == 2
    assert "move the other files" in done.stderr


def test_several_compressed_files_are_read_as_one_table():
    write(TABLE.slice(0, 1000), "0.csv")
    write(TABLE.slice(1000, 2000), "1.csv.gz")
    np.testing.assert_array_equal(
        GFR(2).fit(["0.csv", "1.csv.gz"]).components_, GFR(2).fit(TABLE).components_
    )
