"""The first pass over a table: statistics of the rows to fit, and rows that are held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.rows._statistics import Statistics, merge_statistics, statistics_of


@dataclass(frozen=True)
class Split:
    """Rule that says which rows are held out, the same rows in every pass."""

    share: float
    seed: int
    limit: int
    """Largest number of held-out rows; beyond it the share is halved."""

    def numbers(self, number: int, n_rows: int) -> Array:
        """Return a random number for each row of a block; rows below the share are held out."""
        return np.random.default_rng([self.seed, number]).random(n_rows)

    def mask(self, number: int, n_rows: int) -> NDArray[np.bool_]:
        """Return True for the rows of a block that are held out."""
        return self.numbers(number, n_rows) < self.share


@dataclass(frozen=True)
class HeldOutPart:
    """Rows held out of a block."""

    x: Array
    weights: Array | None
    numbers: Array

    def take(self, which: NDArray[np.bool_]) -> HeldOutPart:
        """Return the rows for which the mask is True."""
        weights = None if self.weights is None else self.weights[which]
        return HeldOutPart(self.x[which], weights, self.numbers[which])


@dataclass(frozen=True)
class FirstPass:
    """Statistics and held-out rows of some row blocks."""

    statistics: Statistics
    """The statistics of the rows that are not held out."""
    split: Split | None = None
    parts: tuple[HeldOutPart, ...] = ()

    @property
    def held_out(self) -> tuple[Array, Array | None] | None:
        """Held-out rows and their weights; None if there is no split."""
        if self.split is None:
            return None
        weights = [part.weights for part in self.parts if part.weights is not None]
        x = np.concatenate([part.x for part in self.parts])
        return x, np.concatenate(weights) if weights else None

    def put_together(self, other: FirstPass) -> FirstPass:
        """Return the statistics and held-out rows of both sets of blocks."""
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
        """Hold out a smaller share; the other rows return to the statistics."""
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
    """Return statistics and held-out rows of a block; with `covariance`, products of columns."""
    options = {"covariance": covariance, "checksum": checksum}
    if split is None:
        return FirstPass(statistics_of(x, weights, **options))
    block = HeldOutPart(x, weights, split.numbers(number, len(x)))
    out = block.numbers < split.share
    rest = block.take(~out)
    statistics = statistics_of(rest.x, rest.weights, **options)
    return FirstPass(statistics, split, (block.take(out),))


def put_together(looks: Sequence[FirstPass]) -> FirstPass:
    """Return statistics and held-out rows of all blocks."""
    first, *others = looks
    for other in others:
        first = first.put_together(other)
    return first
