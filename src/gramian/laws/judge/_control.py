"""Control of candidate laws: an accepted law holds in the rows, and shuffling a column breaks it.

Shuffling puts the values of a column in random order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gramian._support.types import IntArray
from gramian.core.rows import first_of_equal
from gramian.laws._law_tolerances import ERROR_FLOOR, EXACT_ERROR, MIN_EVIDENCE
from gramian.laws.forms import Law, Values
from gramian.laws.judge._divided_rows import divided_rows, left_out_errors, refit_law
from gramian.laws.judge._false_laws import holds_for_steps, is_one_piece, numbers_a_grid
from gramian.laws.judge._level_regression import rms
from gramian.laws.judge._noise import Noise
from gramian.laws.judge._printed_digits import (
    is_shifted,
    keeps_whole_numbers,
    printed_error,
    rows_that_hold,
)

BREAKS_EXACTLY = 1e3
"""Shuffling any column must multiply the error of an exact law by more than this factor."""
BREAKS_PRINTED = 8.0
"""Shuffling any column must multiply the error of a law of rounded numbers by more than this."""
SENSITIVE = 1e-3
"""Laws with a smaller result of `sensitivity` are rejected: they may be squares of other laws."""
DISTINCT_SHARE = 0.5
"""Equal rows count as one observation if at most this share of the rows is different."""
SPARE_ROWS = 4
"""A law is judged only if there are at least this many more rows than coefficients."""


@dataclass(frozen=True)
class Verdict:
    """An accepted law, with its errors and the evidence that it does not hold by chance."""

    law: Law
    error: float
    """Root mean square of `Law.imbalance` (the relative error of a row) in the searched rows."""
    validation_error: float
    """Root mean square of `Law.imbalance` (the relative error of a row) in held-out rows."""
    shuffled_error: float
    """Error after one column of the law is shuffled; the smallest over the columns."""
    evidence: float
    """Evidence in powers of ten: 6 means that chance explains the law once in a million."""
    rounding: float = 0.0
    """Relative error that the rounding of numbers in the table can cause; 0 if not considered."""
    rows: tuple[Values, Values | None] | None = None
    """The rows that obey the law, for the fit and held out; None if all rows obey it."""
    share: float = 1.0
    """The share of the rows that obey the law."""
    target: int | None = None
    """Index of the column that was computed and rounded; None if any column may be rounded.

    In a law with noise, the column that the law gives best.
    """
    noise: Noise | None = None
    """The errors of `target`; None in a law without noise."""
    length: float = 0.0
    """Description length of a law with noise and of its errors; the shortest law is preferred."""


class Control:
    """Judge of candidate laws among numbers, by held-out rows and by rows with a shuffled column.

    A law is accepted if it holds in held-out rows, and no longer holds if a column is shuffled.

    Parameters
    ----------
    train : Values
        The rows in which laws were found and fitted.
    test : Values or None
        Held-out rows; None if the table has few rows.
    seed : int
        Seed of the random order in which columns are shuffled.
    every : Values, optional
        All rows in the order of the table, of which neighbours are compared; by default `train`.
    """

    def __init__(
        self, train: Values, test: Values | None, seed: int, every: Values | None = None
    ) -> None:
        self.train = train
        self.test = test
        self.seed = seed
        self._in_order = train if every is None else every
        self._tables = [train] if test is None else [train, test]
        self.seen = self._tables[-1]
        """The rows on which laws are tested: `test`, or `train` if no rows are held out."""
        rng = np.random.default_rng(seed)
        self._shuffled = [
            (each, _without_fixed_points(rng, each.n_rows))
            for each in (test, train)
            if each is not None
        ]
        self._arrangements: dict[int, float] = {}
        self._by_chance: dict[tuple[int, ...], bool] = {}
        self._by_columns: dict[tuple[int, ...], Control] = {}

    def judge(self, law: Law, n_tried: float) -> Verdict | None:
        """Return the verdict on a law if its errors are those of float64, else None.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        """
        control = self.without_copies(law.columns)
        if control is not self:
            return control.judge(refit_law(law, control.train), n_tried)
        if len(law.monomials) < 2 or not self.testable(law):
            return None
        with np.errstate(all="ignore"):
            error = law.error(self.train)
            if not error <= EXACT_ERROR:
                return None
            if not sensitivity(law, self.seen) > SENSITIVE:
                return None
            validation = (
                rms(left_out_errors(law, self.train)) if self.test is None else law.error(self.test)
            )
            if not validation <= EXACT_ERROR:
                return None
            if not all(keeps_whole_numbers(law, each) for each in self._tables):
                return None
            return self._verdict(law, n_tried, error, validation, BREAKS_EXACTLY)

    def judge_printed(self, law: Law, n_tried: float, target: int | None) -> Verdict | None:
        """Return the verdict on a law if every row obeys it up to rounding, else None.

        The numbers in the table are rounded to a few digits.

        Parameters
        ----------
        law : Law
            The candidate, fitted to the rows of `train`.
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        target : int or None
            Index of the column that was computed from the values of the other columns in the table,
            and then rounded; None if all columns may have been rounded.
        """
        control = self.without_copies(law.columns)
        if control is not self:
            return control.judge_printed(law, n_tried, target)
        if not self.testable(law):
            return None
        with np.errstate(all="ignore"):
            rounding = max(printed_error(law, each, target) for each in (self.train, self.seen))
            if not rounding < np.inf or not sensitivity(law, self.seen) > SENSITIVE:
                return None
            if is_shifted(law, self.train, target):
                return None
            error, validation = law.error(self.train), law.error(self.seen)
            verdict = self._verdict(law, n_tried, error, validation, BREAKS_PRINTED, rounding)
            rounded = (
                target is not None and self.train.traits[target].precision.decimals is not None
            )
            return replace(verdict, target=target) if verdict and rounded else verdict

    def without_copies(self, columns: Sequence[int]) -> Control:
        """Return a judge that sees each combination of values in some columns only once.

        Rows that are equal in all columns of a law are one observation of the law: an attribute of
        a region is repeated for every person who lives there. If columns have few distinct values,
        rows are equal by chance, and the judge is `self`.
        """
        key = tuple(columns)
        if key not in self._by_columns:
            self._by_columns[key] = self._make_without_copies(key)
        return self._by_columns[key]

    def _make_without_copies(self, columns: tuple[int, ...]) -> Control:
        if self._equal_by_chance(columns):
            return self
        combinations = self.all_rows.x[:, columns]
        if any(len(np.unique(column)) == len(column) for column in combinations.T):
            return self
        first, _ = first_of_equal(combinations)
        if len(first) > DISTINCT_SHARE * len(combinations):
            return self
        return divided(self.all_rows.take(first), self.seed)

    @cached_property
    def all_rows(self) -> Values:
        """All rows: those of `train`, and those of `test`."""
        return self.train if self.test is None else self.train.joined(self.test)

    def of_rows_that_obey(self, verdicts: Sequence[Verdict]) -> Control:
        """Return a judge that sees only the rows that obey the laws of some verdicts."""
        train, test = self.train, self.test
        for each in verdicts:
            train = train.take(rows_that_hold(each.law, train, each.target))
            if test is not None:
                test = test.take(rows_that_hold(each.law, test, each.target))
        return Control(train, test, self.seed) if verdicts else self

    def seen_in_all(self, verdict: Verdict) -> Verdict:
        """Return a verdict of some rows with the share of all rows that obey its law."""
        law, target = verdict.law, verdict.target
        masks = [rows_that_hold(law, each, target) for each in self._tables]
        share = float(np.mean(np.concatenate(masks)))
        if share == 1:
            return replace(verdict, rows=None, share=1.0)
        rows = [each.take(mask) for each, mask in zip(self._tables, masks, strict=True)]
        return replace(verdict, rows=(rows[0], rows[1] if len(rows) > 1 else None), share=share)

    def testable(self, law: Law) -> bool:
        """Return True if a law ties two columns at least, and there are more rows than terms."""
        return len(law.columns) > 1 and self.train.n_rows >= len(law.monomials) + SPARE_ROWS

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

        Parameters
        ----------
        law : Law
            The candidate.
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        error, validation : float
            The errors of the law in the searched rows and in held-out rows.
        needed : float
            Shuffling any column must multiply the error by more than this number.
        rounding : float
            The error that the rounding of the numbers in the table can cause.
        """
        if not self.is_plausible(law, error, rounding):
            return None
        base = max(error, validation, rounding, ERROR_FLOOR)
        broken = self.broken(law)
        if not broken > needed * base:
            return None
        evidence = self.evidence(law, base, broken, n_tried)
        if evidence < MIN_EVIDENCE:
            return None
        return Verdict(law, error, validation, broken, evidence, rounding)

    def is_plausible(self, law: Law, error: float, rounding: float = 0.0) -> bool:
        """Return False if a law is a product of simpler laws, or of columns that only grow.

        `error` is the relative error of the law, `rounding` that which printed digits can cause.
        """
        if numbers_a_grid(law, self.train) or not is_one_piece(law, self.train, error):
            return False
        return holds_for_steps(law, self._in_order, rounding)

    def broken(self, law: Law) -> float:
        """Return the error of a law after a column is shuffled; the smallest over the columns.

        The result is 0 if a column does not vary.
        """
        tables = [self.shuffled(each) for each in law.columns]
        return min(0.0 if each is None else law.error(each) for each in tables)

    def shuffled(self, column: int) -> Values | None:
        """Return rows in which the values of a column are in random order.

        They are held-out rows if the column varies in them, else the rows of `train`. The result is
        None if the column does not vary.
        """
        for values, order in self._shuffled:
            x = values.x[:, column]
            if x.min() < x.max():
                return values.shuffled(column, order)
        return None

    def evidence(self, law: Law, base: float, broken: float, n_tried: float) -> float:
        """Return the evidence of a law, in powers of ten: 6 is a chance of one in a million.

        Parameters
        ----------
        law : Law
            The law.
        base, broken : float
            The error of the law, and its error after a column is shuffled.
        n_tried : float
            Number of candidates that were tried to find the law; it reduces the evidence.
        """
        decades = max(self._n_free(law), 0) * math.log10(broken / base)
        # By chance, a law holds more often for a column with few distinct values: the evidence is
        # at most the number of different orders of the values, in powers of ten.
        decades = min(decades, *(self._arrangements_of(each) for each in law.columns))
        return decades - math.log10(max(n_tried, 1.0))

    def _n_free(self, law: Law) -> int:
        """Return the number of observations that could have broken a law, and obey it.

        As many observations as the law has terms determine its coefficients, and obey any law of
        this form. No coefficient was fitted to groups that were held out: all of them count.
        """
        n_free = self._n_different(law, self.train) - len(law.monomials)
        if self.train.groups is None or self.test is None:
            return n_free
        return max(n_free, self._n_different(law, self.test))

    def _n_different(self, law: Law, values: Values) -> int:
        """Return the number of rows that differ in the columns of a law.

        All rows count if they may be equal by chance, but in a polynomial: as many coefficients as
        there are different rows give any column, and a row in which all terms are zero obeys any
        coefficients. A group of rows counts once at most.
        """
        n, groups = values.n_rows, values.groups
        if law.is_polynomial:
            terms = law.terms(values)
            there = terms.any(axis=1)
            n = len(first_of_equal(terms[there])[0])
            groups = None if groups is None else groups[there]
        elif not self._equal_by_chance(law.columns):
            n = len(first_of_equal(values.x[:, law.columns])[0])
        return n if groups is None else min(n, len(np.unique(groups)))

    def _equal_by_chance(self, columns: Sequence[int]) -> bool:
        """Return True if rows are equal in some columns because the columns have few values.

        Numbers with many digits are not equal by chance; numbers with few distinct values are.
        Whole numbers are equal by chance if shuffled columns have about as many different rows. The
        column with the most values may follow from the others, and is not compared.
        """
        key = tuple(columns)
        if key not in self._by_chance:
            self._by_chance[key] = self._has_chance_equals(key)
        return self._by_chance[key]

    def _has_chance_equals(self, columns: tuple[int, ...]) -> bool:
        traits = [self.train.traits[i] for i in columns]
        if not all(each.whole or each.n_levels is not None for each in traits):
            return False
        many = [i for i, each in zip(columns, traits, strict=True) if each.n_levels != 2]
        if len(many) <= 2:
            return True
        x = self.train.x[:, many]
        x = np.delete(x, np.argmax([len(np.unique(each)) for each in x.T]), axis=1)
        rng = np.random.default_rng(self.seed)
        shuffled = np.column_stack([rng.permutation(each) for each in x.T])
        n_different, n_shuffled = (len(first_of_equal(each)[0]) for each in (x, shuffled))
        return n_different > DISTINCT_SHARE * n_shuffled

    def _arrangements_of(self, column: int) -> float:
        """Return the number of ways to order the values of a column, as a power of ten.

        The result is infinite if all values are different. A value counts once in each group.
        """
        if column not in self._arrangements:
            seen, groups = self.all_rows.x[:, column], self.all_rows.groups
            if groups is not None:
                seen = np.unique(np.column_stack([groups, seen]), axis=0)[:, 1]
            _, counts = np.unique(seen, return_counts=True)
            ways = math.lgamma(counts.sum() + 1) - sum(math.lgamma(n + 1) for n in counts)
            distinct = len(counts) == counts.sum()
            self._arrangements[column] = math.inf if distinct else ways / math.log(10)
        return self._arrangements[column]


def divided(values: Values, seed: int) -> Control:
    """Return a judge of laws; some rows are held out if there are at least `FEW_ROWS`.

    `seed` chooses the held-out rows.
    """
    train, test = divided_rows(values.n_rows, seed, values.groups)
    return Control(values.take(train), values.take(test) if len(test) else None, seed)


def sensitivity(law: Law, values: Values) -> float:
    """Return the root mean square of the largest derivative of a law, as a share of its terms.

    The result is 0 for the square of another law, whose derivatives are zero in rows that obey the
    law.
    """
    largest = np.abs(law.terms(values)).max(axis=1)
    changes = np.abs(law.gradient(values)).max(axis=1)
    return float(np.sqrt(np.mean(changes**2) / np.mean(largest**2)))


def _without_fixed_points(rng: np.random.Generator, n: int) -> IntArray:
    """Return a random permutation of 0, …, n − 1 that moves every number."""
    order: IntArray = rng.permutation(n)
    shifted = np.empty(n, dtype=np.intp)
    shifted[order] = np.roll(order, 1)
    return shifted
