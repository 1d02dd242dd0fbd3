"""Variables that functions depend on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramian.families import Block


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
