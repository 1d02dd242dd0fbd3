"""Backward elimination: columns that other columns explain are dropped one by one."""

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
"""Relative difference below which two values that decide on a choice are equal."""


@dataclass(frozen=True)
class Preferences:
    """Preferences of the user among columns.

    Parameters
    ----------
    keep : collection of int
        Variables that are never dropped.
    priority : sequence of float, optional
        The priority of each variable; the lowest priority is dropped first.
    order : sequence of int, optional
        The rank of each variable, for example by name. Among variables that all other criteria
        rate equal, the largest rank is dropped first. By default the index.
    n_levels : callable, optional
        Returns the number of different values of a variable. Of two variables that explain each
        other nearly, the one with more values is kept. By default this does not matter.
    """

    keep: Collection[int] = ()
    priority: Sequence[float] | None = None
    order: Sequence[int] | None = None
    n_levels: Callable[[int], int] | None = None

    def priority_of(self, variable: int) -> float:
        """Return the priority of a variable; the lowest priority is dropped first."""
        return 0.0 if self.priority is None else float(self.priority[variable])

    def is_finer(self, variable: int, other: int) -> bool:
        """Return True if a variable has more different values than another one."""
        return self.n_levels is not None and self.n_levels(variable) > self.n_levels(other)

    def order_of(self, variable: int) -> int:
        """Return the rank of a variable, which breaks ties."""
        return variable if self.order is None else int(self.order[variable])


@dataclass(frozen=True)
class Elimination:
    """Result of an elimination: kept and dropped variables, and how well they are explained."""

    kept: tuple[int, ...]
    """The variables that were kept, in increasing order."""
    dropped: tuple[int, ...]
    """The dropped variables, in the order in which they were dropped."""
    share_when_dropped: Array
    """Residual share of each dropped variable at the time, given all variables still present: an
    estimate for new rows by generalized cross-validation."""
    share_left: Array
    """Residual share of each dropped variable, given the kept variables: an estimate for new rows
    by generalized cross-validation."""
    needed: tuple[int, ...]
    """Variables that others explain but that were kept: without them, a dropped variable would no
    longer be explained."""
    refused: tuple[int, ...] = ()
    """Variables kept because their leave-one-out residual is above the threshold."""


Confirm = Callable[[Collection[int], Collection[int]], bool]
"""Returns True if functions of the first variables explain the second ones on left-out rows."""


class Eliminator:
    """Choice of the remaining variable to drop next.

    A variable may be dropped if its residual share, and the residual share of every variable
    dropped before, stays below the threshold: so explanations hold in terms of the variables kept
    in the end. The margin of an explained variable is log(threshold / residual share). The variable
    is dropped after which the sum of margins of all explained variables, its own included, is
    largest. This rule keeps the variables from which others are computed, and does not depend on
    units or on the order of columns.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float
        The share of a variable that an explanation may leave on new rows.
    alpha : float, default=0
        The penalty of every function but the variables themselves.
    preferences : Preferences, optional
        The preferences of the user among variables.
    confirm : callable, optional
        Called before a variable is dropped. It returns True if functions of the variables in the
        first argument explain those in the second argument on left-out rows.
    variables : collection of int, optional
        The variables to begin with; the others count as dropped. By default all.
    overwrite : bool, default=False
        True if the Gram matrix may be overwritten when it is large.
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
        """Sum of squared correlations of each variable with all variables."""
        self.remaining = Remaining(sums, alpha, variables=variables, overwrite=overwrite)
        self._confirm = confirm
        self._refused: list[int] = []
        self._bounds: dict[int, tuple[float, float, int]] = {}
        """Sum of margins after dropping each variable when it was last computed, and the effective
        number and the number of functions at that time."""
        with threads_for(0):  # all products are small
            self._find()

    def _find(self) -> None:
        """Find the variables that other variables explain, and which of them may be dropped."""
        remaining = self.remaining
        self.explained: dict[int, float] = {}
        """Variables that the others explain, with their residual share on new rows."""
        if len(remaining.variables) > 1:
            for j in remaining.variables:
                without = remaining.n_functions_without(j)
                share = float(self.evidence.on_new_rows(remaining.share(j), without))
                if share <= self.evidence.threshold:
                    self.explained[j] = share
        self.free = [j for j in self.explained if self._may_go(j)]
        """Explained variables that may be dropped."""

    @property
    def least_share(self) -> float:
        """Smallest share of a variable that the remaining ones do not explain, on fitted rows."""
        remaining = self.remaining
        return min((remaining.share(j) for j in remaining.variables), default=1.0)

    @property
    def left(self) -> Array:
        """For each dropped variable, the share that remaining ones do not explain on new rows."""
        remaining = self.remaining
        return self.evidence.on_new_rows(remaining.left, remaining.degrees_of_freedom)

    def left_without(self, variable: int) -> Array:
        """Return `left` as it would be after also dropping `variable`; its own share comes last."""
        remaining = self.remaining
        left = np.append(remaining.left + remaining.losses(variable), remaining.share(variable))
        return self.evidence.on_new_rows(left, remaining.n_functions_without(variable))

    @property
    def needed(self) -> tuple[int, ...]:
        """Explained variables that are kept because dropped variables need them."""
        others = {*self.free, *self._refused, *self.preferences.keep}
        return tuple(j for j in self.explained if j not in others)

    def _may_go(self, variable: int) -> bool:
        if variable in self.preferences.keep or variable in self._refused:
            return False
        return bool((self.left_without(variable) <= self.evidence.threshold).all())

    def run(self) -> Elimination:
        """Drop variables until none may be dropped, and return the result."""
        shares = list(self.left)
        while self.free:
            with threads_for(0):
                chosen = self._coarser(self._choose())
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
        """Return True if the other variables explain `variable` on left-out rows, too."""
        if self._confirm is None:
            return True
        kept = [j for j in self.remaining.variables if j != variable]
        return self._confirm(kept, [*self.remaining.removed, variable])

    def _choose(self) -> int:
        """Return the variable to drop next."""
        preferences = self.preferences
        lowest = min(map(preferences.priority_of, self.free))
        free = [j for j in self.free if preferences.priority_of(j) == lowest]
        if len(free) > 1:
            free = self._most_remains(free)
            free = largest(free, [-np.log(max(self.explained[j], EXACT_SHARE)) for j in free])
            free = largest(free, [float(self.correlation[j]) for j in free])
        return max(free, key=preferences.order_of)

    def _coarser(self, chosen: int) -> int:
        """Return the variable to drop in place of `chosen`, or `chosen` if there is none.

        Two variables explain each other nearly if neither is explained without the other. Then the
        finer one stays, because the coarser one does not tell its values.
        """
        remaining, evidence, preferences = self.remaining, self.evidence, self.preferences
        if preferences.n_levels is None or self.explained[chosen] <= EXACT_SHARE:
            return chosen
        found = chosen
        for j in self.free:
            if preferences.priority_of(j) == preferences.priority_of(
                chosen
            ) and preferences.is_finer(found, j):
                mine = remaining.shares_without([chosen], j)[0]
                theirs = remaining.shares_without([j], chosen)[0]
                if min(mine, theirs) > evidence.threshold:
                    found = j
        return found

    def _most_remains(self, free: list[int]) -> list[int]:
        """Return those of the variables `free` after whose dropping the sum of margins is largest.

        The margin of an explained variable is log(threshold / residual share). Each dropped
        variable lowers the sum. So an earlier sum is an upper bound, and most sums need not be
        computed again. Fewer functions have smaller residuals on new rows; the bound is raised by
        this effect. A residual counts the smaller one of two numbers of functions (see
        `Remaining.n_functions_without`), which falls at most as much as one of them.
        """
        remaining, evidence = self.remaining, self.evidence
        n_terms = len(self.explained) + len(remaining.removed)
        now = remaining.degrees_of_freedom, remaining.n_functions
        bounds = {}
        for j in free:
            total, *then = self._bounds.get(j, (np.inf, *now))
            fewer = max(then[0] - now[0], then[1] - now[1])
            before = evidence.inflation(then[0])
            # With as many functions as rows, the earlier sum is no bound.
            growth = before / evidence.inflation(then[0] - fewer) if np.isfinite(before) else np.inf
            bounds[j] = total + n_terms * np.log(growth)
        found: dict[int, float] = {}
        for j in sorted(free, key=bounds.__getitem__, reverse=True):
            best = max(found.values(), default=-np.inf)
            if bounds[j] < best - EQUAL_SHARE * max(1.0, abs(best)):
                break
            found[j] = self._remains(j)
            self._bounds[j] = found[j], *now
        return largest(list(found), list(found.values()))

    def _remains(self, variable: int) -> float:
        """Return the sum of margins of all explained variables after dropping a variable.

        The margin of a variable is log(threshold / residual share).
        """
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
    """Drop the variables that functions of the others explain.

    The result does not depend on the units of the variables or on their order.

    Parameters
    ----------
    sums : FunctionSums
        The covariances of the functions of all variables.
    threshold : float, default=1e-3
        The share of a variable that an explanation may leave on new rows.
    **options : object
        Further parameters of `Eliminator`.

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
    """Return the variables with the largest value; values equal up to rounding are tied."""
    best = max(values)
    tolerance = EQUAL_SHARE * max(1.0, abs(best))
    return [j for j, value in zip(variables, values, strict=True) if value >= best - tolerance]
