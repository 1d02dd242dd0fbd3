"""Expansion of a family F(z): the functions that each new variable adds, and their evaluation.

Every product function is its *parent*, a function of earlier variables, times one *atom*, a
function of the new variable alone. So a whole block of functions is evaluated as
``store[parents] * atoms(z_j)``, where the matrix `store` has the values of all functions that can
become parents. Row 0 of `store` is the constant function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray

Variables = Sequence[Array] | Array
"""Values of the variables: one array of shape (n_rows,) for each variable."""
LevelsOf = Callable[[int], Array]
"""Function that returns the sorted distinct values of the new variable. Its argument is the largest
number of values that the caller accepts; if there are more, it may return only some."""


class AtomBasis(Protocol):
    """Interface of the atoms of a variable z: functions of z alone, of which the first is z."""

    @property
    def keys(self) -> Sequence[Hashable]:
        """Key of each atom (function of one variable); equal keys mean equal functions."""
        ...

    @property
    def degrees(self) -> Sequence[int]:
        """Degree that each atom (function of one variable) adds to the degree of a product."""
        ...

    @property
    def evaluate(self) -> Callable[[Array], Array]:
        """Function of the values of z that returns the values of all atoms, one row per atom."""
        ...

    @property
    def derivative(self) -> Array | None:
        """The matrix D with ``atoms' = D @ [1, *atoms]``; None if there are no derivatives.

        Atoms are functions of one variable. The derivative of an atom is a linear combination of
        atoms whose degrees are not higher. So the derivatives of all products are linear
        combinations of products.
        """
        ...


@dataclass(frozen=True)
class Call:
    """A user's function, applied to some of the variables."""

    function: Callable[..., Array]
    variables: tuple[int, ...]
    scale: float = 1.0
    """Factor of the values, a power of two, so that their squares stay in the range of float64."""
    must_be_finite: bool = True
    """False to return NaN and infinity, too, as functions may in rows far from those of a fit."""

    def __call__(self, z: Variables) -> Array:
        arguments = [_read_only(z[i]) for i in self.variables]
        values = np.asarray(self.function(*arguments))
        expected = arguments[0].shape
        name = getattr(self.function, "__name__", repr(self.function))
        if values.shape != expected:
            raise ValueError(
                f"Custom function {name!r} returned an array of shape {values.shape} for arguments "
                f"of shape {expected}; it must be vectorized and return one value a row."
            )
        if values.dtype.kind not in "fiub":
            raise ValueError(
                f"Custom function {name!r} returned values of type {values.dtype}; real numbers "
                "are needed."
            )
        if self.must_be_finite and not np.isfinite(values).all():
            raise ValueError(
                f"Custom function {name!r} returned NaN or infinity. Its arguments are variables "
                "with mean 0 and variance 1, so some are negative: return finite values for them."
            )
        return self.scale * values.astype(np.float64, copy=False)


def _read_only(z: Array) -> Array:
    view = z.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True)
class Block:
    """The functions that a new variable z_j adds: functions in F(z_[j]) but not in F(z_[j-1]).

    F(z_[j]) is the family of functions of the first j variables.
    """

    bases: tuple[AtomBasis, ...]
    """The bases of atoms of the new variable; atoms are numbered across all bases, in this
    order."""
    parents: IntArray
    """For every product, the row of its parent in the store."""
    atoms: IntArray
    """For every product, the number of its atom; products with the same atom are adjacent."""
    calls: tuple[Call, ...]
    """The functions that are not products; they are numbered after the products."""
    stored: IntArray
    """Numbers of the functions that can become parents, in the order of their rows in the store."""

    @property
    def n_functions(self) -> int:
        """Number of functions in the block."""
        return len(self.parents) + len(self.calls)

    @property
    def scales(self) -> Array:
        """Factor of each function that keeps its squares in float64; 1 for products."""
        return np.array([*np.ones(len(self.parents)), *(call.scale for call in self.calls)])

    def unscaled(self) -> Block:
        """Return the block with the scale 1 for each of the user's functions."""
        return replace(self, calls=tuple(replace(call, scale=1.0) for call in self.calls))

    def unbounded(self) -> Block:
        """Return the block with user's functions that may return NaN and infinity."""
        return replace(
            self, calls=tuple(replace(call, must_be_finite=False) for call in self.calls)
        )

    @cached_property
    def _runs(self) -> list[tuple[slice, IntArray | slice, int]]:
        """Products grouped by atom (function of the new variable).

        Each entry has the numbers of the products, the rows of their parents (other factors) in the
        store, and the number of the atom.
        """
        starts = np.flatnonzero(np.diff(self.atoms, prepend=-1))
        runs: list[tuple[slice, IntArray | slice, int]] = []
        for start, stop in itertools.pairwise([*starts.tolist(), len(self.parents)]):
            parents = self.parents[start:stop]
            span = slice(int(parents[0]), int(parents[0]) + len(parents))
            together = np.array_equal(parents, np.arange(span.start, span.stop))
            runs.append((slice(start, stop), span if together else parents, int(self.atoms[start])))
        return runs

    def evaluate(self, store: Array, z: Variables, out: Array | None = None) -> Array:
        """Return the values of all functions of the block, one row per function.

        Parameters
        ----------
        store : array of shape (n_store, n_rows)
            Values of earlier functions that can be factors of functions of the block. Row 0 is the
            constant function. If row 0 is multiplied by the square roots of the row weights, all
            functions are, too.
        z : sequence of j arrays of shape (n_rows,)
            Values of the variables; the new variable is the last.
        out : array of shape (n_functions, n_rows), optional
            Array that is overwritten with the values, and returned.
        """
        values = np.empty((self.n_functions, store.shape[1])) if out is None else out
        phi = np.concatenate([basis.evaluate(z[-1]) for basis in self.bases])
        for rows, parents, atom in self._runs:
            if isinstance(parents, slice):
                np.multiply(store[parents], phi[atom], out=values[rows])
            else:
                np.take(store, parents, axis=0, out=values[rows], mode="clip")
                values[rows] *= phi[atom]
        for row, call in enumerate(self.calls, start=len(self.parents)):
            np.multiply(call(z), store[0], out=values[row])
        return values


@dataclass(frozen=True)
class Products:
    """Rule for products of functions of distinct variables.

    Products are limited by `degree` and `max_variables`.
    """

    basis: Callable[[LevelsOf], AtomBasis]
    degree: int | None = None
    max_variables: int | None = None
    z_stands_alone: bool = False
    """True if the variable z itself belongs to the family, but is not a factor of products."""
    highest_power: int | None = None
    """Highest power if the atoms are the powers z, z², ..., so that the products are monomials;
    None for other atoms."""


@dataclass(frozen=True)
class Calls:
    """Rule that applies each of the user's functions to every choice of distinct variables."""

    functions: tuple[tuple[Callable[..., Array], int], ...]
    any_order: bool
    """True to apply functions to the chosen variables in every order, not only in one order."""


Rule = Products | Calls


class Expansion:
    """The functions of a family in a growing number of variables; `grow` adds one variable.

    A family is a set of rules, with at least one rule for products. A function that several rules
    produce exists only once.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._products = [_ProductState(rule) for rule in rules if isinstance(rule, Products)]
        self._calls = [rule for rule in rules if isinstance(rule, Calls)]
        self.n_variables = 0
        self.n_store = 1

    def grow(self, levels_of: LevelsOf) -> Block:
        """Add the next variable, and return the block of functions that it adds.

        `levels_of` is a function from a limit to the distinct values of the variable; indicators
        need it.
        """
        bases = tuple(state.rule.basis(levels_of) for state in self._products)
        new = [
            state.multiply(basis, atoms)
            for state, basis, atoms in zip(self._products, bases, _number(bases), strict=True)
        ]
        # One integer for each pair (atom, parent): equal integers are the same function.
        # After sorting, z itself (first atom, constant parent) is the first function of the block.
        codes = [products.atoms * self.n_store + products.parents for products in new]
        functions, position = np.unique(np.concatenate(codes), return_inverse=True)
        positions = np.split(position, np.cumsum([len(code) for code in codes])[:-1])

        is_parent = np.zeros(len(functions), dtype=bool)
        for products, position in zip(new, positions, strict=True):
            is_parent[position[products.is_parent]] = True
        stored = np.flatnonzero(is_parent)
        rows = self.n_store + np.cumsum(is_parent) - 1
        for state, products, position in zip(self._products, new, positions, strict=True):
            state.append(products, rows[position])

        atoms, parents = np.divmod(functions, self.n_store)
        every = (call for rule in self._calls for call in _apply(rule, self.n_variables))
        calls = tuple({(id(call.function), call.variables): call for call in every}.values())
        self.n_store += len(stored)
        self.n_variables += 1
        return Block(bases, parents, atoms, calls, stored)


@dataclass(frozen=True)
class _NewProducts:
    parents: IntArray
    atoms: IntArray
    degrees: IntArray
    n_variables: IntArray
    is_parent: NDArray[np.bool_]


class _ProductState:
    """A rule for products, and the functions that can be parents (factors of later products).

    For each parent, it has the row in the store, the degree and the number of variables.
    """

    def __init__(self, rule: Products) -> None:
        self.rule = rule
        self._rows = self._degrees = self._n_variables = np.zeros(1, dtype=np.intp)

    def multiply(self, basis: AtomBasis, numbers: IntArray) -> _NewProducts:
        """Return all products of an earlier function and an atom that the rule allows.

        An atom is a function of the new variable. `numbers` are the numbers of the atoms of `basis`
        among the atoms of all bases.
        """
        alone = self.rule.z_stands_alone
        max_degree = _UNLIMITED if self.rule.degree is None else self.rule.degree
        max_variables = _UNLIMITED if self.rule.max_variables is None else self.rule.max_variables
        atom_degrees = np.asarray(basis.degrees, dtype=np.intp)
        degrees = np.add.outer(atom_degrees, self._degrees)
        allowed = (degrees <= max_degree) & (self._n_variables < max_variables)
        if alone:
            allowed[0] = self._n_variables == 0
        atom, parent = np.nonzero(allowed)
        degrees = degrees[atom, parent]
        n_variables = self._n_variables[parent] + 1
        is_parent = (degrees < max_degree) & (n_variables < max_variables)
        if alone:
            is_parent &= atom > 0
        return _NewProducts(self._rows[parent], numbers[atom], degrees, n_variables, is_parent)

    def append(self, products: _NewProducts, rows: IntArray) -> None:
        """Add the new products that can be parents.

        `rows` are the rows of all new products in the store of function values.
        """
        new = products.is_parent
        self._rows = np.append(self._rows, rows[new])
        self._degrees = np.append(self._degrees, products.degrees[new])
        self._n_variables = np.append(self._n_variables, products.n_variables[new])


_UNLIMITED = np.iinfo(np.intp).max // 2


def _number(bases: Sequence[AtomBasis]) -> list[IntArray]:
    """Return the numbers of the atoms of each basis; an atom in several bases has one number.

    An atom is a function of one variable.
    """
    seen: dict[Hashable, int] = {}
    number = itertools.count()
    return [np.array([seen.setdefault(key, next(number)) for key in basis.keys]) for basis in bases]


def _apply(rule: Calls, newest: int) -> Iterator[Call]:
    """Yield all applications of the rule's functions that have the newest variable as argument."""
    for function, arity in rule.functions:
        for earlier in itertools.combinations(range(newest), arity - 1):
            variables = (*earlier, newest)
            orders = itertools.permutations(variables) if rule.any_order else [variables]
            for order in orders:
                yield Call(function, order)
