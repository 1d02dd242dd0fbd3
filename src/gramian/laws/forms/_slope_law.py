"""Slope law: a law that has coefficients for each level of a category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gramian._support.types import Array
from gramian.laws.forms._dependency import Dependency, LawOfLevels
from gramian.laws.forms._relation import Relation
from gramian.laws.forms._slopes import Slopes


@dataclass(frozen=True)
class SlopeLaw(LawOfLevels):
    """A law that gives a number by other numbers, with slopes for each level of a category.

    Attributes
    ----------
    columns : tuple of str
        The columns that the law ties: the category, the numbers, and the column that follows.
    kind : "slopes"
        The kind of law.
    error : float
        The root mean square of `imbalance`.
    validation_error : float
        The root mean square of `imbalance` on held-out rows.
    shuffled_error : float
        The root mean square of `imbalance` if one column of the law is shuffled; the smallest over
        columns.
    evidence : float
        How improbable so good a fit is by chance, in powers of ten. Chance means: a mean for each
        level, or slopes that all levels share.
    n_rows : int
        The number of rows that have all columns of the law; these rows judge the law.
    slopes : Slopes
        The coefficients of each level.
    exact : bool
        True if the errors are no larger than those of rounding: of printed digits, or float64.
    solvable : tuple of str
        The columns that the law gives wherever they have a value.

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
        """The law solved for the column that follows."""
        return self.slopes

    def imbalance(self, X: Any) -> Array:
        """Return the relative error of the law in each row.

        Parameters
        ----------
        X : mapping or data frame
            The columns by name.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            The predicted value minus the given value, divided by the larger of the two: 0 where the
            law holds. NaN where a column is missing or the level is not known.
        """
        expected = self.slopes(X)
        given = np.atleast_1d(np.asarray(X[self.slopes.column], dtype=np.float64))
        largest = np.maximum(np.abs(expected), np.abs(given))
        found: Array = (expected - given) / np.where(largest > 0, largest, 1.0)
        return found

    def says(self, other: Relation) -> bool:
        """Return True if a law among numbers follows from this law.

        If y = 2 · x or y = 3 · x, as the level says, then (y − 2 · x) · (y − 3 · x) = 0 follows.

        Parameters
        ----------
        other : Relation
            The law among numbers.
        """
        return self.exact and other.solved is None and {*self.columns[1:]}.issuperset(other.columns)

    def solve_for(self, column: str) -> Slopes:
        """Solve the law for one of its columns.

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
                f"The law {self} does not give {column!r}: its slope is zero in some level, or "
                "it has values where another column is missing."
            )
        return solved


LevelLaw = Dependency | SlopeLaw
"""A law that gives a column by levels."""
