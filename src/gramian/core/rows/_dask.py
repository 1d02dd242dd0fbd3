"""Table in a Dask collection: each worker sums over its own rows, and sends only the sums."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal, TypeVar

import numpy as np

from gramian._support.blas import threads_for
from gramian._support.threads import product_for
from gramian._support.types import Array
from gramian.core.rows._array import Centring
from gramian.core.rows._first_pass import FirstPass, Split, look_at, put_together
from gramian.core.rows._protocol import BLOCK_ROWS, Work
from gramian.core.rows._sources import is_dask
from gramian.core.rows._statistics import centring_of
from gramian.core.rows._stream import check, numbers_in
from gramian.core.rows._transform import RowTransform, TransformedRows
from gramian.tables import Chunk

T = TypeVar("T")
Completion = Callable[[Array, Array | None], tuple[Array, Array | None]]
"""Function (rows, weights) → (rows, weights) that fills missing values, or drops rows that have
them."""
FAN_IN = 8
"""Number of partial sums that one Dask task merges: partial sums are merged in a tree."""
SHARE_OF_MEMORY = 0.5
"""Largest share of the workers' memory that a table may take to be kept there between passes."""


def partitions(data: Any) -> Iterator[Any]:
    """Compute a Dask collection and yield its partitions one by one, each with all columns."""
    if getattr(data, "ndim", 0) == 2 and not hasattr(data, "columns"):
        data = data.rechunk({1: -1})
    for part in np.ravel(data.to_delayed()):
        yield part.compute()


@dataclass(frozen=True)
class Partition:
    """One partition of a Dask table: a worker loads its rows and weights when it needs them."""

    number: int
    rows: Any
    """The rows of the partition: a delayed array or data frame."""
    weights: Any
    """The weights of the rows: a delayed array, the name of a column, or None for equal weights."""
    completion: Completion | None = None
    """Function that fills or drops missing values; None if missing values are errors."""


@dataclass(frozen=True)
class DaskRows(TransformedRows):
    """Table in a Dask array or data frame; the workers centre, scale and sum their own rows."""

    partitions: Sequence[Partition]
    home: int
    """Identifier (PID) of the process that started the sums and waits for them."""
    cache_bytes: int = 0

    def sum(self, work: Work) -> list[Array]:
        """Compute the sums of all partitions, merge them in a tree, and fetch the result."""
        from dask.delayed import delayed

        shared = delayed(work, traverse=False)
        frame = delayed(self.frame, traverse=False)
        parts = [
            delayed(_sum)(
                self.home, shared, frame, each.number, each.rows, each.weights, each.completion
            )
            for each in self.partitions
        ]
        found: list[Array] = _compute(_tree(parts, lambda some: delayed(_merge)(shared, some)))
        return found


def _tree(parts: Sequence[Any], put_together: Callable[[Sequence[Any]], Any]) -> Any:
    while len(parts) > 1:
        groups = [parts[i : i + FAN_IN] for i in range(0, len(parts), FAN_IN)]
        parts = [put_together(group) for group in groups]
    return parts[0]


def _sum(
    home: int,
    work: Work,
    frame: RowTransform,
    number: int,
    rows: Any,
    weights: Any,
    completion: Completion | None,
) -> list[Array]:
    x, w = _numbers(rows, weights)
    block = frame.apply(*((x, w) if completion is None else completion(x, w)))
    worker = work.worker(product_for(1))
    with _one_thread(home):
        for start in range(0, len(block.x), BLOCK_ROWS):
            part = slice(start, start + BLOCK_ROWS)
            worker((0, block.part(part)))
    return worker.sums


def _merge(work: Work, parts: Sequence[list[Array]]) -> list[Array]:
    first, *others = parts
    return reduce(work.merge, [[array.copy() for array in first], *others])


def _numbers(rows: Any, weights: Any) -> tuple[Array, Array | None]:
    """Return (rows, weights) of a partition as float64 arrays.

    If `weights` is the name of a column, this column is removed from the rows.
    """
    if isinstance(weights, str):
        rows, weights = rows.drop(columns=weights), rows[weights]
    x = numbers_in(rows)
    return x, None if weights is None else np.asarray(weights, dtype=np.float64)


def _names(rows: Any, weights: Any) -> list[str] | None:
    if not hasattr(rows, "columns"):
        return None
    return [str(name) for name in rows.columns if not isinstance(weights, str) or name != weights]


def _look(
    home: int,
    split: Split | None,
    covariance: bool,
    checksum: bool,
    number: int,
    rows: Any,
    weights: Any,
    completion: Completion | None,
) -> FirstPass:
    """Check the rows of one partition, and return their statistics and the held-out rows.

    Parameters
    ----------
    home : int
        The id of the process that started the fit.
    split : Split or None
        The rule for held-out rows; None to hold out no rows.
    covariance, checksum : bool
        True to sum products of column pairs, and to compute a checksum.
    number : int
        The number of the partition, for error messages.
    rows, weights
        The partition and its weights.
    completion : callable or None
        Fills missing values or drops rows; None if values must not be missing.
    """
    x, w = _checked(number, rows, weights, gaps=completion is not None)
    if completion is not None:
        x, w = completion(x, w)
    with _one_thread(home):
        return look_at(x, w, split, covariance=covariance, checksum=checksum)


def _checked(
    number: int, rows: Any, weights: Any, *, gaps: bool = False
) -> tuple[Array, Array | None]:
    """Return (rows, weights) of a partition as arrays; raise if values or weights are not valid."""
    x, w = _numbers(rows, weights)
    if w is not None and w.shape != (len(x),):
        raise ValueError(
            f"Partition {number} has {len(x)} rows and weights of shape {w.shape}; sample_weight "
            "must have one for each row, in the same partitions."
        )
    check(Chunk(x, w, f"partition {number}", 0), _names(rows, weights), gaps=gaps)
    return x, w


def map_partitions(data: Any, sample_weight: Any, function: Callable[[int, Array], T]) -> list[T]:
    """Return `function(number, rows)` of every partition; values of the rows may be missing.

    Parameters
    ----------
    data : Dask array or data frame
        The table.
    sample_weight : str, Dask array or None
        The weights of the rows: the name of a column, which `function` does not see, or an array.
    function : callable
        Called with the number and the rows of a partition, on the worker that has the partition.
    """
    from dask.delayed import delayed

    def compute(number: int, rows: Any, weights: Any) -> T:
        return function(number, _checked(number, rows, weights, gaps=True)[0])

    parts = [
        delayed(compute)(each.number, each.rows, each.weights)
        for each in partitions_of(data, sample_weight)
    ]
    found: list[T] = list(_compute(delayed(list)(parts)))
    return found


def partitions_of(
    data: Any, sample_weight: Any, completion: Completion | None = None
) -> list[Partition]:
    """Return the partitions of a Dask array or data frame, each with all columns and weights.

    Parameters
    ----------
    data : Dask array or data frame
        The table.
    sample_weight : str, Dask array or None
        The weights of the rows, or the name of the column that has them.
    completion : callable, optional
        Fills missing values or drops rows.
    """
    if hasattr(data, "dask") and data.ndim == 2 and hasattr(data, "rechunk"):
        data = data.rechunk({1: -1})
    rows = np.ravel(data.to_delayed()).tolist()
    if sample_weight is None or isinstance(sample_weight, str):
        weights = [sample_weight] * len(rows)
    elif is_dask(sample_weight):
        weights = np.ravel(_in_parts_of(data, sample_weight).to_delayed()).tolist()
        if len(weights) != len(rows):
            raise ValueError(
                f"sample_weight has {len(weights)} partitions where X has {len(rows)}; rechunk it "
                "as the rows of X are."
            )
    else:
        raise TypeError(
            "sample_weight of a Dask collection must be the name of a column or a Dask array."
        )
    pairs = zip(rows, weights, strict=True)
    return [Partition(number, *pair, completion) for number, pair in enumerate(pairs)]


def _in_parts_of(data: Any, weights: Any) -> Any:
    """Return the weights, split into the same partitions as `data`.

    If the sizes of the partitions are unknown, return the weights unchanged.
    """
    if not hasattr(data, "rechunk") or not hasattr(weights, "rechunk"):
        return weights
    if np.isnan([*data.shape, *weights.shape]).any():
        return weights
    if weights.shape != data.shape[:1]:
        raise ValueError(
            f"sample_weight has the shape {weights.shape}, and X has {len(data)} rows."
        )
    return weights.rechunk(data.chunks[:1])


def open_dask(
    data: Any,
    sample_weight: Any,
    scaling: Literal["column", "table"],
    *,
    covariance: bool = False,
    memory_budget: int,
    split: Split | None = None,
    checksum: bool = False,
    completion: Completion | None = None,
) -> tuple[DaskRows, Centring, tuple[Array, Array | None] | None]:
    """Read a Dask collection for the first time, and keep it in memory if it is small enough.

    Parameters and results are those of `open_stream`; in addition, `completion` fills or drops
    missing values.
    """
    from dask.delayed import delayed

    partitions = partitions_of(data, sample_weight, completion)
    kept = _fits(data, memory_budget)
    if kept:
        partitions = _kept_in_memory(partitions)
    home = os.getpid()
    how = home, split, covariance, checksum
    parts = [
        delayed(_look)(*how, each.number, each.rows, each.weights, completion)
        for each in partitions
    ]
    look: FirstPass = _compute(_tree(parts, lambda some: delayed(put_together)(some)))
    statistics = look.statistics
    if statistics.n_rows < 2:
        raise ValueError(f"X has {statistics.n_rows} rows of positive weight; two are needed.")
    if not kept and 8 * statistics.n_rows * len(statistics.mean) <= _available(memory_budget):
        # The number of rows is known only after the first pass.
        partitions = _kept_in_memory(partitions)
    centring = centring_of(statistics, scaling)
    frame = RowTransform(centring, statistics.weight, look.split)
    rows = DaskRows(statistics, frame, partitions, home)
    return rows, centring, look.held_out


def _kept_in_memory(partitions: Sequence[Partition]) -> list[Partition]:
    """Load the rows of all partitions, and return partitions that keep the loaded rows.

    `persist` of a Dask data frame of Parquet files can put several files into one partition, and
    still count the old partitions. The partitions of `to_delayed` have no such error.
    """
    from dask import base

    persist: Any = base.persist
    loaded = persist(*(each.rows for each in partitions))
    return [replace(each, rows=rows) for each, rows in zip(partitions, loaded, strict=True)]


def _fits(data: Any, memory_budget: int) -> bool:
    """Return True if a collection has a known size, and `_available` memory can hold it."""
    try:
        return float(data.nbytes) <= _available(memory_budget)  # False if nbytes is NaN
    except (AttributeError, NotImplementedError, TypeError):
        return False


def _available(memory_budget: int) -> float:
    """Return the number of bytes of rows that the cluster, or this process, may keep in memory."""
    try:
        from distributed import get_client

        workers = get_client().scheduler_info(n_workers=-1)["workers"].values()
    except (ImportError, ValueError):
        return memory_budget  # no cluster
    limits = [worker["memory_limit"] for worker in workers]
    return SHARE_OF_MEMORY * sum(limits) if all(limits) else memory_budget


def _one_thread(home: int) -> AbstractContextManager[Any]:
    """Return a context that limits BLAS to one thread: the Dask scheduler has threads of its own.

    In the process `home`, `_compute` has set this limit already, and the context does nothing: a
    task that still runs after another task failed must not change the limit.
    """
    return nullcontext() if os.getpid() == home else threads_for(0)


def _compute(task: Any) -> Any:
    with threads_for(0):
        return task.compute()
