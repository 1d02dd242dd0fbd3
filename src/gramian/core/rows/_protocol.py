"""Interfaces of tables: row blocks, sums over rows, and the works that say what is summed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import reduce
from typing import Protocol

import numpy as np

from gramian._support.blas import times
from gramian._support.threads import AddProduct, n_workers, product_for, share_out
from gramian._support.types import Array
from gramian.core.rows._covariance import ResidualCovariance
from gramian.core.rows._residuals import ArrayResiduals, Residuals

CONSTANT = 1e-24
"""Share of the largest variance below which a direction is constant: the rest is rounding errors of
explicit values, which are squared."""
BLOCK_ROWS = 2048
"""Largest number of rows in a block: enough for matrix products at full speed, few enough to bound
memory."""


class RowBlock:
    """Some rows of the table, ready to be summed over.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Centred and scaled rows, each times the root of its weight.
    root : array of shape (n_rows,)
        The roots of the rows' weights. All weights of the table add up to one, so that a sum over
        rows is an expectation.
    """

    def __init__(self, x: Array, root: Array) -> None:
        self._x = x
        self.root = root
        self.n_columns = int(x.shape[1])

    @property
    def x(self) -> Array:
        """All values."""
        return self._x

    def part(self, rows: slice) -> RowBlock:
        """Return some of the rows."""
        return RowBlock(self._x[rows], self.root[rows])

    def along(self, axis: Array | int, *, one_thread: bool = False) -> Array:
        """Return a column, or the coordinates along a vector."""
        if isinstance(axis, int):
            return self._x[:, axis]
        return self._x @ axis if one_thread else times(self._x, axis)

    def along_all(self, axes: Array, out: Array) -> None:
        """Compute several columns, or coordinates along several vectors, by one thread.

        Parameters
        ----------
        axes : array of shape (n,) or (n, n_columns)
            The numbers of columns, or vectors by rows.
        out : array of shape (n, n_rows)
            The values, by rows; overwritten.
        """
        if axes.ndim == 1:
            out[:] = self._x.T[axes]
        else:
            np.matmul(axes, self._x.T, out=out)

    def products(self, functions: Array) -> Array:
        """Return the sums over rows of functions, one or several by rows, times all columns."""
        if functions.ndim == 1:
            return times(self._x.T, functions)
        return times(functions, self._x)

    def add_products(self, out: Array, functions: Array, add_product: AddProduct) -> None:
        """Add the sums over rows of functions, given by rows, times all columns."""
        add_product(out, functions, self._x)

    def residuals(self, scale: Array | float) -> Residuals:
        """Return the columns in other units, as residuals from which fits are subtracted."""
        return ArrayResiduals(self._x * scale)


class Worker(Protocol):
    """Sums over some of the row blocks."""

    sums: list[Array]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        ...


class Work(ABC):
    """Sums over all rows. Several workers may compute them, each over some of the blocks.

    A work is sent to other processes. So it holds no rows, and nothing that grows with the number
    of rows, unless the rows are in this process.
    """

    @abstractmethod
    def worker(self, add_product: AddProduct) -> Worker:
        """Return a worker that begins at zero and multiplies matrices by `add_product`."""

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Add the sums of two workers; the first list is overwritten and returned."""
        with np.errstate(over="ignore", invalid="ignore"):  # checked by the caller
            for mine, other in zip(sums, others, strict=True):
                mine += other
        return sums


class BlockWork(Work):
    """Sums to which every row block adds on its own: workers keep nothing between blocks."""

    @abstractmethod
    def zeros(self) -> list[Array]:
        """Return the sums over no rows."""

    @abstractmethod
    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add a row block to the sums."""

    def worker(self, add_product: AddProduct) -> Worker:
        """Return a worker that begins at zero."""
        return _BlockWorker(self, add_product)


class _BlockWorker:
    """Adds row blocks to sums, as a `BlockWork` says."""

    def __init__(self, work: BlockWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        self.sums = work.zeros()

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        self._work.add(self.sums, item[1], self._add_product)


class Rows(Protocol):
    """A table whose rows can be summed over, as often as needed."""

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        ...

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        ...

    @property
    def effective_n_rows(self) -> float:
        """Effective number of rows (Kish): as many rows of equal weight would tell as much."""
        ...

    @property
    def cache_bytes(self) -> int:
        """Bytes that values of rows may take from one sum to the next."""
        ...

    def sum(self, work: Work) -> list[Array]:
        """Read the table once, and return the sums."""
        ...

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran's order."""
        ...

    def residual_covariance(self) -> ResidualCovariance:
        """Return E[XXᵀ] of the scaled columns in a form that functions can be subtracted from."""
        ...

    def dense(self) -> Rows:
        """Return the rows with all values written out, if the table is a sparse one in memory."""
        ...

    def rotate(self, basis: Array) -> tuple[Rows, Array]:
        """Express the rows in other coordinates, each scaled to variance 1.

        Parameters
        ----------
        basis : array of shape (n_coordinates, n_columns)
            The new axes by rows.

        Returns
        -------
        rows : Rows
            The rows in these coordinates.
        deviations : array of shape (n_coordinates,)
            The divisors of the coordinates; zero for a coordinate that is constant up to
            rounding, which is not divided.
        """
        ...


class LocalRows(ABC):
    """Rows that this process reads block by block, in the same order every time."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""

    @abstractmethod
    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once."""

    def sum(self, work: Work) -> list[Array]:
        """Share the blocks out among threads, and return the sums."""
        n = n_workers(self.n_rows)
        workers = [work.worker(product_for(n)) for _ in range(n)]
        share_out(enumerate(self.blocks()), workers)
        return reduce(work.merge, [worker.sums for worker in workers])


class MemoryRows(LocalRows):
    """Rows that are all in memory."""

    root: Array
    """The roots of the weights."""
    n_columns: int

    @property
    @abstractmethod
    def whole(self) -> RowBlock:
        """All rows in one block."""

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the rows in blocks of nearly equal size."""
        whole, n = self.whole, len(self.root)
        n_blocks = -(-n // BLOCK_ROWS)
        for i in range(n_blocks):
            yield whole.part(slice(n * i // n_blocks, n * (i + 1) // n_blocks))

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        return len(self.root)
