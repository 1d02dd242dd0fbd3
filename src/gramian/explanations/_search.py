"""Which terms a formula gets, and how many."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular
from sklearn.linear_model import orthogonal_mp_gram

from gramian._types import Array, IntArray
from gramian.explanations._coordinates import ROUNDING, CandidateFit, Coordinates

SEARCHED = 200
"""With at most this many candidates, terms are also eliminated one by one, and exchanged."""
EXPLAINED = 1e-8
"""A candidate is not tried if a smaller share of it is left after projection on the others."""
ONE_BY_ONE = 40
"""With more candidates than this, a quarter of them is eliminated at once."""


@dataclass(frozen=True)
class Shape:
    """What a formula may have: how many terms, a constant or none, products or only columns."""

    n_terms: int
    constant: bool
    linear: bool

    @property
    def complexity(self) -> int:
        """The number of terms; having products counts as one more, and so does the constant."""
        return self.n_terms + self.constant + (self.n_terms > 0 and not self.linear)


def shapes(max_terms: int) -> list[Shape]:
    """List all shapes, the simplest first."""
    some = [
        Shape(n, constant, linear)
        for n, constant, linear in itertools.product(
            range(1, max_terms + 1), [False, True], [True, False]
        )
    ]
    return sorted([Shape(0, True, True), *some], key=lambda shape: shape.complexity)


class Search:
    """The best supports of every size for one target, on one set of rows."""

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

    def fit(self, shape: Shape) -> CandidateFit | None:
        """Return the formula of a shape, if there are enough candidates."""
        supports = self._supports[shape.linear]
        if shape.n_terms not in supports:
            return None
        return self._coordinates.fit(self._target, supports[shape.n_terms], constant=shape.constant)

    def _path(self, candidates: IntArray, max_terms: int) -> dict[int, IntArray]:
        """Find supports by adding, eliminating and exchanging terms; keep the best of each size."""
        best: dict[int, IntArray] = {0: np.empty(0, dtype=np.intp)}
        y = self._coordinates.targets[1:, self._target]
        explained = float(y @ y)
        if explained <= ROUNDING * self._coordinates.variances[self._target] or not len(candidates):
            return best
        n_ahead = min(2 * max_terms + 4, len(candidates), len(y))
        forward = self._forward(candidates, y / math.sqrt(explained), n_ahead)
        found = [*forward[:max_terms]]
        starts = forward[-1:]
        if len(candidates) <= SEARCHED:
            starts.append(candidates)
        for start in starts:
            found += self._backward(start, y, max_terms)
        errors: dict[int, float] = {}
        for support in found:
            error = self._coordinates.fit(self._target, support, constant=True).error
            if error < errors.get(len(support), np.inf):
                errors[len(support)] = error
                best[len(support)] = support
        if len(candidates) <= SEARCHED:
            for n, support in best.items():
                best[n] = self._exchange(support, candidates, y)
        return best

    def _forward(self, candidates: IntArray, y: Array, n_terms: int) -> list[IntArray]:
        """Add the candidate that is most correlated with what is left, again and again."""
        gram = self._coordinates.gram
        if len(candidates) < len(self._coordinates.usable):
            place = np.searchsorted(self._coordinates.usable, candidates)
            gram = gram[np.ix_(place, place)]
        products = self._coordinates.unit[:, candidates].T @ y
        with warnings.catch_warnings():
            # It warns when nothing is left to explain, which is what we hope for.
            warnings.simplefilter("ignore", RuntimeWarning)
            path = orthogonal_mp_gram(
                gram,
                # It stops at correlations below 1e-8. Where a column's mean is large against its
                # deviation, products are told from the columns by smaller ones than that.
                products * 2.0**20,
                n_nonzero_coefs=n_terms,
                return_path=True,
            )
        path = path.reshape(len(candidates), -1)
        return [candidates[np.flatnonzero(column)] for column in path.T]

    def _backward(self, support: IntArray, y: Array, max_terms: int) -> list[IntArray]:
        """Eliminate the term that explains least, again and again."""
        found = []
        while len(support):
            q, r, order = qr(
                self._coordinates.unit[:, support],
                mode="economic",
                pivoting=True,
                check_finite=False,
            )
            diagonal = np.abs(r.diagonal())
            rank = int(np.count_nonzero(diagonal > 1e-9 * diagonal[0]))
            support = support[order[:rank]]
            inverse = solve_triangular(r[:rank, :rank], np.eye(rank), check_finite=False)
            coefficients = inverse @ (q[:, :rank].T @ y)
            if rank <= max_terms:
                found.append(np.sort(support))
            missed = coefficients**2 / np.einsum("ij,ij->i", inverse, inverse)
            n_out = 1 if rank <= ONE_BY_ONE else rank // 4
            support = support[np.sort(np.argsort(missed, kind="stable")[n_out:])]
        return found

    def _exchange(self, support: IntArray, candidates: IntArray, y: Array) -> IntArray:
        """Replace one term by another as long as less is left."""
        unit = self._coordinates.unit[:, candidates]
        left = self._left(support, y)
        least = float(left @ left)
        while least > ROUNDING * float(y @ y):
            better = support
            for i in range(len(support)):
                rest = np.delete(support, i)
                left, others = self._left(rest, y), self._left(rest, unit)
                sizes = np.einsum("ij,ij->j", others, others)
                gains = np.where(sizes > EXPLAINED, left @ others, 0.0) ** 2
                gains /= np.maximum(sizes, EXPLAINED)
                best = int(np.argmax(gains))
                error = float(left @ left - gains[best])
                if error < least * (1 - 1e-6):
                    least, better = error, np.sort(np.append(rest, candidates[best]))
            if better is support:
                break
            support = better
        return support

    def _left(self, support: IntArray, vectors: Array) -> Array:
        """Return what is left of vectors after their projections on some candidates."""
        if not len(support):
            return vectors
        q = qr(self._coordinates.unit[:, support], mode="economic", check_finite=False)[0]
        left: Array = vectors - q @ (q.T @ vectors)
        return left


def choose(errors: Sequence[tuple[Shape, float]], variance: float, penalty: float) -> Shape:
    """Weigh what formulas leave against how complicated they are.

    Parameters
    ----------
    errors : sequence of (Shape, float)
        What each formula leaves, in mean square.
    variance : float
        The variance of the target.
    penalty : float
        How much the logarithm of the error has to fall with each step in complexity.
    """

    def weigh(pair: tuple[Shape, float]) -> float:
        shape, error = pair
        return math.log(max(error / variance, ROUNDING)) + penalty * shape.complexity

    return min(errors, key=weigh)[0]
