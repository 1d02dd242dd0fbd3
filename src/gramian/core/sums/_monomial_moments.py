"""Sums over rows that make the Gram matrix of monomials, from tables of distinct moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.rows import RowBlock, Work
from gramian.core.sums._function_sums import Sums, VariableValues
from gramian.core.sums._moment_table import Halves, MomentTable
from gramian.core.sums._monomial_tuples import MonomialTuples, Tuples, powers_of
from gramian.core.sums._pieces import piece_slices
from gramian.core.sums._steps import Direction, Step
from gramian.families import Block

HALF_COST = 20.0
"""Cost of evaluating a half, in multiplications of a matrix product."""
GATHERING_COST = 1000.0
"""Cost of gathering an entry of the Gram matrix, in multiplications of a matrix product."""


@dataclass(frozen=True)
class MomentTables:
    """Moments of all monomials in some variables, times powers of the newest variable."""

    first: Halves
    second: Halves
    tables: dict[int, MomentTable]
    """The tables by the power of the newest variable."""

    @property
    def cost(self) -> float:
        """Multiplications per row, without those of gathering."""
        evaluation = HALF_COST * len(self.second.tuples[-1])
        return sum(table.cost for table in self.tables.values()) + evaluation


def tables_for_step(
    degree: int, max_exponent: int | None, n_variables: int, block: Block
) -> MomentTables:
    """Lay out the tables for the functions of a new variable, after `n_variables` others."""
    first = Halves(n_variables + 1, 0, degree - 1, max_exponent)
    second = Halves(n_variables + 1, n_variables, degree, max_exponent)
    present = [power for power, _ in powers_of(block)]
    powers = sorted({*present, *(a + b for a in present for b in present)})
    tables = {power: MomentTable(first, second, 2 * degree - power) for power in powers}
    return MomentTables(first, second, tables)


def tables_for_all(degree: int, max_exponent: int | None, n_variables: int) -> MomentTables:
    """Lay out the table of the products of any two monomials of all variables."""
    first = Halves(n_variables + 1, 0, degree, max_exponent)
    second = Halves(n_variables + 1, n_variables, degree, max_exponent)
    return MomentTables(first, second, {0: MomentTable(first, second, 2 * degree)})


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
        self._tuples = MonomialTuples(degree)

    def tables(self, n_variables: int, block: Block) -> MomentTables:
        """Lay out the tables for the functions of a new variable."""
        return tables_for_step(self._degree, self._max_exponent, n_variables, block)

    def work(
        self,
        steps: Sequence[Step],
        direction: Direction,
        block: Block,
        tables: MomentTables,
        n_columns: int,
        variables: VariableValues,
    ) -> StepMomentWork:
        """Return the sums to take for a new variable."""
        for step in steps[self._tuples.n_variables :]:
            self._tuples.append(step.block, step.kept)
        directions = [*(step.direction for step in steps), direction]
        parents = self._tuples.parents[block.parents][:, 1:]
        basis = self._tuples.functions
        return StepMomentWork(directions, tables, variables, block, n_columns, parents, basis)


@dataclass(frozen=True)
class MomentWork(Work):
    """Compute every distinct moment of the given tables once."""

    directions: Sequence[Direction]
    """The variables, the newest one last."""
    tables: MomentTables
    variables: VariableValues

    def zeros(self) -> list[Array]:
        """Return the moments of no rows, one vector for each table."""
        return [np.zeros(table.size) for table in self.tables.tables.values()]

    def functions(self) -> list[tuple[int, slice, IntArray]]:
        """Return the functions whose products with X are asked for: here none.

        Each group is given by the power of the newest variable, the numbers of the functions, and
        the rows of their other factors among the longest first halves.
        """
        return []

    def worker(self, add_product: AddProduct) -> _MomentWorker:
        """Return a worker that begins at zero."""
        return _MomentWorker(self, add_product)


@dataclass(frozen=True)
class StepMomentWork(MomentWork):
    """Compute the moments of a new variable's functions, and their products with X."""

    block: Block
    n_columns: int
    parents: Tuples
    """Monomials that powers of the new variable are multiplied with, one for each function."""
    basis: Tuples

    def zeros(self) -> list[Array]:
        """Return the moments of no rows, and E[g Xᵀ] last."""
        return [*super().zeros(), np.zeros((self.block.n_functions, self.n_columns))]

    def functions(self) -> list[tuple[int, slice, IntArray]]:
        """Return all functions of the block, by their power of the new variable."""
        return [
            (power, those, self.tables.first.find(self.parents[those]))
            for power, those in powers_of(self.block)
        ]

    def sums(self, found: list[Array]) -> Sums:
        """Gather the Gram matrix from the moments that were found."""
        *moments, with_x = found
        tables = self.tables.tables
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


class _MomentWorker:
    """Adds row blocks to moments, in memory for the values of halves that is used again."""

    def __init__(self, work: MomentWork, add_product: AddProduct) -> None:
        self._work = work
        self._functions = work.functions()
        self._add_product = add_product
        self._first: list[Array] = []
        self._second: list[Array] = []
        self.sums = work.zeros()

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        number, rows = item
        z = self._work.variables.on(number, rows, self._work.directions)
        for piece in piece_slices(len(rows.root)):
            self._add(rows.part(piece), z[:, piece])

    def _add(self, rows: RowBlock, z: Array) -> None:
        plan = self._work.tables
        symbols, newest = z[: plan.first.n_symbols], z[-1]
        backwards = np.ascontiguousarray(symbols[::-1])
        size = len(plan.first.tuples) - 1
        self._first = first = plan.first.evaluate(symbols, size, self._first)
        self._second = second = plan.second.evaluate(backwards, size, self._second)
        for (power, table), sums in zip(plan.tables.items(), self.sums, strict=False):
            factor = newest**power * rows.root * rows.root
            table.add(sums, first, second, backwards, factor, self._add_product)
        for power, those, half in self._functions:
            values = first[-1][half]
            values *= newest**power * rows.root
            rows.add_products(self.sums[-1][those], values, self._add_product)
