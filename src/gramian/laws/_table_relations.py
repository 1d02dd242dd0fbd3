"""The public function `relations`: finds the laws of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from gramian._support.blas import threads_for
from gramian._support.time_limit import part_of_time, time_limited
from gramian._support.types import Array, IntArray
from gramian._support.words import counted
from gramian.laws._confirmation import confirmed
from gramian.laws._errors_in_rows import level_law_with_allowed_error, with_allowed_errors
from gramian.laws._exceptional_rows import breaks_by_wrong_cells, is_line_through_two_points
from gramian.laws._law_tolerances import EXACT_ERROR
from gramian.laws._level_search import GroupedBlock, LevelFindings, find_level_laws
from gramian.laws._notes import GAPS, unit_notes, unsearched_note
from gramian.laws._relation_collection import Relations
from gramian.laws._relation_maker import RelationMaker
from gramian.laws._search_progress import StageReport, progress_for
from gramian.laws.candidates import ALL_STAGES, SIMPLE_STAGES, SMALL_TABLE
from gramian.laws.columns import (
    LOOKUP_ROWS,
    CodedTable,
    Sample,
    View,
    column_facts,
    groups_of_table,
    open_coded_table,
    sample_of,
    sampled_once,
    views,
    without_copies,
)
from gramian.laws.forms import Relation, in_order, rounding_of_result
from gramian.laws.judge import SEARCHED_ROWS
from gramian.tables import Clock

CHECKED_ROWS = 1000
"""Approximate number of rows that `Relations` stores, to estimate errors in `redundant`."""
MIN_ROWS = 6
"""Laws are searched only in tables (or views of tables) with at least this many rows."""

TIME_OF_NUMBERS = 0.6
"""Share of a time limit that the search for laws among numbers may take; laws of levels follow."""
TIME_OF_VIEW = 0.7
"""Share of the time left that the search in one view may take, if other views follow."""


class TooFewValuesError(ValueError):
    """Error for a table that has too few values to find laws."""


def relations(
    X: Any,
    feature_names: Sequence[str] | None = None,
    *,
    tolerance: float = 0.05,
    time_limit: float | None = None,
    random_state: int = 0,
    verbose: int = 0,
    groups: Any = None,
) -> Relations:
    """Find the laws among the columns of a table.

    No column is a target. Laws among numbers are sums, products of powers, polynomials of few
    terms, and laws with logarithms, exponentials, sines, cosines or thresholds, in the units of the
    table. Laws of levels use the distinct values (levels) of a column, intervals of a number, or a
    part of a date: these levels determine a text, a number or a date (a lookup), or the slopes of a
    linear formula. A date may also be composed of columns with its year, month and day.

    Exact laws are found first, then laws with noise. Each law is tested on held-out rows, and its
    error must grow when one of its columns is shuffled. A law that is a consequence of other laws
    is not returned.

    Parameters
    ----------
    X : array, data frame, Arrow table or stream, dict of columns, path, dataset, or Dask collection
        The table. In a large table, laws are searched in a random sample of rows, and tested on all
        rows. Missing values are NaN. Columns may hold numbers, text, truth values or dates; dates
        become numbers, in a unit that `notes` of the result states.
    feature_names : sequence of str, optional
        The names of the columns; by default the names in the table, or x0, x1, ...
    tolerance : float, default=0.05
        The largest error of a law with noise: the root mean square error of the column that it
        gives, on held-out rows, as a share of the standard deviation of the column. 0.05 is an R²
        of 0.9975; 0 is for laws without noise. For a lookup, the largest share of rows that may
        break it. More may do so if they have wrong cells: values that no level has.
    time_limit : float, optional
        Seconds after which the search stops and returns the laws found so far.
    random_state : int, default=0
        The seed of the random choice of sampled and held-out rows.
    verbose : int, default=0
        1 prints the progress and the remaining time to standard error; 0 prints nothing.
    groups : array-like of shape (n_rows,) or str, optional
        Labels of the rows, or the name of the column that holds them, such as patients. Rows of a
        label are held out together, and are one observation of a law. A column that is named here
        is still searched for laws; leave it out of X, and give its values, if it shall not be.

    Returns
    -------
    relations : Relations
        The laws, as a sequence that can be printed.

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
    share = float(tolerance)
    with time_limited(time_limit):
        opened = open_coded_table(X, feature_names)
        return laws_of_coded(opened, groups, share, share, progress_for(verbose), random_state)


def laws_of_mixed(
    X: Any, groups: Any = None, share: float = 0.0, *, of_numbers: bool = True
) -> tuple[Relations, dict[str, Clock]]:
    """Return the laws of a table without noise, and the clocks of its date columns.

    A clock converts the dates of a column to numbers.

    Parameters
    ----------
    X : object
        The table, of any kind that `relations` accepts.
    groups : array-like of shape (n_rows,), optional
        The parameter of `relations`.
    share : float, default=0.0
        The largest share of rows that may break a lookup.
    of_numbers : bool, default=True
        False to search only laws of levels: distinct values of some columns, which determine
        another column.
    """
    opened = open_coded_table(X, None)
    clocks = _clocks_of(opened)
    if of_numbers:
        try:
            return laws_of_coded(opened, groups, 0.0, share, progress_for(0), 0), clocks
        except TooFewValuesError:  # laws of levels need fewer values
            pass
    table = opened.ordered()
    sampled = sampled_once(table, 0, LOOKUP_ROWS, groups_of_table(table, groups))
    by_level = _level_laws(sampled.table, sampled.sample, [], share, 0, sampled.groups)
    laws, notes = tuple(by_level.laws), tuple(by_level.notes)
    return Relations(laws, opened.names, sampled.n_rows, by_level.complete, notes), clocks


def clocks_of_table(X: Any) -> dict[str, Clock]:
    """Return the clocks that convert the dates of a table to numbers, by the names of the columns.

    Parameters
    ----------
    X : object
        The table, of any kind that `relations` accepts.
    """
    return _clocks_of(open_coded_table(X, None))


def _clocks_of(opened: CodedTable) -> dict[str, Clock]:
    return {opened.names[i]: clock for i, clock in opened.clocks.items()}


def laws_of_coded(
    opened: CodedTable,
    groups: Any,
    tolerance: float,
    share: float,
    report: StageReport,
    seed: int,
) -> Relations:
    """Find the laws of a table.

    Parameters
    ----------
    opened : CodedTable
        The table.
    groups
        The parameter of `relations`.
    tolerance, share : float
        The parameter `tolerance` of `relations`, for laws among numbers and for lookups.
    report : callable
        Is told about each stage of the search.
    seed : int
        The seed of the random choice of rows.
    """
    table = opened.ordered()
    sampled = sampled_once(table, seed, groups=groups_of_table(table, groups))
    table, sample = sampled.table, sampled.sample
    numbers = table.numbers
    names, rows = tuple(table.names[i] for i in numbers), sample.rows[:, numbers]
    parts, notes = _parts(sample, table)
    dates = {place for place, i in enumerate(numbers) if i in table.clocks}
    maker = RelationMaker(names, rows, sample.groups, dates)
    found = [maker.constant(i) for i in maker.constants]
    notes += [
        f"{names[i]} was left out: its values are so large that their differences are near "
        "rounding errors. Subtract the smallest first."
        for i in maker.too_large
    ]
    with part_of_time(TIME_OF_NUMBERS) as limit:
        for k, view in enumerate(parts):
            with part_of_time(1.0 if k == len(parts) - 1 else TIME_OF_VIEW):
                found += maker.laws(
                    view,
                    ALL_STAGES,
                    tolerance=tolerance,
                    report=report,
                    seed=seed,
                    settled=[_places(each, view) for each in parts[:k]],
                )

    def every() -> Iterable[Array]:
        return [rows] if sample.is_all else (block[:, numbers] for block in table.blocks())

    if not sample.is_all or sample.n_missing.any() or len(rows) > SEARCHED_ROWS:
        found = confirmed(maker, found, every)
    found = [each for each in found if breaks_by_wrong_cells(each, maker, rows)]
    found = [each for each in found if not is_line_through_two_points(each, rows)]
    found.sort(key=_rank)
    dated = [each for each in found if _is_step_of_date(each, table)]
    others = [each for each in found if each not in dated]
    by_level = _level_laws(table, sample, others, share, seed, sampled.groups)
    given = {each.form.column for each in by_level.lookups}
    found = [each for each in found if each not in dated or not given & {*each.columns}]
    found = [each for each in found if not any(law.says(each) for law in by_level.laws)]
    if maker.n_unsearched:
        noisy = {each.gives for each in found if each.typical_error}
        notes.append(unsearched_note(maker.n_unsearched - len(noisy), SMALL_TABLE))
    written = tuple(opened.names[i] for i in opened.numbers)
    clocks = _clocks_of(opened)
    found = with_allowed_errors(found, maker, every)
    found = [replace(in_order(each, written), _clocks=clocks) for each in found]
    levels = [level_law_with_allowed_error(each, table, sample) for each in by_level.laws]
    some = rows[:: max(1, len(rows) // CHECKED_ROWS)].T.copy()
    known = {each.name: each for each in column_facts(table, sample.rows)}
    columns = dict(zip(names, rows.T, strict=True))
    for law in (each.solved for each in found if each.exact):
        if law is not None and rounding_of_result(law, columns).half_up:
            known[law.column] = replace(known[law.column], half_up=True)
    facts = tuple(known[name] for name in opened.names)
    return Relations(
        tuple(sorted([*found, *levels], key=lambda each: not each.exact)),
        opened.names,
        sampled.n_rows,
        by_level.complete and not limit.reached,
        (*notes, *by_level.notes),
        facts,
        dict(zip(names, some, strict=True)),
    )


def simple_laws(rows: Array, names: Sequence[str]) -> Relations:
    """Find simple laws: sums, products of powers, steps, and functions of one or two columns.

    They hold exactly, or up to the rounding of the numbers in the table.

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
    found = maker.laws(view, SIMPLE_STAGES, tolerance=0.0)
    if not sample.is_all or len(rows) > SEARCHED_ROWS:
        found = confirmed(maker, found, table.blocks)
    found.sort(key=_rank)
    return Relations(tuple(found), table.names, sample.n_rows)


def _is_step_of_date(relation: Relation, table: CodedTable) -> bool:
    """Return True if a law has thresholds of a date; a lookup by month or weekday may be better."""
    dates = {table.names[i] for i in table.clocks}
    return relation.kind == "step" and bool(dates & {*relation.columns})


def _level_laws(
    table: CodedTable,
    sample: Sample,
    found: list[Relation],
    tolerance: float,
    seed: int,
    groups: IntArray | None,
) -> LevelFindings:
    """Find the laws of levels, in a larger sample of rows if the table has text columns.

    In a law of levels, distinct values of some columns determine another column.

    Parameters
    ----------
    table : CodedTable
        All rows of the table.
    sample : Sample
        The rows in which laws among numbers were searched.
    found : list of Relation
        The laws among numbers.
    tolerance : float
        The parameter of `find_level_laws`.
    seed : int
        The seed of the random choice of rows.
    groups : array of shape (n_rows,), or None
        The number of the group of each row of the table, if the user gave groups.
    """
    enough = sample.is_all or len(sample.rows) >= LOOKUP_ROWS
    if table.labels and not enough:
        sample = sample_of(table, seed, LOOKUP_ROWS, groups)
    blocks: Iterable[GroupedBlock]
    blocks = [(sample.rows, sample.groups)] if sample.is_all else _in_blocks(table, groups)
    rows, some = without_copies(sample.rows, sample.groups)
    with threads_for(0), np.errstate(all="ignore"):  # many small factorizations
        in_order = sample.is_all and len(rows) == len(sample.rows)
        return find_level_laws(table, rows, blocks, found, tolerance, some, in_order)


def _in_blocks(table: CodedTable, groups: IntArray | None) -> Iterator[GroupedBlock]:
    """Read a table block by block; yield each block with the groups of its rows."""
    before = 0
    for block in table.blocks():
        after = before + len(block)
        yield block, None if groups is None else groups[before:after]
        before = after


def _rank(relation: Relation) -> tuple[bool, int, int, float, list[str]]:
    """Return a key that sorts laws; the errors of exact laws are rounding errors, and equal."""
    error = relation.validation_error if relation.validation_error > EXACT_ERROR else 0.0
    names = sorted(relation.columns)
    return not relation.exact, len(names), len(relation.terms), error, names


def _places(one: View, other: View) -> set[int]:
    """Return the positions in view `other` of the columns that are also in view `one`.

    A view is a set of rows and columns without missing values.
    """
    return {place for place, column in enumerate(other.columns) if column in one.columns}


def _parts(sample: Sample, table: CodedTable) -> tuple[list[View], list[str]]:
    """Return parts of a table without missing values (views), and notes for the user."""
    if not sample.n_rows:
        raise TooFewValuesError("The table has no rows.")
    numbers = table.numbers
    parts = views(np.isnan(sample.rows[:, numbers]), MIN_ROWS) if numbers else []
    if not parts and (numbers or sample.n_rows < MIN_ROWS):
        raise TooFewValuesError(
            f"Laws need at least {MIN_ROWS} rows with values, and no column has as many in "
            f"{counted(len(sample.rows), 'row')}. Give more rows, or fill missing values in."
        )
    notes = unit_notes({table.names[i]: clock for i, clock in table.clocks.items()})
    seen = {numbers[column] for view in parts for column in view.columns}
    left_out = [table.names[i] for i in numbers if i not in seen]
    if left_out:
        few = "too few cells hold a number, a text or a date"
        notes.append(f"Left out, as {few}: {', '.join(left_out)}.")
    if sample.n_missing.any():
        notes.append(GAPS)
    return parts, notes
