"""Parts of an explanation: dropped columns, kept columns, and the graph between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array
from gramian._support.words import percent
from gramian.formulas import Formula, Term, import_sympy, latex_name, quote, r_squared
from gramian.laws import LawFormula

RedundancyKind = Literal["constant", "duplicate", "linear", "nonlinear", "partial", "law"]
DUPLICATE = 0.99
"""A column is a duplicate of another column if a · other + b explains it with at least this R²."""
PARTIAL = 0.9
"""A redundancy is of the kind "partial" if its formula has a lower R² than this."""
NOTHING = 0.05
"""A formula with a lower R² than this is not printed: it is hardly better than a constant."""


@dataclass(frozen=True)
class Redundancy:
    """A column that was not kept, with a formula in the kept columns.

    Call it with the kept columns to compute the column. The kept columns are a data frame or
    mapping with column names, or an array as `transform` returns it.

    Attributes
    ----------
    feature : str
        The name of the column, or of the direction.
    index : int
        The index of the column among all columns, or of the direction among all directions.
    expression : Formula or LawFormula
        The formula that computes the column from kept columns.
    kind : {"constant", "duplicate", "linear", "nonlinear", "partial", "law"}
        "duplicate" is one other column, shifted and scaled, with R² ≥ 0.99; "linear" is a sum of
        other columns; "nonlinear" is any other formula; "partial" is a formula with R² < 0.9, which
        does not explain all of the column. "law" is a law among the columns, which need not be a
        sum of functions of the fit.
    r2 : float
        The share of the variance that the formula explains, on the rows of the fit.
    validation_r2 : float or None
        The share of the variance that the formula explains on test rows; None without such rows.
    validated : str
        The rows on which `validation_r2` was measured. "held out": terms and coefficients were
        found without these rows, but the number of terms was chosen with them, so R² is slightly
        too high. "on X", or on another table: the formula was evaluated on all rows of this table.
    residual_std : float
        The root mean square of the residual, in the units of the column.
    linear_r2 : float
        The share of the variance that all kept columns explain linearly.
    full_r2 : float
        The share of the variance that all functions of the fit explain: the upper limit for
        formulas of these functions.
    sources : mapping from str to float
        The columns in the formula. The number is the decrease of R² if all terms with this column
        are removed.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> explanation = GFA(threshold=1e-6, laws=False).fit(X).explain()
    >>> redundancy = explanation["x2"]
    >>> print(redundancy)
    x2 = 0.1667 · x0 · x1 (R² 1)
    >>> redundancy({"x0": [3.0], "x1": [4.0]}).round(6)
    array([2.])
    """

    feature: str
    index: int
    expression: Formula | LawFormula
    kind: RedundancyKind
    r2: float
    validation_r2: float | None
    residual_std: float
    linear_r2: float
    full_r2: float
    sources: Mapping[str, float]
    validated: str = "held out"

    @property
    def formula(self) -> str:
        """The formula as text."""
        return str(self.expression)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the formula: pairs of a coefficient and its factors."""
        return self.expression.terms

    def __call__(self, table: Mapping[str, ArrayLike] | ArrayLike) -> Array:
        """Compute the column from the kept columns.

        Parameters
        ----------
        table : mapping, data frame or array of shape (n_samples, n_kept)
            The kept columns, by name or in the order of `transform`.
        """
        return self.expression(table)

    def score(self, table: Mapping[str, ArrayLike] | ArrayLike, values: ArrayLike) -> float:
        """Return R² of the formula on other rows.

        Parameters
        ----------
        table : mapping, data frame or array
            The kept columns, by name or in the order of `transform`.
        values : array-like of shape (n_samples,)
            The true values of the column.
        """
        y = np.asarray(values, dtype=np.float64)
        left, whole = np.mean((y - self(table)) ** 2), np.var(y)
        return 1 - float(left / whole) if whole > 0 else float(left == 0)

    @property
    def has_formula(self) -> bool:
        """True if there is a short formula that explains more than a constant."""
        return self.kind == "constant" or self.r2 >= NOTHING

    def __str__(self) -> str:
        if not self.has_formula:
            return (
                f"{quote(self.feature)}: no short formula "
                f"(all functions of the fit: R² {r_squared(self.full_r2)})"
            )
        notes: list[str] = [] if self.kind == "nonlinear" else [self.kind]
        if self.kind != "constant":
            notes.append(f"R² {r_squared(self.r2)}")
        if self.validation_r2 is not None:
            notes.append(f"{self.validated} {r_squared(self.validation_r2)}")
        return f"{quote(self.feature)} = {self.formula} ({', '.join(notes)})"

    def latex(self) -> str:
        """Return the equation in LaTeX's math mode."""
        return f"{latex_name(self.feature)} = {self.expression.latex()}"

    def sympy(self) -> Any:
        """Return the equation as SymPy's Eq."""
        sympy = import_sympy()
        return sympy.Eq(sympy.Symbol(self.feature), self.expression.sympy(), evaluate=False)


@dataclass(frozen=True)
class KeptFeature:
    """A column or direction that was kept, with the variance that it explains.

    Attributes
    ----------
    feature : str
        The name of the column, or of the direction.
    index : int
        The index of the column among all columns, or of the direction among all directions.
    order : int
        The position in the order of choice, 0 for the first.
    variance : float
        The variance of the column or direction.
    residual_variance : float
        The part of this variance that functions of the columns chosen before do not explain.
    explains : mapping from str to (float, float)
        For every column that was not kept, two shares of its variance: the share that this kept
        column adds linearly, and the share that nonlinear functions of this kept column, and its
        products with columns chosen before, add.
    loadings : mapping from str to float, or None
        For a direction, the weight of each centred column in it; None for a column.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> explanation = GFA(threshold=1e-6, family="multilinear", laws=False).fit(X).explain()
    >>> print(explanation.kept[0].feature, explanation.kept[0].order)
    x0 0
    >>> explanation.kept[1].nonlinear > 0.99  # of x2, which is a product
    True
    """

    feature: str
    index: int
    order: int
    variance: float
    residual_variance: float
    explains: Mapping[str, tuple[float, float]]
    loadings: Mapping[str, float] | None

    @property
    def linear(self) -> float:
        """The share of variance that this column adds linearly, averaged over dropped columns."""
        return float(np.mean([linear for linear, _ in self.explains.values()] or [0.0]))

    @property
    def nonlinear(self) -> float:
        """The share of variance that nonlinear functions add, averaged over dropped columns."""
        return float(np.mean([nonlinear for _, nonlinear in self.explains.values()] or [0.0]))

    def __str__(self) -> str:
        new = percent(self.residual_variance / self.variance)
        parts = f"{percent(self.linear)} linearly and {percent(self.nonlinear)} nonlinearly"
        return (
            f"{quote(self.feature)} was chosen as number {self.order + 1}: {new} of its variance "
            f"was new, and it explains {parts} of the others"
        )


@dataclass(frozen=True)
class Node:
    """A node of the redundancy graph: a column that was kept, or that has a formula.

    Attributes
    ----------
    name : str
        The name of the column.
    kept : bool
        True if the column was kept.
    kind : {"kept", "constant", "duplicate", "linear", "nonlinear", "partial", "law"}
        "kept", or the kind of the column's formula, as in :class:`Redundancy`.
    r2 : float
        R² of the column's formula; 1 for a kept column.

    Examples
    --------
    >>> from gramian.explanations import Node
    >>> Node("power", kept=False, kind="nonlinear", r2=0.9998).r2
    0.9998
    """

    name: str
    kept: bool
    kind: RedundancyKind | Literal["kept"]
    r2: float


@dataclass(frozen=True)
class Edge:
    """An edge of the redundancy graph: the formula of column `target` contains column `source`.

    Attributes
    ----------
    source : str
        The name of the kept column.
    target : str
        The name of the column that the formula computes.
    weight : float
        The decrease of R² if all terms with the kept column are removed from the formula.
    linear : bool
        True if the kept column occurs in the formula only as coefficient times column.

    Examples
    --------
    >>> from gramian.explanations import Edge
    >>> Edge("voltage", "power", weight=0.97, linear=False).source
    'voltage'
    """

    source: str
    target: str
    weight: float
    linear: bool


@dataclass(frozen=True)
class Graph:
    """The redundancy graph: edges go from kept columns to the columns that they explain.

    Attributes
    ----------
    nodes : tuple of Node
        The kept columns, then the explained columns.
    edges : tuple of Edge
        One edge for each kept column in each formula.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> explanation = GFA(threshold=1e-6, laws=False).fit(X).explain()
    >>> [node.name for node in explanation.graph.nodes if node.kept]
    ['x0', 'x1']
    >>> [(edge.source, edge.target) for edge in explanation.graph.edges]
    [('x0', 'x2'), ('x1', 'x2')]
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
