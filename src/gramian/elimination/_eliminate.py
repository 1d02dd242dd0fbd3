"""Backward elimination: drop the columns that others explain, one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._types import Array
from gramian.elimination._evidence import EXACT, Evidence
from gramian.elimination._remaining import Remaining
from gramian.elimination._sums import FunctionSums

SAME = 1e-6
"""Values to choose by that differ by less, relatively, are equal."""
NEGLIGIBLE = 0.05
"""A variable without which no more than this share more is left of another does not matter to it;
used where there are too many pairs to look at all of them after every step."""
MANY = 2e10
"""So many multiplications a step are too many."""


@dataclass(frozen=True)
class Preferences:
    """Which columns the user would rather keep.

    Parameters
    ----------
    keep : collection of int
        Variables that are never dropped.
    priority : sequence of float, optional
        Of the variables that may go, those of the lowest priority go first.
    order : sequence of int, optional
        Variables that nothing else tells apart are dropped from the largest number down: the ranks
        of their names, for example. By default their index.
    """

    keep: Collection[int] = ()
    priority: Sequence[float] | None = None
    order: Sequence[int] | None = None

    def priority_of(self, variable: int) -> float:
        """Return the priority of a variable."""
        return 0.0 if self.priority is None else float(self.priority[variable])

    def order_of(self, variable: int) -> int:
        """Return the number that decides where nothing else does."""
        return variable if self.order is None else int(self.order[variable])


@dataclass(frozen=True)
class Elimination:
    """In which order variables were dropped, and what is left of them."""

    kept: tuple[int, ...]
    """The variables that were kept, in increasing order."""
    dropped: tuple[int, ...]
    """The others, in the order in which they were dropped."""
    share_when_dropped: Array
    """The share of each that all others still there left when it was dropped: on new rows, as
    estimated by generalized cross-validation."""
    share_left: Array
    """The share of each that the variables kept leave, likewise."""
    needed: tuple[int, ...]
    """Variables kept although others explain them, because without them a dropped one would not
    be explained any more."""


class Eliminator:
    """Variables that remain, and which of them to drop next.

    A variable may go if what is left of it, and of every variable dropped before, stays below the
    threshold: so that explanations hold in terms of the variables kept in the end. Of those that
    may go, the one goes without which most explanation remains, in the sum of the *margins*
    log(threshold / share left) of all variables that are explained, its own among them. This keeps
    the variables that others are made of, and does not depend on units or on the order.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float
        The share of a variable that an explanation may leave on new rows.
    alpha : float, default=0
        The penalty of every function but the variables themselves.
    preferences : Preferences, optional
        Which variables the user would rather keep.
    variables : collection of int, optional
        Begin with these only; the others count as dropped.
    overwrite : bool, default=False
        Whether the Gram matrix may be overwritten, if it is large.
    """

    def __init__(
        self,
        sums: FunctionSums,
        threshold: float,
        alpha: float = 0.0,
        preferences: Preferences | None = None,
        *,
        variables: Collection[int] | None = None,
        overwrite: bool = False,
    ) -> None:
        self.preferences = preferences or Preferences()
        self.evidence = Evidence(sums.n_rows, threshold)
        singles = sums.gram[np.ix_(sums.singles, sums.singles)]
        self.correlation = np.einsum("ij,ij->i", singles, singles)
        """How much of all variables each one explains by itself, linearly."""
        self.remaining = Remaining(sums, alpha, variables=variables, overwrite=overwrite)
        self._margins: dict[int, dict[int, float]] = {}
        self._find()

    def _find(self) -> None:
        """Find out which variables are explained, and which of these may go."""
        remaining = self.remaining
        self.explained: dict[int, float] = {}
        """The variables that the others explain, with the share left on new rows."""
        if len(remaining.variables) > 1:
            for j in remaining.variables:
                without = remaining.n_functions_without(j)
                share = float(self.evidence.on_new_rows(remaining.share(j), without))
                if share <= self.evidence.threshold:
                    self.explained[j] = share
        self.free = [j for j in self.explained if self._may_go(j)]
        """Those of them that may go."""

    @property
    def left(self) -> Array:
        """The share left of each variable that is gone, on new rows."""
        remaining = self.remaining
        return self.evidence.on_new_rows(remaining.left, remaining.degrees_of_freedom)

    def left_without(self, variable: int) -> Array:
        """Return the same if another variable goes; what is left of that one comes last."""
        remaining = self.remaining
        left = np.append(remaining.left + remaining.losses(variable), remaining.share(variable))
        return self.evidence.on_new_rows(left, remaining.n_functions_without(variable))

    @property
    def needed(self) -> tuple[int, ...]:
        """The explained variables that may not go because others need them."""
        return tuple(j for j in self.explained if j not in {*self.free, *self.preferences.keep})

    def _may_go(self, variable: int) -> bool:
        if variable in self.preferences.keep:
            return False
        return bool((self.left_without(variable) <= self.evidence.threshold).all())

    def run(self) -> Elimination:
        """Drop variables until none may go."""
        shares = list(self.left)
        while self.free:
            chosen = self._choose()
            shares.append(self.explained[chosen])
            self.remaining.remove(chosen)
            self._margins = {
                j: row for j, row in self._margins.items() if j != chosen and chosen not in row
            }
            self._find()
        kept, dropped = tuple(self.remaining.variables), tuple(self.remaining.removed)
        return Elimination(kept, dropped, np.array(shares), self.left, self.needed)

    def _choose(self) -> int:
        """Return which of the variables that may go does."""
        preferences = self.preferences
        lowest = min(map(preferences.priority_of, self.free))
        free = [j for j in self.free if preferences.priority_of(j) == lowest]
        if len(free) > 1:
            free = largest(free, self._remains(free))
        if len(free) > 1:
            free = largest(free, [-np.log(max(self.explained[j], EXACT)) for j in free])
        if len(free) > 1:
            free = largest(free, [float(self.correlation[j]) for j in free])
        return max(free, key=preferences.order_of)

    def _remains(self, free: list[int]) -> list[float]:
        """Return how much explanation remains without each of some variables: sums of margins."""
        margin = self.evidence.margin
        others = [j for j in self.explained if j not in self.preferences.keep]
        size = max(self.remaining.block_size(j) for j in others)
        many = len(others) * len(free) * (2 * size) ** 3 / 3 > MANY
        without = {j: self._margins_of(j, None if many else free) for j in others}
        remains = []
        for j in free:
            total = float(np.sum(margin(self.left_without(j))))
            for other in others:
                if other != j:
                    unchanged = float(margin(self.explained[other]))
                    total += without[other].get(j, unchanged)
            remains.append(total)
        return remains

    def _margins_of(self, variable: int, others: list[int] | None) -> dict[int, float]:
        """Return the margins of a variable without each of some others.

        If these are not given, they are those that matter to it, and what is known is used again
        until one of them goes.
        """
        remaining, evidence = self.remaining, self.evidence
        if others is not None:
            relevant = [j for j in others if j != variable]
        elif variable in self._margins:
            return self._margins[variable]
        else:
            lost = remaining.interactions(variable)
            noticed = NEGLIGIBLE * remaining.share(variable)
            relevant = [j for j in remaining.variables if lost[j] > noticed]
        found = {}
        for other in relevant:
            share = remaining.share_without(variable, other)
            without = remaining.n_functions_without(variable, other)
            found[other] = float(evidence.margin(evidence.on_new_rows(share, without)))
        if others is None:
            self._margins[variable] = found
        return found


def eliminate(
    sums: FunctionSums,
    threshold: float = 1e-3,
    *,
    alpha: float = 0.0,
    preferences: Preferences | None = None,
    variables: Collection[int] | None = None,
    overwrite: bool = False,
) -> Elimination:
    """Drop the variables that functions of the others explain, whatever their units and order.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float, default=1e-3
        The share of a variable that an explanation may leave on new rows.
    alpha : float, default=0
        The penalty of every function but the variables themselves.
    preferences : Preferences, optional
        Which variables the user would rather keep.
    variables : collection of int, optional
        Begin with these only; the others count as dropped. By default all take part.
    overwrite : bool, default=False
        Whether the Gram matrix may be overwritten, if it is large.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.elimination import collect, eliminate, lay_out
    >>> from gramian.families import Polynomial
    >>> from gramian.rows import centre
    >>> voltage, current = np.random.default_rng(0).uniform(1, 2, (2, 500))
    >>> X = np.column_stack([voltage * current, voltage, current])
    >>> rows, _ = centre(X, None, "column")
    >>> eliminate(collect(rows, lay_out(rows, Polynomial(2), range(3)))).dropped
    (0,)
    """
    return Eliminator(
        sums, threshold, alpha, preferences, variables=variables, overwrite=overwrite
    ).run()


def largest(variables: list[int], values: Sequence[float]) -> list[int]:
    """Return the variables whose values are largest, up to rounding."""
    best = max(values)
    tolerance = SAME * max(1.0, abs(best))
    return [j for j, value in zip(variables, values, strict=True) if value >= best - tolerance]
