"""Terms of laws, written with the names and units of the columns of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.formulas import Formula, Function, Term, latex_number, number, superscript
from gramian.laws.forms._law import Monomial, apply, comparison

RawTerm = tuple[float, Monomial]
"""A term: the coefficient for unscaled columns, and the monomial."""
SIGNS = {"le": "≤", "lt": "<", "ge": "≥", "gt": ">", "eq": "=", "ne": "≠"}
LATEX_SIGNS = {"le": r"\le", "lt": "<", "ge": r"\ge", "gt": ">", "eq": "=", "ne": r"\ne"}
SYMPY_NAMES = {"le": "Le", "lt": "Lt", "ge": "Ge", "gt": "Gt", "eq": "Eq", "ne": "Ne"}


@dataclass(frozen=True)
class PlainFunction(Function):
    """A function of an unscaled column: a product of log, exp, sin, cos, or comparisons.

    Attributes
    ----------
    parts : tuple of (str, int)
        The names of the functions in the product, with their exponents.
    """

    parts: tuple[tuple[str, int], ...] = ()

    def text(self, names: Sequence[str]) -> str:
        """Return the function as text; `names` has the name of its column."""
        return " · ".join(_text(atom, names[0]) + superscript(power) for atom, power in self.parts)

    def latex(self, names: Sequence[str]) -> str:
        """Return the function in LaTeX; `names` has the name of its column."""
        return r" \, ".join(
            _latex(atom, names[0]) + ("" if power == 1 else f"^{{{power}}}")
            for atom, power in self.parts
        )

    def sympy(self, symbols: Sequence[Any]) -> Any:
        """Return the function as an expression of SymPy; `symbols` has the symbol of its column."""
        import sympy

        product = sympy.Integer(1)
        for atom, power in self.parts:
            compared = comparison(atom)
            if compared is not None:
                holds = getattr(sympy, SYMPY_NAMES[compared[0]])(symbols[0], compared[1])
                product *= sympy.Piecewise((1, holds), (0, True)) ** power
            else:
                product *= getattr(sympy, atom)(symbols[0]) ** power
        return product


def _text(atom: str, name: str) -> str:
    compared = comparison(atom)
    if compared is not None:
        return f"[{name} {SIGNS[compared[0]]} {number(compared[1], 6)}]"
    return f"{atom}({name})"


def _latex(atom: str, name: str) -> str:
    compared = comparison(atom)
    if compared is not None:
        return rf"\left[{name} {LATEX_SIGNS[compared[0]]} {latex_number(compared[1], 6)}\right]"
    return rf"\{atom}\left({name}\right)"


def plain_function(parts: tuple[tuple[str, int], ...]) -> PlainFunction:
    """Return a `PlainFunction`: the product of functions of one column, each with an exponent."""
    name = "·".join(atom for atom, _ in parts)
    return PlainFunction(name, None, (0.0,), (1.0,), partial(_product, parts), parts)


def _product(parts: tuple[tuple[str, int], ...], x: Array) -> Array:
    """Return the values of a product of powers of functions at the values `x` of a column."""
    found = np.ones(len(x))
    for atom, power in parts:
        found = found * apply(atom, x) ** power
    return found


def factors_of(monomial: Monomial, names: Sequence[str]) -> dict[Any, Any]:
    """Return the factors of a `Term`: name → exponent, then (name,) → function of the column."""
    found: dict[Any, Any] = {names[i]: power for (i, atom), power in monomial if atom == "x"}
    functions: dict[int, list[tuple[str, int]]] = {}
    for (i, atom), power in monomial:
        if atom != "x":
            functions.setdefault(i, []).append((atom, int(power)))
    for i, parts in functions.items():
        # The key is a tuple, because the name is the key of a power of the column itself.
        found[(names[i],)] = plain_function(tuple(parts))
    return found


def terms_of(raw: Iterable[RawTerm], names: Sequence[str]) -> tuple[Term, ...]:
    """Return terms as `Term` objects, with names in place of column indices.

    Parameters
    ----------
    raw : iterable of RawTerm
        Pairs of a coefficient and a monomial.
    names : sequence of str
        The names of all columns.
    """
    return tuple(Term(value, factors_of(monomial, names)) for value, monomial in raw)


def formula_of(terms: tuple[Term, ...], digits: Iterable[int]) -> Formula:
    """Return the sum of the terms as a `Formula`.

    `digits` has, for each term, the number of digits of its coefficient in text.
    """
    columns = dict.fromkeys(name for term in terms for name in term.columns)
    return Formula(terms, tuple(columns), tuple(digits))
