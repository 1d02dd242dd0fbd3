"""Maker of relations: converts accepted laws to `Relation` objects, in the units of the table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.blas import threads_for
from gramian._support.types import Array, IntArray
from gramian.laws._law_search import LawSearch
from gramian.laws.candidates import Stage
from gramian.laws.columns import INDEX_NAMES, View, numbers_rows, traits_of, without_copies
from gramian.laws.forms import (
    ONE,
    Law,
    LawWriter,
    RawTerm,
    Relation,
    Values,
    has_common_factor,
    kind_of,
    reference_term,
    terms_of,
)
from gramian.laws.judge import (
    Verdict,
    digits_needed,
    given_best,
    is_single_error,
    printed_error,
    rows_that_hold,
    share_of_deviation,
    share_reproduced,
    simplest,
    with_fewest_digits,
    with_round_coefficients,
    with_shortest_digits,
)

FEWER_REPRODUCED = 0.2
"""A law is solved for a column if it gives at most this share of rows less than for the best."""


class RelationMaker:
    """Finds laws in complete parts of a table, and converts them to `Relation` objects.

    Parameters
    ----------
    names : tuple of str
        The names of the columns.
    rows : array of shape (n_rows, n_columns)
        The rows of the table; NaN is a missing value.
    groups : array of shape (n_rows,), optional
        The number of the group of each row, if the user gave groups.
    dates : collection of int
        The indices of the columns of dates.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        rows: Array,
        groups: IntArray | None = None,
        dates: Collection[int] = (),
    ) -> None:
        self.names = names
        self.rows = rows
        self._groups = groups
        present = [column[~np.isnan(column)] for column in rows.T]
        with np.errstate(all="ignore"):
            self._traits = [traits_of(each if len(each) else np.zeros(1)) for each in present]
        self.scale = np.array([each.scale for each in self._traits])
        self.signs = [
            1 if (each >= 0).all() else -1 if (each <= 0).all() else 0 for each in present
        ]
        counters = {i for i, x in enumerate(rows.T) if numbers_rows(x, names[i])} - {*dates}
        self.counters = sorted(counters, key=lambda i: (names[i].lower() not in INDEX_NAMES, i))
        self._laws: list[Law] = []
        self.n_unsearched = 0
        """Number of columns that were too many for some stages of a search; 0 if all stages ran."""

    @property
    def constants(self) -> list[int]:
        """The indices of the constant columns; columns in `too_large` are not counted."""
        others = {*np.flatnonzero(np.isnan(self.rows).all(axis=0)), *self.too_large}
        return [i for i, each in enumerate(self._traits) if each.constant and i not in others]

    @property
    def too_large(self) -> list[int]:
        """Columns of whole numbers so large that differences look like rounding errors."""
        found = []
        for i, each in enumerate(self._traits):
            x = self.rows[~np.isnan(self.rows[:, i]), i]
            if each.constant and len(x) and np.ptp(x) > 0 and (x == np.rint(x)).all():
                found.append(i)
        return found

    def laws(self, view: View, stages: Sequence[Stage], **options: Any) -> list[Relation]:
        """Return the laws in a view that were found within the time limit.

        Parameters
        ----------
        view : View
            The rows and columns to search, which have no missing values.
        stages : sequence of Stage
            The stages of the search.
        **options : object
            Further parameters of `LawSearch`.
        """
        groups = None if self._groups is None else self._groups[view.rows]
        x, groups = without_copies(self.rows[view.rows][:, list(view.columns)], groups)
        places = {column: place for place, column in enumerate(view.columns)}
        known = [law.renumbered(places) for law in self._laws if set(law.columns) <= places.keys()]
        # Most of the search is small factorizations, which several threads slow down.
        with np.errstate(all="ignore"), threads_for(0):
            traits = [
                replace(
                    traits_of(column),
                    scale=float(self.scale[i]),
                    row_number=i in self.counters,
                )
                for i, column in zip(view.columns, x.T, strict=True)
            ]
            search = LawSearch(x, traits, known=known, groups=groups, **options)
            search.run(stages)
            self.n_unsearched = max(self.n_unsearched, search.n_unsearched)
            found = [self._relation(verdict, search, view) for verdict in search.found]
            return [each for each in found if not has_common_factor(each._raw)]

    def constant(self, i: int) -> Relation:
        """Return the law that column `i` is constant."""
        value = float(np.nanquantile(self.rows[:, i], 0.5, method="lower"))  # no sum overflows
        scaled = value / self.scale[i]
        plain = (((i, "x"), 1),)
        law = Law(np.array([1.0, -scaled]), (plain, ONE)) if value else Law(np.ones(1), (plain,))
        raw = ((1.0, plain), (-value, ONE))
        n_rows = int((~np.isnan(self.rows[:, i])).sum())
        errors = dict.fromkeys(("error", "validation_error", "shuffled_error", "rounding"), 0.0)
        evidence = (n_rows - 1) * float(np.log10(2))
        known = {"kind": "constant", "evidence": evidence, "n_rows": n_rows, "_best": i}
        return self._make(law, raw, (i,), **known, **errors)

    def _relation(self, verdict: Verdict, search: LawSearch, view: View) -> Relation:
        """Return an accepted law as a `Relation`, with round coefficients if possible."""
        train, test = verdict.rows or (search.train, search.control.test)
        law = verdict.law
        if verdict.rounding and verdict.target is not None:
            every = train if test is None else train.joined(test)
            law = simplest(law, every, verdict.target)
        places = dict(enumerate(view.columns))
        renumbered = law.renumbered(places)
        coefficients = renumbered.raw_coefficients(self.scale)
        raw = tuple(zip(coefficients.tolist(), renumbered.monomials, strict=True))
        target = None if verdict.target is None else places[verdict.target]
        given = self._given(raw, renumbered, verdict, target)
        best = self._best(raw, given, target, verdict)
        reference = reference_term(raw, best)
        law = Law(law.coefficients * np.sign(coefficients[reference]), law.monomials)
        coefficients = coefficients / coefficients[reference]
        as_good = self._as_good(law, places, given)
        round_law, few_digits = with_round_coefficients(
            law, coefficients, train, reference, verdict.noise
        )
        if not verdict.rounding or as_good(round_law):
            law, coefficients = round_law, few_digits
        if verdict.noise is not None:
            law, coefficients = with_shortest_digits(law, coefficients, train, verdict.noise)
        elif verdict.rounding:
            law, coefficients = with_fewest_digits(law, coefficients, as_good)
        renumbered = law.renumbered(places)
        self._laws.append(renumbered)
        raw = tuple(zip(coefficients.tolist(), renumbered.monomials, strict=True))
        given = self._given(raw, renumbered, verdict, target)
        best = self._best(raw, given, target, verdict)
        missed, rows = self._missed(law, verdict, search), self._complete(renumbered)
        broken = self.exceptions(renumbered, self.rows[view.rows], target) if verdict.rows else 0
        return self._make(
            renumbered,
            raw,
            self._everywhere(given, renumbered),
            kind=kind_of(law, coefficients),
            error=law.error(train),
            validation_error=verdict.validation_error if test is None else law.error(test),
            shuffled_error=verdict.shuffled_error,
            evidence=verdict.evidence,
            rounding=verdict.rounding,
            n_rows=len(view.rows),
            n_exceptions=broken,
            r2=1 - missed[0] ** 2,
            typical_error=missed[1],
            _target=target,
            _best=best,
            _as_simple=self._as_simple(raw, given, best, target),
            _digits=digits_needed(renumbered, coefficients, rows, best, verdict.noise),
        )

    def _as_good(
        self, law: Law, places: Mapping[int, int], given: Sequence[int]
    ) -> Callable[[Law], bool]:
        """Return a test whether other coefficients give the columns of a law in as many rows.

        Parameters
        ----------
        law : Law
            The law, with coefficients of scaled columns and the column indices of its view.
        places : mapping from int to int
            From the indices of columns in the view to those in the table.
        given : sequence of int
            The columns that the law computes, to the last printed digit.
        """
        one = law.renumbered(places)
        values = self._complete(one)
        least = {i: share_reproduced(one, values, i) for i in given}
        return lambda other: all(
            share_reproduced(other.renumbered(places), values, i) >= least[i] for i in given
        )

    def _complete(self, law: Law) -> Values:
        """Return the rows without missing values in the columns of a law."""
        return self.values(_whole(self.rows, law))

    @property
    def _writer(self) -> LawWriter:
        return LawWriter(self.names, self.signs)

    def _given(
        self, raw: Sequence[RawTerm], law: Law, verdict: Verdict, target: int | None
    ) -> list[int]:
        """Return the columns that a law computes in all rows, to the last digit in the table.

        An error near the rounding error of single precision is allowed, too. Rows that break a law
        with exceptions do not count.

        Parameters
        ----------
        raw : sequence of RawTerm
            The terms of the law for unscaled columns.
        law, verdict
            The law for scaled columns, and its errors.
        target : int or None
            The column that was computed and rounded; None if any column may be rounded.
        """
        complete = _whole(self.rows, law)
        if verdict.rows is not None:
            complete = complete[self.holds(law, complete, target)]
        table = {self.names[i]: complete[:, i] for i in law.columns}
        found, errors = [], {}
        for column in law.columns:
            solution = self._writer.solve(raw, column)
            computed = None if solution is None else solution(table)
            if computed is not None and np.isfinite(computed).all():
                found.append(column)
                errors[column] = computed - complete[:, column]
        if not verdict.rounding:
            return found
        values = self.values(complete)
        exact = [
            i
            for i in found
            if (not self._traits[i].whole and is_single_error(errors[i], complete[:, i]))
            or printed_error(law, values, i) < np.inf
        ]
        if law.is_linear:  # a rounded mean gives other columns nearly, and in few rows exactly
            shares = {i: share_reproduced(law, values, i) for i in exact}
            exact = [i for i in exact if shares[i] >= max(shares.values()) - FEWER_REPRODUCED]
        return exact or [i for i in found if not self._traits[i].whole]

    def _missed(self, law: Law, verdict: Verdict, search: LawSearch) -> tuple[float, float]:
        """Return the error of the column that a law with noise gives, on held-out rows.

        The first number is a share of the deviation of the column, the second has its units; both
        are 0 if the law has no noise.
        """
        if verdict.noise is None:
            return 0.0, 0.0
        target, rows = verdict.noise.column, search.control.seen
        share = share_of_deviation(law.missed(rows, target), rows, target)
        return share, share * float(np.std(rows.x[:, target]))

    def holds(self, law: Law, rows: Array, target: int | None) -> NDArray[np.bool_]:
        """Return a mask of the rows that obey a law up to the rounding of the numbers in the table.

        `target` is the column that was computed and rounded; None if any column may be rounded.
        """
        return rows_that_hold(law, self.values(rows), target)

    def errors(self, relation: Relation, rows: Array) -> Array:
        """Return the error of a law in each row, NaN where a column is missing.

        It is that of the column which a law with noise gives, else `Relation.imbalance`.
        """
        target = relation._target
        with np.errstate(all="ignore"):
            if not relation.typical_error or target is None:
                return relation.imbalance(rows)
            found: Array = relation._law.missed(self.values(rows), target) * self.scale[target]
            return found

    def values(self, rows: Array) -> Values:
        """Return rows of the table in the form in which laws are evaluated."""
        return Values(rows, self.scale, self._traits)

    def exceptions(self, law: Law, rows: Array, target: int | None) -> int:
        """Return the number of rows without missing values that break a law; see `holds`."""
        return int((~self.holds(law, _whole(rows, law), target)).sum())

    def _everywhere(self, given: Sequence[int], law: Law) -> list[int]:
        """Return those columns of `given` that are missing in each row in which the law has a gap.

        The law then computes all values that such a column has.
        """
        missing = np.isnan(self.rows[:, law.columns]).any(axis=1)
        return [i for i in given if np.isnan(self.rows[missing, i]).all()]

    def _best(
        self, raw: Sequence[RawTerm], solvable: Sequence[int], target: int | None, verdict: Verdict
    ) -> int | None:
        """Return the column for which the law is solved when it is printed; None for an equation.

        It is `target`, the computed and rounded column, except in sums and beside columns with all
        digits. Then columns with the most digits come first: computed columns have many. A law with
        noise is solved for the column that it gives best, or is an equation.
        """
        if verdict.noise:
            return self._writer.best(raw, [i for i in solvable if i == target])
        is_sum = len(raw) > 2 and all(len(each) <= 1 for _, each in raw)
        if target in solvable and not is_sum and not any(map(self._has_all_digits, solvable)):
            return target
        most = max(map(self._digits, solvable), default=0)
        computed = [i for i in self._closest(raw, solvable) if self._digits(i) == most]
        best = self._writer.best(raw, computed)
        return self._writer.best(raw, solvable) if best is None else best

    def _closest(self, raw: Sequence[RawTerm], solvable: Sequence[int]) -> Sequence[int]:
        """Return the columns that a law gives best, or all if not all are single precision."""
        if not all(self._traits[i].precision.relative for i in solvable):
            return solvable
        solved = {i: self._writer.solve(raw, i) for i in solvable}
        return given_best(solved, dict(zip(self.names, self.rows.T, strict=True)))

    def _has_all_digits(self, column: int) -> bool:
        return not self._traits[column].whole and self._traits[column].precision.decimals is None

    def _as_simple(
        self, raw: Sequence[RawTerm], solvable: Sequence[int], best: int | None, target: int | None
    ) -> tuple[int, ...]:
        """Return the columns that could be `best` if only the numbers of the law were others.

        It is the number of the row, or else `target`, which was computed and rounded.
        """
        numbers = [i for i in self.counters if i in solvable]
        if numbers:
            return (numbers[0],)
        if best is None or best == target:
            return () if best is None else (best,)
        equal = [i for i in self._closest(raw, solvable) if self._digits(i) == self._digits(best)]
        return self._writer.as_simple(raw, equal, best)

    def _digits(self, column: int) -> int:
        """Return the number of significant digits of a column; 0 for a column of whole numbers."""
        traits = self._traits[column]
        return 0 if traits.whole else traits.precision.significant

    def _make(
        self, law: Law, raw: tuple[RawTerm, ...], solvable: Sequence[int], **known: Any
    ) -> Relation:
        """Return a law as a `Relation` of this table.

        Parameters
        ----------
        law : Law
            The law for scaled columns.
        raw : tuple of RawTerm
            Its terms for unscaled columns.
        solvable : sequence of int
            The columns that the law computes.
        **known : object
            Further fields of `Relation`.
        """
        return Relation(
            columns=tuple(self.names[i] for i in law.columns),
            terms=terms_of(raw, self.names),
            feature_names=self.names,
            _law=law,
            _scale=self.scale,
            _raw=raw,
            _signs=tuple(self.signs),
            _solvable=tuple(solvable),
            **known,
        )


def _whole(rows: Array, law: Law) -> Array:
    """Return the rows without missing values in the columns of a law."""
    return rows[~np.isnan(rows[:, law.columns]).any(axis=1)]
