"""Allowed errors: what a row of another table may miss each law by, learned from known rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from gramian._support.types import Array
from gramian.formulas import fraction
from gramian.laws._relation_maker import RelationMaker
from gramian.laws.columns import CodedTable, Printed, Sample, TableRows, numbers_of
from gramian.laws.forms import SAME_NUMBER, AllowedError, LevelLaw, Lookup, Relation, Series
from gramian.laws.judge import (
    NOISE_MARGIN,
    allowed_error_of,
    is_rounded_once,
    with_uncertain_scale,
)

ROUNDED_TWICE = 2.2
"""A row obeys a maximum, or slopes, that miss it by at most this many half units."""
KNOWN_DIGITS = 3
"""A coefficient of at most so many digits, such as 1.19, is known; rows determine others."""
SMALLEST = 1e-12
"""Least error that the terms of an equation may have, as a share of the largest term."""


def with_allowed_errors(
    relations: Sequence[Relation], maker: RelationMaker, blocks: Callable[[], Iterable[Array]]
) -> list[Relation]:
    """Return laws among numbers with their allowed errors.

    The check of a law decides which rows are its exceptions, so that the table in which a law was
    found has as many broken rows as the law states.

    Parameters
    ----------
    relations : sequence of Relation
        The laws, among the columns of `maker`.
    maker : RelationMaker
        The rows in which they were found.
    blocks : callable
        Returns all rows of the table, block by block.
    """
    found = [_with_allowed_error(each, maker) for each in relations]
    some = [i for i, each in enumerate(found) if each.n_exceptions]
    broken = dict.fromkeys(some, 0)
    for block in blocks() if some else ():
        table = dict(zip(maker.names, block.T, strict=True))
        for i in some:
            broken[i] += int(found[i].check.outcome(table).broken.sum())
    for i, n_broken in broken.items():
        found[i] = replace(found[i], n_exceptions=n_broken)
    return found


def _with_allowed_error(relation: Relation, maker: RelationMaker) -> Relation:
    """Return a law among numbers with its allowed error.

    Parameters
    ----------
    relation : Relation
        The law, among the columns of `maker`.
    maker : RelationMaker
        The rows in which it was found.
    """
    places = [maker.names.index(name) for name in relation.columns]
    rows = maker.rows[~np.isnan(maker.rows[:, places]).any(axis=1)]
    noisy = bool(relation.typical_error)
    holds = np.ones(len(rows), dtype=bool)
    if relation.n_exceptions:
        holds = maker.holds(relation._law, rows, relation._target)
    table = dict(zip(maker.names, rows.T, strict=True))
    solved = relation.solved
    with np.errstate(all="ignore"):
        if solved is None:
            missed = np.abs(relation.imbalance(rows))
            largest = NOISE_MARGIN * float(np.max(missed, initial=0.0, where=holds))
            return replace(relation, allowed_error=AllowedError(0.0, max(largest, SMALLEST)))
        made = np.broadcast_to(solved(table), len(rows))
        cells = table[solved.column]
        if relation.n_exceptions:
            half = _half_unit(cells)
            missed = np.abs(made - cells)
            width = half + SAME_NUMBER * (half + np.abs(made))
            # Errors a little beyond the last digit are rounding, too, if many rows have them.
            holds = missed <= width if is_rounded_once(missed, width) else holds
        found = allowed_error_of(made, cells, holds, noisy=noisy)
        if not noisy and _is_fitted(relation):
            found = with_uncertain_scale(found, made, cells, holds)
        return replace(relation, allowed_error=found)


def _is_fitted(relation: Relation) -> bool:
    """Return True if a coefficient has so many digits that rows must have determined it."""
    return any(
        fraction(abs(term.coefficient)) is None
        and float(f"{term.coefficient:.{KNOWN_DIGITS - 1}e}") != term.coefficient
        for term in relation.terms
    )


def level_law_with_allowed_error(law: LevelLaw, table: CodedTable, sample: Sample) -> LevelLaw:
    """Return a law of levels with its allowed error.

    Parameters
    ----------
    law : Dependency or SlopeLaw
        The law.
    table : CodedTable
        The table in which it was found.
    sample : Sample
        Rows of the table.
    """
    form = law.form
    if form.gives_dates:
        return law
    if isinstance(form, Lookup):
        return replace(law, allowed_error=form.allowed_error)
    rows = TableRows(table, sample.rows)
    cells = numbers_of(rows[form.column])
    if isinstance(form, Series) and not sample.is_all:
        return replace(law, allowed_error=AllowedError(ROUNDED_TWICE * _half_unit(cells), 0.0))
    with np.errstate(all="ignore"):
        made = np.asarray(form(rows), dtype=np.float64)
        near = np.abs(made - cells) <= ROUNDED_TWICE * _half_unit(cells) + SAME_NUMBER * np.abs(
            made
        )
    noisy = not law.exact and not law.n_exceptions
    holds = np.isfinite(made) if noisy or law.exact else near
    return replace(law, allowed_error=allowed_error_of(made, cells, holds, noisy=noisy))


def _half_unit(cells: Array) -> float:
    """Return half a unit of the last digit of a column; 0 for numbers with all digits."""
    decimals = Printed.of(cells).decimals
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals
