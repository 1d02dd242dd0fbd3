"""Checked data: arrays, streams and Dask collections, and the rows of them that are fitted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._support.groups import check_number_of_groups, members
from gramian._support.types import Array, IntArray
from gramian.core.pursuit import HeldOut
from gramian.core.rows import (
    ArrayRows,
    Centring,
    CompletedSource,
    DistinctRows,
    MissingValueError,
    RowBlock,
    Rows,
    Source,
    SparseRows,
    SpreadError,
    all_rows,
    apply_centring,
    canonical,
    centre,
    centre_sparse,
    check,
    map_partitions,
    observations,
    open_dask,
    open_stream,
    written_out,
)
from gramian.families import Family
from gramian.fitting._gaps import Completion, Gaps, GapTally, add_tallies, completion, has_gaps
from gramian.fitting._held_out_rows import (
    HoldOut,
    Weighted,
    split_of_stream,
    split_rows,
    variances_of_all,
)
from gramian.tables import Chunk


class Opened(NamedTuple):
    """Rows to fit, the means and scales of their columns, and the rows that are held out."""

    rows: Rows
    centring: Centring
    held_out: Weighted | None
    n_samples: int
    """Number of rows that the user gave for the fit; equal rows are one row of `rows`."""
    weight: float
    """Sum of the weights of the rows to fit, in the units of the weights of `held_out`."""


@dataclass(frozen=True)
class Preparation:
    """How columns are scaled before a fit, and which sums the first pass over the rows computes."""

    scaling: Literal["column", "table"]
    """Unit of variance: the variance of each column, or the largest variance of any column."""
    counts: bool = False
    """True if variances are reported for scaled columns, so that all columns have equal weight."""
    covariance: bool = False
    """True if the covariance of the columns is needed."""
    checksum: bool = False
    """True if a checksum of the rows is needed, because a checkpoint is valid for its data only."""
    distinct: bool = False
    """True if equal rows in memory become one row of larger weight, because rows are left out: a
    copy that stays would predict a row that is left out."""


@dataclass(frozen=True)
class Problem:
    """Input of a fit: centred and scaled rows, held-out rows, and facts about the columns."""

    names: tuple[str, ...] | None
    rows: Rows
    n_samples: int
    """Number of rows that the user gave for the fit; `rows` has equal rows only once."""
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
        """Return an object that measures a fit on held-out rows; None if no rows are held out.

        Parameters
        ----------
        scale : array or float
            The standard deviation, in reported units, of the scaled columns.
        n_penalties : int
            The number of penalties; there is one fit for each.
        **options : object
            Further parameters of `HeldOut`.
        """
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
        """Hold rows out, centre and scale the columns, and return the input of a fit.

        No value may be missing.

        Parameters
        ----------
        preparation : Preparation
            How columns are scaled, and which sums are needed.
        hold_out : HoldOut or None
            The share of rows to hold out; None to hold out no rows.
        """
        if self.validation is not None:
            hold_out = None
        opened = self._opened.pop((preparation, hold_out), None)
        rows, centring, held_out, n, weight = opened or self._named_open(preparation, hold_out)
        held_out = self.validation or held_out
        if held_out is not None and not held_out[0].shape[0]:
            raise ValueError(
                "No row could be held out, because X has only few different rows. Give "
                "validation_data, or set the parameters that held-out rows choose, such as alpha."
            )
        block = None if held_out is None else apply_centring(centring, *held_out)
        unit, scale, order = centring.scale, None, None
        if preparation.counts:
            unit, scale = np.ones_like(unit), unit
        elif hold_out is not None and held_out is not None:
            order = variances_of_all(weight, centring, held_out)
        return Problem(self.names, rows, n, centring, block, unit, scale, order)

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
        used by `problem`, so that the search needs no extra pass. Parameters are those of
        `problem`.
        """
        try:
            self._opened[preparation, hold_out] = self._named_open(preparation, hold_out)
        except MissingValueError:
            return True
        return False

    def _named_open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        """Open the rows as `_open` does; an error about a column's range has its name."""
        try:
            return self._open(preparation, hold_out)
        except SpreadError as error:
            if self.names is None:
                raise
            raise error.named(repr(self.names[error.column])) from None

    @abstractmethod
    def _open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        """Return the rows to fit, their means and scales, and the rows that are held out.

        Parameters are those of `problem`.
        """

    @abstractmethod
    def _tally(self) -> GapTally:
        """Count rows and missing cells."""

    @abstractmethod
    def _sample(self, share: float) -> Array:
        """Return rows that are chosen at random: about the share `share` of all rows."""

    @abstractmethod
    def _made_by(self, make: Completion) -> Self:
        """Return these data, whose incomplete rows `make` fills or drops when they are read."""

    @property
    @abstractmethod
    def whole(self) -> Any:
        """The whole table: an array, a source of row blocks, or a Dask collection."""


@dataclass(frozen=True)
class ArrayData(CheckedData):
    """Table in memory: an array or a sparse matrix."""

    table: Any
    weights: Array | None
    groups: IntArray | None = None
    """The number of the group of each row, if groups of rows are left out together; else None."""

    @property
    def whole(self) -> Array:
        """The rows as an array."""
        table: Array = written_out(self.table)
        return table

    @cached_property
    def different(self) -> DistinctRows:
        """The rows, with equal rows merged into one.

        A row that is left out of a fit is then left out with all its copies.
        """
        found = observations(self._rows, self.weights, self.groups)
        if found.groups is not None:
            check_number_of_groups(
                found.groups,
                " Rows of weight zero and rows with missing values do not count, and groups with "
                "copies of the same row are one group.",
            )
        return found

    @property
    def _rows(self) -> Any:
        return canonical(self.table) if issparse(self.table) else self.table

    def has_gaps(self, preparation: Preparation, hold_out: HoldOut | None) -> bool:
        """Return True if any value is missing; the parameters are not used."""
        return not issparse(self.table) and has_gaps(self.table)

    def take(self, kept: NDArray[np.bool_]) -> ArrayData:
        """Return some of the rows, as a mask tells."""
        weights = None if self.weights is None else self.weights[kept]
        groups = None if self.groups is None else self.groups[kept]
        return replace(self, table=self.table[kept], weights=weights, groups=groups)

    def _tally(self) -> GapTally:
        return GapTally.of(self.table)

    def _made_by(self, make: Completion) -> ArrayData:
        table, numbers = make(self.table, np.arange(len(self.table), dtype=np.float64))
        assert numbers is not None
        kept = numbers.astype(np.intp)
        weights = None if self.weights is None else self.weights[kept]
        groups = None if self.groups is None else self.groups[kept]
        return replace(self, table=table, weights=weights, groups=groups)

    def _sample(self, share: float) -> Array:
        rows: Array = self.table
        return rows if share >= 1 else rows[_chosen(0, len(rows), share)]

    def _open(self, preparation: Preparation, hold_out: HoldOut | None) -> Opened:
        fitted = self.different if preparation.distinct else all_rows(self._rows, self.weights)
        held_out = None
        if hold_out is not None:
            fitted, held_out = split_rows(fitted, hold_out)
        how: Callable[..., tuple[ArrayRows | SparseRows, Centring]] = (
            centre_sparse if issparse(self.table) else centre
        )
        rows, centring = how(
            fitted.table, fitted.weights, preparation.scaling, checksum=preparation.checksum
        )
        rows.groups = None if fitted.groups is None else members(fitted.groups)
        weights = fitted.copies if fitted.weights is None else fitted.weights
        return Opened(rows, centring, held_out, int(fitted.copies.sum()), float(weights.sum()))


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
        rows, centring, held_out = open_stream(
            self.source,
            preparation.scaling,
            covariance=preparation.covariance,
            checksum=preparation.checksum,
            memory_budget=self.memory_budget,
            split=split_of_stream(self.source.n_rows, hold_out),
        )
        return Opened(rows, centring, held_out, rows.n_rows, rows.statistics.weight)


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
        rows, centring, held_out = open_dask(
            self.collection,
            self.weights,
            preparation.scaling,
            covariance=preparation.covariance,
            checksum=preparation.checksum,
            memory_budget=self.memory_budget,
            split=split_of_stream(n_rows if isinstance(n_rows, int) else None, hold_out),
            completion=self.completion,
        )
        return Opened(rows, centring, held_out, rows.n_rows, rows.statistics.weight)


def _tally(number: int, x: Array) -> GapTally:
    """Count rows and missing cells of the partition `x`; `number` is not used."""
    return GapTally.of(x)


def _chosen(number: int, n_rows: int, share: float) -> NDArray[np.bool_]:
    """Return a random mask of the rows of a block: True for about the share `share`.

    `number`, the number of the block, is the seed.
    """
    return np.random.default_rng([0, number]).random(n_rows) < share
