"""Search for the best terms of a formula, for each number of terms."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from gramian._support.types import IntArray
from gramian.explanations._coordinates import SHARE_FLOOR, Coordinates, SparseFit
from gramian.formulas import FITTED_SUMS, WIDTH, growing, shrinking

SEARCHED = 200
"""With at most this many candidate terms, the search that removes terms starts with all."""
WIDTH_OF_MANY = 5
"""Width of the beam search with more candidate terms than `SEARCHED`, to save time."""
EXACT_SHARE = 1e-9
"""A formula is exact if its residual is at most this share of the column's variance."""


@dataclass(frozen=True)
class Shape:
    """Shape of a formula: the number of terms, if there is a constant, and if terms are linear."""

    n_terms: int
    constant: bool
    linear: bool

    @property
    def complexity(self) -> int:
        """The number of terms, plus one for a constant, plus one if nonlinear terms are allowed."""
        return self.n_terms + self.constant + (self.n_terms > 0 and not self.linear)


def shapes(max_terms: int) -> list[Shape]:
    """Return all shapes of formulas with up to `max_terms` terms, the simplest first."""
    some = [
        Shape(n, constant, linear)
        for n, constant, linear in itertools.product(
            range(1, max_terms + 1), [False, True], [True, False]
        )
    ]
    return sorted([Shape(0, True, True), *some], key=lambda shape: shape.complexity)


class SupportSearch:
    """Search for the best terms of the formula of one column, for each number of terms.

    A support is an array with the indices of the candidate terms in a formula.
    """

    def __init__(
        self, coordinates: Coordinates, target: int, linear: IntArray, max_terms: int
    ) -> None:
        self._coordinates = coordinates
        self._target = target
        every = coordinates.usable
        self._supports = {
            True: self._path(np.intersect1d(every, linear), max_terms),
            False: self._path(every, max_terms),
        }

    def fit(self, shape: Shape) -> SparseFit | None:
        """Return the best formula of this shape; None if there are too few candidate terms."""
        supports = self._supports[shape.linear]
        if shape.n_terms not in supports:
            return None
        return self._coordinates.fit(self._target, supports[shape.n_terms], constant=shape.constant)

    def _path(self, candidates: IntArray, max_terms: int) -> dict[int, IntArray]:
        """Return for each number of terms the term indices with the smallest residual.

        Two searches propose terms: one adds terms, the other removes terms. `candidates` are the
        indices of the terms that may be used.
        """
        best: dict[int, IntArray] = {0: np.empty(0, dtype=np.intp)}
        y = self._coordinates.targets[1:, self._target]
        explained = float(y @ y)
        if explained <= SHARE_FLOOR * self._coordinates.variances[self._target] or not len(
            candidates
        ):
            return best
        place = np.searchsorted(self._coordinates.usable, candidates)
        gram = self._coordinates.gram[np.ix_(place, place)]
        unit, target = self._coordinates.unit[:, candidates], y / math.sqrt(explained)
        few = len(candidates) <= SEARCHED
        width = WIDTH if few else WIDTH_OF_MANY
        n_ahead = max_terms if few else min(2 * max_terms + 4, len(y))
        beams = [*growing(gram, unit.T @ target, n_ahead, width)]
        found = [support for beam in beams[:max_terms] for support in beam[:FITTED_SUMS]]
        start = np.arange(len(candidates)) if few else beams[-1][0]
        found += [start[each] for each in shrinking(unit[:, start], target)]
        errors: dict[int, float] = {}
        for support in found:
            if len(support) <= max_terms:
                chosen = candidates[support]
                error = self._coordinates.fit(self._target, chosen, constant=True).error
                if error < errors.get(len(chosen), np.inf):
                    errors[len(chosen)] = error
                    best[len(chosen)] = chosen
        return best


def exact_sum(coordinates: Coordinates, target: int) -> SparseFit | None:
    """Return a target as an exact sum of as few variables as possible; None if there is no sum.

    The sum may be long: a flag that is 1 minus eight other flags needs eight terms.

    Parameters
    ----------
    coordinates : Coordinates
        The coordinates of variables and targets.
    target : int
        The index of the target.
    """
    allowed = EXACT_SHARE * float(coordinates.variances[target])
    sizes = np.linalg.norm(coordinates.variables[1:], axis=0)
    best = coordinates.fit_variables(target, np.flatnonzero(sizes))
    if best.error > allowed:
        return None
    while True:
        shares = np.abs(best.coefficients) * sizes[best.support]
        for place in np.argsort(shares, kind="stable"):
            shorter = coordinates.fit_variables(target, np.delete(best.support, place))
            if shorter.error <= allowed:
                best = shorter
                break
        else:
            return best
