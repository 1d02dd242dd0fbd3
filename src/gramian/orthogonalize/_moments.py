"""The sums over rows that the Gram matrix of monomials is made of, from tables of moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._threads import AddProduct, n_workers, product_for, share_out
from gramian._types import Array, IntArray
from gramian.families._base import Family
from gramian.families._expansion import Block, Products
from gramian.orthogonalize._common import Direction
from gramian.orthogonalize._moment_table import Halves, MomentTable, Tuples
from gramian.orthogonalize._sums import Step, Sums, Variables, sum_arrays
from gramian.rows import RowBlock, Rows

MAX_VARIABLES = 254
"""Variables are numbered in one byte."""
PIECE = 1024
"""Rows that are evaluated at once."""
HALF_EVALUATION = 20.0
"""What evaluating a half costs, in multiplications of a matrix product."""
GATHERING = 1000.0
"""What gathering an entry costs, in multiplications of a matrix product."""


class MomentSums:
    """Sums for a family of monomials, gathered from tables of moments.

    Parameters
    ----------
    rows : Rows
        The table.
    variables : Variables
        Their values.
    degree : int
        The largest degree of a function.
    max_exponent : int or None
        The largest exponent of a variable in the product of two functions, if it is limited.
    """

    def __init__(
        self, rows: Rows, variables: Variables, degree: int, max_exponent: int | None
    ) -> None:
        self._rows = rows
        self._variables = variables
        self._degree = degree
        self._max_exponent = max_exponent
        self._n_steps = 0
        self._store: Tuples = np.zeros((1, degree), dtype=np.uint8)
        self._basis: Tuples = np.zeros((1, degree), dtype=np.uint8)

    def _catch_up(self, steps: Sequence[Step]) -> None:
        """Note the monomials of the steps not seen yet."""
        for variable, step in enumerate(steps[self._n_steps :], start=self._n_steps + 1):
            new = self._store[step.block.parents]
            for power, those in _by_power(step.block):
                new[those, :-power] = new[those, power:]
                new[those, -power:] = variable
            self._basis = np.vstack([self._basis, new[step.kept]])
            self._store = np.vstack([self._store, new[step.block.stored]])
        self._n_steps = len(steps)

    def plan(self, n_variables: int, block: Block) -> Plan:
        """Lay out the tables for the functions of a new variable."""
        return lay_out(self._degree, self._max_exponent, n_variables, block)

    def sum(self, steps: Sequence[Step], direction: Direction, block: Block, plan: Plan) -> Sums:
        """Read the table once and return the sums for a new variable."""
        self._catch_up(steps)
        groups = _by_power(block)
        parents = self._store[block.parents][:, 1:]
        found = [(power, those, plan.first.find(parents[those])) for power, those in groups]
        directions = [*(step.direction for step in steps), direction]
        n = n_workers(self._rows.n_rows)
        workers = [
            _Worker(self._variables, directions, plan, found, self._rows.n_columns, product_for(n))
            for _ in range(n)
        ]
        share_out(enumerate(self._rows.blocks()), workers)
        for power, table in plan.tables.items():
            table.moments = sum_arrays([worker.moments[power] for worker in workers])

        n_old = len(self._basis)
        gram = np.empty((block.n_functions, n_old + block.n_functions))
        for a, those in groups:
            plan.tables[a].gather(parents[those], self._basis, gram[those, :n_old])
            for b, others in groups:
                columns = slice(n_old + others.start, n_old + others.stop)
                plan.tables[a + b].gather(parents[those], parents[others], gram[those, columns])
        return Sums(gram, sum_arrays([worker.with_x for worker in workers]))


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(
        self,
        variables: Variables,
        directions: Sequence[Direction],
        plan: Plan,
        found: Sequence[tuple[int, slice, IntArray]],
        n_columns: int,
        add_product: AddProduct,
    ) -> None:
        self._variables = variables
        self._directions = directions
        self._plan = plan
        self._found = found
        self._add_product = add_product
        self._first: list[Array] = []
        self._second: list[Array] = []
        self.moments = {power: np.zeros(table.size) for power, table in plan.tables.items()}
        self.with_x = np.zeros((found[-1][1].stop, n_columns))

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        number, rows = item
        z = self._variables.on(number, rows, self._directions)
        # Pieces are small enough for the values of the halves to stay near the processor.
        for start in range(0, len(rows.root), PIECE):
            piece = slice(start, start + PIECE)
            self._add(rows.x[piece], rows.root[piece], z[:, piece])

    def _add(self, x: Array, root: Array, z: Array) -> None:
        symbols, new = z[:-1], z[-1]
        backwards = np.ascontiguousarray(symbols[::-1])
        size = len(self._plan.first.tuples) - 1
        self._first = first = self._plan.first.evaluate(symbols, size, self._first)
        self._second = second = self._plan.second.evaluate(backwards, size, self._second)
        for power, table in self._plan.tables.items():
            factor = new**power * root * root
            table.add(self.moments[power], first, second, backwards, factor, self._add_product)
        for power, those, half in self._found:
            values = first[-1][half]
            values *= new**power * root
            self._add_product(self.with_x[those], values, x)


@dataclass(frozen=True)
class Plan:
    """Tables of moments for one step."""

    first: Halves
    second: Halves
    tables: dict[int, MomentTable]

    @property
    def cost(self) -> float:
        """Multiplications a row, but for gathering."""
        evaluation = HALF_EVALUATION * len(self.second.tuples[-1])
        return sum(table.cost for table in self.tables.values()) + evaluation


def lay_out(degree: int, max_exponent: int | None, n_variables: int, block: Block) -> Plan:
    """Lay out the tables for the functions of a new variable, after so many others."""
    first = Halves(n_variables + 1, 0, degree - 1, max_exponent)
    second = Halves(n_variables + 1, n_variables, degree, max_exponent)
    present = [power for power, _ in _by_power(block)]
    powers = sorted({*present, *(a + b for a in present for b in present)})
    tables = {power: MomentTable(first, second, 2 * degree - power) for power in powers}
    return Plan(first, second, tables)


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


def _by_power(block: Block) -> list[tuple[int, slice]]:
    """Return the functions of a block of monomials by the power of the new variable."""
    powers, starts = np.unique(block.atoms + 1, return_index=True)
    stops = [*starts[1:].tolist(), len(block.atoms)]
    return [
        (int(power), slice(int(start), stop))
        for power, start, stop in zip(powers, starts, stops, strict=True)
    ]
