"""Faulty tables: errors name the fault and its place, and no partial output remains."""

import errno

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from source_cases import (
    BUDGET,
    FRAME,
    NAMES,
    SOURCES,
    TABLE,
    WEIGHTED,
    WEIGHTS,
    X,
    make_table,
    write_parquet,
    write_parts,
)

from gramian import GFR, GFS
from gramian.core.rows._stream import StreamRows
from gramian.tables import _outputs as outputs

BUDGETS = pytest.mark.parametrize("budget", [BUDGET, None], ids=["streamed", "loaded"])


def cut_short(path, share=0.6):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])


@BUDGETS
@pytest.mark.parametrize("which", [0, 2])
def test_a_truncated_parquet_file_is_named(tmp_path, which, budget):
    paths = write_parts(tmp_path)
    cut_short(paths[which])
    with pytest.raises(ValueError, match=rf"cannot be read.* '.*part{which}\.parquet'.*corrupted"):
        GFR(2, memory_budget=budget, alpha=0).fit(paths)


@BUDGETS
def test_a_parquet_file_with_a_damaged_page_is_named(tmp_path, budget):
    path = write_parquet(tmp_path, row_group=500)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 5000] = bytes(5000)
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=r"table\.parquet cannot be read as parquet any further than row"
    ):
        GFR(2, memory_budget=budget, alpha=0).fit(path)


@BUDGETS
@pytest.mark.parametrize("name", ["Feather", "Arrow"])
def test_a_truncated_arrow_file_is_named(tmp_path, name, budget):
    path = SOURCES[name](tmp_path)
    cut_short(path)
    with pytest.raises(ValueError, match=rf"{path.name} cannot be read"):
        GFR(2, memory_budget=budget, alpha=0).fit(path)


@BUDGETS
def test_a_truncated_npy_file_is_named(tmp_path, budget):
    paths = SOURCES["several npy"](tmp_path)
    cut_short(paths[2])
    with pytest.raises(ValueError, match=r"2\.npy cannot be read as npy: .* damaged or cut short"):
        GFR(2, memory_budget=budget, alpha=0).fit(paths)


def test_an_npy_file_without_a_table_is_named(tmp_path):
    np.save(tmp_path / "x.npy", X[:, 0])
    with pytest.raises(ValueError, match=r"x\.npy holds an array of shape \(3000,\)"):
        GFR(1, alpha=0).fit(tmp_path / "x.npy")


def test_arrays_of_different_width_are_named(tmp_path):
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "b.npy", X[:, 1:])
    with pytest.raises(ValueError, match=r"b\.npy has 7 columns, and .*a\.npy has 8"):
        GFR(1, alpha=0).fit([tmp_path / "a.npy", tmp_path / "b.npy"])


def test_text_in_a_late_row_of_a_csv_file_is_found(tmp_path):
    n = 1_000_001
    row = b"1.5,2\n-1,3\n"
    text = b"a,b\n" + row * (n // 2) + b"0.5,oops\n" + row * 10
    (tmp_path / "late.csv").write_bytes(text)
    # Rows are counted from 0, without the heading.
    with pytest.raises(ValueError, match=r"late\.csv .*column 'b': row 1000000: .*'oops'"):
        GFR(1, memory_budget=BUDGET, alpha=0).fit(tmp_path / "late.csv")


def test_a_csv_row_that_lacks_a_cell_is_found(tmp_path):
    path = SOURCES["CSV"](tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[2000] = "1,2,3"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.csv .*row 1999: Expected 8 columns, got 3"):
        GFR(1, memory_budget=BUDGET, alpha=0).fit(path)


@BUDGETS
def test_a_csv_row_of_invalid_utf_8_is_refused_without_other_messages(tmp_path, budget, capfd):
    (tmp_path / "x.csv").write_bytes(b"a,b\n1,2\n3,4\n\xff1,2,3\n4,5\n")
    with pytest.raises(ValueError, match=r"x\.csv cannot be read as csv: .*Expected 2 columns"):
        GFR(1, memory_budget=budget, alpha=0).fit(tmp_path / "x.csv")
    assert capfd.readouterr().err == ""


def test_a_column_of_text_is_named(tmp_path):
    FRAME.assign(name="x").to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(ValueError, match=r"Column 'name' of .*x\.csv holds string"):
        GFR(1, alpha=0).fit(tmp_path / "x.csv")


@BUDGETS
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_column_missing_in_the_third_file_is_named(tmp_path, ending, budget):
    paths = []
    for i in range(4):
        part = TABLE.slice(750 * i, 750)
        paths.append(tmp_path / f"{i}.{ending}")
        part = part.drop_columns("d") if i == 2 else part
        write = pyarrow.parquet.write_table if ending == "parquet" else pyarrow.csv.write_csv
        write(part, paths[-1])
    with pytest.raises(ValueError, match=rf"2\.{ending} lacks the column 'd'"):
        GFR(1, memory_budget=budget, alpha=0).fit(paths)


@BUDGETS
def test_an_infinite_value_is_located_by_file_row_and_column(tmp_path, budget):
    column = FRAME["c"].tolist()
    column[1234] = np.inf
    table = TABLE.set_column(2, "c", pa.array(column, pa.float64()))
    paths = write_parts(tmp_path, table)
    with pytest.raises(ValueError, match=r"Column 'c' .* in row 533 of .*part2\.parquet"):
        GFR(1, memory_budget=budget, alpha=0).fit(paths)


def test_an_infinite_value_in_an_array_on_disk_is_located(tmp_path):
    x = X.copy()
    x[2999, 7] = np.inf
    np.save(tmp_path / "x.npy", x)
    with pytest.raises(ValueError, match=r"Column 7 has .* in row 2999 of .*x\.npy"):
        GFR(1, memory_budget=BUDGET, alpha=0).fit(tmp_path / "x.npy")


@BUDGETS
def test_an_empty_cell_of_a_csv_file_is_a_missing_value(tmp_path, budget):
    frame = FRAME.copy()
    frame.loc[17, "b"] = np.nan
    frame.to_csv(tmp_path / "x.csv", index=False)
    gfr = GFR(1, memory_budget=budget, alpha=0).fit(tmp_path / "x.csv")
    assert gfr.gaps_.n_complete == len(frame) - 1
    np.testing.assert_allclose(gfr.mean_, frame.drop(index=17).mean().to_numpy())


@pytest.fixture
def before_pass(monkeypatch):
    """Return a mapping from the number of a pass to a function that is called before that pass."""
    plan = {}
    blocks = StreamRows.blocks
    count = iter(range(100))

    def hooked(rows):
        plan.get(next(count), lambda: None)()
        return blocks(rows)

    monkeypatch.setattr(StreamRows, "blocks", hooked)
    return plan


CHANGES = {
    "a value": lambda x: np.where(np.arange(len(x))[:, np.newaxis] == 1500, x + 1e-9, x),
    "fewer rows": lambda x: x[:2000],
    "more rows": lambda x: np.vstack([x, x]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_between_passes_is_refused(tmp_path, change, before_pass):
    x = make_table(9000)  # too large to be kept in memory
    path = write_parquet(tmp_path, pa.table(dict(zip(NAMES, x.T, strict=True))))
    other = pa.table(dict(zip(NAMES, CHANGES[change](x).T, strict=True)))
    before_pass[1] = lambda: write_parquet(tmp_path, other)
    with pytest.raises(ValueError, match=r"table\.parquet .*changed (while|since) it was"):
        GFR(3, memory_budget=BUDGET, alpha=0).fit(path)


def test_blocks_that_change_between_passes_are_refused():
    tables = iter([make_table(), make_table(seed=1)])
    with pytest.raises(ValueError, match=r"changed while it was read: rows 0 to 1023"):
        GFR(3, memory_budget=BUDGET, alpha=0).fit(lambda: iter([next(tables)]))


def test_an_iterator_that_can_be_read_only_once_is_refused():
    for once in (iter([X]), (part for part in [X]), TABLE.to_reader()):
        with pytest.raises(TypeError, match=r"only once .*Give a function"):
            GFR(1, alpha=0).fit(once)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "not a single block"),
        ([X, X[:, 1:]], "has 7 columns, and the first one had 8"),
        ([X, X[:, 0]], r"begins with row 3000 .* the shape \(3000,\)"),
        ([X, [["a"] * 8]], "begins with row 3000 .*could not convert string"),
        ([X[:1]], "has 1 rows of positive weight"),
    ],
)
def test_blocks_other_than_tables_are_refused(blocks, message):
    with pytest.raises(ValueError, match=message):
        GFR(1, memory_budget=BUDGET, alpha=0).fit(lambda: iter(blocks))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nothing\.parquet"):
        GFR(1, alpha=0).fit([write_parquet(tmp_path), tmp_path / "nothing.parquet"])


def test_an_unknown_ending_is_refused_with_the_known_endings(tmp_path):
    (tmp_path / "x.xlsx").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"\.xlsx is not clear .*\.parquet.*\.npy"):
        GFR(1, alpha=0).fit(tmp_path / "x.xlsx")


def test_files_of_two_kinds_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\.csv, \.parquet cannot be read together"):
        GFR(1, alpha=0).fit([write_parquet(tmp_path), SOURCES["CSV"](tmp_path)])
    with pytest.raises(ValueError, match=r"\.npy, \.parquet cannot be read together"):
        GFR(1, alpha=0).fit([SOURCES["npy"](tmp_path), write_parquet(tmp_path)])


def test_an_empty_folder_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"without Parquet files, .* it has other.csv"):
        GFR(alpha=0).fit(tmp_path)


def test_weights_of_the_wrong_kind_are_refused(tmp_path):
    path = write_parquet(tmp_path, WEIGHTED)
    with pytest.raises(TypeError, match="must be the name of one of their columns; got ndarray"):
        GFR(1, alpha=0).fit(path, sample_weight=WEIGHTS)
    with pytest.raises(ValueError, match="no column 'w' to take weights from"):
        GFR(1, alpha=0).fit(path, sample_weight="w")
    with pytest.raises(ValueError, match="no column 'w' to take weights from"):
        GFR(1, alpha=0).fit(SOURCES["npy"](tmp_path), sample_weight="w")
    with pytest.raises(ValueError, match=r"shape \(2999,\), and .*x\.npy has 3000 rows"):
        GFR(1, alpha=0).fit(tmp_path / "x.npy", sample_weight=WEIGHTS[1:])
    with pytest.raises(ValueError, match="no column 'w'"):
        GFR(1, alpha=0).fit(lambda: iter([FRAME]), sample_weight="w")
    with pytest.raises(ValueError, match=r"row 0 .* no column 'w' to take weights from"):
        GFR(1, alpha=0).fit(lambda: iter([X]), sample_weight="w")


@BUDGETS
@pytest.mark.parametrize("value", [-1.0, np.nan])
def test_a_negative_weight_is_located(tmp_path, value, budget):
    weights = WEIGHTS.copy()
    weights[2600] = value
    paths = write_parts(tmp_path, TABLE.append_column("weight", pa.array(weights)))
    with pytest.raises(ValueError, match=r"weight in row 100 of .*part3\.parquet is (-1|nan)"):
        GFR(1, memory_budget=budget, alpha=0).fit(paths, sample_weight="weight")


def test_weights_that_leave_less_than_two_rows_are_refused(tmp_path):
    weights = np.zeros(len(X))
    weights[5] = 1.0
    path = write_parquet(tmp_path, TABLE.append_column("weight", pa.array(weights)))
    with pytest.raises(ValueError, match="has 1 rows of positive weight"):
        GFR(1, memory_budget=BUDGET, alpha=0).fit(path, sample_weight="weight")


OUTPUTS = ["z.parquet", "z.feather", "z.csv", "z.npy"]


def stop_writing(monkeypatch, ending, error, after=1):
    """Make the writer raise an error after some blocks."""
    writer = outputs.ArrayWriter if ending == ".npy" else outputs.ArrowWriter
    write, count = writer.write_array, iter(range(100))

    def broken(self, rows):
        if next(count) >= after:
            raise error
        write(self, rows)

    monkeypatch.setattr(writer, "write_array", broken)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr
)
@pytest.mark.parametrize("existing", [False, True])
def test_an_interrupted_transform_leaves_no_file(tmp_path, monkeypatch, output, error, existing):
    paths = write_parts(tmp_path)
    target = tmp_path / "out" / output
    target.parent.mkdir()
    if existing:
        target.write_text("what was there before", encoding="utf-8")
    fitted = GFS(2, alpha=0, criterion="variance").fit(FRAME)
    stop_writing(monkeypatch, target.suffix, error)
    with pytest.raises(type(error)):
        fitted.transform(paths, output=target)
    assert [path.name for path in target.parent.iterdir()] == ([output] if existing else [])
    assert not existing or target.read_text(encoding="utf-8") == "what was there before"


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_fault_in_the_data_leaves_no_output(tmp_path, output):
    fitted = GFR(2, alpha=0).fit(FRAME)
    paths = write_parts(tmp_path)
    cut_short(paths[3])
    (tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match=r"part3\.parquet cannot be read"):
        fitted.transform(paths, output=tmp_path / "out" / output)
    assert not list((tmp_path / "out").iterdir())
