"""Formula: a sum of terms, each a coefficient times powers and functions of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.extras import require
from gramian._support.types import Array
from gramian.formulas._function import Function
from gramian.formulas._notation import (
    DIGITS,
    MINUS,
    decimal_logarithm,
    fraction,
    latex_fraction,
    latex_name,
    latex_number,
    latex_powered,
    number,
    powered,
    quote,
)

Factors = Mapping[str | tuple[str, ...], int | Fraction | Function]
"""Factors of a term: column → its exponent or a function; several columns → their function."""


class Term(NamedTuple):
    """A term of a formula: a coefficient times factors; the constant term has no factors.

    Examples
    --------
    >>> from gramian.explanations import Term
    >>> term = Term(0.001, {"voltage": 1, "current": 1})
    >>> term.columns
    ('voltage', 'current')
    """

    coefficient: float
    factors: Factors

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that occur in the term."""
        return tuple(name for key in self.factors for name in _columns_of(key))

    @property
    def is_linear(self) -> bool:
        """True if the term is a coefficient times one column."""
        return list(self.factors.values()) == [1]


@dataclass(frozen=True)
class Formula:
    r"""A sum of terms: coefficients times powers and functions of columns, in their units.

    Call the formula with the kept columns to evaluate it. The kept columns are an array, as the
    estimator's `transform` returns it, or a data frame or mapping with column names.

    Attributes
    ----------
    terms : tuple of Term
        Pairs of a coefficient and a mapping from column names to exponents or functions. Terms with
        the largest standard deviation come first, the constant comes last.
    columns : tuple of str
        The names of the kept columns, in the order of `transform`.
    digits : tuple of int
        The number of printed digits of each coefficient: four, or more if four digits would shift
        the result by more than a thousandth of its standard deviation.

    Examples
    --------
    >>> from gramian.explanations import Formula, Term
    >>> formula = Formula(
    ...     (Term(0.5, {"mass": 1, "speed": 2}), Term(-3.0, {})), ("mass", "speed")
    ... )
    >>> print(formula)
    0.5 · mass · speed² − 3
    >>> float(formula({"mass": 2.0, "speed": 3.0}))
    6.0
    >>> formula.latex()
    '0.5 \\, \\mathrm{mass} \\, \\mathrm{speed}^{2} - 3'
    """

    terms: tuple[Term, ...]
    columns: tuple[str, ...]
    digits: tuple[int, ...] = ()

    def __call__(self, table: Mapping[str, ArrayLike] | ArrayLike) -> Array:
        """Evaluate the formula in each row.

        Parameters
        ----------
        table : mapping, data frame or array of shape (n_samples, n_kept)
            The kept columns, by name or in the order of `transform`.

        Returns
        -------
        values : array of shape (n_samples,)
            The value of the formula in each row.
        """
        column_of = self._reader(table)
        length = None if isinstance(table, Mapping) else np.shape(table)[:1]
        total: Array = np.zeros(length or ())
        for coefficient, factors in self.terms:
            product: Any = coefficient
            for key, factor in factors.items():
                values = [column_of(name) for name in _columns_of(key)]
                if isinstance(factor, Function):
                    product = product * factor(*values).reshape(values[0].shape)
                else:
                    power = factor if isinstance(factor, int) else float(factor)
                    product = product * values[0] ** power
            total = total + product
        return total

    def _reader(self, table: Any) -> Any:
        if isinstance(table, Mapping) or hasattr(table, "columns"):
            return lambda name: np.asarray(table[name], dtype=np.float64)
        array = np.asarray(table, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != len(self.columns):
            raise ValueError(
                f"The formula takes the {len(self.columns)} kept columns as transform returns "
                f"them, or a table or mapping with names; got an array of shape {array.shape}."
            )
        position = {name: i for i, name in enumerate(self.columns)}
        return lambda name: array[:, position[name]]

    def __str__(self) -> str:
        return self._write(TEXT)

    def latex(self) -> str:
        """Return the formula in LaTeX's math mode."""
        return self._write(LATEX)

    def _write(self, notation: Notation) -> str:
        """Return the formula as text in one notation, with + or - between the terms."""
        digits = self.digits or (DIGITS,) * len(self.terms)
        parts: list[str] = []
        for term, n in zip(self.terms, digits, strict=True):
            sign = notation.minus if term.coefficient < 0 else "+" if parts else ""
            text = notation.write(term, n)
            parts.append(f"{sign} {text}" if parts else sign + text)
        return " ".join(parts) or "0"

    def sympy(self) -> Any:
        """Return the formula as an expression of SymPy; coefficients have all digits."""
        sympy = import_sympy()
        total = sympy.Integer(0)
        for coefficient, factors in self.terms:
            product = sympy.Float(coefficient, 17)
            for key, factor in factors.items():
                symbols = [sympy.Symbol(name) for name in _columns_of(key)]
                product *= (
                    factor.sympy(symbols)
                    if isinstance(factor, Function)
                    else symbols[0] ** sympy.Rational(factor)
                )
            total += product
        return total


def import_sympy() -> Any:
    """Import and return sympy; raise an error with the command to install it if it is missing."""
    return require("sympy", "A formula as an expression of SymPy")


class Notation(NamedTuple):
    """Functions that write the parts of a formula, as text or in LaTeX."""

    number: Callable[[float, int], str]
    name: Callable[[str], str]
    power: Callable[[str, int | Fraction], str]
    function: Callable[[Function, Sequence[str]], str]
    times: str
    minus: str
    decimal_log: str

    def write(self, term: Term, digits: int) -> str:
        """Return a term as text in this notation, without its sign."""
        size = abs(term.coefficient)
        logs = [each for each in term.factors.values() if getattr(each, "kind", None) == "log"]
        decimal = decimal_logarithm(size) if len(logs) == 1 else None
        coefficient = self.number(size if decimal is None else decimal, digits)
        factors = []
        for key, factor in term.factors.items():
            names = [self.name(each) for each in _columns_of(key)]
            if isinstance(factor, Function):
                text = self.function(factor, names)
                if decimal is not None and factor is logs[0]:
                    text = text.replace("log", self.decimal_log, 1)
                factors.append(text)
            else:
                factors.append(self.power(names[0], factor))
        if coefficient != "1" or not factors:
            factors.insert(0, coefficient)
        return self.times.join(factors)


TEXT = Notation(
    lambda size, digits: fraction(size) or number(size, digits),
    quote,
    powered,
    lambda function, names: function.text(names),
    " · ",
    MINUS,
    "log10",
)
LATEX = Notation(
    lambda size, digits: latex_fraction(size) or latex_number(size, digits),
    latex_name,
    latex_powered,
    lambda function, names: function.latex(names),
    r" \, ",
    "-",
    "log_{10}",
)


def _columns_of(key: str | tuple[str, ...]) -> tuple[str, ...]:
    return (key,) if isinstance(key, str) else key
