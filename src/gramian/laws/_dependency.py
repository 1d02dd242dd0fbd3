"""Laws of levels, and of these the dependency: a law without a formula."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.formulas import Term, quote
from gramian.lookups import ComposedDate, Key, LevelLaw, Lookup


@dataclass(frozen=True)
class LawOfLevels(ABC):
    """What is known of a law of levels; its form computes the column that follows."""

    columns: tuple[str, ...]
    error: float
    validation_error: float
    shuffled_error: float
    evidence: float
    n_rows: int
    rounding: ClassVar[float] = 0.0
    terms: ClassVar[tuple[Term, ...]] = ()

    @property
    @abstractmethod
    def form(self) -> LevelLaw:
        """The law as it is written."""

    def __str__(self) -> str:
        return str(self.form)

    def latex(self) -> str:
        """Write the law in LaTeX's math mode."""
        return self.form.latex()

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq, as that of its form."""
        return self.form.sympy()

    def __call__(self, table: Mapping[str, Any]) -> NDArray[Any]:
        """Compute the column that follows.

        Parameters
        ----------
        table : mapping or data frame
            The other columns by name.
        """
        return self.form(table)


@dataclass(frozen=True)
class Dependency(LawOfLevels):
    """A law that gives a column by the levels of others: the city by the zip code.

    Attributes
    ----------
    columns : tuple of str
        The columns that the law ties; the one that follows is the last.
    kind : "lookup"
        What it is.
    error : float
        The share of rows that break it.
    validation_error : float
        The share of *repeated* rows that break it: those that are not the first of their level.
    shuffled_error : float
        The share of rows that miss the most frequent value, which is all that is known of a column
        that is shuffled.
    evidence : float
        How improbable it is that these repeated rows agree by chance, in powers of ten.
    n_rows : int
        In how many rows all of its columns are present; it was judged by these.
    lookup : Lookup or ComposedDate
        Which value belongs to which levels; how a date is put together.
    inverse : Lookup or None
        The other way round, where each column follows from the other.
    solvable : tuple of str
        The columns that the law gives in every row that has them.

    Examples
    --------
    >>> import pandas as pd
    >>> import gramian
    >>> table = pd.DataFrame({"product": [*"abcdab"] * 20, "price": [5, 2, 5, 3, 5, 2] * 20})
    >>> law = gramian.relations(table)[0]
    >>> print(law)
    price follows from product (4 levels)
    >>> law.exact, law({"product": ["b", "x"]})
    (True, array([ 2., nan]))
    """

    lookup: Lookup | ComposedDate
    inverse: Lookup | None = None
    solvable: tuple[str, ...] = ()
    kind: Literal["lookup"] = "lookup"

    @property
    def exact(self) -> bool:
        """Whether no row breaks it."""
        return self.error == 0

    @property
    def form(self) -> Lookup | ComposedDate:
        """The law as it is written."""
        return self.lookup

    def __str__(self) -> str:
        if self.inverse is None:
            return super().__str__()
        both = f"{quote(self.lookup.column)} and {quote(self.inverse.column)}"
        return f"{both} follow from each other ({self.lookup.size})"

    def imbalance(self, X: Any) -> Array:
        """Return in which rows the law does not hold.

        Parameters
        ----------
        X : mapping or data frame
            The columns by name.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            0 where the law holds, 1 where it does not, and NaN where a column is missing or a level
            is not known.
        """
        key = Key(self.lookup.column)
        expected, given = key.cells(self.lookup(X)), key.cells(X[self.lookup.column])
        return np.array(
            [
                np.nan if a is None or b is None else float(a != b)
                for a, b in zip(expected, given, strict=True)
            ]
        )

    def solve_for(self, column: str) -> Lookup | ComposedDate:
        """Return the lookup that gives one of the columns.

        Parameters
        ----------
        column : str
            The name of the column.
        """
        if column not in self.columns:
            raise ValueError(f"The law {self} has no column {column!r}.")
        for each in (self.lookup, self.inverse):
            if each is not None and each.column == column and column in self.solvable:
                return each
        raise ValueError(
            f"The law {self} does not give {column!r}: more than one of its values has the same "
            "levels of the others, or it is there where one of them is missing."
        )
