"""Dictionary: candidate terms of a formula in the raw columns, as sums of functions of a fit.

The functions of a fit take variables of mean 0 and variance 1, u = (x - mean)/deviation. A monomial
of the raw columns is a sum of few such functions: with x = m + su and y = n + tv,
xy = (m + su)(n + tv) = mn + nsu + mtv + stuv. So the moments of the monomial are computed from the
moments of the functions, by an exact linear map.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.polynomial import Polynomial

from gramian._support.types import Array
from gramian.core.pursuit import Decoder
from gramian.explanations._fit_functions import (
    Scaled,
    atom_function,
    called_function,
    values_of_atom,
)
from gramian.families import Call, Hermite, Legendre, Z
from gramian.families import Polynomial as PolynomialFamily
from gramian.formulas import Factors, Function, Term

POLYNOMIALS = {"Polynomial": PolynomialFamily(), "Hermite": Hermite(), "Legendre": Legendre()}
"""Families of polynomials, by the name with which the keys of their functions begin."""

CANCELLED = 1e-13
"""A coefficient is zero if it is at most this share of the largest number in its sum."""

TermFactor = tuple[tuple[int, ...], int | Function]
"""A factor of a term: indices of variables, and an exponent or a function of these variables."""
TermProduct = tuple[TermFactor, ...]
"""The factors of a term; empty for the constant."""
Atoms = Mapping[int, Hashable]
"""A function of the fit that is a product: variable index → key of its function."""


@dataclass(frozen=True)
class CandidateTerm:
    """A function of raw columns that may become a term of a formula."""

    expansion: Mapping[TermProduct, float]
    """The candidate as products of raw columns with coefficients; usually one product."""
    variables: frozenset[int]
    is_linear: bool


class Dictionary:
    """The candidate terms of a formula, one for each function of the fit but the constant.

    The candidate of a polynomial is its leading monomial in the raw columns, if the monomial is a
    linear combination of functions of the basis. If it is not, because functions were dropped from
    the basis, the candidate is the function itself. Functions that are not polynomials are
    candidates themselves, too.

    Parameters
    ----------
    decoder : Decoder
        The decoder of the fit, which has the functions of the basis.
    means : array of shape (n_variables,)
        The means of the variables; zeros for directions.
    """

    def __init__(self, decoder: Decoder, means: Array) -> None:
        self.scalings = [
            Scaled(float(mean), float(unit))
            for mean, unit in zip(means, decoder.units, strict=True)
        ]
        self._evaluations: dict[tuple[int, Hashable], Callable[[Array], Array]] = {}
        self._names: dict[int, str] = {}
        self.functions = self._describe(decoder)
        """The functions of the basis; the first one is the constant."""
        self._number = {
            frozenset(each.items()): i
            for i, each in enumerate(self.functions)
            if not isinstance(each, Call)
        }
        self.candidates: list[CandidateTerm] = []
        n = len(self.functions)
        self.rows = np.zeros((n - 1, n))
        """Each candidate as coefficients of the functions, of shape (n_candidates, n_functions)."""
        for i, function in enumerate(self.functions[1:], start=1):
            exponents = _exponents(function)
            row = None if exponents is None else self._combination(exponents)
            if exponents is None or row is None:
                row = {i: 1.0}
                expansion = self.expand(function)
            else:
                product = (((variable,), power) for variable, power in exponents.items())
                expansion = {tuple(product): 1.0}
            self.rows[i - 1, [*row]] = [*row.values()]
            variables = function.variables if isinstance(function, Call) else function
            is_linear = exponents is not None and [*exponents.values()] == [1]
            self.candidates.append(CandidateTerm(expansion, frozenset(variables), is_linear))

    def _describe(self, decoder: Decoder) -> list[Atoms | Call]:
        store: list[Atoms] = [{}]
        basis: list[Atoms | Call] = [{}]
        for j, (block, kept) in enumerate(zip(decoder.blocks, decoder.kept, strict=True)):
            keys = [key for each in block.bases for key in each.keys]
            for each in block.bases:
                for i, key in enumerate(each.keys):
                    self._evaluations.setdefault((j, key), partial(values_of_atom, each, i))
            products: list[Atoms] = [
                {**store[parent], j: keys[atom]}
                for parent, atom in zip(block.parents.tolist(), block.atoms.tolist(), strict=True)
            ]
            functions = [*products, *block.calls]
            store += [products[i] for i in block.stored.tolist()]
            basis += [functions[i] for i in kept.tolist()]
        return basis

    def _combination(self, exponents: Mapping[int, int]) -> Mapping[int, float] | None:
        """Write a monomial of raw columns as a sum of functions: function index → coefficient.

        Return None if the basis does not have all functions that the sum needs.
        """
        for kind in POLYNOMIALS:
            factors = [
                [(key, variable, value) for key, value in _power(self.scalings[variable], n, kind)]
                for variable, n in exponents.items()
            ]
            row = {}
            for product in itertools.product(*factors):
                atoms = frozenset((variable, key) for key, variable, _ in product if key)
                number = self._number.get(atoms)
                if number is None:
                    break
                row[number] = math.prod(value for _, _, value in product)
            else:
                return row
        return None

    def expand(self, function: Atoms | Call) -> Mapping[TermProduct, float]:
        """Write a function of the fit in the raw columns; return product → coefficient."""
        if isinstance(function, Call):
            scalings = [self.scalings[i] for i in function.variables]
            called = called_function(self._name(function), scalings, function.function)
            return {((function.variables, called),): 1.0}
        if _exponents(function) is None:
            whole: TermProduct = tuple(
                ((i,), atom_function(key, self.scalings[i], self._evaluations[i, key]))
                for i, key in function.items()
            )
            return {whole: 1.0}
        factors: list[list[tuple[TermFactor, float]]] = []
        for i, key in function.items():
            mean, deviation = self.scalings[i].mean, self.scalings[i].deviation
            raw = _polynomial(key)(Polynomial([-mean / deviation, 1 / deviation]))
            factors.append(
                [(((i,), n), value) for n, value in enumerate(raw.coef.tolist()) if value]
            )
        expansion: dict[TermProduct, float] = {}
        for terms in itertools.product(*factors):
            product: TermProduct = tuple(factor for factor, _ in terms if factor[1])
            value = math.prod(value for _, value in terms)
            expansion[product] = expansion.get(product, 0.0) + value
        return expansion

    def _name(self, call: Call) -> str:
        """Return the name of a user's function; a number is added if the name is already used."""
        identity = id(call.function)
        if identity not in self._names:
            name = getattr(call.function, "__name__", type(call.function).__name__)
            taken = set(self._names.values())
            numbered = (f"{name}{n}" for n in itertools.count(2))
            self._names[identity] = next(
                each for each in itertools.chain([name], numbered) if each not in taken
            )
        return self._names[identity]


def add_up(parts: Iterable[tuple[float, Mapping[TermProduct, float]]]) -> dict[TermProduct, float]:
    """Add sums of products, each times a factor; return product → coefficient, without zeros."""
    total: dict[TermProduct, float] = {}
    size: dict[TermProduct, float] = {}
    for coefficient, expansion in parts:
        for product, value in expansion.items():
            total[product] = total.get(product, 0.0) + coefficient * value
            size[product] = max(size.get(product, 0.0), abs(coefficient * value))
    return {
        product: value for product, value in total.items() if abs(value) > CANCELLED * size[product]
    }


def term(
    coefficient: float, product: TermProduct, names: Sequence[str], place: Sequence[int]
) -> Term:
    """Return a `Term` with column names in place of variable indices, factors in column order."""
    factors: Factors = {
        names[variables[0]] if len(variables) == 1 else tuple(names[i] for i in variables): factor
        for variables, factor in sorted(product, key=lambda each: [place[i] for i in each[0]])
    }
    return Term(float(coefficient), factors)


def _exponents(function: Atoms | Call) -> dict[int, int] | None:
    """Return variable → exponent of a polynomial's leading monomial; None for other functions."""
    if isinstance(function, Call):
        return None
    exponents = {}
    for variable, key in function.items():
        if key == Z:
            exponents[variable] = 1
        elif isinstance(key, tuple) and key[0] in POLYNOMIALS:
            exponents[variable] = int(key[1])
        else:
            return None
    return exponents


@cache
def _polynomial(key: Hashable) -> Polynomial:
    """Return a function of one variable as a polynomial; `key` names the function."""
    if key == Z:
        return Polynomial([0.0, 1.0])
    assert isinstance(key, tuple)
    name, degree = key
    before, last = Polynomial([1.0]), Polynomial([0.0, 1.0])
    for n in range(1, degree):
        a, b = POLYNOMIALS[name]._recurrence(n)
        before, last = last, a * Polynomial([0.0, 1.0]) * last - b * before
    return last


@cache
def _power(scaled: Scaled, n: int, kind: str) -> list[tuple[Hashable | None, float]]:
    """Write xⁿ as a sum of functions of one family; return (key, coefficient) pairs.

    The key None stands for the constant.
    """
    keys = [None, Z, *((kind, degree) for degree in range(2, n + 1))][: n + 1]
    functions = np.eye(n + 1)
    for i, key in enumerate(keys[1:], start=1):
        functions[i, : i + 1] = _polynomial(key).coef
    powers = [math.comb(n, k) * scaled.mean ** (n - k) * scaled.deviation**k for k in range(n + 1)]
    combination = np.linalg.solve(functions.T, powers)  # the matrix is triangular, and small
    return [(key, float(value)) for key, value in zip(keys, combination, strict=True) if value]
