"""Writer of laws: as a solution for one column, y = f(x), or as an equation of two formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from gramian.formulas import PART_DIGITS, Formula, Term, fraction
from gramian.laws.forms._law import Monomial, multiplied
from gramian.laws.forms._law_terms import RawTerm, formula_of, terms_of
from gramian.laws.forms._solution import Solution
from gramian.tables import Clock

COEFFICIENT_DIGITS = 5
"""Number of digits with which a coefficient is written that is not round (see `is_round`)."""
MOST_DIGITS = 9
"""Largest number of digits of a round coefficient."""
SMALL_DENOMINATOR = 36
"""Largest denominator of a coefficient that is written as a fraction."""
NOISE = 1e-11
"""Largest relative rounding error of a coefficient that least squares computed."""
ROUND_DIGITS = 12
"""Number of digits with which a round coefficient is written (see `is_round`)."""
EQUAL_COEFFICIENTS = 1e-9
"""Two coefficients count as equal if their relative difference is at most this."""
EQUAL_FACTORS = 1e-5
"""Two sums are equal up to a factor if ratios of their coefficients differ by at most this."""


@dataclass(frozen=True)
class Equation:
    """A law that is not solved for a column: one formula equals another formula.

    Attributes
    ----------
    left, right : Formula
        The two sides of the equation.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> angle = np.random.default_rng(0).uniform(0, 6.28, 200)
    >>> law = gramian.relations(np.column_stack([np.cos(angle), np.sin(angle)]), ["x", "y"])[0]
    >>> print(law.form.left, "|", law.form.right)
    x² + y² | 1
    """

    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"

    def latex(self) -> str:
        """Return the equation in LaTeX's math mode."""
        return f"{self.left.latex()} = {self.right.latex()}"


@dataclass(frozen=True)
class LawWriter:
    """Converts the terms of laws into formulas, solutions and equations.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    signs : sequence of int
        For each column 1 if the column is never negative, -1 if it is never positive, else 0.
    clocks : mapping from str to Clock, optional
        For each column of dates, the clock that converts its dates to numbers.
    digits : int, default=5
        The number of significant digits of coefficients that are not round.
    """

    names: Sequence[str]
    signs: Sequence[int]
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    digits: int = COEFFICIENT_DIGITS

    def formula(self, terms: Sequence[RawTerm]) -> Formula:
        """Return terms as a formula; terms of high degree come first, the constant last."""
        near = [(without_noise(value), each) for value, each in terms]
        ordered = sorted(
            near, key=lambda term: (not term[1], -sum(p for _, p in term[1]), term[0] < 0)
        )
        digits = [ROUND_DIGITS if is_round(value) else self.digits for value, _ in ordered]
        return formula_of(terms_of(ordered, self.names), digits)

    def solve(self, terms: Sequence[RawTerm], column: int) -> Solution | None:
        """Return a law solved for a column; None if the column has no unique solution.

        `terms` are the terms of the law, which add up to zero.
        """
        powers = {(atom, power) for _, each in terms for (i, atom), power in each if i == column}
        if len(powers) != 1:
            return None
        ((atom, power),) = powers
        if atom not in ("x", "log", "exp") or (atom != "x" and power != 1):
            return None
        negative = False
        if power % 2 == 0:
            if self.signs[column] == 0:
                return None
            negative = self.signs[column] < 0
        own = ((column, atom), power)
        inverse = (((column, atom), -power),)
        bottom = [(value, multiplied(each, inverse)) for value, each in terms if own in each]
        top = [(-value, each) for value, each in terms if own not in each]
        if not top:
            return None
        bottom.sort(key=lambda each: (not each[1], len(each[1])))
        unit = bottom[0][0]
        plain_sum = all(abs(value - unit) <= EQUAL_COEFFICIENTS * abs(unit) for value, _ in bottom)
        if len(top) == 1 and not plain_sum:
            unit = top[0][0]
        return Solution(
            self.names[column],
            self.formula([(value / unit, each) for value, each in top]),
            self.formula([(value / unit, each) for value, each in bottom]),
            power,
            atom == "log",
            negative,
            atom == "exp",
            clocks={name: self.clocks[name] for name in self.names if name in self.clocks},
        )

    def equation(self, terms: Sequence[RawTerm]) -> Equation:
        """Return a law as an equation: positive terms on the left, the constant on the right."""
        sign = 1 if terms[reference_term(terms, None)][0] > 0 else -1
        left = [(sign * value, each) for value, each in terms if sign * value > 0 and each]
        right = [(-sign * value, each) for value, each in terms if sign * value <= 0 or not each]
        return Equation(self.formula(left), self.formula(right))

    def best(self, terms: Sequence[RawTerm], columns: Sequence[int]) -> int | None:
        """Return the column for which the law is simplest to read when solved for it.

        Return None if the equation of two formulas is easier to read.

        Parameters
        ----------
        terms : sequence of RawTerm
            The terms of the law.
        columns : sequence of int
            The columns that may be chosen, the preferred column first.
        """
        found = self._simplicity(terms, columns)
        if not found or _is_partition(terms):
            return None
        return min(found, key=lambda each: (found[each][0], len(found[each][1].text), each))

    def as_simple(
        self, terms: Sequence[RawTerm], columns: Sequence[int], best: int
    ) -> tuple[int, ...]:
        """Return the columns for which a law is as simple as for column `best` but for its numbers.

        Numbers depend on the units of the columns, and the sign of a constant on their origins.
        Parameters are those of `best`.
        """
        found = self._simplicity(terms, columns)
        ranks = {
            i: (*rank[:-1], _n_minus(term for term in solution.numerator.terms if term.columns))
            for i, (rank, solution) in found.items()
        }
        return tuple(i for i in found if best in found and ranks[i] == ranks[best])

    def _simplicity(
        self, terms: Sequence[RawTerm], columns: Sequence[int]
    ) -> dict[int, tuple[tuple[int, ...], Solution]]:
        """Return for each column for which a law is easy to read a rank, and the solution.

        The lowest rank is the simplest to read. Ranks do not depend on the units of columns.
        """
        ranks: dict[int, tuple[tuple[int, ...], Solution]] = {}
        for column in columns:
            solution = self.solve(terms, column)
            if solution is None:
                continue
            top, bottom = solution.numerator, solution.denominator
            n_minus = _n_minus(top.terms)
            compound = len(bottom.terms) > 1
            if solution.root > 1 and not compound and (n_minus or len(terms) == 2):
                continue  # x² + y² = 1 and T² = a³ are easier to read than roots
            whole = not bottom.columns
            rank = (solution.root != 1 or solution.exponential, compound, not whole, n_minus)
            ranks[column] = rank, solution
        return ranks


def _n_minus(terms: Iterable[Term]) -> int:
    """Return the number of terms with a minus sign."""
    return sum(term.coefficient < 0 for term in terms)


def is_round(value: float) -> bool:
    """Return True if a number has at most `MOST_DIGITS` significant digits."""
    return float(f"{value:.{MOST_DIGITS - 1}e}") == value


def without_noise(value: float) -> float:
    """Return a round number if a coefficient differs from it only by rounding errors."""
    near = float(f"{value:.{COEFFICIENT_DIGITS - 1}e}")
    return near if abs(near - value) <= NOISE * abs(value) else value


def as_written(value: float, digits: int) -> float:
    """Return a coefficient rounded to some significant digits, or the small fraction that it is."""
    parts = float(f"{1 / value:.{PART_DIGITS - 1}e}") if value else 1.0
    for near in (float(Fraction(value).limit_denominator(SMALL_DENOMINATOR)), 1 / parts):
        if abs(near - value) <= NOISE * abs(value) and fraction(abs(near)):
            return near
    return float(f"{value:.{digits - 1}e}")


def has_common_factor(terms: Sequence[RawTerm]) -> bool:
    """Return True if a law says y · f = m · f, solved y = m · f / f, with a product m or a number.

    Such a law says nothing about y where f is zero, and else that y is m.

    Parameters
    ----------
    terms : sequence of RawTerm
        The terms of the law, which add up to zero.
    """
    for own in {factor for _, each in terms for factor in each}:
        (variable, power) = own
        inverse = ((variable, -power),)
        with_own = {multiplied(each, inverse): value for value, each in terms if own in each}
        others = {each: -value for value, each in terms if own not in each}
        if len(with_own) != len(others) or len(others) < 2:
            continue
        for product in {multiplied(each, _inverse(min(with_own))) for each in others}:
            pairs = {multiplied(each, product): value for each, value in with_own.items()}
            if pairs.keys() == others.keys():
                ratios = [others[each] / pairs[each] for each in others]
                if max(ratios) - min(ratios) <= EQUAL_FACTORS * max(map(abs, ratios)):
                    return True
    return False


def _inverse(monomial: Monomial) -> Monomial:
    """Return the monomial by which a monomial is multiplied to give 1."""
    return tuple((variable, -power) for variable, power in monomial)


def _is_partition(terms: Sequence[RawTerm]) -> bool:
    """Return True if a law says that three or more columns add up to a constant."""
    plain = [value for value, each in terms if each]
    linear = all(sum(power for _, power in each) == 1 for _, each in terms if each)
    sums = len(plain) < len(terms) and len(plain) > 2
    return linear and sums and max(plain) - min(plain) <= EQUAL_COEFFICIENTS * abs(max(plain))


def reference_term(terms: Sequence[RawTerm], column: int | None) -> int:
    """Return the index of the term by whose coefficient the written law is divided.

    Its coefficient becomes 1. `column` is the column for which the law is solved; None for an
    equation.
    """
    if column is not None:
        own = [i for i, (_, each) in enumerate(terms) if any(v[0] == column for v, _ in each)]
        others = [i for i in range(len(terms)) if i not in own]
        if len(others) == 1 and len(own) > 1:
            return others[0]
        return min(own, key=lambda i: len(terms[i][1]))
    return max(
        range(len(terms)), key=lambda i: (sum(p for _, p in terms[i][1]), terms[i][0] > 0, -i)
    )
