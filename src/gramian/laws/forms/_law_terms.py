"""Terms of laws: coefficients, functions and formulas in the units of the table."""

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
"""A coefficient in the units of the table, and a monomial."""
SIGNS = {"le": "≤", "gt": ">", "eq": "=", "ne": "≠"}
LATEX_SIGNS = {"le": r"\le", "gt": ">", "eq": "=", "ne": r"\ne"}
SYMPY_NAMES = {"le": "Le", "gt": "Gt", "eq": "Eq", "ne": "Ne"}


@dataclass(frozen=True)
class PlainFunction(Function):
    """A function of a column in its own units: log, exp, sin, cos, or a comparison.

    Attributes
    ----------
    parts : tuple of (str, int)
        The functions that are multiplied, with their exponents.
    """

    parts: tuple[tuple[str, int], ...] = ()

    def text(self, names: Sequence[str]) -> str:
        """Return the function as text."""
        return " · ".join(_text(atom, names[0]) + superscript(power) for atom, power in self.parts)

    def latex(self, names: Sequence[str]) -> str:
        """Return the function in LaTeX."""
        return r" \, ".join(
            _latex(atom, names[0]) + ("" if power == 1 else f"^{{{power}}}")
            for atom, power in self.parts
        )

    def sympy(self, symbols: Sequence[Any]) -> Any:
        """Return the function as an expression of SymPy."""
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
    """Return the product of functions of one column."""
    name = "·".join(atom for atom, _ in parts)
    return PlainFunction(name, None, (0.0,), (1.0,), partial(_product, parts), parts)


def _product(parts: tuple[tuple[str, int], ...], x: Array) -> Array:
    """Return the values of a product of powers of functions of a column."""
    found = np.ones(len(x))
    for atom, power in parts:
        found = found * apply(atom, x) ** power
    return found


def factors_of(monomial: Monomial, names: Sequence[str]) -> dict[Any, Any]:
    """Return the factors of a term, plain powers first."""
    found: dict[Any, Any] = {names[i]: power for (i, atom), power in monomial if atom == "x"}
    functions: dict[int, list[tuple[str, int]]] = {}
    for (i, atom), power in monomial:
        if atom != "x":
            functions.setdefault(i, []).append((atom, int(power)))
    for i, parts in functions.items():
        # The key is a tuple, because a power of the column may be a factor, too.
        found[(names[i],)] = plain_function(tuple(parts))
    return found


def terms_of(raw: Iterable[RawTerm], names: Sequence[str]) -> tuple[Term, ...]:
    """Return terms with the names of columns."""
    return tuple(Term(value, factors_of(monomial, names)) for value, monomial in raw)


def formula_of(terms: tuple[Term, ...], digits: Iterable[int]) -> Formula:
    """Return a formula of terms with printed digits."""
    columns = dict.fromkeys(name for term in terms for name in term.columns)
    return Formula(terms, tuple(columns), tuple(digits))
