"""Law: terms that add up to zero; a term is a coefficient times powers of functions of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.columns import Traits

Variable = tuple[int, str]
"""A column index and an atom: "x" (the column itself), a key of `ATOMS`, or a comparison."""
Power = int | Fraction
Monomial = tuple[tuple[Variable, Power], ...]
"""A product of powers: pairs of a variable and its exponent, sorted by variable."""
ONE: Monomial = ()
"""The monomial 1, of the constant term: a product without factors."""

ATOMS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "log": (np.log, lambda x: 1 / x),
    "exp": (np.exp, np.exp),
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda x: -np.sin(x)),
}
"""Functions of one column that laws may contain: name → (function, derivative)."""
COMPARISONS: dict[str, Callable[[Array, float], NDArray[np.bool_]]] = {
    "le": np.less_equal,
    "lt": np.less,
    "ge": np.greater_equal,
    "gt": np.greater,
    "eq": np.equal,
    "ne": np.not_equal,
}
"""Comparisons of a column with a number, 1 if true, else 0: "le 10.0" is 1 where x ≤ 10."""

SMALLEST = np.finfo(np.float64).tiny
"""Smallest normal float64: the smallest coefficient by which a law can be divided."""


def comparison(atom: str) -> tuple[str, float] | None:
    """Split a comparison such as "le 10.0" into its kind and number: ("le", 10.0).

    The result is None for other atoms, which are functions of a column such as "log".
    """
    kind, _, value = atom.partition(" ")
    return (kind, float(value)) if kind in COMPARISONS else None


def apply(atom: str, x: Array) -> Array:
    """Return the values of an atom at the values `x` of a column.

    An atom is the name of a function, such as "log", or a comparison, such as "le 10.0".
    """
    compared = comparison(atom)
    values: Array
    if compared is None:
        values = ATOMS[atom][0](x)
    else:
        kind, value = compared
        values = COMPARISONS[kind](x, value).astype(np.float64)
    return values


def derivative(atom: str, x: Array) -> Array:
    """Return the derivative of an atom (see `apply`) at the values `x`; zero for comparisons."""
    slopes: Array = ATOMS[atom][1](x) if atom in ATOMS else np.zeros(len(x))
    return slopes


def multiplied(one: Monomial, other: Monomial) -> Monomial:
    """Return the product of two monomials; factors with exponent 0 are removed."""
    powers = dict(one)
    for variable, power in other:
        powers[variable] = powers.get(variable, 0) + power
    return tuple(sorted((variable, plain_power(p)) for variable, p in powers.items() if p))


def plain_power(power: Power) -> Power:
    """Return an exponent as int if it is a whole number, else as Fraction."""
    return power.numerator if power.denominator == 1 else power


def columns_of(monomials: Iterable[Monomial]) -> list[int]:
    """Return the indices of all columns that occur in monomials, sorted."""
    return sorted({column for each in monomials for (column, _), _ in each})


class Values:
    """Rows of a table in which laws are evaluated, with a cache of functions of columns.

    Each column is divided by `scale`, a power of two near its size. This division is exact, and
    products of many columns stay finite. `traits` are facts about the columns for the search.
    `groups` has the number of the group of each row, if the user gave groups.
    """

    def __init__(
        self,
        x: Array,
        scale: Array,
        traits: Sequence[Traits] = (),
        groups: IntArray | None = None,
    ) -> None:
        self.x = x
        self.scale = scale
        self.traits = traits
        self.groups = groups
        self._known: dict[Variable, Array] = {}
        self._n_distinct: dict[int, int] = {}
        self._half_units: dict[int, Array] = {}

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.x)

    def take(self, rows: IntArray | NDArray[np.bool_]) -> Values:
        """Return a `Values` object with some of the rows; `rows` is an index array or a mask."""
        groups = None if self.groups is None else self.groups[rows]
        return Values(self.x[rows], self.scale, self.traits, groups)

    def joined(self, other: Values) -> Values:
        """Return a `Values` object with these rows, followed by the rows of `other`."""
        groups = None
        if self.groups is not None and other.groups is not None:
            groups = np.concatenate([self.groups, other.groups])
        return Values(np.concatenate([self.x, other.x]), self.scale, self.traits, groups)

    def shuffled(self, column: int, order: IntArray) -> Values:
        """Return a `Values` object in which the values of one column are permuted by `order`."""
        x = self.x.copy()
        x[:, column] = x[order, column]
        found = Values(x, self.scale, self.traits, self.groups)
        found._known = {each: f for each, f in self._known.items() if each[0] != column}
        found._half_units = {i: half for i, half in self._half_units.items() if i != column}
        return found

    def of(self, variable: Variable) -> Array:
        """Return the values of a variable, (column, atom), in all rows.

        The variable is the column divided by its scale, or a function of the unscaled column.
        """
        if variable not in self._known:
            column, atom = variable
            x = self.x[:, column]
            self._known[variable] = x / self.scale[column] if atom == "x" else apply(atom, x)
        return self._known[variable]

    def n_distinct(self, column: int) -> int:
        """Return the number of different values of a column."""
        if column not in self._n_distinct:
            self._n_distinct[column] = len(np.unique(self.x[:, column]))
        return self._n_distinct[column]

    def half_unit(self, column: int) -> Array:
        """Return half a unit of the last printed digit of each value of a column."""
        if column not in self._half_units:
            precision = self.traits[column].precision
            self._half_units[column] = precision.half_unit(self.x[:, column])
        return self._half_units[column]

    def product(self, monomial: Monomial) -> Array:
        """Return the values of a monomial in all rows."""
        if not monomial:
            return np.ones(self.n_rows)
        variable, power = monomial[0]
        found: Array = self.of(variable) ** float(power)
        for variable, power in monomial[1:]:
            found *= self.of(variable) ** float(power)
        return found

    def matrix(self, monomials: Sequence[Monomial]) -> Array:
        """Return the values of monomials, of shape (n_rows, n_monomials), in Fortran's order."""
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
    """An equation: coefficients times monomials of columns add up to zero.

    Columns are divided by their scales; a monomial is a product of powers of columns or functions.
    """

    coefficients: Array
    monomials: tuple[Monomial, ...]

    @property
    def columns(self) -> list[int]:
        """The indices of the columns that occur in the law."""
        return columns_of(self.monomials)

    @property
    def is_linear(self) -> bool:
        """True if the law is a sum of columns, without powers, products or functions."""
        shapes = ([(atom, power) for (_, atom), power in each] for each in self.monomials)
        return all(each in ([], [("x", 1)]) for each in shapes)

    @property
    def is_polynomial(self) -> bool:
        """True if the law has at least three terms, with products or powers, and no comparison."""
        atoms = {atom for each in self.monomials for (_, atom), _ in each}
        return len(self.monomials) > 2 and not self.is_linear and not any(map(comparison, atoms))

    def raw_coefficients(self, scale: Array) -> Array:
        """Return the coefficients for unscaled columns, divided by the largest absolute value.

        The function adds logarithms, because powers of the scales may overflow: the square of a
        column of size 1e200 is larger than the largest float64.
        """
        logs = np.array(
            [
                -sum(power * np.log(scale[i]) for (i, atom), power in each if atom == "x")
                for each in self.monomials
            ]
        ) + np.log(np.abs(self.coefficients))
        found: Array = np.sign(self.coefficients) * np.exp(logs - logs.max())
        return found

    def renumbered(self, places: Mapping[int, int]) -> Law:
        """Return the law with new column indices: `places` maps old indices to new ones."""
        monomials = tuple(
            tuple(((places[i], atom), power) for (i, atom), power in each)
            for each in self.monomials
        )
        return Law(self.coefficients, monomials)

    def is_writable(self, scale: Array) -> bool:
        """Return True if the law for unscaled columns can be divided by any of its coefficients.

        The result is False if the coefficients differ by more than the range of float64.
        """
        return bool((np.abs(self.raw_coefficients(scale)) >= SMALLEST).all())

    def terms(self, values: Values) -> Array:
        """Return the values of the terms of the law in each row, of shape (n_rows, n_terms)."""
        return values.matrix(self.monomials) * self.coefficients

    def imbalance(self, values: Values) -> Array:
        """Return for each row the sum of the terms, divided by the largest absolute term."""
        terms = self.terms(values)
        largest = np.abs(terms).max(axis=1)
        # The result is NaN where a column is missing.
        found: Array = terms.sum(axis=1) / np.where(largest == 0, 1.0, largest)
        return found

    def error(self, values: Values) -> float:
        """Return the root mean square of `imbalance` over the rows."""
        imbalance = self.imbalance(values)
        return float(np.sqrt(np.mean(imbalance**2)))

    def missed(self, values: Values, column: int) -> Array:
        """Return for each row the error of a scaled column, if the law computes the column.

        It is the sum of the terms, divided by its derivative by the column: the first step of
        Newton's method. The result is infinite or NaN where the derivative is zero.
        """
        with np.errstate(all="ignore"):
            found: Array = self.terms(values).sum(axis=1) / self.slope(values, column)
        return found

    def gradient(self, values: Values) -> Array:
        """Return the derivatives of the sum of the terms, of shape (n_rows, n_columns).

        Column j has the derivative by the scaled column j of the table; 0 if it is not in the law.
        """
        found = np.zeros(values.x.shape)
        for column in self.columns:
            found[:, column] = self.slope(values, column)
        return found

    def slope(self, values: Values, column: int) -> Array:
        """Return for each row the derivative of the sum of the terms by one scaled column."""
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
