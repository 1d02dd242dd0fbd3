"""Explanation of dropped columns by laws, in place of formulas of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gramian._support.types import Array
from gramian.explanations._redundancies import Redundancy
from gramian.explanations._subject import Subject
from gramian.explanations._term_search import EXACT_SHARE
from gramian.fitting import FittedModel
from gramian.laws import ColumnLaw, LawFormula, simple_laws

PRINTED_R2 = 0.999
"""A law replaces a formula only if its R² is at least this; tables may have rounded values."""
SEARCHED_COLUMNS = 100
"""Laws are searched among at most this many columns, which takes a few seconds."""


def by_laws(
    found: Sequence[Redundancy], model: FittedModel, subject: Subject, table: Array | None
) -> list[Redundancy]:
    """Replace the formulas of redundancies by laws where possible; return all redundancies.

    Parameters
    ----------
    found : sequence of Redundancy
        Redundancies that are explained by formulas of the kept columns.
    model : FittedModel
        The fit. If it has laws, these laws are used.
    subject : Subject
        The names of the columns of the fit.
    table : array of shape (n_rows, n_columns), optional
        Rows on which laws are tested. If the fit has no laws, laws for columns without an exact
        formula are searched in these rows.
    """
    if model.laws:
        return [_by_law(each, model.laws, subject, table) for each in found]
    if table is None or not model.selects:
        return [*found]
    inexact = [each for each in found if each.kind != "constant" and each.r2 < 1 - EXACT_SHARE]
    laws = _laws_in(table, subject, [each.index for each in inexact])
    tested = {each.index: _by_law(each, laws, subject, table) for each in inexact}
    better = {i: each for i, each in tested.items() if each.r2 >= PRINTED_R2}
    return [better.get(each.index, each) for each in found]


def _laws_in(table: Array, subject: Subject, targets: Sequence[int]) -> tuple[ColumnLaw, ...]:
    """Search simple laws in a table; return those that compute columns from kept columns."""
    columns = [*subject.indices.tolist(), *targets]
    if not targets or len(columns) > SEARCHED_COLUMNS:
        return ()
    laws = simple_laws(table[:, columns], [subject.columns[i] for i in columns])
    return tuple(laws.computable(subject.names).values())


def _by_law(
    found: Redundancy, laws: Sequence[ColumnLaw], subject: Subject, table: Array | None
) -> Redundancy:
    """Return a redundancy with the law that computes its column; unchanged if there is no law.

    Parameters
    ----------
    found : Redundancy
        The dropped column, with a formula of the fit.
    laws : sequence of ColumnLaw
        The laws among the columns.
    subject : Subject
        The names of the columns of the fit.
    table : array or None
        Rows on which the law is tested.
    """
    places = {law.column: i for i, law in enumerate(laws)}
    if found.feature not in places:
        return found
    place = places[found.feature]
    law = laws[place]
    kept = tuple(subject.columns[i] for i in np.sort(subject.indices))
    formula = LawFormula(law, tuple(laws[:place]), kept)
    r2, tested, deviation = 1.0, None, 0.0
    if table is not None:
        y = table[:, found.index]
        values = formula(table[:, np.sort(subject.indices)])
        rest = np.where(np.isfinite(values), y - values, y - y.mean())
        deviation = float(np.sqrt(np.mean(rest**2)))
        r2 = tested = 1 - float(np.mean(rest**2) / (y.var() or 1.0))
    return replace(
        found,
        expression=formula,
        kind="law",
        r2=r2,
        validation_r2=tested,
        validated="on X",
        residual_std=deviation,
        full_r2=max(found.full_r2, r2),
        sources=dict.fromkeys(law.columns, 1.0),
    )
