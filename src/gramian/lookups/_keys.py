"""What a lookup looks at: a column, the interval that its value is in, or a part of its date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._types import Array
from gramian.tables._clock import Clock, Part

Cell = str | float
"""A level: the text of a label, or a number."""


@dataclass(frozen=True)
class Key:
    """A column as a lookup sees it.

    Attributes
    ----------
    column : str
        The column.
    thresholds : tuple of float
        Where its intervals end; none if its values themselves are looked up. The last interval
        has no end.
    part : str or None
        A part of the calendar: "month", "weekday", "hour" and others.
    clock : Clock or None
        How its dates became numbers.

    Examples
    --------
    >>> from gramian.laws import Key
    >>> Key("age", thresholds=(18.0, 65.0)).cells([3, 18, 40, 80])
    [0.0, 0.0, 1.0, 2.0]
    """

    column: str
    thresholds: tuple[float, ...] = ()
    part: Part | None = None
    clock: Clock | None = None

    def __str__(self) -> str:
        return self.column if self.part is None else f"{self.part} of {self.column}"

    def numbers(self, x: Array) -> Array:
        """Return what is looked up, given the numbers of the column: NaN where one is missing."""
        if self.part is not None:
            assert self.clock is not None
            return self.clock.part(x, self.part)
        if self.thresholds:
            return interval(x, self.thresholds)
        return x

    def cells(self, values: Any) -> list[Cell | None]:
        """Return what is looked up, given values as users have them.

        Parameters
        ----------
        values : array-like
            The column: text, numbers, or dates.
        """
        array = np.atleast_1d(np.asarray(values))
        if array.dtype.kind == "M":
            times = array.astype("datetime64[us]")
            clock = self.clock or Clock("1970-01-01", "days")
            array = clock.numbers(times)
        if array.dtype.kind in "fiub":
            numbers = self.numbers(array.astype(np.float64))
            return [None if each != each else each for each in numbers.tolist()]
        found = [cell(each) for each in np.asarray(values, dtype=object).ravel().tolist()]
        if not self.thresholds and self.part is None:
            return found
        x = np.array([each if isinstance(each, float) else np.nan for each in found])
        return [None if each != each else each for each in self.numbers(x).tolist()]


def interval(x: Array, thresholds: tuple[float, ...]) -> Array:
    """Return the number of the interval that each value is in; a threshold belongs to the lower."""
    found: Array = np.searchsorted(np.array(thresholds), x, side="left").astype(np.float64)
    found[np.isnan(x)] = np.nan
    return found


def cell(value: Any) -> Cell | None:
    """Return a value as a level; None where it is missing."""
    if isinstance(value, str):
        return str(value)
    if value is None or str(value == value) != "True":  # NaN, NaT and pandas' NA
        return None
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return float(value)
    return str(value)


def missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which of some objects are missing values."""
    return np.array([cell(each) is None for each in values.tolist()], dtype=bool)
