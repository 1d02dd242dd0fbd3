"""Dask cluster of two worker processes, one of which may die."""

import os
import signal
import threading
import time

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from source_cases import (
    ALGORITHMS,
    DASK_SOURCES,
    INDICES,
    WEIGHTS,
    X,
    assert_same,
    estimator,
    in_memory,
)

from gramian import GFR
from gramian.core.rows import _dask as rows_of_dask

EACH = pytest.mark.parametrize("index", INDICES, ids=[each[0].__name__ for each in ALGORITHMS])


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@EACH
@pytest.mark.parametrize("source", ["array, uneven rows", "array, columns in parts", "data frame"])
def test_a_cluster_gives_the_fit_of_the_array(client, source, index):
    fitted = estimator(ALGORITHMS[index]).fit(DASK_SOURCES[source]())
    assert_same(fitted, in_memory(index))


def test_a_cluster_gives_the_weighted_fit_of_the_array(client):
    weights = da.from_array(WEIGHTS, chunks=500)
    fitted = estimator(ALGORITHMS[0]).fit(DASK_SOURCES["array"](), sample_weight=weights)
    assert_same(fitted, in_memory(0, weighted=True))


def test_a_penalty_can_be_chosen_on_held_out_rows(client):
    fitted = GFR(3, alpha="auto").fit(DASK_SOURCES["array"]())
    assert_same(fitted, GFR(3, alpha=fitted.alpha_).fit(X))


def test_transforms_and_scores_run_in_the_cluster(client):
    fitted = GFR(3, alpha=0).fit(X)
    data = DASK_SOURCES["array"]()
    np.testing.assert_allclose(fitted.transform(data).compute(), fitted.transform(X), atol=1e-12)
    assert fitted.score(data) == pytest.approx(fitted.score(X))


def test_an_error_in_a_worker_locates_the_value(client):
    x = X.copy()
    x[1234, 3] = np.inf
    with pytest.raises(ValueError, match=r"Column 3 has an infinite .* row 234 of partition 2"):
        GFR(1, alpha=0).fit(da.from_array(x, chunks=(500, -1)))


def test_the_rows_stay_in_the_memory_of_the_workers(client):
    fitting = GFR(2, alpha=0)
    data = DASK_SOURCES["array"]()
    held = []
    add = rows_of_dask.DaskRows.sum

    def look(rows, work):
        held.append(sum(client.run(_bytes_of_rows).values()))
        return add(rows, work)

    rows_of_dask.DaskRows.sum = look
    try:
        fitting.fit(data)
    finally:
        rows_of_dask.DaskRows.sum = add
    assert min(held) >= X.nbytes


def _bytes_of_rows(dask_worker):
    values = list(dask_worker.data.values())
    return sum(value.nbytes for value in values if getattr(value, "ndim", 0) == 2)


def slowly(block):
    time.sleep(0.05)
    return block


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("when", [0, 2])
def test_the_death_of_a_worker_does_not_change_the_fit(client, monkeypatch, when):
    """The worker dies while rows are computed for the first time, or in the second step."""
    client.wait_for_workers(2)
    pids = list(client.run(os.getpid).values())
    data = da.from_array(X, chunks=(150, -1)).map_blocks(slowly, dtype=X.dtype, meta=X[:0])
    kill = threading.Timer(0.2 if when == 0 else 0.0, os.kill, (pids[0], signal.SIGKILL))
    add, sums = rows_of_dask.DaskRows.sum, iter(range(1, 100))

    def deadly(rows, work):
        if next(sums) == when:
            kill.start()
            kill.join()
        return add(rows, work)

    monkeypatch.setattr(rows_of_dask.DaskRows, "sum", deadly)
    if when == 0:
        kill.start()
    fitted = estimator(ALGORITHMS[0]).fit(data)
    assert not kill.is_alive()
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
    assert_same(fitted, in_memory(0))
