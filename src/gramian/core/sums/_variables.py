"""Variables that functions depend on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.core.sums._steps import Step
from gramian.families import Block


def involved(block: Block, of_parents: NDArray[np.bool_], variable: int) -> NDArray[np.bool_]:
    """Return the variables that each function of a block depends on.

    Parameters
    ----------
    block : Block
        The functions.
    of_parents : array of bool, shape (n_parents, n_variables)
        The variables of the functions that those of the block are multiples of.
    variable : int
        The number of the block's own variable.

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


def variables_of(steps: Sequence[Step]) -> NDArray[np.bool_]:
    """Return the variables that each function of the basis depends on.

    Parameters
    ----------
    steps : sequence of Step
        The steps of a fit.

    Returns
    -------
    depends : array of bool, shape (n_functions, n_steps)
        A row for each function of the basis, the constant first, and a column for each variable.
    """
    constant = np.zeros((1, len(steps)), dtype=bool)
    basis, parents = [constant], constant
    for newest, step in enumerate(steps):
        new = involved(step.block, parents, newest)
        basis.append(new[step.kept])
        parents = np.vstack([parents, new[step.block.stored]])
    return np.vstack(basis)


def functions_of(steps: Sequence[Step], variables: Sequence[int]) -> IntArray:
    """Return the numbers of the basis functions that depend on any of the given variables."""
    return np.flatnonzero(variables_of(steps)[:, list(variables)].any(axis=1))
