"""Checked data: arrays, streams and Dask collections as rows that are ready for a pursuit."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from gramian._support.types import Array
from gramian.core.pursuit import HeldOut
from gramian.core.rows import (
    Centring,
    CompletedSource,
    MissingValueError,
    RowBlock,
    Rows,
    Source,
    Split,
    SpreadError,
    apply_centring,
    centre,
    centre_sparse,
    check,
    map_partitions,
    open_dask,
    open_stream,
    written_out,
)
from gramian.families import Family
from gramian.fitting._gaps import Completion, Gaps, GapTally, add_tallies, completion, has_gaps
from gramian.tables import Chunk

MAX_HELD_OUT = 20_000
"""Approximate largest number of rows of a stream to hold out; held-out rows stay in memory."""
RandomState = int | np.random.RandomState | None
Weighted = tuple[Any, Array | None]
"""Rows and their weights."""
Opened = tuple[Rows, Centring, Weighted | None]
"""Rows to fit, their means and scales, and rows that are held out."""


@dataclass(frozen=True)
class Preparation:
    """Scaling of the columns before a pursuit, and the sums that the first pass computes."""

    scaling: Literal["column", "table"]
    """Unit of variance: the variance of each column, or the largest variance of any column."""
    counts: bool = False
    """True if variances are reported for scaled columns, so that all columns have equal weight."""
    covariance: bool = False
    """True if the covariance of the columns is needed."""
    checksum: bool = False
    """True if a checksum of the rows is needed, because a checkpoint is valid for its data only."""


class TooFewRowsError(ValueError):
    """Error for held-out rows that leave too few rows to fit.

    Parameters
    ----------
    share : float
        The share of rows that is held out.
    n_rows : int
        The number of all rows.
    n_left : int
        The number of rows to fit.
    """

    def __init__(self, share: float, n_rows: int, n_left: int) -> None:
        super().__init__(share, n_rows, n_left)  # the arguments with which pickle makes it again
        self.share, self.n_rows, self.n_left = share, n_rows, n_left

    def __str__(self) -> str:
        return (
            f"validation_fraction={self.share} of {self.n_rows} samples leaves {self.n_left} to "
            "fit; give more samples, a smaller fraction, or validation_data."
        )


@dataclass(frozen=True)
class HoldOut:
    """Share of the rows to hold out, and the seed that chooses them."""

    share: float
    random_state: RandomState


@dataclass(frozen=True)
class Problem:
    """Rows that are ready for the pursuit."""

    names: tuple[str, ...] | None
    rows: Rows
    centring: Centring
    held_out: RowBlock | None
    unit: Array
    """Deviation, in the units of reported variances, of each scaled column."""
    scale: Array | None
    """Divisors of the columns, if variances are reported for the scaled columns."""
    order: Array | None = None
    """Variances of the columns over all rows, if some rows are held out: columns of equal variance
    over all rows stay tied."""

    def watch(self, scale: Array | float, n_penalties: int, **options: Any) -> HeldOut | None:
        """Return the evaluation of a fit on held-out rows; None if no rows are held out."""
        return (
            None if self.held_out is None else HeldOut(self.held_out, scale, n_penalties, **options)
        )


@dataclass(frozen=True)
class CheckedData(ABC):
    """Checked data: a table of any kind, as the user gave it or with its gaps filled."""

    names: tuple[str, ...] | None
    n_columns: int
    validation: Weighted | None
    """Rows that the user gave to be held out."""
    _opened: dict[tuple[Preparation, HoldOut | None], Opened] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Rows that `has_gaps` opened and `problem` will use, which saves a pass over a file."""

    def problem(self, preparation: Preparation, hold_out: HoldOut | None) -> Problem:
        """Hold rows out, and centre and scale the columns. No value may be missing."""
        if self.validation is not None:
            hold_out = None
        opened = self._opened.pop((preparation, hold_out), None)
        rows, centring, held_out = opened or self._named_open(preparation, hold_out)
        held_out = self.validation or held_out
        block = None if held_out is None else apply_centring(centring, *held_out)
        unit, scale, order = centring.scale, None, None
        if preparation.counts:
            unit, scale = np.ones_like(unit), unit
        elif hold_out is not None and held_out is not None:
            order = _variances_of_all(rows.n_rows, centring, held_out)
        return Problem(self.names, rows, centring, block, unit, scale, order)

    def without_gaps(
        self, preparation: Preparation, hold_out: HoldOut | None, families: Sequence[Family]
    ) -> tuple[CheckedData, Gaps | None]:
        """Return the data with gaps filled or rows with gaps left out, if any value is missing.

        Parameters
        ----------
        preparation, hold_out : Preparation, HoldOut or None
            The arguments with which `problem` is called first.
        families : sequence of Family
            The families that are fitted: they decide whether complete rows are enough.

        Returns
        -------
        data : CheckedData
            The data without gaps.
        gaps : Gaps or None
            The treatment of missing values; None if no value is missing.
        """
        if not self.has_gaps(preparation, None if self.validation is not None else hold_out):
            return self, None
        make, gaps = completion(self._tally(), families, self.names, self._sample)
        return self._made_by(make), gaps

    def has_gaps(self, preparation: Preparation, hold_out: HoldOut | None) -> bool:
        """Return True if any value is missing.

        The search stops at the first missing value. If no value is missing, the opened rows are
        used by `problem`, so that the search needs no extra pass.
        """
        try:
            self._opened[preparation, hold_out] = self._named_open(preparation, hold_out)
        except MissingValueError:
            return True
        return False

    def _named_open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        """Open the rows; an error about the spread of a column names the column."""
        try:
            return self._open(preparation, hold_out)
        except SpreadError as error:
            if self.names is None:
                raise
            raise error.named(repr(self.names[error.column])) from None

    @abstractmethod
    def _open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        """Return rows to fit, their means and scales, and rows that are held out."""

    @abstractmethod
    def _tally(self) -> GapTally:
        """Count rows and missing cells."""

    @abstractmethod
    def _sample(self, share: float) -> Array:
        """Return about a share of the rows, chosen at random."""

    @abstractmethod
    def _made_by(self, make: Completion) -> Self:
        """Return data whose rows are completed by a function."""

    @property
    @abstractmethod
    def whole(self) -> Any:
        """The table: an array, a source of row blocks, or a Dask collection."""


@dataclass(frozen=True)
class ArrayData(CheckedData):
    """Table in memory: an array or a sparse matrix."""

    table: Any
    weights: Array | None

    @property
    def whole(self) -> Array:
        """The rows as an array."""
        table: Array = written_out(self.table)
        return table

    def has_gaps(self, preparation: Preparation, hold_out: HoldOut | None) -> bool:
        """Return True if any value is missing."""
        return not issparse(self.table) and has_gaps(self.table)

    def _tally(self) -> GapTally:
        return GapTally.of(self.table)

    def _made_by(self, make: Completion) -> ArrayData:
        table, weights = make(self.table, self.weights)
        return replace(self, table=table, weights=weights)

    def _sample(self, share: float) -> Array:
        rows: Array = self.table
        return rows if share >= 1 else rows[_chosen(0, len(rows), share)]

    def _open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        if hold_out is None:
            fitted, held_out = (self.table, self.weights), None
        else:
            fitted, held_out = _split(self.table, self.weights, hold_out)
        how: Callable[..., tuple[Rows, Centring]] = (
            centre_sparse if issparse(self.table) else centre
        )
        rows, centring = how(*fitted, preparation.scaling, checksum=preparation.checksum)
        return rows, centring, held_out


@dataclass(frozen=True)
class StreamData(CheckedData):
    """Table that is read block by block."""

    source: Source
    memory_budget: int

    @property
    def whole(self) -> Source:
        """The source of row blocks."""
        return self.source

    def _tally(self) -> GapTally:
        return add_tallies(GapTally.of(chunk.x) for chunk in self._chunks())

    def _made_by(self, make: Completion) -> StreamData:
        return replace(self, source=CompletedSource(self.source, make))

    def _chunks(self) -> Iterator[Chunk]:
        for chunk in self.source.chunks():
            check(chunk, self.source.names, gaps=True)
            yield chunk

    def _sample(self, share: float) -> Array:
        parts = [
            chunk.x[_chosen(number, len(chunk.x), share)]
            for number, chunk in enumerate(self._chunks())
        ]
        return np.concatenate(parts)

    def _open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        return open_stream(
            self.source,
            preparation.scaling,
            covariance=preparation.covariance,
            checksum=preparation.checksum,
            memory_budget=self.memory_budget,
            split=_split_of_stream(self.source.n_rows, hold_out),
        )


@dataclass(frozen=True)
class DaskData(CheckedData):
    """Dask array or data frame."""

    collection: Any
    weights: Any
    memory_budget: int
    completion: Completion | None = None
    """Function that completes rows; None if no value is missing."""

    @property
    def whole(self) -> Any:
        """The collection without the column of weights."""
        return self.collection if self.names is None else self.collection[list(self.names)]

    def _tally(self) -> GapTally:
        return add_tallies(map_partitions(self.collection, self.weights, _tally))

    def _made_by(self, make: Completion) -> DaskData:
        return replace(self, completion=make)

    def _sample(self, share: float) -> Array:
        def some(number: int, x: Array) -> Array:
            return x[_chosen(number, len(x), share)]

        return np.concatenate(map_partitions(self.collection, self.weights, some))

    def _open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        n_rows = self.collection.shape[0]
        return open_dask(
            self.collection,
            self.weights,
            preparation.scaling,
            covariance=preparation.covariance,
            checksum=preparation.checksum,
            memory_budget=self.memory_budget,
            split=_split_of_stream(n_rows if isinstance(n_rows, int) else None, hold_out),
            completion=self.completion,
        )


def _tally(number: int, x: Array) -> GapTally:
    """Count rows and missing cells of a partition; its number does not matter."""
    return GapTally.of(x)


def _chosen(number: int, n_rows: int, share: float) -> NDArray[np.bool_]:
    """Return a mask of about a share of the rows of a block; the block's number is the seed."""
    return np.random.default_rng([0, number]).random(n_rows) < share


def _variances_of_all(n_rows: int, centring: Centring, held_out: Weighted) -> Array | None:
    """Return the variances over fitted and held-out rows together; None if rows have weights."""
    table, weights = held_out
    if weights is not None:
        return None
    share = n_rows / (n_rows + table.shape[0])
    inner = np.where(centring.varies, centring.scale**2, 0.0)
    if issparse(table):
        block = apply_centring(centring, table, None)
        mean = (1 - share) * centring.scale * block.products(block.root)
        squares = block.residuals(centring.scale).of_columns()
    else:
        others = np.asarray(table, dtype=np.float64) - centring.mean
        mean, squares = (1 - share) * others.mean(axis=0), np.mean(others**2, axis=0)
    both = share * inner + (1 - share) * squares
    variances: Array = np.maximum(both - mean**2, 0.0)
    return variances


def _split(table: Any, weights: Array | None, hold_out: HoldOut) -> tuple[Weighted, Weighted]:
    """Divide the rows of positive weight at random into rows to fit and rows to hold out."""
    if weights is not None:
        table, weights = table[weights > 0], weights[weights > 0]
    n_rows = table.shape[0]
    n = math.ceil(hold_out.share * n_rows)
    if n_rows - n < 2:
        raise TooFewRowsError(hold_out.share, n_rows, n_rows - n)
    out = np.zeros(n_rows, dtype=bool)
    out[check_random_state(hold_out.random_state).permutation(n_rows)[:n]] = True
    if weights is None:
        return (table[~out], None), (table[out], None)
    return (table[~out], weights[~out]), (table[out], weights[out])


def _split_of_stream(n_rows: int | None, hold_out: HoldOut | None) -> Split | None:
    """Return the split of a stream, with at most about `MAX_HELD_OUT` rows held out."""
    if hold_out is None:
        return None
    share = hold_out.share if n_rows is None else min(hold_out.share, MAX_HELD_OUT / n_rows)
    seed = int(check_random_state(hold_out.random_state).randint(2**31))
    return Split(share, seed, 2 * MAX_HELD_OUT)
