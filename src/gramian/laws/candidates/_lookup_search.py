"""Candidate lookups: the values of one, two or three keys determine the value of a column.

A key is a column, or a part of a date such as the month. The distinct values of a key are called
its levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gramian._support.time_limit import check_time, time_is_over
from gramian._support.types import IntArray
from gramian.laws._cover import Implication, closure, follows, minimal
from gramian.laws._law_tolerances import MIN_EVIDENCE
from gramian.laws.candidates._believed_lookup import BelievedLookup
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.candidates._step_lookups import step_lookups
from gramian.laws.columns import FEW_LEVELS, PER_NUMBER, Cells
from gramian.laws.judge import MOST_WRONG, Count, combined, count, mismatches
from gramian.tables import COARSER

MOST_TOGETHER = {2: 60, 3: 15}
"""Lookups by two and by three keys combine at most this many keys: those with fewest levels."""
MOST_WITH_EXCEPTIONS = 50
"""Largest number of levels of a measured number whose lookups may have exceptions."""
PER_FURTHER_LEVEL = 2
"""A lookup with exceptions may have this many for each level that it saves."""
PER_VALUE = 0.5
"""A column has at least this many values for each value of a measured number that gives it."""
SCREEN_CELLS = 3e8
"""About the largest number of cells that the screening compares; limits its number of rows."""
SCREEN_MARGIN = 1.5
"""In the screening, a lookup may have this many times the exceptions that it may have at last."""
FEWEST_ROWS = 2_000
"""The screening begins with this many rows, or all rows of a smaller table."""


def lookups_by_level(context: LevelContext) -> Iterator[BelievedLookup]:
    """Yield lookups that the searched rows confirm.

    Lookups that follow from `context.known` or from other lookups are left out.
    """
    return _LookupSearch(context).run()


class _LookupSearch:
    """Search for columns that follow from one, two or three keys.

    A key is a column, or a part of a date.
    """

    def __init__(self, context: LevelContext) -> None:
        cells = context.cells
        self._context = context
        self._cells = cells
        self._tolerance = context.tolerance
        self._effects = cells.effects
        self._known: list[Implication] = [*context.known, *_calendar(cells)]
        n = max(len(self._effects), 1)
        rows = int(SCREEN_CELLS / (n**2 * max(min(n, MOST_TOGETHER[2]), 1)))
        n_rows = len(cells.codes)
        sizes = {min(n_rows, FEWEST_ROWS), min(n_rows, max(rows, FEWEST_ROWS))}
        spread = (np.linspace(0, n_rows - 1, size).astype(np.intp) for size in sorted(sizes))
        self._screens = [cells.codes[some] for some in spread]
        self._measured = {i for i in cells.causes if self._is_measured(i)}
        # Rows of a group that are equal count once: the share of all rows says little then.
        self._guessed = {
            i: _share_missed_by_guess(cells.codes[:, i]) if cells.groups is None else 1.0
            for i in self._effects
        }

    def run(self) -> Iterator[BelievedLookup]:
        """Yield lookups with one key that the rows confirm, then with two, then with three keys.

        A key is a column, or a part of a date. If only exact lookups are wanted, lookups with one
        key that wrong cells break come last, so that they hide no exact lookup.
        """
        found = [*step_lookups(self._context, self._steps_believed), *self._singles()]
        last = [each for each in found if each.count.broken and not self._tolerance]
        singles = self._one_way([each for each in found if each not in last])
        yield from singles
        self._known += [one for each in singles for one in each.dependencies]
        given = {each.effect for each in found}
        for size in MOST_TOGETHER:
            more = self._together(size, self._known)
            more = [each for each in more if not self._is_of_things(each, given)]
            yield from more
            self._known += [each.dependency for each in more]
        yield from self._one_way(last)
        check_time()  # `_together` ends early if the time is over

    def _singles(self) -> list[BelievedLookup]:
        """Return all lookups by the values of one key that the rows confirm."""
        found = []
        for cause in self._cells.causes:
            check_time()
            effects = [i for i in self._effects if self._cells.may_give(cause, i)]
            effects = self._likely((cause,), effects)
            found += self._judged(self._cells.codes[:, cause], (cause,), effects)
        return found

    def _judged(
        self, codes: IntArray, causes: tuple[int, ...], effects: Sequence[int]
    ) -> list[BelievedLookup]:
        """Return lookups of each effect by all causes together, if the rows confirm them.

        Effects that fewer causes determine almost as well are left out.

        Parameters
        ----------
        codes : array of shape (n_rows,)
            One code for each combination of values of the causes.
        causes : tuple of int
            The indices of the keys.
        effects : sequence of int
            The indices of the columns that may follow from the causes.
        """
        n_tried = float(len(self._cells.keys)) ** (len(causes) + 1)
        limits = self._limits(causes)
        found = []
        for effect in effects:
            counted = count(codes, self._cells.codes[:, effect], self._cells.groups)
            if not self._believed(counted, n_tried, limits):
                continue
            fewer = combinations(causes, len(causes) - 1) if len(causes) > 1 else ()
            guess = max((self._agreeing(some, effect) for some in fewer), default=0.0)
            best_guess = replace(counted, most_frequent=max(guess, counted.most_frequent))
            if best_guess.evidence(n_tried) >= MIN_EVIDENCE:
                found.append(BelievedLookup(causes, effect, counted, most_wrong=limits[1]))
        return found

    def _steps_believed(self, counted: Count, n_tried: float) -> bool:
        return self._believed(counted, n_tried, (self._tolerance, 0.0))

    def _believed(self, counted: Count, n_tried: float, limits: tuple[float, float]) -> bool:
        return counted.holds(*limits) and counted.evidence(n_tried) >= MIN_EVIDENCE

    def _limits(self, causes: Sequence[int]) -> tuple[float, float]:
        """Return the shares of rows that may break a lookup by some keys; see `Count.holds`.

        They are 0 if a key is a measured number: its values are far apart and many, and only by
        chance each value belongs to one value of another column. If only exact lookups are wanted,
        one by several keys has no exceptions, either.
        """
        if self._measured.intersection(causes):
            return 0.0, 0.0
        wrong = MOST_WRONG if self._tolerance or len(causes) == 1 else 0.0
        return self._tolerance, wrong

    def _is_measured(self, key: int) -> bool:
        """Return True if a key is a measured number: its values are far apart and many."""
        cells = self._cells
        if key >= cells.n_columns or not cells.is_number(key):
            return False
        if cells.n_levels[key] > MOST_WITH_EXCEPTIONS and not cells.is_dense(key):
            return True
        return not cells.is_whole(key) and bool(cells.n_levels[key] > FEW_LEVELS)

    def _agreeing(self, causes: tuple[int, ...], effect: int) -> float:
        """Return the share of rows that the best lookup of `effect` by `causes` gives correctly."""
        codes, groups = self._cells.codes, self._cells.groups
        return 1 - count(_combined(codes, causes), codes[:, effect], groups).error

    def _likely(self, causes: Sequence[int], effects: Sequence[int]) -> list[int]:
        """Return those columns of `effects` that `causes` almost determine in a part of the rows.

        Most are refused in few rows: in fewer rows fewer break a lookup, as more levels have one.
        The limit is that of `Count.holds`, with a margin because other rows may break fewer.
        """
        likely, limit = [*effects], 2 * max(self._limits(causes))
        for screen in self._screens:
            if not likely:
                break
            missed = mismatches(_combined(screen, causes), screen[:, likely]).tolist()
            most = SCREEN_MARGIN * limit * len(screen)
            likely = [
                i
                for i, number in zip(likely, missed, strict=True)
                if number <= most * self._guessed[i]
            ]
        return likely

    def _one_way(self, found: Sequence[BelievedLookup]) -> list[BelievedLookup]:
        """Return lookups of one key without repetitions.

        Two lookups that are reverse to each other become one lookup that holds both ways. Lookups
        that follow from other lookups, or from implications found before, are left out.
        """
        steps = {each.dependency for each in found if each.thresholds}
        exact = {each.dependency: each.count for each in found if not each.count.broken}
        found = [
            each
            for each in found
            if (each.thresholds or each.dependency not in steps)
            and not self._is_by_measured(each)
            and not self._is_longer(each, exact)
            and not self._is_by_things(each, {*exact})
        ]
        known = {
            (causes, effect)
            for causes, effect in self._known
            if len(causes) == 1 and effect < self._cells.n_columns
        }
        together = {each.dependency for each in found} | known
        first = list(range(len(self._cells.keys)))  # for each key, the first equivalent key
        for each in sorted(found, key=lambda one: (self._order(one.effect), one.causes)):
            (cause,), effect = each.causes, each.effect
            if (frozenset([effect]), cause) in together and self._order(cause) < self._order(
                effect
            ):
                first[effect] = min(first[effect], first[cause], key=self._order)
        twins = {i for i, one in enumerate(first) if one != i}
        both = [
            replace(each, both_ways=True)
            for each in found
            if each.effect in twins and each.causes == (first[each.effect],)
        ]
        others = [each for each in found if not twins & {*each.causes, each.effect}]
        wanted = sorted(others, key=lambda one: (not one.thresholds, one.count.n_levels))
        # Known implications of a key hold for the first equivalent key, too.
        same = [(frozenset([i]), first[i]) for i in twins]
        same += [(frozenset([first[i]]), i) for i in twins]
        new = [each for each in both if not follows(each, self._known)]
        return [*new, *minimal(wanted, [*self._known, *same])]

    def _order(self, key: int) -> tuple[bool, int]:
        """Return the place of a key among equivalent keys: names of things come before numbers."""
        return self._cells.is_number(key), key

    def _is_longer(self, one: BelievedLookup, exact: Mapping[Implication, Count]) -> bool:
        """Return True if a lookup has more exceptions than the other direction has further levels.

        Parameters
        ----------
        one : BelievedLookup
            The lookup.
        exact : mapping from Implication to Count
            The lookups that no row breaks.
        """
        other = exact.get((frozenset([one.effect]), one.causes[0]))
        if other is None or not one.count.broken:
            return False
        return one.count.broken > PER_FURTHER_LEVEL * (other.n_levels - one.count.n_levels)

    def _is_of_things(self, one: BelievedLookup, given: set[int]) -> bool:
        """Return True if keys that some rows contradict tell a thing, or what the thing tells.

        The age and weight of a patient nearly tell the patient, and all that the patient tells.

        Parameters
        ----------
        one : BelievedLookup
            The lookup by several keys.
        given : set of int
            The columns that one key gives, perhaps with exceptions.
        """
        of_effect = {*one.causes} <= closure([one.effect], self._known)
        return bool(one.count.broken) and (one.effect in given or of_effect)

    def _is_by_measured(self, one: BelievedLookup) -> bool:
        """Return True if the values of a measured number give a column of far fewer values.

        The rate of unemployment of each state and year tells the region by chance: nobody looks it
        up by such rates. A list of prices by weight has about as many prices as weights.
        """
        (cause,), cells = one.causes, self._cells
        if one.thresholds or cause not in self._measured or cells.is_whole(cause):
            return False
        return bool(cells.n_levels[one.effect] < PER_VALUE * cells.n_levels[cause])

    def _is_by_things(self, one: BelievedLookup, given: set[Implication]) -> bool:
        """Return True if a number seems to determine a column because both belong to a thing.

        The altitude of a site determines the forest of the site, if each site has another altitude.
        The things are the evidence, not their rows.

        Parameters
        ----------
        one : BelievedLookup
            The lookup by the values of a number.
        given : set of Implication
            The lookups that no row breaks.
        """
        (cause,), cells = one.causes, self._cells
        if one.thresholds or not cells.is_number(cause) or cells.n_levels[cause] <= FEW_LEVELS:
            return False
        n_tried = float(len(cells.keys)) ** 2
        for (thing,), effect in given:
            key = frozenset([thing])
            if (
                effect != cause
                or (key, one.effect) not in given
                or (frozenset(one.causes), thing) in given
            ):
                continue
            _, first = np.unique(cells.codes[:, thing], return_index=True)
            things = cells.codes[first]
            if count(things[:, cause], things[:, one.effect]).evidence(n_tried) < MIN_EVIDENCE:
                return True
        return False

    def _together(self, size: int, known: Sequence[Implication]) -> list[BelievedLookup]:
        """Return lookups in which `size` keys together determine a column, if rows confirm them.

        Lookups for which fewer of the keys do almost as well, and lookups that follow from the
        implications `known`, are not returned. If the time is over, not all keys are combined.
        """
        cells = self._cells
        twins = _twins(known)
        causes = [i for i in cells.causes if i not in twins and cells.fits(i, PER_NUMBER)]
        causes = sorted(causes, key=lambda i: cells.n_levels[i])[: MOST_TOGETHER[size]]
        effects = [i for i in self._effects if i not in twins]
        found = []
        for chosen in combinations(sorted(causes), size):
            if time_is_over():
                break
            labels = any(not cells.is_number(i) for i in chosen)
            wanted = [i for i in effects if labels or i in cells.labels]
            if any(cells.keys[i].part is not None for i in chosen):
                wanted = [i for i in wanted if i not in cells.clocks]
            given = closure(chosen, known) if wanted else set[int]()
            wanted = [i for i in wanted if i not in given]
            if not wanted or any(i in closure({*chosen} - {i}, known) for i in chosen):
                continue
            wanted = self._likely(chosen, wanted)
            if not wanted:
                continue
            codes = _combined(cells.codes, chosen)
            if PER_NUMBER * (int(codes.max()) + 1) <= int((codes >= 0).sum()):
                found += self._judged(codes, chosen, wanted)
        return minimal(sorted(found, key=lambda one: one.count.n_levels), known)


def _share_missed_by_guess(codes: IntArray) -> float:
    """Return the share of the values of a column that are not its most frequent value."""
    there = codes[codes >= 0]
    return 1 - int(np.bincount(there).max()) / len(there) if len(there) else 0.0


def _combined(codes: IntArray, keys: Sequence[int]) -> IntArray:
    """Return for each row one code of its combination of values; -1 if a value is missing.

    Parameters
    ----------
    codes : array of shape (n_rows, n_keys)
        The codes of the values of all keys.
    keys : sequence of int
        The keys that are combined.
    """
    found = codes[:, keys[0]]
    for key in keys[1:]:
        found = combined(found, codes[:, key])
    return found


def _calendar(cells: Cells) -> Iterator[Implication]:
    """Yield implications of the calendar: dates determine parts, months determine quarters etc."""
    place = {(key.column, key.part): i for i, key in enumerate(cells.keys)}
    for (column, part), i in place.items():
        if part is not None:
            yield frozenset([place[column, None]]), i
            for finer, coarser in COARSER:
                if part == finer:
                    yield frozenset([i]), place[column, coarser]


def _twins(known: Sequence[Implication]) -> set[int]:
    """Return the keys that are equivalent to an earlier key: each determines the other.

    `known` are the implications. A key is a column, or a part of a date.
    """
    single = {(next(iter(causes)), effect) for causes, effect in known if len(causes) == 1}
    return {b for a, b in single if a < b and (b, a) in single}
