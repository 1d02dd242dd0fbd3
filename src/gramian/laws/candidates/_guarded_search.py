"""Candidate guarded laws: formulas that hold where a category has one of its values.

A patient without a relapse has the same time to relapse or death as to death.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gramian._support.time_limit import check_time
from gramian._support.types import Array
from gramian.laws._cover import Implication, closure
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.columns import FEW_LEVELS, Cell, allowed_error, numbers_rows
from gramian.laws.forms import Guarded, LawWriter, Monomial, RawTerm
from gramian.laws.judge import MOST_ELSEWHERE, GuardedTally

FEWEST_DIFFERENT = 12
"""Numbers have at least this many distinct values where a guarded law holds."""
MOST_NUMBERS = 20
"""Guarded laws are searched in tables with at most this many columns of many numbers."""
MOST_GUARDS = 12
"""Guards are at most this many columns, those with the fewest levels."""
SCREENED = 24
"""Number of rows of a level in which all formulas are tried."""


@dataclass(frozen=True)
class GuardedCandidate:
    """A candidate law: a formula of numbers where another column has a certain value."""

    law: Guarded
    level: float
    """The value of the guard; for text, the number of the text."""
    n_rows: int
    """Number of searched rows in which the formula holds because of the guard."""

    @property
    def dependencies(self) -> list[Implication]:
        """An empty list: in the other rows, nothing follows."""
        return []

    def tally(self, context: LevelContext) -> GuardedTally:
        """Return a counter that will test the law on all rows; no rows are counted yet."""
        return GuardedTally(self.law, self.level, context.table.names)


def guarded_laws(context: LevelContext) -> Iterator[GuardedCandidate]:
    """Yield formulas that hold where one column has a certain value, and not elsewhere.

    Of several values with the same formula, that with the most rows is yielded.
    """
    cells, table = context.cells, context.table
    numbers = [
        i
        for i in table.numbers
        if i not in table.clocks
        and cells.n_levels[i] >= FEWEST_DIFFERENT
        and not numbers_rows(_present(cells.x[:, i]), table.names[i])
    ]
    guards = [i for i in range(cells.n_columns) if 2 <= cells.n_levels[i] <= FEW_LEVELS]
    guards = sorted(guards, key=lambda i: cells.n_levels[i])[:MOST_GUARDS]
    if not 2 <= len(numbers) <= MOST_NUMBERS:
        return
    best: dict[tuple[RawTerm, ...], GuardedCandidate] = {}
    for guard in guards:
        check_time()
        for level in np.unique(cells.x[cells.codes[:, guard] >= 0, guard]).tolist():
            for terms, n_rows in _formulas(context, numbers, guard, cells.x[:, guard] == level):
                known = best.get(terms)
                if known is None or known.n_rows < n_rows:
                    best[terms] = _candidate(context, guard, level, terms, n_rows)
    yield from best.values()


def _candidate(
    context: LevelContext, guard: int, level: float, terms: tuple[RawTerm, ...], n_rows: int
) -> GuardedCandidate:
    """Return a candidate; `terms` add up to zero, and that of the computed column is the first."""
    table = context.table
    column = terms[0][1][0][0][0]
    solution = LawWriter(table.names, [1] * len(table.names)).solve(terms, column)
    assert solution is not None
    labels = table.labels.get(guard)
    shown: Cell = level if labels is None else labels[int(level)]
    return GuardedCandidate(Guarded(table.names[guard], shown, solution), level, n_rows)


def _formulas(
    context: LevelContext, numbers: Sequence[int], guard: int, there: NDArray[np.bool_]
) -> Iterator[tuple[tuple[RawTerm, ...], int]]:
    """Yield formulas that hold in some rows and not elsewhere, with the number of these rows.

    Parameters
    ----------
    context : LevelContext
        The table.
    numbers : sequence of int
        The columns of many numbers.
    guard : int
        The column that tells the rows from the others. A law of all rows that contains it may give
        a column; then the formula is a consequence.
    there : array of bool
        The rows.
    """
    x = context.cells.x
    inside, outside = x[there], x[~there]
    varying = [i for i in numbers if len(np.unique(_present(inside[:, i]))) >= FEWEST_DIFFERENT]
    whole = inside[~np.isnan(inside[:, varying]).any(axis=1)] if varying else inside[:0]
    few = whole[:: max(1, len(whole) // SCREENED)][:, varying]
    if len(few) < FEWEST_DIFFERENT:
        return
    allowed = np.column_stack(
        [allowed_error(_present(x[:, i]))(few[:, k]) for k, i in enumerate(varying)]
    )
    tied: list[Implication] = []
    for size, kind in ((1, "sum"), (2, "sum"), (2, "product")):
        for chosen in combinations(range(len(varying)), size):
            causes = [varying[k] for k in chosen]
            close = np.abs(few - _made(kind, few[:, list(chosen)])[:, np.newaxis]) <= allowed
            given = [varying[k] for k in np.flatnonzero(close.all(axis=0)) if k not in chosen]
            for effect in given:
                if effect in closure([*causes, guard], [*context.exact, *tied]):
                    continue
                if _share(kind, inside, causes, effect) < 1:
                    continue
                if _share(kind, outside, causes, effect) > MOST_ELSEWHERE:
                    continue
                tied += [(frozenset(causes), effect)]
                tied += [(frozenset([effect]), causes[0])] if size == 1 else []
                yield _terms(kind, causes, effect), int(there.sum())


def _made(kind: str, parts: Array) -> Array:
    """Return the sum or product of some columns in each row."""
    made: Array = parts.sum(axis=1) if kind == "sum" else parts.prod(axis=1)
    return made


def _share(kind: str, rows: Array, causes: Sequence[int], effect: int) -> float:
    """Return the share of rows without missing values in which a formula gives a column."""
    rows = rows[:, [*causes, effect]]
    rows = rows[~np.isnan(rows).any(axis=1)]
    if not len(rows):
        return 1.0
    cells = rows[:, -1]
    return float(np.mean(np.abs(_made(kind, rows[:, :-1]) - cells) <= allowed_error(cells)(cells)))


def _present(x: Array) -> Array:
    """Return the values of a column that are not missing."""
    return x[~np.isnan(x)]


def _terms(kind: str, causes: Sequence[int], effect: int) -> tuple[RawTerm, ...]:
    """Return the terms of a sum or product that add up to zero."""
    own: Monomial = (((effect, "x"), 1),)
    if kind == "sum":
        return (1.0, own), *((-1.0, (((i, "x"), 1),)) for i in sorted(causes))
    return (1.0, own), (-1.0, tuple(((i, "x"), 1) for i in sorted(causes)))
