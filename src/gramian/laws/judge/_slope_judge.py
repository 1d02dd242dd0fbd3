"""Judge of slopes: decides whether slopes for each level are accepted, and simplifies them.

A level is a distinct value of a category; each level has its own linear formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln

from gramian._support.types import Array, IntArray
from gramian.core.rows import neighbours_resemble
from gramian.laws._law_tolerances import BREAKS, MIN_EVIDENCE, REFUTED, STANDARD_ERRORS
from gramian.laws.judge._level_evidence import MIN_REPEATED
from gramian.laws.judge._level_regression import ByLevel, known_levels, rms

KNOWN_ROWS = 0.9
"""Slopes are accepted only if at least this share of rows is in levels with fitted coefficients."""
ROWS_PER_COEFFICIENT = 10
"""Slopes that are not exact need this many rows for each coefficient, on average."""
HELD_OUT_EVERY = 3
"""One row out of this many is held out at random, to validate slopes."""
INVERTED_ERROR = 1e-6
"""A law can be solved for a number if the error is at most this share of its largest value."""
MOST_DIFFERENCES = 2
"""Steps, and changes of steps, tell a law from series that grow together."""
TINY = 1e-300
"""Lower limit of sums of squares, so that they can be divided by and have a logarithm."""


NO_TERM = 1e-11
"""A term is zero if it is at most this share of the largest value of y."""
FEW_DIGITS = range(1, 6)
"""Numbers of digits that are tried for all coefficients at once."""
LOST_ROWS = 1e-3
"""Share of the rows that shorter coefficients may no longer give to the last digit."""


@dataclass(frozen=True)
class JudgedSlopes:
    """Accepted coefficients of each level (distinct value of a category), with their errors."""

    coefficients: Array
    """Coefficients of the numbers and the constant, one row for each level; NaN if not fitted."""
    exact: bool
    """True if no residual is larger than rounding errors can be."""
    validation_error: float
    """Relative error in held-out rows of the slopes that are fitted to the other rows."""
    shuffled_error: float
    """Relative error after one column is shuffled; the smallest over the columns."""
    evidence: float
    """Evidence in powers of ten: 6 means that chance explains the fit once in a million."""
    invertible: tuple[int, ...]
    """Positions of the numbers that the law can be solved for."""


@dataclass(frozen=True)
class _Fit:
    """A least-squares fit in which each level (distinct value of a category) has coefficients.

    Some coefficients may be common to all levels.
    """

    varying: tuple[int, ...]
    """Columns of `ByLevel.design` that have one coefficient for each level."""
    common: tuple[int, ...]
    """Columns of `ByLevel.design` that have one coefficient for all levels."""
    coefficients: Array
    residual: Array
    """The residual of each row."""

    @property
    def squares(self) -> float:
        """The sum of squared residuals."""
        return float((self.residual**2).sum())


class SlopeJudge:
    """Judge of a law that computes a column y from numbers x, with coefficients for each level.

    Parameters
    ----------
    rows : ByLevel
        The data of the regression, without missing values.
    tolerance : float
        The largest root mean square residual, as a share of the standard deviation of y within
        levels; 0 for exact laws only.
    """

    def __init__(self, rows: ByLevel, tolerance: float) -> None:
        self._rows = rows
        self._tolerance = tolerance

    def verdict(self, n_tried: float) -> JudgedSlopes | None:
        """Fit coefficients, and return them with their errors if they are accepted, else None.

        Parameters
        ----------
        n_tried : float
            Number of candidates that were tried to find the slopes; it reduces the evidence.
        """
        rows = self._rows
        n_columns = rows.x.shape[1] + 1
        found = rows.fit(range(n_columns))
        known = known_levels(found)[rows.codes]
        if known.sum() < max(KNOWN_ROWS * len(known), MIN_REPEATED):
            return None
        self._rows = rows = rows.taken(np.flatnonzero(known))
        fit = self._fit(tuple(range(n_columns)), ())
        exact = self._is_exact(fit)
        if not exact and not rms(fit.residual) <= self._tolerated:
            return None
        fit = self._simpler(fit, exact)
        few = len(rows.y) < ROWS_PER_COEFFICIENT * self._n_coefficients(fit)
        if not exact and few:
            return None
        # A year, rounded to a whole number, is no result of a series that grows with the years.
        if not self._is_nothing(fit.residual) and not self._explains_steps(fit):
            return None
        evidence = self._evidence(fit, n_tried)
        if evidence < MIN_EVIDENCE:
            return None
        validation = self._validation(fit, exact)
        if validation is None:
            return None
        coefficients = self._short(fit) if exact else fit.coefficients
        shuffled = self._shuffled(coefficients)
        if shuffled <= BREAKS * max(rows.error(coefficients), validation):
            return None
        kept = np.where(known_levels(found)[:, np.newaxis], coefficients, np.nan)
        invertible = self._invertible(coefficients) if exact else ()
        return JudgedSlopes(kept, exact, validation, shuffled, evidence, invertible)

    def _fit(self, varying: tuple[int, ...], common: tuple[int, ...]) -> _Fit:
        coefficients = self._rows.fit(varying, common)
        return _Fit(varying, common, coefficients, self._rows.missed(coefficients))

    def _explains_steps(self, fit: _Fit) -> bool:
        """Return False if slopes only say that columns of a time series grow together.

        If there is a law, it also explains why changes of y from row to row of a level differ.
        """
        codes = self._rows.codes
        order = np.argsort(codes, kind="stable")
        codes, y, left = codes[order], self._rows.around_means()[order], fit.residual[order]
        if not neighbours_resemble(y):
            return True
        # Steps of growth resemble their neighbours, too: then changes of the steps are compared.
        for _ in range(MOST_DIFFERENCES):
            same = np.diff(codes) == 0
            y, left, codes = np.diff(y)[same], np.diff(left)[same], codes[1:][same]
            if len(y) < MIN_REPEATED or not float(np.std(y)) > BREAKS * float(np.std(left)):
                return False
            if not neighbours_resemble(y):
                break
        return True

    def _is_nothing(self, residual: Array) -> bool:
        """Return True if residuals are rounding errors of float64."""
        return bool(np.abs(residual).max() <= NO_TERM * np.abs(self._rows.y).max())

    def _is_exact(self, fit: _Fit) -> bool:
        return bool((np.abs(fit.residual) <= self._rows.bound(fit.coefficients)).all())

    @property
    def _tolerated(self) -> float:
        """Largest root mean square residual that a law may have if it is not exact."""
        return self._tolerance * rms(self._rows.around_means())

    def _simpler(self, fit: _Fit, exact: bool) -> _Fit:
        """Return a simpler fit, if the rows allow one, else the same fit.

        A simpler fit has the constant zero, or one coefficient for all levels instead of one for
        each level. `exact` is True if the fit has no errors beyond rounding.
        """
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
        """Return the description length of the residuals and coefficients of a fit.

        Of several fits, the fit with the smallest description length is preferred.
        """
        n = len(fit.residual)
        return n * math.log(max(fit.squares, TINY)) + self._n_coefficients(fit) * math.log(n)

    def _n_coefficients(self, fit: _Fit) -> int:
        return len(fit.varying) * len(np.unique(self._rows.codes)) + len(fit.common)

    def _evidence(self, fit: _Fit, n_tried: float) -> float:
        """Return the evidence for a fit in powers of ten: 6 means one in a million by chance.

        The fit is compared with two simpler fits: a mean for each level, and one plane for all
        levels. For normal noise, the ratio of the sums of squared residuals has a beta
        distribution. `n_tried` is the number of candidates that were tried to find the slopes; it
        reduces the evidence.
        """
        rows = self._rows
        free = rows.free(fit.coefficients, len(fit.varying))
        n_free = int(free.sum()) - len(fit.common)
        if n_free < MIN_REPEATED or (free > 0).sum() < 2:
            return 0.0
        # Residuals below the rounding errors of the numbers are no evidence.
        least = float((rows.bound(fit.coefficients) ** 2).sum()) / 3
        left = max(fit.squares, least)
        a, b = n_free / 2, max(self._n_coefficients(fit), 2) / 2
        found = math.inf
        for base in (rows.around_means(), rows.around_plane()):
            share = left / max(float((base**2).sum()), TINY)
            if share >= 1:
                return 0.0
            log_chance = a * math.log(share) - math.log(a) - float(betaln(a, b))
            found = min(found, -log_chance / math.log(10))
        return found - math.log10(max(n_tried, 1.0))

    def _validation(self, fit: _Fit, exact: bool) -> float | None:
        """Fit all rows but the held-out rows, and return the relative error in held-out rows.

        Return None if the error is so large that the held-out rows refute the law, or if no
        held-out row is in a level with fitted coefficients. `exact` is True if only rounding errors
        are allowed.
        """
        rows = self._rows
        out, others = self._divided()
        held = rows.taken(out)
        coefficients = rows.taken(others).fit(fit.varying, fit.common)
        known = np.flatnonzero(known_levels(coefficients)[held.codes])
        if not len(known):
            return None
        held = held.taken(known)
        allowed = rms(held.bound(coefficients)) if exact else self._tolerated
        refuted = rms(held.missed(coefficients)) > REFUTED * allowed
        return None if refuted else held.error(coefficients)

    def _divided(self) -> tuple[IntArray, IntArray]:
        """Return the indices of the held-out rows, and of the others; groups are not divided."""
        rng, groups = np.random.default_rng(0), self._rows.groups
        if groups is None:
            order = rng.permutation(len(self._rows.y))
            return order[::HELD_OUT_EVERY], np.delete(order, np.s_[::HELD_OUT_EVERY])
        held = np.isin(groups, rng.permutation(np.unique(groups))[::HELD_OUT_EVERY])
        return np.flatnonzero(held), np.flatnonzero(~held)

    def _short(self, fit: _Fit) -> Array:
        """Return the coefficients of a fit, rounded to as few digits as the rows allow."""
        rows, found = self._rows, fit.coefficients.copy()
        sizes = np.abs(rows.design).max(axis=0)
        found[np.abs(found) * sizes <= NO_TERM * np.abs(rows.y).max()] = 0.0
        least = rows.share_given(found) - LOST_ROWS
        columns = [*fit.varying, *fit.common]
        for k, members in enumerate(rows.members):
            if not len(members):
                continue
            own = rows.taken(members)
            missed = rms(own.missed(found)) + 1e-13 * float(own.largest(found).max())
            design = own.design[:, columns]
            scale = np.abs(design).max(axis=0)
            scale = np.where(scale > 0, scale, 1.0)
            inverse = np.linalg.pinv(design / scale)
            errors = STANDARD_ERRORS * missed * np.linalg.norm(inverse, axis=1) / scale
            allowed, before = own.bound(found), found[k].copy()
            found[k, columns] = [
                _shortest(value, error)
                for value, error in zip(before[columns].tolist(), errors.tolist(), strict=True)
            ]
            if not (np.abs(own.missed(found)) <= allowed).all():
                found[k] = before
        shorter = (_to_digits(found, digits) for digits in FEW_DIGITS)
        return next((each for each in shorter if rows.share_given(each) >= least), found)

    def _shuffled(self, coefficients: Array) -> float:
        """Return the relative error after shuffling the category or one number; the smallest."""
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
        """Return the positions of the numbers for which the law can be solved in each level.

        A level is a distinct value of the category.
        """
        rows = self._rows
        missed = np.abs(rows.missed(coefficients))
        found = []
        for j in range(rows.x.shape[1]):
            slopes = np.abs(coefficients[rows.codes, j])
            most = INVERTED_ERROR * float(np.abs(rows.x[:, j]).max())
            if (slopes > 0).all() and (missed <= most * slopes).all():
                found.append(j)
        return tuple(found)


def _to_digits(values: Array, digits: int) -> Array:
    """Return numbers rounded to some significant digits."""
    return np.array([[float(f"{each:.{digits}g}") for each in row] for row in values])


def _shortest(value: float, error: float) -> float:
    """Return the number with the fewest digits that differs from `value` by at most `error`."""
    if abs(value) <= error:
        return 0.0
    for digits in range(1, 16):
        short = float(f"{value:.{digits}g}")
        if abs(short - value) <= error:
            return short
    return value
