"""The sums over rows that the Gram matrix is made of, by evaluating all functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.orthogonalize._orthogonalizer import Direction, GrowingRows, Step, all_of
from gramian.core.rows import RowBlock, Work
from gramian.families import Block

EVALUATION = 100.0
"""What a function's value costs, computed or fetched, in multiplications of a matrix product."""


@dataclass(frozen=True)
class Sums:
    """Expectations of the new functions g with those in the basis, with each other, and with X."""

    gram: Array
    """E[g fᵀ] for the functions f of the basis, then for the new ones: (n_new, n_basis + n_new)."""
    with_x: Array
    """E[g Xᵀ]."""


class VariableValues:
    """The values of the chosen variables on every row block, kept while they fit in a budget."""

    def __init__(self, n_rows: int, budget: int) -> None:
        self._n_rows = n_rows
        self._budget = budget
        self._kept: dict[int, GrowingRows] = {}

    def on(self, number: int, rows: RowBlock, directions: Sequence[Direction]) -> Array:
        """Return the constant one and the variables, by rows, on the row block of that number."""
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
    """The values of the functions on row blocks, kept for as many as fit in a budget."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._kept: dict[int, _Values] = {}

    def take(self, number: int) -> _Values | None:
        """Return what was kept of a row block."""
        return self._kept.pop(number, None)

    def keep(self, number: int, values: _Values) -> bool:
        """Keep the first row blocks, as many as fit if all are of this size."""
        fits = (number + 1) * values.n_bytes <= self._budget
        if fits:
            self._kept[number] = values
        return fits


def plain_cost(n_old: int, n_new: int) -> float:
    """Return the multiplications a row of evaluating functions and their Gram block."""
    return (n_new + EVALUATION) * (n_old + n_new)


@dataclass(frozen=True)
class PlainWork(Work):
    """Evaluates the functions of the basis and the new ones, and multiplies the matrices."""

    steps: Sequence[Step]
    direction: Direction
    block: Block
    n_columns: int
    variables: VariableValues
    values: FunctionValues
    n_basis: int
    """The number of functions before them, the constant among these."""
    piece: slice
    """Which of the new functions the sums are of."""

    @property
    def n_functions(self) -> int:
        """The number of all functions."""
        return self.n_basis + self.block.n_functions

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that begins at zero."""
        return _PlainWorker(self, add_product)

    def sums(self, found: list[Array]) -> Sums:
        """Give names to what was found."""
        return Sums(*found)


@dataclass(frozen=True)
class CombinedWork(PlainWork):
    """Evaluates combinations r of all functions f: for each matrix E[r fᵀ], E[r rᵀ], E[r Xᵀ]."""

    combinations: Sequence[Array]

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that begins at zero."""
        return _CombinedWorker(self, add_product)


class _Worker(ABC):
    """Sums over some of the row blocks."""

    sums: list[Array]

    def __init__(self, work: PlainWork, add_product: AddProduct) -> None:
        self._work = work
        self._directions = [*(step.direction for step in work.steps), work.direction]
        self._add_product = add_product
        self._workspace: _Values | None = None

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        number, rows = item
        work = self._work
        z = work.variables.on(number, rows, self._directions)[1:]
        values = work.values.take(number) or self._workspace_for(rows)
        values.catch_up(work.steps, z)
        values.evaluate(work.block, z)
        self._add(values.basis.view, rows)
        if work.values.keep(number, values) and values is self._workspace:
            self._workspace = None

    @abstractmethod
    def _add(self, functions: Array, rows: RowBlock) -> None:
        """Add some rows, given the values of all functions, the new ones last."""

    def _workspace_for(self, rows: RowBlock) -> _Values:
        if self._workspace is None:
            self._workspace = _Values(rows.root)
        else:
            self._workspace.restart(rows.root)
        return self._workspace


class _PlainWorker(_Worker):
    def __init__(self, work: PlainWork, add_product: AddProduct) -> None:
        super().__init__(work, add_product)
        first = work.n_functions - work.block.n_functions
        self._new = range(first, work.n_functions)[work.piece]
        n = len(self._new)
        self.sums = [np.zeros((n, work.n_functions)), np.zeros((n, work.n_columns))]

    def _add(self, functions: Array, rows: RowBlock) -> None:
        gram, with_x = self.sums
        new = functions[self._new.start : self._new.stop]
        self._add_product(gram, new, functions.T)
        rows.add_products(with_x, new, self._add_product)


class _CombinedWorker(_Worker):
    def __init__(self, work: CombinedWork, add_product: AddProduct) -> None:
        super().__init__(work, add_product)
        self._combinations = work.combinations
        self.sums = [
            np.zeros((len(each), width))
            for each in work.combinations
            for width in (work.n_functions, len(each), work.n_columns)
        ]

    def _add(self, functions: Array, rows: RowBlock) -> None:
        for i, combinations in enumerate(self._combinations):
            gram, squares, with_x = self.sums[3 * i : 3 * i + 3]
            left = np.zeros((len(combinations), functions.shape[1]))
            self._add_product(left, combinations, functions)
            self._add_product(gram, left, functions.T)
            self._add_product(squares, left, left.T)
            rows.add_products(with_x, left, self._add_product)


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
        """Evaluate the functions of a new variable at the end of the basis, unless that is done."""
        if self._n_pending:
            return self.basis.view[-self._n_pending :]
        self._n_pending = block.n_functions
        new = block.evaluate(self._store.view, z, out=self.basis.extend(block.n_functions))
        self._store.append(new[block.stored])
        return new
