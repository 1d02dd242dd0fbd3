"""Functions know their variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import IntArray
from gramian.core.orthogonalize._orthogonalizer import Step


def variables_of(steps: Sequence[Step]) -> NDArray[np.bool_]:
    """Return which variables each function of the basis depends on.

    Parameters
    ----------
    steps : sequence of Step
        The steps of a fit.

    Returns
    -------
    depends : array of bool, shape (n_functions, n_steps)
        A row for each function of the basis, the constant first, and a column for each variable.
    """
    n = len(steps)
    basis = [np.zeros((1, n), dtype=bool)]
    store = np.zeros((1, n), dtype=bool)
    for newest, step in enumerate(steps):
        block = step.block
        new = np.zeros((block.n_functions, n), dtype=bool)
        new[: len(block.parents)] = store[block.parents]
        for row, call in enumerate(block.calls, start=len(block.parents)):
            new[row, list(call.variables)] = True
        new[:, newest] = True
        basis.append(new[step.kept])
        store = np.vstack([store, new[block.stored]])
    return np.vstack(basis)


def functions_of(steps: Sequence[Step], variables: Sequence[int]) -> IntArray:
    """Return the functions of the basis that depend on any of the variables, given by number."""
    return np.flatnonzero(variables_of(steps)[:, list(variables)].any(axis=1))
