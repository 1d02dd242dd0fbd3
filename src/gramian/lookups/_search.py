"""The search for lookups: one cause, then two, then three."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from gramian._support.types import IntArray
from gramian.lookups._cells import PER_NUMBER, Cells
from gramian.lookups._cover import Implication, closure, follows, minimal
from gramian.lookups._evidence import DECADES, Count, combined, count, mismatches
from gramian.lookups._steps import intervals
from gramian.tables import COARSER

MOST_TOGETHER = {2: 60, 3: 15}
"""At most this many columns, those with the fewest levels, are looked at in pairs, and by three."""
WORK = 3e8
"""At most about this many cells are compared: in tables of many columns, fewer rows are used."""
FEWEST_ROWS = 2_000


@dataclass(frozen=True)
class BelievedLookup:
    """A lookup that is believed."""

    causes: tuple[int, ...]
    """Keys."""
    effect: int
    """A column."""
    count: Count
    thresholds: tuple[float, ...] = ()
    """Where intervals end, if the cause is a number whose intervals are looked up."""
    both_ways: bool = False
    """Whether the cause follows from the effect, too."""

    @property
    def dependency(self) -> Implication:
        """What follows from what."""
        return frozenset(self.causes), self.effect

    @property
    def dependencies(self) -> list[Implication]:
        """The same, and the other way round where that holds."""
        reverse = (frozenset([self.effect]), self.causes[0])
        return [self.dependency, reverse] if self.both_ways else [self.dependency]


class LookupSearch:
    """Finds which columns follow from levels of others, each law once.

    Parameters
    ----------
    cells : Cells
        The table.
    tolerance : float
        The share of rows that may break a law, of those that a guess would miss.
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
        self._check_time = check_time
        self._effects = cells.effects
        self._known: list[Implication] = [*known, *_calendar(cells)]
        n = max(len(self._effects), 1)
        rows = int(WORK / (n**2 * max(min(n, MOST_TOGETHER[2]), 1)))
        n_rows = len(cells.codes)
        few = np.linspace(0, n_rows - 1, min(n_rows, max(rows, FEWEST_ROWS))).astype(np.intp)
        self._screen = cells.codes[few]

    def run(self) -> list[BelievedLookup]:
        """Return the lookups, from which all others follow."""
        singles = self._one_way([*self._steps(), *self._singles()])
        known = [*self._known, *(one for each in singles for one in each.dependencies)]
        found = [*singles]
        for size in MOST_TOGETHER:
            more = self._together(size, known)
            known += [each.dependency for each in more]
            found += more
        return found

    def _singles(self) -> list[BelievedLookup]:
        """Return all lookups with one cause."""
        found = []
        for cause in self._cells.causes:
            self._check_time()
            effects = [i for i in self._effects if self._cells.may_give(cause, i)]
            effects = self._likely(self._screen[:, cause], effects)
            found += self._judged(self._cells.codes[:, cause], (cause,), effects)
        return found

    def _judged(
        self, codes: IntArray, causes: tuple[int, ...], effects: Sequence[int]
    ) -> list[BelievedLookup]:
        """Return which of some effects follow from the levels of causes, and not of fewer."""
        n_tried = float(len(self._cells.keys)) ** (len(causes) + 1)
        found = []
        for effect in effects:
            counted = count(codes, self._cells.codes[:, effect])
            if not self._believed(counted, n_tried):
                continue
            fewer = combinations(causes, len(causes) - 1) if len(causes) > 1 else ()
            guess = max((self._agreeing(some, effect) for some in fewer), default=0.0)
            best_guess = replace(counted, most_frequent=max(guess, counted.most_frequent))
            if best_guess.evidence(n_tried) >= DECADES:
                found.append(BelievedLookup(causes, effect, counted))
        return found

    def _believed(self, counted: Count, n_tried: float) -> bool:
        return counted.holds(self._tolerance) and counted.evidence(n_tried) >= DECADES

    def _agreeing(self, causes: tuple[int, ...], effect: int) -> float:
        """Return in which share of rows an effect is what most rows of its level have."""
        codes = self._cells.codes
        return 1 - count(_combined(codes, causes), codes[:, effect]).error

    def _likely(self, codes: IntArray, effects: Sequence[int]) -> list[int]:
        """Return which of some effects may follow from a cause, by a part of the rows."""
        if not effects:
            return []
        missed = mismatches(codes, self._screen[:, effects])
        most = 2 * self._tolerance * len(codes)
        return [i for i, number in zip(effects, missed.tolist(), strict=True) if number <= most]

    def _steps(self) -> list[BelievedLookup]:
        """Return labels that are intervals of a number."""
        cells = self._cells
        numbers = [i for i in range(cells.n_columns) if cells.is_number(i)]
        n_tried = float(len(cells.keys)) ** 2
        found = []
        for effect in self._effects:
            if effect not in cells.labels:
                continue  # numbers that are steps of others are found among the laws of numbers
            self._check_time()
            for cause in numbers:
                made = intervals(cells.x[:, cause], cells.codes[:, effect], self._tolerance)
                if made is None:
                    continue
                ends, counted = made
                if self._believed(counted, n_tried):
                    found.append(BelievedLookup((cause,), effect, counted, ends))
        return found

    def _one_way(self, found: Sequence[BelievedLookup]) -> list[BelievedLookup]:
        """Merge what follows from each other, and leave out what follows from the rest."""
        steps = {each.dependency for each in found if each.thresholds}
        found = [each for each in found if each.thresholds or each.dependency not in steps]
        known = {
            (causes, effect)
            for causes, effect in self._known
            if len(causes) == 1 and effect < self._cells.n_columns
        }
        together = {each.dependency for each in found} | known
        first = list(range(len(self._cells.keys)))  # what stands for each key
        for each in sorted(found, key=lambda one: (one.effect, one.causes)):
            (cause,), effect = each.causes, each.effect
            if (frozenset([effect]), cause) in together and cause < effect:
                first[effect] = min(first[effect], first[cause])
        twins = {i for i, one in enumerate(first) if one != i}
        both = [
            replace(each, both_ways=True)
            for each in found
            if each.effect in twins and each.causes == (first[each.effect],)
        ]
        others = [each for each in found if not twins & {*each.causes, each.effect}]
        wanted = sorted(others, key=lambda one: (not one.thresholds, one.count.n_levels))
        # Whatever is known of a twin holds for the first of its kind.
        same = [(frozenset([i]), first[i]) for i in twins]
        same += [(frozenset([first[i]]), i) for i in twins]
        new = [each for each in both if not follows(each, self._known)]
        return [*new, *minimal(wanted, [*self._known, *same])]

    def _together(self, size: int, known: Sequence[Implication]) -> list[BelievedLookup]:
        """Return lookups with several causes that fewer of them do not give."""
        cells = self._cells
        twins = _twins(known)
        causes = [i for i in cells.causes if i not in twins and cells.fits(i, PER_NUMBER)]
        causes = sorted(causes, key=lambda i: cells.n_levels[i])[: MOST_TOGETHER[size]]
        effects = [i for i in self._effects if i not in twins]
        found = []
        for chosen in combinations(sorted(causes), size):
            self._check_time()
            labels = any(not cells.is_number(i) for i in chosen)
            wanted = [i for i in effects if labels or i in cells.labels]
            if any(cells.keys[i].part is not None for i in chosen):
                wanted = [i for i in wanted if i not in cells.clocks]
            given = closure(chosen, known) if wanted else set[int]()
            wanted = [i for i in wanted if i not in given]
            if not wanted or any(i in closure({*chosen} - {i}, known) for i in chosen):
                continue
            wanted = self._likely(_combined(self._screen, chosen), wanted)
            if not wanted:
                continue
            codes = _combined(cells.codes, chosen)
            if PER_NUMBER * (int(codes.max()) + 1) <= int((codes >= 0).sum()):
                found += self._judged(codes, chosen, wanted)
        return minimal(sorted(found, key=lambda one: one.count.n_levels), known)


def _combined(codes: IntArray, keys: Sequence[int]) -> IntArray:
    """Return codes of the combinations of several keys' levels."""
    found = codes[:, keys[0]]
    for key in keys[1:]:
        found = combined(found, codes[:, key])
    return found


def _calendar(cells: Cells) -> Iterator[Implication]:
    """Yield that dates give their parts, and that parts give coarser ones."""
    place = {(key.column, key.part): i for i, key in enumerate(cells.keys)}
    for (column, part), i in place.items():
        if part is not None:
            yield frozenset([place[column, None]]), i
            for finer, coarser in COARSER:
                if part == finer:
                    yield frozenset([i]), place[column, coarser]


def _twins(known: Sequence[Implication]) -> set[int]:
    """Return the keys that are equivalent to an earlier one, which represents them."""
    single = {(next(iter(causes)), effect) for causes, effect in known if len(causes) == 1}
    return {b for a, b in single if a < b and (b, a) in single}
