"""Dropped columns of a selection: formulas that compute them, and columns to drop instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gramian.explanations import Redundancy, RowsNeededError, explain
from gramian.formulas import quote, r_squared
from gramian.tables import Clock, Table, type_texts
from gramian.tabular._table_model import TableModel

ROUNDED = ("bool", "int", "uint", "decimal")
"""Beginnings of the texts of types that hold rounded numbers."""
DroppedKind = Literal[
    "levels", "law", "constant", "duplicate", "linear", "nonlinear", "partial", "unexplained"
]
"""Kinds of dropped columns, by the formula that computes them; see `DroppedColumn.kind`."""


@dataclass(frozen=True)
class DroppedColumn:
    """A column that a selection dropped, with the formula that computes it from kept columns.

    Attributes
    ----------
    column : str
        Name of the column.
    kind : str
        "levels": it is looked up by the levels (distinct values) of other columns. "law": an exact
        law computes it. "constant", "duplicate", "linear", "nonlinear", "partial": a formula of
        kept columns computes it, as in :class:`gramian.explanations.Redundancy`. "unexplained": no
        short formula was found.
    law : str or None
        The law or formula; None if `kind` is "unexplained".
    r2 : float or None
        Share of the column's variance that `law` explains. If `law` is None, the share that all
        functions of the kept columns explain together. None if the share was not computed.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> voltage, current = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> table = {"voltage": voltage, "current": current, "power": voltage * current}
    >>> gramian.select(table).dropped["power"]
    DroppedColumn(column='power', kind='law', law='power = voltage · current', r2=1.0)
    """

    column: str
    kind: DroppedKind
    law: str | None
    r2: float | None

    def __str__(self) -> str:
        explained = "" if self.r2 is None else f"R² {r_squared(self.r2)}"
        if self.law is None:
            notes = f" (all functions of the fit: {explained})" if explained else ""
            return f"{quote(self.column)}: no short formula{notes}"
        exact = self.kind in ("levels", "law", "constant")
        return self.law if exact or not explained else f"{self.law} ({explained})"


def dropped_columns(model: TableModel) -> dict[str, DroppedColumn]:
    """Return the dropped columns of a selection by name, columns of laws with text or dates first.

    Parameters
    ----------
    model : TableModel
        Fitted model that selects columns.
    """
    found = {
        each.column: DroppedColumn(
            each.column, "law" if each.is_formula else "levels", str(each), 1.0
        )
        for each in model.steps.beside.lookups
    }
    if not model.dropped:
        return found
    try:
        others = [_of_formula(each, model.steps.clocks) for each in explain(model.estimator)]
    except RowsNeededError:
        others = [DroppedColumn(name, "unexplained", None, None) for name in model.dropped]
    return found | {each.column: each for each in others}


def _of_formula(found: Redundancy, clocks: Mapping[str, Clock]) -> DroppedColumn:
    """Return an explained redundancy as a dropped column; a constant date is written as a date."""
    if not found.has_formula:
        return DroppedColumn(found.feature, "unexplained", None, found.full_r2)
    formula = str(found.formula)
    if found.kind == "constant" and found.feature in clocks:
        formula = clocks[found.feature].text(float(found({})))
    law = f"{quote(found.feature)} = {formula}"
    return DroppedColumn(found.feature, found.kind, law, found.r2)


def types_of(table: Table, features: Sequence[str], fitted: Any) -> dict[str, str]:
    """Return the types to which columns of a fit are converted when they are computed again.

    A column is converted to whole numbers, truth values or decimals only if a law computes it, or
    if it is constant: other columns are computed approximately, and would be rounded.

    Parameters
    ----------
    table : Table
        The table of the fit.
    features : sequence of str
        Names of the columns of the fit.
    fitted : fitted model
        The fitted model of the estimator.
    """
    variances = getattr(fitted, "variances", None)
    constant = [] if variances is None else np.flatnonzero(variances == 0).tolist()
    exact = {each.column for each in getattr(fitted, "laws", ())} | {features[i] for i in constant}
    return {
        name: text
        for name, text in type_texts(table).items()
        if name in features and (name in exact or not text.startswith(ROUNDED))
    }


def alternatives_of(
    model: TableModel, by_levels: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return for each dropped column the kept columns that could be dropped in its place.

    Dropped columns without such an alternative are not in the result.

    Parameters
    ----------
    model : TableModel
        Fitted model that selects columns.
    by_levels : mapping from str to sequence of str
        Alternatives of the columns that laws of levels compute, by name.
    """
    kept = {*model.kept, *model.steps.beside.labels}
    names, found = model.steps.columns, model.estimator.model_.search.alternatives
    every = {names[i]: [names[j] for j in others] for i, others in found.items()}
    given = {name: by_levels.get(name, ()) for name in model.steps.beside.given}
    chosen = {
        name: tuple(each for each in others if each in kept)
        for name, others in {**given, **every}.items()
    }
    return {name: others for name, others in chosen.items() if others}
