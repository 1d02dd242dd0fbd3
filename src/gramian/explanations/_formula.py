"""A formula: a sum of coefficients times products of powers and functions of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gramian._types import Array
from gramian.explanations._functions import Function
from gramian.explanations._text import (
    DIGITS,
    MINUS,
    fraction,
    latex_name,
    latex_number,
    latex_powered,
    number,
    powered,
    quote,
)

Factors = Mapping[str | tuple[str, ...], int | Fraction | Function]
"""From a column to its exponent or a function of it; from several columns to a function of them."""


class Term(NamedTuple):
    """A coefficient, and what it is multiplied with: nothing in the constant term.

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
        """The columns that take part."""
        return tuple(
            name for key in self.factors for name in ([key] if isinstance(key, str) else key)
        )

    @property
    def is_linear(self) -> bool:
        """Whether the term is a column times its coefficient."""
        return list(self.factors.values()) == [1]


@dataclass(frozen=True)
class Formula:
    r"""A sum of terms in the columns and their units.

    Call it with the kept columns to evaluate it: an array as the estimator's `transform` returns
    it, or any table or mapping that gives columns by name.

    Attributes
    ----------
    terms : tuple of Term
        Pairs of a coefficient and a mapping from column names to exponents or functions, by
        decreasing share in the variance, the constant last.
    columns : tuple of str
        The kept columns, in the order of `transform`.
    digits : tuple of int
        How many digits of each coefficient are printed: four, and more where the rounding would
        shift the result by more than a thousandth of its standard deviation.

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
        """Evaluate the formula.

        Parameters
        ----------
        table : mapping, data frame or array of shape (n_samples, n_kept)
            The kept columns, by name or in the order of `transform`.

        Returns
        -------
        values : array of shape (n_samples,)
            A value a row.
        """
        column_of = self._reader(table)
        length = None if isinstance(table, Mapping) else np.shape(table)[:1]
        total: Array = np.zeros(length or ())
        for coefficient, factors in self.terms:
            product: Any = coefficient
            for key, factor in factors.items():
                names = [key] if isinstance(key, str) else key
                values = [column_of(name) for name in names]
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
        return _join(
            [
                (term.coefficient < 0, _text_of(term, digits))
                for term, digits in self._with_digits()
            ],
            MINUS,
        )

    def latex(self) -> str:
        """Write the formula in LaTeX's math mode."""
        terms = [
            (term.coefficient < 0, _latex_of(term, digits)) for term, digits in self._with_digits()
        ]
        return _join(terms, "-")

    def sympy(self) -> Any:
        """Return the formula as an expression of SymPy, with all digits."""
        import_sympy()
        import sympy

        total = sympy.Integer(0)
        for coefficient, factors in self.terms:
            product = sympy.Float(coefficient, 17)
            for key, factor in factors.items():
                symbols = [sympy.Symbol(name) for name in ([key] if isinstance(key, str) else key)]
                product *= (
                    factor.sympy(symbols)
                    if isinstance(factor, Function)
                    else symbols[0] ** sympy.Rational(factor)
                )
            total += product
        return total

    def _with_digits(self) -> list[tuple[Term, int]]:
        digits = self.digits or (DIGITS,) * len(self.terms)
        return list(zip(self.terms, digits, strict=True))


def import_sympy() -> None:
    """Raise an error that says what to install unless SymPy is there."""
    try:
        import sympy  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'Formulas become expressions of SymPy where it is installed: pip install "gramian'
            '[sympy]".'
        ) from error


def _join(terms: Sequence[tuple[bool, str]], minus: str) -> str:
    """Write a sum with the signs between its terms."""
    if not terms:
        return "0"
    (negative, first), *others = terms
    parts = [minus + first if negative else first]
    parts += [f"{minus if negative else '+'} {text}" for negative, text in others]
    return " ".join(parts)


def _text_of(term: Term, digits: int) -> str:
    """Write a term without its sign."""
    factors = []
    for key, factor in term.factors.items():
        names = [quote(name) for name in ([key] if isinstance(key, str) else key)]
        if isinstance(factor, Function):
            factors.append(factor.text(names))
        else:
            factors.append(powered(names[0], factor))
    coefficient = fraction(abs(term.coefficient)) or number(abs(term.coefficient), digits)
    if coefficient == "1" and factors:
        return " · ".join(factors)
    return " · ".join([coefficient, *factors])


def _latex_of(term: Term, digits: int) -> str:
    factors = []
    for key, factor in term.factors.items():
        names = [latex_name(name) for name in ([key] if isinstance(key, str) else key)]
        if isinstance(factor, Function):
            factors.append(factor.latex(names))
        else:
            factors.append(latex_powered(names[0], factor))
    coefficient = latex_number(abs(term.coefficient), digits)
    if coefficient == "1" and factors:
        return r" \, ".join(factors)
    return r" \, ".join([coefficient, *factors])
