"""Pruning of function blocks: keep only the wanted functions and their parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gramian._support.types import IntArray
from gramian.families._expansion import Block


def prune(
    blocks: Sequence[Block], wanted: Sequence[IntArray]
) -> tuple[list[Block], list[IntArray]]:
    """Return blocks with the wanted functions, their parents, the parents of these, and so on.

    The parent of a function is the function of earlier variables that is its factor.

    Parameters
    ----------
    blocks : sequence of Block
        The blocks of functions, one per variable, in the order of the variables.
    wanted : sequence of arrays
        The numbers of the wanted functions of each block, in increasing order.

    Returns
    -------
    blocks : list of Block
        The pruned blocks.
    wanted : list of arrays
        The numbers of the wanted functions in the pruned blocks.
    """
    edges = np.cumsum([1, *(len(block.stored) for block in blocks)])
    in_use = np.zeros(edges[-1], dtype=bool)
    in_use[0] = True  # the constant
    needed: list[IntArray] = []
    for block, some, start in reversed(list(zip(blocks, wanted, edges[:-1], strict=True))):
        stored = block.stored[in_use[start : start + len(block.stored)]]
        functions = np.union1d(some, stored).astype(np.intp)
        in_use[block.parents[functions[functions < len(block.parents)]]] = True
        needed.insert(0, functions)
    new_row = np.cumsum(in_use) - 1
    smaller = []
    for block, functions, start in zip(blocks, needed, edges[:-1], strict=True):
        n = len(block.parents)
        products, calls = functions[functions < n], functions[functions >= n] - n
        stored = block.stored[in_use[start : start + len(block.stored)]]
        smaller.append(
            replace(
                block,
                parents=new_row[block.parents[products]],
                atoms=block.atoms[products],
                calls=tuple(block.calls[i] for i in calls),
                stored=np.searchsorted(functions, stored),
            )
        )
    places = [np.searchsorted(*pair) for pair in zip(needed, wanted, strict=True)]
    return smaller, places
