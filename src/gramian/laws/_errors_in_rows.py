"""Allowed errors: what a row of another table may miss each law by, learned from known rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gramian._support.types import Array
from gramian.laws._relation_maker import RelationMaker
from gramian.laws.columns import CodedTable, Printed, Sample, TableRows, numbers_of
from gramian.laws.forms import SAME_NUMBER, AllowedError, LevelLaw, Lookup, Relation, Series
from gramian.laws.judge import allowed_error_of

ROUNDED_TWICE = 2.2
"""A row obeys a maximum, or slopes, that miss it by at most this many half units."""
SMALLEST = 1e-12
"""Least error that the terms of an equation may have, as a share of the largest term."""


def with_allowed_error(relation: Relation, maker: RelationMaker) -> Relation:
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
            # The error of an equation has no digits in which it was rounded.
            found = allowed_error_of(missed, np.zeros(len(missed)), holds, noisy=True)
            share = max(found.absolute, SMALLEST)
            return replace(relation, allowed_error=AllowedError(0.0, share))
        made = np.broadcast_to(solved(table), len(rows))
        cells = table[solved.column]
        return replace(relation, allowed_error=allowed_error_of(made, cells, holds, noisy=noisy))


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
