"""Monomials as tuples of their variables.

Variables are numbered from 1. The tuple of a monomial lists its variables in increasing order,
filled up with zeros in front: 0 stands for the constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.families import Block, Family, Products

Tuples = NDArray[np.uint8]
"""One tuple a row."""
MAX_VARIABLES = 254
"""Variables are numbered in one byte."""


class MonomialTuples:
    """Functions of a family of monomials as tuples, block by block.

    Parameters
    ----------
    degree : int
        The largest degree of a function: the length of the tuples.
    """

    def __init__(self, degree: int) -> None:
        self.n_variables = 0
        """Number of blocks so far; each block belongs to one variable."""
        self.functions: Tuples = np.zeros((1, degree), dtype=np.uint8)
        """Tuples of the constant and of all functions so far."""
        self.parents = self.functions
        """Tuples of the functions that later functions are multiples of."""

    def append(self, block: Block, kept: IntArray | slice = slice(None)) -> None:
        """Append the kept functions of the next variable's block; by default all functions."""
        self.n_variables += 1
        new = self.parents[block.parents]
        for power, those in powers_of(block):
            new[those, :-power] = new[those, power:]
            new[those, -power:] = self.n_variables
        self.functions = np.vstack([self.functions, new[kept]])
        self.parents = np.vstack([self.parents, new[block.stored]])


def monomials(family: Family) -> tuple[int, int | None] | None:
    """Return the degree and the largest exponent of a family of monomials; None for others.

    The exponent is that of a variable in the product of two functions, None if it has no limit.
    """
    rule, *others = family.rules()
    if others or not isinstance(rule, Products):
        return None
    if rule.highest_power is None or rule.degree is None:
        return None
    return rule.degree, 2 if rule.highest_power == 1 else None


def powers_of(block: Block) -> list[tuple[int, slice]]:
    """Return each power of the new variable, and the functions of the block that have it."""
    powers, starts = np.unique(block.atoms + 1, return_index=True)
    stops = [*starts[1:].tolist(), len(block.atoms)]
    return [
        (int(power), slice(int(start), stop))
        for power, start, stop in zip(powers, starts, stops, strict=True)
    ]


def merge_tuples(first: Sequence[Tuples], second: Sequence[Tuples]) -> list[Tuples]:
    """Merge sorted tuples, given position by position, into sorted tuples of their products."""
    merged = list(first)
    for symbol in second:
        for position, other in enumerate(merged):
            merged[position] = np.minimum(other, symbol)
            symbol = np.maximum(other, symbol)
        merged.append(symbol)
    return merged
