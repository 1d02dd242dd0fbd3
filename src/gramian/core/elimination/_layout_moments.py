"""Second moments of all monomials of many columns: each distinct moment is computed once.

E[s t] of two monomials depends on their product alone. For 20,000 monomials of degree 2, the number
of distinct products is a third of the number of pairs: see `MomentTable`.
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
    """The functions of a layout as monomials, the constant first."""

    products: Tuples
    """Tuples of variables, see `MonomialTuples`."""
    max_exponent: int | None
    """Largest exponent of a variable in the product of two functions; None for no limit."""


def layout_monomials(family: Family, blocks: Sequence[Block]) -> LayoutMonomials | None:
    """Return the functions as monomials; None for other functions, or for too many variables.

    Parameters
    ----------
    family : Family
        The functions.
    blocks : sequence of Block
        The blocks of all variables.
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
    """Table of the moments E[st] of all pairs of monomials; each distinct moment is stored once.

    Parameters
    ----------
    monomials : LayoutMonomials
        The functions.
    columns : sequence of int
        The columns of the table that are the variables of the monomials.
    """

    def __init__(self, monomials: LayoutMonomials, columns: Sequence[int]) -> None:
        self._products = monomials.products
        self._directions = [Direction(column, 1.0) for column in columns]
        degree, n = self._products.shape[1], len(self._directions)
        self._tables = tables_for_all(degree, monomials.max_exponent, n)
        self._table = self._tables.tables[0]

    def pays(self, n_rows: int) -> bool:
        """Return True if this table costs less than products of all pairs of functions."""
        n = len(self._products)
        return self._tables.cost * n_rows + GATHERING_COST * n**2 / 2 < n_rows * n**2 / 2

    def sum(self, rows: Rows) -> None:
        """Read all rows once, and compute the moments, which are sums over the rows."""
        work = MomentWork(self._directions, self._tables, VariableValues(rows.n_rows, 0))
        (self._table.moments,) = rows.sum(work)

    def gather(self, part: slice, out: Array) -> None:
        """Write moments of the functions number `part` to `out`, one row for each function.

        The moments are with the constant and with all functions up to the last one of `part`.
        """
        functions = slice(1 + part.start, 1 + part.stop)
        self._table.gather(self._products[functions], self._products[: functions.stop], out)
