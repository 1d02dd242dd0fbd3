"""A law that has coefficients for each level of a category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gramian._support.types import Array
from gramian.laws._dependency import LawOfLevels
from gramian.laws._relation import Relation
from gramian.laws._solution import Solution
from gramian.lookups import Slopes


@dataclass(frozen=True)
class SlopeLaw(LawOfLevels):
    """A law that gives a number by other numbers, with slopes for each level of a category.

    Attributes
    ----------
    columns : tuple of str
        The columns that the law ties: the category, the numbers, and the column that follows.
    kind : "slopes"
        What it is.
    error : float
        The root mean square of `imbalance`.
    validation_error : float
        The same on rows that took no part in finding the slopes.
    shuffled_error : float
        The same with one of its columns shuffled, for the column where it is smallest.
    evidence : float
        How improbable so good a fit is by chance, in powers of ten: against a mean for each level,
        and against slopes that all levels share.
    n_rows : int
        In how many rows all of its columns are present; it was judged by these.
    slopes : Slopes
        The coefficients of each level.
    exact : bool
        Whether nothing is left but rounding: that of the printed digits, or of computing.
    solvable : tuple of str
        The columns that the law gives in every row that has them.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> hours = np.random.default_rng(0).uniform(1, 8, 90)
    >>> who = np.array(["Ann", "Bob", "Eve"] * 30)
    >>> pay = hours * np.array([20, 30, 55] * 30)
    >>> law = gramian.relations(pd.DataFrame({"who": who, "hours": hours, "pay": pay}))[0]
    >>> law.kind, law.exact, law.columns
    ('slopes', True, ('who', 'hours', 'pay'))
    >>> law({"who": ["Eve"], "hours": [2]})
    array([110.])
    """

    slopes: Slopes
    exact: bool = False
    solvable: tuple[str, ...] = ()
    kind: Literal["slopes"] = "slopes"

    @property
    def form(self) -> Slopes:
        """The law as it is written."""
        return self.slopes

    def imbalance(self, X: Any) -> Array:
        """Return by how much each row misses the law.

        Parameters
        ----------
        X : mapping or data frame
            The columns by name.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            What the law says less what is there, over the larger of the two: 0 where the law holds.
            NaN where a column is missing or the level is not known.
        """
        expected = self.slopes(X)
        given = np.atleast_1d(np.asarray(X[self.slopes.column], dtype=np.float64))
        largest = np.maximum(np.abs(expected), np.abs(given))
        found: Array = (expected - given) / np.where(largest > 0, largest, 1.0)
        return found

    def says(self, other: Relation) -> bool:
        """Return whether another law of the same numbers says no more than this one.

        If y = 2 · x or y = 3 · x, as the level says, then (y − 2 · x) · (y − 3 · x) = 0 follows.

        Parameters
        ----------
        other : Relation
            The other law.
        """
        is_equation = not isinstance(other.form, Solution)
        return self.exact and is_equation and {*self.columns[1:]}.issuperset(other.columns)

    def solve_for(self, column: str) -> Slopes:
        """Return one of the columns as it follows from the others.

        Parameters
        ----------
        column : str
            The name of the column.
        """
        if column not in self.columns:
            raise ValueError(f"The law {self} has no column {column!r}.")
        solved = None
        if column == self.slopes.column:
            solved = self.slopes
        elif column in self.slopes.numbers:
            solved = self.slopes.solved_for(column)
        if solved is None or column not in self.solvable:
            raise ValueError(
                f"The law {self} does not give {column!r}: it has no slope in some level, or the "
                "column is there where another is missing."
            )
        return solved
