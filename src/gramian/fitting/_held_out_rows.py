"""Held-out rows: the share that a user asks for, and the division of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from gramian._support.types import Array
from gramian.core.rows import Centring, DistinctRows, Split, apply_centring, unit_free_numbers

MAX_HELD_OUT = 20_000
"""Approximate largest number of rows of a stream to hold out; held-out rows stay in memory."""
LARGEST_SHARE = 0.3
"""Largest share of the rows of a small table that is held out if the user does not give a share."""
RandomState = int | np.random.RandomState | None
Weighted = tuple[Any, Array | None]
"""Rows and their weights."""


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
    unit : {"sample", "group"}, default="sample"
        "group" if the numbers are those of groups of rows, which are held out together.
    """

    def __init__(
        self, share: float, n_rows: int, n_left: int, unit: Literal["sample", "group"] = "sample"
    ) -> None:
        super().__init__(share, n_rows, n_left, unit)  # pickle makes it again with these arguments
        self.share, self.n_rows, self.n_left, self.unit = share, n_rows, n_left, unit

    def __str__(self) -> str:
        return (
            f"validation_fraction={self.share} of {self.n_rows} {self.unit}s leaves {self.n_left} "
            f"to fit; give more {self.unit}s, a smaller fraction, or validation_data."
        )


@dataclass(frozen=True)
class HoldOut:
    """Share of the rows to hold out, and the random state that chooses them."""

    share: float
    random_state: RandomState
    at_least: int = 0
    """Smallest number of rows to hold out of a small table, as long as `LARGEST_SHARE` allows."""

    @property
    def seed(self) -> int:
        """A seed for the choice of the held-out rows, drawn from the random state."""
        return int(check_random_state(self.random_state).randint(2**31))


def variances_of_all(weight: float, centring: Centring, held_out: Weighted) -> Array:
    """Return the variances of the columns over fitted and held-out rows together.

    Parameters
    ----------
    weight : float
        The total weight of the fitted rows.
    centring : Centring
        The means and scales of the fitted rows.
    held_out : pair of arrays
        The held-out rows, and their weights or None.
    """
    table, weights = held_out
    others = table.shape[0] if weights is None else float(weights.sum())
    share = 1 / (1 + others / weight)
    inner = np.where(centring.varies, centring.scale**2, 0.0)
    if issparse(table):
        block = apply_centring(centring, table, weights)
        mean = (1 - share) * centring.scale * block.products(block.root)
        squares = block.residuals(centring.scale).of_columns()
    else:
        centred = np.asarray(table, dtype=np.float64) - centring.mean
        mean = (1 - share) * np.average(centred, axis=0, weights=weights)
        squares = np.average(centred**2, axis=0, weights=weights)
    both = share * inner + (1 - share) * squares
    variances: Array = np.maximum(both - mean**2, 0.0)
    return variances


def split_rows(rows: DistinctRows, hold_out: HoldOut) -> tuple[DistinctRows, Weighted]:
    """Divide rows at random into rows to fit and rows to hold out.

    The choice depends on the values of the rows, and not on their order, the order of columns or
    units: tables that differ only in these have the same fit. If rows have groups, the share of the
    groups is held out, each with all its rows.
    """
    groups = rows.groups
    n_rows = rows.table.shape[0] if groups is None else int(groups.max()) + 1
    n = math.ceil(hold_out.share * n_rows)
    n = max(n, min(hold_out.at_least, int(LARGEST_SHARE * n_rows)))
    if n_rows - n < (2 if groups is None else 1):
        unit: Literal["sample", "group"] = "sample" if groups is None else "group"
        raise TooFewRowsError(hold_out.share, n_rows, n_rows - n, unit)
    out = np.zeros(n_rows, dtype=bool)
    out[np.argsort(unit_free_numbers(rows.table, hold_out.seed, groups))[:n]] = True
    if groups is not None:
        out = out[groups]
        if np.count_nonzero(~out) < 2:
            raise TooFewRowsError(hold_out.share, len(out), int(np.count_nonzero(~out)))
    held_out = rows.take(out)
    return rows.take(~out), (held_out.table, held_out.weights)


def split_of_stream(n_rows: int | None, hold_out: HoldOut | None) -> Split | None:
    """Return the rule that holds out rows of a stream; None if no rows are held out.

    At most about `MAX_HELD_OUT` rows are held out. `n_rows` is None if it is not known.
    """
    if hold_out is None:
        return None
    share = hold_out.share if n_rows is None else min(hold_out.share, MAX_HELD_OUT / n_rows)
    return Split(share, hold_out.seed, 2 * MAX_HELD_OUT)
