"""Choice of the rounds of a surface fit, their families and penalties, by held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.core._tolerances import NOISE
from gramian.core.manifold._refit import Coding, TermSums
from gramian.core.manifold._rounds import Pass, Round, RoundReport
from gramian.core.rows import RowBlock, Rows
from gramian.families import Family

EQUAL = 0.005
"""Relative difference of held-out errors that count as equal; among equal errors, the largest
penalty (the smoothest surface) is chosen."""
TINY = np.finfo(np.float64).eps
SURE = 1.5
"""Number of standard errors by which the error of held-out rows must fall for a curved surface to
be preferred to a flat one."""
PATIENCE = 2
"""Number of consecutive rounds without improvement after which the next family is tried."""
LAST = 3
"""Divisor of `Choices.tol` for the last family: since no family follows, smaller improvements are
worth another round."""


@dataclass(frozen=True)
class HeldOutRows:
    """Held-out rows: they measure the error of a surface that was fitted to other rows."""

    x: Array
    weights: Array
    beyond: float
    """Part of the mean square of the held-out rows that is orthogonal to all fitted rows."""

    @classmethod
    def of(cls, rows: RowBlock, basis: Array | None) -> HeldOutRows:
        """Return held-out rows in the orthonormal `basis` of the fit; unchanged if it is None."""
        x, weights = rows.x / rows.root[:, np.newaxis], rows.root**2
        if basis is None:
            return cls(x, weights, 0.0)
        inside = x @ basis.T
        beyond = weights @ (np.sum(x**2, axis=1) - np.sum(inside**2, axis=1))
        return cls(inside, weights, max(0.0, float(beyond)))

    @property
    def whole(self) -> float:
        """The mean of the squared lengths of the held-out rows."""
        return float(self.weights @ np.sum(self.x**2, axis=1)) + self.beyond

    def share_left(self, distances: Array) -> float:
        """Return the mean of squared distances of the rows, divided by the mean squared length."""
        left = float(self.weights @ distances) + self.beyond
        return left / self.whole if self.whole > 0 else 0.0

    def surely_less(self, distances: Array, others: Array) -> bool:
        """Return True if the squared distances are smaller than `others` beyond sampling noise.

        Both arrays have one value per held-out row. The mean must be smaller by more than rounding
        errors. The mean difference, or the mean difference of logarithms, on which few large
        distances have less influence, must also exceed `SURE` standard errors.
        """
        floor = NOISE * self.whole
        gain = others - distances
        ratio = np.log((others + floor) / (distances + floor)) if floor > 0 else gain
        sure = self._standard_errors(gain) > SURE or self._standard_errors(ratio) > SURE
        return float(self.weights @ gain) > floor and sure

    def _standard_errors(self, values: Array) -> float:
        """Return the mean of one value per row, divided by the standard error of the mean."""
        mean = float(self.weights @ values)
        n = 1 / float(self.weights @ self.weights)  # the effective number of rows
        variance = float(self.weights @ (values - mean) ** 2) / max(n - 1, 1.0)
        return mean / max(variance**0.5, TINY * abs(mean)) if mean else 0.0


@dataclass(frozen=True)
class Exploration:
    """Result of `explore`: the rounds that were made, and their held-out errors."""

    rounds: tuple[Round, ...]
    errors: Array
    """Share of the variance of the held-out rows that remains as residual after each round."""
    distances: tuple[Array, ...]
    """Squared distances of the held-out rows from the surface after each round."""
    last_only: bool = False
    """True if `best` considers only rounds with the last family."""

    @property
    def best(self) -> int:
        """Index of the round with the smallest held-out error.

        If `last_only` is True, only rounds with the last family count.
        """
        last = self.rounds[-1].family
        errors = [
            np.inf if self.last_only and each.family != last else error
            for each, error in zip(self.rounds, self.errors, strict=True)
        ]
        return int(np.argmin(errors))


@dataclass(frozen=True)
class Choices:
    """Families and penalties from which `explore` chooses, and the limits on its rounds."""

    families: Sequence[Family]
    """Families with increasing numbers of functions, tried in this order; each family starts from
    the codes (coordinates on the surface) of the family before it."""
    alphas: Sequence[float]
    """Penalties in increasing order; the search moves from a penalty to its neighbours."""
    max_rounds: int
    """Largest number of rounds with each family."""
    tol: float
    """Relative decrease of the held-out error below which a round counts as no improvement."""
    last_only: bool = False
    """True if the result must have the last family; the other families only provide its start."""


def explore(
    rows: Rows,
    held_out: HeldOutRows,
    n_codes: int,
    coding: Coding,
    choices: Choices,
    report: RoundReport | None = None,
) -> Exploration:
    """Fit surfaces round by round, and measure the error of held-out rows after each round.

    All penalties of a round use the sums of one pass over the rows. After a round that raised the
    error, the penalty must increase. If this does not help either, the next family is tried. The
    exploration ends after a family that brought no improvement.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    held_out : HeldOutRows
        The held-out rows.
    n_codes : int
        The number of codes.
    coding : Coding
        The coding of the rows before the first round.
    choices : Choices
        Families and penalties to choose from.
    report : callable, optional
        Called with every round and its error.
    """
    read = Pass(rows, n_codes)
    rounds: list[Round] = []
    errors: list[float] = []
    of_rows: list[Array] = []
    place = (len(choices.alphas) - 1) // 2
    for family in choices.families:
        best_before = min(errors, default=np.inf)
        best, least, in_vain = np.inf, 0, 0
        worth = choices.tol if family is not choices.families[-1] else choices.tol / LAST
        for _ in range(choices.max_rounds):
            sums = read(coding, family)

            def attempt(
                index: int, sums: TermSums = sums, family: Family = family, coding: Coding = coding
            ) -> tuple[float, Coding, Array]:
                choice = Round(family, choices.alphas[index])
                candidate = read.next_coding(sums, choice, coding)
                distances = candidate(held_out.x)[1]
                return held_out.share_left(distances), candidate, distances

            place, (error, coding, left) = _best_penalty(
                attempt, max(place, least), range(least, len(choices.alphas))
            )
            rounds.append(Round(family, choices.alphas[place]))
            errors.append(error)
            of_rows.append(left)
            if report is not None:
                report(rounds[-1], error)
            in_vain = in_vain + 1 if error > (1 - worth) * best else 0
            rose, best = error > best, min(best, error)
            if in_vain == PATIENCE:
                break
            if rose:  # the surface may bend too much: require a smoother one
                least = min(place + 1, len(choices.alphas) - 1)
        if not choices.last_only and min(errors) > (1 - choices.tol) * best_before:
            break
    return Exploration(tuple(rounds), np.array(errors), tuple(of_rows), choices.last_only)


def _best_penalty(
    attempt: Callable[[int], tuple[float, Coding, Array]], place: int, allowed: range
) -> tuple[int, tuple[float, Coding, Array]]:
    """Return (index of the penalty with the smallest held-out error, result of `attempt` for it).

    The search starts at index `place` and moves up and down while the error falls. Among nearly
    equal errors, the largest penalty is chosen.

    Parameters
    ----------
    attempt : callable
        Returns the held-out error, the coding and the squared distances of the held-out rows for
        the index of a penalty.
    place : int
        The index of the first penalty.
    allowed : range
        The indices of the penalties that may be tried.
    """
    tried = {place: attempt(place)}
    for step in (1, -1):
        index = place + step
        while index in allowed:
            tried[index] = attempt(index)
            if tried[index][0] > tried[index - step][0]:
                break
            index += step
    least = min(error for error, *_ in tried.values())
    chosen = max(index for index, (error, *_) in tried.items() if error <= (1 + EQUAL) * least)
    return chosen, tried[chosen]
