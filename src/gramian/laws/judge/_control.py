"""Control of candidate laws: a believed law holds in the rows, and shuffling a column breaks it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gramian._support.types import IntArray
from gramian.laws._law_tolerances import BREAKS, ERROR_FLOOR, EXACT_ERROR, MIN_EVIDENCE
from gramian.laws.forms import Law, Values

BREAKS_EXACTLY = 1e3
"""Shuffling any column must multiply the error of an exact law by more than this factor."""
BREAKS_PRINTED = 8.0
"""Shuffling any column must multiply the error of a law of printed digits by more than this."""
ROWWISE = 5.0
"""The row-wise error may be this many times the tolerance: rows with small terms count fully."""
SENSITIVE = 1e-3
"""Laws with a smaller result of `_sensitivity` are rejected: they may be squares of other laws."""
TERM_COST = 1.5
"""Description length of one term of a law, in units of log(n_rows)."""
LAST_DIGIT = 2.2
"""A printed number may miss a law by this many half units of its last digit.

The limit allows for a number that was rounded twice.
"""
FEW_ROWS = 40
"""In tables with fewer rows, no rows are held out: each row is predicted from all other rows."""
SPARE_ROWS = 4
"""A law is judged only if there are at least this many more rows than coefficients."""


@dataclass(frozen=True)
class Verdict:
    """A believed law, with its errors and evidence."""

    law: Law
    error: float
    """Root mean square of `Law.imbalance` (the relative error of a row) in the searched rows."""
    validation_error: float
    """Root mean square of `Law.imbalance` (the relative error of a row) in held-out rows."""
    overall: float
    """Root mean square of the sum of terms, divided by the root mean square of the largest term."""
    shuffled_error: float
    """Error after one column of the law is shuffled; the smallest over the columns."""
    evidence: float
    """Evidence in powers of ten: 6 means that chance explains the law once in a million."""
    rounding: float = 0.0
    """Relative error that printed digits can cause; 0 if printed digits were not considered."""

    def description_length(self, n_rows: int) -> float:
        """Return the description length of the law and of its errors in `n_rows` rows."""
        missed = n_rows * math.log(max(self.overall, ERROR_FLOOR))
        return missed + TERM_COST * math.log(n_rows) * len(self.law.monomials)


class Control:
    """Judge of candidate laws among numbers, by held-out rows and by rows with a shuffled column.

    Parameters
    ----------
    train : Values
        The rows in which laws were found and fitted.
    test : Values or None
        Held-out rows; None if the table has few rows.
    seed : int
        Seed of the random order in which columns are shuffled.
    """

    def __init__(self, train: Values, test: Values | None, seed: int) -> None:
        self.train = train
        self.test = test
        self._seen = train if test is None else test
        rng = np.random.default_rng(seed)
        self._shuffled = [
            (each, _without_fixed_points(rng, each.n_rows))
            for each in (test, train)
            if each is not None
        ]
        self._arrangements: dict[int, float] = {}

    def judge(self, law: Law, n_tried: float, tolerance: float) -> Verdict | None:
        """Return the verdict on a law; None if the law is not believed.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        tolerance : float
            The largest allowed relative error.
        """
        if len(law.monomials) < 2 or not self._testable(law):
            return None
        with np.errstate(all="ignore"):
            error, overall = law.error(self.train), self._overall(law)
            if not (overall <= tolerance and error <= ROWWISE * tolerance):
                return None
            if not _sensitivity(law, self._seen) > SENSITIVE:
                return None
            validation = _predicted(law, self.train) if self.test is None else law.error(self.test)
            if not validation <= ROWWISE * tolerance:
                return None
            # The error of an exact law is only float64 rounding: shuffling must increase it more.
            needed = BREAKS if max(error, validation) > EXACT_ERROR else BREAKS_EXACTLY
            return self._verdict(law, n_tried, error, validation, needed)

    def judge_printed(self, law: Law, n_tried: float, target: int | None) -> Verdict | None:
        """Return the verdict on a law if every row obeys it up to printed digits, else None.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        target : int or None
            Index of the column that was computed from the printed values of the other columns, and
            then rounded; None if all columns may have been rounded.
        """
        if not self._testable(law):
            return None
        with np.errstate(all="ignore"):
            rounding = max(printed_error(law, each, target) for each in (self.train, self._seen))
            if not rounding < np.inf or not _sensitivity(law, self._seen) > SENSITIVE:
                return None
            error, validation = law.error(self.train), law.error(self._seen)
            return self._verdict(law, n_tried, error, validation, BREAKS_PRINTED, rounding)

    def _testable(self, law: Law) -> bool:
        return len(law.columns) > 1 and self.train.n_rows >= len(law.monomials) + SPARE_ROWS

    def _overall(self, law: Law) -> float:
        return max(law.overall_error(self.train), law.overall_error(self._seen))

    def _verdict(
        self,
        law: Law,
        n_tried: float,
        error: float,
        validation: float,
        needed: float,
        rounding: float = 0.0,
    ) -> Verdict | None:
        """Return the verdict if shuffling breaks the law and the evidence is enough, else None.

        Shuffling any column must multiply the error by more than `needed`.
        """
        base = max(error, validation, rounding, ERROR_FLOOR)
        broken = min(self._broken(law, each) for each in law.columns)
        if not broken > needed * base:
            return None
        evidence = self._evidence(law, base, broken, n_tried)
        if evidence < MIN_EVIDENCE:
            return None
        return Verdict(law, error, validation, self._overall(law), broken, evidence, rounding)

    def _broken(self, law: Law, column: int) -> float:
        """Return the error of a law after a column is shuffled.

        Held-out rows are used if the column varies in them, else the rows of `train`.
        """
        for values, order in self._shuffled:
            x = values.x[:, column]
            if x.min() < x.max():
                return law.error(values.shuffled(column, order))
        return 0.0

    def _evidence(self, law: Law, base: float, broken: float, n_tried: float) -> float:
        n_free = self.train.n_rows - len(law.monomials)
        decades = n_free * math.log10(broken / base)
        # By chance, a law holds more often for a column with few distinct values: the evidence is
        # at most the number of different orders of the values, in powers of ten.
        decades = min(decades, *(self._arrangements_of(each) for each in law.columns))
        return decades - math.log10(max(n_tried, 1.0))

    def _arrangements_of(self, column: int) -> float:
        """Return the number of different orders of a column's values, in powers of ten.

        The result is infinite if all values are different.
        """
        if column not in self._arrangements:
            seen = [each.x[:, column] for each in (self.train, self.test) if each is not None]
            _, counts = np.unique(np.concatenate(seen), return_counts=True)
            ways = math.lgamma(counts.sum() + 1) - sum(math.lgamma(n + 1) for n in counts)
            distinct = len(counts) == counts.sum()
            self._arrangements[column] = math.inf if distinct else ways / math.log(10)
        return self._arrangements[column]


def printed_error(law: Law, values: Values, target: int | None) -> float:
    """Return the relative error of a law that the rounding of printed digits can cause.

    The result is infinite if a row misses the law by more than rounding can explain.

    Parameters
    ----------
    law : Law
        The law whose errors are compared with rounding errors.
    values : Values
        The rows in which the law is tested.
    target : int or None
        Index of the rounded column; None if all columns may be rounded except columns of whole
        numbers, which are counts.
    """
    terms, traits = law.terms(values), values.traits
    missed = np.abs(terms.sum(axis=1))
    largest = np.abs(terms).max(axis=1)
    rounded = [i for i in law.columns if not traits[i].whole] if target is None else [target]
    width = EXACT_ERROR * largest
    logs = {i for each in law.monomials for (i, atom), _ in each if atom == "log"}
    # Sums of several logarithms are often computed from logarithms that were already rounded.
    last_digit = LAST_DIGIT + max(len(logs) - 1, 0)
    for i in law.columns:
        x, precision = values.x[:, i], traits[i].precision
        if i in rounded:
            left = last_digit * precision.half_unit(x)
        elif precision.relative:
            # Other columns may have been computed before this column became single precision.
            left = precision.relative * np.abs(x)
        else:
            continue
        width = width + np.abs(law.slope(values, i)) * left / values.scale[i]
    if not (missed <= width).all():
        return np.inf
    there = largest > 0
    return float(np.sqrt(np.mean((width[there] / largest[there]) ** 2)))


def refit_law(law: Law, values: Values) -> Law:
    """Fit the coefficients of a law by least squares, and return the new law.

    The first coefficient does not change. The weight of a row is about the inverse of its largest
    term. If the fit fails, the law is returned unchanged.
    """
    terms = law.terms(values)
    largest = np.abs(terms).max(axis=1)
    weights = 1 / (largest + 0.1 * np.median(largest))
    weighted = terms * weights[:, np.newaxis]
    if not np.isfinite(weighted).all():  # in most rows, all terms are zero
        return law
    factors = np.linalg.lstsq(weighted[:, 1:], -weighted[:, 0], rcond=None)[0]
    if not np.isfinite(factors).all() or not factors.all():
        return law
    return replace(law, coefficients=law.coefficients * np.append(1.0, factors))


def _sensitivity(law: Law, values: Values) -> float:
    """Return the root mean square of the largest derivative of a law, as a share of its terms.

    The result is 0 for the square of another law, whose derivatives are zero where the law holds.
    """
    largest = np.abs(law.terms(values)).max(axis=1)
    changes = np.abs(law.gradient(values)).max(axis=1)
    return float(np.sqrt(np.mean(changes**2) / np.mean(largest**2)))


def _predicted(law: Law, values: Values) -> float:
    """Return the leave-one-out error: each row tests the law that is fitted to all other rows."""
    rows = np.arange(values.n_rows)
    errors = [
        refit_law(law, values.take(np.flatnonzero(rows != i))).imbalance(values.take(rows == i))
        for i in rows
    ]
    return float(np.sqrt(np.mean(np.square(errors))))


def _without_fixed_points(rng: np.random.Generator, n: int) -> IntArray:
    """Return a random permutation of 0, …, n − 1 that moves every number."""
    order: IntArray = rng.permutation(n)
    shifted = np.empty(n, dtype=np.intp)
    shifted[order] = np.roll(order, 1)
    return shifted
