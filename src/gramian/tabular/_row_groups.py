"""Groups of the rows of a table: the column that has their labels, and the labels as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gramian._support.groups import group_numbers
from gramian._support.types import IntArray
from gramian._support.words import counted
from gramian.tables import Table
from gramian.tabular._column_roles import find
from gramian.tabular._messages import OptionError, UnusableTableError


def column_of_groups(groups: Any, names: Sequence[str]) -> Any:
    """Return the name of the column that the option `groups` names; labels stay unchanged.

    Parameters
    ----------
    groups : str, array-like or None
        Value of the option: the name of a column, or a label for each row.
    names : sequence of str
        Names of all columns of the table.
    """
    if not isinstance(groups, str):
        return groups
    found = find(groups, names, "groups")
    if len(found) > 1:
        raise OptionError(
            "{groups:{pattern!r}} matches {n_found}, and the labels of rows are in one: name it",
            pattern=groups,
            n_found=counted(len(found), "column"),
        )
    return found[0]


def labels_in(table: Table, column: str) -> Any:
    """Return the cells of a column as an array of labels.

    Parameters
    ----------
    table : Table
        The table.
    column : str
        The name of the column.
    """
    return np.asarray(table.read([column]).column(0))


def row_groups(table: Table, groups: Any) -> IntArray | None:
    """Return the number of the group of each row of a table; None without groups.

    Parameters
    ----------
    table : Table
        The table.
    groups : str, array-like or None
        The name of the column that has the labels, or a label for each row.
    """
    if groups is None:
        return None
    if table.too_large:
        raise UnusableTableError(
            "{groups} needs all rows in memory, and {table} is read in pieces: raise "
            "{memory_budget}, or leave {groups} out",
            table=table.name,
        )
    labels, n_rows = groups, None
    if isinstance(groups, str):
        labels = labels_in(table, groups)
    else:
        n_rows = table.read(list(table.columns)[:1]).num_rows
    try:
        return group_numbers(labels, n_rows)
    except (TypeError, ValueError) as error:
        problem = str(error).removesuffix(".")
        raise UnusableTableError("{table}: {problem}", table=table.name, problem=problem) from error
