"""Conversion of dates and times to numbers and back, and the parts of a date (year, month, ...)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray

Unit = Literal["days", "seconds"]
"""Units in which a clock counts."""
MICROSECONDS: dict[str, int] = {"days": 86_400_000_000, "seconds": 1_000_000}
"""Number of microseconds in each unit of a clock."""
Part = Literal[
    "year", "quarter", "month", "year and month", "day", "weekday", "date", "hour", "minute",
    "second",
]  # fmt: skip
"""Names of the parts of a date or time, each of which can be a column of a table."""
PARTS: tuple[Part, ...] = get_args(Part)
"""All parts of a date with a time."""
PARTS_OF_DAYS = PARTS[: PARTS.index("date")]
"""Parts of a date without a time: from "year" to "weekday"."""
COARSER: tuple[tuple[Part, Part], ...] = (
    ("month", "quarter"),
    ("year and month", "year"),
    ("year and month", "month"),
    ("date", "year and month"),
    ("date", "day"),
    ("date", "weekday"),
)
"""Pairs of parts of a date in which the first part determines the second part."""
COMPOSING: dict[Unit, tuple[Part, ...]] = {
    "days": ("year", "month", "day"),
    "seconds": ("year", "month", "day", "hour", "minute", "second"),
}
"""For each unit of a clock, the parts that together determine a date or a time."""
LIMITS: dict[Part, tuple[int, int]] = {
    "year": (1, 9999),
    "month": (1, 12),
    "day": (1, 31),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
"""Smallest and largest value of each part from which `composed` makes dates."""
Column = TypeVar("Column")
"""Type variable: the name or the index of a column."""


@dataclass(frozen=True)
class Clock:
    """Conversion of dates to numbers: days or seconds since an origin.

    :class:`gramian.models.Preprocessing` has a clock for each date column. Laws that use or
    compute dates have clocks, too.

    Parameters
    ----------
    origin : str
        Date or time that becomes the number 0, in ISO 8601.
    unit : {"days", "seconds"}
        Unit in which the clock counts.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.models import Clock
    >>> clock = Clock("2024-01-01", "days")
    >>> print(clock)
    days since 2024-01-01
    >>> clock.numbers(np.array(["2024-01-01", "2024-02-29"], dtype="datetime64[D]"))
    array([ 0., 59.])
    >>> clock.text(60)
    '2024-03-01'
    """

    origin: str
    unit: Unit

    def __post_init__(self) -> None:
        if self.unit not in MICROSECONDS:
            raise ValueError(f"A clock counts days or seconds, not {self.unit!r}.")
        try:
            start = np.datetime64(self.origin, "us")
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self.origin!r} is no date: {error}") from error
        if np.isnat(start):
            raise ValueError(f"{self.origin!r} is no date.")

    @classmethod
    def of(cls, times: NDArray[np.datetime64]) -> Self:
        """Make a clock that suits some dates; its origin is the earliest of them.

        The clock counts days if no date has a time of the day, otherwise seconds.

        Parameters
        ----------
        times : array of datetime64
            The dates; NaT is a missing date.
        """
        times = times.astype("datetime64[us]")
        times = times[~np.isnat(times)]
        if not len(times):
            return cls("1970-01-01", "days")
        whole = bool((times == times.astype("datetime64[D]")).all())
        first = times.min()
        brief = first.astype("datetime64[D]" if whole else "datetime64[s]")
        return cls(str(brief if brief == first else first), "days" if whole else "seconds")

    def numbers(self, times: NDArray[Any]) -> Array:
        """Convert dates to numbers of days or seconds; missing dates become NaN.

        Parameters
        ----------
        times : array of datetime64
            The dates; NaT is a missing date.
        """
        times = times.astype("datetime64[us]")
        passed = (times - np.datetime64(self.origin, "us")).astype(np.int64)
        found: Array = np.where(np.isnat(times), np.nan, passed / MICROSECONDS[self.unit])
        return found

    def times(self, numbers: Array) -> NDArray[np.datetime64]:
        """Convert numbers to dates with a resolution of microseconds.

        NaN becomes NaT (a missing date), and so do numbers that are too large for a date.

        Parameters
        ----------
        numbers : array of float
            Numbers of days or seconds since the origin.
        """
        passed = np.rint(np.asarray(numbers, dtype=np.float64) * MICROSECONDS[self.unit])
        fine = np.abs(passed) < 2.0**62
        steps = np.where(fine, passed, 0.0).astype("timedelta64[us]")
        found: NDArray[np.datetime64] = np.datetime64(self.origin, "us") + steps
        return np.where(fine, found, np.datetime64("NaT", "us"))

    def dates(self, numbers: Array) -> NDArray[np.datetime64]:
        """Convert numbers to dates: to the nearest days if the unit is days, otherwise to times.

        Parameters
        ----------
        numbers : array of float
            Numbers of days or seconds since the origin.
        """
        times = self.times(numbers)
        if self.unit == "days":
            return (times + np.timedelta64(12, "h")).astype("datetime64[D]")
        return times

    def text(self, number: float) -> str:
        """Convert a number to a date, and return the date as text, such as "2024-03-01".

        Parameters
        ----------
        number : float
            Number of days or seconds since the origin.
        """
        when = self.dates(np.array([number]))[0]
        whole = self.unit == "seconds" and when == when.astype("datetime64[s]")
        return str(when.astype("datetime64[s]") if whole else when).replace("T", " ")

    @property
    def parts(self) -> tuple[Part, ...]:
        """Names of the parts that dates of this clock have, such as "year" and "month"."""
        return PARTS_OF_DAYS if self.unit == "days" else PARTS

    def part(self, numbers: Array, part: Part) -> Array:
        """Return one part, such as the month, of dates that are numbers; NaN for missing dates.

        Parameters
        ----------
        numbers : array of float
            The dates as numbers, as the method `numbers` returns them.
        part : str
            One of `parts`. "weekday" is 0 for Monday to 6 for Sunday; "date" is the number of days
            and "year and month" the number of months since January 1970.
        """
        return part_of(self.times(numbers), part)

    def __str__(self) -> str:
        return f"{self.unit} since {self.origin.replace('T', ' ')}"


def clocks_of(columns: Mapping[Column, NDArray[np.datetime64]]) -> dict[Column, Clock]:
    """Return a clock for each date column of a table; all clocks have one origin.

    Only then do laws among dates say what they seem to say: if each column counted from its own
    first date, dates that are always 30 days apart would be equal numbers. The unit of a column is
    that of `Clock.of`. If it is days in a column, the origin is a midnight.

    Parameters
    ----------
    columns : mapping to array of datetime64
        The dates of each column; NaT is a missing date. `telling_dates` of a column suffice.
    """
    alone = {column: Clock.of(times) for column, times in columns.items()}
    dated = [alone[column] for column, times in columns.items() if not np.isnat(times).all()]
    if not dated:
        return alone
    first = min(np.datetime64(each.origin, "us") for each in dated)
    if any(each.unit == "days" for each in dated):
        first = first.astype("datetime64[D]")
    origin = Clock.of(np.array([first])).origin
    return {column: Clock(origin, each.unit) for column, each in alone.items()}


def telling_dates(times: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """Return the few dates of a column that suffice to make its clock.

    They are the earliest date, and a date with a time of the day, if there is one.

    Parameters
    ----------
    times : array of datetime64
        The dates; NaT is a missing date.
    """
    times = times[~np.isnat(times)]
    timed = times[times != times.astype("datetime64[D]")]
    return np.concatenate([np.sort(times)[:1], timed[:1]])


DAYS = Clock("1970-01-01", "days")
"""Clock whose numbers are those of the part "date": days since 1970-01-01."""


def part_of(times: NDArray[np.datetime64], part: Part) -> Array:
    """Return one part, such as the month, of dates; NaN for missing dates.

    Parameters
    ----------
    times : array of datetime64
        The dates; NaT is a missing date.
    part : str
        One of `PARTS`. "weekday" is 0 for Monday to 6 for Sunday; "date" is the number of days and
        "year and month" the number of months since January 1970.
    """
    days, months = times.astype("datetime64[D]"), times.astype("datetime64[M]")
    month_number, day_number = months.astype(np.int64), days.astype(np.int64)
    clock = (times - days).astype("timedelta64[us]").astype(np.int64)
    values: dict[str, Callable[[], IntArray]] = {
        "year": lambda: month_number // 12 + 1970,
        "quarter": lambda: month_number % 12 // 3 + 1,
        "month": lambda: month_number % 12 + 1,
        "year and month": lambda: month_number,
        "day": lambda: (days - months.astype("datetime64[D]")).astype(np.int64) + 1,
        "weekday": lambda: (day_number + 3) % 7,  # 1970 began on a Thursday
        "date": lambda: day_number,
        "hour": lambda: clock // 3_600_000_000,
        "minute": lambda: clock // 60_000_000 % 60,
        "second": lambda: clock // 1_000_000 % 60,
    }
    found: Array = np.where(np.isnat(times), np.nan, values[part]().astype(np.float64))
    return found


def composed(parts: Mapping[Part, Array]) -> NDArray[np.datetime64]:
    """Compose dates from year, month and day, and from hour, minute and second if present.

    Impossible dates, such as 30 February, become NaT (a missing date).

    Parameters
    ----------
    parts : mapping from str to array
        From the name of each part to its values as numbers.
    """
    fine = np.ones(np.shape(parts["year"]), dtype=bool)
    whole: dict[Part, IntArray] = {}
    for part, numbers in parts.items():
        low, high = LIMITS[part]
        with np.errstate(invalid="ignore"):
            fine &= (numbers == np.rint(numbers)) & (numbers >= low) & (numbers <= high)
        whole[part] = np.where(fine, numbers, low).astype(np.int64)
    months = 12 * (whole["year"] - 1970) + whole["month"] - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]")
    days = first + (whole["day"] - 1).astype("timedelta64[D]")
    fine &= days.astype("datetime64[M]").astype(np.int64) == months  # no 30th of February
    times = days.astype("datetime64[us]")
    for part, seconds in (("hour", 3600), ("minute", 60), ("second", 1)):
        if part in whole:
            times = times + (whole[part] * seconds).astype("timedelta64[s]")
    return np.where(fine, times, np.datetime64("NaT", "us"))
