"""Matrix products by SciPy's BLAS: small products in one thread, large products in several.

The wheels of NumPy and SciPy each bring a BLAS with its own threads, and idle threads spin for a
while after every call. Products by NumPy between factorizations by SciPy are several times slower
for this reason: all large products use SciPy. Threads also wait for each other after every product,
which takes longer than a small product, above all on a busy machine: small products use one thread.
Operands in either memory order are used without a copy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import blas
from threadpoolctl import ThreadpoolController

from gramian._support.types import Array

SMALL = 2e9
"""Largest number of multiplications for one thread, which takes about a tenth of a second."""
MAX_SIDE = 8192
"""Side above which triangles are computed in tiles: from about 17,500 rows on, OpenBLAS's dsyrk
crashes with two threads on some processors."""


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def threads_for(n_multiplications: float) -> AbstractContextManager[Any]:
    """Return a context manager that limits BLAS to one thread if the work is small.

    `n_multiplications` is the number of multiplications of numbers in the work.
    """
    if n_multiplications <= SMALL:
        return _limit(1)
    held_back = _held_back.get()
    return nullcontext() if held_back is None else _limit(held_back)


class _Limits:
    """Context manager that limits the number of BLAS threads of the whole process.

    Fits in several threads enter and leave at any time: the limit that was set last is in force,
    and the last fit to leave restores the number of threads before the first limit.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: dict[object, int] = {}
        self._now: int | None = None
        self._before: Any = None

    @contextmanager
    def __call__(self, n: int) -> Iterator[None]:
        """Limit the number of BLAS threads to `n` within a `with` block."""
        key = object()
        try:
            with self._lock:
                self._inside[key] = n
                self._enforce()
            yield
        finally:
            with self._lock:
                del self._inside[key]
                self._enforce()

    def _enforce(self) -> None:
        wanted = next(reversed(self._inside.values()), None)
        if wanted == self._now:  # setting the number takes longer than a small product
            return
        if wanted is None:
            self._before.restore_original_limits()
        else:
            limited = _controller().limit(limits=wanted, user_api="blas")
            self._before = limited if self._now is None else self._before
        self._now = wanted


_limit = _Limits()


_held_back: ContextVar[int | None] = ContextVar("held_back", default=None)
"""Number of threads for large work while small products use one thread; None without a limit."""


@contextmanager
def mostly_small() -> Iterator[None]:
    """Limit matrix products to one thread in a block, except within `threads_for` of large work.

    Sums over rows may use the free threads.
    """
    token = _held_back.set(n_threads())
    try:
        with _limit(1):
            yield
    finally:
        _held_back.reset(token)


def n_threads() -> int:
    """Return the number of threads that may be used now, by BLAS or by workers."""
    held_back = _held_back.get()
    if held_back is not None:
        return held_back
    pools = (pool for pool in _controller().info() if pool["user_api"] == "blas")
    return max((pool["num_threads"] for pool in pools), default=1)


def times(a: Array, b: Array) -> Array:
    """Return the product ``a @ b``; `a` is a matrix, and `b` a matrix or a vector."""
    if b.ndim == 1:
        matrix, transposed = _in_order(a.T)
        product: Array = blas.dgemv(1.0, matrix, b, trans=1 - transposed)
        return product
    if not a.size or not b.size:
        return np.zeros((len(a), b.shape[1]))
    return _product(1.0, a, b).T


def add_product(out: Array, a: Array, b: Array, factor: float = 1.0) -> None:
    """Add ``factor * a @ b`` to the matrix `out` in C order, in place."""
    if out.size and b.size:
        assert out.flags.c_contiguous
        _product(factor, a, b, beta=1.0, c=out.T, overwrite_c=1)


def _product(factor: float, a: Array, b: Array, **options: Any) -> Array:
    """Return the transpose of ``factor * a @ b``, computed as ``b.T @ a.T`` in Fortran's order."""
    first, trans_first = _in_order(b.T)
    second, trans_second = _in_order(a.T)
    product: Array = blas.dgemm(
        factor, first, second, trans_a=trans_first, trans_b=trans_second, **options
    )
    return product


def _in_order(matrix: Array) -> tuple[Array, int]:
    """Return a matrix or its transpose in Fortran's order, and 1 if it is the transpose, else 0."""
    if matrix.flags.f_contiguous:
        return matrix, 0
    if matrix.flags.c_contiguous:
        return matrix.T, 1
    return np.asfortranarray(matrix), 0


def second_moments(x: Array) -> Array:
    """Return the lower triangle of ``x.T @ x``; above the diagonal are zeros."""
    n = x.shape[1]
    if n <= MAX_SIDE:
        matrix, transposed = _in_order(x)
        moments: Array = blas.dsyrk(1.0, matrix, trans=1 - transposed, lower=1)
        return moments
    moments = np.zeros((n, n), order="F")
    _add_second_moments(moments, x, 1.0)
    return moments


def subtract_second_moments(lower: Array, x: Array) -> None:
    """Subtract ``x.T @ x`` from a lower triangle in Fortran's order, in place."""
    if not x.size:
        return
    if len(lower) <= MAX_SIDE:
        matrix, transposed = _in_order(x)
        blas.dsyrk(-1.0, matrix, beta=1.0, c=lower, trans=1 - transposed, lower=1, overwrite_c=1)
    else:
        _add_second_moments(lower, x, -1.0)


def _add_second_moments(lower: Array, x: Array, factor: float) -> None:
    """Add ``factor * x.T @ x`` to the lower triangle of a matrix, in place, tile by tile."""
    for start in range(0, len(lower), MAX_SIDE):
        columns = slice(start, start + MAX_SIDE)
        for top in range(start, len(lower), MAX_SIDE):
            rows = slice(top, top + MAX_SIDE)
            tile = times(x[:, rows].T, x[:, columns])
            tile *= factor
            lower[rows, columns] += np.tril(tile) if top == start else tile


def symmetric(lower: Array) -> Array:
    """Return the symmetric matrix with the lower triangle of `lower`; its upper one is ignored."""
    full: Array = np.tril(lower) + np.tril(lower, -1).T
    return full


def solve_lower(lower: Array, b: Array, *, transposed: bool = False) -> None:
    """Solve ``lower @ y == b`` or ``lower.T @ y == b``; y overwrites b, in C order."""
    if b.size:
        assert b.flags.c_contiguous
        # In BLAS's order of memory: y.T @ lower.T == b.T
        matrix, upper = _in_order(lower.T)
        blas.dtrsm(1.0, matrix, b.T, side=1, lower=upper, trans_a=upper ^ transposed, overwrite_b=1)
