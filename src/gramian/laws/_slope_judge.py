"""What makes slopes of levels believed, and as simple as the rows allow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln

from gramian._support.types import Array
from gramian.laws._by_level import ByLevel, known_levels, rms
from gramian.lookups._evidence import DECADES, MIN_REPEATED

KNOWN = 0.9
"""At least this share of the rows is in levels whose rows determine their coefficients."""
REFUTED = 3.0
"""Held-out rows refute a law if they miss it by this many times what is allowed."""
HELD_OUT = 3
"""Each third row is held out."""
SURE = 3.0
"""A short number is accepted within this many standard errors."""
SOLVED = 1e-6
"""A number follows from the column if it is missed by no more than this share of the largest."""


@dataclass(frozen=True)
class Judged:
    """Coefficients of levels that are believed, and why."""

    coefficients: Array
    exact: bool
    validation_error: float
    shuffled_error: float
    evidence: float
    invertible: tuple[int, ...]
    """Which of the numbers follow from the column."""


@dataclass(frozen=True)
class _Fit:
    """Coefficients that depend on the level, and some that do not."""

    varying: tuple[int, ...]
    common: tuple[int, ...]
    coefficients: Array
    residual: Array
    """The residual of the rows whose coefficients are known."""

    @property
    def squares(self) -> float:
        return float((self.residual**2).sum())


class Judge:
    """Judges whether a column has slopes for each level.

    Parameters
    ----------
    rows : ByLevel
        Rows in which nothing is missing.
    tolerance : float
        The largest error, as a share of the column's deviation within levels; 0: exact laws only.
    """

    def __init__(self, rows: ByLevel, tolerance: float) -> None:
        self._rows = rows
        self._tolerance = tolerance

    def verdict(self, n_tried: float) -> Judged | None:
        """Return the law if it is believed.

        Parameters
        ----------
        n_tried : float
            Among how many candidates it was found.
        """
        rows = self._rows
        n_columns = rows.x.shape[1] + 1
        found = rows.fit(range(n_columns))
        known = known_levels(found)[rows.codes]
        if known.sum() < max(KNOWN * len(known), MIN_REPEATED):
            return None
        self._rows = rows = rows.taken(np.flatnonzero(known))
        fit = self._fit(tuple(range(n_columns)), ())
        exact = self._is_exact(fit)
        if not exact and not rms(fit.residual) <= self._tolerated:
            return None
        fit = self._simpler(fit, exact)
        evidence = self._evidence(fit, n_tried)
        if evidence < DECADES:
            return None
        validation = self._validation(fit, exact)
        if validation is None:
            return None
        coefficients = self._short(fit) if exact else fit.coefficients
        shuffled = self._shuffled(coefficients)
        if shuffled <= REFUTED * max(rows.error(coefficients), validation):
            return None
        kept = np.where(known_levels(found)[:, np.newaxis], coefficients, np.nan)
        invertible = self._invertible(coefficients) if exact else ()
        return Judged(kept, exact, validation, shuffled, evidence, invertible)

    def _fit(self, varying: tuple[int, ...], common: tuple[int, ...]) -> _Fit:
        coefficients = self._rows.fit(varying, common)
        return _Fit(varying, common, coefficients, self._rows.missed(coefficients))

    def _is_exact(self, fit: _Fit) -> bool:
        return bool((np.abs(fit.residual) <= self._rows.bound(fit.coefficients)).all())

    @property
    def _tolerated(self) -> float:
        """How much a law may leave of the column, if it is not exact."""
        return self._tolerance * rms(self._rows.around_means())

    def _simpler(self, fit: _Fit, exact: bool) -> _Fit:
        """Let coefficients be the same in all levels, or nothing, where the rows allow it."""
        constant = self._rows.x.shape[1]
        for j in (constant, *range(constant)):
            varying = tuple(i for i in fit.varying if i != j)
            if not varying:
                break
            choices = [self._fit(varying, fit.common)] if j == constant else []
            choices.append(self._fit(varying, (*fit.common, j)))
            for choice in choices:
                if self._is_exact(choice) if exact else self._cost(choice) < self._cost(fit):
                    fit = choice
                    break
        return fit

    def _cost(self, fit: _Fit) -> float:
        """Return how long it takes to describe what is left, and the coefficients."""
        n = len(fit.residual)
        return n * math.log(max(fit.squares, 1e-300)) + self._n_coefficients(fit) * math.log(n)

    def _n_coefficients(self, fit: _Fit) -> int:
        return len(fit.varying) * len(np.unique(self._rows.codes)) + len(fit.common)

    def _evidence(self, fit: _Fit, n_tried: float) -> float:
        """Return how improbable so good a fit is by chance, in powers of ten.

        Against a mean for each level, and against coefficients that all levels share: of normal
        noise, that more coefficients leave so small a share has a beta distribution.
        """
        rows = self._rows
        free = rows.free(fit.coefficients, len(fit.varying))
        n_free = int(free.sum()) - len(fit.common)
        if n_free < MIN_REPEATED or (free > 0).sum() < 2:
            return 0.0
        # What the digits of numbers leave open is no evidence.
        least = float((rows.bound(fit.coefficients) ** 2).sum()) / 3
        left = max(fit.squares, least)
        a, b = n_free / 2, max(self._n_coefficients(fit), 2) / 2
        found = math.inf
        for base in (rows.around_means(), rows.around_plane()):
            share = left / max(float((base**2).sum()), 1e-300)
            if share >= 1:
                return 0.0
            log_chance = a * math.log(share) - math.log(a) - float(betaln(a, b))
            found = min(found, -log_chance / math.log(10))
        return found - math.log10(max(n_tried, 1.0))

    def _validation(self, fit: _Fit, exact: bool) -> float | None:
        """Return by how much rows held out miss the law of the others; None if they refute it."""
        rows = self._rows
        order = np.random.default_rng(0).permutation(len(rows.y))
        held, others = rows.taken(order[::HELD_OUT]), np.delete(order, np.s_[::HELD_OUT])
        coefficients = rows.taken(others).fit(fit.varying, fit.common)
        known = np.flatnonzero(known_levels(coefficients)[held.codes])
        if not len(known):
            return None
        held = held.taken(known)
        allowed = rms(held.bound(coefficients)) if exact else self._tolerated
        refuted = rms(held.missed(coefficients)) > REFUTED * allowed
        return None if refuted else held.error(coefficients)

    def _short(self, fit: _Fit) -> Array:
        """Return coefficients with as few digits as their rows allow, level by level."""
        rows, found = self._rows, fit.coefficients.copy()
        columns = [*fit.varying, *fit.common]
        for k, members in enumerate(rows.groups):
            if not len(members):
                continue
            own = rows.taken(members)
            missed = rms(own.missed(found)) + 1e-13 * float(own.largest(found).max())
            design = own.design[:, columns]
            scale = np.abs(design).max(axis=0)
            scale = np.where(scale > 0, scale, 1.0)
            inverse = np.linalg.pinv(design / scale)
            errors = SURE * missed * np.linalg.norm(inverse, axis=1) / scale
            allowed, before = own.bound(found), found[k].copy()
            found[k, columns] = [
                _shortest(value, error)
                for value, error in zip(before[columns].tolist(), errors.tolist(), strict=True)
            ]
            if not (np.abs(own.missed(found)) <= allowed).all():
                found[k] = before
        return found

    def _shuffled(self, coefficients: Array) -> float:
        """Return the error if one column is shuffled, for the column where it is smallest."""
        rows, rng = self._rows, np.random.default_rng(0)
        errors = []
        for j in range(rows.x.shape[1] + 1):
            order = rng.permutation(len(rows.y))
            if j == 0:
                other = replace(rows, codes=rows.codes[order])
            else:
                x = rows.x.copy()
                x[:, j - 1] = x[order, j - 1]
                other = replace(rows, x=x)
            errors.append(other.error(coefficients))
        return min(errors)

    def _invertible(self, coefficients: Array) -> tuple[int, ...]:
        rows = self._rows
        missed = np.abs(rows.missed(coefficients))
        found = []
        for j in range(rows.x.shape[1]):
            slopes = np.abs(coefficients[rows.codes, j])
            most = SOLVED * float(np.abs(rows.x[:, j]).max())
            if (slopes > 0).all() and (missed <= most * slopes).all():
                found.append(j)
        return tuple(found)


def _shortest(value: float, error: float) -> float:
    """Return the number of fewest digits that is near enough to a value."""
    if abs(value) <= error:
        return 0.0
    for digits in range(1, 16):
        short = float(f"{value:.{digits}g}")
        if abs(short - value) <= error:
            return short
    return value
