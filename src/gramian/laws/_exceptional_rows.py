"""Rows that break a law: decides whether wrong cells are the reason, or there is no law."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._relation_maker import RelationMaker
from gramian.laws.forms import Relation

LEAST_OF_ALL = 0.7
"""Smallest share of all rows that obey a law: each of three columns may have 10 % of wrong cells.

Of the rows that obey the laws of the other columns, a larger share obeys it.
"""
RIGHT_CELLS = 0.89
"""Smallest share of right cells of a column; the rows of two columns are right less often."""
SCATTERED = 0.9
"""With fewer rows than this share that obey a law, those that break it must be anywhere."""
CLOSE = 1e-9
"""A coefficient is 1 if its difference is less than this."""
MOST_DEVIATIONS = 4.0
"""Neighbours that both break a law may be more than by chance by this many deviations."""


def breaks_by_wrong_cells(relation: Relation, maker: RelationMaker, rows: Array) -> bool:
    """Return True if wrong cells may be the reason why rows break a law, or if no row breaks it.

    Many rows that break it one after the other obey another rule. A row number has no wrong cells.

    Parameters
    ----------
    relation : Relation
        The law.
    maker : RelationMaker
        It made the law.
    rows : array of shape (n_rows, n_columns)
        The rows of the table, in their order.
    """
    if not relation.n_exceptions:
        return True
    if relation.share < max(LEAST_OF_ALL, RIGHT_CELLS ** len(relation.columns)):
        return False
    columns = relation._law.columns
    if any(i in maker.counters for i in columns):
        return False
    if relation.share >= SCATTERED:
        return True
    complete = rows[~np.isnan(rows[:, columns]).any(axis=1)]
    return not in_runs(~maker.holds(relation._law, complete, relation._target))


def is_line_through_two_points(relation: Relation, rows: Array) -> bool:
    """Return True if a line has two columns of two values each: then they look each other up.

    Parameters
    ----------
    relation : Relation
        The law.
    rows : array of shape (n_rows, n_columns)
        The rows of the table.
    """
    columns = relation._law.columns
    if relation.kind != "linear" or len(columns) != 2:
        return False
    if all(abs(abs(value) - 1) < CLOSE for value, each in relation._raw if each):
        return False
    return all(len(np.unique(x[~np.isnan(x)])) == 2 for x in rows[:, columns].T)


def in_runs(broken: NDArray[np.bool_]) -> bool:
    """Return True if marked rows follow each other far more often than by chance.

    Parameters
    ----------
    broken : array of bool
        The marks of the rows, in their order.
    """
    n_pairs = int((broken[1:] & broken[:-1]).sum())
    expected = float(broken.mean()) ** 2 * (len(broken) - 1)
    return n_pairs > expected + MOST_DEVIATIONS * math.sqrt(expected)
