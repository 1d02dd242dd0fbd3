"""Selections of columns of mixed tables in Python."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
from cli_cases import succeed
from test_tables_as_they_are import orders

import gramian
from gramian.exceptions import UnknownLevelsWarning
from gramian.tabular import TableSelection, load

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

KEPT = ["voltage", "zip", "current", "product", "time", "age"]
GIVEN = {"city", "power", "price", "hour", "group"}


def numbers(n=200):
    """Return a table of numbers in which power and area follow from others."""
    a, b, c, d = np.random.default_rng(1).uniform(1, 5, (4, n))
    return pd.DataFrame({"u": a, "i": b, "power": a * b, "w": c, "h": d, "area": c * d})


@pytest.fixture(scope="module")
def selection():
    return gramian.select(orders())


def test_a_mixed_frame_keeps_the_columns_that_give_the_others(selection):
    assert selection.kept == KEPT
    assert {*selection.dropped} == GIVEN
    assert selection.dropped["power"].law == "power = voltage · current"
    assert selection.dropped["power"].kind == "law"
    assert selection.dropped["city"].kind == "levels"
    assert all(each.r2 == pytest.approx(1) for each in selection.dropped.values())
    assert selection.cautions == ()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "mapping"])
def test_a_table_comes_back_as_the_kind_of_table_given(selection, kind):
    table = orders()
    given = {
        "pandas": lambda: table,
        "polars": lambda: pl.from_pandas(table),
        "pyarrow": lambda: pa.Table.from_pandas(table),
        "mapping": lambda: {name: table[name].to_numpy() for name in table},
    }[kind]()
    assert gramian.select(given).kept == KEPT
    kept = selection.transform(given)
    whole = selection.reconstruct(kept)
    assert type(kept) is type(whole) is type(given)
    for found, names in ((kept, KEPT), (whole, list(table))):
        frame = found.to_pandas() if kind in ("polars", "pyarrow") else pd.DataFrame(found)
        assert list(frame) == names
        pd.testing.assert_frame_equal(frame, table[names], check_dtype=False)


def test_dropped_columns_of_a_whole_table_are_computed_again(selection):
    table = orders().assign(city="wrong", power=0.0)
    again = selection.reconstruct(table)
    pd.testing.assert_frame_equal(again, orders(), check_dtype=False)
    table.loc[7, "zip"] = "new"
    with pytest.warns(UnknownLevelsWarning, match="not seen zip 'new'"):
        again = selection.reconstruct(table)
    assert list(again.index[again["city"].isna()]) == [7]


def test_files_become_arrow_tables(selection, tmp_path):
    path = tmp_path / "orders.parquet"
    orders().to_parquet(path)
    assert gramian.select(path).kept == gramian.select([path, path]).kept == KEPT
    kept = selection.transform(path)
    assert isinstance(kept, pa.Table)
    assert kept.column_names == KEPT
    assert kept.num_rows == 300


def test_a_text_file_without_names_goes_by_position(tmp_path):
    path = tmp_path / "table.csv"
    numbers().to_csv(path, index=False, header=False, sep="|")
    selection = gramian.select(path, header=False, delimiter="|")
    assert selection.kept == ["x0", "x1", "x3", "x4"]
    assert selection.transform(path).num_rows == 200


def test_a_frame_beyond_the_memory_budget_is_fitted_in_pieces():
    table = numbers(3_000)
    selection = gramian.select(table, memory_budget=2**20)
    assert selection.kept == ["u", "i", "w", "h"]
    np.testing.assert_allclose(selection.reconstruct(selection.transform(table)), table)


def test_an_array_goes_by_position():
    table = numbers().to_numpy()
    selection = gramian.select(table)
    assert selection.kept == ["x0", "x1", "x3", "x4"]
    kept = selection.transform(table)
    np.testing.assert_array_equal(kept, table[:, [0, 1, 3, 4]])
    np.testing.assert_allclose(selection.reconstruct(kept), table)


def test_a_pandas_frame_keeps_its_index_types_and_names(selection):
    table = orders().astype({"zip": "category", "age": "Int64"})
    table.index = [f"row {i}" for i in range(300)]
    pd.testing.assert_frame_equal(gramian.select(table).transform(table), table[KEPT])
    numbered = numbers().set_axis(range(6), axis=1)
    assert list(gramian.select(numbered).transform(numbered).columns) == [0, 1, 3, 4]


def test_whole_numbers_with_gaps_come_back_in_the_types_of_pandas():
    rng = np.random.default_rng(0)
    a, b = rng.integers(1, 99, (2, 300))
    gaps = np.arange(300) % 11 == 0
    table = (
        pd.DataFrame({"a": a, "b": b, "sum": a + b})
        .where(~np.column_stack([gaps] * 3))
        .convert_dtypes()
    )
    selection = gramian.select(table)
    assert [*selection.dropped] == ["sum"]
    pd.testing.assert_frame_equal(selection.reconstruct(selection.transform(table)), table)


def test_decimals_come_back_as_decimals():
    rng = np.random.default_rng(0)
    columns = dict(zip("ab", rng.integers(1, 9_999, (2, 300)), strict=True))
    columns["sum"] = columns["a"] + columns["b"]
    cells = {k: [Decimal(int(v)) / 100 for v in column] for k, column in columns.items()}
    table = pa.table({k: pa.array(each, pa.decimal128(10, 2)) for k, each in cells.items()})
    selection = gramian.select(table)
    assert [*selection.dropped] == ["sum"]
    assert selection.reconstruct(selection.transform(table)).equals(table)


def test_a_polars_frame_keeps_its_types(selection):
    table = pl.from_pandas(orders()).with_columns(pl.col("zip").cast(pl.Categorical))
    assert gramian.select(table).kept == KEPT
    assert selection.transform(table).schema == table.select(KEPT).schema


def test_gaps_are_kept_filled_in_or_dropped_with_their_rows():
    table = numbers()
    table.loc[5, "u"] = np.nan
    kept = gramian.select(table, keep="u").transform(table)
    assert np.isnan(kept.loc[5, "u"])
    kept = gramian.select(table, keep="u", impute="median").transform(table)
    assert kept.loc[5, "u"] == table["u"].median()
    kept = gramian.select(table, keep="u", impute="drop-rows").transform(table)
    assert list(kept.index) == [i for i in range(200) if i != 5]


def test_ids_come_first_targets_last_and_empty_columns_are_set_aside():
    table = orders().assign(empty=None, same=3.0)
    selection = gramian.select(table, id="product", target=["age"], exclude="gro*")
    assert selection.set_aside == {"empty": "no value in any row", "same": "constant"}
    kept = selection.transform(table)
    assert list(kept) == ["product", "voltage", "zip", "current", "price", "time", "age"]
    assert list(selection.reconstruct(kept))[:2] == ["product", "voltage"]


def test_dates_given_by_parts_come_back_as_dates():
    day = pd.Series(pd.date_range("2023-05-01", periods=400))
    table = pd.DataFrame({"y": day.dt.year, "m": day.dt.month, "d": day.dt.day, "date": day})
    table["noise"] = np.random.default_rng(0).normal(size=400)
    selection = gramian.select(table, keep=["y", "m", "d"])
    assert "date" in selection.dropped
    again = selection.reconstruct(selection.transform(table))
    assert again["date"].iloc[0].date() == datetime.date(2023, 5, 1)
    assert (again["date"] == table["date"]).all()


def test_a_model_file_is_that_of_the_command(selection, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    orders().to_parquet("orders.parquet")
    succeed("select", "orders.parquet", "-m", "command.gram", "-q")
    gramian.select("orders.parquet").save("python.gram")
    assert (tmp_path / "python.gram").read_bytes() == (tmp_path / "command.gram").read_bytes()
    again = load("command.gram")
    assert isinstance(again, TableSelection)
    assert again.kept == KEPT
    assert again.dropped == selection.dropped
    pd.testing.assert_frame_equal(again.transform(orders()), orders()[KEPT])
    model = gramian.models.read("command.gram")
    assert list(model.preprocessing.beside.order) == list(orders())


def test_the_command_and_the_function_agree(selection, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    orders().to_parquet("orders.parquet")
    document = json.loads(succeed("select", "orders.parquet", "--json").stdout)
    assert {*document["kept"], *document["beside"]} == {*selection.kept}
    assert document["dropped"] == [*selection.dropped] or {*document["dropped"]} == GIVEN
    told = document["elimination"]["dropped"]
    assert {name: tuple(each["alternatives"]) for name, each in told.items()} == {
        name: selection.alternatives.get(name, ()) for name in told
    }


def test_components_are_no_selection(tmp_path):
    path = tmp_path / "gfr.gram"
    gramian.GFR(2).fit(numbers()).save(path)
    with pytest.raises(ValueError, match="holds GFR, which makes components"):
        load(path)


@pytest.mark.parametrize("frame", [numbers, lambda: numbers().to_numpy()])
def test_a_table_of_numbers_gives_the_columns_of_gfa(frame):
    table = frame()
    gfa = gramian.GFA().fit(table)
    found = gramian.select(table)
    assert found.kept == [*gfa.get_feature_names_out()]
    np.testing.assert_array_equal(found.estimator.elimination_.dropped, gfa.elimination_.dropped)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"columns": "zz*"}, "columns='zz*' matches no column; there are columns 'voltage'"),
        ({"target": "age", "id": "age"}, "Column 'age' cannot be both target and id."),
        ({"exclude": "*"}, "No column is left to work with"),
        ({"keep": "age", "algorithm": "gfs"}, "keep is for algorithm='gfa', without backward=F"),
        ({"threshold": 5}, "threshold=5 is no share of a variance"),
        ({"n": 30}, "n=30 is more than the 11 columns that take part."),
        ({"algorithm": "gfr"}, "algorithm='gfr' does not select columns: choose gfa or gfs."),
        ({"family": "indicator"}, "family='indicator' is for columns of at most 32 distinct"),
        ({"columns": "zip"}, "The table has no column of numbers that a fit could use; gramian.r"),
    ],
)
def test_a_message_names_options_as_python_does(options, sentence):
    with pytest.raises(ValueError, match=r".") as caught:
        gramian.select(orders(), **options)
    assert sentence in str(caught.value)
    assert "--" not in str(caught.value)


def test_bytes_and_lists_are_refused_with_what_to_do():
    table = orders().assign(nested=[[1]] * 300)
    with pytest.raises(ValueError, match=r"say exclude=\[...\] to leave them out"):
        gramian.select(table)
    with pytest.raises(ValueError, match="The table cannot be read: "):
        gramian.select({"a": [1.0, "x", 2.0], "b": [1.0, 2.0, 3.0]})
    for column in ([1.0, 2.0], pd.Series([1.0, 2.0])):
        with pytest.raises(TypeError, match=f"got {type(column).__name__}"):
            gramian.select(column)


def test_cautions_are_values(recwarn):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 6)))
    selection = gramian.select(table, n=6, alpha=0, degree=3)
    assert [each.kind for each in selection.cautions] == ["saturated"]
    assert selection.cautions[0].facts["n_rows"] == 20
    assert "Use alpha='auto', a lower degree" in str(selection)
    assert not recwarn.list


def test_columns_of_numbers_with_a_word_are_cautioned_of():
    table = pd.DataFrame({"a": [*map(str, range(39)), "nine"], "b": np.arange(40.0) ** 2})
    (caution,) = gramian.select(table, encode=True).cautions
    assert caution.kind == "numbers as text"
    assert caution.facts["column"] == "a"


def test_a_selection_is_printed_with_its_laws(selection):
    text = repr(selection)
    assert text.startswith(f"Kept 6 of 11 columns: {', '.join(KEPT)}\nDropped 5 columns:\n")
    assert "  power = voltage · current" in text
    assert "<td>power</td><td>dropped</td>" in selection._repr_html_()


def test_without_pyarrow_the_error_names_the_extra(tmp_path):
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError(name='pyarrow')")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import gramian, numpy\n"
        "gramian.tabular\n"
        "try:\n    gramian.select(numpy.eye(3))\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert 'needs the package pyarrow: pip install "gramian[files]".' in done.stdout


@pytest.mark.parametrize("largest", [10**6, 10**15])
def test_a_copy_of_whole_numbers_comes_back_exactly(largest):
    rng = np.random.default_rng(0)
    key = rng.integers(0, largest, 200)
    table = pd.DataFrame({"key": key, "x": rng.uniform(1, 5, 200), "key_too": key})
    found = gramian.select(table)
    (dropped,) = found.dropped
    whole = found.reconstruct(found.transform(table))
    np.testing.assert_array_equal(whole[dropped], table[dropped])


def test_names_of_several_levels_and_equal_names_are_refused():
    table = numbers()
    several = table.set_axis(pd.MultiIndex.from_product([["u"], table.columns]), axis=1)
    with pytest.raises(ValueError, match="have 2 levels: give each column one name"):
        gramian.select(several)
    twice = table.set_axis(["a", "a", *table.columns[2:]], axis=1)
    with pytest.raises(ValueError, match="two columns named 'a': rename one"):
        gramian.select(twice)


def test_an_array_of_another_width_is_refused():
    a, b = np.random.default_rng(0).uniform(1, 5, (2, 200))
    found = gramian.select(np.column_stack([a * b, a, b]))
    with pytest.raises(ValueError, match="has 4 columns to work with, and the model takes 2"):
        found.transform(np.ones((2, 4)))


def test_names_that_are_numbers_come_back_as_numbers():
    a, b = np.random.default_rng(0).uniform(1, 5, (2, 200))
    table = pd.DataFrame(np.column_stack([a, b, a * b]))
    found = gramian.select(table, keep=[0, 1])
    assert found.kept == ["0", "1"]
    assert [*found.reconstruct(found.transform(table))] == [0, 1, 2]


def test_cells_that_cannot_be_computed_are_empty_in_files(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.uniform(1, 5, 300), "b": rng.uniform(1, 5, 300)})
    table["p"] = table.a * table.b
    found = gramian.select(table, laws=False)
    table.loc[:3, found.kept[0]] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    whole = found.reconstruct(tmp_path / "t.csv")
    (dropped,) = found.dropped
    assert whole.column(dropped).null_count == 4
