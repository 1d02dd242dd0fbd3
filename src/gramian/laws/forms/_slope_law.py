"""Slope law: a linear law with other coefficients for each distinct value of a category."""

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
    """A law that computes a number from other numbers, with separate slopes for each level.

    Levels are the distinct values of a category, such as a text column.

    Attributes
    ----------
    columns : tuple of str
        All columns of the law: the category, the numbers, and the dependent column.
    kind : "slopes"
        The kind of law.
    error : float
        The root mean square of `imbalance`.
    validation_error : float
        The root mean square of `imbalance` on held-out rows.
    shuffled_error : float
        The root mean square of `imbalance` after shuffling one column of the law; the smallest
        value over the columns.
    evidence : float
        How improbable so good a fit is by chance, in powers of ten: 6 is one in a million. The fit
        is compared with two simpler models: a mean for each level, and slopes that are equal in all
        levels.
    n_rows : int
        The number of rows without missing values in the columns of the law; the law was tested
        on these rows.
    slopes : Slopes
        The object that computes the dependent column, with the coefficients of each level.
    exact : bool
        True if errors are only rounding errors: of float64, or of the numbers in the table.
    solvable : tuple of str
        The columns that the law computes in every row in which they have a value.
    n_exceptions : int
        Always 0: rows that miss the law are its `error`.
    allowed_error : AllowedError
        The largest error of the dependent column that rounding or noise explain; a row with a
        larger error breaks the law.

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
        """The law as a `Slopes` object, which computes the dependent column."""
        return self.slopes

    def imbalance(self, X: Any) -> Array:
        """Return the relative error of the law in each row.

        Parameters
        ----------
        X : mapping or data frame
            All columns of the law, by name.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            The computed value minus the value in the table, divided by the larger of the two: 0
            where the law holds. NaN where a value is missing or the law does not have the level.
        """
        expected = self.slopes(X)
        given = np.atleast_1d(np.asarray(X[self.slopes.column], dtype=np.float64))
        largest = np.maximum(np.abs(expected), np.abs(given))
        found: Array = (expected - given) / np.where(largest > 0, largest, 1.0)
        return found

    def says(self, other: Relation) -> bool:
        """Return True if a law among numbers follows from this law.

        Example: if y = 2 · x in one level and y = 3 · x in the other, then the law among numbers
        (y − 2 · x) · (y − 3 · x) = 0 follows.

        Parameters
        ----------
        other : Relation
            The law among numbers that may be a consequence of this law.
        """
        return self.exact and other.solved is None and {*self.columns[1:]}.issuperset(other.columns)

    def solve_for(self, column: str) -> Slopes:
        """Solve the law for one of its columns.

        Parameters
        ----------
        column : str
            The name of the column to compute.
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
"""Type of a law of levels: a lookup or composed date, or slopes by level."""
