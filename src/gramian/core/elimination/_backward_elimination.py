"""Backward elimination: drop the columns that others explain, one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.blas import threads_for
from gramian._support.types import Array
from gramian.core.elimination._layout_sums import FunctionSums
from gramian.core.elimination._left_out_evidence import EXACT_SHARE, Evidence
from gramian.core.elimination._remaining import Remaining

EQUAL_SHARE = 1e-6
"""Values to choose by that differ by less, relatively, are equal."""


@dataclass(frozen=True)
class Preferences:
    """Which columns the user would rather keep.

    Parameters
    ----------
    keep : collection of int
        Variables that are never dropped.
    priority : sequence of float, optional
        Among the variables that may go, those of the lowest priority go first.
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
    refused: tuple[int, ...] = ()
    """Variables that would have been dropped, but of which too much is left when rows are left
    out."""


Confirm = Callable[[Collection[int], Collection[int]], bool]
"""Whether functions of the first variables explain the others on rows that are left out."""


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
    confirm : callable, optional
        Asked before a variable goes: whether functions of some variables, the first argument,
        explain others, the second, on rows that are left out.
    variables : collection of int, optional
        Begin with these only; the others count as dropped. By default all take part.
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
        confirm: Confirm | None = None,
        variables: Collection[int] | None = None,
        overwrite: bool = False,
    ) -> None:
        self.preferences = preferences or Preferences()
        self.evidence = Evidence(sums.n_rows, threshold)
        singles = sums.gram[np.ix_(sums.singles, sums.singles)]
        self.correlation = np.einsum("ij,ij->i", singles, singles)
        """How much of all variables each one explains by itself, linearly."""
        self.remaining = Remaining(sums, alpha, variables=variables, overwrite=overwrite)
        self._confirm = confirm
        self._refused: list[int] = []
        self._bounds: dict[int, tuple[float, float]] = {}
        """How much explanation remained without a variable when this was last looked at, and the
        effective number of functions then."""
        with threads_for(0):  # all products are small
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
    def least_share(self) -> float:
        """The smallest share of a variable that the others leave, on the rows of the fit."""
        remaining = self.remaining
        return min((remaining.share(j) for j in remaining.variables), default=1.0)

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
        others = {*self.free, *self._refused, *self.preferences.keep}
        return tuple(j for j in self.explained if j not in others)

    def _may_go(self, variable: int) -> bool:
        if variable in self.preferences.keep or variable in self._refused:
            return False
        return bool((self.left_without(variable) <= self.evidence.threshold).all())

    def run(self) -> Elimination:
        """Drop variables until none may go."""
        shares = list(self.left)
        while self.free:
            with threads_for(0):
                chosen = self._choose()
            if not self._confirmed(chosen):
                self._refused.append(chosen)
                self.free.remove(chosen)
                continue
            shares.append(self.explained[chosen])
            self.remaining.remove(chosen)
            with threads_for(0):
                self._find()
        kept, dropped = tuple(self.remaining.variables), tuple(self.remaining.removed)
        return Elimination(
            kept, dropped, np.array(shares), self.left, self.needed, tuple(self._refused)
        )

    def _confirmed(self, variable: int) -> bool:
        """Return whether a variable may go when rows are left out, too."""
        if self._confirm is None:
            return True
        kept = [j for j in self.remaining.variables if j != variable]
        return self._confirm(kept, [*self.remaining.removed, variable])

    def _choose(self) -> int:
        """Return which of the variables that may go does."""
        preferences = self.preferences
        lowest = min(map(preferences.priority_of, self.free))
        free = [j for j in self.free if preferences.priority_of(j) == lowest]
        if len(free) > 1:  # else nothing is to be compared
            free = self._most_remains(free)
            free = largest(free, [-np.log(max(self.explained[j], EXACT_SHARE)) for j in free])
            free = largest(free, [float(self.correlation[j]) for j in free])
        return max(free, key=preferences.order_of)

    def _most_remains(self, free: list[int]) -> list[int]:
        """Return the variables without which most explanation remains, in the sum of margins.

        The more variables are gone, the less remains. So what remained without a variable when
        this was last looked at is a bound, and most need not be looked at again. (Fewer functions
        are worth more on new rows: the bound is raised by that.)
        """
        remaining, evidence = self.remaining, self.evidence
        n_terms = len(self.explained) + len(remaining.removed)
        now = evidence.inflation(remaining.degrees_of_freedom)
        bounds = {}
        for j in free:
            total, number = self._bounds.get(j, (np.inf, remaining.degrees_of_freedom))
            # Where all rows are used up, nothing is known.
            growth = evidence.inflation(number) / now if np.isfinite(now) else np.inf
            bounds[j] = total + n_terms * np.log(growth)
        found: dict[int, float] = {}
        for j in sorted(free, key=bounds.__getitem__, reverse=True):
            best = max(found.values(), default=-np.inf)
            if bounds[j] < best - EQUAL_SHARE * max(1.0, abs(best)):
                break
            found[j] = self._remains(j)
            self._bounds[j] = found[j], remaining.degrees_of_freedom
        return largest(list(found), list(found.values()))

    def _remains(self, variable: int) -> float:
        """Return how much explanation remains without a variable."""
        remaining, evidence = self.remaining, self.evidence
        total = float(np.sum(evidence.margin(self.left_without(variable))))
        others = [j for j in self.explained if j != variable and j not in self.preferences.keep]
        if others:
            shares = remaining.shares_without(others, variable)
            numbers = [remaining.n_functions_without(other, variable) for other in others]
            new = [evidence.on_new_rows(*each) for each in zip(shares, numbers, strict=True)]
            total += float(np.sum(evidence.margin(np.array(new))))
        return total


def eliminate(sums: FunctionSums, threshold: float = 1e-3, **options: Any) -> Elimination:
    """Drop the variables that functions of the others explain, whatever their units and order.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float, default=1e-3
        The share of a variable that an explanation may leave on new rows.
    **options : object
        What else `Eliminator` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.elimination import collect, eliminate, lay_out
    >>> from gramian.families import Polynomial
    >>> from gramian.core.rows import centre
    >>> voltage, current = np.random.default_rng(0).uniform(1, 2, (2, 500))
    >>> X = np.column_stack([voltage * current, voltage, current])
    >>> rows, _ = centre(X, None, "column")
    >>> eliminate(collect(rows, lay_out(rows, Polynomial(2), range(3)))).dropped
    (0,)
    """
    return Eliminator(sums, threshold, **options).run()


def largest(variables: list[int], values: Sequence[float]) -> list[int]:
    """Return the variables whose values are largest, up to rounding."""
    best = max(values)
    tolerance = EQUAL_SHARE * max(1.0, abs(best))
    return [j for j, value in zip(variables, values, strict=True) if value >= best - tolerance]
