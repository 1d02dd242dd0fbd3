"""Guarded law: a formula that holds where another column has one of its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.formulas import latex_name, quote
from gramian.laws.columns import Cell, Key, Rounding, is_cell, level_text, plain_cell
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._solution import Solution


@dataclass(frozen=True)
class Guarded(ColumnLaw):
    """A law that computes a column in the rows in which another column has a certain value.

    Call the law with a data frame or mapping of the other columns to compute the column. The result
    is NaN in the other rows, so that the law drops no column.

    Attributes
    ----------
    guard : str
        The name of the column whose value tells where the law holds.
    level : str or float
        The value.
    law : Solution
        The formula that holds there.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> rng = np.random.default_rng(0)
    >>> recurred = rng.integers(0, 2, 200)
    >>> overall = rng.integers(50, 3000, 200)
    >>> free = np.where(recurred, rng.integers(1, 3000, 200), overall)
    >>> table = np.column_stack([recurred, overall, free])
    >>> (law,) = gramian.relations(table, ["recurred", "overall", "free"])
    >>> print(law)
    where recurred is 0: overall = free
    >>> law.form({"recurred": [0, 1], "free": [70, 80]})
    array([70., nan])
    """

    guard: str
    level: Cell
    law: Solution

    @property
    def column(self) -> str:  # type: ignore[override]
        """The name of the column that the law computes."""
        return self.law.column

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns from which the law computes `column`; the first tells where it holds."""
        return (self.guard, *self.law.columns)

    def __call__(self, table: Mapping[str, Any]) -> NDArray[Any]:
        """Compute the values of the column where the law holds; NaN elsewhere.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.
        """
        return np.where(self.concerned(table), self.law(table), np.nan)

    def concerned(self, table: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return a mask of the rows in which the law holds.

        Parameters
        ----------
        table : mapping or data frame
            The columns of the law, by name.
        """
        levels = Key(self.guard).cells(table[self.guard])
        return np.array([each == self.level for each in levels], dtype=bool)

    def cause(self, name: str, table: Mapping[str, Any]) -> Array | None:
        """Return the values of a column of the formula with which the law holds; NaN elsewhere.

        Parameters
        ----------
        name : str
            One of `columns`. The result is None for the column that tells where the law holds.
        table : mapping or data frame
            All columns of the law, by name.
        """
        made = None if name == self.guard else self.law.cause(name, table)
        return None if made is None else np.where(self.concerned(table), made, np.nan)

    @property
    def rounding(self) -> Rounding:
        """How the results are rounded."""
        return self.law.rounding

    def rounded_to(self, rounding: Rounding) -> Guarded:
        """Return the law with results that are rounded in a given way.

        Parameters
        ----------
        rounding : Rounding
            The number of decimals, and the way in which the middle is rounded.
        """
        return replace(self, law=self.law.rounded_to(rounding))

    @property
    def _where(self) -> str:
        return f"where {quote(self.guard)} is {level_text(self.level)}"

    def __str__(self) -> str:
        return f"{self._where}: {self.law}"

    @property
    def text(self) -> str:
        """The right-hand side of the law as text, with the rows in which it holds."""
        return f"{self.law.text} {self._where}"

    def latex(self) -> str:
        """Return the law in LaTeX's math mode."""
        level = level_text(self.level)
        return rf"{self.law.latex()} \quad \text{{where }} {latex_name(self.guard)} = {level}"

    def sympy(self) -> Any:
        """Return the formula as SymPy's Eq, without the rows in which it holds."""
        return self.law.sympy()

    def to_json(self) -> dict[str, Any]:
        """Return the law as a dictionary that can be stored as JSON."""
        return {"guard": self.guard, "level": self.level, "law": self.law.to_json()}

    @classmethod
    def from_json(cls, document: Any) -> Guarded:
        """Read a stored law; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        if not isinstance(document, dict) or set(document) != {"guard", "level", "law"}:
            raise ValueError("A stored law of some rows must have a guard, a level and a law.")
        guard, level = document["guard"], document["level"]
        if not isinstance(guard, str) or not is_cell(level):
            raise ValueError("A guard must be a name, and its level a text or a finite number.")
        law = Solution.from_json(document["law"])
        if guard in (law.column, *law.columns):
            raise ValueError(f"The guard {guard!r} must not be a column of the formula.")
        return cls(guard, plain_cell(level), law)
