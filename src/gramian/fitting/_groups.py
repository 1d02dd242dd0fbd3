"""Groups of rows that a user gives to a fit: labels, or the name of a column that has them."""

from __future__ import annotations

from typing import Any

from gramian._support.groups import group_numbers
from gramian._support.types import IntArray
from gramian.core.rows import Source, TableSource

IN_MEMORY = (
    "groups needs all rows in memory, because the rows of a group can be anywhere in the table."
)
"""First sentence of errors for data that are not read into memory."""


def refuse_groups_of_dask(groups: Any) -> None:
    """Raise an error if groups are given for a Dask collection."""
    if groups is not None:
        raise TypeError(f"{IN_MEMORY} Give X.compute(), or leave groups out.")


def refuse_groups_of_stream(groups: Any, source: Source) -> None:
    """Raise an error if groups are given for a source that is read block by block.

    Parameters
    ----------
    groups : object
        What the user gave; None if there are no groups.
    source : Source
        The source that is too large for the memory, or of unknown size.
    """
    if groups is None:
        return
    remedy = "Raise memory_budget" if isinstance(source, TableSource) else "Give one table"
    raise ValueError(f"{IN_MEMORY} {source} is read in pieces. {remedy}, or leave groups out.")


def named_labels(X: Any, groups: Any) -> Any:
    """Return labels of the rows of a table in memory, which may be given as the name of a column.

    Parameters
    ----------
    X : object
        The table.
    groups : str, array or None
        The name of the column, or the labels.
    """
    if not isinstance(groups, str):
        return groups
    if not hasattr(X, "columns"):
        raise TypeError(f"groups={groups!r} names a column, and X has no names; give the labels.")
    if groups not in getattr(X, "column_names", X.columns):
        raise ValueError(f"There is no column {groups!r} to take groups from.")
    return X[groups]


def checked_groups(labels: Any, n_rows: int) -> IntArray | None:
    """Return the number of the group of each row; None if no labels are given.

    Parameters
    ----------
    labels : array-like of shape (n_rows,), or None
        The labels of the rows.
    n_rows : int
        The number of rows.
    """
    return None if labels is None else group_numbers(labels, n_rows)
