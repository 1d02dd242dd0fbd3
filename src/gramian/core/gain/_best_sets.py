"""Request and result of a search for the sets of columns that explain most of all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gramian._support.types import Array
from gramian.core.pursuit import Limits


@dataclass(frozen=True, eq=False)
class BestSets:
    """The sets of columns that explain most, one set of each size, which a search found."""

    columns: tuple[tuple[int, ...], ...]
    """The sets of 1, 2, ... columns, each in the order in which columns joined. The last set is
    sorted: columns that cost least when dropped come last."""
    total: Array
    """The total residual variance before the first column, and with each of the sets."""
    losses: Array
    """Increase of the residual variance if each column of the last set were dropped."""
    following: tuple[int, ...]
    """Columns outside the last set that would explain most, the best first."""
    gains: Array
    """Decrease of the residual variance if each of the `following` columns were added."""


@dataclass(frozen=True)
class GainRequest:
    """Request of a search: limits, penalties, exchanges.

    Parameters
    ----------
    units : array of shape (n_columns,)
        The standard deviation of each column in the units of the variances; scaled columns have
        variance 1. The value is 0 for constant columns.
    limits : Limits
        The number of columns, or the share of variance that they must explain.
    threshold : float, optional
        Stop when no column has a residual variance above this number.
    relative : bool, default=False
        True if the threshold is a share of each column's own variance.
    alphas : sequence of float, default=(0,)
        The penalties among which held-out rows choose, for each size of the set.
    n_candidates : int, default=12
        The number of candidates, largest linear gain first, whose functions are evaluated.
    exchange : bool, default=True
        True to exchange chosen columns for others, and to drop them again if this improves a
        smaller set.
    beam : int, default=1
        The number of candidates that are tried at each size, each with its exchanges.
    given : sequence of int, optional
        Columns to begin with, which are never dropped.
    backward : bool, default=False
        True to order columns by backward elimination from all columns.
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
