"""Rows of a stream in memory: all rows of a small table, or a sample of a large one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.rows._array import ArrayRows, centre
from gramian.core.rows._protocol import MemoryRows, RowBlock, Rows, Work

MOST_CELLS = 2**20
"""Largest number of cells of the rows that are gathered."""


class GatheredRows(NamedTuple):
    """Rows of a table in memory."""

    rows: ArrayRows
    complete: bool
    """True if they are all rows of the table, False if they are a sample."""


def gathered(rows: Rows) -> GatheredRows | None:
    """Return the rows of a table, or a sample of them if they are many, in memory.

    Which rows are equal, and how many values a column has, cannot be told from sums over rows. The
    sample is that of every process and of every order of reading. Return None for a sparse matrix.

    Parameters
    ----------
    rows : Rows
        The table.
    """
    if isinstance(rows, ArrayRows):
        return GatheredRows(rows, True)
    if isinstance(rows, MemoryRows):
        return None
    share = min(1.0, MOST_CELLS / max(rows.n_rows * rows.n_columns, 1))
    x, root, number = rows.sum(Gathering(rows.n_columns, share))
    order = np.argsort(number, kind="stable")
    x, root = x[order], root[order]
    if share == 1 or not len(root):
        return GatheredRows(ArrayRows(x, root), share == 1)
    root = root / np.sqrt(np.sum(root**2))
    plain = x / np.maximum(root, np.finfo(np.float64).tiny)[:, np.newaxis]
    sample, _ = centre(plain, root**2, "column")
    return GatheredRows(sample, False)


@dataclass(frozen=True)
class Gathering(Work):
    """Work that gathers a share of the rows of each block.

    Parameters
    ----------
    n_columns : int
        The number of columns.
    share : float
        The share of the rows to gather.
    """

    n_columns: int
    share: float

    def worker(self, add_product: AddProduct) -> GatheringWorker:
        """Return a worker that has no rows yet; it multiplies no matrices."""
        return GatheringWorker(self)

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Return the rows of two workers together."""
        return [np.concatenate(pair) for pair in zip(sums, others, strict=True)]


class GatheringWorker:
    """Worker that gathers rows, their roots of weights, and the number of the block of each row."""

    def __init__(self, work: Gathering) -> None:
        self._work = work
        self.sums = [np.empty((0, work.n_columns)), np.empty(0), np.empty(0)]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Gather rows of a block, passed as (number of the block, block)."""
        number, block = item
        chosen = np.arange(len(block.root))
        if self._work.share < 1:
            rng = np.random.default_rng(number)
            chosen = np.flatnonzero(rng.random(len(block.root)) < self._work.share)
        new = [block.x[chosen], block.root[chosen], np.full(len(chosen), float(number))]
        self.sums = self._work.merge(self.sums, new)
