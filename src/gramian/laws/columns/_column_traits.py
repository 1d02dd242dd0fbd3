"""Traits of columns that guide the search for laws: scale, sign, distinct values, digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns._precision import LARGEST_WHOLE, UNROUNDED, Precision, precision_of

FEW_LEVELS = 12
"""A column has few levels if it has at most this many distinct values.

The powers of such a column always satisfy a polynomial, which is not a law of the table.
"""
LARGEST_ANGLE = 40.0
"""A column with a larger absolute value is not taken for an angle in radians."""
SMALLEST_TURN = 0.3
"""A column whose largest and smallest value differ by less is not taken for an angle."""
LATE_START = 8.0
"""The first of some row numbers is at most this many times their usual distance."""
INDEX_NAMES = (
    "rownames",
    "row.names",
    "row_names",
    "row",
    "rowid",
    "row_id",
    "index",
    "unnamed: 0",
)
"""Names that programs give to the row numbers or row names of a data frame, in small letters."""
LARGEST_STEP = 2.0
"""Largest mean distance of row numbers in a small table, in which few rows were left out."""
DRAWN_ROWS = 1_000
"""With at least this many rows, row numbers may be further apart."""
NO_SPREAD = 1e-13
"""A column is constant if (largest - smallest value) / largest absolute value is at most this."""


@dataclass(frozen=True)
class Traits:
    """Facts about the values of one column, which guide the search for laws."""

    scale: float
    """A power of two near the root mean square of the column."""
    constant: bool
    """True if all values are equal, up to rounding errors."""
    n_levels: int | None
    """The number of distinct values; None if more than `FEW_LEVELS`, or if no value is repeated."""
    never_zero: bool
    positive: bool
    angle: bool
    """True if the column may be an angle in radians."""
    whole: bool = False
    """True if all values are whole numbers."""
    precision: Precision = UNROUNDED
    """The number of digits to which the values were rounded."""
    counts_up: bool = False
    """True for whole numbers that grow or fall from row to row, such as years: nobody computes and
    rounds them."""
    row_number: bool = False
    """True if the column only numbers the rows; see `numbers_rows`."""


def numbers_rows(x: Array, name: str = "") -> bool:
    """Return True if a column is the number of the row: 1, 2, 3, …, or some of these in order.

    In a sorted table, each sorted column is a step function of the row number. Rows that were drawn
    from a large table have numbers that are further apart. A column with the name of an index, as
    programs write it, may be in any order.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column.
    name : str
        Its name.
    """
    if len(x) < 3:
        return False
    if name.lower() in INDEX_NAMES and len(np.unique(x)) == len(x):
        return True
    if not (x == np.rint(x)).all():
        return False
    usual = float(x[-1] - x[0]) / (len(x) - 1)
    close = usual <= LARGEST_STEP or len(x) >= DRAWN_ROWS
    return close and bool((np.diff(x) > 0).all()) and bool(0 <= x[0] <= LATE_START * usual)


def traits_of(x: Array) -> Traits:
    """Return facts about a column without missing values: scale, sign, distinct values, digits."""
    size = float(np.abs(x).max())
    root = np.sqrt(np.mean((x / size) ** 2)) * size if size > 0 else 1.0
    scale = float(2.0 ** np.round(np.log2(root)))
    levels = np.unique(x)
    spread = float(levels[-1] - levels[0])
    few = len(levels) <= FEW_LEVELS and len(levels) < len(x)
    whole = size < LARGEST_WHOLE and bool((levels == np.rint(levels)).all())
    return Traits(
        scale,
        len(levels) == 1 or spread <= NO_SPREAD * size,
        len(levels) if few else None,
        bool((x != 0).all()),
        bool((x > 0).all()),
        not few and size <= LARGEST_ANGLE and spread >= SMALLEST_TURN,
        whole,
        UNROUNDED if few and whole else precision_of(x),
        whole and len(levels) == len(x) > 2 and abs(int(np.sign(np.diff(x)).sum())) == len(x) - 1,
    )
