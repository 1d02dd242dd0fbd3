"""Dependency: a law that computes a column by a lookup or by composing a date."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.formulas import Term, quote
from gramian.laws.columns import Key
from gramian.laws.forms._allowed_error import NO_ERROR, AllowedError
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._composed_date import ComposedDate
from gramian.laws.forms._extreme import Extreme
from gramian.laws.forms._guarded import Guarded
from gramian.laws.forms._law_check import LawCheck
from gramian.laws.forms._lookup import Lookup
from gramian.laws.forms._relation import Relation
from gramian.laws.forms._series import Series


@dataclass(frozen=True)
class LawOfLevels(ABC):
    """Base class of laws in which distinct values (levels) of columns determine another column.

    `form` computes this column.
    """

    columns: tuple[str, ...]
    error: float
    validation_error: float
    shuffled_error: float
    evidence: float
    n_rows: int
    n_exceptions: int = field(default=0, kw_only=True)
    allowed_error: AllowedError = field(default=NO_ERROR, kw_only=True)
    rounding: ClassVar[float] = 0.0
    terms: ClassVar[tuple[Term, ...]] = ()

    @property
    @abstractmethod
    def form(self) -> ColumnLaw:
        """The law as an object that computes the dependent column."""

    @property
    def gives(self) -> str:
        """The dependent column."""
        return self.form.column

    @property
    def share(self) -> float:
        """The share of the rows that obey the law."""
        return 1 - self.n_exceptions / max(self.n_rows, 1)

    @property
    def n_levels(self) -> int:
        """The number of levels (distinct values of a category) in the law."""
        return self.form.n_levels

    @property
    def check(self) -> LawCheck:
        """The law with its allowed error, as a test of the rows of another table."""
        return LawCheck(self.form, str(self.form), *self.allowed_error, 1 - self.share)

    @property
    def checks(self) -> tuple[LawCheck, ...]:
        """The law as tests of another table: one for each column that it determines."""
        return (self.check,)

    def __str__(self) -> str:
        return str(self.form)

    def latex(self) -> str:
        """Return the law in LaTeX's math mode."""
        return self.form.latex()

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq."""
        return self.form.sympy()

    def says(self, other: Relation) -> bool:
        """Return True if a law among numbers follows from this law.

        Parameters
        ----------
        other : Relation
            The law among numbers that may be a consequence of this law.
        """
        return False

    def __call__(self, table: Mapping[str, Any]) -> NDArray[Any]:
        """Compute the dependent column.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.
        """
        return self.form(table)


AnyForm = Lookup | ComposedDate | Extreme | Series | Guarded
"""The forms of a law that gives a column, other than formulas and slopes."""
PART = 0.02
"""Share of the rows that break a law, and that a maximum or minimum gives."""


@dataclass(frozen=True)
class Dependency(LawOfLevels):
    """A law in which levels of some columns determine another column: zip code → city.

    Levels are the distinct values of a column.

    Attributes
    ----------
    columns : tuple of str
        All columns of the law; the dependent column is the last.
    kind : "lookup", "extreme", "series" or "guarded"
        The kind of law: "extreme" for the maximum or minimum of two numbers, "series" for a column
        that is computed from earlier rows of another, "guarded" for a formula that holds where
        another column has a certain value.
    error : float
        The share of rows that break the law.
    validation_error : float
        Rows that break the law, divided by the number of repeated rows (rows that are not the
        first of their level).
    shuffled_error : float
        The share of rows that do not have the most frequent value of the dependent column: the
        error of a constant guess.
    evidence : float
        How improbable it is that the repeated rows agree with the law by chance, in powers of ten:
        6 is one in a million.
    n_rows : int
        The number of rows without missing values in the columns of the law; the law was tested
        on these rows.
    lookup : Lookup, ComposedDate, Extreme, Series or Guarded
        The object that computes the dependent column: from levels, from the parts of a date, as the
        maximum or minimum of two numbers, from earlier rows, or in some rows by a formula.
    inverse : Lookup or None
        The lookup in the other direction, if each of two columns determines the other; else None.
    solvable : tuple of str
        The columns that the law computes in every row in which they have a value.
    n_exceptions : int
        The number of rows that break the law.
    allowed_error : AllowedError
        The largest error of a number that rounding explains; a row with a larger error breaks the
        law.
    tested : Lookup or None
        The lookup with which other tables are tested, if it is by intervals of a number: it has no
        value between two intervals where no row was seen. Otherwise None, and `lookup` tests them.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> product = pd.Series(np.random.default_rng(0).choice([*"abcd"], 120))
    >>> price = product.map({"a": 5, "b": 2, "c": 5, "d": 3})
    >>> table = pd.DataFrame({"product": product, "price": price})
    >>> law = gramian.relations(table)[0]
    >>> print(law)
    price follows from product (4 levels)
    >>> law.exact, law({"product": ["b", "x"]})
    (True, array([ 2., nan]))
    """

    lookup: AnyForm
    inverse: Lookup | None = None
    solvable: tuple[str, ...] = ()
    kind: Literal["lookup", "extreme", "series", "guarded"] = "lookup"
    tested: Lookup | None = field(default=None, repr=False)

    @property
    def exact(self) -> bool:
        """True if no row breaks the law."""
        return self.error == 0

    @property
    def form(self) -> AnyForm:
        """The object that computes the dependent column."""
        return self.lookup

    @property
    def check(self) -> LawCheck:
        """The law with its allowed error, as a test of the rows of another table."""
        found = super().check
        return found if self.tested is None else replace(found, law=self.tested)

    @property
    def checks(self) -> tuple[LawCheck, ...]:
        """The law as tests of another table: one for each column that it determines."""
        if self.inverse is None:
            return (self.check,)
        back = self.inverse
        return self.check, LawCheck(back, str(back), *back.allowed_error, self.check.allowed_share)

    def __str__(self) -> str:
        if self.inverse is None:
            return super().__str__()
        both = f"{quote(self.lookup.column)} and {quote(self.inverse.column)}"
        return f"{both} follow from each other ({self.lookup.size})"

    def says(self, other: Relation) -> bool:
        """Return True if a law among numbers is a part of this law, or approximates it.

        A fee that is at least 4.9 is a multiple of the value in all rows but those with 4.9. Where
        a formula holds in some rows, an equation that is 0 = 0 in the others says nothing more.

        Parameters
        ----------
        other : Relation
            The law among numbers, with exceptions or noise.
        """
        if other.typical_error:
            return {*self.columns} <= {*other.columns}
        if self.kind == "guarded":  # (a − b) · (c − 1) = 0: an equation of no single column
            return {*self.columns} == {*other.columns} and other.solved is None
        fewer = self.n_exceptions + PART * self.n_rows <= other.n_exceptions
        return self.kind == "extreme" and self.lookup.column in other.columns and fewer

    def imbalance(self, X: Any) -> Array:
        """Return 1 for each row that breaks the law.

        Parameters
        ----------
        X : mapping or data frame
            All columns of the law, by name.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            0 where the law holds, 1 where the row breaks the law, NaN where a value is missing or
            the lookup does not have the level.
        """
        key = Key(self.lookup.column)
        expected, given = key.cells(self.lookup(X)), key.cells(X[self.lookup.column])
        return np.array(
            [
                np.nan if a is None or b is None else float(a != b)
                for a, b in zip(expected, given, strict=True)
            ]
        )

    def solve_for(self, column: str) -> AnyForm:
        """Return the object that computes one column of the law.

        Parameters
        ----------
        column : str
            The name of the column to compute.
        """
        if column not in self.columns:
            raise ValueError(f"The law {self} has no column {column!r}.")
        for each in (self.lookup, self.inverse):
            if each is not None and each.column == column and column in self.solvable:
                return each
        raise ValueError(
            f"The law {self} does not give {column!r}: more than one of its values has the same "
            "levels of the other columns, or it has values where another column is missing."
        )
