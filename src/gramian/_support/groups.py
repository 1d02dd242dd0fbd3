"""Groups of rows: labels of any kind, which the user gives, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._support.given_data import as_given
from gramian._support.types import IntArray
from gramian._support.words import counted

FEWEST_GROUPS = 2
"""Smallest number of groups of rows: one is left out, and another one stays."""


def group_numbers(labels: Any, n_rows: int | None = None) -> IntArray:
    """Return the number of the group of each row: rows of equal label are in one group.

    The group of the first row has the number 0, the next other group the number 1, and so on, so
    that nothing depends on the labels themselves.

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        Labels of any kind that Python can compare: numbers, texts, categories, dates, tuples.
    n_rows : int, optional
        The number of rows of the table. By default any number of labels is accepted.

    Examples
    --------
    >>> from gramian._support.groups import group_numbers
    >>> group_numbers(["Eva", "Ada", "Eva", "Kim"])
    array([0, 1, 0, 2])
    """
    given = as_given(labels)
    cells = given if isinstance(given, np.ndarray) else _as_array(given)
    if cells.ndim != 1:
        raise ValueError(
            f"groups must have one label for each row; it has the shape {cells.shape}. Give an "
            "array of shape (n_samples,), or the name of a column."
        )
    if n_rows is not None and len(cells) != n_rows:
        raise ValueError(
            f"groups has {counted(len(cells), 'label')}, and X has {counted(n_rows, 'row')}. Give "
            "one label for each row."
        )
    numbers = _of_objects(cells) if cells.dtype == object else _of_values(cells)
    missing = np.flatnonzero(numbers < 0)
    if len(missing):
        raise ValueError(
            f"groups has no label in {counted(len(missing), 'row')}, first in row {missing[0]}, "
            "counted from 0. Give every row a label; a row that belongs to no other row gets a "
            "label of its own."
        )
    check_number_of_groups(numbers)
    return numbers


def check_number_of_groups(numbers: IntArray, why: str = "") -> None:
    """Raise an error if there are rows, and all of them are in one group.

    Parameters
    ----------
    numbers : array of shape (n_rows,)
        The number of the group of each row.
    why : str
        A sentence for the message, which says why there is one group only.
    """
    if len(numbers) and (numbers == numbers[0]).all():
        raise ValueError(
            f"All rows are in one group, and a group that is left out needs at least one other "
            f"group that stays.{why} Give labels of at least {FEWEST_GROUPS} groups, or leave "
            "groups out."
        )


def in_order(numbers: IntArray) -> IntArray:
    """Return group numbers without gaps: 0 for the group of the first row, then 1, and so on."""
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    found: IntArray = rank[place]
    return found


def members(numbers: IntArray) -> list[IntArray]:
    """Return the indices of the rows of each group, in the order of their numbers."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order])) + 1
    return list(np.split(order, starts))


def _as_array(labels: Any) -> Any:
    """Return labels as an array; tuples and texts stay what they are."""
    if hasattr(labels, "__array__") or hasattr(labels, "__arrow_array__"):
        return np.asarray(labels)
    try:
        cells = list(labels)
    except TypeError as error:
        raise TypeError(
            f"groups must be labels, one for each row, or the name of a column; got "
            f"{type(labels).__name__}."
        ) from error
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


def _of_values(cells: Any) -> IntArray:
    """Return the group numbers of an array of numbers, texts or dates; -1 if a label is missing."""
    numbers = np.full(len(cells), -1, dtype=np.intp)
    there = ~np.isnat(cells) if cells.dtype.kind in "mM" else cells == cells
    numbers[there] = in_order(np.unique(cells[there], return_inverse=True)[1])
    return numbers


def _of_objects(cells: Any) -> IntArray:
    """Return the group numbers of an array of objects; -1 if a label is missing."""
    known: dict[Any, int] = {}
    numbers = np.empty(len(cells), dtype=np.intp)
    for i, label in enumerate(cells.tolist()):
        # NaN, NaT and pandas' NA are not equal to themselves.
        missing = label is None or str(label == label) == "False" or str(label) == "<NA>"
        try:
            numbers[i] = -1 if missing else known.setdefault(label, len(known))
        except TypeError as error:
            raise TypeError(
                f"The labels of groups must be numbers, texts, dates or other values that can be "
                f"compared; row {i} has {type(label).__name__}."
            ) from error
    return numbers
