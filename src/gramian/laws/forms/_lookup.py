"""Lookup: a table from the distinct values (levels) of some columns to the value of another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.words import counted, is_storable_text, listed
from gramian.formulas import quote
from gramian.laws.columns import Cell, Key, is_cell, level_text, plain_cell, rounded, stored_clock
from gramian.laws.forms._allowed_error import NO_ERROR, SAME_NUMBER, AllowedError
from gramian.laws.forms._column_law import ColumnLaw
from gramian.tables import DAYS, Clock


@dataclass(frozen=True)
class Lookup(ColumnLaw):
    """A law that stores the value of a column for each combination of levels of other columns.

    Levels are the distinct values of a column, intervals of a number, or values of a part of a date
    (the month).

    Call the law with a data frame or mapping of the other columns to compute the column.

    Attributes
    ----------
    column : str
        The name of the column that the lookup computes.
    keys : tuple of Key
        The columns, intervals of numbers, or parts of dates that determine the column.
    levels : tuple of tuple
        The combinations of levels: for each combination, the level of each key.
    values : tuple
        The value of the column for each combination; all are texts, or all are numbers.
    clock : Clock or None
        Converts the values to dates; None if the column has no dates.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> zips = pd.Series(np.random.default_rng(0).choice(["8001", "8002", "3001", "4001"], 100))
    >>> names = {"8001": "Zurich", "8002": "Zurich", "3001": "Bern", "4001": "Basel"}
    >>> table = pd.DataFrame({"zip": zips, "city": zips.map(names)})
    >>> lookup = gramian.relations(table)[0].solve_for("city")
    >>> print(lookup)
    city follows from zip (4 levels)
    >>> lookup({"zip": ["3001", "8002", "9999"]})
    array(['Bern', 'Zurich', None], dtype=object)
    """

    column: str
    keys: tuple[Key, ...]
    levels: tuple[tuple[Cell, ...], ...] = field(repr=False)
    values: tuple[Cell, ...] = field(repr=False)
    clock: Clock | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns from which the law computes `column`."""
        return tuple(dict.fromkeys(key.column for key in self.keys))

    @property
    def is_text(self) -> bool:
        """True if the computed values are text."""
        return isinstance(self.values[0], str)

    @property
    def gives_dates(self) -> bool:
        """True if the computed values are dates."""
        return self.clock is not None

    @property
    def allowed_error(self) -> AllowedError:
        """The largest error of a value: numbers are compared to ten digits."""
        return NO_ERROR if self.is_text or self.gives_dates else AllowedError(0.0, SAME_NUMBER)

    @property
    def n_levels(self) -> int:
        """The number of combinations of values that the lookup lists."""
        return len(self.levels)

    @cached_property
    def is_part(self) -> bool:
        """True if the column is a part of a date, such as its month.

        It can then be computed for dates that the lookup does not list.
        """
        key, *others = self.keys
        return (
            key.part is not None
            and not others
            and (self.clock is None or self.clock == DAYS)
            and all(
                level == (value,) for level, value in zip(self.levels, self.values, strict=True)
            )
        )

    @cached_property
    def _entries(self) -> dict[tuple[Cell, ...], Cell]:
        return {
            tuple(map(rounded, level)): value
            for level, value in zip(self.levels, self.values, strict=True)
        }

    def __call__(self, table: Mapping[str, Any]) -> NDArray[Any]:
        """Compute the values of the column.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.

        Returns
        -------
        values : array of shape (n_samples,)
            The column. A value is None (texts), NaN (numbers) or NaT (dates) where a level is
            missing, or where the lookup does not have the combination of levels. If `is_part`, each
            date has a value.
        """
        cells = [key.cells(table[key.column]) for key in self.keys]
        found: list[Cell | None]
        if self.is_part:
            (found,) = cells
        else:
            found = [
                None if None in row else self._entries.get(tuple(map(rounded, row)))
                for row in zip(*cells, strict=True)
            ]
        if not self.is_text:
            numbers = np.array([math.nan if each is None else each for each in found], dtype=float)
            return numbers if self.clock is None else self.clock.dates(numbers)
        texts = np.empty(len(found), dtype=object)
        texts[:] = found
        return texts

    def has(self, values: Any) -> NDArray[np.bool_]:
        """Return a mask of the values of the column that the lookup gives for some level.

        Parameters
        ----------
        values : array-like
            Values of the column.
        """
        known = {rounded(each) for each in self.values}
        cells = Key(self.column, clock=self.clock).cells(values)
        return np.array([x is not None and rounded(x) in known for x in cells], dtype=bool)

    def of_seen(self, below: Sequence[float], above: Sequence[float]) -> Lookup:
        """Return the lookup by intervals for those numbers that the rows of the search tell.

        Between the last number that was seen in an interval and the first one in the next interval,
        the place of the end is a guess: the returned lookup has no value there.

        Parameters
        ----------
        below, above : sequence of float
            For each end between intervals, the nearest numbers that were seen below and above it.
        """
        # An end belongs to the interval below it: the gap ends just before the number above it.
        ends = [
            (low, math.nextafter(high, -math.inf)) for low, high in zip(below, above, strict=True)
        ]
        if not all(low < high and math.isfinite(low - high) for low, high in ends):
            return self
        key = replace(self.keys[0], thresholds=tuple(chain.from_iterable(ends)), from_below=False)
        levels = tuple((2 * float(level),) for (level,) in self.levels)
        return replace(self, keys=(key,), levels=levels)

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of texts: a combination of values of other columns, and the value for it."""
        for level, value in zip(self.levels, self.values, strict=True):
            cells = [key.level_text(each) for key, each in zip(self.keys, level, strict=True)]
            yield ", ".join(cells), level_text(value, self.clock)

    def __str__(self) -> str:
        if self.is_part:
            return f"{quote(self.column)} = {self._keys}"
        return f"{quote(self.column)} follows from {self._keys} ({self.size})"

    @property
    def _keys(self) -> str:
        """The columns and parts of dates that determine the column, as a part of a sentence.

        For example, "the month of date and region".
        """
        return listed([key.text for key in self.keys], len(self.keys), str)

    @property
    def causes(self) -> tuple[str, ...]:
        """The columns and parts of dates that determine the column, as texts."""
        return tuple(map(str, self.keys))

    @property
    def text(self) -> str:
        """The right-hand side of the law, in words."""
        if self.is_part:
            return self._keys
        return f"a function of {self._keys} ({self.size})"

    @property
    def size(self) -> str:
        """The number of distinct values that are looked up, or the ends of intervals, in words."""
        if self.keys[0].thresholds:
            ends = ", ".join(self.keys[0].ends)
            return f"steps at {ends}" if len(self.values) <= 6 else f"{len(self.values)} intervals"
        return counted(len(self.levels), "level")

    def to_json(self) -> dict[str, Any]:
        """Return the lookup as a dictionary that can be stored as JSON."""
        document: dict[str, Any] = {
            "lookup": self.column,
            "keys": [key.to_json() for key in self.keys],
            "levels": [list(level) for level in self.levels],
            "values": list(self.values),
        }
        if self.clock is not None:
            document["clock"] = {"origin": self.clock.origin, "unit": self.clock.unit}
        return document

    @classmethod
    def from_json(cls, document: Any) -> Lookup:
        """Read a stored lookup; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        if not isinstance(document, dict) or set(document) - {"clock"} != {
            "lookup", "keys", "levels", "values",
        }:  # fmt: skip
            raise ValueError("A stored lookup must have a column, keys, levels and values.")
        keys, levels, values = (document[name] for name in ("keys", "levels", "values"))
        if not all(isinstance(each, list) and each for each in (keys, levels, values)):
            raise ValueError(
                "Keys, levels and values of a stored lookup must be lists, and not empty."
            )
        read = tuple(map(Key.from_json, keys))
        column = document["lookup"]
        if not is_storable_text(column) or column in {key.column for key in read}:
            raise ValueError("A stored lookup must not need the column that it gives.")
        if len(levels) != len(values) or not all(
            isinstance(level, list) and len(level) == len(read) for level in levels
        ):
            raise ValueError(
                "Each entry of a stored lookup must have a level for each key, and a value."
            )
        if not all(map(is_cell, [*values, *(each for level in levels for each in level)])):
            raise ValueError(
                "Levels and values of a stored lookup must be texts and finite numbers."
            )
        if len({isinstance(each, str) for each in values}) > 1:
            raise ValueError("The values of a stored lookup must be all texts, or all numbers.")
        clock = stored_clock(document["clock"]) if "clock" in document else None
        if clock is not None and isinstance(values[0], str):
            raise ValueError("The dates of a stored lookup must be numbers.")
        return cls(
            column,
            read,
            tuple(tuple(map(plain_cell, level)) for level in levels),
            tuple(map(plain_cell, values)),
            clock,
        )
