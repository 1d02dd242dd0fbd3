"""Exchange of a kept variable for a dropped one, and the proof that no smaller set suffices.

A set of kept variables suffices if their functions explain all other variables.
"""

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
"""Smallest decrease of the logarithm of the total residual share that makes an exchange better."""
MOST_MULTIPLICATIONS = 2e11
"""Number of multiplications above which exchanges are not tried."""
MOST_SETS = 20_000
"""Largest number of sets that a proof considers."""
Minimal = Literal["proved", "exchanges", "greedy"]
"""Kind of minimum of the number of kept variables. "proved": no smaller set explains the others.
"exchanges": after no exchange of one variable can another be dropped. "greedy": no further variable
can be dropped."""


Rank = tuple[tuple[int, int, float], float]
"""Counts that should be small, and the logarithm of the total residual share."""


@dataclass(frozen=True)
class Choice:
    """Result of an elimination after exchanges of kept for dropped variables."""

    elimination: Elimination
    alternatives: dict[int, tuple[int, ...]]
    """For each dropped variable, the kept variables that it could replace."""
    minimal: Minimal


@dataclass(frozen=True)
class KeptSetSearch:
    """Search for the best set of variables to keep, such that they explain all others.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float
        The share of a variable that an explanation may leave on new rows.
    alpha : float
        The penalty of every function but the variables themselves.
    preferences : Preferences
        The preferences of the user among variables.
    confirm : callable, optional
        Called before a set is accepted; see `Eliminator`.
    """

    sums: FunctionSums
    threshold: float
    alpha: float
    preferences: Preferences
    confirm: Confirm | None = None
    spent: list[float] = field(default_factory=list)
    """Approximate numbers of multiplications, one for each set so far."""

    def among(self, variables: Collection[int]) -> Eliminator:
        """Return an eliminator that begins with some variables; its cost is added to the total."""
        self.spent.append(float(self._n_functions(variables)) ** 3)
        return self.eliminator(variables=variables)

    def eliminator(
        self, *, variables: Collection[int] | None = None, overwrite: bool = False
    ) -> Eliminator:
        """Return an eliminator that begins with `variables`, or by default with all variables.

        With `overwrite`, it may overwrite the Gram matrix of the functions if this matrix is large.
        """
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
        """Exchange variables as long as an exchange makes the kept set better.

        Sets are compared by these criteria, in order: fewer kept variables; fewer variables kept
        only because others need them; lower priorities of the dropped variables in total; a
        smaller total residual share of the dropped variables.

        Parameters
        ----------
        start : Elimination
            The elimination to begin with.
        prove : bool, default=False
            True to search all sets for a smaller kept set.
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
        """Yield each dropped variable with the kept variables that it could replace."""
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
        """Make the best exchange, as long as an exchange makes the kept set better.

        Return the elimination, and True if all exchanges were tried, False if they cost too much.
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
                        if self._loses(state, other, variable):
                            continue
                        found.append((self._rank(state), self._ties(state, other, variable), kept))
            better = next(filter(self._confirmed, _best_first(found, rank)), None)
            if better is None:
                return current, True
            current = self._continue(current, better)
            rank = self._rank(self.among(current.kept))
            seen.add(frozenset(current.kept))

    def _loses(self, state: Eliminator, gone: int, variable: int) -> bool:
        """Return True if an exchange drops a column for a coarser one that tells it only nearly.

        The parameters are those of `_ties`.
        """
        left = dict(zip(state.remaining.removed, state.left, strict=True))[gone]
        return bool(left > EXACT_SHARE) and self.preferences.is_finer(gone, variable)

    def _continue(self, before: Elimination, kept: Collection[int]) -> Elimination:
        """Eliminate variables from the set `kept`, and return the new elimination.

        Variables that stay dropped keep the position in the order that they had in `before`.
        """
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
        """Return the rank of the variables that an eliminator keeps; a smaller rank is better."""
        gone = state.remaining.removed
        total = float(np.sum(np.maximum(state.left, EXACT_SHARE)))
        return (
            len(state.remaining.variables) - len(state.free[:1]),
            len(state.needed),
            sum(map(self.preferences.priority_of, gone)),
        ), np.log(total) if total > 0 else 0.0

    def _ties(self, state: Eliminator, gone: int, variable: int) -> tuple[float, int, int]:
        """Return the key that decides between exchanges of equal rank.

        Parameters
        ----------
        state : Eliminator
            The state after the exchange.
        gone : int
            The variable that is no longer kept.
        variable : int
            The variable that is kept in its place.
        """
        order_of = self.preferences.order_of
        return -round(float(state.correlation[gone]), 6), -order_of(gone), order_of(variable)

    def _smallest(self, kept: Collection[int]) -> tuple[frozenset[int] | None, bool]:
        """Return a smaller set that explains the others, or None if none was found.

        The second value is True if all sets were considered. The search is branch and bound:
        residual shares grow as variables are dropped. So a variable that is not explained now will
        not be explained later, and at most the variables explained now can still be dropped.
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
            # Each set is met once: open variables before the dropped one stay in the set.
            stack.extend(
                (present - {open_[i]}, frozenset(open_[i + 1 :]))
                for i in reversed(range(len(open_)))
            )
        return best, True


def _best_first(
    found: list[tuple[Rank, tuple[float, int, int], frozenset[int]]], rank: Rank
) -> Iterator[frozenset[int]]:
    """Yield the sets that are better than the given rank, the best first.

    Parameters
    ----------
    found : list of tuples
        For each set: its rank, a key that decides ties, the set.
    rank : Rank
        The rank that sets must beat. Residuals that are equal within a tolerance are tied. The
        tolerance is relative to the best set: fixed limits would separate nearly equal numbers.
    """
    counts, left = rank
    found = [each for each in found if each[0] < (counts, left - LEAST_LOG_GAIN)]
    while found:
        counts, left = min(each[0] for each in found)
        tied = [each for each in found if each[0] <= (counts, left + LEAST_LOG_GAIN)]
        best = min(tied, key=lambda each: each[1])
        found.remove(best)
        yield best[2]
