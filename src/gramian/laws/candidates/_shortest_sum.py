"""Shortest sum: approximates a vector by a sum of few functions.

The sum has the smallest description length, which counts its terms and its errors.
"""

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
"""Default of `max_terms`: largest number of terms of a sum that is built by adding functions."""
PRUNABLE = 60
"""Sums are built by leaving out functions only if there are at most this many functions."""
MAX_PRUNED = 12
"""Largest number of terms of a sum that is built by leaving out functions."""
ROWS_FOR_ALL = 3
"""All functions are fitted at once only if there are at least this many rows per function."""
PENALTY = 3.0
"""Description length of a coefficient, in units of log(n_rows) / 2 (its cost in the BIC)."""
EXACT_RESIDUAL = 1e-13
"""A sum is exact if its residual is below this share of the target; longer sums are not tried."""


@dataclass(frozen=True)
class Sum:
    """A sum of few functions that approximates a vector, the target."""

    members: tuple[int, ...]
    """Indices of the functions in the sum."""
    coefficients: Array
    left: float
    """Norm of the residual, as a share of the norm of the target."""
    cost: float
    """Description length of the functions in the sum and of their coefficients."""
    score: float
    """Total description length: `cost` plus the description length of the residual."""

    def law(self, target: Monomial, functions: Sequence[Monomial]) -> Law:
        """Return the law target = sum, with target and functions written as monomials."""
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
    """Return the sum of few functions that describes the target with the lowest score.

    The score is the description length of the sum and of its residual. Return None if the target is
    zero or infinite, or if all functions are.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_functions)
        Values of the functions, one column for each function.
    target : array of shape (n_rows,)
        The values that the sum approximates.
    costs : sequence of float
        Description length of each function, without its coefficient.
    max_terms : int, default=6
        The largest number of terms of a sum that is built by adding functions.
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
