"""Dates and times as numbers in a stated unit, and the parts of the calendar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray

Unit = Literal["days", "seconds"]
MICROSECONDS: dict[str, int] = {"days": 86_400_000_000, "seconds": 1_000_000}
Part = Literal[
    "year", "quarter", "month", "year and month", "day", "weekday", "date", "hour", "minute",
    "second",
]  # fmt: skip
PARTS: tuple[Part, ...] = get_args(Part)
PARTS_OF_DAYS = PARTS[: PARTS.index("date")]
COARSER: tuple[tuple[Part, Part], ...] = (
    ("month", "quarter"),
    ("year and month", "year"),
    ("year and month", "month"),
    ("date", "year and month"),
    ("date", "day"),
    ("date", "weekday"),
)
"""Pairs of parts: the first one determines the second."""
COMPOSING: dict[Unit, tuple[Part, ...]] = {
    "days": ("year", "month", "day"),
    "seconds": ("year", "month", "day", "hour", "minute", "second"),
}
"""Parts that determine a date, or a time."""
LIMITS: dict[Part, tuple[int, int]] = {
    "year": (1, 9999),
    "month": (1, 12),
    "day": (1, 31),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}


@dataclass(frozen=True)
class Clock:
    """Conversion of dates to numbers: units counted from an origin.

    :class:`gramian.models.Preprocessing` has a clock for each column of dates, and so have laws
    that use or give dates.

    Parameters
    ----------
    origin : str
        The date or time of the number 0, in ISO 8601.
    unit : {"days", "seconds"}
        The unit.

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
        """Return the clock of some dates: days or seconds since the earliest date.

        Parameters
        ----------
        times : array of datetime64
            The dates; NaT is missing.
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
        """Return dates as numbers; missing dates become NaN.

        Parameters
        ----------
        times : array of datetime64
            The dates.
        """
        times = times.astype("datetime64[us]")
        passed = (times - np.datetime64(self.origin, "us")).astype(np.int64)
        found: Array = np.where(np.isnat(times), np.nan, passed / MICROSECONDS[self.unit])
        return found

    def times(self, numbers: Array) -> NDArray[np.datetime64]:
        """Return the dates of numbers, in microseconds.

        NaN becomes NaT, as do numbers beyond the calendar.

        Parameters
        ----------
        numbers : array of float
            The numbers.
        """
        passed = np.rint(np.asarray(numbers, dtype=np.float64) * MICROSECONDS[self.unit])
        fine = np.abs(passed) < 2.0**62
        steps = np.where(fine, passed, 0.0).astype("timedelta64[us]")
        found: NDArray[np.datetime64] = np.datetime64(self.origin, "us") + steps
        return np.where(fine, found, np.datetime64("NaT", "us"))

    def dates(self, numbers: Array) -> NDArray[np.datetime64]:
        """Return the dates of numbers in the clock's unit: the nearest days, or times.

        Parameters
        ----------
        numbers : array of float
            The numbers.
        """
        times = self.times(numbers)
        if self.unit == "days":
            return (times + np.timedelta64(12, "h")).astype("datetime64[D]")
        return times

    def text(self, number: float) -> str:
        """Return the date of a number as text.

        Parameters
        ----------
        number : float
            The number.
        """
        when = self.dates(np.array([number]))[0]
        whole = self.unit == "seconds" and when == when.astype("datetime64[s]")
        return str(when.astype("datetime64[s]") if whole else when).replace("T", " ")

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the calendar that dates of this clock have."""
        return PARTS_OF_DAYS if self.unit == "days" else PARTS

    def part(self, numbers: Array, part: Part) -> Array:
        """Return a part of dates given as numbers; NaN for missing dates.

        Parameters
        ----------
        numbers : array of float
            The dates, as `numbers` returns them.
        part : str
            One of `parts`. Weekdays count from Monday, which is 0; "date" counts days, and "year
            and month" counts months, from 1970.
        """
        return part_of(self.times(numbers), part)

    def __str__(self) -> str:
        return f"{self.unit} since {self.origin.replace('T', ' ')}"


DAYS = Clock("1970-01-01", "days")
"""Clock that counts days as the part "date" does."""


def part_of(times: NDArray[np.datetime64], part: Part) -> Array:
    """Return a part of dates; NaN for missing dates.

    Parameters
    ----------
    times : array of datetime64
        The dates.
    part : str
        The part; "date" counts days, and "year and month" counts months, from 1970.
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
    """Return dates from their parts: year, month and day, and perhaps hour, minute and second.

    Parameters
    ----------
    parts : mapping from str to array
        The parts, as numbers. A date that the calendar does not have becomes NaT.
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
