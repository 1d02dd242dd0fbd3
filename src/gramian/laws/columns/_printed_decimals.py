"""Printed decimals: the number of decimals with which a column is written in its table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.columns._precision import (
    COARSEST,
    LARGEST_WHOLE,
    MOST_DECIMALS,
    SINGLE_DIGITS,
)
from gramian.laws.columns._rounding import Rounding
from gramian.laws.columns._single_precision import (
    SINGLE,
    is_spelled,
    spelling_of,
)

CLOSE = 1e-9
"""Error allowed for a cell with all digits of float64: a share of the cell plus the deviation.

A formula seldom gives the last bit of such a cell."""
LAST_BIT = 2 * SINGLE
"""Further error allowed for a cell of single precision: one unit of its last binary digit.

The cell may have been computed in single precision, or from numbers that were rounded later."""


@dataclass(frozen=True)
class Printed:
    """Decimals of a column: every cell is the number that its decimals say, to the last bit.

    Attributes
    ----------
    decimals : int or None
        The number of decimals; None if the cells have all digits of float64 or float32.
    spelling : int or None
        The number of digits with which float32 numbers are written (see `spelling_of`); None for a
        column of another precision.
    """

    decimals: int | None = 0
    spelling: int | None = None

    @classmethod
    def of(cls, cells: Array) -> Printed:
        """Return the decimals of some cells; missing cells are ignored.

        Parameters
        ----------
        cells : array of shape (n_rows,)
            The cells of the column; NaN where a cell is empty.
        """
        cells = cells[np.isfinite(cells)]
        decimals = _decimals(cells, None)
        few = decimals is not None and (np.abs(cells) * 10.0**decimals < 10**SINGLE_DIGITS).all()
        spelling = None if few else spelling_of(cells)
        return cls(decimals) if spelling is None else cls(_decimals(cells, spelling), spelling)

    @property
    def rounding(self) -> Rounding:
        """How numbers that a law computes become cells of the column."""
        return Rounding(self.decimals, spelling=self.spelling)

    def joined(self, cells: Array) -> Printed:
        """Return the decimals of a column with further cells; missing cells are ignored.

        Parameters
        ----------
        cells : array of shape (n_rows,)
            The further cells; NaN where a cell is empty.
        """
        cells = cells[np.isfinite(cells)]
        if self.spelling is not None and not is_spelled(cells, cells, self.spelling).all():
            return Printed(None)
        if self.decimals is None:
            return self
        further = _decimals(cells, self.spelling)
        return Printed(None if further is None else max(self.decimals, further), self.spelling)

    def given(self, found: Array, cells: Array, deviation: float) -> NDArray[np.bool_]:
        """Return for each cell True if a computed value, as it comes back, is the cell.

        Parameters
        ----------
        found : array of shape (n_rows,)
            The computed values, rounded by `rounding`; NaN for an empty cell.
        cells : array of shape (n_rows,)
            The cells of the table; NaN where a cell is empty.
        deviation : float
            The standard deviation of the column.
        """
        if self.decimals is not None:
            same = (
                found == cells if self.spelling is None else is_spelled(cells, found, self.spelling)
            )
        else:
            error = CLOSE * (np.abs(cells) + deviation)
            error += 0.0 if self.spelling is None else LAST_BIT * np.abs(cells)
            same = np.abs(found - cells) <= error
        both: NDArray[np.bool_] = same | (np.isnan(found) & np.isnan(cells))
        return both


def _decimals(cells: Array, spelling: int | None) -> int | None:
    """Return the number of decimals of some cells; None if they have all digits.

    Parameters
    ----------
    cells : array of shape (n_rows,)
        The cells; all are finite.
    spelling : int or None
        The number of digits with which float32 numbers are written; None for float64 numbers.
    """
    largest = LARGEST_WHOLE if spelling is None else COARSEST / SINGLE
    for decimals in range(MOST_DECIMALS + 1):
        if np.abs(np.round(cells, decimals)).max(initial=0.0) * 10.0**decimals >= largest:
            break
        made = np.round(cells, decimals)
        if (made == cells if spelling is None else is_spelled(cells, made, spelling)).all():
            return decimals
    return None
