"""Explanation: formulas of all columns that a fit did not keep, as a printable sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.display import data_frame, html_table
from gramian._support.words import counted
from gramian.explanations._redundancies import Edge, Graph, KeptFeature, Node, Redundancy
from gramian.formulas import latex_name, number, r_squared


class Explanation(Sequence[Redundancy]):
    """The formulas of all columns that a fit did not keep, as a sequence of `Redundancy`.

    :func:`gramian.explain` returns it. Index it with a position, or with the name of a column.

    Parameters
    ----------
    redundancies : sequence of Redundancy
        One object for each column that was not kept, with its formula.
    kept : sequence of KeptFeature
        The kept columns or directions, in the order in which they were chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> explanation = GFA(threshold=1e-6, laws=False).fit(X).explain()
    >>> explanation
    <Explanation of 1 column by 2>
    >>> explanation["x2"].kind
    'nonlinear'
    >>> [kept.feature for kept in explanation.kept]
    ['x0', 'x1']
    """

    def __init__(self, redundancies: Sequence[Redundancy], kept: Sequence[KeptFeature]) -> None:
        self._redundancies = tuple(redundancies)
        self.kept = tuple(kept)

    def __len__(self) -> int:
        return len(self._redundancies)

    @overload
    def __getitem__(self, key: int | str) -> Redundancy: ...
    @overload
    def __getitem__(self, key: slice) -> Explanation: ...
    def __getitem__(self, key: int | str | slice) -> Redundancy | Explanation:
        if isinstance(key, slice):
            return Explanation(self._redundancies[key], self.kept)
        if not isinstance(key, str):
            return self._redundancies[key]
        for redundancy in self._redundancies:
            if redundancy.feature == key:
                return redundancy
        if any(kept.feature == key for kept in self.kept):
            raise KeyError(f"{key!r} was kept, so there is no formula for it.")
        raise KeyError(f"{key!r} is not among the columns that were explained.")

    def tested(self, table: Mapping[str, ArrayLike], name: str = "X") -> Explanation:
        """Return the explanation with R² of the formulas on other rows; no formula is fitted again.

        Parameters
        ----------
        table : mapping or data frame
            All columns by name.
        name : str, default="X"
            The name of the table; it is printed next to R².

        Returns
        -------
        explanation : Explanation
            The formulas with `validation_r2` from these rows; it is None for a column that is
            constant in these rows.
        """

        def validated(each: Redundancy) -> float | None:
            values = np.asarray(table[each.feature], dtype=np.float64)
            return each.score(table, values) if np.ptp(values) > 0 else None

        found = [
            replace(each, validation_r2=validated(each), validated=f"on {name}") for each in self
        ]
        return Explanation(found, self.kept)

    @property
    def graph(self) -> Graph:
        """The graph with an edge from a kept column to each column whose formula contains it."""
        return Graph(
            (
                *(Node(kept.feature, True, "kept", 1.0) for kept in self.kept),
                *(Node(each.feature, False, each.kind, each.r2) for each in self),
            ),
            tuple(
                Edge(
                    source,
                    each.feature,
                    weight,
                    all(term.is_linear for term in each.terms if source in term.columns),
                )
                for each in self
                for source, weight in each.sources.items()
            ),
        )

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "No column is explained by others."

    def __repr__(self) -> str:
        return f"<Explanation of {counted(len(self), 'column')} by {len(self.kept)}>"

    @property
    def table(self) -> list[dict[str, Any]]:
        """The redundancies as a list of dictionaries, with formula, kind and R² of each column."""
        return [
            {
                "feature": each.feature,
                "formula": each.formula,
                "kind": each.kind,
                "r2": each.r2,
                "validation_r2": each.validation_r2,
                "validated": None if each.validation_r2 is None else each.validated,
                "residual_std": each.residual_std,
                "n_terms": len(each.terms),
                "linear_r2": each.linear_r2,
                "full_r2": each.full_r2,
            }
            for each in self
        ]

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each redundancy."""
        return data_frame(self.table)

    def latex(self) -> str:
        """Return all equations in LaTeX, one below the other."""
        equations = [f"{latex_name(each.feature)} &= {each.expression.latex()}" for each in self]
        return "\\begin{aligned}\n" + " \\\\\n".join(equations) + "\n\\end{aligned}"

    def sympy(self) -> list[Any]:
        """Return a list of all equations as SymPy's Eq."""
        return [each.sympy() for each in self]

    def _repr_html_(self) -> str:
        others = ", ".join(dict.fromkeys(each.validated for each in self)) or "held out"
        heads = ["column", "formula", "kind", "R²", f"R² {others}", "residual"]
        rows = [
            [
                each.feature,
                each.formula,
                each.kind,
                r_squared(each.r2),
                "" if each.validation_r2 is None else r_squared(each.validation_r2),
                number(each.residual_std),
            ]
            for each in self
        ]
        return html_table(heads, rows)
