"""Second moments of all monomials of many columns, every distinct one computed once.

E[s t] of two monomials depends on their product alone. Of 20,000 monomials of degree 2 three times
fewer products are distinct than there are pairs: see `MomentTable`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gramian._support.types import Array
from gramian.core.rows import Rows
from gramian.core.sums import (
    GATHERING_COST,
    MAX_VARIABLES,
    Direction,
    MomentWork,
    MonomialTuples,
    Tuples,
    VariableValues,
    monomials,
    tables_for_all,
)
from gramian.families import Block, Family


@dataclass(frozen=True)
class LayoutMonomials:
    """The functions of a layout as monomials, the constant in front."""

    products: Tuples
    """The variables in each, from 1 on, filled up with zeros in front."""
    max_exponent: int | None
    """The largest exponent of a variable in the product of two, if it is limited."""


def layout_monomials(family: Family, blocks: Sequence[Block]) -> LayoutMonomials | None:
    """Return the monomials of some variables, if that is what the functions are.

    Parameters
    ----------
    family : Family
        The functions.
    blocks : sequence of Block
        Those that come with each variable.
    """
    shape = monomials(family)
    if shape is None or not 0 < len(blocks) <= MAX_VARIABLES:
        return None
    degree, max_exponent = shape
    tuples = MonomialTuples(degree)
    for block in blocks:
        tuples.append(block)
    return LayoutMonomials(tuples.functions, max_exponent)


class SharedMoments:
    """A table of the moments that all pairs of monomials need.

    Parameters
    ----------
    monomials : LayoutMonomials
        The functions.
    columns : sequence of int
        The columns that are their variables.
    """

    def __init__(self, monomials: LayoutMonomials, columns: Sequence[int]) -> None:
        self._products = monomials.products
        self._directions = [Direction(column, 1.0) for column in columns]
        degree, n = self._products.shape[1], len(self._directions)
        self._tables = tables_for_all(degree, monomials.max_exponent, n)
        self._table = self._tables.tables[0]

    def pays(self, n_rows: int) -> bool:
        """Return True if the table is cheaper than the products of all functions."""
        n = len(self._products)
        return self._tables.cost * n_rows + GATHERING_COST * n**2 / 2 < n_rows * n**2 / 2

    def sum(self, rows: Rows) -> None:
        """Sum over the rows of a table."""
        work = MomentWork(self._directions, self._tables, VariableValues(rows.n_rows, 0))
        (self._table.moments,) = rows.sum(work)

    def gather(self, part: slice, out: Array) -> None:
        """Write the moments of some functions with the constant and all functions up to them."""
        functions = slice(1 + part.start, 1 + part.stop)
        self._table.gather(self._products[functions], self._products[: functions.stop], out)
