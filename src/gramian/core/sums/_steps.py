"""Variables that a pursuit chose, and the steps in which they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.rows import RowBlock
from gramian.families import Block


@dataclass(frozen=True)
class Direction:
    """A chosen variable: a unit vector or a column, and the standard deviation along it."""

    axis: Array | int
    deviation: float

    def of(self, rows: RowBlock, *, one_thread: bool = False) -> Array:
        """Return the values of the variable on some rows, scaled to variance 1."""
        along = rows.along(self.axis, one_thread=one_thread)
        variable: Array = along / (rows.root * self.deviation)
        return variable


def all_of(directions: Sequence[Direction], rows: RowBlock, out: Array) -> None:
    """Compute several variables on one row block, by one thread.

    Parameters
    ----------
    directions : sequence of Direction
        The variables: all of them columns, or all of them along vectors.
    rows : RowBlock
        The rows.
    out : array of shape (n_directions, n_rows)
        The values of the variables, by rows; overwritten.
    """
    rows.along_all(np.array([direction.axis for direction in directions]), out)
    out /= rows.root
    out /= np.array([[direction.deviation] for direction in directions])


@dataclass(frozen=True)
class Step:
    """One variable, its functions, and the functions that entered the basis."""

    direction: Direction
    block: Block
    kept: IntArray
    """Numbers of the functions of the block that are in the basis, in increasing order."""
