"""The sums over rows that the Gram matrix of monomials is made of, from tables of moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.orthogonalize._function_sums import Sums, VariableValues
from gramian.core.orthogonalize._moment_table import Halves, MomentTable, Tuples
from gramian.core.orthogonalize._orthogonalizer import Direction, Step
from gramian.core.rows import RowBlock, Work
from gramian.families import Block, Family, Products

MAX_VARIABLES = 254
"""Variables are numbered in one byte."""
PIECE = 1024
"""Rows that are evaluated at once."""
HALF_EVALUATION = 20.0
"""What evaluating a half costs, in multiplications of a matrix product."""
GATHERING = 1000.0
"""What gathering an entry costs, in multiplications of a matrix product."""


class Monomials:
    """The functions of a family of monomials, each by its variables.

    Parameters
    ----------
    degree : int
        The largest degree of a function.
    max_exponent : int or None
        The largest exponent of a variable in the product of two functions, if it is limited.
    """

    def __init__(self, degree: int, max_exponent: int | None) -> None:
        self._degree = degree
        self._max_exponent = max_exponent
        self._n_steps = 0
        self._store: Tuples = np.zeros((1, degree), dtype=np.uint8)
        self._basis: Tuples = np.zeros((1, degree), dtype=np.uint8)

    def _catch_up(self, steps: Sequence[Step]) -> None:
        """Note the monomials of the steps not seen yet."""
        for variable, step in enumerate(steps[self._n_steps :], start=self._n_steps + 1):
            new = self._store[step.block.parents]
            for power, those in powers_of(step.block):
                new[those, :-power] = new[those, power:]
                new[those, -power:] = variable
            self._basis = np.vstack([self._basis, new[step.kept]])
            self._store = np.vstack([self._store, new[step.block.stored]])
        self._n_steps = len(steps)

    def plan(self, n_variables: int, block: Block) -> MomentPlan:
        """Lay out the tables for the functions of a new variable."""
        return plan_moments(self._degree, self._max_exponent, n_variables, block)

    def work(
        self,
        steps: Sequence[Step],
        direction: Direction,
        block: Block,
        plan: MomentPlan,
        n_columns: int,
        variables: VariableValues,
    ) -> MomentWork:
        """Return the work of a new variable."""
        self._catch_up(steps)
        directions = [*(step.direction for step in steps), direction]
        parents = self._store[block.parents][:, 1:]
        return MomentWork(directions, block, plan, n_columns, variables, parents, self._basis)


@dataclass(frozen=True)
class MomentWork(Work):
    """Computes every distinct moment once, and gathers the Gram matrix from them."""

    directions: Sequence[Direction]
    block: Block
    plan: MomentPlan
    n_columns: int
    variables: VariableValues
    parents: Tuples
    basis: Tuples

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that begins at zero."""
        found = [
            (power, those, self.plan.first.find(self.parents[those]))
            for power, those in powers_of(self.block)
        ]
        return _Worker(self, found, add_product)

    def sums(self, found: list[Array]) -> Sums:
        """Gather the Gram matrix from the moments that were found."""
        *moments, with_x = found
        tables = self.plan.tables
        for table, values in zip(tables.values(), moments, strict=True):
            table.moments = values
        groups = powers_of(self.block)
        n_old, n_new = len(self.basis), self.block.n_functions
        gram = np.empty((n_new, n_old + n_new))
        for a, those in groups:
            parents = self.parents[those]
            tables[a].gather(parents, self.basis, gram[those, :n_old])
            for b, others in groups:
                columns = slice(n_old + others.start, n_old + others.stop)
                tables[a + b].gather(parents, self.parents[others], gram[those, columns])
        return Sums(gram, with_x)


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(
        self,
        work: MomentWork,
        found: Sequence[tuple[int, slice, IntArray]],
        add_product: AddProduct,
    ) -> None:
        self._work = work
        self._found = found
        self._add_product = add_product
        self._first: list[Array] = []
        self._second: list[Array] = []
        moments = [np.zeros(table.size) for table in work.plan.tables.values()]
        self.sums = [*moments, np.zeros((work.block.n_functions, work.n_columns))]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        number, rows = item
        z = self._work.variables.on(number, rows, self._work.directions)
        # Pieces are small enough for the values of the halves to stay near the processor.
        for start in range(0, len(rows.root), PIECE):
            piece = slice(start, start + PIECE)
            self._add(rows.part(piece), z[:, piece])

    def _add(self, rows: RowBlock, z: Array) -> None:
        plan = self._work.plan
        *moments, with_x = self.sums
        symbols, new = z[:-1], z[-1]
        backwards = np.ascontiguousarray(symbols[::-1])
        size = len(plan.first.tuples) - 1
        self._first = first = plan.first.evaluate(symbols, size, self._first)
        self._second = second = plan.second.evaluate(backwards, size, self._second)
        for (power, table), sums in zip(plan.tables.items(), moments, strict=True):
            factor = new**power * rows.root * rows.root
            table.add(sums, first, second, backwards, factor, self._add_product)
        for power, those, half in self._found:
            values = first[-1][half]
            values *= new**power * rows.root
            rows.add_products(with_x[those], values, self._add_product)


@dataclass(frozen=True)
class MomentPlan:
    """Tables of moments for one step."""

    first: Halves
    second: Halves
    tables: dict[int, MomentTable]

    @property
    def cost(self) -> float:
        """Multiplications per row, without those of gathering."""
        evaluation = HALF_EVALUATION * len(self.second.tuples[-1])
        return sum(table.cost for table in self.tables.values()) + evaluation


def plan_moments(
    degree: int, max_exponent: int | None, n_variables: int, block: Block
) -> MomentPlan:
    """Lay out the tables for the functions of a new variable, after `n_variables` others."""
    first = Halves(n_variables + 1, 0, degree - 1, max_exponent)
    second = Halves(n_variables + 1, n_variables, degree, max_exponent)
    present = [power for power, _ in powers_of(block)]
    powers = sorted({*present, *(a + b for a in present for b in present)})
    tables = {power: MomentTable(first, second, 2 * degree - power) for power in powers}
    return MomentPlan(first, second, tables)


def monomials(family: Family) -> tuple[int, int | None] | None:
    """Return the degree of a family of monomials, and the largest exponent if it is limited.

    The exponent is that of a variable in the product of two functions.
    """
    rule, *others = family.rules()
    if others or not isinstance(rule, Products):
        return None
    if rule.highest_power is None or rule.degree is None:
        return None
    return rule.degree, 2 if rule.highest_power == 1 else None


def powers_of(block: Block) -> list[tuple[int, slice]]:
    """Return the functions of a block of monomials by the power of the new variable."""
    powers, starts = np.unique(block.atoms + 1, return_index=True)
    stops = [*starts[1:].tolist(), len(block.atoms)]
    return [
        (int(power), slice(int(start), stop))
        for power, start, stop in zip(powers, starts, stops, strict=True)
    ]
