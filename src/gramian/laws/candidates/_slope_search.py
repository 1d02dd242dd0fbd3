"""Candidate slopes: numbers that are linear in other numbers, with slopes for each level.

A level is a distinct value of a category.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gramian._support.time_limit import check_time
from gramian._support.types import Array, IntArray
from gramian.laws._cover import Implication, closure
from gramian.laws._law_tolerances import SCREENED_SHARE
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.candidates._slope_screen import lines, planes
from gramian.laws.columns import Precision, numbers_rows, precision_of
from gramian.laws.judge import ByLevel, JudgedSlopes, SlopeJudge, SlopeTally

PER_LEVEL = 5.0
"""A category is searched only if its levels have at least this many rows on average."""
CANDIDATES = 3
"""For each column and category, at most this many candidates are judged."""
MOST_NUMBERS = 60
"""Slopes are searched only in tables with at most this many numeric columns."""
MOST_IN_PLANES = 30
"""Slopes of two numbers are searched only in tables with at most this many numeric columns."""
SCREENED_LEVELS = 500
"""The screening uses at most this many levels, those with most rows; the judge uses all levels."""
PLANE_WORK = 3e7
"""Slopes of two numbers are searched only if n_levels · n_numbers³ is at most this."""


@dataclass(frozen=True)
class BelievedSlopes:
    """A law effect = Σ slope · number that the searched rows confirm.

    Each level (distinct value) of a category has its own slopes. All rows of the table are still to
    test the law.
    """

    cause: int
    """Index of the category in `Cells.keys`; each of its levels has its own slopes."""
    numbers: tuple[int, ...]
    """Indices of the columns that are multiplied by slopes."""
    effect: int
    """Index of the column that follows."""
    judged: JudgedSlopes
    """The slopes of all levels, with their errors and evidence."""
    precision: Precision
    """The digits to which the values of the effect are rounded."""

    @property
    def exact(self) -> bool:
        """True if no error is larger than rounding errors can be."""
        return self.judged.exact

    @property
    def invertible(self) -> list[int]:
        """Indices of the numbers that the law can be solved for."""
        return [self.numbers[j] for j in self.judged.invertible]

    @property
    def dependencies(self) -> list[Implication]:
        """The implications of the law: pairs (columns, column that follows from them).

        The effect follows, and each number that the law can be solved for.
        """
        everything = frozenset([self.cause, *self.numbers, self.effect])
        return [(everything - {each}, each) for each in (self.effect, *self.invertible)]

    @property
    def ties(self) -> list[Implication]:
        """The implications of the law, as if it gave each of its numbers from the others."""
        numbers = [*self.numbers, self.effect]
        return [(frozenset([self.cause, *numbers]) - {each}, each) for each in numbers]

    def tally(self, context: LevelContext) -> SlopeTally:
        """Return a counter that will test the law on all rows; no rows are counted yet."""
        cells, table = context.cells, context.table
        key = cells.keys[self.cause]
        codes = cells.codes[:, self.cause]
        levels = np.empty(len(self.judged.coefficients))
        levels[codes[codes >= 0]] = cells.x[codes >= 0, self.cause]
        place = table.names.index(key.column)
        texts = table.labels.get(place) if key.part is None else None
        columns = (place, *self.numbers, self.effect)
        return SlopeTally(
            key,
            levels,
            texts,
            self.judged,
            columns,
            table.names,
            self.precision,
            context.tolerance,
        )

    @property
    def length(self) -> int:
        """Number of characters of the coefficients, by which the simplest of similar laws is found.

        Only the first ten levels (distinct values of the category) count.
        """
        return sum(len(f"{each:.12g}") for each in self.judged.coefficients[:10].ravel())


def slopes_by_level(context: LevelContext) -> Iterator[BelievedSlopes]:
    """Yield laws with slopes for each level (distinct value) that the searched rows confirm.

    Laws that follow from each other or from exact laws are left out.
    """
    found = [each for each in _SlopeSearch(context).run() if each.exact or not _tied(each, context)]
    yield from fewest_slopes(found, context.exact)


def _tied(law: BelievedSlopes, context: LevelContext) -> bool:
    """Return True if laws among numbers tie all numbers of a law to each other."""
    found, before = {law.effect}, 0
    while len(found) > before:
        before = len(found)
        for causes, effect in context.exact:
            if found.intersection([*causes, effect]):
                found.update([*causes, effect])
    return found.issuperset(law.numbers)


def fewest_slopes(
    found: Sequence[BelievedSlopes], known: Sequence[Implication]
) -> list[BelievedSlopes]:
    """Drop laws that follow from the other laws and the implications `known`; return the rest."""
    wanted = sorted(found, key=lambda one: (not one.exact, len(one.numbers), one.length))
    kept = [*wanted]
    for each in reversed(wanted):
        others = [one for one in kept if one is not each]
        rules = [*known, *(rule for one in others for rule in one.ties)]
        if each.effect in closure({each.cause, *each.numbers}, rules):
            kept = others
    return kept


class _SlopeSearch:
    """Search for numbers that are linear in one or two numbers, with slopes for each level.

    A level is a distinct value of a category.
    """

    def __init__(self, context: LevelContext) -> None:
        cells = context.cells
        self._context = context
        self._cells = cells
        self._numbers = [
            i
            for i in range(cells.n_columns)
            if cells.is_number(i)
            and i not in cells.clocks
            and cells.n_levels[i] > 2
            and not numbers_rows(cells.x[:, i], cells.keys[i].column)
        ]
        self._precisions: dict[int, Precision] = {}

    def run(self) -> Iterator[BelievedSlopes]:
        """Yield the laws that the searched rows confirm, category by category."""
        cells = self._cells
        if 2 <= len(self._numbers) <= MOST_NUMBERS:
            for cause in cells.causes:  # categories are columns of text and parts of dates
                if not cells.is_number(cause) and cells.fits(cause, PER_LEVEL):
                    check_time()
                    yield from self._of(cause)

    def _of(self, cause: int) -> list[BelievedSlopes]:
        """Return the confirmed laws whose slopes depend on the category `cause`.

        Of several laws with the same columns, one is returned.
        """
        cells, numbers = self._cells, self._numbers
        codes, x = _largest(cells.codes[:, cause]), cells.x[:, numbers]
        most = max(self._context.tolerance**2, SCREENED_SHARE)
        found = [*self._judged(cause, lines(codes, x), most)]
        size = (int(codes.max()) + 1) * len(numbers) ** 3
        if len(numbers) <= MOST_IN_PLANES and size <= PLANE_WORK:
            given = {each.effect for each in found} | {i for each in found for i in each.invertible}
            found += self._judged(cause, planes(codes, x), most, given)
        best: dict[frozenset[int], BelievedSlopes] = {}
        for each in found:
            columns = frozenset([*each.numbers, each.effect])
            both = best.get(columns, each), each
            best[columns] = min(both, key=lambda one: (not one.exact, one.length, -one.effect))
        return [*best.values()]

    def _judged(
        self, cause: int, left: Array, most: float, given: Collection[int] = ()
    ) -> Iterator[BelievedSlopes]:
        """Yield the laws that the judge accepts, among candidates with small residual shares.

        Parameters
        ----------
        cause : int
            The index of the category.
        left : array
            The residual shares that `lines` or `planes` returned.
        most : float
            The largest allowed residual share.
        given : collection of int
            Columns that other laws compute; they are not tried as effects.
        """
        numbers, p = self._numbers, left.ndim - 1
        places = range(len(numbers))
        for k, effect in enumerate(numbers):
            if effect in given:
                continue
            sets = [s for s in combinations(places, p) if k not in s and left[(*s, k)] <= most]
            for chosen in sorted(sets, key=lambda s: left[(*s, k)])[:CANDIDATES]:
                causes = tuple(numbers[i] for i in chosen)
                if effect in closure(causes, self._context.exact):
                    continue
                law = self._law(cause, causes, effect)
                if law is not None:
                    yield law

    def _law(self, cause: int, numbers: tuple[int, ...], effect: int) -> BelievedSlopes | None:
        cells = self._cells
        codes, x, y = cells.codes[:, cause], cells.x[:, numbers], cells.x[:, effect]
        there = (codes >= 0) & ~np.isnan(x).any(axis=1) & ~np.isnan(y)
        if effect not in self._precisions:
            self._precisions[effect] = precision_of(y[~np.isnan(y)])
        precision = self._precisions[effect]
        groups = None if cells.groups is None else cells.groups[there]
        rows = ByLevel(codes[there], x[there], y[there], int(codes.max()) + 1, precision, groups)
        n_tried = len(cells.keys) * float(len(self._numbers)) ** (len(numbers) + 1)
        judged = SlopeJudge(rows, self._context.tolerance).verdict(n_tried)
        return None if judged is None else BelievedSlopes(cause, numbers, effect, judged, precision)


def _largest(codes: IntArray) -> IntArray:
    """Keep the codes of the `SCREENED_LEVELS` most frequent values; set other codes to -1.

    The kept values are renumbered by frequency. Fewer values are returned unchanged.
    """
    sizes = np.bincount(codes[codes >= 0])
    if len(sizes) <= SCREENED_LEVELS:
        return codes
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    found: IntArray = np.where(codes >= 0, rank[codes], -1)
    return np.where(found < SCREENED_LEVELS, found, -1)
