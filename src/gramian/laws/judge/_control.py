"""Control of candidate laws: a law is believed if it holds, and shuffling a column destroys it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gramian._support.types import IntArray
from gramian.laws._law_tolerances import BREAKS, ERROR_FLOOR, EXACT_ERROR, MIN_EVIDENCE
from gramian.laws.forms import Law, Values

BREAKS_EXACTLY = 1e3
"""Least factor by which shuffling must multiply the error of an exact law."""
BREAKS_PRINTED = 8.0
"""Least factor for laws that hold up to printed digits, whose rounding is the larger error."""
ROWWISE = 5.0
"""Factor by which the row-wise error may exceed the tolerance: rows with small terms count more."""
SENSITIVE = 1e-3
"""Least change of a law, as a share of its terms, if a column changes by its size."""
TERM_COST = 1.5
"""Description length of a term, in units of the logarithm of the number of rows."""
LAST_DIGIT = 2.2
"""Half units of the last digit by which a printed number may miss a law, if rounded twice."""
FEW_ROWS = 40
"""With fewer rows no rows are held out: each row is predicted from the other rows."""
SPARE_ROWS = 4
"""Number of rows that a law needs beyond its number of coefficients."""


@dataclass(frozen=True)
class Verdict:
    """A believed law, with its errors and evidence."""

    law: Law
    error: float
    """Root mean square of the imbalance, in the rows of the search."""
    validation_error: float
    """Root mean square of the imbalance, in held-out rows."""
    overall: float
    """Root mean square of the sum of the terms, as a share of the size of the terms."""
    shuffled_error: float
    """Error if one column of the law is shuffled; the smallest over columns."""
    evidence: float
    """How improbable the law is by chance, in powers of ten."""
    rounding: float = 0.0
    """Error that printed digits can cause, as a share of the terms; 0 if the law is exact."""

    def description_length(self, n_rows: int) -> float:
        """Return the length of a description of the law and of its errors in so many rows."""
        missed = n_rows * math.log(max(self.overall, ERROR_FLOOR))
        return missed + TERM_COST * math.log(n_rows) * len(self.law.monomials)


class Control:
    """Judge of candidate laws, by rows that took no part in finding them."""

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
            The number of candidates among which the law was found.
        tolerance : float
            The largest allowed error.
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
            # The error of an exact law is rounding, no noise: shuffling must break it by far more.
            needed = BREAKS if max(error, validation) > EXACT_ERROR else BREAKS_EXACTLY
            return self._verdict(law, n_tried, error, validation, needed)

    def judge_printed(self, law: Law, n_tried: float, target: int | None) -> Verdict | None:
        """Return the verdict on a law that holds in every row up to printed digits, or None.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            The number of candidates among which the law was found.
        target : int or None
            The column that was computed from the printed values of the others, and then rounded;
            None if all columns may have been rounded.
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
        """Return the verdict if shuffling any column multiplies the error by more than `needed`."""
        base = max(error, validation, rounding, ERROR_FLOOR)
        broken = min(self._broken(law, each) for each in law.columns)
        if not broken > needed * base:
            return None
        evidence = self._evidence(law, base, broken, n_tried)
        if evidence < MIN_EVIDENCE:
            return None
        return Verdict(law, error, validation, self._overall(law), broken, evidence, rounding)

    def _broken(self, law: Law, column: int) -> float:
        """Return the error of a law if a column is shuffled, in rows where the column varies."""
        for values, order in self._shuffled:
            x = values.x[:, column]
            if x.min() < x.max():
                return law.error(values.shuffled(column, order))
        return 0.0

    def _evidence(self, law: Law, base: float, broken: float, n_tried: float) -> float:
        n_free = self.train.n_rows - len(law.monomials)
        decades = n_free * math.log10(broken / base)
        # A column of few values meets a law by chance more often: the number of orders of its
        # values bounds the evidence.
        decades = min(decades, *(self._arrangements_of(each) for each in law.columns))
        return decades - math.log10(max(n_tried, 1.0))

    def _arrangements_of(self, column: int) -> float:
        """Return the number of orders of the values of a column, in powers of ten."""
        if column not in self._arrangements:
            seen = [each.x[:, column] for each in (self.train, self.test) if each is not None]
            _, counts = np.unique(np.concatenate(seen), return_counts=True)
            ways = math.lgamma(counts.sum() + 1) - sum(math.lgamma(n + 1) for n in counts)
            distinct = len(counts) == counts.sum()
            self._arrangements[column] = math.inf if distinct else ways / math.log(10)
        return self._arrangements[column]


def printed_error(law: Law, values: Values, target: int | None) -> float:
    """Return the error of a law that printed digits can cause, as a share of its terms.

    The error is infinite if a row misses the law by more than printed digits explain.

    Parameters
    ----------
    law : Law
        The law.
    values : Values
        Rows.
    target : int or None
        The rounded column; None for all columns but whole numbers, which are counts.
    """
    terms, traits = law.terms(values), values.traits
    missed = np.abs(terms.sum(axis=1))
    largest = np.abs(terms).max(axis=1)
    rounded = [i for i in law.columns if not traits[i].whole] if target is None else [target]
    width = EXACT_ERROR * largest
    logs = {i for each in law.monomials for (i, atom), _ in each if atom == "log"}
    # A difference of logarithms is often that of printed ones.
    last_digit = LAST_DIGIT + max(len(logs) - 1, 0)
    for i in law.columns:
        x, precision = values.x[:, i], traits[i].precision
        if i in rounded:
            left = last_digit * precision.half_unit(x)
        elif precision.relative:
            # Single precision may have come after other columns were computed.
            left = precision.relative * np.abs(x)
        else:
            continue
        width = width + np.abs(law.slope(values, i)) * left / values.scale[i]
    if not (missed <= width).all():
        return np.inf
    there = largest > 0
    return float(np.sqrt(np.mean((width[there] / largest[there]) ** 2)))


def refit_law(law: Law, values: Values) -> Law:
    """Return a law with coefficients fitted by least squares; the first coefficient is fixed.

    The weight of a row is about the inverse size of its largest term.
    """
    terms = law.terms(values)
    largest = np.abs(terms).max(axis=1)
    weights = 1 / (largest + 0.1 * np.median(largest))
    weighted = terms * weights[:, np.newaxis]
    if not np.isfinite(weighted).all():  # all terms of most rows are zero
        return law
    factors = np.linalg.lstsq(weighted[:, 1:], -weighted[:, 0], rcond=None)[0]
    if not np.isfinite(factors).all() or not factors.all():
        return law
    return replace(law, coefficients=law.coefficients * np.append(1.0, factors))


def _sensitivity(law: Law, values: Values) -> float:
    """Return the change of a law with its columns; it is 0 for the square of another law."""
    largest = np.abs(law.terms(values)).max(axis=1)
    changes = np.abs(law.gradient(values)).max(axis=1)
    return float(np.sqrt(np.mean(changes**2) / np.mean(largest**2)))


def _predicted(law: Law, values: Values) -> float:
    """Return the leave-one-out error: each row is predicted by the law fitted to the others."""
    rows = np.arange(values.n_rows)
    errors = [
        refit_law(law, values.take(np.flatnonzero(rows != i))).imbalance(values.take(rows == i))
        for i in rows
    ]
    return float(np.sqrt(np.mean(np.square(errors))))


def _without_fixed_points(rng: np.random.Generator, n: int) -> IntArray:
    """Return a permutation without fixed points."""
    order: IntArray = rng.permutation(n)
    shifted = np.empty(n, dtype=np.intp)
    shifted[order] = np.roll(order, 1)
    return shifted
