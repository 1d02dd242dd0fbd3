"""First pass over a table: statistics of the rows to fit, and the held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.rows._equal_rows import DistinctRows, joined_rows, row_hashes, uniform_numbers
from gramian.core.rows._statistics import Statistics, merge_statistics, statistics_of


@dataclass(frozen=True)
class Split:
    """Rule that selects held-out rows at random.

    It selects the same rows in every pass. If it selects a row, it selects all equal rows, too.
    """

    share: float
    seed: int
    limit: int
    """Largest number of held-out rows; the share is halved as often as needed to stay below it."""

    def mask(self, x: Array) -> NDArray[np.bool_]:
        """Return a mask of rows: True for the rows that are held out."""
        return uniform_numbers(row_hashes(x), self.seed) < self.share


@dataclass(frozen=True)
class HeldOutPart:
    """Held-out rows of one block: different rows, and the random number that selected each."""

    rows: DistinctRows
    numbers: Array

    def take(self, which: NDArray[np.bool_]) -> HeldOutPart:
        """Return the rows for which the mask `which` is True."""
        return HeldOutPart(self.rows.take(which), self.numbers[which])


@dataclass(frozen=True)
class FirstPass:
    """Result of the first pass over some row blocks: their statistics and held-out rows."""

    statistics: Statistics
    """The statistics of the rows that are not held out."""
    split: Split | None = None
    parts: tuple[HeldOutPart, ...] = ()

    @property
    def held_out(self) -> tuple[Array, Array | None] | None:
        """(Held-out rows, their weights or None); None if no rows are held out."""
        if self.split is None:
            return None
        rows = joined_rows([part.rows for part in self.parts])
        return rows.table, rows.weights

    def put_together(self, other: FirstPass) -> FirstPass:
        """Merge the results of the first pass over two sets of row blocks."""
        if self.split is None or other.split is None:
            return replace(self, statistics=merge_statistics(self.statistics, other.statistics))
        share = min(self.split.share, other.split.share)
        one, two = self._hold_out(share), other._hold_out(share)
        both = FirstPass(
            merge_statistics(one.statistics, two.statistics), one.split, one.parts + two.parts
        )
        if both._n_held_out > self.split.limit:
            both = both._without_copies()
        while both._n_held_out > self.split.limit:
            share /= 2
            both = both._hold_out(share)
        return both

    @property
    def _n_held_out(self) -> int:
        return sum(len(part.numbers) for part in self.parts)

    def _without_copies(self) -> FirstPass:
        """Return this result with equal held-out rows merged into one row each."""
        assert self.split is not None
        rows = joined_rows([part.rows for part in self.parts])
        numbers = uniform_numbers(row_hashes(rows.table), self.split.seed)
        return replace(self, parts=(HeldOutPart(rows, numbers),))

    def _hold_out(self, share: float) -> FirstPass:
        """Hold out fewer rows, the share `share`; the other rows enter the statistics."""
        assert self.split is not None
        if share == self.split.share:
            return self
        statistics = self.statistics
        covariance = statistics.products.ndim == 2
        checksum = statistics.checksum is not None
        parts = []
        for part in self.parts:
            out = part.numbers < share
            back = part.rows.take(~out)
            seen = statistics_of(*back.written_out(), covariance=covariance, checksum=checksum)
            statistics = merge_statistics(statistics, seen)
            parts.append(part.take(out))
        return FirstPass(statistics, replace(self.split, share=share), tuple(parts))


def look_at(
    x: Array,
    weights: Array | None,
    split: Split | None,
    *,
    covariance: bool,
    checksum: bool = False,
) -> FirstPass:
    """Return the first-pass result of one row block.

    Parameters
    ----------
    x, weights : arrays
        The rows of the block and their weights; None for equal weights.
    split : Split or None
        The rule for held-out rows; None to hold out no rows.
    covariance : bool
        True to sum the products of all pairs of columns, False to sum the squares only.
    checksum : bool, default=False
        True to compute a checksum of the rows that are not held out.
    """
    options = {"covariance": covariance, "checksum": checksum}
    if split is None:
        return FirstPass(statistics_of(x, weights, **options))
    numbers = uniform_numbers(row_hashes(x), split.seed)
    out = numbers < split.share
    rest = None if weights is None else weights[~out]
    held_out = DistinctRows(
        x[out], None if weights is None else weights[out], np.ones(int(out.sum()), dtype=np.intp)
    )
    part = HeldOutPart(held_out, numbers[out])
    return FirstPass(statistics_of(x[~out], rest, **options), split, (part,))


def put_together(looks: Sequence[FirstPass]) -> FirstPass:
    """Merge the results of the first pass over several row blocks into one result."""
    first, *others = looks
    for other in others:
        first = first.put_together(other)
    return first
