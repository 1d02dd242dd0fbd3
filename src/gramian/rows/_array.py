"""Rows of an array in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gramian._blas import second_moments, times
from gramian._types import Array
from gramian.rows._protocol import RowBlock

BLOCK_ROWS = 2048
"""Rows in a block: enough for matrix products at full speed, few enough to bound memory."""


@dataclass(frozen=True)
class Centring:
    """What was done to the columns of a table: ``(X - mean) / scale``."""

    mean: Array
    scale: Array
    """The standard deviation of each column, or for all columns that of the most variant one; 1
    where that is zero."""
    varies: NDArray[np.bool_]
    """Which columns are not constant."""


class ArrayRows:
    """The rows of a centred and scaled array.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Rows, each times the root of its weight.
    root : array of shape (n_rows,)
        The roots of the weights.
    block_rows : int
        Rows in a block.
    """

    def __init__(self, x: Array, root: Array, block_rows: int = BLOCK_ROWS) -> None:
        self.x = x
        self.root = root
        self._block_rows = block_rows

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        return len(self.x)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.x.shape[1])

    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once."""
        n_blocks = -(-self.n_rows // self._block_rows)
        edges = [self.n_rows * i // n_blocks for i in range(n_blocks + 1)]
        for start, stop in itertools.pairwise(edges):
            yield RowBlock(self.x[start:stop], self.root[start:stop])

    def rotate(self, basis: Array) -> ArrayRows:
        """Express the rows in other coordinates; the rows of `basis` are the new axes."""
        return ArrayRows(times(self.x, basis.T), self.root, self._block_rows)

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns."""
        return second_moments(self.x)


def centre(
    X: Array, weights: Array | None, scale: Literal["column", "table"]
) -> tuple[ArrayRows, Centring]:
    """Centre the columns of X and scale them to variance 1, each for itself or all alike.

    Columns are first brought to [0, 1], so that neither a mean far from zero nor values near the
    limits of float64 cost accuracy, and constant columns become exact zeros.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Finite values.
    weights : array of shape (n_rows,), or None
        Non-negative weights, not all zero. Rows of weight zero are left out.
    scale : {"column", "table"}
        Whether each column gets variance 1, or the most variant one does and the others keep
        their size relative to it.
    """
    if weights is None:
        root = np.full(len(X), len(X) ** -0.5)
    else:
        present = weights > 0
        X = X[present]
        weights = weights[present] / weights.max()  # lest the sum overflow
        root = np.sqrt(weights / weights.sum())
    low = X.min(axis=0)
    with np.errstate(over="ignore"):
        spread = X.max(axis=0) - low
        too_wide = np.flatnonzero(~np.isfinite(spread * spread))
    if len(too_wide):
        raise ValueError(
            f"The variance of column {too_wide[0]} exceeds the range of float64 (its values spread "
            f"over {spread[too_wide[0]]:.3g}). Rescale the columns first, for example with "
            "scikit-learn's StandardScaler."
        )
    unit = np.where(spread > 0, spread, 1.0)
    x = np.subtract(X, low, order="C")  # blocks of rows are then contiguous
    x /= unit
    weight = root * root
    shift = weight @ x
    x -= shift
    deviation = np.sqrt(np.einsum("i,ij,ij->j", weight, x, x))
    deviations = unit * deviation
    with np.errstate(over="ignore", under="ignore"):
        total = float(np.sum(deviations**2))
    if not np.isfinite(total) or (total < np.finfo(np.float64).tiny and deviation.any()):
        raise ValueError(
            "The variances of the columns leave the range of float64 (the largest standard "
            f"deviation is {deviations.max():.3g}). Rescale the columns first, for example with "
            "scikit-learn's StandardScaler."
        )
    if scale == "column":
        factor = 1 / np.where(deviation > 0, deviation, 1.0)
        scales = np.where(deviation > 0, deviations, 1.0)
    else:
        widest = deviations.max(initial=0.0) or 1.0
        factor = unit / widest
        scales = np.full(len(unit), widest)
    x *= factor
    x *= root[:, np.newaxis]
    return ArrayRows(x, root), Centring(low + unit * shift, scales, deviation > 0)
