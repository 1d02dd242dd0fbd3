"""The public function: from a table to its laws."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from gramian._types import Array
from gramian.laws._collection import Relations
from gramian.laws._input import Sample, Table, open_table, sample_of
from gramian.laws._maker import Maker
from gramian.laws._progress import progress_for
from gramian.laws._relation import EXACT, Relation
from gramian.laws._search import Search
from gramian.laws._views import View, views

MIN_ROWS = 6
"""Fewer rows tell nothing."""
REFUTED = 3.0
"""All rows refute a law if its error in them is so many times that in the sample."""


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
    parts, notes = _parts(sample, table)
    maker = Maker(table.names, sample.rows)
    found = [maker.constant(i) for i in maker.constants]
    complete = True
    with progress_for(verbose) as report, np.errstate(all="ignore"):
        for k, view in enumerate(parts):
            search = Search(
                sample.rows[view.rows][:, list(view.columns)],
                maker.traits(view),
                tolerance=float(tolerance),
                deadline=None if time_limit is None else start + float(time_limit),
                report=report,
                seed=random_state,
                known=maker.known(view),
                settled=[_places(each, view) for each in parts[:k]],
            )
            complete = search.run() and complete
            found += [maker.relation(verdict, search, view) for verdict in search.found]
    if not sample.is_all:
        found = _confirmed(found, table.blocks())
    elif sample.n_missing.any():
        found = _confirmed(found, [sample.rows])
    found.sort(key=_rank)
    return Relations(tuple(found), table.names, sample.n_rows, complete, tuple(notes))


def _rank(relation: Relation) -> tuple[bool, int, int, float]:
    noisy = not relation.exact
    return noisy, len(relation.columns), len(relation.terms), relation.validation_error


def _places(one: View, other: View) -> set[int]:
    """Return where the columns of one part are among those of another."""
    return {place for place, column in enumerate(other.columns) if column in one.columns}


def _parts(sample: Sample, table: Table) -> tuple[list[View], list[str]]:
    """Return the parts of a table that have no missing values, and what is to be said of them."""
    if not sample.n_rows:
        raise ValueError("X has no rows.")
    parts = views(np.isnan(sample.rows), MIN_ROWS)
    if not parts:
        raise ValueError(
            f"Laws need at least {MIN_ROWS} rows with values; none of the columns has so many in "
            f"the {len(sample.rows)} rows. Give more rows, or fill missing values in."
        )
    notes = []
    seen = {column for view in parts for column in view.columns}
    left_out = [name for i, name in enumerate(table.names) if i not in seen]
    if left_out:
        notes.append(f"Left out, as too much is missing: {', '.join(left_out)}.")
    if sample.n_missing.any():
        notes.append("Values are missing: each law holds in the rows that have all its columns.")
    return parts, notes


def _confirmed(found: list[Relation], blocks: Iterable[Array]) -> list[Relation]:
    """Go through all rows, and keep the laws that hold in those that have all their columns."""
    squares, counts = np.zeros(len(found)), np.zeros(len(found), dtype=np.intp)
    for block in blocks:
        for i, relation in enumerate(found):
            with np.errstate(all="ignore"):
                imbalance = relation.imbalance(block)
            there = ~np.isnan(imbalance)
            squares[i] += float((imbalance[there] ** 2).sum())
            counts[i] += int(there.sum())
    errors = np.sqrt(squares / np.maximum(counts, 1))
    return [
        replace(relation, validation_error=float(error), n_rows=int(count))
        for relation, error, count in zip(found, errors, counts, strict=True)
        if error <= max(REFUTED * relation.validation_error, relation.rounding, EXACT)
    ]
