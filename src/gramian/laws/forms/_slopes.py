"""Slopes: a linear formula for a column, with slopes for each distinct value of a category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import counted, is_storable_text
from gramian.formulas import Formula, Term, import_sympy, latex_name, quote
from gramian.laws.columns import (
    ROUNDING_KEYS,
    UNROUNDED,
    Cell,
    Key,
    Rounding,
    is_cell,
    is_finite_number,
    level_text,
    plain_cell,
    rounded,
    stored_rounding,
)
from gramian.laws.forms._column_law import ColumnLaw

SHOWN = 3
"""Largest number of levels whose formulas are printed in the text of a law."""


@dataclass(frozen=True)
class Slopes(ColumnLaw):
    """A linear formula for a column, with separate slopes for each level of a category.

    Levels are the distinct values of a category, such as a text column.

    Call the law with a data frame or mapping of the other columns to compute the column.

    Attributes
    ----------
    column : str
        The name of the column that the law computes.
    key : Key
        The category: a column, or a part of a date.
    numbers : tuple of str
        The numeric columns that are multiplied by slopes.
    levels : tuple
        The levels of the category, each a text or a number.
    coefficients : tuple of tuple of float
        For each level: the slope of each column in `numbers`, then a constant.
    rounding : Rounding
        How the result is rounded.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> weight = np.random.default_rng(0).uniform(1, 20, 100)
    >>> product = np.array(["egg", "ham"] * 50)
    >>> price = np.where(product == "egg", 1.5 * weight + 2, 4 * weight)
    >>> table = pd.DataFrame({"product": product, "weight": weight, "price": price})
    >>> law = gramian.relations(table)[0]
    >>> print(law)
    price = 1.5 · weight + 2 where product is egg, 4 · weight where product is ham
    >>> law.solve_for("price")({"product": ["ham", "tea"], "weight": [2.0, 2.0]})
    array([ 8., nan])
    """

    column: str
    key: Key
    numbers: tuple[str, ...]
    levels: tuple[Cell, ...] = field(repr=False)
    coefficients: tuple[tuple[float, ...], ...] = field(repr=False)
    rounding: Rounding = UNROUNDED

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns from which the law computes `column`."""
        return (self.key.column, *self.numbers)

    @property
    def n_levels(self) -> int:
        """The number of levels (distinct values) of the category."""
        return len(self.levels)

    @cached_property
    def _places(self) -> dict[Cell, int]:
        return {rounded(level): i for i, level in enumerate(self.levels)}

    def __call__(self, table: Mapping[str, Any]) -> Array:
        """Compute the values of the column.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.

        Returns
        -------
        values : array of shape (n_samples,)
            The column; NaN where a value is missing, or where the law does not have the level.
        """
        cells = self.key.cells(table[self.key.column])
        unknown = len(self.levels)
        places = [unknown if c is None else self._places.get(rounded(c), unknown) for c in cells]
        known = np.vstack([self.coefficients, np.full(len(self.numbers) + 1, np.nan)])
        own = known[np.array(places, dtype=np.intp)]
        total: Array = own[:, -1].copy()
        with np.errstate(all="ignore"):  # a cell may be infinite
            for slope, name in zip(own.T, self.numbers, strict=False):
                total += slope * np.atleast_1d(np.asarray(table[name], dtype=np.float64))
            return self.rounding(total)

    def cause(self, name: str, table: Mapping[str, Any]) -> Array | None:
        """Return the values of a column of `numbers` with which the law holds.

        Parameters
        ----------
        name : str
            One of `columns`.
        table : mapping or data frame
            All columns of the law, by name.
        """
        solved = self.solved_for(name) if name in self.numbers else None
        return None if solved is None else solved(table)

    def rounded_to(self, rounding: Rounding) -> Slopes:
        """Return the law with a result that is rounded in a given way.

        Parameters
        ----------
        rounding : Rounding
            The number of decimals, and the way in which the middle is rounded.
        """
        return replace(self, rounding=rounding)

    def solved_for(self, number: str) -> Slopes | None:
        """Return the law solved for a column of `numbers`; None if one of its slopes is zero.

        Parameters
        ----------
        number : str
            The name of the column to compute.
        """
        place = self.numbers.index(number)
        table = np.array(self.coefficients)
        own = table[:, [place]]
        if not own.all():
            return None
        turned = -table / own
        turned[:, place] = 1 / own[:, 0]
        numbers = tuple(self.column if each == number else each for each in self.numbers)
        return Slopes(number, self.key, numbers, self.levels, tuple(map(tuple, turned.tolist())))

    def formulas(self) -> Iterator[tuple[str, Formula]]:
        """Yield for each level (distinct value of the category) its text and its formula."""
        for level, (*slopes, constant) in zip(self.levels, self.coefficients, strict=True):
            terms = [Term(c, {x: 1}) for c, x in zip(slopes, self.numbers, strict=True) if c]
            terms += [Term(constant, {})] if constant else []
            yield level_text(level), Formula(tuple(terms), self.numbers)

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of texts: a level (distinct value of the category), and its formula."""
        for level, formula in self.formulas():
            yield level, str(formula)

    def __str__(self) -> str:
        return f"{quote(self.column)} = {self.text}"

    @property
    def causes(self) -> tuple[str, ...]:
        """The category and the numeric columns that determine the column, as texts."""
        return (str(self.key), *self.numbers)

    @property
    def head(self) -> str:
        """The name of the category: the heading of its values in a table."""
        return str(self.key)

    @property
    def text(self) -> str:
        """The right-hand side of the law as text, with the formulas of the first few levels.

        A level is a distinct value of the category; `SHOWN` levels are written.
        """
        first = islice(self.formulas(), SHOWN)
        parts = [f"{formula} where {self.key.text} is {level}" for level, formula in first]
        if len(self.levels) > SHOWN:
            parts.append(f"... ({self.size})")
        return ", ".join(parts)

    @property
    def size(self) -> str:
        """The number of levels (distinct values of the category), in words."""
        return counted(len(self.levels), "level")

    def latex(self) -> str:
        """Return the law in LaTeX's math mode, with the formulas of the first few levels.

        A level is a distinct value of the category; `SHOWN` levels are written.
        """
        key = latex_name(str(self.key))
        rows = [
            rf"{formula.latex()} & {key} = {latex_name(level)}"
            for level, formula in islice(self.formulas(), SHOWN)
        ]
        if len(self.levels) > SHOWN:
            rows.append(r"\ldots & \ldots")
        inner = r" \\ ".join(rows)
        return rf"{latex_name(self.column)} = \begin{{cases}} {inner} \end{{cases}}"

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq; a Piecewise has a formula for each category value."""
        sympy = import_sympy()
        key = sympy.Symbol(str(self.key))
        cases = [
            (formula.sympy(), sympy.Eq(key, sympy.Symbol(level), evaluate=False))
            for level, formula in self.formulas()
        ]
        inner = sympy.Piecewise(*cases, evaluate=False)
        return sympy.Eq(sympy.Symbol(self.column), inner, evaluate=False)

    def to_json(self) -> dict[str, Any]:
        """Return the law as a dictionary that can be stored as JSON."""
        return {
            "slopes": self.column,
            "key": self.key.to_json(),
            "numbers": list(self.numbers),
            "levels": list(self.levels),
            "coefficients": [list(each) for each in self.coefficients],
            **self.rounding.document(),
        }

    @classmethod
    def from_json(cls, document: Any) -> Slopes:
        """Read stored slopes; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        names = {"slopes", "key", "numbers", "levels", "coefficients"}
        if not isinstance(document, dict) or not names <= {*document} <= names | ROUNDING_KEYS:
            raise ValueError(f"Stored slopes must have {sorted(names)}.")
        column, numbers, levels = (document[name] for name in ("slopes", "numbers", "levels"))
        rows = document["coefficients"]
        key = Key.from_json(document["key"])
        if not all(isinstance(each, list) and each for each in (numbers, levels, rows)):
            raise ValueError(
                "Numbers, levels and coefficients of slopes must be lists, and not empty."
            )
        columns = [column, key.column, *numbers]
        if not all(map(is_storable_text, columns)) or len({*columns}) < len(columns):
            raise ValueError("The columns of stored slopes must have names, all of them different.")
        if not all(map(is_cell, levels)) or len(rows) != len(levels):
            raise ValueError(
                "Levels of stored slopes must be texts or numbers, each with coefficients."
            )
        if not all(
            isinstance(row, list)
            and len(row) == len(numbers) + 1
            and all(map(is_finite_number, row))
            for row in rows
        ):
            raise ValueError("Each level must have a finite slope for each number, and a constant.")
        cells = tuple(map(plain_cell, levels))
        coefficients = tuple(tuple(map(float, row)) for row in rows)
        return cls(column, key, tuple(numbers), cells, coefficients, stored_rounding(document))
