"""Dask arrays and data frames, with the schedulers of one machine."""

import multiprocessing
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from source_cases import (
    ALGORITHMS,
    DASK_SOURCES,
    FRAME,
    INDICES,
    NAMES,
    WEIGHTED,
    WEIGHTS,
    X,
    assert_same,
    estimator,
    in_memory,
    write_parts,
)

from gramian import GFR, GFS
from gramian._support.blas import n_threads
from gramian.core.rows import _dask as rows_of_dask

EACH = pytest.mark.parametrize("index", INDICES, ids=[each[0].__name__ for each in ALGORITHMS])


@EACH
@pytest.mark.parametrize("source", DASK_SOURCES)
def test_all_collections_give_the_fit_of_the_array(source, index):
    with dask.config.set(scheduler="threads"):
        fitted = estimator(ALGORITHMS[index]).fit(DASK_SOURCES[source]())
    assert_same(fitted, in_memory(index))


@pytest.fixture(scope="module")
def processes():
    """Start two processes for all tests, because a process starts slowly."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        yield pool


@EACH
def test_the_scheduler_of_processes_gives_the_fit_of_the_array(processes, index):
    with dask.config.set(scheduler="processes", pool=processes):
        fitted = estimator(ALGORITHMS[index]).fit(DASK_SOURCES["array, uneven rows"]())
    assert_same(fitted, in_memory(index))


@EACH
def test_data_frames_give_the_fit_of_the_array_at_degree_three(index):
    options = {"family": "polynomial", "degree": 3}
    fitted = estimator(ALGORITHMS[index], **options).fit(DASK_SOURCES["data frame"]())
    assert_same(fitted, in_memory(index, **options), atol=1e-7)


WEIGHTED_FRAME = WEIGHTED.to_pandas()
WEIGHTED_SOURCES = {
    "name of a column": lambda: (dd.from_pandas(WEIGHTED_FRAME, npartitions=4), "weight"),
    "array": lambda: (
        da.from_array(X, chunks=(700, -1)),
        da.from_array(WEIGHTS, chunks=700),
    ),
    "array in other parts": lambda: (
        da.from_array(X, chunks=(700, 3)),
        da.from_array(WEIGHTS, chunks=1111),
    ),
    "series": lambda: (
        dd.from_pandas(FRAME, npartitions=3),
        dd.from_pandas(WEIGHTED_FRAME["weight"], npartitions=3),
    ),
}


@EACH
@pytest.mark.parametrize("source", WEIGHTED_SOURCES)
def test_weights_are_a_column_or_a_collection(source, index):
    data, weights = WEIGHTED_SOURCES[source]()
    fitted = estimator(ALGORITHMS[index]).fit(data, sample_weight=weights)
    assert_same(fitted, in_memory(index, weighted=True))
    assert fitted.n_features_in_ == len(NAMES)


def test_names_of_columns_are_kept():
    fitted = GFS(3, alpha=0, criterion="variance").fit(DASK_SOURCES["data frame"]())
    assert fitted.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (WEIGHTS, TypeError, "name of a column or a Dask array"),
        (da.ones(2999, chunks=500), ValueError, r"shape \(2999,\), and X has 3000 rows"),
        (da.from_array(np.where(X[:, 0] > 4, -1.0, 1.0), chunks=500), ValueError, "is -1.0"),
    ],
)
def test_wrong_weights_are_refused(weights, error, message):
    with pytest.raises(error, match=message):
        GFR(1, alpha=0).fit(DASK_SOURCES["array"](), sample_weight=weights)


def test_a_missing_column_of_weights_is_named():
    with pytest.raises(ValueError, match="no column 'w'"):
        GFR(1, alpha=0).fit(DASK_SOURCES["data frame"](), sample_weight="w")


@pytest.mark.parametrize("n_weights", [500, 999])
def test_weights_of_unknown_length_are_checked_in_each_partition(n_weights):
    rows = dd.from_pandas(FRAME, npartitions=2).to_dask_array()
    weights = dd.from_pandas(WEIGHTED_FRAME["weight"][:n_weights], npartitions=2).to_dask_array()
    with pytest.raises(ValueError, match=r"Partition \d has 1500 rows and weights of shape"):
        GFR(1, alpha=0).fit(rows, sample_weight=weights)


def test_an_infinite_value_is_located():
    x = X.copy()
    x[1234, 3] = np.inf
    with pytest.raises(ValueError, match=r"Column 3 has an infinite .* row 234 of partition 2"):
        GFR(1, alpha=0).fit(da.from_array(x, chunks=(500, -1)))
    frame = FRAME.copy()
    frame.loc[2999, "b"] = np.inf
    with pytest.raises(ValueError, match=r"Column 'b' has .* row 749 of partition 3"):
        GFR(1, alpha=0).fit(dd.from_pandas(frame, npartitions=4))


class Counter:
    """Counter of computed blocks; at module level, because Dask must be able to import it."""

    n = 0
    lock = threading.Lock()


def count(block):
    with Counter.lock:
        Counter.n += 1
    return block


@pytest.fixture
def counted():
    """Return a table in six parts that counts how often each part is computed."""
    Counter.n = 0
    return da.from_array(X, chunks=(500, -1)).map_blocks(count, dtype=X.dtype, meta=X[:0])


def test_a_table_that_fits_in_memory_is_computed_once(counted):
    GFR(3, alpha=0).fit(counted)
    assert Counter.n == 6


def test_a_table_of_unknown_size_that_fits_in_memory_is_computed_twice(counted):
    GFR(3, alpha=0).fit(dd.from_dask_array(counted, columns=NAMES))
    assert Counter.n == 12


def test_a_table_larger_than_memory_is_computed_once_a_step_and_twice_more(counted, monkeypatch):
    monkeypatch.setattr(rows_of_dask, "_available", lambda memory_budget: 0.0)
    GFR(3, alpha=0).fit(counted)
    assert Counter.n == 6 * (1 + 3 + 1)  # the last for the ranges of functions


def test_the_size_of_messages_does_not_grow_with_the_rows(monkeypatch):
    sizes = {}
    add = rows_of_dask.DaskRows.sum

    def measured(rows, work):
        sizes.setdefault(rows.n_rows, []).append(
            len(pickle.dumps(work)) + len(pickle.dumps(rows.frame))
        )
        return add(rows, work)

    monkeypatch.setattr(rows_of_dask.DaskRows, "sum", measured)
    for n_copies in (1, 4):
        GFR(3, alpha=0).fit(da.from_array(np.vstack([X] * n_copies), chunks=(500, -1)))
    assert sizes[3000] == sizes[12000]
    assert max(sizes[3000]) < X[:500].nbytes


def test_the_number_of_blas_threads_is_restored():
    before = n_threads()
    with dask.config.set(scheduler="threads", num_workers=4):
        GFR(3, alpha=0).fit(da.from_array(X, chunks=(100, -1)))
    assert n_threads() == before


@EACH
@pytest.mark.parametrize("source", DASK_SOURCES)
def test_a_transform_is_lazy_and_equals_that_of_the_array(source, index):
    fitted = estimator(ALGORITHMS[index]).fit(DASK_SOURCES[source]())
    named = hasattr(fitted, "feature_names_in_")
    table = FRAME if named else X
    found = fitted.transform(DASK_SOURCES[source]())
    assert dask.is_dask_collection(found)
    np.testing.assert_allclose(found.compute(), fitted.transform(table), atol=1e-12)
    again = fitted.inverse_transform(found)
    assert dask.is_dask_collection(again)
    expected = fitted.inverse_transform(np.asarray(fitted.transform(table)))
    np.testing.assert_allclose(again.compute(), expected, atol=1e-12)
    if named:
        assert found.columns.tolist() == fitted.get_feature_names_out().tolist()
        assert again.columns.tolist() == NAMES
    else:
        assert found.shape[1] == fitted.transform(X).shape[1]


@EACH
@pytest.mark.parametrize("source", DASK_SOURCES)
def test_scores_equal_those_of_the_array(source, index):
    fitted = estimator(ALGORITHMS[index]).fit(DASK_SOURCES[source]())
    table = FRAME if hasattr(fitted, "feature_names_in_") else X
    data = DASK_SOURCES[source]()
    assert fitted.score(data) == pytest.approx(fitted.score(table), abs=1e-12)
    errors = fitted.reconstruction_error(data)
    assert dask.is_dask_collection(errors)
    np.testing.assert_allclose(errors.compute(), fitted.reconstruction_error(table), atol=1e-10)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # raised by Dask's use of pandas
def test_some_columns_of_a_folder_of_parquet_files_give_the_fit_of_the_array(tmp_path):
    write_parts(tmp_path)
    columns = NAMES[:3]
    fitted = GFR(2, alpha=0).fit(dd.read_parquet(tmp_path, columns=columns))
    assert_same(fitted, GFR(2, alpha=0).fit(FRAME[columns]))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # raised by Dask's use of pandas
def test_parquet_files_are_read_by_dask(tmp_path):
    fitted = GFR(3, alpha=0).fit(dd.read_parquet(write_parts(tmp_path)))
    assert_same(fitted, in_memory(0))


def test_a_penalty_can_be_chosen_on_held_out_rows():
    fitted = GFR(3, alpha="auto").fit(DASK_SOURCES["array"]())
    assert_same(fitted, GFR(3, alpha=fitted.alpha_).fit(X))
