"""Relation: a law among numeric columns of a table, with its errors and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array
from gramian.formulas import Formula, Term, import_sympy
from gramian.laws.columns import numbers_of
from gramian.laws.forms._allowed_error import NO_ERROR, AllowedError
from gramian.laws.forms._balance import Balance
from gramian.laws.forms._law import Law, Monomial, Values, comparison
from gramian.laws.forms._law_check import LawCheck
from gramian.laws.forms._law_terms import RawTerm, terms_of
from gramian.laws.forms._law_writer import COEFFICIENT_DIGITS, Equation, LawWriter
from gramian.laws.forms._solution import Solution
from gramian.tables import Clock

LawKind = Literal["constant", "equal", "linear", "power", "polynomial", "function", "step"]


@dataclass(frozen=True)
class Relation:
    """A law among numeric columns: terms that add up to zero in every row.

    Attributes
    ----------
    columns : tuple of str
        The columns that occur in the law.
    kind : {"constant", "equal", "linear", "power", "polynomial", "function", "step"}
        The kind of law: a constant column, two equal columns, a sum, a product of powers, another
        polynomial, a law with functions (log, exp, sin, cos), or a law with comparisons of a column
        with a number.
    terms : tuple of Term
        The terms that add up to zero, in the units of the table.
    error : float
        The root mean square of `imbalance` on the rows in which the law was found.
    validation_error : float
        The root mean square of `imbalance` on held-out rows; in tables of few rows, each row is
        predicted by the law fitted to the other rows.
    shuffled_error : float
        The root mean square of `imbalance` after shuffling one column of the law; the smallest
        value over the columns.
    evidence : float
        How improbable the law is by chance, in powers of ten: 6 is one in a million. The evidence
        grows with the number of different rows, and falls with the number of coefficients and with
        the number of candidate laws that were tried. For a constant column of n rows, the evidence
        is that of n tosses of a coin that all agree.
    rounding : float
        The `error` that the rounding of the numbers in the table can cause; 0 if the law holds
        to the precision of float64.
    n_rows : int
        The number of rows without missing values in the columns of the law; the law was tested
        on these rows.
    feature_names : tuple of str
        All columns of the table in which the law was found.
    n_exceptions : int
        The number of rows that break an otherwise exact law, because a cell is wrong. Errors are
        those of the other rows.
    r2 : float
        The share of the variance of the column `gives` that a law with noise explains, on held-out
        rows; 1 if the law has no noise.
    typical_error : float
        The root mean square error of the column `gives` on held-out rows, in the units of the
        column; 0 if the law has no noise.
    allowed_error : AllowedError
        The largest error of the column on the left-hand side that rounding or noise explain. A row
        with a larger error breaks the law.

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
    """Indices of the columns that the law computes in every row in which they have a value."""
    n_exceptions: int = 0
    r2: float = 1.0
    typical_error: float = 0.0
    allowed_error: AllowedError = NO_ERROR
    _as_simple: tuple[int, ...] = field(default=(), repr=False)
    """Indices of the columns for which the law is as simple as in print, but for its numbers."""
    _target: int | None = field(default=None, repr=False)
    """Index of the column that was computed and rounded, or that a law with noise gives best."""
    _digits: int = field(default=COEFFICIENT_DIGITS, repr=False)
    """Number of significant digits of printed coefficients that are not round."""
    _clocks: Mapping[str, Clock] = field(default_factory=dict, repr=False, compare=False)
    """For each column of dates, the clock that converts its dates to numbers."""

    @property
    def exact(self) -> bool:
        """True if errors are only rounding errors: of float64, or of the numbers in the table."""
        return not self.typical_error and not self.n_exceptions

    @property
    def gives(self) -> str | None:
        """The column that was computed by the law, or that a law with noise gives best."""
        return None if self._target is None else self.feature_names[self._target]

    @property
    def share(self) -> float:
        """The share of the rows that obey the law, up to its noise."""
        return 1 - self.n_exceptions / max(self.n_rows, 1)

    @property
    def _writer(self) -> LawWriter:
        clocks = {name: self._clocks[name] for name in self.columns if name in self._clocks}
        return LawWriter(self.feature_names, self._signs, clocks, self._digits)

    @property
    def form(self) -> Solution | Equation:
        """The law as it is printed: solved for a column, or an equation of two formulas."""
        return self.solved or self._writer.equation(self._raw)

    @property
    def solved(self) -> Solution | None:
        """The law solved for the column on its left-hand side; None if `form` is an equation."""
        return None if self._best is None else self._writer.solve(self._raw, self._best)

    @property
    def _dropped_first(self) -> str | None:
        """The column to drop if any column of the law can go; None if the law has no preference.

        Of columns for which the law is equally simple, it is the last one in the alphabet: units
        do not matter.
        """
        given = set(self._as_simple).intersection(self._solvable)
        return max((self.feature_names[i] for i in given), default=None)

    @property
    def n_levels(self) -> int:
        """Always 0: a law among numbers does not look up distinct values (levels)."""
        return 0

    def __str__(self) -> str:
        return str(self.form)

    def latex(self) -> str:
        """Return the law in LaTeX's math mode."""
        return self.form.latex()

    def sympy(self) -> Any:
        """Return the law as SymPy's Eq: column = formula, or sum = 0."""
        if self.solved is not None:
            return self.solved.sympy()
        sympy = import_sympy()
        return sympy.Eq(Formula(self.terms, self.columns).sympy(), 0, evaluate=False)

    @property
    def checks(self) -> tuple[LawCheck, ...]:
        """The law as a test of another table."""
        return (self.check,)

    @property
    def check(self) -> LawCheck:
        """The law with its allowed error, as a test of the rows of another table."""
        clocks = {name: self._clocks[name] for name in self.columns if name in self._clocks}
        law = self.solved or Balance(self.terms, clocks)
        return LawCheck(law, str(self), *self.allowed_error, 1 - self.share)

    def imbalance(self, X: Any) -> Array:
        """Return the relative error of the law in each row.

        Parameters
        ----------
        X : mapping, data frame or array of shape (n_samples, n_features)
            The columns of the law by name, or all columns of the table in their order.

        Returns
        -------
        imbalance : array of shape (n_samples,)
            The sum of the terms, divided by the absolute value of the largest term: 0 where the
            law holds. NaN where a column of the law is missing.
        """
        return self._law.imbalance(self._values(X))

    def _values(self, X: Any) -> Values:
        places = [self.feature_names.index(name) for name in self.columns]
        if isinstance(X, Mapping) or hasattr(X, "columns"):
            clocks = self._clocks
            read = [np.atleast_1d(numbers_of(X[n], clocks.get(n))) for n in self.columns]
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
            The name of the column to compute.

        Returns
        -------
        solution : Solution
            An object that prints as an equation, and computes the column from the other columns.
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
        """Compute the column on the left-hand side of the law from the other columns.

        Parameters
        ----------
        table : mapping or data frame
            The other columns of the law, by name.
        """
        solved = self.solved
        if solved is None:
            raise ValueError(f"The law {self} is not solved for a column; use solve_for.")
        return solved(table)


def in_order(relation: Relation, names: tuple[str, ...]) -> Relation:
    """Return a relation as if its table had its columns in another order, its terms sorted by it.

    Parameters
    ----------
    relation : Relation
        The law.
    names : tuple of str
        The names of all columns of the table, in the wanted order.
    """
    before = relation.feature_names
    places = {i: names.index(name) for i, name in enumerate(before)}
    order = [before.index(name) for name in names]

    def moved(monomial: Monomial) -> Monomial:
        return tuple(sorted(((places[i], atom), power) for (i, atom), power in monomial))

    law = relation._law
    monomials = [moved(each) for each in law.monomials]
    # Terms are sorted by their columns, and the constant is last.
    sequence = sorted(range(len(monomials)), key=lambda k: (not monomials[k], monomials[k]))
    raw = [(value, moved(each)) for value, each in relation._raw]
    raw.sort(key=lambda term: (not term[1], term[1]))
    return replace(
        relation,
        columns=tuple(name for name in names if name in relation.columns),
        terms=terms_of(raw, names),
        feature_names=names,
        _law=Law(law.coefficients[sequence], tuple(monomials[k] for k in sequence)),
        _scale=relation._scale[order],
        _raw=tuple(raw),
        _signs=tuple(relation._signs[i] for i in order),
        _best=None if relation._best is None else places[relation._best],
        _as_simple=tuple(sorted(places[i] for i in relation._as_simple)),
        _target=None if relation._target is None else places[relation._target],
        _solvable=tuple(sorted(places[i] for i in relation._solvable)),
    )


def kind_of(law: Law, coefficients: Array) -> LawKind:
    """Return the kind of a law, as in `Relation`; `coefficients` are those for unscaled columns."""
    atoms = {atom for each in law.monomials for (_, atom), _ in each}
    if any(comparison(atom) for atom in atoms):
        return "step"
    if atoms != {"x"}:
        return "function"
    if all(sum(power for _, power in each) <= 1 for each in law.monomials):
        two = len(law.monomials) == 2 and all(law.monomials)
        return "equal" if two and coefficients.sum() == 0 else "linear"
    return "power" if len(law.monomials) == 2 else "polynomial"
