"""The sums over rows that the Gram matrix is made of, by evaluating all functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._threads import AddProduct, n_workers, product_for, share_out
from gramian._types import Array, IntArray
from gramian.families._expansion import Block
from gramian.orthogonalize._common import Direction, GrowingRows
from gramian.rows import RowBlock, Rows

EVALUATION = 100.0
"""What a function's value costs, computed or fetched, in multiplications of a matrix product."""


@dataclass(frozen=True)
class Step:
    """One variable, its functions, and which of them are in the basis, in increasing order."""

    direction: Direction
    block: Block
    kept: IntArray


@dataclass(frozen=True)
class Sums:
    """Expectations of the new functions g with those in the basis, with each other, and with X."""

    gram: Array
    """E[g fᵀ] for the functions f of the basis, then for the new ones: (n_new, n_basis + n_new)."""
    with_x: Array
    """E[g Xᵀ]."""


class Variables:
    """The values of the chosen variables on every row block, kept while they fit in a budget."""

    def __init__(self, rows: Rows, budget: int) -> None:
        self._n_rows = rows.n_rows
        self._budget = budget
        self._kept: dict[int, GrowingRows] = {}

    def on(self, number: int, rows: RowBlock, directions: Sequence[Direction]) -> Array:
        """Return the constant one and the variables, by rows, on the row block of that number."""
        z = self._kept.get(number)
        if z is None:
            z = GrowingRows(np.ones(len(rows.root)))
        for direction in directions[len(z.view) - 1 :]:
            z.extend(1)[0] = direction.of(rows.x, rows.root, one_thread=True)
        if 8 * len(directions) * self._n_rows <= self._budget:
            self._kept[number] = z
        else:
            self._kept.pop(number, None)
        return z.view


class PlainSums:
    """Evaluates the functions of the basis and the new ones, and multiplies the matrices.

    Parameters
    ----------
    rows : Rows
        The table.
    variables : Variables
        Their values.
    budget : int
        Values of functions are kept between steps for as many rows as fit in this number of bytes,
        and computed anew for the others.
    """

    def __init__(self, rows: Rows, variables: Variables, budget: int) -> None:
        self._rows = rows
        self._variables = variables
        self._budget = budget
        self._kept: dict[int, _Values] = {}

    def sum(self, steps: Sequence[Step], direction: Direction, block: Block) -> Sums:
        """Read the table once and return the sums for a new variable."""
        n = n_workers(self._rows.n_rows)
        workers = [_Worker(self, steps, direction, block, product_for(n)) for _ in range(n)]
        share_out(enumerate(self._rows.blocks()), workers)
        return Sums(
            sum_arrays([worker.gram for worker in workers]),
            sum_arrays([worker.with_x for worker in workers]),
        )


def plain_cost(n_old: int, n_new: int) -> float:
    """Return the multiplications a row of evaluating functions and their Gram block."""
    return (n_new + EVALUATION) * (n_old + n_new)


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(
        self,
        plain: PlainSums,
        steps: Sequence[Step],
        direction: Direction,
        block: Block,
        add_product: AddProduct,
    ) -> None:
        self._plain = plain
        self._steps = steps
        self._directions = [*(step.direction for step in steps), direction]
        self._block = block
        self._add_product = add_product
        self._workspace: _Values | None = None
        n_old = 1 + sum(len(step.kept) for step in steps)
        n_new = block.n_functions
        self.gram = np.zeros((n_new, n_old + n_new))
        self.with_x = np.zeros((n_new, plain._rows.n_columns))

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        number, rows = item
        z = self._plain._variables.on(number, rows, self._directions)[1:]
        values = self._plain._kept.pop(number, None) or self._workspace_for(rows)
        values.catch_up(self._steps, z)
        new = values.evaluate(self._block, z)
        self._add_product(self.gram, new, values.basis.view.T)
        self._add_product(self.with_x, new, rows.x)
        # The first row blocks are kept, as many as fit if all are of this size.
        if (number + 1) * values.n_bytes <= self._plain._budget:
            self._plain._kept[number] = values
            if values is self._workspace:
                self._workspace = None

    def _workspace_for(self, rows: RowBlock) -> _Values:
        if self._workspace is None:
            self._workspace = _Values(rows.root)
        else:
            self._workspace.restart(rows.root)
        return self._workspace


def sum_arrays(parts: Sequence[Array]) -> Array:
    """Add arrays up, in their order; the first is overwritten."""
    first, *others = parts
    for other in others:
        first += other
    return first


class _Values:
    """Values on one row block: of the possible parents, and of the functions in the basis."""

    def __init__(self, root: Array) -> None:
        self.basis = GrowingRows(root)
        self._store = GrowingRows(root)
        self._n_steps = 0
        self._n_pending = 0

    def restart(self, root: Array) -> None:
        """Begin anew on another row block."""
        self.basis.restart(root)
        self._store.restart(root)
        self._n_steps = self._n_pending = 0

    @property
    def n_bytes(self) -> int:
        """The size of what is stored."""
        return self.basis.n_bytes + self._store.n_bytes

    def catch_up(self, steps: Sequence[Step], z: Array) -> None:
        """Evaluate the functions of the steps not seen yet and keep those in the basis."""
        while self._n_steps < len(steps):
            step = steps[self._n_steps]
            if not self._n_pending:
                self.evaluate(step.block, z[: self._n_steps + 1])
            n = len(self.basis.view) - self._n_pending
            if len(step.kept) < self._n_pending:
                new = self.basis.view[n:]
                new[: len(step.kept)] = new[step.kept]
            self.basis.truncate(n + len(step.kept))
            self._n_pending = 0
            self._n_steps += 1

    def evaluate(self, block: Block, z: Array) -> Array:
        """Evaluate the functions of a new variable, at the end of the basis."""
        self._n_pending = block.n_functions
        new = block.evaluate(self._store.view, z, out=self.basis.extend(block.n_functions))
        self._store.append(new[block.stored])
        return new
