"""Columns that are computed again, and columns with filled gaps, have the types of the fit."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from cli_cases import folder, run, succeed  # noqa: F401

import gramian
from gramian.tables import in_type, open_tables

pytestmark = pytest.mark.usefixtures("folder")


def typed(n_rows=400):
    """Return a frame in which columns of many types follow from a, x and time."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 100, (2, n_rows))
    time = pd.date_range("2024-01-01", periods=n_rows, freq="3h", tz="Europe/Berlin")
    x = rng.normal(size=n_rows).astype("float32")
    return pd.DataFrame(
        {
            "a": a.astype("int32"),
            "b": b,
            "sum": (a + b).astype("int16"),
            "big": a > 50,
            "class": pd.Categorical(np.where(a > 30, "high", "low")),
            "level": (a // 25).astype("uint8"),
            "x": x,
            "double": 2 * x,
            "time": time,
            "day": time.normalize(),
            "wait": pd.to_timedelta(3 * a, unit="s"),
            "one": np.int64(1),
        }
    )


COMPUTED = ["sum", "big", "class", "level", "double", "day", "wait", "one"]


def test_reconstructed_columns_of_a_frame_have_their_dtypes():
    table = typed()
    selection = gramian.select(table, keep=["a", "b", "x", "time"])
    assert {*COMPUTED} == {*selection.dropped}
    again = selection.reconstruct(selection.transform(table))
    assert again["class"].dtype.name == "category"
    again["class"] = again["class"].astype(table["class"].dtype)
    pd.testing.assert_frame_equal(again, table, check_freq=False)
    selection.save("model.gram")
    loaded = gramian.tabular.load("model.gram")
    assert loaded.reconstruct(selection.transform(table)).dtypes.equals(
        selection.reconstruct(selection.transform(table)).dtypes
    )


def test_reconstructed_columns_of_polars_arrow_and_dicts_have_their_types():
    polars = pytest.importorskip("polars")
    table = typed()
    frame = polars.from_pandas(table)
    selection = gramian.select(frame, keep=["a", "b", "x", "time"])
    assert selection.reconstruct(selection.transform(frame)).schema == frame.schema
    arrow = pa.Table.from_pandas(table.drop(columns="class"))
    selection = gramian.select(arrow, keep=["a", "b", "x", "time"])
    again = selection.reconstruct(selection.transform(arrow))
    assert again.schema.types == arrow.schema.types
    columns = {name: table[name].to_numpy() for name in ("a", "b", "x", "sum", "big", "double")}
    selection = gramian.select(columns, keep=["a", "b", "x"])
    again = selection.reconstruct(selection.transform(columns))
    assert {name: each.dtype for name, each in again.items()} == {
        name: each.dtype for name, each in columns.items()
    }


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_the_command_restores_types(ending):
    table = typed().drop(columns="class")
    getattr(table, f"to_{ending}")(f"in.{ending}")
    succeed(
        "select", f"in.{ending}", "--keep", "a,b,x,time", "-m", "m.gram", "-o", f"k.{ending}", "-q"
    )
    succeed("reconstruct", "m.gram", f"k.{ending}", "-o", f"all.{ending}", "-q")
    again = getattr(pd, f"read_{ending}")(f"all.{ending}")
    pd.testing.assert_frame_equal(again, table, check_freq=False)


def test_a_value_that_does_not_fit_its_type_is_not_changed():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 50, 100)
    table = pd.DataFrame(
        {"a": a.astype("int16"), "b": (2 * a).astype("int8"), "x": rng.normal(size=100)}
    )
    selection = gramian.select(table, keep="a")
    large = pd.DataFrame({"a": np.array([3, 500], dtype="int16"), "x": [0.0, 1.0]})
    assert selection.reconstruct(large)["b"].tolist() == [6.0, 1000.0]
    table.to_parquet("in.parquet")
    succeed("select", "in.parquet", "--keep", "a", "-m", "m.gram", "-q")
    n = 400_000
    many = pd.DataFrame({"a": np.full(n, 3, dtype="int16"), "x": 0.0})
    many.loc[n - 1, "a"] = 500
    many.to_parquet("many.parquet")
    done = run("reconstruct", "m.gram", "many.parquet", "-o", "all.parquet", "-q")
    assert done.exit_code == 3
    assert "a computed value of column 'b' does not fit int8" in done.stderr
    succeed("reconstruct", "m.gram", "many.parquet", "-o", "all.csv", "-q")
    assert pd.read_csv("all.csv")["b"].iloc[[0, -1]].tolist() == [6, 1000]


@pytest.mark.parametrize(
    ("values", "text", "expected"),
    [
        ([1.9999999, None, -3.0], "int8", [2, None, -3]),
        ([0.02, 0.97], "bool", [False, True]),
        ([1.25, 2.004], "decimal128(10, 2)", ["1.25", "2.00"]),
        ([90.0], "time32[s]", ["00:01:30"]),
        (["9007199254740993"], "int64", [9007199254740993]),
    ],
)
def test_values_become_the_nearest_ones_of_a_type(values, text, expected):
    found = in_type(pa.array(values), text).to_pylist()
    assert [each if isinstance(each, int | None) else str(each) for each in found] == expected


@pytest.mark.parametrize("impute", ["median", "mean"])
def test_filled_columns_keep_their_dtypes_if_the_values_allow_it(impute):
    table = typed()[["a", "b", "x", "class", "big"]].astype({"a": "Int64", "big": "boolean"})
    table.loc[3, "a"] = table.loc[5, "class"] = table.loc[7, "big"] = None
    table.loc[9, "x"] = np.nan
    filled = gramian.select(table, impute=impute, encode=True, threshold=1e-9).transform(table)
    whole = ["b", "x", "class"]
    assert filled[whole].dtypes.equals(table[whole].dtypes)
    assert not filled.isna().any(axis=None)
    if impute == "median":
        assert filled["a"].dtype == "Int64"


def test_fractions_far_down_in_one_of_two_files_are_not_cut_off():
    for name, last in (("0.csv", "1.5"), ("1.csv", "2")):
        with open(name, "w") as file:
            file.write("x\n" + "1\n" * 700_000 + last + "\n")
    assert open_tables(["0.csv", "1.csv"]).read(["x"])[0][700_000].as_py() == 1.5


def test_columns_that_are_computed_approximately_are_not_rounded():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    table = pd.DataFrame(
        {"a": a, "sign": a > 0, "count": np.rint(3 * a + rng.normal(size=300)).astype(int)}
    )
    selection = gramian.select(table, n=1, given="a")
    again = selection.reconstruct(selection.transform(table))
    assert again.dtypes.tolist() == [np.float64] * 3
    assert not (again["count"] == again["count"].round()).all()


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="values types of Arrow"):
        gramian.models.Preprocessing(("a",), types={"a": "list<int8>"})
    with pytest.raises(ValueError, match="keys must be among columns"):
        gramian.models.Preprocessing(("a",), types={"b": "int8"})
