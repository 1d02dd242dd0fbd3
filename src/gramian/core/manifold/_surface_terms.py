"""Terms of a surface: all functions of a family in some variables, and their derivatives."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.families import AtomBasis, Block, Family, no_levels

TermKey = tuple[tuple[int, Hashable], ...]
"""Key of a term: a pair (variable, key of its atom) for each factor; empty for the constant. An
atom is a function of one variable."""


@dataclass(frozen=True)
class Slope:
    """Derivatives of the functions of a surface by one variable.

    They are ``∂terms[which] = Σ factors · terms[lower]``. Functions that are not in `which` have
    the derivative 0.
    """

    which: IntArray
    lower: IntArray
    factors: Array


class Terms:
    """All functions of a family in some variables; the first one is the constant.

    Parameters
    ----------
    blocks : sequence of Block
        The functions that each variable adds: products of functions of one variable that have
        derivatives.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        if any(block.calls or not _is_smooth(block) for block in blocks):
            raise ValueError(f"The family {_REMEDY}")
        self.blocks = list(blocks)
        self.n_variables = len(self.blocks)
        self.keys, self.degrees = _describe(self.blocks)

    @classmethod
    def of(cls, family: Family, n_variables: int) -> Terms:
        """Return the functions of a family in `n_variables` variables."""
        expansion = family.expand()
        return cls([expansion.grow(_no_levels) for _ in range(n_variables)])

    def __len__(self) -> int:
        return len(self.keys)

    def __call__(self, u: Array) -> Array:
        """Return the values of all functions, of shape (n_terms, len(u)), at the rows of `u`."""
        n = len(u)
        variables = np.ascontiguousarray(u.T)
        values = np.empty((len(self), n), dtype=u.dtype)
        values[0] = 1.0
        store = np.empty((self._n_store, n), dtype=u.dtype)
        store[0] = 1.0
        n_terms, n_store = 1, 1
        for j, block in enumerate(self.blocks, start=1):
            new = values[n_terms : n_terms + block.n_functions]
            block.evaluate(store[:n_store], variables[:j], out=new)
            store[n_store : n_store + len(block.stored)] = new[block.stored]
            n_terms += block.n_functions
            n_store += len(block.stored)
        return values

    @property
    def _n_store(self) -> int:
        return 1 + sum(len(block.stored) for block in self.blocks)

    @cached_property
    def variables(self) -> IntArray:
        """For each variable, the index of the term that is the variable itself."""
        sizes = [block.n_functions for block in self.blocks[:-1]]
        return 1 + np.concatenate([[0], np.cumsum(sizes, dtype=np.intp)]).astype(np.intp)

    def index(self, key: TermKey) -> int:
        """Return the index of the term that has the key `key` (its factors)."""
        return self._numbers[key]

    @cached_property
    def _numbers(self) -> dict[TermKey, int]:
        return {key: number for number, key in enumerate(self.keys)}

    @cached_property
    def slopes(self) -> list[Slope]:
        """The derivatives of all functions by each variable, as one `Slope` per variable."""
        rules = [_rules(block.bases) for block in self.blocks]
        found: list[list[tuple[int, int, float]]] = [[] for _ in self.blocks]
        for number, key in enumerate(self.keys):
            for place, (variable, atom) in enumerate(key):
                before, after = key[:place], key[place + 1 :]
                for other, factor in rules[variable][atom]:
                    middle: TermKey = () if other is None else ((variable, other),)
                    lower = self._numbers[before + middle + after]
                    found[variable].append((number, lower, factor))
        return [
            Slope(
                np.array([row[0] for row in rows], dtype=np.intp),
                np.array([row[1] for row in rows], dtype=np.intp),
                np.array([row[2] for row in rows]),
            )
            for rows in found
        ]

    @cached_property
    def lower(self) -> IntArray:
        """Indices of the functions that occur in the derivatives of the functions."""
        return np.unique(np.concatenate([slope.lower for slope in self.slopes]))


def _is_smooth(block: Block) -> bool:
    return all(basis.derivative is not None for basis in block.bases)


_REMEDY = (
    "has functions without derivatives, and the nearest point of a surface is found by them. Use "
    "'polynomial', 'multilinear', 'hermite', 'legendre' or 'fourier', or a sum of these."
)


def _no_levels(limit: int) -> Array:
    try:
        return no_levels(limit)
    except ValueError:
        raise ValueError(f"A family of indicators {_REMEDY}") from None


def _describe(blocks: Sequence[Block]) -> tuple[list[TermKey], IntArray]:
    """Return the keys (factors) and the degrees of the constant and of all functions."""
    keys: list[TermKey] = [()]
    degrees = [0]
    store: list[int] = [0]
    for variable, block in enumerate(blocks):
        atoms = [atom for basis in block.bases for atom in basis.keys]
        added = [degree for basis in block.bases for degree in basis.degrees]
        first = len(keys)
        for parent, atom in zip(block.parents.tolist(), block.atoms.tolist(), strict=True):
            keys.append((*keys[store[parent]], (variable, atoms[atom])))
            degrees.append(degrees[store[parent]] + added[atom])
        store.extend((first + block.stored).tolist())
    return keys, np.array(degrees, dtype=np.intp)


def _rules(bases: Sequence[AtomBasis]) -> dict[Hashable, list[tuple[Hashable | None, float]]]:
    """Return the derivative of each function of one variable ("atom").

    A derivative is a list of pairs (atom, or None for the constant; factor).
    """

    def of(basis: AtomBasis) -> Iterator[tuple[Hashable, list[tuple[Hashable | None, float]]]]:
        assert basis.derivative is not None
        names = (None, *basis.keys)
        for atom, row in zip(basis.keys, basis.derivative, strict=True):
            yield atom, [(names[i], float(row[i])) for i in np.flatnonzero(row)]

    rules: dict[Hashable, list[tuple[Hashable | None, float]]] = {}
    for basis in bases:
        for atom, made_of in of(basis):
            rules.setdefault(atom, made_of)
    return rules
