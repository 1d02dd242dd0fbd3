"""Which rounds to make, decided by rows that take no part in them."""

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
"""Errors that differ by a smaller share are about equal: a smoother surface is then the better one
to go on from."""
PATIENCE = 2
"""This many rounds in a row may gain nothing before the next family's turn comes."""
LAST = 3
"""With the last family, a gain this many times smaller is worth a round: no other is to come."""


@dataclass(frozen=True)
class HeldOutRows:
    """Rows that are only looked at."""

    x: Array
    weights: Array
    beyond: float
    """The part of their mean square outside the span of the fitted rows, beyond any surface."""

    @classmethod
    def of(cls, rows: RowBlock, basis: Array | None) -> HeldOutRows:
        """Express rows in the orthonormal basis of the fit, by rows, where there is one."""
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
    """Rounds, and how well each did on held-out rows."""

    rounds: tuple[Round, ...]
    errors: Array
    """The share of the held-out rows' variance that is left after each."""
    last_only: bool = False

    @property
    def best(self) -> int:
        """The number of the round that left least, of those that qualify."""
        last = self.rounds[-1].family
        errors = [
            np.inf if self.last_only and each.family != last else error
            for each, error in zip(self.rounds, self.errors, strict=True)
        ]
        return int(np.argmin(errors))


@dataclass(frozen=True)
class Choices:
    """What to choose among."""

    families: Sequence[Family]
    """Each is given a try after the one before, from its codes; the functions grow in number."""
    alphas: Sequence[float]
    """Penalties in increasing order; the search goes from one to the next."""
    max_rounds: int
    """The largest number of rounds with each family."""
    tol: float
    """A share of the error that is worth another round."""
    last_only: bool = False
    """Whether nothing but the last family will do, and the others only lead to it."""


def explore(
    rows: Rows,
    held_out: HeldOutRows,
    n_codes: int,
    coding: Coding,
    choices: Choices,
    report: RoundReport | None = None,
) -> Exploration:
    """Make rounds and look at held-out rows after each.

    All penalties that are tried share the sums of one pass. After a round that made it worse the
    penalty must grow. The next family's turn comes when that does not help either; when a whole
    family gained nothing, the exploration ends.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    held_out : HeldOutRows
        Rows that are only looked at.
    n_codes : int
        The number of codes.
    coding : Coding
        The codes to begin with.
    choices : Choices
        What to choose among.
    report : callable, optional
        Is told of every round.
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
            if rose:  # perhaps the codes fit a surface too bent, and a smoother one helps
                least = min(place + 1, len(choices.alphas) - 1)
        if not choices.last_only and min(errors) > (1 - choices.tol) * best_before:
            break
    return Exploration(tuple(rounds), np.array(errors), choices.last_only)


def _best_penalty(
    attempt: Callable[[int], tuple[float, Coding]], place: int, allowed: range
) -> tuple[int, tuple[float, Coding]]:
    """Go from penalty to penalty while the error falls; of about equals, take the largest."""
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
