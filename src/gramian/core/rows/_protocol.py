"""Interfaces of tables: `Rows` (a table), `RowBlock` (some rows), `Work` (quantities to sum)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Protocol

import numpy as np

from gramian._support.blas import times
from gramian._support.threads import AddProduct, n_workers, product_for, share_out
from gramian._support.types import Array, IntArray
from gramian.core.rows._covariance import ResidualCovariance
from gramian.core.rows._residuals import ArrayResiduals, Residuals

CONSTANT = 1e-24
"""A direction is constant if its variance is at most this share of the largest variance. Used for
variances that are sums of squared values: rounding errors are squared too."""
BLOCK_ROWS = 2048
"""Largest number of rows in a block: enough for fast matrix products, few enough to save memory."""


class RowBlock:
    """Some centred, scaled and weighted rows of a table, over which quantities are summed.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Centred and scaled rows, each multiplied by the square root of its weight.
    root : array of shape (n_rows,)
        The square roots of the row weights. The weights of all rows of the table add up to one, so
        that a sum over all rows is an expectation.
    """

    def __init__(self, x: Array, root: Array) -> None:
        self._x = x
        self.root = root
        self.n_columns = int(x.shape[1])

    @property
    def x(self) -> Array:
        """The weighted rows as a dense array of shape (n_rows, n_columns)."""
        return self._x

    def part(self, rows: slice) -> RowBlock:
        """Return the rows in the slice `rows` as a block."""
        return RowBlock(self._x[rows], self.root[rows])

    def take(self, rows: IntArray) -> RowBlock:
        """Return the rows with the indices `rows` as a block."""
        return RowBlock(self._x[rows], self.root[rows])

    def along(self, axis: Array | int, *, one_thread: bool = False) -> Array:
        """Return one value per row: column number `axis`, or the rows times the vector `axis`."""
        if isinstance(axis, int):
            return self._x[:, axis]
        return self._x @ axis if one_thread else times(self._x, axis)

    def along_all(self, axes: Array, out: Array) -> None:
        """Write several columns, or the rows times several vectors, to `out`, in one thread.

        Parameters
        ----------
        axes : array of shape (n,) or (n, n_columns)
            Either the numbers of n columns, or n vectors, one per row.
        out : array of shape (n, n_rows)
            Overwritten with the values: one row for each column or vector.
        """
        if axes.ndim == 1:
            out[:] = self._x.T[axes]
        else:
            np.matmul(axes, self._x.T, out=out)

    def products(self, functions: Array) -> Array:
        """Return Σ f·x over the rows, for each function f and column x.

        `functions` has the shape (n_rows,) or (n_functions, n_rows); the result has the shape
        (n_columns,) or (n_functions, n_columns).
        """
        if functions.ndim == 1:
            return times(self._x.T, functions)
        return times(functions, self._x)

    def add_products(self, out: Array, functions: Array, add_product: AddProduct) -> None:
        """Add Σ f·x over the rows to `out`, for each function f and column x.

        `functions` has the shape (n_functions, n_rows), `out` (n_functions, n_columns).
        """
        add_product(out, functions, self._x)

    def residuals(self, scale: Array | float) -> Residuals:
        """Return the columns times `scale` as residuals of a fit without functions.

        Their method `subtract` removes fitted functions.
        """
        return ArrayResiduals(self._x * scale)


class Worker(Protocol):
    """Object that adds up the quantities of a `Work` over the row blocks that it receives."""

    sums: list[Array]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add one row block, passed as (number of the block, block), to the sums."""
        ...


class Work(ABC):
    """Definition of quantities to sum over all rows of a table.

    Several workers may compute the sums, each over some of the row blocks. A work may be sent to
    other processes. So it contains no rows, and nothing that grows with the number of rows, unless
    the rows are in this process.
    """

    @abstractmethod
    def worker(self, add_product: AddProduct) -> Worker:
        """Return a worker whose sums are zero; it multiplies matrices by calling `add_product`."""

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Add the sums `others` of another worker to the sums `sums` of a worker; return `sums`."""
        with np.errstate(over="ignore", invalid="ignore"):  # the caller checks for infinity
            for mine, other in zip(sums, others, strict=True):
                mine += other
        return sums


class BlockWork(Work):
    """Work that adds each row block to the sums independently of all other blocks."""

    @abstractmethod
    def zeros(self) -> list[Array]:
        """Return the arrays of sums before any row is added."""

    @abstractmethod
    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the quantities of the row block `rows` to the arrays `sums`, in place.

        `add_product` adds a matrix product to an array.
        """

    def worker(self, add_product: AddProduct) -> Worker:
        """Return a worker that calls `add` for each row block; its sums start at zero."""
        return _BlockWorker(self, add_product)


class _BlockWorker:
    """Worker that adds row blocks to sums by calling `BlockWork.add`."""

    def __init__(self, work: BlockWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        self.sums = work.zeros()

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add one row block, passed as (number of the block, block), to the sums."""
        self._work.add(self.sums, item[1], self._add_product)


class Rows(Protocol):
    """Interface of a table: it can sum quantities over its rows as often as needed."""

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
        """Effective number of rows (Kish): (Σw)² / Σw², where w are the weights of the rows."""
        ...

    @property
    def n_copies(self) -> float:
        """Typical number of copies of a row in this table; 1 if rows differ or were merged."""
        ...

    @property
    def cache_bytes(self) -> int:
        """Largest size, in bytes, of a cache of function values that is kept between passes."""
        ...

    def sum(self, work: Work) -> list[Array]:
        """Read all rows once, and return the arrays that `work` sums over the rows."""
        ...

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran order."""
        ...

    def residual_covariance(self) -> ResidualCovariance:
        """Return E[XXᵀ] of the scaled columns as an object whose method `subtract` updates it.

        `subtract` removes the part that fitted functions explain.
        """
        ...

    def dense(self) -> Rows:
        """Return this table with dense rows if it is a sparse matrix in memory, else unchanged."""
        ...

    def rotate(self, basis: Array) -> tuple[Rows, Array]:
        """Return the rows in coordinates along new axes, each coordinate scaled to variance 1.

        Parameters
        ----------
        basis : array of shape (n_coordinates, n_columns)
            The new axes, one per row.

        Returns
        -------
        rows : Rows
            The table of the coordinates.
        deviations : array of shape (n_coordinates,)
            The standard deviations that divide the coordinates; zero for a coordinate that is
            constant up to rounding and therefore not divided.
        """
        ...


class LocalRows(ABC):
    """Table that this process reads block by block, in the same order in every pass."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""

    @abstractmethod
    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once, and yield its rows in blocks."""

    def sum(self, work: Work) -> list[Array]:
        """Read all rows once, in several threads; return the arrays that `work` sums over them."""
        n = n_workers(self.n_rows)
        workers = [work.worker(product_for(n)) for _ in range(n)]
        share_out(enumerate(self.blocks()), workers)
        return reduce(work.merge, [worker.sums for worker in workers])


class MemoryRows(LocalRows):
    """Table whose rows are all in memory."""

    root: Array
    """The square roots of the row weights."""
    n_columns: int
    groups: Sequence[IntArray] | None = None
    """The indices of the rows of each group, if the user says which rows are left out together."""

    @property
    def n_copies(self) -> float:
        """Always 1: if a fit leaves rows out, `observations` has merged equal rows before."""
        return 1.0

    @property
    @abstractmethod
    def whole(self) -> RowBlock:
        """All rows of the table, as one `RowBlock`."""

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
