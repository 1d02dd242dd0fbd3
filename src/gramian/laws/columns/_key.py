"""Key of a lookup: a column, intervals of a column, or a part of a date."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from gramian._support.types import Array
from gramian._support.words import is_storable_text
from gramian.formulas import number, quote
from gramian.tables import DAYS, PARTS, Clock, Part

Cell = str | float
"""Type of a level (a distinct value of a key): a text or a number."""
LONGEST_LEVEL = 24
"""Labels with more letters than this are cut when they are printed."""


@dataclass(frozen=True)
class Key:
    """A column, intervals of a column, or a part of a date, by which a `Lookup` finds values.

    The distinct values of a key are called its levels.

    Attributes
    ----------
    column : str
        The name of the column.
    thresholds : tuple of float
        The ends between the intervals. Empty if the key has no intervals: then the values of the
        column are the levels.
    part : str or None
        The part of a date: "month", "weekday", "hour" and others; None for the whole value.
    clock : Clock or None
        Converts dates to numbers; None if the column has no dates.
    from_below : bool
        True if an end belongs to the interval above it, as in "18 and older"; False if it belongs
        to the interval below it.

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
    from_below: bool = False

    def __str__(self) -> str:
        return self.column if self.part is None else f"{self.part} of {self.column}"

    @property
    def text(self) -> str:
        """The key as a part of a sentence: "product" for a column, or "the month of date"."""
        name = quote(self.column)
        return name if self.part is None else f"the {self.part} of {name}"

    @property
    def ends(self) -> list[str]:
        """The ends between the intervals, as texts."""
        return [level_text(each, self.clock) for each in self.thresholds]

    def level_text(self, level: Cell) -> str:
        """Return a level as text; an interval is written with its two ends.

        Parameters
        ----------
        level : str or float
            A level that `cells` returns: a value, or the number of an interval.
        """
        if not self.thresholds or isinstance(level, str):
            return level_text(level, self.clock if self.part is None else None)
        place, ends = int(level), self.ends
        first, last = ("<", "≥") if self.from_below else ("≤", ">")
        if place == 0:
            return f"{first} {ends[0]}"
        return f"{last} {ends[-1]}" if place >= len(ends) else f"{ends[place - 1]} to {ends[place]}"

    def numbers(self, x: Array) -> Array:
        """Return the level of each value of a numeric column; NaN where a value is missing.

        Parameters
        ----------
        x : array of float
            The values of the column; dates are converted to numbers by `clock`.
        """
        if self.part is not None:
            assert self.clock is not None
            return self.clock.part(x, self.part)
        if self.thresholds:
            return interval(x, self.thresholds, self.from_below)
        return x

    def cells(self, values: Any) -> list[Cell | None]:
        """Return the level of each value of a column; None where a value is missing.

        Parameters
        ----------
        values : array-like
            The values of the column: texts, numbers, or dates.
        """
        array = np.atleast_1d(np.asarray(values))
        if array.dtype.kind == "M":
            array = (self.clock or DAYS).numbers(array.astype("datetime64[us]"))
        if array.dtype.kind not in "fiub":
            found = [cell(each) for each in np.asarray(values, dtype=object).ravel().tolist()]
            if not self.thresholds and self.part is None:
                return found
            array = np.array([each if isinstance(each, float) else np.nan for each in found])
        numbers = self.numbers(array.astype(np.float64))
        return [None if each != each else each for each in numbers.tolist()]

    def to_json(self) -> dict[str, Any]:
        """Return the key as a dictionary that can be stored as JSON."""
        return {
            "column": self.column,
            "thresholds": list(self.thresholds),
            "part": self.part,
            "origin": None if self.clock is None else self.clock.origin,
            "unit": None if self.clock is None else self.clock.unit,
            **({"from_below": True} if self.from_below else {}),
        }

    @classmethod
    def from_json(cls, document: Any) -> Key:
        """Read a stored key; raise a ValueError if the document is not a stored key.

        Parameters
        ----------
        document : dict
            The result of `to_json`.
        """
        names = {"column", "thresholds", "part", "origin", "unit"}
        is_key = isinstance(document, dict) and {*document} - {"from_below"} == names
        if not is_key or not is_storable_text(document["column"]):
            raise ValueError(f"A key of a stored lookup must have {sorted(names)}.")
        ends, part = document["thresholds"], document["part"]
        if not isinstance(ends, list) or not all(map(is_finite_number, ends)):
            raise ValueError("The thresholds of a stored lookup must be finite numbers.")
        if ends != sorted(ends) or part not in (None, *PARTS):
            raise ValueError(
                "Thresholds of a stored lookup must increase, and a part must be a part of a date."
            )
        clock = None
        if document["origin"] is not None:
            clock = stored_clock({name: document[name] for name in ("origin", "unit")})
        if (part is not None) and clock is None:
            raise ValueError(f"A stored key with a {part} must have the origin of a clock.")
        from_below = document.get("from_below", False)
        if not isinstance(from_below, bool):
            raise ValueError("from_below of a stored key must be true or false.")
        return cls(document["column"], tuple(map(float, ends)), part, clock, from_below)


def stored_clock(document: Any) -> Clock:
    """Return the clock that a JSON document describes; raise a ValueError for other documents.

    A clock converts dates to numbers.
    """
    if not isinstance(document, dict) or set(document) != {"origin", "unit"}:
        raise ValueError("A stored clock must have an origin and a unit.")
    if not all(isinstance(each, str) for each in document.values()):
        raise ValueError("The origin and the unit of a clock must be texts.")
    return Clock(document["origin"], document["unit"])


def interval(x: Array, thresholds: tuple[float, ...], from_below: bool = False) -> Array:
    """Return the index of the interval of each value.

    Parameters
    ----------
    x : array of float
        The values.
    thresholds : tuple of float
        The ends between the intervals.
    from_below : bool
        True if an end belongs to the interval above it, False if to that below it.
    """
    side: Literal["left", "right"] = "right" if from_below else "left"
    found: Array = np.searchsorted(np.array(thresholds), x, side=side).astype(np.float64)
    found[np.isnan(x)] = np.nan
    return found


def cell(value: Any) -> Cell | None:
    """Return a value as a level: text stays text, a number becomes float, a missing value None."""
    if isinstance(value, str):
        return str(value)
    if value is None or str(value == value) != "True":  # NaN, NaT and pandas' NA
        return None
    if isinstance(value, (bool, int, float, Decimal, np.number, np.bool_)):
        return float(value)
    return str(value)


def level_text(level: Cell, clock: Clock | None = None) -> str:
    """Return a level as text, in backquotes if the text could be misread within a sentence.

    Parameters
    ----------
    level : str or float
        The level.
    clock : Clock, optional
        Converts the level to a date; None if the level is not a date.
    """
    if not isinstance(level, str):
        return number(level, 6) if clock is None else clock.text(level)
    return quote(level if len(level) <= LONGEST_LEVEL else level[:LONGEST_LEVEL] + "…")


def rounded(value: Cell) -> Cell:
    """Round a number to ten digits, so that lookups find it despite rounding errors."""
    if isinstance(value, str) or value.is_integer():
        return value
    return float(f"{value:.9e}")


def is_finite_number(value: Any) -> bool:
    """Return True if a value that was read from JSON is a finite number."""
    whole_or_not = isinstance(value, (int, float)) and not isinstance(value, bool)
    return whole_or_not and abs(value) <= sys.float_info.max


def is_whole(value: Any, low: int, high: int) -> bool:
    """Return True if a value that was read from JSON is a whole number from `low` to `high`."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_cell(value: Any) -> bool:
    """Return True if a value that was read from JSON is a text or a finite number."""
    return is_finite_number(value) or is_storable_text(value)


def plain_cell(value: Any) -> Cell:
    """Return a level that was read from JSON: a text stays a text, a number becomes a float."""
    return value if isinstance(value, str) else float(value)
