"""Every row and column of a file is read: empty lines, late text, further columns, no numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from cli_cases import folder, run, succeed  # noqa: F401

import gramian
from gramian.exceptions import TableError
from gramian.tables import _text_files
from gramian.tables._opening import open_table, open_tables

pytestmark = pytest.mark.usefixtures("folder")


def written(text, path="in.csv"):
    with open(path, "wb") as stream:
        stream.write(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["5", "5{end}", "5{end}{end}", "{end}5"])
def test_an_empty_line_of_one_column_is_a_missing_cell(end, last):
    text = "x{end}{end}1.50{end}{end}{end}2{end}" + last
    written(text.format(end=end))
    cells = [None, 1.5, None, None, 2.0, *([None] * last.startswith("{")), 5.0]
    assert open_table("in.csv").read(["x"])["x"].to_pylist() == cells
    assert open_table("in.csv", memory_budget=1).read(["x"])["x"].to_pylist() == cells
    succeed("select", "in.csv", "-o", "kept.csv", "-q")
    expected = {None: "", 1.5: "1.50", 2.0: "2", 5.0: "5"}
    with open("kept.csv") as stream:
        assert stream.read().split("\n") == ["x", *(expected[each] for each in cells), ""]


def test_empty_lines_before_the_name_and_between_several_columns_are_no_rows():
    assert open_table(written("\n\nx\n1\n2\n")).read(["x"]).num_rows == 2
    assert open_table(written("x,y\n\n1,2\n\n3,4\n")).read(["x"]).num_rows == 2


def test_carriage_returns_at_the_ends_of_blocks_are_no_rows(monkeypatch):
    monkeypatch.setattr(_text_files, "WHOLE_BLOCK_BYTES", 4)
    table = open_table(written("x\r\n1\r\n\r\n34\r\n5\r\n"))
    cells = table.cells().take(4, ["x"])["x"].to_pylist()
    assert cells == [b"1", b"", b"34", b"5"]


def late(last, n_rows=60, body="{i},{i},7\n"):
    return "a,b,c\n" + "".join(body.format(i=i % 50) for i in range(n_rows)) + last


@pytest.mark.parametrize("last", ["1,word,2\n", "1,00123,2\n", "1,9007199254740993,2\n"])
def test_text_that_is_met_late_is_kept_letter_by_letter(monkeypatch, last):
    monkeypatch.setattr(_text_files, "HEAD_BYTES", 100)
    written(late(last))
    assert "kept as they are: 'b'" in succeed("select", "in.csv", "-o", "kept.csv").stderr
    assert pd.read_csv("kept.csv", dtype=str)["b"].iloc[-1] == last.split(",")[1]
    assert "b" in gramian.select(["in.csv"]).kept


def test_values_that_are_met_late_are_read(monkeypatch):
    monkeypatch.setattr(_text_files, "HEAD_BYTES", 100)
    table = open_table(written(late("1,2024-01-01,2\n", body="{i},,1\n")))
    assert table.columns["b"] == pa.date32()
    table = open_table(written(late('1,"1,5",2\n')))
    assert table.read(["b"])["b"].to_pylist()[-1] == 1.5


def test_late_bytes_that_are_no_text_are_named(monkeypatch):
    monkeypatch.setattr(_text_files, "HEAD_BYTES", 100)
    written(late("", body="{i},x,7\n").encode() + b"1,\xe4,2\n")
    assert "column 'b' holds bytes that are not UTF-8" in run("select", "in.csv").stderr


def test_hexadecimal_numbers_are_read_in_pieces_as_in_one():
    rng = np.random.default_rng(0)
    rows = [f"{hex(i)},{x:.6f}" for i, x in zip(range(3000), rng.random(3000), strict=True)]
    written("\n".join(["h,a", *rows, ""]))
    whole, pieces = open_table("in.csv"), open_table("in.csv", memory_budget=2**10)
    assert not whole.too_large
    assert pieces.too_large
    assert whole.read(["h"])["h"].to_pylist() == pieces.read(["h"])["h"].to_pylist()


@pytest.mark.parametrize(
    "text", ["name,zip\nx,007\ny,008x\nx,007\n", "day,zip\n2024-01-01,007x\n2024-01-02,008\n"]
)
def test_codes_in_text_beside_no_numbers_are_text(text):
    table = open_table(written(text))
    assert str(table.columns["zip"]) == "string"
    assert "no column of numbers" in run("select", "in.csv", "-c", "zip").stderr


def test_a_table_without_rows_is_reconstructed_with_lookups():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, 100)
    table = pd.DataFrame({"zip": [f"z{i}" for i in codes], "city": [f"c{i % 3}" for i in codes]})
    table.assign(x=rng.normal(size=100), price=codes * 1.5).to_csv("in.csv", index=False)
    succeed("select", "in.csv", "-o", "kept.csv", "-m", "m.gram")
    with open("kept.csv") as stream:
        written(stream.readline(), "none.csv")
    succeed("reconstruct", "m.gram", "none.csv", "-o", "all.csv")
    with open("all.csv") as stream:
        assert stream.read() == "zip,city,x,price\n"


def test_text_that_polars_writes_is_read():
    rng = np.random.default_rng(0)
    texts = pa.array([f"s{i}" for i in rng.integers(0, 3, 50)], pa.string_view())
    rows = pa.table({"s": texts, "copy": texts, "x": rng.normal(size=50)})
    feather.write_feather(rows, "in.arrow", compression="uncompressed")
    for table in ("in.arrow", rows):
        selection = gramian.select(table)
        assert len(selection.kept) == 2
        again = selection.reconstruct(selection.transform(table))
        assert again["copy"].to_pylist() == texts.to_pylist()
    assert "copy" in succeed("relations", "in.arrow").stdout


def test_files_with_other_columns_are_refused(monkeypatch):
    columns = {"a": [1.0, 2.0], "b": [3.0, 5.0]}
    Path("folder").mkdir()
    monkeypatch.chdir("folder")
    for names in (("1", "2"), ("2", "1")):
        pq.write_table(pa.table(columns), f"{names[0]}.parquet")
        pq.write_table(pa.table({**columns, "z": [0.0, 1.0]}), f"{names[1]}.parquet")
        with pytest.raises(TableError, match=r"2\.parquet .* column 'z', which other files"):
            open_table(".")
        with pytest.raises(TableError, match=r"2\.parquet .* column 'z', which other files"):
            open_tables(["1.parquet", "2.parquet"])
