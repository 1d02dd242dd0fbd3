"""Fits are equal for every form of the table."""

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet
import pytest
from source_cases import (
    ALGORITHMS,
    BUDGET,
    FRAME,
    INDICES,
    NAMES,
    SOURCES,
    TABLE,
    WEIGHTED,
    WEIGHTS,
    AgainAndAgain,
    X,
    assert_same,
    estimator,
    in_memory,
    make_table,
    write_parquet,
    write_parts,
)
from support import make

from gramian import GFR, GFS
from gramian.core.rows._stream import StreamRows

EACH = pytest.mark.parametrize("index", INDICES, ids=[each[0].__name__ for each in ALGORITHMS])


@pytest.fixture
def streamed(monkeypatch):
    """Count the passes over streamed rows, to detect a table that was loaded by mistake."""
    passes = []
    blocks = StreamRows.blocks

    def counted(rows):
        passes.append(rows)
        return blocks(rows)

    monkeypatch.setattr(StreamRows, "blocks", counted)
    return passes


@EACH
@pytest.mark.parametrize("source", SOURCES)
def test_all_sources_give_the_fit_of_the_array(tmp_path, source, index, streamed):
    fitted = estimator(ALGORITHMS[index]).fit(SOURCES[source](tmp_path))
    assert_same(fitted, in_memory(index))
    assert streamed


@EACH
@pytest.mark.parametrize("source", ["several npy", "several Parquet", "CSV"])
def test_files_give_the_fit_of_the_array_at_degree_three(tmp_path, source, index):
    options = {"family": "polynomial", "degree": 3}
    fitted = estimator(ALGORITHMS[index], **options).fit(SOURCES[source](tmp_path))
    assert_same(fitted, in_memory(index, **options), atol=1e-7)


@EACH
@pytest.mark.parametrize("solver", ["gram", "moments"])
def test_files_give_the_fit_of_the_array_with_every_solver(tmp_path, solver, index):
    fitted = estimator(ALGORITHMS[index], solver=solver).fit(write_parquet(tmp_path))
    assert fitted.solver_ == solver
    assert_same(fitted, in_memory(index))


@EACH
@pytest.mark.parametrize("source", ["npy", "folder of Parquet", "CSV"])
def test_files_that_fit_are_loaded_and_give_the_same_bits(tmp_path, source, index, streamed):
    fitted = estimator(ALGORITHMS[index], memory_budget=None).fit(SOURCES[source](tmp_path))
    if source == "CSV":  # the number of rows is unknown before reading
        assert_same(fitted, in_memory(index))
    else:
        assert not streamed
        np.testing.assert_array_equal(
            fitted.residual_variance_, in_memory(index).residual_variance_
        )


@pytest.mark.parametrize("source", ["Parquet", "CSV", "function that yields data frames"])
def test_names_of_columns_are_kept(tmp_path, source):
    fitted = GFS(3, memory_budget=BUDGET, alpha=0, criterion="variance").fit(
        SOURCES[source](tmp_path)
    )
    assert fitted.feature_names_in_.tolist() == NAMES
    expected = GFS(3, alpha=0, criterion="variance").fit(FRAME)
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


WEIGHTED_SOURCES = {
    "Parquet": lambda folder: write_parquet(folder, WEIGHTED),
    "several Parquet": lambda folder: write_parts(folder, WEIGHTED),
    "CSV": lambda folder: _write_csv(folder, WEIGHTED),
    "data frames": lambda folder: lambda: (part.to_pandas() for part in WEIGHTED.to_batches(700)),
    "record batches": lambda folder: lambda: WEIGHTED.to_reader(max_chunksize=700),
}


def _write_csv(folder, table):
    pyarrow.csv.write_csv(table, folder / "x.csv")
    return folder / "x.csv"


@EACH
@pytest.mark.parametrize("source", WEIGHTED_SOURCES)
@pytest.mark.parametrize("budget", [BUDGET, None], ids=["streamed", "loaded"])
def test_weights_can_be_a_column(tmp_path, source, index, budget):
    fitted = estimator(ALGORITHMS[index], memory_budget=budget)
    fitted.fit(WEIGHTED_SOURCES[source](tmp_path), sample_weight="weight")
    assert_same(fitted, in_memory(index, weighted=True))
    assert fitted.n_features_in_ == len(NAMES)


@pytest.mark.parametrize("budget", [BUDGET, None], ids=["streamed", "loaded"])
@pytest.mark.parametrize("source", ["memmap", "npy", "several npy"])
def test_weights_of_arrays_on_disk_can_be_an_array(tmp_path, source, budget):
    fitted = estimator(ALGORITHMS[0], memory_budget=budget)
    fitted.fit(SOURCES[source](tmp_path), sample_weight=WEIGHTS)
    assert_same(fitted, in_memory(0, weighted=True))


@pytest.mark.parametrize("kind", [np.float32, np.int16, np.uint8, np.bool_])
@pytest.mark.parametrize("ending", ["npy", "parquet", "csv"])
def test_numbers_of_every_type_are_read_as_they_are(tmp_path, kind, ending):
    rng = np.random.default_rng(0)
    if kind is np.float32:
        x = X.astype(kind)
    elif kind is np.bool_:
        x = rng.random((3000, 8)) < np.linspace(0.1, 0.9, 8)
        x[:, 3] = x[:, 4] & x[:, 5]
    else:
        x = rng.integers(0, [3, 5, 9, 17, 33, 65, 129, 255], (3000, 8)).astype(kind)
    path = tmp_path / f"x.{ending}"
    table = pa.table(dict(zip(NAMES, x.T, strict=True)))
    if ending == "npy":
        np.save(path, x)
    elif ending == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.csv.write_csv(table, path)
    # The text of a float32 has the digits that distinguish it among float32 numbers only.
    atol = 1e-4 if ending == "csv" and kind is np.float32 else 1e-8
    fitted = GFR(3, memory_budget=BUDGET, alpha=0).fit(path)
    np.testing.assert_allclose(fitted.components_, GFR(3, alpha=0).fit(x).components_, atol=atol)


def test_files_may_differ_in_type_and_order_of_columns(tmp_path):
    x = X.copy()
    x[:1000] = np.round(x[:1000])
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    whole = FRAME.round()[:1000].astype("int32")
    pyarrow.parquet.write_table(pa.Table.from_pandas(whole, preserve_index=False), paths[0])
    pyarrow.parquet.write_table(TABLE.slice(1000).select(NAMES[::-1]), paths[1])
    fitted = GFS(3, memory_budget=BUDGET, alpha=0, criterion="variance").fit(paths)
    assert_same(fitted, GFS(3, alpha=0, criterion="variance").fit(x))


def test_a_csv_column_may_begin_with_whole_numbers(tmp_path):
    n = 150_000  # beyond the first mebibyte, by which PyArrow guesses types
    x = make_table(n)[:, :2].round(2)
    x[: n - 100] = x[: n - 100].round()
    np.savetxt(tmp_path / "x.csv", x, fmt="%g", delimiter=",", header="a,b", comments="")
    fitted = GFR(1, memory_budget=BUDGET, alpha=0).fit(tmp_path / "x.csv")
    np.testing.assert_allclose(fitted.components_, GFR(1, alpha=0).fit(x).components_, atol=1e-8)


def test_a_partitioned_dataset_has_columns_in_its_paths(tmp_path):
    table = TABLE.append_column("year", pa.array(np.arange(3000) // 750, pa.int32()))
    by_year = pyarrow.dataset.partitioning(pa.schema([("year", pa.int32())]), flavor="hive")
    pyarrow.dataset.write_dataset(table, tmp_path, format="parquet", partitioning=by_year)
    data = pyarrow.dataset.dataset(tmp_path, format="parquet", partitioning="hive")
    fitted = GFR(3, memory_budget=BUDGET, alpha=0).fit(data)
    expected = GFR(3, alpha=0).fit(table.to_pandas())
    np.testing.assert_allclose(fitted.components_, expected.components_, atol=1e-8)


@EACH
def test_a_file_may_have_more_columns_than_rows(tmp_path, index):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 300)) * np.linspace(1, 2, 300)
    x += 0.01 * rng.standard_normal(x.shape)
    np.save(tmp_path / "x.npy", x)
    options = {"threshold": None, "count": 3}
    fitted = estimator(ALGORITHMS[index], **options).fit(tmp_path / "x.npy")
    expected = estimator(ALGORITHMS[index], **options).fit(x)
    assert_same(fitted, expected)


def test_families_with_levels_work_from_files(tmp_path):
    x = np.random.default_rng(0).integers(0, [2, 3, 4, 5, 6, 7], (4000, 6)).astype(float)
    x[:, 5] = x[:, 0] * (x[:, 1] == 2) + 2 * x[:, 2]
    np.save(tmp_path / "x.npy", x)
    fitted = GFS(4, family="indicator", memory_budget=BUDGET, alpha=0, criterion="variance").fit(
        tmp_path / "x.npy"
    )
    assert_same(fitted, GFS(4, family="indicator", alpha=0, criterion="variance").fit(x))


@pytest.mark.parametrize("kind", [GFR, GFS])
def test_a_fit_reads_its_source_once_then_once_a_step_and_once_for_ranges(kind):
    source = AgainAndAgain(make_table(10_000))
    make(kind, 3, memory_budget=BUDGET).fit(source)
    assert source.n_passes == 1 + 3 + 1


@pytest.mark.parametrize(("n_steps", "degree"), [(1, 2), (3, 1)])
@pytest.mark.parametrize("kind", [GFR, GFS])
def test_a_fit_of_variables_alone_needs_no_pass_for_ranges(kind, n_steps, degree):
    source = AgainAndAgain(make_table(10_000))
    make(kind, n_steps, memory_budget=BUDGET, degree=degree).fit(source)
    assert source.n_passes == 1 + n_steps


@pytest.mark.parametrize("kind", [GFR, GFS])
def test_the_test_for_shrinkage_reads_the_source_once_more(kind):
    source = AgainAndAgain(make_table(10_000))
    assert make(kind, 3, memory_budget=BUDGET, alpha="auto").fit(source).alpha_ == 0
    assert source.n_passes == 1 + 3 + 1 + 1


def test_rows_that_take_half_the_budget_are_read_twice_and_kept():
    source = AgainAndAgain(make_table(7000))
    fitted = GFR(4, memory_budget=BUDGET, alpha=0).fit(source)
    assert source.n_passes == 2
    assert_same(fitted, GFR(4, alpha=0).fit(make_table(7000)))


def test_the_fit_is_bitwise_equal_for_any_row_groups_of_a_file(tmp_path):
    fits = []
    for row_group in (3000, 100):
        folder = tmp_path / str(row_group)
        folder.mkdir()
        path = write_parquet(folder, row_group=row_group)
        fits.append(GFR(3, alpha="auto", memory_budget=BUDGET).fit(path))
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)
    assert fits[0].alpha_ == fits[1].alpha_


def test_small_and_large_memory_budgets_give_equal_fits(tmp_path):
    x = make_table(20_000)
    np.save(tmp_path / "x.npy", x)
    fitted = GFR(3, memory_budget=BUDGET, alpha=0).fit(tmp_path / "x.npy")
    assert_same(fitted, GFR(3, memory_budget=10 * BUDGET, alpha=0).fit(tmp_path / "x.npy"))


@pytest.mark.parametrize("n_columns", [1, 8])
@pytest.mark.parametrize("kind", ["memmap", "arrays", "record batches"])
def test_a_fit_does_not_change_the_data(tmp_path, kind, n_columns):
    table = np.ascontiguousarray(X[:, :n_columns])
    if kind == "memmap":
        data = np.memmap(tmp_path / "x.bin", dtype=np.float64, mode="w+", shape=table.shape)
        data[:] = table
        blocks = [data]
    elif kind == "arrays":
        blocks = [part.copy() for part in np.array_split(table, 3)]
        data = partial(iter, blocks)
    else:
        names = [f"x{i}" for i in range(n_columns)]
        columns = [pa.array(column.copy()) for column in table.T]
        blocks = [pa.record_batch(columns, names=names)]
        data = partial(iter, blocks)
    GFS(1, memory_budget=BUDGET, alpha=0, criterion="variance").fit(data)
    if kind == "record batches":
        found = np.column_stack([column.to_numpy() for column in blocks[0].columns])
    else:
        found = np.concatenate(blocks)
    np.testing.assert_array_equal(found, table)
