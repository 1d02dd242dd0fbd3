"""First pass over a table: statistics of the rows to fit, and the held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.rows._statistics import Statistics, merge_statistics, statistics_of


@dataclass(frozen=True)
class Split:
    """Rule that selects held-out rows at random; it selects the same rows in every pass."""

    share: float
    seed: int
    limit: int
    """Largest number of held-out rows; the share is halved as often as needed to stay below it."""

    def numbers(self, number: int, n_rows: int) -> Array:
        """Return a random number for each row of a block; rows below `share` are held out."""
        return np.random.default_rng([self.seed, number]).random(n_rows)

    def mask(self, number: int, n_rows: int) -> NDArray[np.bool_]:
        """Return a mask of the rows of block `number`: True for the rows that are held out."""
        return self.numbers(number, n_rows) < self.share


@dataclass(frozen=True)
class HeldOutPart:
    """Held-out rows of one block: their values, weights and random numbers (see `Split`)."""

    x: Array
    weights: Array | None
    numbers: Array

    def take(self, which: NDArray[np.bool_]) -> HeldOutPart:
        """Return the rows for which the mask `which` is True."""
        weights = None if self.weights is None else self.weights[which]
        return HeldOutPart(self.x[which], weights, self.numbers[which])


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
        weights = [part.weights for part in self.parts if part.weights is not None]
        x = np.concatenate([part.x for part in self.parts])
        return x, np.concatenate(weights) if weights else None

    def put_together(self, other: FirstPass) -> FirstPass:
        """Merge the results of the first pass over two sets of row blocks."""
        if self.split is None or other.split is None:
            return replace(self, statistics=merge_statistics(self.statistics, other.statistics))
        share = min(self.split.share, other.split.share)
        one, two = self._hold_out(share), other._hold_out(share)
        both = FirstPass(
            merge_statistics(one.statistics, two.statistics), one.split, one.parts + two.parts
        )
        while sum(len(part.x) for part in both.parts) > self.split.limit:
            share /= 2
            both = both._hold_out(share)
        return both

    def _hold_out(self, share: float) -> FirstPass:
        """Reduce the held-out share; rows that are no longer held out enter the statistics."""
        assert self.split is not None
        if share == self.split.share:
            return self
        statistics = self.statistics
        covariance = statistics.products.ndim == 2
        checksum = statistics.checksum is not None
        parts = []
        for part in self.parts:
            out = part.numbers < share
            back = part.take(~out)
            seen = statistics_of(back.x, back.weights, covariance=covariance, checksum=checksum)
            statistics = merge_statistics(statistics, seen)
            parts.append(part.take(out))
        return FirstPass(statistics, replace(self.split, share=share), tuple(parts))


def look_at(
    x: Array,
    weights: Array | None,
    number: int,
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
    number : int
        The number of the block; it determines which rows are held out.
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
    block = HeldOutPart(x, weights, split.numbers(number, len(x)))
    out = block.numbers < split.share
    rest = block.take(~out)
    statistics = statistics_of(rest.x, rest.weights, **options)
    return FirstPass(statistics, split, (block.take(out),))


def put_together(looks: Sequence[FirstPass]) -> FirstPass:
    """Merge the results of the first pass over several row blocks into one result."""
    first, *others = looks
    for other in others:
        first = first.put_together(other)
    return first
