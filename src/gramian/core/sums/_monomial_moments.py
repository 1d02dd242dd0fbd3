"""Gram matrix of monomials, copied from tables of distinct moments, which are sums over rows."""

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
"""Cost of the value of a half monomial on one row, in multiplications of a matrix product; for
estimates of the time."""
GATHERING_COST = 1000.0
"""Cost of copying one entry of the Gram matrix from the tables, in multiplications of a matrix
product; for estimates of the time."""


@dataclass(frozen=True)
class MomentTables:
    """Tables of moments of all monomials in some variables, times powers of the newest variable."""

    first: Halves
    second: Halves
    tables: dict[int, MomentTable]
    """Moment table for each power of the newest variable."""

    @property
    def cost(self) -> float:
        """Cost of the sums in multiplications per row, without copying to the Gram matrix."""
        evaluation = HALF_COST * len(self.second.tuples[-1])
        return sum(table.cost for table in self.tables.values()) + evaluation


def tables_for_step(
    degree: int, max_exponent: int | None, n_variables: int, block: Block
) -> MomentTables:
    """Return moment tables, still without values, for a new variable after `n_variables` others.

    Parameters
    ----------
    degree, max_exponent
        The parameters of `Monomials`.
    n_variables : int
        The number of earlier variables.
    block : Block
        The functions of the new variable.
    """
    first = Halves(n_variables + 1, 0, degree - 1, max_exponent)
    second = Halves(n_variables + 1, n_variables, degree, max_exponent)
    present = [power for power, _ in powers_of(block)]
    powers = sorted({*present, *(a + b for a in present for b in present)})
    tables = {power: MomentTable(first, second, 2 * degree - power) for power in powers}
    return MomentTables(first, second, tables)


def tables_for_all(degree: int, max_exponent: int | None, n_variables: int) -> MomentTables:
    """Return one moment table, still without values, for products of any two monomials.

    Parameters
    ----------
    degree, max_exponent
        The parameters of `Monomials`.
    n_variables : int
        The number of variables.
    """
    first = Halves(n_variables + 1, 0, degree, max_exponent)
    second = Halves(n_variables + 1, n_variables, degree, max_exponent)
    return MomentTables(first, second, {0: MomentTable(first, second, 2 * degree)})


class Monomials:
    """Functions of a family of monomials, stored as tuples of their variables.

    Parameters
    ----------
    degree : int
        The largest degree of a function.
    max_exponent : int or None
        The largest exponent of a variable in the product of two functions; None for no limit.
    """

    def __init__(self, degree: int, max_exponent: int | None) -> None:
        self._degree = degree
        self._max_exponent = max_exponent
        self._tuples = MonomialTuples(degree)

    def tables(self, n_variables: int, block: Block) -> MomentTables:
        """Return moment tables, still without values, for the functions of a new variable.

        Parameters
        ----------
        n_variables : int
            The number of earlier variables.
        block : Block
            The functions of the new variable.
        """
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
        """Return the work that computes the sums for the functions of a new variable.

        Parameters
        ----------
        steps : sequence of Step
            The earlier variables and their functions.
        direction, block
            The new variable, and its functions.
        tables : MomentTables
            The tables that `tables` returned.
        n_columns : int
            The number of columns of X.
        variables : VariableValues
            Cache of the values of the variables.
        """
        for step in steps[self._tuples.n_variables :]:
            self._tuples.append(step.block, step.kept)
        directions = [*(step.direction for step in steps), direction]
        parents = self._tuples.parents[block.parents][:, 1:]
        basis = self._tuples.functions
        return StepMomentWork(directions, tables, variables, block, n_columns, parents, basis)


@dataclass(frozen=True)
class MomentWork(Work):
    """Work that sums every distinct moment of some moment tables once."""

    directions: Sequence[Direction]
    """The chosen variables; the newest variable is the last one."""
    tables: MomentTables
    variables: VariableValues

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: a vector of zeros for each moment table."""
        return [np.zeros(table.size) for table in self.tables.tables.values()]

    def functions(self) -> list[tuple[int, slice, IntArray]]:
        """Return the functions whose products with the columns X are summed: none in this class.

        Each entry describes a group of functions: the power of the newest variable, the numbers of
        the functions, and the rows of their other factors in the list of the longest monomials.
        """
        return []

    def worker(self, add_product: AddProduct) -> _MomentWorker:
        """Return a worker whose sums start at zero; it multiplies by calling `add_product`."""
        return _MomentWorker(self, add_product)


@dataclass(frozen=True)
class StepMomentWork(MomentWork):
    """Work that sums E[gfᵀ] and E[gXᵀ] for the functions g of a new variable.

    Functions are monomials, and each distinct moment is summed once.
    """

    block: Block
    n_columns: int
    parents: Tuples
    """Parent of each new function, as a tuple: the function is its parent times a power of the new
    variable."""
    basis: Tuples

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: zeros for the moments, then for E[g Xᵀ]."""
        return [*super().zeros(), np.zeros((self.block.n_functions, self.n_columns))]

    def functions(self) -> list[tuple[int, slice, IntArray]]:
        """Return all functions of the new variable, grouped by its power.

        The form of the result is that of `MomentWork.functions`.
        """
        return [
            (power, those, self.tables.first.find(self.parents[those]))
            for power, those in powers_of(self.block)
        ]

    def sums(self, found: list[Array]) -> Sums:
        """Copy the Gram matrix from the summed moments, and return it with E[g Xᵀ]."""
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
    """Worker that adds row blocks to moments; it reuses the arrays for values of monomials."""

    def __init__(self, work: MomentWork, add_product: AddProduct) -> None:
        self._work = work
        self._functions = work.functions()
        self._add_product = add_product
        self._first: list[Array] = []
        self._second: list[Array] = []
        self.sums = work.zeros()

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add one row block, passed as (number of the block, block), to the sums."""
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
