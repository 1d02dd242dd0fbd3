"""Printed decimals: the number of decimals with which a column is written in its table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns._precision import LARGEST_WHOLE, MOST_DECIMALS, SINGLE

CLOSE = 1e-9
"""Error allowed for a cell with all digits of float64: a share of the cell plus the deviation.

A formula seldom gives the last bit of such a cell."""


@dataclass(frozen=True)
class Printed:
    """Decimals of a column: every cell is the number that its decimals say, to the last bit.

    Attributes
    ----------
    decimals : int or None
        The number of decimals; None if the cells have all digits of float64 or float32.
    single : bool
        True if every cell is a number of single precision (float32).
    """

    decimals: int | None = 0
    single: bool = True

    @classmethod
    def of(cls, cells: Array) -> Printed:
        """Return the decimals of some cells; missing cells are ignored.

        Parameters
        ----------
        cells : array of shape (n_rows,)
            The cells of the column; NaN where a cell is empty.
        """
        cells = cells[np.isfinite(cells)]
        single = bool((cells.astype(np.float32) == cells).all())
        for decimals in range(MOST_DECIMALS + 1):
            decimal = np.round(cells, decimals)
            if np.abs(decimal).max(initial=0.0) * 10.0**decimals >= LARGEST_WHOLE:
                break
            same = (decimal == cells).all()
            if same or (single and (decimal.astype(np.float32) == cells).all()):
                return cls(decimals, single)
        return cls(None, single)

    def joined(self, other: Printed) -> Printed:
        """Return the decimals of a column, of which two parts have these and other decimals."""
        unknown = self.decimals is None or other.decimals is None
        decimals = None if unknown else max(self.decimals or 0, other.decimals or 0)
        return Printed(decimals, self.single and other.single)

    def given(self, found: Array, cells: Array, deviation: float) -> NDArray[np.bool_]:
        """Return for each cell True if a computed value, as it comes back, is the cell.

        Parameters
        ----------
        found : array of shape (n_rows,)
            The computed values, rounded to `decimals`; NaN for an empty cell.
        cells : array of shape (n_rows,)
            The cells of the table; NaN where a cell is empty.
        deviation : float
            The standard deviation of the column.
        """
        if self.decimals is not None:
            same = found == cells
            if self.single:
                same |= found.astype(np.float32) == cells
        else:
            error = CLOSE * (np.abs(cells) + deviation)
            error += 2 * SINGLE * np.abs(cells) if self.single else 0.0
            same = np.abs(found - cells) <= error
        both: NDArray[np.bool_] = same | (np.isnan(found) & np.isnan(cells))
        return both
