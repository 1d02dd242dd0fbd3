"""Second moments of all monomials of many columns, every distinct one computed once.

E[s t] of two monomials depends on their product alone. Of 20,000 monomials of degree 2 three times
fewer products are distinct than there are pairs: see `MomentTable`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.orthogonalize import (
    GATHERING,
    HALF_EVALUATION,
    MAX_VARIABLES,
    Halves,
    MomentTable,
    Tuples,
    monomials,
    powers_of,
)
from gramian.core.rows import RowBlock, Rows, Work
from gramian.families import Block, Family

PIECE = 1024
"""Rows of the table that are evaluated at once."""


def pieces(rows: RowBlock) -> Iterator[RowBlock]:
    """Yield a row block in pieces."""
    x = rows.x
    for start in range(0, len(x), PIECE):
        yield RowBlock(x[start : start + PIECE], rows.root[start : start + PIECE])


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
    stored: Tuples = np.zeros((1, degree), dtype=np.uint8)
    products = [stored]
    for variable, block in enumerate(blocks, start=1):
        new = stored[block.parents]
        for power, those in powers_of(block):
            new[those, :-power] = new[those, power:]
            new[those, -power:] = variable
        products.append(new)
        stored = np.vstack([stored, new[block.stored]])
    return LayoutMonomials(np.vstack(products), max_exponent)


class Shared:
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
        self._columns = list(columns)
        degree, n = self._products.shape[1], len(self._columns)
        self._first = Halves(n + 1, 0, degree, monomials.max_exponent)
        self._second = Halves(n + 1, n, degree, monomials.max_exponent)
        self._table = MomentTable(self._first, self._second, 2 * degree)

    def pays(self, n_rows: int) -> bool:
        """Return whether it is cheaper than the products of all functions."""
        n = len(self._products)
        evaluation = HALF_EVALUATION * len(self._second.tuples[-1])
        return (self._table.cost + evaluation) * n_rows + GATHERING * n**2 / 2 < n_rows * n**2 / 2

    def sum(self, rows: Rows) -> None:
        """Sum over the rows of a table."""
        (self._table.moments,) = rows.sum(
            SharedWork(self._first, self._second, self._table, tuple(self._columns))
        )

    def gather(self, part: slice, out: Array) -> None:
        """Write down the moments of some functions with the constant and all up to them."""
        functions = slice(1 + part.start, 1 + part.stop)
        self._table.gather(self._products[functions], self._products[: functions.stop], out)


@dataclass(frozen=True)
class SharedWork(Work):
    """Sums the moments of a table."""

    first: Halves
    second: Halves
    table: MomentTable
    columns: tuple[int, ...]

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that begins at zero."""
        return _Worker(self, add_product)


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(self, work: SharedWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        self._first: list[Array] = []
        self._second: list[Array] = []
        self.sums = [np.zeros(work.table.size)]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        _, rows = item
        work = self._work
        size = len(work.first.tuples) - 1
        for piece in pieces(rows):
            root = piece.root
            symbols = np.vstack([np.ones(len(root)), piece.x[:, list(work.columns)].T / root])
            backwards = np.ascontiguousarray(symbols[::-1])
            self._first = work.first.evaluate(symbols, size, self._first)
            self._second = work.second.evaluate(backwards, size, self._second)
            work.table.add(
                self.sums[0],
                self._first,
                self._second,
                backwards,
                root * root,
                self._add_product,
            )
