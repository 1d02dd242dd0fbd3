"""Extreme: a column is the larger or the smaller of two columns, or of a column and a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import is_storable_text
from gramian.formulas import MINUS, import_sympy, latex_name, number, quote
from gramian.laws.columns import (
    ROUNDING_KEYS,
    UNROUNDED,
    Rounding,
    is_finite_number,
    stored_rounding,
)
from gramian.laws.forms._column_law import ColumnLaw


@dataclass(frozen=True)
class Extreme(ColumnLaw):
    """A law that a column is the maximum or minimum of two numbers.

    Each number is a constant or a multiple of a column, plus a constant that both share.

    Attributes
    ----------
    column : str
        The name of the column that the law computes.
    largest : bool
        True for the maximum, False for the minimum.
    parts : tuple of (float, str or None)
        The factor and the name of each column; None in place of a name for a constant.
    rounding : Rounding
        How the result is rounded.
    added : float
        A constant that is added to both numbers: max(x − 168, 0) is max(x, 168) with −168 added.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> weight, volumetric = np.random.default_rng(0).uniform(1, 30, (2, 200)).round(1)
    >>> table = {"weight": weight, "volumetric": volumetric}
    >>> table["charged"] = np.maximum(weight, volumetric)
    >>> law = gramian.relations(table)[0]
    >>> print(law)
    charged = max(volumetric, weight)
    >>> law({"weight": [2.0], "volumetric": [3.5]})
    array([3.5])
    """

    column: str
    largest: bool
    parts: tuple[tuple[float, str | None], ...]
    rounding: Rounding = UNROUNDED
    added: float = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns from which the law computes `column`."""
        return tuple(name for _, name in self.parts if name is not None)

    def __call__(self, table: Mapping[str, Any]) -> Array:
        """Compute the values of the column.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.

        Returns
        -------
        values : array of shape (n_samples,)
            The column; NaN where a value is missing.
        """
        first, second = (
            factor if name is None else factor * np.asarray(table[name], dtype=np.float64)
            for factor, name in self.parts
        )
        found = np.atleast_1d((np.maximum if self.largest else np.minimum)(first, second))
        with np.errstate(all="ignore"):  # a cell may be infinite
            return self.rounding(found + self.added)

    def rounded_to(self, rounding: Rounding) -> Extreme:
        """Return the law with a result that is rounded in a given way.

        Parameters
        ----------
        rounding : Rounding
            The number of decimals, and the way in which the middle is rounded.
        """
        return replace(self, rounding=rounding)

    @property
    def text(self) -> str:
        """The right-hand side of the law, such as max(4.9, 0.0025 · value)."""
        parts = [self._written(part, quote, " · ") for part in self.parts]
        return f"{'max' if self.largest else 'min'}({', '.join(parts)})"

    def _written(
        self, part: tuple[float, str | None], quoted: Callable[[str], str], times: str
    ) -> str:
        """Return one of the two numbers as text.

        Parameters
        ----------
        part : tuple of (float, str or None)
            One of `parts`.
        quoted : callable
            Writes the name of a column.
        times : str
            The sign between a factor and a column.
        """
        factor, name = part
        if name is None:
            return number(factor + self.added, 12)
        multiple = quoted(name) if factor == 1 else f"{number(factor, 12)}{times}{quoted(name)}"
        sign = "+" if self.added > 0 else MINUS if times == " · " else "-"
        return f"{multiple} {sign} {number(abs(self.added), 12)}" if self.added else multiple

    def __str__(self) -> str:
        return f"{quote(self.column)} = {self.text}"

    def latex(self) -> str:
        """Return the law in LaTeX's math mode."""
        parts = [self._written(part, latex_name, r" \, ") for part in self.parts]
        function = r"\max" if self.largest else r"\min"
        return rf"{latex_name(self.column)} = {function}\left({', '.join(parts)}\right)"

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq, with Max or Min on the right-hand side."""
        sympy = import_sympy()
        parts = [
            sympy.Float(factor + self.added)
            if name is None
            else factor * sympy.Symbol(name) + self.added
            for factor, name in self.parts
        ]
        function = sympy.Max if self.largest else sympy.Min
        return sympy.Eq(sympy.Symbol(self.column), function(*parts), evaluate=False)

    def to_json(self) -> dict[str, Any]:
        """Return the law as a dictionary that can be stored as JSON."""
        document = {
            "extreme": self.column,
            "largest": self.largest,
            "parts": [list(each) for each in self.parts],
            **self.rounding.document(),
        }
        return document | {"added": self.added} if self.added else document

    @classmethod
    def from_json(cls, document: Any) -> Extreme:
        """Read a stored law; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        keys = {"extreme", "largest", "parts"}
        every = keys | ROUNDING_KEYS | {"added"}
        if not isinstance(document, dict) or not keys <= {*document} <= every:
            raise ValueError("A stored maximum must have a column, largest, parts and decimals.")
        column, parts = document["extreme"], document["parts"]
        if not isinstance(document["largest"], bool):
            raise ValueError("largest of a stored maximum must be true or false.")
        if not isinstance(parts, list) or len(parts) != 2 or not all(map(_is_part, parts)):
            raise ValueError("The parts of a stored maximum must be two factors with columns.")
        names = [name for _, name in parts if name is not None]
        if not is_storable_text(column) or not names or column in names:
            raise ValueError("A stored maximum must compute a column from other columns.")
        added = document.get("added", 0.0)
        if not is_finite_number(added):
            raise ValueError("The added constant of a stored maximum must be a number.")
        made = tuple((float(factor), name) for factor, name in parts)
        rounding = stored_rounding(document)
        return cls(column, document["largest"], made, rounding, float(added))


def _is_part(part: Any) -> bool:
    """Return True if a stored part is a finite factor and the name of a column or None."""
    if not isinstance(part, list) or len(part) != 2:
        return False
    factor, name = part
    return is_finite_number(factor) and (name is None or is_storable_text(name))
