"""Base class of laws that compute a column: formulas, lookups, slopes, composed dates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.formulas import import_sympy, latex_name
from gramian.laws.columns import Rounding


class ColumnLaw(ABC):
    """A law solved for one column: a Solution, Lookup, Slopes, ComposedDate, Extreme or Series.

    Call the law with a data frame or mapping of the other columns to compute the column.

    Attributes
    ----------
    column : str
        The name of the column that the law computes.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> U, I = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> found = gramian.relations(np.column_stack([U, I, 0.001 * U * I]), ["U", "I", "P"])
    >>> law = found.redundant()["P"]
    >>> isinstance(law, gramian.laws.ColumnLaw)
    True
    >>> law.column, law.columns, law.text
    ('P', ('U', 'I'), '0.001 · U · I')
    """

    # A new form implements the abstract members, and adds its reader to READERS in _law_documents.
    # The defaults of the other members suit a law that has no levels and is not a formula.

    column: str

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns from which the law computes `column`."""

    @abstractmethod
    def __call__(self, table: Mapping[str, Any]) -> NDArray[Any]:
        """Compute the values of the column.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.
        """

    @property
    @abstractmethod
    def text(self) -> str:
        """The right-hand side of the law as text: "0.001 · U · I" for P = 0.001 · U · I."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the law as a dictionary that can be stored as JSON."""

    @property
    def looks_back(self) -> bool:
        """True if a value depends on earlier rows, and not on its own row alone."""
        return False

    def continued(self, table: Mapping[str, Any], before: Any = None) -> tuple[NDArray[Any], Any]:
        """Compute the column in the next rows of a table that is read piece by piece.

        Parameters
        ----------
        table : mapping or data frame
            The other columns in these rows, by name.
        before : object, optional
            The second result for the rows before; None for the first rows.

        Returns
        -------
        values : array
            The values of the column.
        after : object
            What the law remembers of the rows so far; None if a row has all that it needs.
        """
        return self(table), None

    def concerned(self, table: Mapping[str, Any]) -> NDArray[np.bool_] | None:
        """Return a mask of the rows about which the law says something; None for all rows.

        Parameters
        ----------
        table : mapping or data frame
            All columns of the law, by name.
        """
        return None

    def cause(self, name: str, table: Mapping[str, Any]) -> Array | None:
        """Return the values of a column on the right-hand side with which the law holds.

        Parameters
        ----------
        name : str
            One of `columns`.
        table : mapping or data frame
            All columns of the law, by name.

        Returns
        -------
        values : array of shape (n_samples,) or None
            The values; NaN where there is none. None if the law cannot be solved for the column.
        """
        return None

    def rounded_to(self, rounding: Rounding) -> ColumnLaw:
        """Return the law with a result that is rounded in a given way.

        A law that looks values up returns the values of the table, and needs no rounding.

        Parameters
        ----------
        rounding : Rounding
            The number of decimals, and the way in which the middle is rounded.
        """
        return self

    @property
    def divides(self) -> bool:
        """True if the law takes a ratio, root or function of other columns.

        A person computes a total from parts, and hardly a part from the total and other factors.
        """
        return False

    @property
    def is_formula(self) -> bool:
        """True if the law computes numbers from numbers, without distinct values or dates."""
        return False

    @property
    def gives_dates(self) -> bool:
        """True if the computed values are dates."""
        return False

    @property
    def n_levels(self) -> int:
        """The number of levels (distinct values of a category) in the law; 0 for a formula."""
        return 0

    @property
    def causes(self) -> tuple[str, ...]:
        """The columns and parts of dates that determine the column, as texts."""
        return self.columns

    @property
    def head(self) -> str:
        """The heading of the first column if `entries` are shown as a table."""
        return ", ".join(self.causes)

    @property
    def size(self) -> str:
        """The number of levels (distinct values) in words; empty if the law has no levels."""
        return ""

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of texts, a level (distinct value) and the result for it.

        There are no pairs if the law has no levels.
        """
        return iter(())

    def latex(self) -> str:
        """Return the law in LaTeX's math mode, as y = f(x) with the letter f for the law."""
        inner = ", ".join(map(latex_name, self.causes))
        return rf"{latex_name(self.column)} = f\left({inner}\right)"

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq, with an undefined function f on the right-hand side."""
        sympy = import_sympy()
        inner = map(sympy.Symbol, self.causes)
        return sympy.Eq(sympy.Symbol(self.column), sympy.Function("f")(*inner), evaluate=False)
