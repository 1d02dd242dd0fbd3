"""Rows that depend on each other, and are left out together: stretches, and rows of one unit.

In a time series, neighbouring rows resemble each other. If units such as regions are joined to
persons, all persons of a region share its attributes. A row that is left out alone is then known
from the rows that stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.rows import neighbours_resemble

N_STRETCHES = 5
"""Number of stretches of neighbouring rows; each is left out once."""
FEWEST_UNITS = 5
"""Smallest number of units that can be left out one by one."""
MOST_UNITS = 0.25
"""Largest number of units, as a share of the rows."""
EQUAL = 1e-9
"""Largest difference of two equal values of a column of deviation 1."""


def stretches(n_rows: int) -> list[IntArray]:
    """Divide the rows into stretches of neighbouring rows; return the row indices of each."""
    return [np.asarray(each) for each in np.array_split(np.arange(n_rows), N_STRETCHES)]


def groups_of(x: Array, others: Callable[[], Array]) -> list[Sequence[IntArray]]:
    """Return the ways to divide the rows into groups that are left out together.

    The list is empty if rows do not depend on each other. The groups may be stretches of a time
    series, or the rows of each unit (such as all persons of one region).

    Parameters
    ----------
    x : array of shape (n_rows,)
        The column that is explained, of standard deviation 1.
    others : callable
        Returns the columns that explain it, an array of shape (n_rows, n_columns).
    """
    found: list[Sequence[IntArray]] = []
    by_unit = units(x, others)
    if by_unit is not None:
        found.append(by_unit)
    if neighbours_resemble(x):
        found.append(stretches(len(x)))
    return found


def units(x: Array, others: Callable[[], Array]) -> list[IntArray] | None:
    """Return the row indices of each unit if a column is an attribute of units, else None.

    Units are, for example, regions, whose attributes are repeated for each person. A column is an
    attribute if it has the same value in many rows, and these rows have equal values in at least
    one other column, too, a different value in each unit. The parameters are those of `groups_of`.
    """
    order = np.argsort(x, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(x[order]) > EQUAL))
    if not FEWEST_UNITS <= len(starts) <= MOST_UNITS * len(x):
        return None
    values = others()[order]
    lowest = np.minimum.reduceat(values, starts, axis=0)
    highest = np.maximum.reduceat(values, starts, axis=0)
    equal = (highest - lowest <= EQUAL).all(axis=0)
    # A column with fewer values than units is a category; levels of categories are no units.
    if not any(len(np.unique(column)) == len(starts) for column in lowest.T[equal]):
        return None
    return list(np.split(order, starts[1:]))
