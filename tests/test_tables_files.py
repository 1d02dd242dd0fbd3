"""Files of users: bad cells, long lines, pipes, modes, and cells that spreadsheets would run."""

import gzip
import io
import os
import stat
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli_cases import folder, measurements, read_csv, run, succeed  # noqa: F401
from source_cases import BUDGET, FRAME, X

from gramian import GFR, GFS
from gramian.exceptions import DelimiterError, FormatError, TableError
from gramian.tables._formats import Format
from gramian.tables._opening import open_table
from gramian.tables._outputs import open_output

pytestmark = pytest.mark.usefixtures("folder")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has other modes")


# Rows that cannot be read


def lines(n_rows=120_000):
    """Return a CSV file of two columns, by lines; line i + 1 is row i."""
    return ["a,b", *(f"{i},{i % 97}.5" for i in range(n_rows))]


@pytest.mark.parametrize("row", [0, 7, 119_999])
@pytest.mark.parametrize("budget", [BUDGET, None], ids=["streamed", "loaded"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,oops", r"column 'b': row {row}: .*'oops'"),
        ("1", r"row {row}: Expected 2 columns, got 1"),
        ("1,inf", r"Column 'b' has an infinite .* in row {row} of"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_rows_are_counted_from_0_in_every_message(row, budget, text, said, ending):
    table = lines()
    table[row + 1] = text
    with (gzip.open if ending == "csv.gz" else open)(f"in.{ending}", "wt") as stream:
        stream.write("\n".join(table))
    if row < 10 and "oops" in text:
        said = "Column 'b' of .* holds string"  # already visible in the first lines
    with pytest.raises(TableError if "infinite" not in said else ValueError) as caught:
        GFS(1, memory_budget=budget, alpha=0, criterion="variance").fit(f"in.{ending}")
    caught.match(said.format(row=row))


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("budget", ["1MiB", "1GiB"])
def test_the_command_counts_rows_from_0_with_and_without_a_heading(header, budget):
    table = lines(200)
    table[151] = "1,2,3"
    with open("in.csv", "w") as stream:
        stream.write("\n".join(table if header else table[1:]))
    options = [] if header else ["--no-header"]
    done = run("select", "in.csv", *options, "--memory-budget", budget)
    assert "row 150: Expected 2 columns, got 3" in done.stderr
    assert ("the heading not counted" in done.stderr) == header


def test_values_of_several_lines_are_one_row():
    rows = ["word,x", '"two\nlines",1', '"more\nthan\ntwo",2', "one,3", "four"]
    with open("in.csv", "w") as stream:
        stream.write("\n".join(rows))
    done = run("select", "in.csv", "-x", "word")
    assert "row 3: Expected 2 columns, got 1" in done.stderr


def test_a_line_may_be_longer_than_all_lines_before(monkeypatch):
    from gramian.tables import _text_files as _text

    monkeypatch.setattr(_text, "HEAD_BYTES", 2**10)
    monkeypatch.setattr(_text, "TEXT_BLOCK_BYTES", 2**12)
    frame = pd.DataFrame({"word": ["short"] * 3000, "x": np.arange(3000.0), "y": 1.0})
    frame.loc[2500, "word"] = "long" * 10_000
    frame.to_csv("in.csv", index=False)
    table = open_table("in.csv", memory_budget=2**16)
    assert table.too_large
    found = table.read(["word", "x"])
    assert found["word"].to_pylist() == frame["word"].tolist()
    assert found["x"].to_pylist() == frame["x"].tolist()


# Sizes of files


def test_a_compressed_file_is_judged_by_its_unpacked_size(folder):  # noqa: F811
    with gzip.open("in.csv.gz", "wt") as stream:
        stream.write("a,b,c,d\n" + "1,2,3,4\n" * 400_000)
    table = open_table("in.csv.gz", memory_budget=2**26)
    assert 4 * (folder / "in.csv.gz").stat().st_size < 2**26 // 8  # a guess would fit
    assert table.too_large
    assert open_table("in.csv.gz", memory_budget=2**27).too_large is False
    assert table.count_rows(10**9) == 400_000
    assert table.count_rows(1000) > 1000


def test_a_text_file_read_in_pieces_has_all_its_rows():
    frame = pd.DataFrame({"number": np.arange(20_000), "word": ["NA", "x", "", "007"] * 5000})
    frame.to_csv("in.csv", index=False)
    table = open_table("in.csv", memory_budget=2**16)
    found = table.read(["word", "number"], {"word": False})
    assert found["word"].to_pylist() == ["NA", "x", None, "007"] * 5000
    assert found["number"].to_pylist() == frame["number"].tolist()
    words = table.read(["word"], {"word": True})["word"].to_pylist()
    assert words == [None, "x", None, "007"] * 5000


# Misleading formats


def test_a_table_with_another_delimiter_or_a_repeated_name_is_refused():
    with open("in.csv", "w") as stream:
        stream.write("a;b\n1;2\n3;4;5\n")
    with pytest.raises(DelimiterError, match=r"in\.csv seems to be separated by ';'") as caught:
        GFS(1, alpha=0, criterion="variance").fit("in.csv")
    assert caught.value.delimiter == ";"
    with open("in.csv", "w") as stream:
        stream.write("a,a\n1,2\n3,4\n")
    with pytest.raises(TableError, match="more than one column 'a'"):
        GFS(1, alpha=0, criterion="variance").fit("in.csv")


def test_a_column_of_numbers_in_one_file_and_text_in_another_is_named():
    for i, values in enumerate(([1.0, 2.0], ["x", "y"])):
        pd.DataFrame({"a": values, "b": [3.0, 4.0]}).to_parquet(f"{i}.parquet")
    with pytest.raises(TableError, match=r"Column 'a' of .* holds string, and numbers are needed"):
        GFS(1, alpha=0, criterion="variance").fit(["0.parquet", "1.parquet"])


def test_integers_in_one_file_and_fractions_in_another_are_numbers():
    pd.DataFrame({"a": [1, 2, 4], "b": [3.0, 4.0, 1.0]}).to_parquet("0.parquet")
    pd.DataFrame({"b": [5.0, 0.0], "a": [0.5, 2.0]}).to_parquet("1.parquet")
    found = GFS(1, alpha=0, criterion="variance").fit(["0.parquet", "1.parquet"])
    expected = GFS(1, alpha=0, criterion="variance").fit(
        np.array([[1, 3], [2, 4], [4, 1], [0.5, 5], [2, 0]])
    )
    np.testing.assert_array_equal(found.mean_, expected.mean_)


# Pipes, devices and modes


def in_thread(function, *given):
    thread = threading.Thread(target=function, args=given)
    thread.start()
    return thread


@needs_pipes
@pytest.mark.parametrize("format", ["csv", "parquet", "npy"])
def test_a_named_pipe_is_read_by_estimators(folder, format):  # noqa: F811
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    if format == "csv":
        FRAME.to_csv("in", index=False)
    elif format == "parquet":
        FRAME.to_parquet("in")
    else:
        with open("in", "wb") as stream:
            np.save(stream, X)
    thread = in_thread(pipe.write_bytes, (folder / "in").read_bytes())
    found = GFR(2, alpha=0).fit(pipe)
    thread.join()
    np.testing.assert_array_equal(found.mean_, GFR(2, alpha=0).fit(X).mean_)


@needs_pipes
@pytest.mark.parametrize("ending", ["csv", "parquet", "npy"])
def test_an_output_to_a_pipe_does_not_replace_the_pipe(folder, ending):  # noqa: F811
    FRAME.to_parquet("in.parquet")
    pipe = folder / f"pipe.{ending}"
    os.mkfifo(pipe)
    received = []
    thread = in_thread(lambda: received.append(pipe.read_bytes()))
    fitted = GFS(2, alpha=0, criterion="variance").fit(FRAME)
    fitted.transform("in.parquet", output=pipe)
    thread.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (folder / f"out.{ending}").write_bytes(received[0])
    np.testing.assert_array_equal(open_rows(f"out.{ending}"), fitted.transform(FRAME))


def open_rows(path):
    if path.endswith("npy"):
        return np.load(path)
    return read_csv(path) if path.endswith("csv") else pd.read_parquet(path)


@needs_pipes
def test_a_model_can_be_saved_through_a_pipe(folder):  # noqa: F811
    import gramian

    pipe = folder / "pipe"
    os.mkfifo(pipe)
    received = []
    thread = in_thread(lambda: received.append(pipe.read_bytes()))
    fitted = GFS(2, alpha=0, criterion="variance").fit(X)
    fitted.save(pipe)
    thread.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (folder / "model.gram").write_bytes(received[0])
    np.testing.assert_array_equal(gramian.load("model.gram").support_, fitted.support_)


def write_somehow(how, path):
    """Write a file by one of the library's functions that write files."""
    fitted = GFS(2, alpha=0, criterion="variance").fit(X)
    np.save("in.npy", X)
    if how == "transform":
        fitted.transform("in.npy", output=path)
    elif how == "save":
        fitted.save(path)
    else:
        done = run("select", "in.npy", "-n", "2", "-q", "-m" if "gram" in path else "-o", path)
        if done.exit_code:
            assert done.exit_code == 2
            raise PermissionError(done.stderr)


WAYS = {"transform": "out.csv", "save": "model.gram", "command": "out.npy", "model": "m.gram"}


@needs_modes
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
@pytest.mark.parametrize("how", WAYS)
def test_a_replaced_file_keeps_its_mode(folder, how, mode):  # noqa: F811
    path = folder / WAYS[how]
    path.write_text("old", encoding="utf-8")
    path.chmod(mode)
    write_somehow(how, WAYS[how])
    assert path.read_bytes() != b"old"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@needs_modes
@pytest.mark.parametrize("how", WAYS)
def test_a_read_only_file_is_not_replaced(folder, how):  # noqa: F811
    path = folder / WAYS[how]
    path.write_text("old", encoding="utf-8")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=f"{path.name} is read-only, and stays as it is"):
        write_somehow(how, WAYS[how])
    assert path.read_text(encoding="utf-8") == "old"
    assert not list(folder.glob(f".{path.name}*"))


def test_an_output_that_is_a_folder_or_in_a_missing_folder_is_refused(folder):  # noqa: F811
    fitted = GFS(2, alpha=0, criterion="variance").fit(X)
    (folder / "z.npy").mkdir()
    with pytest.raises(IsADirectoryError, match=r"z\.npy is a folder; name a file"):
        fitted.transform(lambda: iter([X]), output="z.npy")
    with pytest.raises(FileNotFoundError, match="cannot be written: there is no folder no"):
        fitted.save("no/model.gram")


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst"])
def test_a_compressed_file_that_is_cut_short_is_refused_wherever_it_ends(ending, folder):  # noqa: F811
    path = folder / f"in.{ending}"
    text = measurements(10).to_csv(index=False)
    with pa.CompressedOutputStream(str(path), "gzip" if ending == "csv.gz" else "zstd") as stream:
        stream.write(text.encode())
    content = path.read_bytes()
    for n_bytes in range(1, len(content)):
        path.write_bytes(content[:n_bytes])
        with pytest.raises(TableError, match=rf"in\.{ending} .*[Tt]runcated"):
            open_table(path)


# Formulas


EVIL = ['=HYPERLINK("x")', "+1+1", "-2+3", "@SUM(1)", "\tx", "plain", "-1.5", "+3e2", "", "a=b"]
TAMED = ['\'=HYPERLINK("x")', "'+1+1", "'-2+3", "'@SUM(1)", "'\tx", *EVIL[5:]]


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_text_that_a_spreadsheet_would_run_can_be_escaped(ending):
    frame = measurements(10)[["voltage", "current"]].assign(word=EVIL)
    frame = frame.rename(columns={"current": "=current"})
    frame.to_parquet("in.parquet")
    options = ["in.parquet", "--id", "word", "-n", "2", "-q", "-o"]
    read = {"sep": "\t" if ending == "tsv" else ",", "keep_default_na": False}
    succeed("select", *options, f"out.{ending}")
    found = pd.read_csv(f"out.{ending}", **read)
    assert found.columns.tolist() == ["word", "voltage", "=current"]
    assert found["word"].tolist() == EVIL
    succeed("select", *options, f"out.{ending}", "--escape-formulas")
    found = pd.read_csv(f"out.{ending}", **read)
    assert found.columns.tolist() == ["word", "voltage", "'=current"]
    assert found["word"].tolist() == TAMED
    assert found["voltage"].tolist() == frame["voltage"].tolist()


def test_text_is_not_escaped_in_formats_that_run_nothing():
    frame = measurements(10)[["voltage", "current"]].assign(word=EVIL)
    frame.to_parquet("in.parquet")
    options = ["in.parquet", "--id", "word", "-n", "2", "-q", "--escape-formulas"]
    succeed("select", *options, "-o", "out.parquet")
    assert pd.read_parquet("out.parquet")["word"].tolist() == EVIL


def test_text_cannot_be_written_to_npy_files():
    measurements(10).to_csv("in.csv", index=False)
    table = open_table("in.csv")
    with (
        pytest.raises(FormatError, match="Column 'label' cannot be written as npy"),
        open_output("out.npy", pa.schema([("label", pa.string())])) as writer,
    ):
        writer.write(table.read(["label"]))
    assert not os.path.exists("out.npy")


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (".npy", "an archive of arrays, as files are that end in .npz"),
        (".npz", "a single array, as files are that end in .npy"),
    ],
)
def test_npy_and_npz_files_with_swapped_endings_are_refused(folder, ending, said):  # noqa: F811
    path = folder / f"table{ending}"
    with path.open("wb") as stream:
        (np.savez if ending == ".npy" else np.save)(stream, np.eye(4))
    with pytest.raises(ValueError, match=said):
        GFS(2).fit(path)


def test_a_wrong_number_of_column_names_in_an_npz_file_is_refused(folder):  # noqa: F811
    np.savez(folder / "in.npz", X=X, columns=np.array(["only", "two"]))
    said = rf"in\.npz names 2 columns, and its table has {X.shape[1]}"
    with pytest.raises(TableError, match=said):
        GFS(2).fit("in.npz")


def test_column_names_of_type_object_are_refused(folder):  # noqa: F811
    np.savez(folder / "in.npz", X=np.eye(2), columns=np.array(["a", "b"], dtype=object))
    with pytest.raises(TableError, match=r"holds objects .*names as an array of strings") as caught:
        GFS(1).fit("in.npz")
    assert "pickle" not in str(caught.value)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_with_only_a_heading_is_a_table_without_rows(end):
    with open("in.csv", "w") as stream:
        stream.write("a,b,c" + end)
    table = open_table("in.csv")
    assert table.names == ["a", "b", "c"]
    assert table.read(["a", "c"]).num_rows == table.count_rows(10) == 0
    assert open_table("in.csv", header=False).read(["x1"])["x1"].to_pylist() == ["b"]


@pytest.mark.parametrize("empty", ["", [""]], ids=["path", "paths"])
def test_an_empty_path_is_refused(empty):
    FRAME.to_parquet("in.parquet")
    with pytest.raises(FileNotFoundError, match="The path is empty: name a file"):
        GFS(1).fit(empty)
    done = run("select", "")
    assert done.exit_code == 2
    assert "The path is empty" in done.stderr


class Slow(io.RawIOBase):
    """A stream without a buffer that writes at most 100 bytes at once, as a pipe may."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data[:100])
        return min(len(data), 100)


@pytest.mark.parametrize("format", ["csv", "parquet", "npy"])
def test_a_stream_without_a_buffer_gets_the_whole_table(format):
    rows = pa.table({"x": np.arange(5000.0), "y": np.ones(5000)})
    slow, fast = Slow(), io.BytesIO()
    for stream in (slow, fast):
        with open_output(stream, rows.schema, Format(format)) as writer:
            writer.write(rows)
    assert slow.data == fast.getvalue()
