"""Candidate laws of a series: lags, differences, running means and sums of another column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.laws._cover import Implication, closure
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.columns import Printed, allowed_error
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
        if i not in table.clocks and len(np.unique(rows[:, i])) >= FEWEST_LEVELS
    ]
    if len(rows) < FEWEST_ROWS or len(numbers) > MOST_COLUMNS:
        return
    found: dict[tuple[int, int], SeriesCandidate] = {}
    for target in numbers:
        context.check_time()
        for source in numbers:
            if source == target or target in closure({source}, context.exact):
                continue
            made = _law(rows[:, source], rows[:, target])
            if made is not None:
                kind, n, start = made
                decimals = Printed.of(rows[:, target]).decimals
                law = Series(table.names[target], kind, table.names[source], n, start, decimals)
                found[source, target] = SeriesCandidate(law)
                break
    for (source, target), each in found.items():
        other = found.get((target, source))
        if other is None or each.law.kind == "total" or other.law.kind != "total":
            yield each


def _law(x: Array, y: Array) -> tuple[SeriesKind, int, float] | None:
    """Return the kind, the number of rows and the start of a series that gives y, else None."""
    allowed = allowed_error(y)
    kinds: list[tuple[SeriesKind, int]] = [
        ("total", 1),
        *(("lag", n) for n in BACK),
        *(("difference", n) for n in BACK),
        *(("mean", n) for n in WINDOWS),
        *(("sum", n) for n in WINDOWS),
    ]
    for kind, n in kinds:
        size = n + FIRST_ROWS
        middle = max(0, len(x) // 2 - size)
        few = slice(middle, middle + size)
        if _share(kind, n, x[few], y[few], allowed(y[few]))[0] < LEAST_SHARE:
            continue
        share, start = _share(kind, n, x, y, allowed(y))
        backwards = _share(kind, n, x[::-1], y[::-1], allowed(y[::-1]))[0]
        if share >= LEAST_SHARE and backwards < BY_CHANCE:
            return kind, n, start
    return None


def _share(kind: SeriesKind, n: int, x: Array, y: Array, allowed: Array) -> tuple[float, float]:
    """Return the share of rows in which a series gives y, and the number that is added."""
    made = computed_series(kind, x, n)
    missed = y - made
    there = ~np.isnan(missed)
    if there.sum() < FEWEST_ROWS:
        return 0.0, 0.0
    start = float(np.median(missed[there])) if kind == "total" else 0.0
    return float(np.mean(np.abs(missed[there] - start) <= allowed[there])), start
