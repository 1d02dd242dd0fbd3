"""Redundancies that a law of the fit explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gramian._model import FittedModel
from gramian._types import Array
from gramian.explanations._results import Redundancy

if TYPE_CHECKING:
    from gramian.explanations._formula import Term
    from gramian.laws import Lookup, Solution


@dataclass(frozen=True)
class LawFormula:
    """The right-hand side of a law, which may need columns that other laws give.

    Attributes
    ----------
    law : Solution or Lookup
        The law.
    before : tuple of Solution or Lookup
        Laws that give columns which it may need, in the order in which they can be computed.
    columns : tuple of str
        The kept columns, in the order of `transform`.
    """

    law: Solution | Lookup
    before: tuple[Solution | Lookup, ...]
    columns: tuple[str, ...]
    terms: tuple[Term, ...] = ()
    """None: a law is no sum of terms."""

    def __call__(self, table: Any) -> Array:
        """Compute the column from the kept ones.

        Parameters
        ----------
        table : mapping, data frame or array of shape (n_samples, n_kept)
            The kept columns, by name or in the order of `transform`.
        """
        if isinstance(table, Mapping) or hasattr(table, "columns"):
            known = {name: np.asarray(table[name]) for name in self.columns if name in table}
        else:
            known = dict(zip(self.columns, np.asarray(table, dtype=np.float64).T, strict=True))
        with np.errstate(all="ignore"):
            for law in self.before:
                if known.keys() >= {*law.columns}:
                    known[law.column] = law(known)
            values: Array = self.law(known)
        return values

    def __str__(self) -> str:
        return self.law.text

    def latex(self) -> str:
        """Write it in LaTeX's math mode."""
        return self.law.latex().partition(" = ")[2]

    def sympy(self) -> Any:
        """Return it as an expression of SymPy."""
        return self.law.sympy().rhs


def by_law(found: Redundancy, model: FittedModel, table: Array | None) -> Redundancy:
    """Let the law that gives a column explain it, if there is one.

    Parameters
    ----------
    found : Redundancy
        What functions of the kept columns say.
    model : FittedModel
        The fit.
    table : array of shape (n_rows, n_columns), optional
        Rows to test the law on.
    """
    places = {law.column: i for i, law in enumerate(model.laws)}
    if found.feature not in places:
        return found
    place = places[found.feature]
    law = model.laws[place]
    formula = LawFormula(law, model.laws[:place], tuple(model.kept_names))
    r2, tested, deviation = 1.0, None, 0.0
    if table is not None:
        y = table[:, found.index]
        values = formula(
            {name: table[:, model.column_names.index(name)] for name in formula.columns}
        )
        rest = np.where(np.isfinite(values), y - values, y - y.mean())
        deviation = float(np.sqrt(np.mean(rest**2)))
        r2 = tested = 1 - float(np.mean(rest**2) / (y.var() or 1.0))
    return replace(
        found,
        expression=formula,
        kind="law",
        r2=r2,
        validation_r2=tested,
        residual_std=deviation,
        full_r2=max(found.full_r2, r2),
        sources=dict.fromkeys(law.columns, 1.0),
    )
