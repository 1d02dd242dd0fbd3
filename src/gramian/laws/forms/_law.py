"""Law: terms that add up to zero, each a coefficient times powers and functions of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.columns import Traits

Variable = tuple[int, str]
"""A column and an atom: "x" for the column itself, a key of `ATOMS`, or a comparison."""
Power = int | Fraction
Monomial = tuple[tuple[Variable, Power], ...]
"""Variables with their exponents, sorted."""
ONE: Monomial = ()
"""The monomial of the constant term."""

ATOMS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "log": (np.log, lambda x: 1 / x),
    "exp": (np.exp, np.exp),
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda x: -np.sin(x)),
}
"""Functions of columns, with their derivatives."""
COMPARISONS: dict[str, Callable[[Array, float], NDArray[np.bool_]]] = {
    "le": np.less_equal,
    "gt": np.greater,
    "eq": np.equal,
    "ne": np.not_equal,
}
"""Comparisons: 1 where a column compares so with a number, else 0, as in "le 10.0"."""

SMALLEST = np.finfo(np.float64).tiny
"""Smallest normal float64: its inverse is finite."""


def comparison(atom: str) -> tuple[str, float] | None:
    """Return the kind and the number of a comparison; None for other atoms."""
    kind, _, value = atom.partition(" ")
    return (kind, float(value)) if kind in COMPARISONS else None


def apply(atom: str, x: Array) -> Array:
    """Return the values of an atom of a column."""
    compared = comparison(atom)
    values: Array
    if compared is None:
        values = ATOMS[atom][0](x)
    else:
        kind, value = compared
        values = COMPARISONS[kind](x, value).astype(np.float64)
    return values


def derivative(atom: str, x: Array) -> Array:
    """Return the derivative of an atom; zero for comparisons."""
    slopes: Array = ATOMS[atom][1](x) if atom in ATOMS else np.zeros(len(x))
    return slopes


def multiplied(one: Monomial, other: Monomial) -> Monomial:
    """Multiply two monomials."""
    powers = dict(one)
    for variable, power in other:
        powers[variable] = powers.get(variable, 0) + power
    return tuple(sorted((variable, plain_power(p)) for variable, p in powers.items() if p))


def plain_power(power: Power) -> Power:
    """Return a power as int if it is whole, else as Fraction."""
    return power.numerator if power.denominator == 1 else power


def columns_of(monomials: Iterable[Monomial]) -> list[int]:
    """Return the columns of monomials, in order."""
    return sorted({column for each in monomials for (column, _), _ in each})


class Values:
    """Rows of a table, with a cache of functions of its columns.

    Columns are divided by a power of two near their size, which costs no digits and keeps products
    of many columns finite. The search also reads the traits of the columns.
    """

    def __init__(self, x: Array, scale: Array, traits: Sequence[Traits] = ()) -> None:
        self.x = x
        self.scale = scale
        self.traits = traits
        self._known: dict[Variable, Array] = {}

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.x)

    def take(self, rows: IntArray | NDArray[np.bool_]) -> Values:
        """Return the values of some rows."""
        return Values(self.x[rows], self.scale, self.traits)

    def shuffled(self, column: int, order: IntArray) -> Values:
        """Return the values with one column in another order."""
        x = self.x.copy()
        x[:, column] = x[order, column]
        return Values(x, self.scale, self.traits)

    def of(self, variable: Variable) -> Array:
        """Return the values of a variable."""
        if variable not in self._known:
            column, atom = variable
            x = self.x[:, column]
            self._known[variable] = x / self.scale[column] if atom == "x" else apply(atom, x)
        return self._known[variable]

    def product(self, monomial: Monomial) -> Array:
        """Return the values of a monomial."""
        found = np.ones(self.n_rows)
        for variable, power in monomial:
            found *= self.of(variable) ** float(power)
        return found

    def matrix(self, monomials: Sequence[Monomial]) -> Array:
        """Return the values of monomials as a matrix in Fortran's order, one column each."""
        found = np.empty((self.n_rows, len(monomials)), order="F")
        at: dict[Monomial, int] = {}
        for i, monomial in enumerate(monomials):
            at[monomial] = i
            if monomial:
                variable, power = monomial[-1]
                rest = ((variable, power - 1),) if power != 1 else ()
                parent = at.get((*monomial[:-1], *rest)) if power >= 1 else None
                if parent is not None:
                    np.multiply(found[:, parent], self.of(variable), out=found[:, i])
                    continue
            found[:, i] = self.product(monomial)
        return found


@dataclass(frozen=True)
class Law:
    """Coefficients and monomials whose sum is zero, in the scaled columns of `Values`."""

    coefficients: Array
    monomials: tuple[Monomial, ...]

    @property
    def columns(self) -> list[int]:
        """The columns that the law ties."""
        return columns_of(self.monomials)

    @property
    def is_linear(self) -> bool:
        """True if the law is a sum of columns, without powers, products or functions."""
        return all(sum(map(_degree, each)) <= 1 for each in self.monomials)

    def raw_coefficients(self, scale: Array) -> Array:
        """Return the coefficients in the units of the table; the largest has the size 1.

        Squares of columns of 1e±150 overflow: the units are kept as logarithms.
        """
        logs = np.array(
            [
                -sum(power * np.log(scale[i]) for (i, atom), power in each if atom == "x")
                for each in self.monomials
            ]
        ) + np.log(np.abs(self.coefficients))
        found: Array = np.sign(self.coefficients) * np.exp(logs - logs.max())
        return found

    def is_writable(self, scale: Array) -> bool:
        """Return True if coefficients are finite in the units of the table, whichever is set to 1.

        They are not if the units of the terms differ by more than the range of float64.
        """
        return bool((np.abs(self.raw_coefficients(scale)) >= SMALLEST).all())

    def terms(self, values: Values) -> Array:
        """Return the values of the terms as a matrix, one column each."""
        return values.matrix(self.monomials) * self.coefficients

    def imbalance(self, values: Values) -> Array:
        """Return the sum of the terms divided by the size of the largest term, row by row."""
        terms = self.terms(values)
        largest = np.abs(terms).max(axis=1)
        # NaN, where a column is missing, stays NaN.
        found: Array = terms.sum(axis=1) / np.where(largest == 0, 1.0, largest)
        return found

    def error(self, values: Values) -> float:
        """Return the root mean square of the imbalance."""
        imbalance = self.imbalance(values)
        return float(np.sqrt(np.mean(imbalance**2)))

    def overall_error(self, values: Values) -> float:
        """Return the root mean square of the sum of terms, divided by that of the largest term."""
        terms = self.terms(values)
        largest = np.abs(terms).max(axis=1)
        size = float(np.sqrt(np.mean(largest**2)))
        return float(np.sqrt(np.mean(terms.sum(axis=1) ** 2))) / size if size > 0 else 0.0

    def gradient(self, values: Values) -> Array:
        """Return the derivatives by the scaled columns, as a matrix like the table."""
        found = np.zeros(values.x.shape)
        for column in self.columns:
            found[:, column] = self.slope(values, column)
        return found

    def slope(self, values: Values, column: int) -> Array:
        """Return the derivative by a scaled column, row by row."""
        found = np.zeros(values.n_rows)
        for coefficient, monomial in zip(self.coefficients, self.monomials, strict=True):
            for place, ((i, atom), power) in enumerate(monomial):
                if i != column:
                    continue
                rest = (*monomial[:place], *monomial[place + 1 :])
                inner = float(power) * values.of((column, atom)) ** float(power - 1)
                if atom != "x":
                    inner = inner * derivative(atom, values.x[:, column]) * values.scale[column]
                found += coefficient * values.product(rest) * inner
        return found


def _degree(factor: tuple[Variable, Power]) -> float:
    """Return the absolute power of a column; infinity for a function of a column."""
    (_, atom), power = factor
    return abs(float(power)) if atom == "x" else math.inf
