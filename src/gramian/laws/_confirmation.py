"""Confirmation: all rows of a table test the laws that were found in some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR, REFUTED
from gramian.laws._relation_maker import RelationMaker
from gramian.laws.candidates import step_law
from gramian.laws.forms import Relation, terms_of
from gramian.laws.judge import LEAST_SHARE, rows_reproduced

MOST_BROKEN = 10_000
"""Number of rows that break a step function above which its thresholds stay as they are."""
FEWER = 0.1
"""The share of all rows that obey a law may be less by this than that of the searched rows."""
MOST_PASSES = 3
"""Number of passes over a table that change thresholds: each shows rows on one side of them."""


class Count(NamedTuple):
    """Rows of a table that obey a law and rows that break it, counted."""

    error: float
    """Root mean square of `Relation.imbalance` in the rows that obey the law.

    For a law with noise, the root mean square error of the column that the law gives.
    """
    n_obeying: int
    n_exceptions: int


def confirmed(
    maker: RelationMaker, found: Sequence[Relation], blocks: Callable[[], Iterable[Array]]
) -> list[Relation]:
    """Test laws on all rows without missing values in their columns; return those that hold.

    An exact law may have exceptions; a law with noise must not have a larger error. Rows that
    were not searched may show that a threshold is another number near by.

    Parameters
    ----------
    maker : RelationMaker
        The maker of the laws, which has the searched rows.
    found : sequence of Relation
        The laws.
    blocks : callable
        Returns all rows of the table, block by block.
    """
    counts, broken = _counted(maker, found, blocks())
    for _ in range(MOST_PASSES):
        moved = [
            _with_thresholds(maker, each, rows) if len(rows) else each
            for each, rows in zip(found, broken, strict=True)
        ]
        if all(one is other for one, other in zip(moved, found, strict=True)):
            break
        found = moved
        counts, others = _counted(maker, found, blocks())
        broken = [np.concatenate(both) for both in zip(broken, others, strict=True)]
    laws = (_confirmed(*each) for each in zip(found, counts, strict=True))
    return [each for each in laws if each is not None]


def _confirmed(relation: Relation, count: Count) -> Relation | None:
    """Return a law with its errors in all rows; None if the rows do not confirm the law."""
    n_rows = count.n_obeying + count.n_exceptions
    if relation.typical_error:
        times = count.error / relation.typical_error
        if not times <= REFUTED:
            return None
        r2 = 1 - times**2 * (1 - relation.r2)
        return replace(relation, typical_error=count.error, r2=r2, n_rows=n_rows)
    if count.n_obeying < _least_share(relation) * n_rows:
        return None
    if count.error > max(REFUTED * relation.validation_error, relation.rounding, EXACT_ERROR):
        return None
    return replace(
        relation,
        validation_error=count.error,
        n_rows=n_rows,
        n_exceptions=count.n_exceptions,
    )


def _least_share(relation: Relation) -> float:
    """Return the smallest share of all rows that must obey a law found in some rows."""
    return min(LEAST_SHARE, relation.share - FEWER)


def _counted(
    maker: RelationMaker, found: Sequence[Relation], blocks: Iterable[Array]
) -> tuple[list[Count], list[Array]]:
    """Return for each law the rows that obey it, counted, and some rows that break it.

    Rows that break a law are returned for step functions only.
    """
    obeying = [_obeying(maker, each) for each in found]
    squares, counts = np.zeros(len(found)), np.zeros(len(found), dtype=np.intp)
    exceptions = np.zeros(len(found), dtype=np.intp)
    broken: list[list[Array]] = [[] for _ in found]
    for block in blocks:
        for i, relation in enumerate(found):
            errors_of_rows = maker.errors(relation, block)
            there = ~np.isnan(block[:, relation._law.columns]).any(axis=1)
            if relation.exact or relation.n_exceptions:
                obeys = obeying[i](block)
                breaks = there & ~obeys
                exceptions[i] += int(breaks.sum())
                if relation.kind == "step" and exceptions[i] <= MOST_BROKEN:
                    broken[i].append(block[breaks])
                there &= obeys
            there &= ~np.isnan(errors_of_rows)
            squares[i] += float((errors_of_rows[there] ** 2).sum())
            counts[i] += int(there.sum())
    errors = np.sqrt(squares / np.maximum(counts, 1))
    none = maker.rows[:0]
    return (
        [*map(Count, errors.tolist(), counts.tolist(), exceptions.tolist())],
        [np.concatenate([none, *rows]) for rows in broken],
    )


def _obeying(maker: RelationMaker, relation: Relation) -> Callable[[Array], NDArray[np.bool_]]:
    """Return a function from rows to a mask of those that obey a law as the searched rows do.

    If these obey it to the precision of float64, or give each cell of its column to the last
    digit, a row that misses it by one unit of the last digit breaks it.

    Parameters
    ----------
    maker : RelationMaker
        The maker of the laws, which has the searched rows.
    relation : Relation
        The law.
    """
    law, target = relation._law, relation._target
    if relation.exact and not relation.rounding:
        return lambda rows: np.abs(relation.imbalance(rows)) <= EXACT_ERROR
    if relation.exact and target is not None:
        there = ~np.isnan(maker.rows[:, law.columns]).any(axis=1)
        if rows_reproduced(law, maker.values(maker.rows[there]), target).all():
            return lambda rows: rows_reproduced(law, maker.values(rows), target)
    return lambda rows: maker.holds(law, rows, target)


def _with_thresholds(maker: RelationMaker, relation: Relation, rows: Array) -> Relation:
    """Return a step function with thresholds that further rows obey, too, if there are any.

    Parameters
    ----------
    maker : RelationMaker
        The maker of the law, which has the searched rows.
    relation : Relation
        The step function of the searched rows.
    rows : array of shape (n_rows, n_columns)
        Rows of the table that break it.
    """
    law = relation._law
    compared = {i for each in law.monomials for (i, atom), _ in each if atom != "x"}
    plain = {*law.columns} - compared
    if len(compared) != 1 or len(plain) != 1:
        return relation
    (column,), (source,) = plain, compared
    there = ~np.isnan(maker.rows[:, law.columns]).any(axis=1)
    every = np.concatenate([maker.rows[there], rows])
    new = step_law(maker.values(every), column, source)
    if new is None or new.monomials == law.monomials or len(new.monomials) != len(law.monomials):
        return relation
    if not np.allclose(new.coefficients, law.coefficients / -law.coefficients[0]):
        return relation
    raw = tuple((term[0], each) for term, each in zip(relation._raw, new.monomials, strict=True))
    return replace(relation, _law=new, _raw=raw, terms=terms_of(raw, maker.names))
