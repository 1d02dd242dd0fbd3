"""Shortest sum: the sum of few functions with the shortest description."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.formulas import FITTED_SUMS, growing, shrinking
from gramian.laws._law_tolerances import ERROR_FLOOR
from gramian.laws.forms import Law, Monomial

GROWN_TERMS = 6
"""Largest number of terms of a sum that grows."""
PRUNABLE = 60
"""Largest number of functions for a sum that shrinks."""
MAX_PRUNED = 12
"""Largest number of terms of a sum that has shrunk."""
ROWS_FOR_ALL = 3
"""Least number of rows for each function, to fit all functions at once."""
PENALTY = 3.0
"""Cost of a term, in units of log(n_rows) / 2, which is the cost in the BIC."""
EXACT_RESIDUAL = 1e-13
"""Residual of an exact sum, as a share of the target: longer sums are not tried."""


@dataclass(frozen=True)
class Sum:
    """A sum of functions that approximates a target."""

    members: tuple[int, ...]
    coefficients: Array
    left: float
    """Norm of the residual, as a share of the norm of the target."""
    cost: float
    """Description length of the sum."""
    score: float
    """Description length of the sum and of the residual."""

    def law(self, target: Monomial, functions: Sequence[Monomial]) -> Law:
        """Return the law target = sum."""
        monomials = (functions[i] for i in self.members)
        return Law(np.append(-1.0, self.coefficients), (target, *monomials))


def shortest_sum(
    matrix: Array,
    target: Array,
    costs: Sequence[float],
    max_terms: int = GROWN_TERMS,
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
        Description length of each function, without its coefficient.
    max_terms : int, default=6
        The largest number of terms of a sum that grows.
    prune : bool, default=False
        True to also begin with all functions and leave out one after the other, which finds longer
        sums among few functions.
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
        score = n * math.log(max(left, ERROR_FLOOR)) + length
        raw = size * coefficients / norms[usable][chosen]
        return Sum(tuple(usable[chosen].tolist()), raw, left, length, score)

    best: Sum | None = None
    for beam in growing(unit.T @ unit, unit.T @ y, max_terms):
        found = min(map(describe, beam[:FITTED_SUMS]), key=lambda each: each.score)
        best = found if best is None or found.score < best.score else best
        if best.left < EXACT_RESIDUAL or beam.shape[1] > len(best.members) + 1:
            break
    if prune and len(usable) <= PRUNABLE and n >= ROWS_FOR_ALL * len(usable):
        pruned = [describe(each) for each in shrinking(unit, y)]
        shortest = min(pruned, key=lambda each: each.score, default=None)
        if shortest is not None and len(shortest.members) <= MAX_PRUNED:
            best = shortest if best is None or shortest.score < best.score else best
    return best
