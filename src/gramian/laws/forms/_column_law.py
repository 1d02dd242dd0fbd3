"""The protocol of all forms that give a column: formulas, lookups, slopes, composed dates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from gramian.formulas import import_sympy, latex_name


class ColumnLaw(ABC):
    """A law solved for one column: a Solution, Lookup, Slopes or ComposedDate.

    Call it with a table or mapping that gives the other columns by name.

    Attributes
    ----------
    column : str
        The column that the law gives.

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
    # The other members have defaults for a law without levels and without formula.

    column: str

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that are needed."""

    @abstractmethod
    def __call__(self, table: Mapping[str, Any]) -> NDArray[Any]:
        """Compute the column.

        Parameters
        ----------
        table : mapping or data frame
            The other columns by name.
        """

    @property
    @abstractmethod
    def text(self) -> str:
        """The right-hand side of the law."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the law as plain lists, dictionaries, numbers and texts, to be stored."""

    @property
    def is_formula(self) -> bool:
        """True if the law computes numbers from numbers, without levels or dates."""
        return False

    @property
    def gives_dates(self) -> bool:
        """True if the column holds dates."""
        return False

    @property
    def n_levels(self) -> int:
        """The number of levels that the law has learned; 0 if the law needs no levels."""
        return 0

    @property
    def causes(self) -> tuple[str, ...]:
        """The columns, and the parts of dates, that the column follows from."""
        return self.columns

    @property
    def head(self) -> str:
        """The heading above the levels of `entries`."""
        return ", ".join(self.causes)

    @property
    def size(self) -> str:
        """The number of levels in words; empty if the law has no levels."""
        return ""

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield each level and the value there as texts; nothing if the law has no levels."""
        return iter(())

    def latex(self) -> str:
        """Write the law in LaTeX's math mode, as a function f."""
        inner = ", ".join(map(latex_name, self.causes))
        return rf"{latex_name(self.column)} = f\left({inner}\right)"

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq, with an undefined function f."""
        sympy = import_sympy()
        inner = map(sympy.Symbol, self.causes)
        return sympy.Eq(sympy.Symbol(self.column), sympy.Function("f")(*inner), evaluate=False)
