"""The public function: from a table to its laws."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from gramian._types import Array
from gramian.explanations._formula import Term
from gramian.laws._collection import Relations
from gramian.laws._columns import Traits, traits_of
from gramian.laws._control import Verdict
from gramian.laws._forms import RawTerm, Writer, reference_term
from gramian.laws._input import Sample, Table, open_table, sample_of
from gramian.laws._law import ONE, Law
from gramian.laws._progress import progress_for
from gramian.laws._relation import EXACT, Kind, Relation, kind_of
from gramian.laws._rounding import with_round_coefficients
from gramian.laws._search import Search
from gramian.laws._terms import factors_of, raw_coefficients

MIN_ROWS = 6
"""Fewer rows tell nothing."""
REFUTED = 3.0
"""All rows refute a law if its error in them is so many times that in the sample."""
MOSTLY_MISSING = 0.5
"""Columns with a larger share of missing values are left out."""


def relations(
    X: Any,
    feature_names: Sequence[str] | None = None,
    *,
    tolerance: float = 0.05,
    time_limit: float | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> Relations:
    """Find the laws that tie the columns of a table.

    No column is called the target. Laws are polynomials of few terms, products of powers, sums,
    laws with logarithms, sines and cosines, thresholds and levels, in the columns and units of the
    table. Exact laws are looked for first, then laws that hold up to noise. Each is tested on rows
    that took no part in finding it, and must break when one of its columns is shuffled. A law that
    follows from others is not listed.

    Parameters
    ----------
    X : array, data frame, Arrow table, path of a file, dataset, or Dask collection
        The table. Of tables that are large, a random sample of rows is searched, and all rows
        confirm what is found. Missing values are NaN.
    feature_names : sequence of str, optional
        The names of the columns; by default those of the table, else x0, x1, ...
    tolerance : float, default=0.05
        The largest error of a law, as a share of its largest term; 0 asks for exact laws only.
    time_limit : float, optional
        Seconds after which the search stops and returns what was found.
    random_state : int, default=0
        Decides which rows are held out.
    verbose : int, default=0
        1 shows progress on standard error, with the time left.

    Returns
    -------
    relations : Relations
        A sequence of laws.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> U, I = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> print(gramian.relations(np.column_stack([U, I, 0.001 * U * I]), ["U", "I", "P"]))
    P = 0.001 · U · I
    """
    if not isinstance(tolerance, Real) or not 0 <= float(tolerance) < 1:
        raise ValueError(f"tolerance must be a share between 0 and 1; got {tolerance!r}.")
    if time_limit is not None and not float(time_limit) > 0:
        raise ValueError(f"time_limit must be a positive number of seconds; got {time_limit!r}.")
    start = time.monotonic()
    table = open_table(X, feature_names)
    sample = sample_of(table, random_state)
    rows, columns, notes = _usable(sample, table)
    x = rows[:, columns]
    with np.errstate(all="ignore"):
        traits = [traits_of(column) for column in x.T]
    with progress_for(verbose) as report:
        search = Search(
            x,
            traits,
            tolerance=float(tolerance),
            deadline=None if time_limit is None else start + float(time_limit),
            report=report,
            seed=random_state,
        )
        with np.errstate(all="ignore"):
            complete = search.run()
    maker = _Maker(table, columns, traits, x)
    found = [maker.constant(i) for i, each in enumerate(traits) if each.constant]
    found += [maker.relation(verdict, search) for verdict in search.found]
    if not sample.is_all:
        found = _confirmed(found, table)
    found.sort(key=_rank)
    return Relations(tuple(found), table.names, sample.n_rows, complete, tuple(notes))


def _rank(relation: Relation) -> tuple[bool, int, int, float]:
    noisy = not relation.exact
    return noisy, len(relation.columns), len(relation.terms), relation.validation_error


def _usable(sample: Sample, table: Table) -> tuple[Array, list[int], list[str]]:
    """Return the rows without missing values, and the columns that are not mostly missing."""
    if not sample.n_rows:
        raise ValueError("X has no rows.")
    notes = []
    share = sample.n_missing / sample.n_rows
    columns = [i for i in range(len(table.names)) if share[i] <= MOSTLY_MISSING]
    left_out = [
        name for name, each in zip(table.names, share, strict=True) if each > MOSTLY_MISSING
    ]
    if left_out:
        notes.append(f"Left out, as more than half is missing: {', '.join(left_out)}.")
    rows = sample.rows[~np.isnan(sample.rows[:, columns]).any(axis=1)]
    if len(rows) < MIN_ROWS:
        raise ValueError(
            f"{len(rows)} rows of {len(sample.rows)} have no missing value, and laws need at least "
            f"{MIN_ROWS}. Leave columns out, or fill missing values in."
        )
    if len(rows) < len(sample.rows):
        notes.append(f"Searched in the {len(rows)} rows that have no missing value.")
    return rows, columns, notes


class _Maker:
    """Turns verdicts on laws of the columns that were searched into relations of the table."""

    def __init__(self, table: Table, columns: list[int], traits: list[Traits], x: Array) -> None:
        self.names = table.names
        self.columns = columns
        self.scale = np.ones(len(table.names))
        self.scale[columns] = [each.scale for each in traits]
        self.signs = [0] * len(table.names)
        for i, column in zip(columns, x.T, strict=True):
            self.signs[i] = 1 if (column >= 0).all() else -1 if (column <= 0).all() else 0
        self.x = x

    def _law(self, law: Law) -> Law:
        """Return a law with the columns numbered as those of the table are."""
        monomials = tuple(
            tuple(((self.columns[i], atom), power) for (i, atom), power in each)
            for each in law.monomials
        )
        return Law(law.coefficients, monomials)

    def _solvable(self, writer: Writer, raw: Sequence[RawTerm], law: Law) -> list[int]:
        """Return the columns that a law gives in every row: no denominator is zero in any."""
        table = {self.names[i]: self.x[:, k] for k, i in enumerate(self.columns)}
        found = []
        for column in law.columns:
            solution = writer.solve(raw, column)
            if solution is not None and np.isfinite(solution(table)).all():
                found.append(column)
        return found

    def constant(self, i: int) -> Relation:
        """Return that a column is constant."""
        value = float(np.median(self.x[:, i]))
        column = self.columns[i]
        scaled = value / self.scale[column]
        plain = (((column, "x"), 1),)
        law = Law(np.array([1.0, -scaled]), (plain, ONE)) if value else Law(np.ones(1), (plain,))
        raw = ((1.0, plain), (-value, ONE))
        return self._make(law, "constant", raw, column, [column], 0.0, 0.0, 0.0, np.inf, 0.0)

    def relation(self, verdict: Verdict, search: Search) -> Relation:
        """Write a law in the units of the table, coefficients rounded where the data allow it."""
        law = verdict.law
        renumbered = self._law(law)
        coefficients = raw_coefficients(renumbered, self.scale)
        raw = tuple(zip(coefficients.tolist(), renumbered.monomials, strict=True))
        writer = Writer(self.names, lambda column: self.signs[column])
        best = writer.best(raw, self._solvable(writer, raw, renumbered))
        reference = reference_term(raw, best)
        law = Law(law.coefficients * np.sign(coefficients[reference]), law.monomials)
        with np.errstate(all="ignore"):
            law, coefficients, _ = with_round_coefficients(
                law, coefficients / coefficients[reference], search.train, reference
            )
        renumbered = self._law(law)
        raw = tuple(zip(coefficients.tolist(), renumbered.monomials, strict=True))
        solvable = self._solvable(writer, raw, renumbered)
        best = writer.best(raw, solvable)
        kind = kind_of(law, coefficients)
        test = search.control.test
        return self._make(
            renumbered,
            kind,
            raw,
            best,
            solvable,
            law.error(search.train),
            verdict.validation_error if test is None else law.error(test),
            verdict.shuffled_error,
            verdict.evidence,
            verdict.rounding,
        )

    def _make(
        self,
        law: Law,
        kind: Kind,
        raw: tuple[Any, ...],
        best: int | None,
        solvable: list[int],
        *numbers: float,
    ) -> Relation:
        error, validation, shuffled, evidence, rounding = numbers
        return Relation(
            tuple(self.names[i] for i in law.columns),
            kind,
            tuple(Term(value, factors_of(each, self.names)) for value, each in raw),
            error,
            validation,
            shuffled,
            evidence,
            rounding,
            len(self.x),
            self.names,
            law,
            self.scale,
            raw,
            tuple(self.signs),
            best,
            tuple(solvable),
        )


def _confirmed(found: list[Relation], table: Table) -> list[Relation]:
    """Read all rows once more, and keep the laws that hold in them, too."""
    squares, counts = np.zeros(len(found)), np.zeros(len(found))
    for block in table.blocks():
        for i, relation in enumerate(found):
            with np.errstate(all="ignore"):
                imbalance = relation.imbalance(block)
            there = ~np.isnan(imbalance)
            squares[i] += float((imbalance[there] ** 2).sum())
            counts[i] += int(there.sum())
    errors = np.sqrt(squares / np.maximum(counts, 1))
    return [
        replace(relation, validation_error=float(error))
        for relation, error in zip(found, errors, strict=True)
        if error <= max(REFUTED * relation.validation_error, EXACT)
    ]
