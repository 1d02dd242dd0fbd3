"""Redundancies that a law of the fit explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gramian._support.types import Array
from gramian.explanations._redundancies import Redundancy
from gramian.explanations._subject import Subject
from gramian.fitting import FittedModel

if TYPE_CHECKING:
    from gramian.formulas import Term
    from gramian.laws._fewest import Solved


EXACT = 1e-9
"""A formula that leaves a smaller share of a column's variance is exact."""
ALMOST = 0.999
"""A law of printed digits explains at least this share."""
MAX_COLUMNS = 100
"""Laws are looked for in rows among no more columns than this, which takes a few seconds."""


@dataclass(frozen=True)
class LawFormula:
    """The right-hand side of a law, which may need columns that other laws give.

    It is the `expression` of a :class:`gramian.explanations.Redundancy` whose kind is "law". Call
    it with the kept columns to compute the column.

    Attributes
    ----------
    law : Solution, Lookup, Slopes or ComposedDate
        The law.
    before : tuple of Solution, Lookup, Slopes or ComposedDate
        Laws that give columns which it may need, in the order in which they can be computed.
    columns : tuple of str
        The kept columns, in the order of `transform`.
    terms : tuple
        It is empty: a law is no sum of terms.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).uniform(1, 2, (2, 300))
    >>> table = pd.DataFrame({"a": a, "b": b, "ratio": a / b})
    >>> gfa = GFA(laws=True, keep=["a", "b"]).fit(table)
    >>> formula = gfa.explain()["ratio"].expression
    >>> print(formula)
    a / b
    >>> formula({"a": [3.0], "b": [2.0]})
    array([1.5])
    """

    law: Solved
    before: tuple[Solved, ...]
    columns: tuple[str, ...]
    terms: tuple[Term, ...] = ()

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
            values: Array = np.asarray(self.law(known), dtype=np.float64)
        return values

    def __str__(self) -> str:
        return self.law.text

    def latex(self) -> str:
        """Write it in LaTeX's math mode."""
        return self.law.latex().partition(" = ")[2]

    def sympy(self) -> Any:
        """Return it as an expression of SymPy."""
        return self.law.sympy().rhs


def by_laws(
    found: Sequence[Redundancy], model: FittedModel, subject: Subject, table: Array | None
) -> list[Redundancy]:
    """Let laws that give columns explain them: those of the fit, or what the rows show.

    Parameters
    ----------
    found : sequence of Redundancy
        What functions of the kept columns say.
    model : FittedModel
        The fit.
    subject : Subject
        The names of its columns.
    table : array of shape (n_rows, n_columns), optional
        Rows to find laws in, if the fit has none, and to test them on. Only columns that have no
        exact formula get a law that was found so.
    """
    if model.laws:
        return [_by_law(each, model.laws, subject, table) for each in found]
    if table is None or not model.selects:
        return [*found]
    inexact = [each for each in found if each.kind != "constant" and each.r2 < 1 - EXACT]
    laws = _laws_in(table, subject, [each.index for each in inexact])
    tested = {each.index: _by_law(each, laws, subject, table) for each in inexact}
    better = {i: each for i, each in tested.items() if each.r2 >= ALMOST}
    return [better.get(each.index, each) for each in found]


def _laws_in(table: Array, subject: Subject, targets: Sequence[int]) -> tuple[Solved, ...]:
    """Return laws that give columns by those that were kept."""
    columns = [*subject.indices.tolist(), *targets]
    if not targets or len(columns) > MAX_COLUMNS:
        return ()
    from gramian.laws._relations import simple_laws  # which takes a while to import

    laws = simple_laws(table[:, columns], [subject.columns[i] for i in columns])
    return tuple(laws.computable(subject.names).values())


def _by_law(
    found: Redundancy, laws: Sequence[Solved], subject: Subject, table: Array | None
) -> Redundancy:
    """Let the law that gives a column explain it, if there is one."""
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
