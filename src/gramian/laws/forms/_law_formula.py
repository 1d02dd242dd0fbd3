"""Formula of a dropped column that one or more laws compute from kept columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.formulas import Term
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._computation import computed_in_turn


@dataclass(frozen=True)
class LawFormula:
    """A dropped column as a function of kept columns, computed by one law or several in turn.

    It is the `expression` of a :class:`gramian.explanations.Redundancy` whose kind is "law". Call
    it with the kept columns to compute the column.

    Attributes
    ----------
    law : ColumnLaw
        The law that computes the column.
    before : tuple of ColumnLaw
        Laws that compute columns which `law` may need, in the order of computation.
    columns : tuple of str
        The names of the kept columns, in the order of `transform`.
    terms : tuple
        Always empty: a law is not a sum of terms.

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

    law: ColumnLaw
    before: tuple[ColumnLaw, ...]
    columns: tuple[str, ...]
    terms: tuple[Term, ...] = ()

    def __call__(self, table: Any) -> Array:
        """Compute the column from the kept columns.

        Parameters
        ----------
        table : mapping, data frame or array of shape (n_samples, n_kept)
            The kept columns, by name or in the order of `transform`.
        """
        if isinstance(table, Mapping) or hasattr(table, "columns"):
            known = {name: np.asarray(table[name]) for name in self.columns if name in table}
        else:
            known = dict(zip(self.columns, np.asarray(table, dtype=np.float64).T, strict=True))
        n_rows = max((np.size(each) for each in known.values()), default=1)
        names, laws = {*known}, list[ColumnLaw]()
        for law in self.before:
            if names.issuperset(law.columns):
                laws.append(law)
                names.add(law.column)
        return computed_in_turn([*laws, self.law], known, n_rows)[self.law.column]

    def __str__(self) -> str:
        return self.law.text

    def latex(self) -> str:
        """Return the right-hand side of the law in LaTeX's math mode."""
        return self.law.latex().partition(" = ")[2]

    def sympy(self) -> Any:
        """Return the right-hand side of the law as an expression of SymPy."""
        return self.law.sympy().rhs
