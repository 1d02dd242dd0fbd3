"""Dropped columns of a selection: the laws that give them, and columns to drop in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gramian.explanations import Redundancy, RowsNeededError, explain
from gramian.formulas import quote, r_squared
from gramian.tabular._table_model import TableModel

DroppedKind = Literal[
    "levels", "law", "constant", "duplicate", "linear", "nonlinear", "partial", "unexplained"
]


@dataclass(frozen=True)
class DroppedColumn:
    """A column that a selection dropped.

    Attributes
    ----------
    column : str
        The name of the column.
    kind : str
        "levels": levels of other columns give it. "law": an exact law gives it. "constant",
        "duplicate", "linear", "nonlinear", "partial": a formula of kept columns, as in
        :class:`gramian.explanations.Redundancy`. "unexplained": no short formula was found.
    law : str or None
        The law or formula, None if `kind` is "unexplained".
    r2 : float or None
        The share of the column's variance that the law explains; if there is none, the share that
        all functions of kept columns explain. None if the fit does not tell.

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
            notes = f" ({explained} by all functions)" if explained else ""
            return f"{quote(self.column)}: no short formula{notes}"
        exact = self.kind in ("levels", "law", "constant")
        return self.law if exact or not explained else f"{self.law} ({explained})"


def dropped_columns(model: TableModel) -> dict[str, DroppedColumn]:
    """Return the dropped columns of a selection, those that laws of levels give first.

    Parameters
    ----------
    model : TableModel
        The selection.
    """
    found = {
        each.column: DroppedColumn(each.column, "levels", str(each), 1.0)
        for each in model.steps.beside.lookups
    }
    if not model.dropped:
        return found
    try:
        others = [_of_formula(each) for each in explain(model.estimator)]
    except RowsNeededError:
        others = [DroppedColumn(name, "unexplained", None, None) for name in model.dropped]
    return found | {each.column: each for each in others}


def _of_formula(found: Redundancy) -> DroppedColumn:
    if not found.has_formula:
        return DroppedColumn(found.feature, "unexplained", None, found.full_r2)
    law = f"{quote(found.feature)} = {found.formula}"
    return DroppedColumn(found.feature, found.kind, law, found.r2)


def alternatives_of(
    model: TableModel, by_levels: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return for each dropped column the kept columns that could be dropped in its place.

    Parameters
    ----------
    model : TableModel
        The selection.
    by_levels : mapping from str to sequence of str
        Alternatives to columns that laws of levels give.
    """
    kept = {*model.kept, *model.steps.beside.labels}
    names, elimination = model.steps.columns, model.estimator.model_.elimination
    found = {} if elimination is None else elimination.alternatives
    every = {names[i]: [names[j] for j in others] for i, others in found.items()}
    given = {name: by_levels.get(name, ()) for name in model.steps.beside.given}
    chosen = {
        name: tuple(each for each in others if each in kept)
        for name, others in {**given, **every}.items()
    }
    return {name: others for name, others in chosen.items() if others}
