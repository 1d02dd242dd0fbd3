"""From what the user gives to what the pursuit works with: checks, rows held out, centring."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeVar

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
"""At most about this many rows of a stream are held out; they are kept in memory."""
RandomState = int | np.random.RandomState | None
T = TypeVar("T")
Weighted = tuple[Any, Array | None]
"""Rows and their weights."""


@dataclass(frozen=True)
class Preparation:
    """What is done to the columns before the pursuit, and what must be known of them."""

    scaling: Literal["column", "table"]
    """Whether each column gets variance 1, or the most variant one does."""
    counts: bool = False
    """Whether variances are reported for the scaled columns, so that all of them count alike."""
    covariance: bool = False
    """Whether the covariance of the columns is needed."""
    checksum: bool = False
    """Whether rows must be known again: a checkpoint belongs to its data."""


class TooFewRowsError(ValueError):
    """Rows that are held out leave too few to fit.

    Parameters
    ----------
    share : float
        The share that is held out.
    n_rows : int
        The rows.
    n_left : int
        Those that are left.
    """

    def __init__(self, share: float, n_rows: int, n_left: int) -> None:
        super().__init__(share, n_rows, n_left)  # by which it is made in other processes
        self.share, self.n_rows, self.n_left = share, n_rows, n_left

    def __str__(self) -> str:
        return (
            f"validation_fraction={self.share} of {self.n_rows} samples leaves {self.n_left} to "
            "fit; give more samples, a smaller fraction, or validation_data."
        )


@dataclass(frozen=True)
class HoldOut:
    """Which share of the rows is held out."""

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
    """The deviation in reported variances that is 1 in the scaled columns, by column."""
    scale: Array | None
    """What the columns were divided by, if that is what counts."""
    order: Array | None = None
    """The variances of the columns over all rows, where some are held out: columns that are equal
    before that stay so."""

    def watch(self, scale: Array | float, n_penalties: int, **options: Any) -> HeldOut | None:
        """Begin to evaluate the fit on the rows held out, if there are any."""
        return (
            None if self.held_out is None else HeldOut(self.held_out, scale, n_penalties, **options)
        )


@dataclass(frozen=True)
class CheckedData(ABC):
    """Checked data, of which problems are made."""

    names: tuple[str, ...] | None
    n_columns: int
    validation: Weighted | None
    """Rows that the user gave to be held out."""

    def problem(self, preparation: Preparation, hold_out: HoldOut | None) -> Problem:
        """Hold rows out, and centre and scale the columns."""
        if self.validation is not None:
            hold_out = None
        try:
            rows, centring, held_out = self._open(preparation, hold_out)
        except SpreadError as error:
            if self.names is None:
                raise
            raise error.named(repr(self.names[error.column])) from None
        held_out = self.validation or held_out
        block = None if held_out is None else apply_centring(centring, *held_out)
        unit, scale, order = centring.scale, None, None
        if preparation.counts:
            unit, scale = np.ones_like(unit), unit
        elif hold_out is not None and held_out is not None:
            order = _variances_of_all(rows.n_rows, centring, held_out)
        return Problem(self.names, rows, centring, block, unit, scale, order)

    def fit(
        self, fit: Callable[[CheckedData], T], families: Sequence[Family]
    ) -> tuple[T, Gaps | None]:
        """Fit, and if values turn out to be missing, again without gaps.

        Parameters
        ----------
        fit : callable
            Makes a model of data.
        families : sequence of Family
            The functions that are fitted: if complete rows are enough for those of all columns,
            no others are used.

        Returns
        -------
        model : object
            What was fitted.
        gaps : Gaps or None
            What was done about missing values, if there were any.
        """
        try:
            return fit(self), None
        except MissingValueError:
            data, gaps = self._completed(families)
            return fit(data), gaps

    def _completed(self, families: Sequence[Family]) -> tuple[CheckedData, Gaps]:
        """Return the same without missing values, and what was done about them."""
        make, gaps = completion(self._tally(), families, self.names, self._sample)
        return self._made_by(make), gaps

    @abstractmethod
    def _tally(self) -> GapTally:
        """Count what there is."""

    @abstractmethod
    def _sample(self, share: float) -> Array:
        """Return about a share of the rows, chosen at random."""

    @abstractmethod
    def _made_by(self, make: Completion) -> Self:
        """Return the same, rows with gaps being completed."""

    @property
    @abstractmethod
    def whole(self) -> Any:
        """The table as it is: an array, a source of row blocks, or a Dask collection."""

    @abstractmethod
    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
        """Return the rows, what was done to them, and those that are held out."""


@dataclass(frozen=True)
class ArrayData(CheckedData):
    """A table in memory, as an array or a sparse matrix."""

    table: Any
    weights: Array | None

    @property
    def whole(self) -> Array:
        """The rows, written out."""
        table: Array = written_out(self.table)
        return table

    def _tally(self) -> GapTally:
        return GapTally.of(self.table)

    def _made_by(self, make: Completion) -> ArrayData:
        table, weights = make(self.table, self.weights)
        return replace(self, table=table, weights=weights)

    def _sample(self, share: float) -> Array:
        rows: Array = self.table
        return rows if share >= 1 else rows[_chosen(0, len(rows), share)]

    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
        if not issparse(self.table) and has_gaps(self.table):
            raise MissingValueError("Values are missing.")
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
    """A table that is read block by block."""

    source: Source
    memory_budget: int

    @property
    def whole(self) -> Source:
        """The source."""
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

    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
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
    """A Dask array or data frame."""

    collection: Any
    weights: Any
    memory_budget: int
    completion: Completion | None = None
    """What is done about missing values."""

    @property
    def whole(self) -> Any:
        """The columns of the fit."""
        return self.collection if self.names is None else self.collection[list(self.names)]

    def _tally(self) -> GapTally:
        return add_tallies(map_partitions(self.collection, self.weights, _tally))

    def _made_by(self, make: Completion) -> DaskData:
        return replace(self, completion=make)

    def _sample(self, share: float) -> Array:
        def some(number: int, x: Array) -> Array:
            return x[_chosen(number, len(x), share)]

        return np.concatenate(map_partitions(self.collection, self.weights, some))

    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
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
    """Count what there is of a partition, whatever its number."""
    return GapTally.of(x)


def _chosen(number: int, n_rows: int, share: float) -> NDArray[np.bool_]:
    """Choose about a share of the rows of the block of that number."""
    return np.random.default_rng([0, number]).random(n_rows) < share


def _variances_of_all(n_rows: int, centring: Centring, held_out: Weighted) -> Array | None:
    """Return the variances over the rows of the fit and those held out, if they count alike."""
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
    """Hold out a random share of the rows that have a weight."""
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
    """Return which rows of a stream are held out; no more than are needed to be sure."""
    if hold_out is None:
        return None
    share = hold_out.share if n_rows is None else min(hold_out.share, MAX_HELD_OUT / n_rows)
    seed = int(check_random_state(hold_out.random_state).randint(2**31))
    return Split(share, seed, 2 * MAX_HELD_OUT)
