"""Second thoughts: exchange a kept variable for a dropped one, and prove that no fewer would do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gramian.core.elimination._backward_elimination import (
    Confirm,
    Elimination,
    Eliminator,
    Preferences,
)
from gramian.core.elimination._layout_sums import FunctionSums
from gramian.core.elimination._left_out_evidence import EXACT_SHARE

LEAST_LOG_GAIN = 1e-3
"""An exchange must leave less by this share at least; smaller differences are chance."""
MOST_MULTIPLICATIONS = 2e11
"""Exchanges that would take more are not tried."""
MOST_SETS = 20_000
"""At most this many sets are looked at to prove that no smaller one would do."""
Minimal = Literal["proved", "exchanges", "greedy"]
"""What is known of the number of variables kept: no set with fewer explains the others; no exchange
of one variable lets another one go; or only that no variable may go as things are."""


Rank = tuple[tuple[int, int, float], float]
"""Counts of what should be few, and the logarithm of what is left in all."""


@dataclass(frozen=True)
class Choice:
    """An elimination after second thoughts."""

    elimination: Elimination
    alternatives: dict[int, tuple[int, ...]]
    """For each dropped variable, the kept ones that could be exchanged for it."""
    minimal: Minimal


@dataclass(frozen=True)
class KeptSetSearch:
    """The sets of variables that could be kept.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float
        The share of a variable that an explanation may leave on new rows.
    alpha : float
        The penalty of every function but the variables themselves.
    preferences : Preferences
        Which variables the user would rather keep.
    confirm : callable, optional
        Asked before a set is taken; see `Eliminator`.
    """

    sums: FunctionSums
    threshold: float
    alpha: float
    preferences: Preferences
    confirm: Confirm | None = None
    spent: list[float] = field(default_factory=list)
    """The multiplications of all sets so far, about."""

    def among(self, variables: Collection[int]) -> Eliminator:
        """Return what is explained if only some variables remain."""
        self.spent.append(float(self._n_functions(variables)) ** 3)
        return self.eliminator(variables=variables)

    def eliminator(
        self, *, variables: Collection[int] | None = None, overwrite: bool = False
    ) -> Eliminator:
        """Return what begins with all variables, or with some; see `Eliminator`."""
        return Eliminator(
            self.sums,
            self.threshold,
            self.alpha,
            self.preferences,
            confirm=self.confirm,
            variables=variables,
            overwrite=overwrite,
        )

    def _confirmed(self, kept: Collection[int]) -> bool:
        if self.confirm is None:
            return True
        return self.confirm(sorted(kept), self._others(kept))

    def _others(self, kept: Collection[int]) -> list[int]:
        return [j for j in range(self.sums.n_variables) if j not in kept]

    def reconsider(self, start: Elimination, *, prove: bool = False) -> Choice:
        """Exchange variables while fewer, or better explained ones, are dropped by it.

        A set is better than another if it is smaller, or else keeps fewer variables only because
        others need them, or else has dropped less that the user would rather keep, or else leaves
        less of what it dropped, in all.

        Parameters
        ----------
        start : Elimination
            What was kept so far.
        prove : bool, default=False
            Whether to look for a smaller set among all.
        """
        if not self._affordable(start):
            return Choice(start, {}, "greedy")
        best, complete = self._exchange(start)
        minimal: Minimal = "exchanges" if complete else "greedy"
        if prove:
            smaller, complete = self._smallest(best.kept)
            if smaller is not None:
                best, _ = self._exchange(self.among(smaller).run())
            minimal = "proved" if complete else "exchanges"
        return Choice(best, self._alternatives(best), minimal)

    def _affordable(self, start: Elimination) -> bool:
        return (
            len(start.dropped) * float(self._n_functions(start.kept)) ** 3 <= MOST_MULTIPLICATIONS
        )

    def _n_functions(self, kept: Collection[int]) -> int:
        gone = self._others(kept)
        return len(self.sums.gram) - int(self.sums.involves[:, gone].any(axis=1).sum())

    def _swaps(self, kept: Collection[int]) -> Iterator[tuple[int, list[int]]]:
        """For each dropped variable, find the kept ones that it could stand for."""
        for variable in self._others(kept):
            free = self.among({*kept, variable}).free
            yield variable, [other for other in free if other != variable]

    def _alternatives(self, elimination: Elimination) -> dict[int, tuple[int, ...]]:
        kept = set(elimination.kept)
        return {
            j: tuple(k for k in others if self._confirmed((kept | {j}) - {k}))
            for j, others in self._swaps(kept)
        }

    def _exchange(self, start: Elimination) -> tuple[Elimination, bool]:
        """Take the best exchange as long as there is one that makes the set better.

        The second value is whether all were tried, or the time for it was over.
        """
        current, rank = start, self._rank(self.among(start.kept))
        seen = {frozenset(start.kept)}
        while True:
            found = []
            for variable, others in self._swaps(current.kept):
                if sum(self.spent) > MOST_MULTIPLICATIONS:
                    return current, False
                for other in others:
                    kept = frozenset({*current.kept, variable} - {other})
                    if kept not in seen:
                        seen.add(kept)
                        state = self.among(kept)
                        found.append((self._rank(state), self._ties(state, other, variable), kept))
            better = next(filter(self._confirmed, _best_first(found, rank)), None)
            if better is None:
                return current, True
            current = self._continue(current, better)
            rank = self._rank(self.among(current.kept))
            seen.add(frozenset(current.kept))

    def _continue(self, before: Elimination, kept: Collection[int]) -> Elimination:
        """Go on from another set; what stays dropped keeps its place in the order."""
        after = self.among(kept).run()
        history = dict(zip(before.dropped, before.share_when_dropped, strict=True))
        shares = dict(zip(after.dropped, after.share_when_dropped, strict=True))
        shares.update((j, history[j]) for j in history if j in shares)
        order = [j for j in before.dropped if j in shares]
        order += [j for j in after.dropped if j not in history]
        left = dict(zip(after.dropped, after.share_left, strict=True))
        return Elimination(
            after.kept,
            tuple(order),
            np.array([shares[j] for j in order]),
            np.array([left[j] for j in order]),
            after.needed,
            tuple(j for j in dict.fromkeys((*before.refused, *after.refused)) if j in after.kept),
        )

    def _rank(self, state: Eliminator) -> Rank:
        """Return what makes a set better than another; small is good."""
        gone = state.remaining.removed
        total = float(np.sum(np.maximum(state.left, EXACT_SHARE)))
        return (
            len(state.remaining.variables) - len(state.free[:1]),
            len(state.needed),
            sum(map(self.preferences.priority_of, gone)),
        ), np.log(total) if total > 0 else 0.0

    def _ties(self, state: Eliminator, gone: int, variable: int) -> tuple[float, int, int]:
        """Return what decides between exchanges that are equally good."""
        order_of = self.preferences.order_of
        return -round(float(state.correlation[gone]), 6), -order_of(gone), order_of(variable)

    def _smallest(self, kept: Collection[int]) -> tuple[frozenset[int] | None, bool]:
        """Look for a smaller set by branch and bound; return it, and whether all were considered.

        The share left grows as variables go. So what is not explained will not be, and no more
        can be dropped than is dropped and explained now.
        """
        everything = frozenset(range(self.sums.n_variables))
        fewest, best, n_sets = len(kept), None, 0
        stack: list[tuple[frozenset[int], frozenset[int]]] = [(everything, everything)]
        while stack:
            present, undecided = stack.pop()
            n_sets += 1
            if n_sets > MOST_SETS:
                return best, False
            state = self.among(present)
            remaining = state.remaining
            if remaining.removed and remaining.left.max() > self.threshold:
                continue
            shares = {j: remaining.share(j) for j in undecided if j not in self.preferences.keep}
            open_ = sorted(
                (j for j in shares if shares[j] <= self.threshold), key=shares.__getitem__
            )
            fits = len(present) < fewest and (state.left <= self.threshold).all()
            if fits and self._confirmed(present):
                fewest, best = len(present), present
            if len(present) - len(open_) >= fewest or len(present) == 1:
                continue
            # Each set is met once: of the open ones, those before the one that goes stay.
            stack.extend(
                (present - {open_[i]}, frozenset(open_[i + 1 :]))
                for i in reversed(range(len(open_)))
            )
        return best, True


def _best_first(
    found: list[tuple[Rank, tuple[float, int, int], frozenset[int]]], rank: Rank
) -> Iterator[frozenset[int]]:
    """Yield the sets that are better than one of the given rank, ties decided by what comes second.

    A set ties with the best one if it leaves hardly more. Numbers are compared with a tolerance,
    because rounding would put nearly equal ones on two sides of an edge.
    """
    counts, left = rank
    found = [each for each in found if each[0] < (counts, left - LEAST_LOG_GAIN)]
    while found:
        counts, left = min(each[0] for each in found)
        tied = [each for each in found if each[0] <= (counts, left + LEAST_LOG_GAIN)]
        best = min(tied, key=lambda each: each[1])
        found.remove(best)
        yield best[2]
