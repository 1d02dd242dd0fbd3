"""The public function `relations`: finds the laws of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR, REFUTED
from gramian.laws._level_search import LevelFindings, find_level_laws
from gramian.laws._relation_collection import Relations
from gramian.laws._relation_maker import RelationMaker, in_order
from gramian.laws._search_progress import progress_for, time_check
from gramian.laws.candidates import ALL_STAGES, SIMPLE_STAGES
from gramian.laws.columns import (
    LOOKUP_ROWS,
    CodedTable,
    Sample,
    View,
    open_coded_table,
    sample_of,
    views,
)
from gramian.laws.forms import Relation
from gramian.tables import Clock

CHECKED_ROWS = 1000
"""About the number of rows by which `Relations.redundant` estimates errors."""
MIN_ROWS = 6
"""Least number of rows of a table whose laws are searched."""


class TooFewValuesError(ValueError):
    """Error for a table with too few values to find laws in."""


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

    No column is a target. Laws are polynomials of few terms, products of powers, sums,
    laws with logarithms, sines and cosines, thresholds and levels, in the columns and units of the
    table. A column of text is one variable with levels: it may follow from the levels of others,
    from an interval of a number or a part of a date, numbers may follow from it, and it may decide
    the slopes by which a number follows from others.

    Exact laws are found first, then laws that hold up to noise. Each law is tested on held-out
    rows, and must break when one of its columns is shuffled. A law that follows from others is not
    listed.

    Parameters
    ----------
    X : array, data frame, Arrow table, dict of columns, path, dataset, or Dask collection
        The table. In a large table a random sample of rows is searched, and all rows confirm the
        laws. Missing values are NaN. Columns may hold numbers, text, truth values
        or dates; dates are numbers in a unit that the result states.
    feature_names : sequence of str, optional
        The names of the columns; by default those of the table, else x0, x1, ...
    tolerance : float, default=0.05
        The largest error of a law, as a share of its largest term; 0 for exact laws only. For a
        lookup, the largest share of rows that break it.
    time_limit : float, optional
        Seconds after which the search stops and returns the laws found so far.
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
    if not isinstance(tolerance, Real) or not 0 <= float(tolerance) <= 0.5:
        raise ValueError(f"tolerance must be a share between 0 and 0.5; got {tolerance!r}.")
    if time_limit is not None and not float(time_limit) > 0:
        raise ValueError(f"time_limit must be a positive number of seconds; got {time_limit!r}.")
    check_time = time_check(None if time_limit is None else float(time_limit))
    opened = open_coded_table(X, feature_names)
    table = opened.ordered()
    sample = sample_of(table, random_state)
    numbers = table.numbers
    names, rows = tuple(table.names[i] for i in numbers), sample.rows[:, numbers]
    parts, notes = _parts(sample, table)
    maker = RelationMaker(names, rows)
    found = [maker.constant(i) for i in maker.constants]
    notes += [
        f"{names[i]} was left out: its values are so large that their differences are near "
        "rounding errors. Subtract the smallest first."
        for i in maker.too_large
    ]
    complete = True
    report = progress_for(verbose)
    for k, view in enumerate(parts):
        laws, in_time = maker.laws(
            view,
            ALL_STAGES,
            tolerance=float(tolerance),
            check_time=check_time,
            report=report,
            seed=random_state,
            settled=[_places(each, view) for each in parts[:k]],
        )
        found += laws
        complete = complete and in_time
    if not sample.is_all:
        found = _confirmed(found, (block[:, numbers] for block in table.blocks()))
    elif sample.n_missing.any():
        found = _confirmed(found, [rows])
    found.sort(key=_rank)
    dated = [each for each in found if _is_step_of_date(each, table)]
    others = [each for each in found if each not in dated]
    by_level = _level_laws(table, sample, others, float(tolerance), check_time, random_state)
    given = {each.form.column for each in by_level.lookups}
    found = [each for each in found if each not in dated or not given & {*each.columns}]
    found = [each for each in found if not any(law.says(each) for law in by_level.laws)]
    written = tuple(opened.names[i] for i in opened.numbers)
    found = [in_order(each, written) for each in found]
    some = rows[:: max(1, len(rows) // CHECKED_ROWS)].T.copy()
    return Relations(
        tuple(sorted([*found, *by_level.laws], key=lambda each: not each.exact)),
        opened.names,
        sample.n_rows,
        complete and by_level.complete,
        (*notes, *by_level.notes),
        dict(zip(names, some, strict=True)),
    )


def simple_laws(rows: Array, names: Sequence[str]) -> Relations:
    """Find exact sums, products of powers, steps, and functions of one or two columns.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        Rows without missing values.
    names : sequence of str
        The names of the columns.
    """
    if len(rows) < MIN_ROWS:
        return Relations((), tuple(names), len(rows))
    table = open_coded_table(rows, names)
    sample = sample_of(table, 0)
    maker = RelationMaker(table.names, sample.rows)
    view = View(np.arange(len(sample.rows)), tuple(range(len(names))))
    found, _ = maker.laws(view, SIMPLE_STAGES, tolerance=0.0)
    if not sample.is_all:
        found = _confirmed(found, table.blocks())
    found.sort(key=_rank)
    return Relations(tuple(found), table.names, sample.n_rows)


def level_laws_of(X: Any) -> tuple[Relations, dict[str, Clock]]:
    """Return the exact laws of levels in a table, and the clocks of its dates.

    Parameters
    ----------
    X : object
        The table, as `relations` takes it.
    """
    given = open_coded_table(X, None)
    table = given.ordered()
    sample = sample_of(table, 0, LOOKUP_ROWS)
    by_level = _level_laws(table, sample, [], 0.0, time_check(None), 0)
    clocks = {given.names[i]: clock for i, clock in given.clocks.items()}
    found = Relations(tuple(by_level.laws), given.names, sample.n_rows, notes=tuple(by_level.notes))
    return found, clocks


def _is_step_of_date(relation: Relation, table: CodedTable) -> bool:
    """Return True if a law is a step function of a date, which may be a part of the calendar."""
    dates = {table.names[i] for i in table.clocks}
    return relation.kind == "step" and bool(dates & {*relation.columns})


def _level_laws(
    table: CodedTable,
    sample: Sample,
    found: list[Relation],
    tolerance: float,
    check_time: Callable[[], None],
    seed: int,
) -> LevelFindings:
    """Find laws of levels, in as many rows as levels need."""
    rows, enough = sample.rows, sample.is_all or len(sample.rows) >= LOOKUP_ROWS
    if table.labels and not enough:
        rows = sample_of(table, seed, LOOKUP_ROWS).rows
    blocks = [rows] if len(rows) == sample.n_rows else table.blocks()
    return find_level_laws(table, rows, blocks, found, tolerance, check_time)


def _rank(relation: Relation) -> tuple[bool, int, int, float]:
    noisy = not relation.exact
    return noisy, len(relation.columns), len(relation.terms), relation.validation_error


def _places(one: View, other: View) -> set[int]:
    """Return the places, in another view, of the columns of a view."""
    return {place for place, column in enumerate(other.columns) if column in one.columns}


def _parts(sample: Sample, table: CodedTable) -> tuple[list[View], list[str]]:
    """Return the views of a table without missing values, and notes for the user."""
    if not sample.n_rows:
        raise TooFewValuesError("X has no rows. Give at least one.")
    numbers = table.numbers
    parts = views(np.isnan(sample.rows[:, numbers]), MIN_ROWS) if numbers else []
    if not parts and (numbers or sample.n_rows < MIN_ROWS):
        raise TooFewValuesError(
            f"Laws need at least {MIN_ROWS} rows with values; none of the columns has as many in "
            f"the {len(sample.rows)} rows. Give more rows, or fill missing values in."
        )
    notes = [f"{table.names[i]} counts {clock}." for i, clock in table.clocks.items()]
    seen = {numbers[column] for view in parts for column in view.columns}
    left_out = [table.names[i] for i in numbers if i not in seen]
    if left_out:
        notes.append(f"Left out, as too much is missing: {', '.join(left_out)}.")
    if sample.n_missing.any():
        notes.append("Values are missing: each law holds in the rows that have all its columns.")
    return parts, notes


def _confirmed(found: list[Relation], blocks: Iterable[Array]) -> list[Relation]:
    """Return the laws that hold in all rows that have all columns of the law."""
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
        if error <= max(REFUTED * relation.validation_error, relation.rounding, EXACT_ERROR)
    ]
