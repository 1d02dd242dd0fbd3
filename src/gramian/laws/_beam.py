"""The shortest sum of functions that gives a target: a beam search on the Gram matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._types import Array, IntArray

WIDTH = 30
"""So many sums of a length are kept."""
MAX_TERMS = 6
PRUNABLE = 60
"""Of more functions none is left out one by one."""
MAX_PRUNED = 12
TRIED = 5
"""So many of them are fitted."""
INDEPENDENT = 1e-13
NEW = 1e-10
"""A function of which no more is left, given those of a sum, adds nothing to it."""
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
    unit = matrix[:, usable] / norms[usable]
    gram, cross = unit.T @ unit, unit.T @ (target / size)
    cost = np.asarray(costs, dtype=np.float64)[usable]
    n = len(target)
    per_term = PENALTY * math.log(n) / 2
    best: Sum | None = None
    beam = np.empty((1, 0), dtype=np.intp)
    for n_terms in range(1, min(max_terms, len(usable)) + 1):
        beam = _grow(gram, cross, beam)
        if not len(beam):
            break
        for chosen in beam[:TRIED]:
            coefficients, *_ = np.linalg.lstsq(unit[:, chosen], target / size, rcond=None)
            left = float(np.linalg.norm(target / size - unit[:, chosen] @ coefficients))
            length = per_term * n_terms + float(cost[chosen].sum())
            score = n * math.log(max(left, 1e-15)) + length
            if best is None or score < best.score:
                raw = size * coefficients / norms[usable][chosen]
                best = Sum(tuple(int(i) for i in usable[chosen]), raw, left, length, score)
        if best is not None and (best.left < 1e-13 or n_terms > len(best.members) + 1):
            break
    few = prune and len(usable) <= PRUNABLE
    pruned = _pruned(unit, target / size, cost, per_term) if few else None
    if pruned is not None and (best is None or pruned.score < best.score):
        chosen = list(pruned.members)
        raw = size * pruned.coefficients / norms[usable][chosen]
        members = tuple(int(i) for i in usable[chosen])
        best = Sum(members, raw, pruned.left, pruned.cost, pruned.score)
    return best


def _pruned(unit: Array, target: Array, cost: Array, per_term: float) -> Sum | None:
    """Begin with all functions, and leave out the least useful one as long as that is shorter."""
    n = len(target)
    chosen = np.arange(unit.shape[1])
    best: Sum | None = None
    if n < 3 * len(chosen):
        return None
    while len(chosen):
        inverse = np.linalg.pinv(unit[:, chosen].T @ unit[:, chosen], rcond=1e-14, hermitian=True)
        coefficients = np.asarray(
            np.linalg.lstsq(unit[:, chosen], target, rcond=None)[0], dtype=np.float64
        )
        left = float(np.linalg.norm(target - unit[:, chosen] @ coefficients))
        length = per_term * len(chosen) + float(cost[chosen].sum())
        score = n * math.log(max(left, 1e-15)) + length
        if best is None or score < best.score:
            best = Sum(tuple(chosen.tolist()), coefficients, left, length, score)
        # The increase of what is left if a function goes is c² / (A⁻¹)ii.
        increase = coefficients**2 / np.maximum(np.diag(inverse), 1e-300)
        chosen = np.delete(chosen, int(np.argmin(increase)))
    return best if best is not None and len(best.members) <= MAX_PRUNED else None


def _grow(gram: Array, cross: Array, beam: IntArray) -> IntArray:
    """Add every function to every sum, and return the new sums, those that leave least first.

    With A the Gram matrix of a sum's functions and c their products with the target, a function f
    gains (cf − aᵀA⁻¹c)² / (1 − aᵀA⁻¹a), where a are its products with them.
    """
    if not beam.shape[1]:
        order = np.argsort(-np.abs(cross))[:WIDTH]
        return order[np.abs(cross[order]) > 0][:, np.newaxis]
    inner = gram[beam[:, :, np.newaxis], beam[:, np.newaxis, :]]
    inner += INDEPENDENT * np.eye(beam.shape[1])
    outer = gram[beam]
    taken = np.linalg.solve(inner, outer)
    own = 1.0 - np.einsum("bkn,bkn->bn", outer, taken)
    known = cross[beam]
    rest = cross - np.einsum("bk,bkn->bn", known, taken)
    explained = np.einsum("bk,bk->b", known, np.linalg.solve(inner, known[..., np.newaxis])[..., 0])
    gain = np.where(own > NEW, rest**2 / np.maximum(own, NEW), 0.0)
    np.put_along_axis(gain, beam, 0.0, axis=1)
    total = explained[:, np.newaxis] + gain
    total[gain <= 0] = -np.inf
    best = np.argsort(-total, axis=None)[: 4 * WIDTH]
    best = best[np.isfinite(total.ravel()[best])]
    rows, columns = np.unravel_index(best, total.shape)
    sums = np.sort(np.column_stack([beam[rows], columns]), axis=1)
    _, first = np.unique(sums, axis=0, return_index=True)
    grown: IntArray = sums[np.sort(first)][:WIDTH]
    return grown
