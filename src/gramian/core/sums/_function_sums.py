"""Gram matrix of functions as sums over rows of products of function values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.rows import RowBlock, Work
from gramian.core.sums._growing_rows import GrowingRows
from gramian.core.sums._steps import Direction, Step, all_of
from gramian.families import Block

EVALUATION_COST = 100.0
"""Cost of one function value on one row, in multiplications of a matrix product; for estimates of
the time."""


@dataclass(frozen=True)
class Sums:
    """Expected products of new functions g with all functions f and with the columns X."""

    gram: Array
    """E[g fᵀ], of shape (n_new, n_basis + n_new): f are the basis functions, then the new ones."""
    with_x: Array
    """E[g Xᵀ], of shape (n_new, n_columns)."""


class VariableValues:
    """Cache of the values of the chosen variables on every row block, within a memory budget."""

    def __init__(self, n_rows: int, budget: int) -> None:
        self._n_rows = n_rows
        self._budget = budget
        self._kept: dict[int, GrowingRows] = {}

    def on(self, number: int, rows: RowBlock, directions: Sequence[Direction]) -> Array:
        """Return the values of the variables on row block `number`, one row per variable.

        Row 0 is the constant 1.
        """
        z = self._kept.get(number)
        if z is None:
            z = GrowingRows(np.ones(len(rows.root)))
        new = directions[len(z.view) - 1 :]
        if len(new) == 1:
            z.extend(1)[0] = new[0].of(rows, one_thread=True)
        elif new:
            all_of(new, rows, out=z.extend(len(new)))
        if 8 * len(directions) * self._n_rows <= self._budget:
            self._kept[number] = z
        else:
            self._kept.pop(number, None)
        return z.view


class FunctionValues:
    """Cache of function values on row blocks, for as many blocks as the memory budget allows."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._kept: dict[int, _Values] = {}

    def take(self, number: int) -> _Values | None:
        """Remove the values of row block `number` from the cache; return them, or None."""
        return self._kept.pop(number, None)

    def keep(self, number: int, values: _Values) -> bool:
        """Store the function values of row block `number` if the budget allows; True if stored."""
        fits = (number + 1) * values.n_bytes <= self._budget
        if fits:
            self._kept[number] = values
        return fits


def plain_cost(n_old: int, n_new: int) -> float:
    """Return the cost per row of `FunctionWork`, in multiplications.

    Parameters
    ----------
    n_old, n_new : int
        The number of functions in the basis, and of new functions.
    """
    return (n_new + EVALUATION_COST) * (n_old + n_new)


@dataclass(frozen=True)
class FunctionWork(Work):
    """Work that computes `Sums`: it evaluates all functions and multiplies matrices of values."""

    steps: Sequence[Step]
    direction: Direction
    block: Block
    n_columns: int
    variables: VariableValues
    values: FunctionValues
    n_basis: int
    """Number of functions in the basis, including the constant function."""
    piece: slice
    """Numbers of the new functions g for which sums are computed."""

    @property
    def n_functions(self) -> int:
        """Number of all functions: basis functions and new functions."""
        return self.n_basis + self.block.n_functions

    def worker(self, add_product: AddProduct) -> _FunctionWorker:
        """Return a worker whose sums start at zero; it multiplies by calling `add_product`."""
        return _FunctionWorker(self, add_product)

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: zeros of the shapes of E[g fᵀ] and E[g Xᵀ]."""
        n = self.piece.stop - self.piece.start
        return [np.zeros((n, self.n_functions)), np.zeros((n, self.n_columns))]

    def add(
        self, sums: list[Array], functions: Array, rows: RowBlock, add_product: AddProduct
    ) -> None:
        """Add a row block to the sums.

        `functions` has the values of all functions, one row per function, new functions last.
        """
        gram, with_x = sums
        new = functions[self.n_basis + self.piece.start : self.n_basis + self.piece.stop]
        add_product(gram, new, functions.T)
        rows.add_products(with_x, new, add_product)

    def sums(self, found: list[Array]) -> Sums:
        """Return the two summed matrices as a `Sums` object."""
        return Sums(*found)


@dataclass(frozen=True)
class CombinedWork(FunctionWork):
    """Work on linear combinations r of all functions f: it sums E[r fᵀ], E[r rᵀ] and E[r Xᵀ].

    Each matrix of `combinations` defines a vector r, by one row for each entry of r.
    """

    combinations: Sequence[Array]

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: three zero matrices for each vector r."""
        return [
            np.zeros((len(each), width))
            for each in self.combinations
            for width in (self.n_functions, len(each), self.n_columns)
        ]

    def add(
        self, sums: list[Array], functions: Array, rows: RowBlock, add_product: AddProduct
    ) -> None:
        """Add a row block to the sums.

        `functions` has the values of all functions, one row per function, new functions last.
        """
        for i, combinations in enumerate(self.combinations):
            gram, squares, with_x = sums[3 * i : 3 * i + 3]
            left = np.zeros((len(combinations), functions.shape[1]))
            add_product(left, combinations, functions)
            add_product(gram, left, functions.T)
            add_product(squares, left, left.T)
            rows.add_products(with_x, left, add_product)


class _FunctionWorker:
    """Worker that evaluates functions on row blocks, or takes cached values, and sums products."""

    def __init__(self, work: FunctionWork, add_product: AddProduct) -> None:
        self._work = work
        self._directions = [*(step.direction for step in work.steps), work.direction]
        self._add_product = add_product
        self._workspace: _Values | None = None
        self.sums = work.zeros()

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add one row block, passed as (number of the block, block), to the sums."""
        number, rows = item
        work = self._work
        z = work.variables.on(number, rows, self._directions)[1:]
        values = work.values.take(number) or self._workspace_for(rows)
        values.catch_up(work.steps, z)
        values.evaluate(work.block, z)
        work.add(self.sums, values.basis.view, rows, self._add_product)
        if work.values.keep(number, values) and values is self._workspace:
            self._workspace = None

    def _workspace_for(self, rows: RowBlock) -> _Values:
        if self._workspace is None:
            self._workspace = _Values(rows.root)
        else:
            self._workspace.restart(rows.root)
        return self._workspace


class _Values:
    """Function values on one row block: of the basis functions, and of possible parents.

    A parent is a function that can be a factor of later functions.
    """

    def __init__(self, root: Array) -> None:
        self.basis = GrowingRows(root)
        self._store = GrowingRows(root)
        self._n_steps = 0
        self._n_pending = 0

    def restart(self, root: Array) -> None:
        """Discard all values and begin with another row block, in the same memory.

        `root` has the square roots of the weights of its rows.
        """
        self.basis.restart(root)
        self._store.restart(root)
        self._n_steps = self._n_pending = 0

    @property
    def n_bytes(self) -> int:
        """Memory of all stored values, in bytes."""
        return self.basis.n_bytes + self._store.n_bytes

    def catch_up(self, steps: Sequence[Step], z: Array) -> None:
        """Evaluate the functions of steps that were made since the last call, and store them.

        Only functions that entered the basis, or can be factors of later functions, are stored. `z`
        has the values of the variables.
        """
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
        """Evaluate the functions of a new variable, store them after the basis, and return them.

        `z` has the values of the variables, one row for each.
        """
        if self._n_pending:
            return self.basis.view[-self._n_pending :]
        self._n_pending = block.n_functions
        new = block.evaluate(self._store.view, z, out=self.basis.extend(block.n_functions))
        self._store.append(new[block.stored])
        return new
