"""Division of row blocks among threads, each of which sums over its blocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Protocol, TypeVar

import numpy as np

from gramian._support.blas import SMALL, add_product, n_threads, threads_for
from gramian._support.types import Array

Item = TypeVar("Item")
ROWS_PER_WORKER = 1024
"""Least number of rows per thread; with fewer rows a thread costs more time than it saves."""
IN_FLIGHT = 2
"""Largest number of items that wait for a thread; it bounds the memory."""


class AddProduct(Protocol):
    """Interface of a function that adds a multiple of a matrix product to its first argument."""

    def __call__(self, out: Array, a: Array, b: Array, factor: float = 1.0) -> None: ...


def n_workers(n_rows: int) -> int:
    """Return the number of threads for a sum over `n_rows` rows, at most those BLAS may use."""
    return max(1, min(n_threads(), n_rows // ROWS_PER_WORKER))


def n_workers_for(n_multiplications: float) -> int:
    """Return the number of threads for products of matrices: one if the products are small.

    `n_multiplications` is the number of multiplications of numbers in all products.
    """
    return 1 if n_multiplications <= SMALL else n_threads()


def product_for(n_workers: int) -> AddProduct:
    """Return the function for matrix products that is fastest if `n_workers` threads run.

    A single worker uses SciPy's product, which may use all threads of BLAS. Several workers use
    NumPy's product, because SciPy's product makes other threads wait.
    """
    return add_product if n_workers == 1 else _NumpyProduct()


class _NumpyProduct:
    """Matrix product by NumPy for one thread; the array for the product is reused."""

    def __init__(self) -> None:
        self._memory: Array = np.empty(0)

    def __call__(self, out: Array, a: Array, b: Array, factor: float = 1.0) -> None:
        if out.size > self._memory.size:
            self._memory = np.empty(out.size)
        product = self._memory[: out.size].reshape(out.shape)
        np.matmul(a, b, out=product)
        if factor == 1.0:
            out += product
        else:
            assert factor == -1.0
            out -= product


def share_out(items: Iterable[Item], workers: Sequence[Callable[[Item], None]]) -> None:
    """Give items to workers in turn; the last worker runs in this thread, the others in their own.

    The speed of the workers does not decide which items they get, so that sums are reproducible.
    """
    *others, mine = workers
    if not others:
        for item in items:
            mine(item)
        return
    with threads_for(0), ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in others]
        waiting: list[deque[Future[None]]] = [deque() for _ in others]
        for_me: deque[Item] = deque()
        for i, item in enumerate(items):
            turn = i % len(workers)
            if turn == len(others):
                for_me.append(item)
                if len(for_me) > IN_FLIGHT:
                    mine(for_me.popleft())
                continue
            if len(waiting[turn]) == IN_FLIGHT:
                waiting[turn].popleft().result()
            waiting[turn].append(pools[turn].submit(others[turn], item))
        for item in for_me:
            mine(item)
        for futures in waiting:
            for future in futures:
                future.result()
