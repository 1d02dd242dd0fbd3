"""Candidate laws of a series: lags, differences, running means and sums of another column."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.time_limit import check_time
from gramian._support.types import Array
from gramian.laws._cover import Implication, closure
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.columns import Printed, allowed_error, numbers_rows
from gramian.laws.forms import Series, SeriesKind, computed_series
from gramian.laws.judge import LEAST_SHARE, SeriesTally

FEWEST_LEVELS = 12
"""A column with fewer distinct values takes no part: its values are equal by chance."""
FEWEST_ROWS = 30
"""Smallest number of rows of a series."""
FIRST_ROWS = 40
"""Number of neighbouring rows in which every law is tried."""
MOST_COLUMNS = 40
"""Series are searched in tables with at most this many numeric columns."""
BACK = range(1, 13)
"""Numbers of rows that lags and differences look back."""
WINDOWS = (*range(2, 15), 20, 21, 24, 28, 30, 50, 52, 60, 90, 100, 200, 365)
"""Numbers of rows in running means and sums."""
SeriesForm = tuple[SeriesKind, int]
"""The kind of a series, and the number of rows that it looks back."""
FORMS: tuple[SeriesForm, ...] = (
    ("total", 1),
    *(("lag", n) for n in BACK),
    *(("difference", n) for n in BACK),
    *(("mean", n) for n in WINDOWS),
    *(("sum", n) for n in WINDOWS),
)
"""Series that are tried, in this order."""
BY_CHANCE = 0.5
"""Largest share of the rows that obey a law of which the rows are in reverse order."""


@dataclass(frozen=True)
class SeriesCandidate:
    """A candidate law: a column is computed from earlier rows of another column."""

    law: Series

    @property
    def dependencies(self) -> list[Implication]:
        """An empty list: the other column gives the column only with all rows in their order."""
        return []

    def tally(self, context: LevelContext) -> SeriesTally:
        """Return a counter that will test the law on all rows; no rows are counted yet."""
        return SeriesTally(self.law, context.table.names)


def series(context: LevelContext) -> Iterator[SeriesCandidate]:
    """Yield for each column the shortest law of a series that most of the searched rows obey."""
    table, rows = context.table, context.rows
    numbers = [
        i
        for i in table.numbers
        if i not in table.clocks
        and len(np.unique(rows[:, i])) >= FEWEST_LEVELS
        and not numbers_rows(rows[:, i], table.names[i])
    ]
    if len(rows) < FEWEST_ROWS or not 1 < len(numbers) <= MOST_COLUMNS:
        return
    x = rows[:, numbers]
    allowed = np.column_stack([allowed_error(y)(y) for y in x.T])
    promising = [_promising(x, source, allowed) for source in range(len(numbers))]
    found: dict[tuple[int, int], SeriesCandidate] = {}
    for target, column in enumerate(numbers):
        check_time()
        for source, other in enumerate(numbers):
            kinds = promising[source].get(target, [])
            if source == target or not kinds or column in closure({other}, context.exact):
                continue
            made = _law(x[:, source], x[:, target], allowed[:, target], kinds)
            if made is not None:
                kind, n, start = made
                rounding = Printed.of(x[:, target]).rounding
                law = Series(table.names[column], kind, table.names[other], n, start, rounding)
                found[source, target] = SeriesCandidate(law)
                break
    for (source, target), each in found.items():
        back = found.get((target, source))
        if back is None or each.law.kind == "total" or back.law.kind != "total":
            yield each


def _promising(x: Array, source: int, allowed: Array) -> dict[int, list[SeriesForm]]:
    """Return the series of a column that give other columns in a few neighbouring rows.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The columns.
    source : int
        Index of the column of the series.
    allowed : array of shape (n_rows, n_columns)
        The largest error of each value.

    Returns
    -------
    found : dict from int to list
        For each column that may be given, the kinds and numbers of rows of the series.
    """
    found: dict[int, list[SeriesForm]] = {}
    for kind, n in FORMS:
        stop = max(len(x) // 2, min(n + FIRST_ROWS, len(x)))
        first, last = max(0, stop - n - FIRST_ROWS), slice(max(0, stop - FIRST_ROWS), stop)
        made = computed_series(kind, x[first:stop, source], n)[last.start - first :]
        shares, _ = _shares(kind, made, x[last], allowed[last])
        for target in np.flatnonzero(shares >= LEAST_SHARE).tolist():
            found.setdefault(target, []).append((kind, n))
    return found


def _law(
    x: Array, y: Array, allowed: Array, forms: Sequence[SeriesForm]
) -> tuple[SeriesKind, int, float] | None:
    """Return the kind, the number of rows and the start of a series that gives y, else None.

    Parameters
    ----------
    x, y : array of shape (n_rows,)
        The column of the series, and the column to give.
    allowed : array of shape (n_rows,)
        The largest error of each value of y.
    forms : sequence of pairs
        The kinds and numbers of rows to try.
    """
    for kind, n in forms:
        shares, starts = [], []
        for order in (slice(None), slice(None, None, -1)):
            made = computed_series(kind, x[order], n)
            share, start = _shares(kind, made, y[order, np.newaxis], allowed[order, np.newaxis])
            shares.append(float(share[0]))
            starts.append(float(start[0]))
        if shares[0] >= LEAST_SHARE and shares[1] < BY_CHANCE:
            return kind, n, starts[0]
    return None


def _shares(kind: SeriesKind, made: Array, y: Array, allowed: Array) -> tuple[Array, Array]:
    """Return for each column of y the share of rows that a series gives, and the number added.

    Parameters
    ----------
    kind : str
        The kind of series; a number is added to totals only.
    made : array of shape (n_rows,)
        The values of the series.
    y, allowed : array of shape (n_rows, n_columns)
        The columns to give, and the largest errors of their values.
    """
    missed = y - made[:, np.newaxis]
    n_there = np.sum(~np.isnan(missed), axis=0)
    starts = np.zeros(y.shape[1])
    if kind == "total":
        with warnings.catch_warnings():  # a column may have no values
            warnings.simplefilter("ignore", RuntimeWarning)
            starts = np.nanmedian(missed, axis=0)
    shares = np.sum(np.abs(missed - starts) <= allowed, axis=0) / np.maximum(n_there, 1)
    return np.where(n_there < FEWEST_ROWS, 0.0, shares), starts
