"""Dates that are written as text in ISO 8601, as `pandas.read_csv` returns them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ISO_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]"
    r"([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""Pattern of a date, perhaps with a time and an offset from UTC."""


def may_be_dates(cells: Sequence[Any]) -> bool:
    """Return True if all texts of a sequence look like dates.

    Parameters
    ----------
    cells : sequence
        Texts, and other objects for missing values.
    """
    return all(ISO_DATE.fullmatch(cell) for cell in cells if isinstance(cell, str))


def dates_in_text(cells: Sequence[Any]) -> NDArray[np.datetime64] | None:
    """Return the dates of a column of text, by the wall clock; None if a cell is no date.

    The dates are days if no cell has a time. The result is None, too, if all dates are equal and
    their texts are not: the times differ only in their offsets from UTC.

    Parameters
    ----------
    cells : sequence
        Texts, and other objects for missing values, such as None, NaN and pandas' NA.
    """
    found, timed, has_any = [], False, False
    for cell in cells:
        if not isinstance(cell, str):
            if cell is not None and str(cell == cell) == "True":
                return None
            found.append("NaT")
            continue
        match = ISO_DATE.fullmatch(cell)
        if match is None:
            return None
        has_any = True
        timed = timed or match[2] is not None
        found.append(match[1] if match[2] is None else f"{match[1]}T{match[2]}")
    if not has_any:
        return None
    if len({*found} - {"NaT"}) == 1 and len({cell for cell in cells if isinstance(cell, str)}) > 1:
        return None
    try:
        return np.array(found, dtype="datetime64[us]" if timed else "datetime64[D]")
    except ValueError:  # such as 30 February
        return None
