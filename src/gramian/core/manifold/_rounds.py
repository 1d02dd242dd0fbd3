"""Rounds of a surface fit: each round finds nearest points, then refits the surface.

Codes (the coordinates of nearest points) are never stored. In one pass over the rows, the nearest
points of the current surface are found and summed over; the sums determine the next surface. So a
file or a cluster is read once per round. The coordinates of a surface are the coordinates of the
surface before it, scaled to mean 0 and variance 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from gramian._support.types import Array
from gramian.core.manifold._oriented_manifold import Manifold, orient_codes
from gramian.core.manifold._refit import Coding, TermSums, refit, sum_over
from gramian.core.manifold._start import AngleStart, Start, TermMoments
from gramian.core.manifold._surface_terms import Terms
from gramian.core.rows import Rows
from gramian.families import Family, Fourier, Multilinear

LINEAR = Multilinear(1)
"""Family with linear functions only; its surfaces are flat."""


@dataclass(frozen=True)
class Round:
    """One refit of the surface: the family of its functions, and the penalty `alpha`."""

    family: Family
    alpha: float


RoundReport = Callable[[Round, float], None]
"""Function that is called after every round with the round and the residual share of the variance
(mean squared distance from the surface, divided by the variance)."""


@dataclass(frozen=True)
class Fit:
    """Result of `fit_rounds`: the fitted manifold, and the rounds that were kept."""

    manifold: Manifold
    rounds: tuple[Round, ...]
    """Rounds that were kept: they lowered the error, or had a larger penalty than the round
    before."""
    errors: Array
    """Mean squared distance of the rows from the surface after each kept round."""


class Pass:
    """Computes the sums from which the next surface is fitted; each call reads all rows once.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    n_codes : int
        The number of codes, which are coordinates on the surface.
    """

    def __init__(self, rows: Rows, n_codes: int) -> None:
        self._rows = rows
        self._n_codes = n_codes
        self._terms: dict[str, Terms] = {}

    def terms(self, family: Family) -> Terms:
        """Return the functions of `family` of `n_codes` variables, as terms of a surface."""
        key = repr(family)
        if key not in self._terms:
            self._terms[key] = Terms.of(family, self._n_codes)
        return self._terms[key]

    def __call__(self, coding: Coding, family: Family) -> TermSums:
        """Read all rows once, and return the sums from which the next surface is fitted.

        `coding` gives each row its coordinates on the surface fitted last. The functions of
        `family` are evaluated at these coordinates, and their products are summed. The result also
        has the mean squared distance of the rows from the surface fitted last.
        """
        return sum_over(self._rows, coding, self.terms(family))

    def next_coding(self, sums: TermSums, choice: Round, coding: Coding) -> Coding:
        """Fit the next surface to the sums; return the map of rows to their nearest points on it.

        Parameters
        ----------
        sums : TermSums
            The result of a pass with `coding` and the family of `choice`.
        choice : Round
            The family and the penalty of the next surface.
        coding : Coding
            The map of rows to coordinates with which the sums were computed.
        """
        terms = self.terms(choice.family)
        codes = TermMoments.of(sums.gram, sums.with_x, terms.variables)
        surface = refit(sums, terms, choice.alpha)
        if isinstance(choice.family, Fourier):  # the period is fixed, so codes are not scaled
            return Coding(coding.search, _angles(choice.family, terms, sums), surface)
        deviations = np.sqrt(np.maximum(np.diag(codes.covariance), 0.0))
        scale = np.where(deviations > 0, deviations, 1.0)
        return Coding(coding.search, codes.start(), surface, codes.mean, scale)


def _angles(family: Fourier, terms: Terms, sums: TermSums) -> Start:
    """Return a start that estimates cosines and sines linearly, and computes angles from them."""
    k = terms.n_variables
    both = chain(*([(j, (trig, family.frequency)) for j in range(k)] for trig in ("cos", "sin")))
    which = np.array([terms.index((factor,)) for factor in both])
    return AngleStart(TermMoments.of(sums.gram, sums.with_x, which).start(), family.frequency)


def fit_rounds(
    rows: Rows,
    n_codes: int,
    coding: Coding,
    rounds: Sequence[Round],
    report: RoundReport | None = None,
) -> Fit:
    """Refit the surface in rounds, and keep the rounds that lower the error.

    A round that raises the error is undone, and directly following rounds of equal family and
    penalty are skipped. A round with a larger penalty than the round before is always kept: it may
    raise the error of the fitted rows, but it is meant to lower the error of new rows.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    n_codes : int
        The number of codes, which are coordinates on the surface.
    coding : Coding
        Map of rows to coordinates before the first round.
    rounds : sequence of Round
        The rounds to make, at least one.
    report : callable, optional
        Called with every round and its error.
    """
    read = Pass(rows, n_codes)
    whole = float(np.trace(rows.covariance()))
    made: list[Round] = []
    errors: list[float] = []
    queue = list(rounds)
    sums = read(coding, queue[0].family)
    while queue:
        choice = queue.pop(0)
        following = queue[0].family if queue else LINEAR
        candidate = read.next_coding(sums, choice, coding)
        found = read(candidate, following)
        if not errors or found.error < errors[-1] or choice.alpha > made[-1].alpha:
            coding, sums = candidate, found
            made.append(choice)
            errors.append(found.error)
            if report is not None:
                report(choice, found.error / whole)
            continue
        while queue and queue[0] == choice:
            queue.pop(0)
        sums = read(coding, queue[0].family if queue else LINEAR)
    return Fit(_finish(coding, sums, read.terms(LINEAR)), tuple(made), np.array(errors))


def _finish(coding: Coding, sums: TermSums, terms: Terms) -> Manifold:
    """Return the manifold with the surface of `coding`; `sums` of linear `terms` orient codes."""
    assert coding.surface is not None
    z = TermMoments.of(sums.gram, sums.with_x, terms.variables)
    if coding.shift is not None and coding.scale is not None:
        scale = coding.scale[:, np.newaxis]
        z = TermMoments(
            coding.shift + coding.scale * z.mean, scale * z.covariance * scale.T, scale * z.with_x
        )
    return orient_codes(coding.surface, coding.start, coding.search, z)


def best_start(rows: Rows, n_codes: int, codings: Sequence[Coding], choice: Round) -> Coding:
    """Return the coding (map of rows to coordinates) with the smallest error after one round.

    Of codings with equal errors, the first is returned.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    n_codes : int
        The number of codes.
    codings : sequence of Coding
        The codings from which one is chosen.
    choice : Round
        The family and the penalty of the round.
    """
    if len(codings) == 1:
        return codings[0]
    read = Pass(rows, n_codes)
    errors = []
    for coding in codings:
        after = read.next_coding(read(coding, choice.family), choice, coding)
        errors.append(read(after, LINEAR).error)
    return codings[int(np.argmin(errors))]
