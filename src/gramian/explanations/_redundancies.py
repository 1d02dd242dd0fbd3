"""Parts of an explanation: redundant columns, kept columns, and the graph between them."""

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
"""Least R² of one other column, shifted and scaled, that makes a column a duplicate."""
PARTIAL = 0.9
"""A column whose formula has a lower R² is explained in part only."""
NOTHING = 0.05
"""A formula with a lower R² says no more than a constant, and is not printed."""


@dataclass(frozen=True)
class Redundancy:
    """A column that was not kept, as a formula of kept columns.

    Call it with the kept columns to compute the column: a table or mapping that has them by name,
    or an array as `transform` returns it.

    Attributes
    ----------
    feature : str
        The name of the column, or of the direction.
    index : int
        Its index.
    expression : Formula or LawFormula
        The formula.
    kind : {"constant", "duplicate", "linear", "nonlinear", "partial", "law"}
        "duplicate" is one other column, shifted and scaled, with R² ≥ 0.99; "linear" a sum of
        other columns; "partial" any formula with R² < 0.9: the column holds more than
        the formula gives. "law" is an exact law among the columns, which need not be a sum of
        functions of the fit.
    r2 : float
        The share of the variance that the formula explains, on the rows of the fit.
    validation_r2 : float or None
        The share of the variance that the formula explains on other rows, if rows were given.
    validated : str
        The rows of `validation_r2`. "held out": rows that took no part in finding terms and
        coefficients, but chose the number of terms, so that R² is slightly too high. "on X", or on
        another table: the formula was evaluated on these rows without fitting it again.
    residual_std : float
        The root mean square of the residual, in the units of the column.
    linear_r2 : float
        The share of the variance that all kept columns explain linearly.
    full_r2 : float
        The share that all functions of the fit explain: no formula in them explains more.
    sources : mapping from str to float
        The columns in the formula, and how much R² would fall without the terms that each is in.

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
        """Pairs of a coefficient and a mapping from columns to exponents or functions."""
        return self.expression.terms

    def __call__(self, table: Mapping[str, ArrayLike] | ArrayLike) -> Array:
        """Compute the column from the kept ones.

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
            The kept columns.
        values : array-like of shape (n_samples,)
            The column itself.
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
        """Write the equation in LaTeX's math mode."""
        return f"{latex_name(self.feature)} = {self.expression.latex()}"

    def sympy(self) -> Any:
        """Return the equation as SymPy's Eq."""
        sympy = import_sympy()
        return sympy.Eq(sympy.Symbol(self.feature), self.expression.sympy(), evaluate=False)


@dataclass(frozen=True)
class KeptFeature:
    """A column or direction that was kept, with the reasons.

    Attributes
    ----------
    feature : str
        The name of the column, or of the direction.
    index : int
        Its index among the columns, or among the directions to choose from.
    order : int
        The position in the order of choice, 0 for the first.
    variance : float
        Its variance.
    residual_variance : float
        The part of its variance that functions of earlier columns do not explain, by least squares.
    explains : mapping from str to (float, float)
        For every column that was not kept, the shares of its variance that this column adds: by
        itself (linear), and by products and other functions with earlier columns (nonlinear).
    loadings : mapping from str to float, or None
        For a direction, the weights of the centred columns in its sum.

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
        """The average share of the other columns' variance that the column explains linearly."""
        return float(np.mean([linear for linear, _ in self.explains.values()] or [0.0]))

    @property
    def nonlinear(self) -> float:
        """The average share of the other columns' variance that further functions explain."""
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
    """A column in the redundancy graph; R² is that of its formula, 1 if it was kept.

    Attributes
    ----------
    name : str
        The name of the column.
    kept : bool
        True if the column was kept.
    kind : {"kept", "constant", "duplicate", "linear", "nonlinear", "partial", "law"}
        The kind of its formula, as in :class:`Redundancy`, or "kept".
    r2 : float
        R² of its formula; 1 if it was kept.

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
    """A kept column in the formula of another column; the weight is the fall of R² without it.

    Attributes
    ----------
    source : str
        The name of the kept column.
    target : str
        The name of the column that the formula gives.
    weight : float
        How much R² of the formula would fall without the kept column.
    linear : bool
        True if the kept column enters the formula only as a column times a coefficient.

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
    """Graph of redundancies: edges go from kept columns to columns that they explain.

    Attributes
    ----------
    nodes : tuple of Node
        The columns.
    edges : tuple of Edge
        Pairs of a kept column and a column in whose formula it is.

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
