"""Sums over rows of products of candidates' functions.

A candidate is a column outside the selected set of columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.gain._frame import Frame, Newcomer
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.core.sums import pieces

BYTES_AT_ONCE = 2**24
"""Memory in bytes, about, of the values of candidates' functions that are evaluated at once."""


@dataclass(frozen=True)
class Order:
    """A column outside the selected set, and the products of its functions that shall be summed."""

    column: int
    newcomer: Newcomer
    new: IntArray
    """Functions of the candidate whose products with all functions and columns are missing."""
    old: IntArray
    """Functions of the candidate whose products with the set's new functions are missing."""
    fresh: IntArray
    """The new functions of the set."""


@dataclass(frozen=True)
class CandidateSums:
    """The sums over rows of the products that an `Order` asks for."""

    mean: Array
    """E[g] of the new functions g."""
    with_functions: Array
    """E[gf] with all functions f of the set."""
    with_x: Array
    """E[gX]."""
    own: Array
    """E[gh] with all functions h of the candidate."""
    old: Array
    """E[hf] of the old functions h and the new functions f of the set."""


def sum_candidates(rows: Rows, frame: Frame, orders: Sequence[Order]) -> list[CandidateSums]:
    """Read the table once, and return the sums of the products that each order asks for.

    Parameters
    ----------
    rows : Rows
        The table. Columns have mean 0 and variance 1.
    frame : Frame
        The functions of the selected columns.
    orders : sequence of Order
        For each candidate (a column that is not selected), the products to sum.
    """
    if not orders:
        return []
    work = CandidateWork(frame, tuple(orders), rows.n_columns)
    found: list[CandidateSums] = []
    if any(len(order.new) or len(order.fresh) for order in orders):
        with np.errstate(over="ignore", invalid="ignore"):  # the callers check the sums
            sums = rows.sum(work)
    else:  # columns left the set, and none joined: no sums are missing
        sums = work.zeros()
    for group in work.groups:
        every, with_x, own, old = sums[:4]
        sums = sums[4:]
        for i in range(group.stop - group.start):
            order = orders[group.start]
            mine = slice(i * len(order.new), (i + 1) * len(order.new))
            theirs = slice(i * len(order.old), (i + 1) * len(order.old))
            found.append(
                CandidateSums(every[mine, 0], every[mine, 1:], with_x[mine], own[i], old[theirs])
            )
    return found


@dataclass(frozen=True)
class CandidateWork(BlockWork):
    """Sum products of candidates' functions with each other, with X and with the selected columns.

    A candidate is a column that is not selected. Of the selected columns, all functions count.
    """

    frame: Frame
    orders: tuple[Order, ...]
    n_columns: int

    @cached_property
    def groups(self) -> list[slice]:
        """Slices of neighbouring entries of `orders` that differ in the column only."""
        orders, n = self.orders, len(self.orders)
        starts = [0, *(i for i in range(1, n) if not _same(orders[i - 1], orders[i]))]
        return [slice(*pair) for pair in itertools.pairwise([*starts, n])]

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: four arrays of zeros per slice of `groups`."""
        sums = []
        for group in self.groups:
            order, size = self.orders[group.start], group.stop - group.start
            n_new, n_old, n = len(order.new), len(order.old), order.newcomer.block.n_functions
            sums += [
                np.zeros((size * n_new, 1 + self.frame.n_functions)),
                np.zeros((size * n_new, self.n_columns)),
                np.zeros((size, n_new, n)),
                np.zeros((size * n_old, len(order.fresh))),
            ]
        return sums

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the products on the row block `rows` to the arrays `sums`, in place."""
        for piece in pieces(rows):
            self._add(sums, piece, add_product)

    def _add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        functions, store, z = self.frame.evaluate(rows)
        for number, group in enumerate(self.groups):
            every, with_x, own, old = sums[4 * number : 4 * number + 4]
            order = self.orders[group.start]
            fresh = functions[1 + order.fresh].T
            n = order.newcomer.block.n_functions
            step = max(1, BYTES_AT_ONCE // (8 * n * len(rows.root)))
            n_new, n_old = len(order.new), len(order.old)
            for first in range(group.start, group.stop, step):
                several = self.orders[first : min(first + step, group.stop)]
                values = np.empty((len(several), n, len(rows.root)))
                for each, out in zip(several, values, strict=True):
                    variable = rows.x[:, each.column] / rows.root
                    each.newcomer.block.evaluate(store, [*z, variable], out=out)
                place = first - group.start
                new = values if n_new == n else values[:, order.new]
                part = slice(place * n_new, (place + len(several)) * n_new)
                flat = new.reshape(-1, len(rows.root))
                add_product(every[part], flat, functions.T)
                add_product(with_x[part], flat, rows.x)
                for i in range(len(several)):
                    add_product(own[place + i], new[i], values[i].T)
                if n_old and len(order.fresh):
                    part = slice(place * n_old, (place + len(several)) * n_old)
                    left = values[:, order.old].reshape(-1, len(rows.root))
                    add_product(old[part], left, fresh)


def _same(a: Order, b: Order) -> bool:
    """Return True if two orders ask for the same products, for different columns."""
    return a.newcomer.block is b.newcomer.block and all(
        np.array_equal(x, y) for x, y in ((a.new, b.new), (a.old, b.old), (a.fresh, b.fresh))
    )
