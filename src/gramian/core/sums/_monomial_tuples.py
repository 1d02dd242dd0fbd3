"""Monomials, written as tuples of their variables.

Variables are numbered from 1. The tuple of a monomial lists its variables in increasing order,
with zeros (the constant) in front up to a fixed length: for length 4, z₁z₂² is (0, 1, 2, 2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.families import Block, Family, Products

Tuples = NDArray[np.uint8]
"""Array of monomials: each row is the tuple of one monomial."""
MAX_VARIABLES = 254
"""Largest number of variables: the number of a variable is stored in one byte."""


class MonomialTuples:
    """The monomials of a family, each as the tuple of its variables: z₁z₂² is (0, 1, 1).

    `append` adds the monomials of the next variable.

    Parameters
    ----------
    degree : int
        The largest degree of a function: the length of the tuples.
    """

    def __init__(self, degree: int) -> None:
        self.n_variables = 0
        """Number of variables so far, which is the number of blocks that were appended."""
        self.functions: Tuples = np.zeros((1, degree), dtype=np.uint8)
        """Tuples of the constant function and of all functions that were appended."""
        self.parents = self.functions
        """Tuples of the functions that can be factors of later functions."""

    def append(self, block: Block, kept: IntArray | slice = slice(None)) -> None:
        """Append the block of the next variable: the functions with numbers `kept`, or all."""
        self.n_variables += 1
        new = self.parents[block.parents]
        for power, those in powers_of(block):
            new[those, :-power] = new[those, power:]
            new[those, -power:] = self.n_variables
        self.functions = np.vstack([self.functions, new[kept]])
        self.parents = np.vstack([self.parents, new[block.stored]])


def monomials(family: Family) -> tuple[int, int | None] | None:
    """Return (degree, largest exponent) of a family of monomials; None for other families.

    The exponent is the largest one of a variable in a product of two functions; it is None if it
    has no limit but the degree.
    """
    rule, *others = family.rules()
    if others or not isinstance(rule, Products):
        return None
    if rule.highest_power is None or rule.degree is None:
        return None
    return rule.degree, 2 if rule.highest_power == 1 else None


def powers_of(block: Block) -> list[tuple[int, slice]]:
    """Return (power of the new variable, slice of the functions of the block that contain it)."""
    powers, starts = np.unique(block.atoms + 1, return_index=True)
    stops = [*starts[1:].tolist(), len(block.atoms)]
    return [
        (int(power), slice(int(start), stop))
        for power, start, stop in zip(powers, starts, stops, strict=True)
    ]


def merge_tuples(first: Sequence[Tuples], second: Sequence[Tuples]) -> list[Tuples]:
    """Return the sorted tuples of products of monomials.

    Both arguments and the result have one array for each position of the tuples; arrays of the two
    arguments are combined by broadcasting.
    """
    merged = list(first)
    for symbol in second:
        for position, other in enumerate(merged):
            merged[position] = np.minimum(other, symbol)
            symbol = np.maximum(other, symbol)
        merged.append(symbol)
    return merged
