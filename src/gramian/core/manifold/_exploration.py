"""Choice of the rounds of a fit (families and penalties) by held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.core.manifold._refit import Coding, TermSums
from gramian.core.manifold._rounds import Pass, Round, RoundReport
from gramian.core.rows import RowBlock, Rows
from gramian.families import Family

EQUAL = 0.005
"""Share by which errors may differ and count as equal: then the smoother surface is preferred."""
PATIENCE = 2
"""Number of consecutive rounds without gain after which the next family is tried."""
LAST = 3
"""Divisor of the gain that is worth a round with the last family, after which none follows."""


@dataclass(frozen=True)
class HeldOutRows:
    """Held-out rows, which measure errors and take no part in the fit."""

    x: Array
    weights: Array
    beyond: float
    """Part of the mean square of the rows outside the span of the fitted rows."""

    @classmethod
    def of(cls, rows: RowBlock, basis: Array | None) -> HeldOutRows:
        """Return held-out rows in the orthonormal basis of the fit, if there is one."""
        x, weights = rows.x / rows.root[:, np.newaxis], rows.root**2
        if basis is None:
            return cls(x, weights, 0.0)
        inside = x @ basis.T
        beyond = weights @ (np.sum(x**2, axis=1) - np.sum(inside**2, axis=1))
        return cls(inside, weights, max(0.0, float(beyond)))

    def share_left(self, coding: Coding) -> float:
        """Return the share of the rows' mean square that their nearest points leave."""
        whole = float(self.weights @ np.sum(self.x**2, axis=1)) + self.beyond
        left = float(self.weights @ coding(self.x)[1]) + self.beyond
        return left / whole if whole > 0 else 0.0


@dataclass(frozen=True)
class Exploration:
    """Rounds, and the held-out error of each."""

    rounds: tuple[Round, ...]
    errors: Array
    """Residual share of the held-out rows' variance after each round."""
    last_only: bool = False
    """True if only rounds of the last family qualify as the best."""

    @property
    def best(self) -> int:
        """Number of the qualified round with the smallest error."""
        last = self.rounds[-1].family
        errors = [
            np.inf if self.last_only and each.family != last else error
            for each, error in zip(self.rounds, self.errors, strict=True)
        ]
        return int(np.argmin(errors))


@dataclass(frozen=True)
class Choices:
    """Families and penalties to choose from, and limits of the search."""

    families: Sequence[Family]
    """Families with growing numbers of functions; each begins with the codes of the one before."""
    alphas: Sequence[float]
    """Penalties in increasing order; the search steps from one to the next."""
    max_rounds: int
    """The largest number of rounds with each family."""
    tol: float
    """Relative decrease of the error that is worth another round."""
    last_only: bool = False
    """True if the result must have the last family; the others only lead to it."""


def explore(
    rows: Rows,
    held_out: HeldOutRows,
    n_codes: int,
    coding: Coding,
    choices: Choices,
    report: RoundReport | None = None,
) -> Exploration:
    """Make rounds, and measure the error of held-out rows after each.

    All penalties of a round share the sums of one pass. After a round that raised the error, the
    penalty must grow. If that does not help either, the next family is tried; the exploration ends
    after a family that gained nothing.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    held_out : HeldOutRows
        The held-out rows.
    n_codes : int
        The number of codes.
    coding : Coding
        The codes to begin with.
    choices : Choices
        Families and penalties to choose from.
    report : callable, optional
        Called with every round and its error.
    """
    read = Pass(rows, n_codes)
    rounds: list[Round] = []
    errors: list[float] = []
    place = (len(choices.alphas) - 1) // 2
    for family in choices.families:
        best_before = min(errors, default=np.inf)
        best, least, in_vain = np.inf, 0, 0
        worth = choices.tol if family is not choices.families[-1] else choices.tol / LAST
        for _ in range(choices.max_rounds):
            sums = read(coding, family)

            def attempt(
                index: int, sums: TermSums = sums, family: Family = family, coding: Coding = coding
            ) -> tuple[float, Coding]:
                choice = Round(family, choices.alphas[index])
                candidate = read.next_coding(sums, choice, coding)
                return held_out.share_left(candidate), candidate

            place, (error, coding) = _best_penalty(
                attempt, max(place, least), range(least, len(choices.alphas))
            )
            rounds.append(Round(family, choices.alphas[place]))
            errors.append(error)
            if report is not None:
                report(rounds[-1], error)
            in_vain = in_vain + 1 if error > (1 - worth) * best else 0
            rose, best = error > best, min(best, error)
            if in_vain == PATIENCE:
                break
            if rose:  # perhaps the surface bends too much, and a smoother one helps
                least = min(place + 1, len(choices.alphas) - 1)
        if not choices.last_only and min(errors) > (1 - choices.tol) * best_before:
            break
    return Exploration(tuple(rounds), np.array(errors), choices.last_only)


def _best_penalty(
    attempt: Callable[[int], tuple[float, Coding]], place: int, allowed: range
) -> tuple[int, tuple[float, Coding]]:
    """Return the best penalty: step while the error falls; among equals take the largest."""
    tried = {place: attempt(place)}
    for step in (1, -1):
        index = place + step
        while index in allowed:
            tried[index] = attempt(index)
            if tried[index][0] > tried[index - step][0]:
                break
            index += step
    least = min(error for error, _ in tried.values())
    chosen = max(index for index, (error, _) in tried.items() if error <= (1 + EQUAL) * least)
    return chosen, tried[chosen]
