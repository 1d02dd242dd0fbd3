"""Threads of BLAS products, and threads that share out rows."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from gramian import GFS
from gramian._support.blas import SMALL, mostly_small, n_threads, threads_for
from gramian._support.threads import n_workers


def blas_threads():
    """Return the largest number of threads among the loaded BLAS libraries."""
    return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")


@pytest.fixture
def three_threads():
    with threadpool_limits(3, user_api="blas"):
        yield


@pytest.mark.usefixtures("three_threads")
def test_small_products_use_one_thread_and_large_products_all_threads():
    with threads_for(SMALL):
        assert blas_threads() == 1
    with threads_for(2 * SMALL):
        assert blas_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_threads_that_small_products_leave_free_work_on_row_blocks():
    with mostly_small():
        assert blas_threads() == 1
        assert n_threads() == n_workers(10**6) == 3
        with threads_for(2 * SMALL):
            assert blas_threads() == 3
        assert blas_threads() == 1
    assert blas_threads() == n_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_an_error_restores_the_number_of_threads():
    with pytest.raises(ZeroDivisionError), mostly_small():
        _ = 1 / 0
    assert blas_threads() == n_threads() == 3


def test_a_search_makes_the_same_choice_with_any_number_of_threads():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((4000, 4))
    X = np.hstack([z, z[:, :2] * z[:, 2:], z @ rng.standard_normal((4, 4))])
    sets = []
    for n in (1, 2):
        with threadpool_limits(n, user_api="blas"):
            fitted = GFS(4, criterion="gain", family="polynomial").fit(X)
        sets.append([each.tolist() for each in fitted.best_sets_])
    assert sets[0] == sets[1]


def test_overlapping_fits_restore_the_number_of_blas_threads():
    before = blas_threads()
    if before < 2:
        pytest.skip("BLAS has one thread here")
    first_in, second_in, first_out = (threading.Event() for _ in range(3))
    seen = []

    def first():
        with mostly_small():
            first_in.set()
            second_in.wait(5)

    def second():
        first_in.wait(5)
        with mostly_small():
            second_in.set()
            first_out.wait(5)
            seen.append(blas_threads())

    threads = [threading.Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    threads[0].join()
    first_out.set()
    threads[1].join()
    assert seen == [1]
    assert blas_threads() == before
