"""Layout of all functions of a set of columns: which functions there are, and their variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.core.elimination._layout_moments import LayoutMonomials, layout_monomials
from gramian.core.rows import RowBlock, Rows
from gramian.core.sums import Direction, GrowingRows, KnownLevels, scaled
from gramian.families import Block, Family


@dataclass(frozen=True)
class Layout:
    """The functions of some columns of a table, the constant left out.

    Columns of a table have mean 0 and variance 1. Functions come in blocks, one for each column;
    the first function of a block is the column itself. Columns that bring no other function than
    themselves come last.
    """

    columns: tuple[int, ...]
    """The columns, in the order of their blocks."""
    blocks: tuple[Block, ...]
    """Blocks of functions; the last columns, which bring only themselves, have no block."""
    involves: NDArray[np.bool_]
    """True if a function involves a column: of shape (n_functions, n_columns)."""
    singles: IntArray
    """For each column, the index of the function that is the column itself."""
    monomials: LayoutMonomials | None = None
    """The functions as monomials; None if a function is not a monomial."""

    @property
    def n_functions(self) -> int:
        """Number of functions, without the constant."""
        return len(self.involves)

    def evaluate(self, rows: RowBlock, stop: int) -> tuple[Array, Array, list[Array]]:
        """Evaluate the constant and the first `stop` functions on a row block.

        All values are multiplied by the square roots of the row weights, as the values of `rows.x`
        are.

        Returns
        -------
        values : array of shape (1 + stop, n_rows)
            The values, one row for each function.
        parents : array of shape (n_parents, n_rows)
            The values of those functions that are factors of other functions.
        z : list of arrays
            The values of the columns, each of variance 1.
        """
        values = np.empty((1 + stop, len(rows.root)))
        values[0] = rows.root
        store = GrowingRows(rows.root)
        z = [rows.x[:, column] / rows.root for column in self.columns]
        end = 1
        for j, block in enumerate(self.blocks):
            start, end = end, end + block.n_functions
            if end <= 1 + stop:
                new = block.evaluate(store.view, z[: j + 1], out=values[start:end])
            else:
                new = block.evaluate(store.view, z[: j + 1])
                values[start:] = new[: 1 + stop - start]
            if end > 1 + stop:
                return values, store.view, z
            store.append(new[block.stored])
        alone = list(self.columns[len(self.blocks) :])
        values[end:] = rows.x[:, alone[: 1 + stop - end]].T
        return values, store.view, z


def lay_out(
    rows: Rows,
    family: Family,
    columns: Sequence[int],
    alone: Sequence[int] = (),
    *,
    most: float = np.inf,
) -> Layout:
    """Return the layout of the functions of some columns.

    Parameters
    ----------
    rows : Rows
        The table, read only if functions depend on the values of a column (indicators).
    family : Family
        The functions.
    columns : sequence of int
        Columns that bring all their functions.
    alone : sequence of int, optional
        Columns that bring only themselves.
    most : float, optional
        Largest number of functions. If there were more, only the first columns bring all their
        functions, and the others only themselves.
    """
    expansion = family.expand()
    levels = KnownLevels(rows)
    every = tuple(map(int, (*columns, *alone)))
    n = len(every)
    stored = np.zeros((1, n), dtype=bool)
    blocks: list[Block] = []
    involves: list[NDArray[np.bool_]] = []
    singles: list[int] = []
    n_functions = 0
    for j in range(len(columns)):
        block = expansion.grow(partial(levels.of, Direction(every[j], 1.0)))
        if n_functions + block.n_functions + n - j - 1 > most:
            break
        new = involved(block, stored, j)
        stored = np.vstack([stored, new[block.stored]])
        singles.append(n_functions)
        n_functions += block.n_functions
        involves.append(new)
        blocks.append(block)
    involves.append(np.eye(n, dtype=bool)[len(blocks) :])
    singles.extend(range(n_functions, n_functions + n - len(blocks)))
    return Layout(
        every,
        _in_range(rows, every, blocks),
        np.vstack(involves),
        np.array(singles, dtype=np.intp),
        layout_monomials(family, blocks) if len(blocks) == n else None,
    )


def _in_range(rows: Rows, columns: Sequence[int], blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Scale the user's functions, so that their squares stay in the range of float64."""
    directions = [Direction(column, 1.0) for column in columns]
    calls = iter(scaled(rows, directions, [call for block in blocks for call in block.calls]))
    return tuple(replace(block, calls=tuple(islice(calls, len(block.calls)))) for block in blocks)


def involved(block: Block, of_parents: NDArray[np.bool_], variable: int) -> NDArray[np.bool_]:
    """Return a mask of the variables that each function of a block depends on.

    Parameters
    ----------
    block : Block
        The functions.
    of_parents : array of bool, shape (n_parents, n_variables)
        True if the parent depends on the variable; parents are the earlier functions that are
        factors of the functions of the block.
    variable : int
        The number of the new variable, which all functions of the block depend on.

    Returns
    -------
    involves : array of bool, shape (n_functions, n_variables)
        True if the function depends on the variable.
    """
    new = np.zeros((block.n_functions, of_parents.shape[1]), dtype=bool)
    new[: len(block.parents)] = of_parents[block.parents]
    for row, call in enumerate(block.calls, start=len(block.parents)):
        new[row, list(call.variables)] = True
    new[:, variable] = True
    return new
