"""Functions of F(z) after j variables, and the evaluation of the newest functions.

Every product function is its *parent*, a function of earlier variables, times one *atom*, a
univariate function of the new variable. So a whole block of functions is evaluated as
``store[parents] * atoms(z_j)``, where the store holds the values of the functions that can still
become parents. Row 0 of the store is the constant function.
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
"""The values of the variables, one after the other."""
LevelsOf = Callable[[int], Array]
"""Returns the sorted distinct values of the new variable, given the number that is allowed."""


class AtomBasis(Protocol):
    """The atoms of one variable: univariate functions, the first of which is z itself."""

    @property
    def keys(self) -> Sequence[Hashable]:
        """Key of each atom; atoms with equal keys are one function."""
        ...

    @property
    def degrees(self) -> Sequence[int]:
        """Degree that each atom adds to a product."""
        ...

    @property
    def evaluate(self) -> Callable[[Array], Array]:
        """Function that returns the values of all atoms, one row per atom."""
        ...

    @property
    def derivative(self) -> Array | None:
        """The matrix D with ``atoms' = D @ [1, *atoms]``; None if atoms have no derivative.

        The derivative of an atom is a combination of atoms of no higher degree, so that the
        derivatives of all products are combinations of products.
        """
        ...


@dataclass(frozen=True)
class Call:
    """A user's function applied to some of the variables."""

    function: Callable[..., Array]
    variables: tuple[int, ...]
    scale: float = 1.0
    """Factor of the values, a power of two, so that their squares stay in float64."""

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
        if not np.isfinite(values).all():
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
    """The functions that appear with one new variable z_j: F(z_[j]) without F(z_[j-1])."""

    bases: tuple[AtomBasis, ...]
    """The bases of the new variable; `atoms` numbers all their atoms in this order."""
    parents: IntArray
    """For every product, the row of the store that holds its parent."""
    atoms: IntArray
    """For every product, the number of its atom; equal numbers are neighbours."""
    calls: tuple[Call, ...]
    """The functions that are not products; they follow the products."""
    stored: IntArray
    """Functions that can become parents, in the order in which they enter the store."""

    @property
    def n_functions(self) -> int:
        """Number of functions in the block."""
        return len(self.parents) + len(self.calls)

    @property
    def scales(self) -> Array:
        """Factors of the functions, so that their squares stay in the range of float64."""
        return np.array([*np.ones(len(self.parents)), *(call.scale for call in self.calls)])

    def unscaled(self) -> Block:
        """Return the block without scales: the user's functions as they were given."""
        return replace(self, calls=tuple(replace(call, scale=1.0) for call in self.calls))

    @cached_property
    def _runs(self) -> list[tuple[slice, IntArray | slice, int]]:
        """Group functions by atom: the places of the functions, their parents, the atom."""
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
            Values of the functions that can be parents. Row 0 belongs to the constant function; a
            factor in it (the root of a row's weight) passes on to every function.
        z : sequence of j arrays of shape (n_rows,)
            Values of the variables.
        out : array of shape (n_functions, n_rows), optional
            The values; overwritten.
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
    """A rule: all products of atoms, one per variable, up to a degree and a number of variables."""

    basis: Callable[[LevelsOf], AtomBasis]
    degree: int | None = None
    max_variables: int | None = None
    z_stands_alone: bool = False
    """True if z itself is a function of the family but has no products."""
    highest_power: int | None = None
    """Highest power if the atoms are z, z², ...: the functions are monomials. None otherwise."""


@dataclass(frozen=True)
class Calls:
    """A rule: apply each function to every choice of variables, one for each argument."""

    functions: tuple[tuple[Callable[..., Array], int], ...]
    any_order: bool
    """True to permute the arguments too, for functions that are not symmetric."""


Rule = Products | Calls


class Expansion:
    """The functions of a family that exist so far; `grow` adds those of one more variable.

    A family is a set of rules, at least one of them for products. A function that several rules
    allow exists once.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._products = [_ProductState(rule) for rule in rules if isinstance(rule, Products)]
        self._calls = [rule for rule in rules if isinstance(rule, Calls)]
        self.n_variables = 0
        self.n_store = 1

    def grow(self, levels_of: LevelsOf) -> Block:
        """Add the next variable and return the functions that are new with it."""
        bases = tuple(state.rule.basis(levels_of) for state in self._products)
        new = [
            state.multiply(basis, atoms)
            for state, basis, atoms in zip(self._products, bases, _number(bases), strict=True)
        ]
        # One number for each (atom, parent) identifies functions that two rules make. Sorted by
        # this number, z itself (first atom, constant parent) is the first of the block.
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
    """A rule for products and its functions that can be parents: store row, degree, variables."""

    def __init__(self, rule: Products) -> None:
        self.rule = rule
        self._rows = self._degrees = self._n_variables = np.zeros(1, dtype=np.intp)

    def multiply(self, basis: AtomBasis, numbers: IntArray) -> _NewProducts:
        """Return the products of every parent with every atom that the rule allows."""
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
        """Store the new functions that can be parents, with their rows in the store."""
        new = products.is_parent
        self._rows = np.append(self._rows, rows[new])
        self._degrees = np.append(self._degrees, products.degrees[new])
        self._n_variables = np.append(self._n_variables, products.n_variables[new])


_UNLIMITED = np.iinfo(np.intp).max // 2


def _number(bases: Sequence[AtomBasis]) -> list[IntArray]:
    """Return numbers for the atoms of all bases; an atom in several bases has one number."""
    seen: dict[Hashable, int] = {}
    number = itertools.count()
    return [np.array([seen.setdefault(key, next(number)) for key in basis.keys]) for basis in bases]


def _apply(rule: Calls, newest: int) -> Iterator[Call]:
    """Yield all uses of a rule's functions that involve the newest variable."""
    for function, arity in rule.functions:
        for earlier in itertools.combinations(range(newest), arity - 1):
            variables = (*earlier, newest)
            orders = itertools.permutations(variables) if rule.any_order else [variables]
            for order in orders:
                yield Call(function, order)
