"""A law is what shuffling destroys: which candidates are believed, and on what evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.laws._law import Law, Values

ROUNDING = 1e-15
"""Errors are not told apart below this."""
HOLDS_EXACTLY = 1e-11
"""The largest error of a law that is called exact."""
BREAKS_EXACTLY = 1e3
BREAKS = 3.0
"""Shuffling a column must multiply the error by at least this factor."""
ROWWISE = 5.0
"""Rows whose terms are all small may miss a law by this factor more than the average row does."""
DECADES = 6.0
"""A law is believed if its chance is less than one in 10 to this power."""
SENSITIVE = 1e-3
"""A law must change by at least this share of its terms if a column changes by its size."""
CONSEQUENCE = 1e-3
"""A gradient of unit length is a sum of others if no more than this is left of it."""
BREAKS_PRINTED = 8.0
"""The same for laws that hold up to printed digits, which may be by far the larger error."""
LAST_DIGIT = 2.2
"""A printed number may miss a law by this many halves of its last digit, if rounded twice."""
FEW_ROWS = 40
"""With fewer rows none are held out: each is predicted from the others."""
SPARE_ROWS = 4
"""A law needs this many more rows than it has coefficients."""


@dataclass(frozen=True)
class Verdict:
    """What became of a candidate."""

    law: Law
    error: float
    """In sample."""
    validation_error: float
    """On rows that took no part."""
    overall: float
    """What all rows miss, as a share of the size of the terms."""
    shuffled_error: float
    """With one of its columns shuffled, the smallest over columns."""
    evidence: float
    """How improbable the law is by chance, in powers of ten."""
    rounding: float = 0.0
    """What the printed digits leave open, as a share of the law's terms; 0 if it is not needed."""


class Control:
    """Judges candidates by rows that took no part in finding them."""

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
        """Return what is known of a law, or nothing if it is not to be believed.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            Among how many candidates it was found.
        tolerance : float
            The largest error that is allowed.
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
            # Rounding errors are no noise: what is exact must break by far more than a factor.
            needed = BREAKS if max(error, validation) > HOLDS_EXACTLY else BREAKS_EXACTLY
            return self._verdict(law, n_tried, error, validation, needed)

    def judge_printed(self, law: Law, n_tried: float, target: int | None) -> Verdict | None:
        """Return what is known of a law that holds in every row up to printed digits, or nothing.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            Among how many candidates it was found.
        target : int or None
            The column that was computed from the others as they are printed, and then rounded;
            none if all of them may have been rounded.
        """
        if not self._testable(law):
            return None
        with np.errstate(all="ignore"):
            rounding = max(left_open(law, each, target) for each in (self.train, self._seen))
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
        base = max(error, validation, rounding, ROUNDING)
        broken = min(self._broken(law, each) for each in law.columns)
        if not broken > needed * base:
            return None
        evidence = self._evidence(law, base, broken, n_tried)
        if evidence < DECADES:
            return None
        return Verdict(law, error, validation, self._overall(law), broken, evidence, rounding)

    def _broken(self, law: Law, column: int) -> float:
        """Return the error of a law if a column is shuffled, in rows in which the column varies."""
        for values, order in self._shuffled:
            x = values.x[:, column]
            if x.min() < x.max():
                return law.error(values.shuffled(column, order))
        return 0.0

    def _evidence(self, law: Law, base: float, broken: float, n_tried: float) -> float:
        n_free = self.train.n_rows - len(law.monomials)
        decades = n_free * math.log10(broken / base)
        # A column with few values meets a law by chance more often: count its arrangements.
        decades = min(decades, *(self._arrangements_of(each) for each in law.columns))
        return decades - math.log10(max(n_tried, 1.0))

    def _arrangements_of(self, column: int) -> float:
        """Return in how many orders the values of a column can be, in powers of ten."""
        if column not in self._arrangements:
            seen = [each.x[:, column] for each in (self.train, self.test) if each is not None]
            _, counts = np.unique(np.concatenate(seen), return_counts=True)
            ways = math.lgamma(counts.sum() + 1) - sum(math.lgamma(n + 1) for n in counts)
            distinct = len(counts) == counts.sum()
            self._arrangements[column] = math.inf if distinct else ways / math.log(10)
        return self._arrangements[column]


def left_open(law: Law, values: Values, target: int | None) -> float:
    """Return what printed digits leave open of a law, as a share of its terms.

    It is infinite if a row misses the law by more.

    Parameters
    ----------
    law : Law
        The law.
    values : Values
        Rows.
    target : int or None
        The column that is rounded; by default all that are no whole numbers, which are counts.
    """
    terms, traits = law.terms(values), values.traits
    missed = np.abs(terms.sum(axis=1))
    largest = np.abs(terms).max(axis=1)
    rounded = [i for i in law.columns if not traits[i].whole] if target is None else [target]
    width = HOLDS_EXACTLY * largest
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
    """Fit the coefficients by least squares, that of the first term being given.

    Rows are weighted so that what is missed is in the units of the law's terms, on average.
    """
    terms = law.terms(values)
    largest = np.abs(terms).max(axis=1)
    weights = 1 / (largest + 0.1 * np.median(largest))
    weighted = terms * weights[:, np.newaxis]
    if not np.isfinite(weighted).all():  # where most rows have nothing but zeros
        return law
    factors = np.linalg.lstsq(weighted[:, 1:], -weighted[:, 0], rcond=None)[0]
    if not np.isfinite(factors).all() or not factors.all():
        return law
    return replace(law, coefficients=law.coefficients * np.append(1.0, factors))


def _sensitivity(law: Law, values: Values) -> float:
    """Return how much a law depends on its columns: nothing if it is the square of another one."""
    largest = np.abs(law.terms(values)).max(axis=1)
    changes = np.abs(law.gradient(values)).max(axis=1)
    return float(np.sqrt(np.mean(changes**2) / np.mean(largest**2)))


def _predicted(law: Law, values: Values) -> float:
    """Return the error of each row by the law as the other rows have it."""
    rows = np.arange(values.n_rows)
    errors = [
        refit_law(law, values.take(np.flatnonzero(rows != i))).imbalance(values.take(rows == i))
        for i in rows
    ]
    return float(np.sqrt(np.mean(np.square(errors))))


def _without_fixed_points(rng: np.random.Generator, n: int) -> IntArray:
    """Return an order in which no row stays in its place."""
    order: IntArray = rng.permutation(n)
    shifted = np.empty(n, dtype=np.intp)
    shifted[order] = np.roll(order, 1)
    return shifted


def is_consequence(law: Law, known: list[Law], values: Values) -> bool:
    """Return whether a law follows from known ones: whether its gradient is a sum of theirs.

    Parameters
    ----------
    law : Law
        The law.
    known : list of Law
        The known ones.
    values : Values
        A few rows at which all of them hold.
    """
    if not any(set(each.columns) & set(law.columns) for each in known):
        return False
    with np.errstate(all="ignore"):
        gradients = np.stack([_unit(each.gradient(values)) for each in known], axis=1)
        new = _unit(law.gradient(values))
    fine = np.isfinite(gradients).all(axis=(1, 2)) & np.isfinite(new).all(axis=1)
    left = []
    for basis, gradient in zip(gradients[fine], new[fine], strict=True):
        others = basis @ gradient
        weights = np.linalg.lstsq(basis @ basis.T, others, rcond=1e-10)[0]
        left.append(np.linalg.norm(gradient - weights @ basis))
    return not left or float(np.median(left)) < CONSEQUENCE


def _unit(gradient: Array) -> Array:
    unit: Array = gradient / np.linalg.norm(gradient, axis=1, keepdims=True)
    return unit
