"""The search for columns that have a slope for each level of a category."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._by_level import ByLevel
from gramian.laws._precision import Precision, precision_of
from gramian.laws._slope_judge import Judge, Judged
from gramian.laws._slope_screen import lines, planes
from gramian.lookups import Cells
from gramian.lookups._cover import Implication, closure, minimal

PER_LEVEL = 5.0
"""A category is a cause if its levels have at least this many rows on average."""
SCREEN = 1e-3
"""A number is no candidate if others leave a larger share of its variance within levels, unless
the tolerance says so."""
CANDIDATES = 3
"""At most this many candidates are judged for each column and category."""
MOST_NUMBERS = 60
"""In tables of more numbers, no slopes are looked for."""
MOST_IN_PLANES = 30
"""The same for slopes of two numbers at once."""
MOST_LEVELS = 500
"""Candidates are found in no more levels, those with most rows; all levels judge them."""
PLANE_WORK = 3e7
"""At most about this many numbers are computed for the planes of a category."""


@dataclass(frozen=True)
class FoundSlopes:
    """Slopes that are believed."""

    cause: int
    """A key."""
    numbers: tuple[int, ...]
    effect: int
    judged: Judged
    precision: Precision
    """The precision of the effect."""

    @property
    def exact(self) -> bool:
        """Whether nothing is left but rounding."""
        return self.judged.exact

    @property
    def invertible(self) -> list[int]:
        """The numbers that follow from the effect."""
        return [self.numbers[j] for j in self.judged.invertible]

    @property
    def dependencies(self) -> list[Implication]:
        """What follows from what, solved for numbers, too."""
        everything = frozenset([self.cause, *self.numbers, self.effect])
        return [(everything - {each}, each) for each in (self.effect, *self.invertible)]

    @property
    def length(self) -> int:
        """How many digits its coefficients have, in the first levels."""
        return sum(len(f"{each:.12g}") for each in self.judged.coefficients[:10].ravel())


class SlopeSearch:
    """Finds numbers that are sums of others, with coefficients for each level of a category.

    Parameters
    ----------
    cells : Cells
        The table.
    tolerance : float
        The largest error, as a share of the deviation within levels; 0 asks for exact laws only.
    known : sequence of Implication
        What follows from what by other laws.
    check_time : callable
        Raises an error when the time is over.
    """

    def __init__(
        self,
        cells: Cells,
        tolerance: float,
        known: Sequence[Implication],
        check_time: Callable[[], None],
    ) -> None:
        self._cells = cells
        self._tolerance = tolerance
        self._known = [*known]
        self._check_time = check_time
        self._numbers = [
            i
            for i in range(cells.n_columns)
            if cells.is_number(i) and i not in cells.clocks and cells.n_levels[i] > 2
        ]
        self._precisions: dict[int, Precision] = {}

    def run(self) -> list[FoundSlopes]:
        """Return the laws, from which all others follow."""
        cells = self._cells
        found: list[FoundSlopes] = []
        if 2 <= len(self._numbers) <= MOST_NUMBERS:
            for cause in cells.causes:  # of these, text and parts of dates are categories
                if not cells.is_number(cause) and cells.fits(cause, PER_LEVEL):
                    self._check_time()
                    found += self._of(cause)
        return self.fewest(found, [])

    def fewest(
        self, found: Sequence[FoundSlopes], others: Sequence[Implication]
    ) -> list[FoundSlopes]:
        """Leave out laws that follow from others.

        Parameters
        ----------
        found : sequence of FoundSlopes
            Laws.
        others : sequence of Implication
            What follows by laws that were found since.
        """
        wanted = sorted(found, key=lambda one: (not one.exact, len(one.numbers), one.length))
        return minimal(wanted, [*self._known, *others])

    def _of(self, cause: int) -> list[FoundSlopes]:
        """Return the laws of one category, each as it is written best."""
        cells, numbers = self._cells, self._numbers
        codes, x = _largest(cells.codes[:, cause]), cells.x[:, numbers]
        most = max(self._tolerance**2, SCREEN)
        found = [*self._judged(cause, lines(codes, x), most)]
        size = (int(codes.max()) + 1) * len(numbers) ** 3
        if len(numbers) <= MOST_IN_PLANES and size <= PLANE_WORK:
            given = {each.effect for each in found} | {i for each in found for i in each.invertible}
            found += self._judged(cause, planes(codes, x), most, given)
        best: dict[frozenset[int], FoundSlopes] = {}
        for each in found:
            columns = frozenset([*each.numbers, each.effect])
            both = best.get(columns, each), each
            best[columns] = min(both, key=lambda one: (not one.exact, one.length, -one.effect))
        return [*best.values()]

    def _judged(
        self, cause: int, left: Array, most: float, given: Collection[int] = ()
    ) -> Iterator[FoundSlopes]:
        """Yield the laws among candidates that rows bear out."""
        numbers, p = self._numbers, left.ndim - 1
        places = range(len(numbers))
        for k, effect in enumerate(numbers):
            if effect in given:
                continue
            sets = [s for s in combinations(places, p) if k not in s and left[(*s, k)] <= most]
            for chosen in sorted(sets, key=lambda s: left[(*s, k)])[:CANDIDATES]:
                causes = tuple(numbers[i] for i in chosen)
                if effect in closure(causes, self._known):
                    continue
                law = self._law(cause, causes, effect)
                if law is not None:
                    yield law

    def _law(self, cause: int, numbers: tuple[int, ...], effect: int) -> FoundSlopes | None:
        cells = self._cells
        codes, x, y = cells.codes[:, cause], cells.x[:, numbers], cells.x[:, effect]
        there = (codes >= 0) & ~np.isnan(x).any(axis=1) & ~np.isnan(y)
        if effect not in self._precisions:
            self._precisions[effect] = precision_of(y[~np.isnan(y)])
        precision = self._precisions[effect]
        rows = ByLevel(codes[there], x[there], y[there], int(codes.max()) + 1, precision)
        n_tried = len(cells.keys) * float(len(self._numbers)) ** (len(numbers) + 1)
        judged = Judge(rows, self._tolerance).verdict(n_tried)
        return None if judged is None else FoundSlopes(cause, numbers, effect, judged, precision)


def _largest(codes: IntArray) -> IntArray:
    """Return codes in which all but the largest levels are missing, if there are very many."""
    sizes = np.bincount(codes[codes >= 0])
    if len(sizes) <= MOST_LEVELS:
        return codes
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    found: IntArray = np.where(codes >= 0, rank[codes], -1)
    return np.where(found < MOST_LEVELS, found, -1)
