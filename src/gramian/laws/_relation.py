"""A relation: a law among the columns of a table, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array
from gramian.formulas import Formula, Term, import_sympy
from gramian.laws._forms import Equation, LawWriter
from gramian.laws._law import Law, Values, comparison
from gramian.laws._solution import Solution
from gramian.laws._terms import RawTerm

LawKind = Literal["constant", "equal", "linear", "power", "polynomial", "function", "step"]
EXACT = 1e-11
"""A law with a smaller error holds up to rounding."""


@dataclass(frozen=True)
class Relation:
    """A law that ties columns: terms that add up to zero in every row.

    Attributes
    ----------
    columns : tuple of str
        The columns that the law ties.
    kind : {"constant", "equal", "linear", "power", "polynomial", "function", "step"}
        What it is: a constant column, two equal columns, a sum, a product of powers, another
        polynomial, a law with functions (log, sin, cos), a threshold or level.
    terms : tuple of Term
        The terms, in the units of the table, that add up to zero.
    error : float
        The root mean square of `imbalance` on the rows that the law was found in.
    validation_error : float
        The same on rows that took no part; in tables of few rows, each row is predicted by the law
        fitted to the other rows.
    shuffled_error : float
        The same with one of its columns shuffled, for the column where it is smallest.
    evidence : float
        How improbable the law is by chance, in powers of ten: 6 is one in a million. It counts
        rows, coefficients, and among how many candidates the law was found.
    rounding : float
        The error that rounding of the printed digits can cause, on the scale of `error`; 0 if the
        law holds to the last digit of the computer's numbers.
    n_rows : int
        In how many rows all of its columns are present; it was judged by these.
    feature_names : tuple of str
        All columns of the table in which the law was found.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> angle = np.random.default_rng(0).uniform(0, 6.28, 200)
    >>> circle = gramian.relations(np.column_stack([np.cos(angle), np.sin(angle)]), ["x", "y"])
    >>> law = circle[0]
    >>> print(law)
    x² + y² = 1
    >>> law.columns, law.exact
    (('x', 'y'), True)
    >>> law.imbalance({"x": [0.6, 0.5], "y": [0.8, 0.5]}).round(3)
    array([ 0. , -0.5])
    """

    columns: tuple[str, ...]
    kind: LawKind
    terms: tuple[Term, ...]
    error: float
    validation_error: float
    shuffled_error: float
    evidence: float
    rounding: float
    n_rows: int
    feature_names: tuple[str, ...] = field(repr=False)
    _law: Law = field(repr=False)
    _scale: Array = field(repr=False, compare=False)
    _raw: tuple[RawTerm, ...] = field(repr=False)
    _signs: tuple[int, ...] = field(repr=False)
    _best: int | None = field(repr=False)
    _solvable: tuple[int, ...] = field(repr=False)
    """The columns that the law gives in every row it was found in."""

    @property
    def exact(self) -> bool:
        """Whether nothing but rounding is left: that of the printed digits, or of computing."""
        return max(self.error, self.validation_error) <= max(self.rounding, EXACT)

    @property
    def _writer(self) -> LawWriter:
        return LawWriter(self.feature_names, self._signs)

    @property
    def form(self) -> Solution | Equation:
        """The law as it is written: solved for a column, or an equation of two formulas."""
        if self._best is not None:
            solution = self._writer.solve(self._raw, self._best)
            assert solution is not None
            return solution
        return self._writer.equation(self._raw)

    def __str__(self) -> str:
        return str(self.form)

    def latex(self) -> str:
        """Write the law in LaTeX's math mode."""
        return self.form.latex()

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq: a column and what it equals, or a sum that is zero."""
        form = self.form
        if isinstance(form, Solution):
            return form.sympy()
        import_sympy()
        import sympy

        return sympy.Eq(Formula(self.terms, self.columns).sympy(), 0, evaluate=False)

    def imbalance(self, X: Any) -> Array:
        """Return by how much each row misses the law.

        Parameters
        ----------
        X : mapping, data frame or array of shape (n_samples, n_features)
            The columns by name, or all columns of the table in their order.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            The sum of the terms, with its sign, over the size of the largest one: 0 where the law
            holds. NaN where a column of the law is missing.
        """
        return self._law.imbalance(self._values(X))

    def _values(self, X: Any) -> Values:
        places = [self.feature_names.index(name) for name in self.columns]
        if isinstance(X, Mapping) or hasattr(X, "columns"):
            read = [np.atleast_1d(np.asarray(X[name], dtype=np.float64)) for name in self.columns]
        else:
            array = np.asarray(X, dtype=np.float64)
            if array.ndim != 2 or array.shape[1] != len(self.feature_names):
                raise ValueError(
                    f"The law takes the {len(self.feature_names)} columns of its table, or a table "
                    f"or mapping with names; got an array of shape {array.shape}."
                )
            read = [array[:, i] for i in places]
        x = np.full((len(read[0]), len(self.feature_names)), np.nan)
        x[:, places] = np.column_stack(read)
        return Values(x, self._scale)

    def solve_for(self, column: str) -> Solution:
        """Solve the law for one of its columns.

        Parameters
        ----------
        column : str
            The name of the column.

        Returns
        -------
        solution : Solution
            Prints as an equation, and computes the column from a table of the others.
        """
        if column not in self.columns:
            raise ValueError(f"The law {self} has no column {column!r}.")
        place = self.feature_names.index(column)
        solution = self._writer.solve(self._raw, place)
        if solution is None or place not in self._solvable:
            raise ValueError(
                f"The law {self} has no single solution for {column!r}: it enters in more than one "
                "way, its sign is not determined, or it takes part in some rows only."
            )
        return solution

    def __call__(self, table: Mapping[str, ArrayLike]) -> Array:
        """Compute the column on the left-hand side from the others.

        Parameters
        ----------
        table : mapping or data frame
            The other columns by name.
        """
        form = self.form
        if not isinstance(form, Solution):
            raise ValueError(f"The law {self} is not solved for a column; use solve_for.")
        return form(table)


def kind_of(law: Law, coefficients: Array) -> LawKind:
    """Return what a law is, given its coefficients in the units of the table."""
    atoms = {atom for each in law.monomials for (_, atom), _ in each}
    if any(comparison(atom) for atom in atoms):
        return "step"
    if atoms != {"x"}:
        return "function"
    if all(sum(power for _, power in each) <= 1 for each in law.monomials):
        two = len(law.monomials) == 2 and all(law.monomials)
        return "equal" if two and coefficients.sum() == 0 else "linear"
    return "power" if len(law.monomials) == 2 else "polynomial"
