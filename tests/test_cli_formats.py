"""Input and output formats: the content of a table survives, and no guess is silent."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from cli_cases import folder, measurements, read_csv, run, succeed  # noqa: F401

pytestmark = pytest.mark.usefixtures("folder")
NUMBERS = ["voltage", "current", "width"]
KEEP_ALL = ["-n", "3", "-q"]


def table():
    return measurements(30)[NUMBERS]


def write(frame, path):
    """Write a table, without the command, in the format of the file's ending."""
    if path.endswith(".npy"):
        np.save(path, frame.to_numpy())
    elif path.endswith(".npz"):
        np.savez(path, frame.to_numpy())
    elif path.endswith(".parquet"):
        frame.to_parquet(path)
    elif path.endswith((".feather", ".arrow")):
        frame.to_feather(path)
    elif path.endswith(".zst"):
        with pa.output_stream(path) as stream:
            stream.write(frame.to_csv(index=False, sep="\t" if ".tsv" in path else ",").encode())
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path else ",")


def read(path):
    """Read a table as the formats' own libraries do."""
    if path.endswith(".npy"):
        return pd.DataFrame(np.load(path), columns=NUMBERS)
    if path.endswith(".npz"):
        with np.load(path) as file:
            return pd.DataFrame(file["X"], columns=file["columns"])
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    if path.endswith((".feather", ".arrow")):
        return pd.read_feather(path)
    with pa.input_stream(path) as stream:
        return read_csv(io.BytesIO(stream.read()), sep="\t" if ".tsv" in path else ",")


ENDINGS = [
    "csv", "tsv", "csv.gz", "csv.zst", "tsv.gz", "tsv.zst", "parquet", "feather", "arrow", "npy",
    "npz",
]  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_is_read(ending):
    write(table(), f"in.{ending}")
    succeed("select", f"in.{ending}", *KEEP_ALL, "-o", "out.csv")
    found = read_csv("out.csv")
    np.testing.assert_array_equal(found, table())
    nameless = ending in ("npy", "npz")
    assert found.columns.tolist() == (["x0", "x1", "x2"] if nameless else NUMBERS)


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_is_written(ending):
    write(table(), "in.parquet")
    succeed("select", "in.parquet", *KEEP_ALL, "-o", f"out.{ending}")
    pd.testing.assert_frame_equal(read(f"out.{ending}"), table(), check_exact=True)


def test_a_compressed_output_is_compressed():
    write(table(), "in.csv")
    succeed("select", "in.csv", *KEEP_ALL, "-o", "out.csv.gz")
    with gzip.open("out.csv.gz", "rt") as stream:
        assert stream.readline() == "voltage,current,width\n"


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet", "feather", "npy", "npz"])
def test_standard_input_and_output_take_every_format(format, folder):  # noqa: F811
    write(table(), f"in.{format}")
    data = (folder / f"in.{format}").read_bytes()
    given = ["--format", format] if format == "tsv" else []  # others: first bytes tell
    done = succeed(
        "select", "-", *given, *KEEP_ALL, "-o", "-", "--output-format", format, data=data
    )
    (folder / f"out.{format}").write_bytes(done.stdout_bytes)
    found = read(f"out.{format}")
    if format not in ("npy", "npz"):
        assert found.columns.tolist() == NUMBERS
    np.testing.assert_array_equal(found, table())


def test_compressed_standard_input_is_read(folder):  # noqa: F811
    write(table(), "in.csv.gz")
    done = succeed("select", "-", *KEEP_ALL, "-o", "-", data=(folder / "in.csv.gz").read_bytes())
    assert done.stdout.startswith("voltage,current,width\n")


def test_a_format_option_overrides_the_ending():
    table().to_csv("in.txt", index=False, sep="\t")
    succeed("select", "in.txt", "--format", "tsv", *KEEP_ALL, "-o", "out.dat",
            "--output-format", "parquet")  # fmt: skip
    pd.testing.assert_frame_equal(pd.read_parquet("out.dat"), table())


def test_nameless_tables_are_applied_and_reconstructed_by_position():
    x = np.random.default_rng(0).standard_normal((50, 4)) * [1, 2, 3, 4]
    np.save("in.npy", x)
    succeed("select", "in.npy", "-n", "2", "--same-unit", "-m", "model.gram", "-o", "kept.npy")
    np.testing.assert_array_equal(np.load("kept.npy"), x[:, 2:])
    succeed("apply", "model.gram", "in.npy", "-o", "again.npy")
    np.testing.assert_array_equal(np.load("again.npy"), x[:, 2:])
    succeed("reconstruct", "model.gram", "kept.npy", "-o", "all.npy")
    np.testing.assert_array_equal(np.load("all.npy")[:, 2:], x[:, 2:])


def test_a_target_without_a_name_is_found_by_position():
    x = np.random.default_rng(0).standard_normal((50, 4)) * [1, 2, 3, 4]
    np.save("in.npy", x)
    options = ["--target", "x1", "-n", "2", "--same-unit"]
    succeed("select", "in.npy", *options, "-m", "model.gram", "-o", "kept.npy")
    np.testing.assert_array_equal(np.load("kept.npy"), x[:, [2, 3, 1]])
    np.save("features.npy", x[:, [0, 2, 3]])
    succeed("apply", "model.gram", "features.npy", "-o", "again.npy")
    np.testing.assert_array_equal(np.load("again.npy"), x[:, 2:])


def test_the_table_of_an_npz_file_is_its_only_array_or_the_one_named_x():
    np.savez("in.npz", X=table().to_numpy(), Y=np.eye(3))
    succeed("select", "in.npz", *KEEP_ALL, "-o", "out.csv")
    np.savez("in.npz", A=np.eye(3), B=np.eye(3))
    done = run("select", "in.npz")
    assert done.exit_code == 3
    assert (
        "in.npz cannot be read as npz: it must have one table, or a table called X" in done.stderr
    )


# Columns that pass through


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_long_integers_and_padded_text_pass_through_unchanged(ending):
    frame = table()
    frame["number"] = 2**62 + np.arange(30)
    frame["text"] = [f"{i:03d}" for i in range(30)]
    frame["odd"] = ["NA", "", 'a"b', "x,y", "true", "1e5"] * 5
    write(frame, f"in.{ending}")
    ids = ["--id", "number,text", "--id", "odd"]
    succeed("select", f"in.{ending}", *KEEP_ALL, *ids, "-o", f"out.{ending}")
    if ending == "csv":
        found = read_csv("out.csv", dtype=str, keep_default_na=False)
        expected = frame.astype(str)
    else:
        found, expected = read(f"out.{ending}"), frame
    for name in ("number", "text", "odd"):
        assert found[name].tolist() == expected[name].tolist()


def test_a_target_keeps_its_spelling_between_text_files_and_its_type_elsewhere():
    frame = table().assign(label=["True", "False"] * 15, grade=np.arange(30))
    write(frame, "in.csv")
    options = ["--target", "label,grade", *KEEP_ALL]
    succeed("select", "in.csv", *options, "-o", "out.csv")
    with open("out.csv") as stream:
        assert stream.read().count(",True,") == 15
    succeed("select", "in.csv", *options, "-o", "out.parquet")
    assert pa.parquet.read_schema("out.parquet").field("grade").type == pa.int64()


def test_columns_of_every_type_of_number_are_used():
    n = 30
    rng = np.random.default_rng(0)
    columns = {
        "half": pa.array(rng.standard_normal(n).astype(np.float16)),
        "single": pa.array(rng.standard_normal(n).astype(np.float32)),
        "small": pa.array(rng.integers(0, 9, n).astype(np.uint8)),
        "flag": pa.array(rng.integers(0, 2, n).astype(bool)),
        "money": pa.array(rng.integers(0, 999, n)).cast(pa.decimal128(30, 2)),
    }
    pa.parquet.write_table(pa.table(columns), "in.parquet")
    succeed("select", "in.parquet", "-n", "5", "-o", "out.parquet")
    found = pa.parquet.read_table("out.parquet")
    assert found.equals(pa.table(columns))  # types of the columns


def test_a_column_of_integers_may_hold_fractions_far_down_in_the_file():
    rows = "\n".join(f"{i},{i * i % 97}" for i in range(200_000))
    with open("in.csv", "w") as stream:
        stream.write(f"a,b\n{rows}\n0.5,nan\n")
    done = run("select", "in.csv", "-n", "1")
    assert "the fit left out 1 of 200,001 rows, as values are missing" in done.stderr
    for budget in ("1GiB", "1MiB"):
        succeed(
            "select", "in.csv", "-c", "a", "-n", "1", "-o", "out.csv", "--memory-budget", budget
        )
        with open("out.csv") as stream:
            assert stream.read().endswith("199999\n0.5\n")


def test_a_table_without_rows_gives_an_output_without_rows():
    write(table(), "in.csv")
    succeed("select", "in.csv", "-n", "2", "-m", "model.gram")
    succeed("extract", "in.csv", "-n", "2", "-m", "extract.gram")
    for ending in ("csv", "parquet", "npy"):
        write(table().iloc[:0], f"empty.{ending}")
        for model in ("model.gram", "extract.gram"):
            done = succeed("apply", model, f"empty.{ending}", "-o", f"out.{ending}", "--json")
            assert json.loads(done.stdout)["rows"] == 0
        succeed("reconstruct", "extract.gram", f"out.{ending}", "-o", "all.csv")


def test_columns_without_names_get_names():
    table().to_csv("in.csv", index=False, header=False)
    done = succeed("select", "in.csv", "--no-header", "-n", "1", "--json")
    assert json.loads(done.stdout)["kept"] == ["x0"]
    assert json.loads(done.stdout)["warnings"] == []
    done = succeed("select", "in.csv", "-n", "1")
    assert "the first row of in.csv was taken for names" in done.stderr
    assert "--no-header" in done.stderr


def test_another_delimiter_can_be_named():
    table().to_csv("in.csv", index=False, sep=";")
    succeed("select", "in.csv", "--delimiter", ";", *KEEP_ALL, "-o", "out.csv")
    np.testing.assert_array_equal(pd.read_csv("out.csv", sep=";"), table().to_numpy())
    succeed("select", "in.csv", *KEEP_ALL, "-o", "out.parquet")
    np.testing.assert_array_equal(pd.read_parquet("out.parquet"), table())
    with open("odd.csv", "w") as stream:
        stream.write("a;b\n1;2\n3;4;5\n")
    done = run("select", "odd.csv")
    assert done.exit_code == 3
    assert "odd.csv seems to be separated by ';'. Say --delimiter ';'" in done.stderr
