"""The sum of few functions with the shortest description."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.formulas import growing, shrinking
from gramian.laws._law import Law, Monomial

MAX_TERMS = 6
PRUNABLE = 60
"""With more functions than this, none is left out one by one."""
MAX_PRUNED = 12
ROWS_FOR_ALL = 3
"""All functions are fitted at once if there are at least this many rows per function."""
TRIED = 5
"""At most this many sums of a length are fitted."""
PENALTY = 3.0
"""What a further term must gain, in units of log(n_rows) / 2 (the information criterion's is 1)."""


@dataclass(frozen=True)
class Sum:
    """A sum of functions that is near a target."""

    members: tuple[int, ...]
    coefficients: Array
    left: float
    """The root of the share of the target's mean square that is left."""
    cost: float
    """The length of its description, beside that of what is left."""
    score: float
    """The length of the description of the target: small is good."""

    def law(self, target: Monomial, functions: Sequence[Monomial]) -> Law:
        """Return the law target = sum."""
        monomials = (functions[i] for i in self.members)
        return Law(np.append(-1.0, self.coefficients), (target, *monomials))


def shortest_sum(
    matrix: Array,
    target: Array,
    costs: Sequence[float],
    max_terms: int = MAX_TERMS,
    *,
    prune: bool = False,
) -> Sum | None:
    """Return the sum of few functions with the shortest description.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_functions)
        The functions.
    target : array of shape (n_rows,)
        The target.
    costs : sequence of float
        What each function adds to the length of a description, beside its coefficient.
    max_terms : int, default=6
        How many functions may be added up.
    prune : bool, default=False
        Whether to begin with all functions, too, and leave out one after the other; longer sums
        are found so where functions are few.
    """
    norms = np.linalg.norm(matrix, axis=0)
    size = float(np.linalg.norm(target))
    if not size > 0 or not np.isfinite(size):
        return None
    usable = np.flatnonzero((norms > 0) & np.isfinite(norms))
    unit, y = matrix[:, usable] / norms[usable], target / size
    cost = np.asarray(costs, dtype=np.float64)[usable]
    n = len(target)

    def describe(chosen: IntArray) -> Sum:
        coefficients, *_ = np.linalg.lstsq(unit[:, chosen], y, rcond=None)
        left = float(np.linalg.norm(y - unit[:, chosen] @ coefficients))
        length = PENALTY * math.log(n) / 2 * len(chosen) + float(cost[chosen].sum())
        score = n * math.log(max(left, 1e-15)) + length
        raw = size * coefficients / norms[usable][chosen]
        return Sum(tuple(usable[chosen].tolist()), raw, left, length, score)

    best: Sum | None = None
    for beam in growing(unit.T @ unit, unit.T @ y, max_terms):
        found = min(map(describe, beam[:TRIED]), key=lambda each: each.score)
        best = found if best is None or found.score < best.score else best
        if best.left < 1e-13 or beam.shape[1] > len(best.members) + 1:
            break
    if prune and len(usable) <= PRUNABLE and n >= ROWS_FOR_ALL * len(usable):
        pruned = [describe(each) for each in shrinking(unit, y)]
        shortest = min(pruned, key=lambda each: each.score, default=None)
        if shortest is not None and len(shortest.members) <= MAX_PRUNED:
            best = shortest if best is None or shortest.score < best.score else best
    return best
