"""The best sets of columns: what a search for them is asked for, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gramian._support.types import Array
from gramian.core.pursuit import Limits


@dataclass(frozen=True, eq=False)
class BestSets:
    """The best sets of columns that a search found, one of each size."""

    columns: tuple[tuple[int, ...], ...]
    """The sets of 1, 2, ... columns, in the order in which they joined the set. Of the last one
    those columns come last without which least would be lost."""
    total: Array
    """The total residual variance before the first column, and with each of the sets."""
    losses: Array
    """How much more would be left without each column of the last set."""
    following: tuple[int, ...]
    """The columns that would explain most besides the last set, the best first."""
    gains: Array
    """How much less would be left with each of these."""


@dataclass(frozen=True)
class GainRequest:
    """What to search for.

    Parameters
    ----------
    units : array of shape (n_columns,)
        The deviation that is 1 in the scaled columns, in the units in which variances count; 0 for
        columns that are constant.
    limits : Limits
        How many columns, or how much they are to explain.
    threshold : float, optional
        Stop when no column has more residual variance than this.
    relative : bool, default=False
        Whether the threshold is a share of each column's own variance.
    alphas : sequence of float, default=(0,)
        The penalties among which held-out rows choose, for each size of the set.
    n_candidates : int, default=12
        How many candidates are looked at closely, those that would explain most linearly.
    exchange : bool, default=True
        Whether columns that were chosen are exchanged for others, and dropped again where a smaller
        set gets better by it.
    beam : int, default=1
        How many candidates are tried at each size, each with the exchanges that follow.
    given : sequence of int, optional
        Begin with these columns, and keep them.
    backward : bool, default=False
        Whether columns are those that remain when others are dropped, beginning with all.
    """

    units: Array
    limits: Limits
    threshold: float | None = None
    relative: bool = False
    alphas: Sequence[float] = (0.0,)
    n_candidates: int = 12
    exchange: bool = True
    beam: int = 1
    given: Sequence[int] = ()
    backward: bool = False
