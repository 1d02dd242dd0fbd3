"""Judge of laws with noise: a law must give one of its columns, in the spread of that column.

Errors relative to the largest term of a law would say little: an offset makes them small, and rows
with small values make them large. A law with noise is therefore fitted to, and judged by, the
column that it gives best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import BREAKS, ERROR_FLOOR, MIN_EVIDENCE
from gramian.laws.forms import Law, Values
from gramian.laws.judge._control import SENSITIVE, Control, Verdict, sensitivity
from gramian.laws.judge._divided_rows import left_out_errors, refit_law
from gramian.laws.judge._level_regression import rms
from gramian.laws.judge._noise import Noise

MANY_ROWS = 10
"""In fewer rows, columns that go together look like a law with noise."""
EVIDENCE_OF_FEW_ROWS = 15.0
"""Least evidence of a law with noise in fewer than `MANY_ROWS` rows: the law is nearly exact."""
LARGEST_POWER = 6.0
"""Largest exponent in a law with noise: noisy rows do not determine larger ones."""
SHORT_LAW = 4
"""Number of terms above which exponents must not exceed `LARGEST_POWER_OF_SUMS`."""
LARGEST_POWER_OF_SUMS = 3.0
"""Largest exponent in a long sum: ratios of polynomials of high degree fit any smooth curve."""
ABOUT = 1.05
"""Columns whose errors, as shares of their deviations, differ by this factor are given as well."""
TERM_COST = 1.5
"""Description length of one term of a law, in units of log(n_rows)."""


def judge_noisy(control: Control, law: Law, n_tried: float, tolerance: float) -> Verdict | None:
    """Return the verdict on a law if it gives one of its columns up to noise, else None.

    Parameters
    ----------
    control : Control
        The judge of exact laws, which has the rows. A law that is exact needs no column.
    law : Law
        The candidate.
    n_tried : float
        Number of candidates that were tried to find the law; it reduces the evidence.
    tolerance : float
        The largest error of the column, as a share of its standard deviation.
    """
    exact = control.judge(refit_law(law, control.train), n_tried)
    if exact is not None:
        return exact
    if any(control.train.traits[i].row_number for i in law.columns):
        return None  # a trend in the order of the rows
    control = control.without_copies(law.columns)
    most = LARGEST_POWER if len(law.monomials) <= SHORT_LAW else LARGEST_POWER_OF_SUMS
    if len(law.monomials) < 2 or not control.testable(law) or _largest_power(law) > most:
        return None
    with np.errstate(all="ignore"):
        share, law, noise = _best_given(
            [_fitted_for(i, law, control) for i in law.columns], control
        )
        if not share <= tolerance or not sensitivity(law, control.seen) > SENSITIVE:
            return None
        if not control.is_plausible(law, share):
            return None
        slope = law.slope(control.train, noise.column)
        if slope.min() < 0 < slope.max():
            return None  # the law has a pole among the rows
        # A law that says nothing about a column misses it by its deviation, or by more.
        target = noise.column
        broken = min(_shuffled(law, each, target, control) for each in law.columns)
        if not broken > BREAKS * share:
            return None
        evidence = control.evidence(law, max(share, ERROR_FLOOR), min(broken, 1.0), n_tried)
        few = control.seen.n_rows < MANY_ROWS
        if evidence < (EVIDENCE_OF_FEW_ROWS if few else MIN_EVIDENCE):
            return None
        return Verdict(
            law,
            law.error(control.train),
            law.error(control.seen),
            control.broken(law),
            evidence,
            target=target,
            noise=noise,
            length=_description_length(law, noise, control.train),
        )


def _description_length(law: Law, noise: Noise, values: Values) -> float:
    """Return the description length of a law and of the errors of its column, in nats."""
    return TERM_COST * math.log(values.n_rows) * len(law.monomials) + values.n_rows * _log_error(
        law, noise, values
    )


def _log_error(law: Law, noise: Noise, values: Values) -> float:
    """Return the mean logarithm of the width of the errors, as a share of the deviation.

    Errors are normally distributed, with a width that is constant or grows with the values of the
    column.
    """
    y = np.abs(values.of((noise.column, "x")))
    width = math.log(max(rms(noise.errors(law, values)), ERROR_FLOOR))
    grown = float(np.mean(np.log(y))) if noise.relative else 0.0
    return width + grown - math.log(max(float(np.std(y)), ERROR_FLOOR))


def share_of_deviation(missed: Array, values: Values, column: int) -> float:
    """Return the root mean square of errors of a column, as a share of its standard deviation."""
    deviation = float(np.std(values.of((column, "x"))))
    share = rms(missed) / deviation if deviation > 0 else math.inf
    return math.inf if math.isnan(share) else share


def _fitted_for(column: int, law: Law, control: Control) -> tuple[float, Law, Noise]:
    """Return (error, law, noise) for the law that is fitted to give a column.

    The error is the larger one of fitted and held-out rows, as a share of the deviation. The noise
    is relative if that describes the errors better.
    """
    train, test = control.train, control.test
    kinds = [Noise(column)]
    if train.traits[column].never_zero:
        kinds.append(Noise(column, relative=True))
    fits = [(refit_law(law, train, each), each) for each in kinds]
    fitted, noise = min(fits, key=lambda fit: _log_error(fit[0], fit[1], train))
    left_out = left_out_errors(law, train, noise) if test is None else fitted.missed(test, column)
    shares = (
        share_of_deviation(fitted.missed(train, column), train, column),
        share_of_deviation(left_out, train if test is None else test, column),
    )
    return max(shares), fitted, noise


def _best_given(
    fits: Sequence[tuple[float, Law, Noise]], control: Control
) -> tuple[float, Law, Noise]:
    """Return the fit to the column that a law gives best.

    Of columns that are given about as well, as the two of a line, the one with more digits was
    computed.
    """
    least = min(share for share, _, _ in fits)
    good = [fit for fit in fits if fit[0] <= ABOUT * least]

    def rank(fit: tuple[float, Law, Noise]) -> tuple[float, float]:
        share, _, noise = fit
        decimals = control.train.traits[noise.column].precision.decimals
        return math.inf if decimals is None else decimals, -share

    return max(good, key=rank) if good else min(fits, key=lambda fit: fit[0])


def _shuffled(law: Law, column: int, target: int, control: Control) -> float:
    """Return the error of the column `target` after another column, or it, is shuffled."""
    values = control.shuffled(column)
    if values is None:
        return 0.0
    return share_of_deviation(law.missed(values, target), values, target)


def _largest_power(law: Law) -> float:
    """Return the largest absolute exponent in a law."""
    return max(abs(float(power)) for each in law.monomials for _, power in each)
