"""Chosen variables, and the steps of a fit in which they were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.rows import RowBlock
from gramian.families import Block


@dataclass(frozen=True)
class Direction:
    """A chosen variable: a unit vector or the number of a column, and its standard deviation."""

    axis: Array | int
    deviation: float

    def of(self, rows: RowBlock, *, one_thread: bool = False) -> Array:
        """Return the values of the variable on the rows of a block, scaled to variance 1."""
        along = rows.along(self.axis, one_thread=one_thread)
        variable: Array = along / (rows.root * self.deviation)
        return variable


def all_of(directions: Sequence[Direction], rows: RowBlock, out: Array) -> None:
    """Write the values of several variables on one row block to `out`, in one thread.

    Parameters
    ----------
    directions : sequence of Direction
        The variables: either all are columns, or all are unit vectors.
    rows : RowBlock
        The rows.
    out : array of shape (n_directions, n_rows)
        Overwritten with the values: one row for each variable.
    """
    rows.along_all(np.array([direction.axis for direction in directions]), out)
    out /= rows.root
    out /= np.array([[direction.deviation] for direction in directions])


@dataclass(frozen=True)
class Step:
    """One step of a fit: a variable, its functions, and which of them entered the basis."""

    direction: Direction
    block: Block
    kept: IntArray
    """Numbers of the functions in `block` that entered the basis, in increasing order."""
