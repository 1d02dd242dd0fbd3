"""Fixed values: replacements of cells that a broken law fixes to the last printed digit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws.checks._replaced_column import Replaced
from gramian.laws.columns import ColumnFacts, Rounding, TableRows, numbers_of
from gramian.laws.forms import Balance, LawCheck, Lookup

SEVERAL = 3
"""A lookup fixes a value if its levels had so many rows each, on average, when it was found."""
SLACK, FLOAT_ERROR = 0.02, 1e-12
"""Relative error of half a unit that a coefficient of many digits explains, and of a number that
float64 explains."""
ALL_DIGITS = 1e-9
"""Relative error with which a law fixes a number that is printed with all digits."""
ONE_UNIT = 1.5
"""A cell that differs by less than so many units of the last decimal may be rounded in another
way."""
STEP = 1e-4
"""Relative change of such a number, to see how a law changes with it."""


class FixedValues(NamedTuple):
    """For each row whether a law fixes the value that laws give for a column."""

    fixed: NDArray[np.bool_]
    """True where a broken law fixes the value to the last printed digit, and has a cause for it."""
    about: NDArray[np.bool_]
    """True for numbers that the laws give up to the rounding of other columns only."""


def fixed_values(
    checks: Sequence[LawCheck],
    broken: NDArray[np.bool_],
    made: Sequence[NDArray[Any]],
    name: str,
    rows: TableRows,
    values: NDArray[Any],
    facts: ColumnFacts | None,
    n_known: int,
) -> FixedValues:
    """Return where a broken law fixes the values that replace the cells of a column.

    A formula fixes a value if the error that it allows is at most half a unit of the last printed
    digit of the column, and if it is broken with the next numbers. A lookup fixes a value if it
    has values for levels, not for intervals, and saw several rows of them. No constant fixes a
    value, nor does a law that computes from earlier rows.

    Parameters
    ----------
    checks : sequence of LawCheck
        The laws.
    broken : array of shape (n_checks, n_rows)
        True where a row breaks a law.
    made : sequence of array of shape (n_rows,)
        For each law the values that it gives in the rows.
    name : str
        The column.
    rows : TableRows
        The rows.
    values : array of shape (n_rows,)
        The values that replace the cells of the column; None is missing.
    facts : ColumnFacts or None
        The column of the table in which the laws were found.
    n_known : int
        The number of rows of this table.
    """
    cells = rows[name]
    there = np.array([each is not None for each in values.tolist()], dtype=bool)
    new = np.where(there, values, cells).astype(cells.dtype)
    fixed, exact = np.zeros(len(new), dtype=bool), np.zeros(len(new), dtype=bool)
    for check, hurt, given in zip(checks, broken, made, strict=True):
        law = check.law
        if name not in check.columns or not hurt.any():
            continue
        if isinstance(law, Lookup):
            exact |= hurt & (law.column == name)
            fixed |= hurt & (law.column == name and _is_seen(law, n_known))
        elif not check.law.columns:
            exact |= hurt
        elif given.dtype.kind in "OMU" or cells.dtype.kind == "O":
            fixed |= hurt & (check.column == name)
        else:
            fixed |= hurt & _is_fixed(check, given, name, rows, new, facts)
    is_number = cells.dtype.kind == "f"
    about = is_number & there & ~fixed & ~exact
    if is_number and facts is not None and facts.decimals:
        # A cell that differs by one cent may be right: rounded in another way.
        fixed &= exact | ~(np.abs(new - cells) < ONE_UNIT * 10.0**-facts.decimals)
    return FixedValues(fixed & there, about)


def _is_seen(law: Lookup, n_known: int) -> bool:
    """Return True if a lookup has values for levels, and saw several rows of each on average."""
    if any(key.thresholds for key in law.keys):
        return False  # the ends between intervals are guesses
    return law.is_part or n_known >= SEVERAL * law.n_levels


def _is_fixed(
    check: LawCheck,
    given: Array,
    name: str,
    rows: TableRows,
    new: NDArray[Any],
    facts: ColumnFacts | None,
) -> NDArray[np.bool_]:
    """Return the rows in which a formula fixes a value; see `fixed_values`."""
    law, clock = check.law, getattr(check.law, "clocks", {}).get(name)
    own = check.column == name
    if not isinstance(law, Balance) and law.looks_back:
        return np.zeros(len(new), dtype=bool)  # a cell of an earlier row may be wrong
    numbers = numbers_of(new, clock)
    decimals = None if facts is None else facts.decimals
    if clock is not None:  # days, or seconds
        decimals = 0
    half = np.full(len(new), 0.5 * 10.0**-decimals) if decimals is not None else None
    with np.errstate(all="ignore"):
        if half is None:
            half = ALL_DIGITS * np.abs(numbers)
            step = STEP * np.where(numbers == 0, 1.0, np.abs(numbers))
        else:
            step = 2 * half
        up, down = (_shifted(rows, name, new, numbers + x, clock) for x in (step, -step))
        if own:
            tolerance = check.allowed(given)
        else:
            here, there = law(Replaced(rows, name, new)), law(up)
            slope = np.abs(np.asarray(there, dtype=np.float64) - here) / step
            tolerance = check.allowed(np.asarray(here)) / slope
        fine = tolerance <= half * (1 + SLACK) + FLOAT_ERROR * np.abs(numbers)
    known = given if own else None
    only = ~_obeyed(check, up, known) & ~_obeyed(check, down, known)
    if own and decimals is not None and facts is not None and facts.half_up:
        # The middle between two numbers is rounded up: the law fixes it, too.
        only |= numbers == Rounding(decimals, half_up=True)(given)
    return np.asarray(fine & only)


def _shifted(
    rows: TableRows, name: str, new: NDArray[Any], numbers: Array, clock: Any
) -> Mapping[str, Any]:
    """Return the rows with other numbers in a column."""
    values = numbers if clock is None else clock.dates(numbers).astype(new.dtype)
    return Replaced(rows, name, values)


def _obeyed(check: LawCheck, rows: Mapping[str, Any], made: Array | None) -> NDArray[np.bool_]:
    found = check.outcome(rows, made)
    return found.tested & ~found.broken
