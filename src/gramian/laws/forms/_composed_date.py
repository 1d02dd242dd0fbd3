"""Composed date: a date computed from columns with its year, month, day and time."""

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
    """A law that computes a date from columns with its year, month, day and perhaps time.

    Call the law with a data frame or mapping of the other columns to compute the column.

    Attributes
    ----------
    column : str
        The name of the column of dates.
    unit : {"days", "seconds"}
        "days" for dates, "seconds" for dates with a time of the day.
    parts : tuple of str and int
        For each part of the date, from the year to the smallest part: the name of the column with
        this part, or a number if the part is constant.

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
        """The columns from which the law computes `column`."""
        return tuple(dict.fromkeys(each for each in self.parts if isinstance(each, str)))

    @property
    def gives_dates(self) -> bool:
        """True: the computed values are dates."""
        return True

    @property
    def _named(self) -> dict[Part, str | int]:
        return dict(zip(COMPOSING[self.unit], self.parts, strict=True))

    def __call__(self, table: Mapping[str, Any]) -> NDArray[np.datetime64]:
        """Compute the dates.

        Parameters
        ----------
        table : mapping or data frame
            The columns with the parts of the date, by name.

        Returns
        -------
        dates : array of shape (n_samples,)
            The dates; NaT where a part is missing, or where the date does not exist.
        """
        known = {
            name: np.atleast_1d(np.asarray(table[name], dtype=np.float64)) for name in self.columns
        }
        return self.times(known).astype(
            "datetime64[D]" if self.unit == "days" else "datetime64[us]"
        )

    def times(self, known: Mapping[str, Array]) -> NDArray[np.datetime64]:
        """Compute the dates in microseconds from columns of numbers.

        Parameters
        ----------
        known : mapping from str to array of float
            The columns with the parts of the date, by name.
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
        """The columns from which the date is composed, and its constant parts, as text."""
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
        """Return the law as a dictionary that can be stored as JSON."""
        return {"date": self.column, "unit": self.unit, "parts": list(self.parts)}

    @classmethod
    def from_json(cls, document: Any) -> ComposedDate:
        """Read a stored composed date; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
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
            raise ValueError("A stored date must compute a column from other columns.")
        return cls(column, unit, tuple(parts))
