"""Composed date: a date that follows from columns with its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian._support.words import is_storable_text, listed
from gramian.formulas import quote
from gramian.laws.columns import is_whole
from gramian.laws.forms._column_law import ColumnLaw
from gramian.tables import COMPOSING, LIMITS, Part, Unit, composed


@dataclass(frozen=True)
class ComposedDate(ColumnLaw):
    """A column of dates as a function of columns with the year, the month, the day and so on.

    Call it with a table or mapping that gives the other columns by name.

    Attributes
    ----------
    column : str
        The column of dates.
    unit : {"days", "seconds"}
        "days" for dates, "seconds" for dates with a time of the day.
    parts : tuple of str and int
        For each part of the date the column that holds the part, or a number if the part is
        constant.

    Examples
    --------
    >>> from gramian.laws import ComposedDate
    >>> date = ComposedDate("date", "days", ("year", "m", 1))
    >>> print(date)
    date follows from year and m (month), with the day 1
    >>> date({"year": [2024, 2023], "m": [2, 13]})
    array(['2024-02-01', 'NaT'], dtype='datetime64[D]')
    """

    column: str
    unit: Unit
    parts: tuple[str | int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed."""
        return tuple(dict.fromkeys(each for each in self.parts if isinstance(each, str)))

    @property
    def gives_dates(self) -> bool:
        """True: the column holds dates."""
        return True

    @property
    def _named(self) -> dict[Part, str | int]:
        return dict(zip(COMPOSING[self.unit], self.parts, strict=True))

    def __call__(self, table: Mapping[str, Any]) -> NDArray[np.datetime64]:
        """Compute the dates.

        Parameters
        ----------
        table : mapping or data frame
            The other columns by name.

        Returns
        -------
        dates : array of shape (n_samples,)
            The dates; NaT where a part is missing or the calendar has no such date.
        """
        known = {
            name: np.atleast_1d(np.asarray(table[name], dtype=np.float64)) for name in self.columns
        }
        return self.times(known).astype(
            "datetime64[D]" if self.unit == "days" else "datetime64[us]"
        )

    def times(self, known: Mapping[str, Array]) -> NDArray[np.datetime64]:
        """Compute the dates in microseconds, given the numbers of the columns.

        Parameters
        ----------
        known : mapping from str to array of float
            The columns by name.
        """
        shape = np.shape(known[self.columns[0]])
        return composed(
            {
                part: known[each] if isinstance(each, str) else np.full(shape, float(each))
                for part, each in self._named.items()
            }
        )

    def __str__(self) -> str:
        return f"{quote(self.column)} follows from {self.size}"

    @property
    def text(self) -> str:
        """The right-hand side of the law, in words."""
        return f"the {'day' if self.unit == 'days' else 'time'} of {self.size}"

    @property
    def size(self) -> str:
        """The columns that hold the parts, and the constant parts."""
        columns = [
            quote(each) if each == part else f"{quote(each)} ({part})"
            for part, each in self._named.items()
            if isinstance(each, str)
        ]
        fixed = [
            f"the {part} {each}"
            for part, each in self._named.items()
            if isinstance(each, int) and (part in COMPOSING["days"] or each)
        ]
        together = listed(columns, len(columns), str)
        return f"{together}, with {listed(fixed, len(fixed), str)}" if fixed else together

    def to_json(self) -> dict[str, Any]:
        """Return the law as plain lists, numbers and texts, to be stored."""
        return {"date": self.column, "unit": self.unit, "parts": list(self.parts)}

    @classmethod
    def from_json(cls, document: Any) -> ComposedDate:
        """Read a stored date; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Anything else is a ValueError that says what is wrong.
        """
        if not isinstance(document, dict) or set(document) != {"date", "unit", "parts"}:
            raise ValueError("A stored date must have a column, a unit and parts.")
        column, unit, parts = document["date"], document["unit"], document["parts"]
        if not isinstance(unit, str) or unit not in COMPOSING:
            raise ValueError("The unit of a stored date must be days or seconds.")
        needed = COMPOSING[unit]
        if not isinstance(parts, list) or len(parts) != len(needed):
            raise ValueError(f"The parts of a stored date in {unit} must be {listed(needed)}.")
        for part, each in zip(needed, parts, strict=True):
            if not is_storable_text(each) and not is_whole(each, *LIMITS[part]):
                raise ValueError(f"The {part} of a stored date must be a column or a number.")
        if (
            not is_storable_text(column)
            or column in parts
            or all(isinstance(each, int) for each in parts)
        ):
            raise ValueError("A stored date must give a column by others.")
        return cls(column, unit, tuple(parts))
