"""Solution: a law among numbers, solved for one of its columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array
from gramian.formulas import (
    MINUS,
    Formula,
    Function,
    Term,
    import_sympy,
    latex_name,
    power_of_ten,
    quote,
    superscript,
)
from gramian.laws.columns import UNROUNDED, Rounding, numbers_of
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._solution_document import document_of, solution_parts
from gramian.laws.forms._solved_causes import balancing
from gramian.tables import Clock

RATIO_DIGITS = 3
"""Largest number of digits of the ratio of two coefficients that are factored out."""
RATIO_ERROR = 1e-9
"""Largest relative error of this ratio."""
RATIO = "\0ratio"
"""Name of the ratio among the columns of a law; no column of a table has it."""
ROOTS: dict[int | Fraction, str] = {2: "√", 3: "∛"}


@dataclass(frozen=True)
class Solution(ColumnLaw):
    """A law that computes a column as a ratio, or as the root, exp or log of a ratio.

    Numerator and denominator of the ratio are formulas of the other columns.

    Call the law with a data frame or mapping of the other columns to compute the column.

    Attributes
    ----------
    column : str
        The name of the column that the solution computes.
    numerator, denominator : Formula
        The two parts of the ratio; the denominator is 1 if the column is a plain sum.
    root : int or Fraction
        The ratio is raised to the power 1/root: 2 is the square root, 1/2 the square, 1 no root.
    exponential : bool
        True if the column is the exponential of the ratio.
    negative : bool
        True if the column is minus the root of the ratio.
    logarithm : bool
        True if the column is the natural logarithm of the ratio.
    rounding : Rounding
        How the result is rounded.
    clocks : mapping from str to Clock
        For each column of dates, the clock that converts its dates to numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> q, C = np.random.default_rng(0).uniform(1, 5, (2, 100))
    >>> law = gramian.relations(np.column_stack([q, C, q / C]), ["q", "C", "v"])[0]
    >>> solution = law.solve_for("v")
    >>> print(solution)
    v = q / C
    >>> solution({"q": [6.0], "C": [3.0]})
    array([2.])
    """

    column: str
    numerator: Formula
    denominator: Formula
    root: int | Fraction = 1
    exponential: bool = False
    negative: bool = False
    logarithm: bool = False
    rounding: Rounding = UNROUNDED
    clocks: Mapping[str, Clock] = field(default_factory=dict)

    @property
    def _function(self) -> Literal["exp", "log", "root"]:
        """The function that is applied to the ratio to compute the column."""
        return "exp" if self.exponential else "log" if self.logarithm else "root"

    @property
    def divides(self) -> bool:
        """True if the law is more than a sum of products."""
        return self._function != "root" or self.root != 1 or bool(self.denominator.columns)

    @property
    def is_formula(self) -> bool:
        """True: a solution computes numbers from numbers."""
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns from which the law computes `column`."""
        both = (*self.numerator.columns, *self.denominator.columns)
        return tuple(dict.fromkeys(both))

    def __call__(self, table: Mapping[str, ArrayLike]) -> Array:
        """Compute the values of the column from the other columns.

        Parameters
        ----------
        table : mapping or data frame
            The columns from which the law computes the column, by name.

        Returns
        -------
        values : array of shape (n_samples,)
            The column; NaN where the denominator is zero, or the root or logarithm does not exist.
        """
        with np.errstate(all="ignore"):  # a cell may be infinite
            return self.rounding(self._unrounded(table))

    def rounded_to(self, rounding: Rounding) -> Solution:
        """Return the solution with a result that is rounded in a given way.

        Parameters
        ----------
        rounding : Rounding
            The number of decimals, and the way in which the middle is rounded.
        """
        return replace(self, rounding=rounding)

    def _unrounded(self, table: Mapping[str, ArrayLike]) -> Array:
        """Return the column before it is rounded."""
        known = {name: numbers_of(table[name], self.clocks.get(name)) for name in self.columns}
        numerator, denominator = self.numerator(known), self.denominator(known)
        ratio: Array = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
        np.divide(numerator, denominator, out=ratio, where=denominator != 0)
        if self.exponential:
            return np.exp(ratio)
        if self.logarithm:
            return np.log(np.where(ratio > 0, ratio, np.nan))
        if self.root == 1:
            return ratio
        found: Array = np.sign(ratio) * np.abs(ratio) ** float(1 / Fraction(self.root))
        if self.root % 2 == 0:
            found = np.where(ratio < 0, np.nan, found)
        return -found if self.negative else found

    def cause(self, name: str, table: Mapping[str, ArrayLike]) -> Array | None:
        """Return the values of a column on the right-hand side with which the law holds.

        Parameters
        ----------
        name : str
            One of `columns`.
        table : mapping or data frame
            All columns of the law, by name.
        """
        every = (*self.columns, self.column)
        known = {each: numbers_of(table[each], self.clocks.get(each)) for each in every}
        known[RATIO] = self._ratio_of(known.pop(self.column))
        below = self.denominator.terms
        terms = [
            *self.numerator.terms,
            *(Term(-each.coefficient, {**each.factors, RATIO: 1}) for each in below),
        ]
        return balancing(terms, name, known, known[name])

    def _ratio_of(self, values: Array) -> Array:
        """Return the ratio of numerator and denominator that gives some values of the column."""
        with np.errstate(all="ignore"):
            if self.exponential:
                return np.asarray(np.log(values))
            if self.logarithm:
                return np.asarray(np.exp(values))
            signed = -values if self.negative else values
            return np.asarray(np.sign(signed) * np.abs(signed) ** float(self.root))

    def to_json(self) -> dict[str, Any]:
        """Return the solution as a dictionary that can be stored as JSON.

        Returns
        -------
        document : dict
            A dictionary of lists, numbers and texts, which `from_json` reads.
        """
        return document_of(self)

    @classmethod
    def from_json(cls, document: Any) -> Solution:
        """Read a stored solution; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        return cls(*solution_parts(document))

    def __str__(self) -> str:
        return f"{quote(self.column)} = {self.text}"

    @property
    def text(self) -> str:
        """The right-hand side of the equation, as text; a constant date is a date."""
        if self.column in self.clocks and not self.columns:
            return self.clocks[self.column].text(float(self({})))
        exponent = self._power_of_ten
        if exponent is not None:
            text = str(exponent)
            return f"10^{text}" if text.replace("_", "a").isalnum() else f"10^({text})"
        inner = self._ratio()
        if self._function != "root":
            return f"{self._function}({inner})"
        if self.root == 1:
            return inner
        simple = inner.replace("_", "a").isalnum()
        sign = MINUS if self.negative else ""
        power = 1 / Fraction(self.root)
        if power.denominator == 1:
            return f"{sign}({inner}){superscript(power.numerator)}"
        if self.root in ROOTS:
            return sign + ROOTS[self.root] + (inner if simple else f"({inner})")
        return f"{sign}{inner if simple else f'({inner})'}^({power})"

    @property
    def _power_of_ten(self) -> Formula | None:
        """The exponent of 10, if the column is the exponential of a multiple of log 10."""
        terms, below = self.numerator.terms, str(self.denominator)
        if not self.exponential or len(terms) != 1 or below != "1":
            return None
        factor = power_of_ten(terms[0].coefficient)
        if factor is None:
            return None
        return replace(self.numerator, terms=(terms[0]._replace(coefficient=factor),), digits=())

    def _ratio(self) -> str:
        top, bottom = _written(self.numerator), _written(self.denominator)
        if bottom == "1":
            return top
        if len(self.numerator.terms) > 1 and _factored(self.numerator) is None:
            top = f"({top})"
        return f"{top} / ({bottom})" if " " in bottom else f"{top} / {bottom}"

    def latex(self) -> str:
        """Return the equation in LaTeX's math mode."""
        exponent = self._power_of_ten
        if exponent is not None:
            return f"{latex_name(self.column)} = 10^{{{exponent.latex()}}}"
        inner = _in_latex(self.numerator)
        if str(self.denominator) != "1":
            inner = rf"\frac{{{inner}}}{{{_in_latex(self.denominator)}}}"
        if self._function != "root":
            inner = rf"\{self._function}\left({inner}\right)"
        elif self.root != 1:
            sign, power = "-" if self.negative else "", 1 / Fraction(self.root)
            index = "" if self.root == 2 else f"[{self.root}]"
            if power.numerator == 1:
                inner = rf"{sign}\sqrt{index}{{{inner}}}"
            else:
                inner = rf"{sign}\left({inner}\right)^{{{power}}}"
        return f"{latex_name(self.column)} = {inner}"

    def sympy(self) -> Any:
        """Return the equation as SymPy's Eq."""
        sympy = import_sympy()
        inner = self.numerator.sympy() / self.denominator.sympy()
        if self._function != "root":
            inner = getattr(sympy, self._function)(inner)
        elif self.root != 1:
            power = sympy.Rational(1 / Fraction(self.root))
            inner = inner**power * (-1 if self.negative else 1)
        return sympy.Eq(sympy.Symbol(self.column), inner, evaluate=False)


def _factored(formula: Formula) -> tuple[Formula, Formula] | None:
    """Write a formula as a product: 0.5 · (a + b), or a · b · (1 − 0.01 · c) for a discount.

    Return the factor of all terms, and the sum in brackets. Return None if the terms have no common
    factor, or if the number in brackets is not short. Coefficients count as they are printed.
    """
    digits = formula.digits or (RATIO_DIGITS,) * len(formula.terms)
    shown = [
        Term(float(f"{each.coefficient:.{n - 1}e}"), each.factors)
        for each, n in zip(formula.terms, digits, strict=True)
    ]
    sizes = {abs(each.coefficient) for each in shown}
    if len(shown) > 1 and len(sizes) == 1 and sizes != {1.0} and all(map(_has_only_powers, shown)):
        size = max(each.coefficient for each in formula.terms)  # below 0 if all are
        factor = Term(size if size < 0 else abs(formula.terms[0].coefficient), {})
        signs = [Term(math.copysign(1.0, one.coefficient * size), one.factors) for one in shown]
        signs.sort(key=lambda each: each.coefficient < 0)
        return (
            Formula((factor,), formula.columns, (max(digits),)),
            Formula(tuple(signs), formula.columns),
        )
    if len(shown) != 2:
        return None
    first, second = sorted(shown, key=lambda each: len(each.factors))
    common = first.factors.items()
    if not first.factors or len(second.factors) != len(first.factors) + 1:
        return None
    if not common <= second.factors.items():
        return None
    rest = {key: factor for key, factor in second.factors.items() if key not in first.factors}
    ratio = second.coefficient / first.coefficient
    near = float(f"{ratio:.{RATIO_DIGITS - 1}e}")
    if abs(near - ratio) > RATIO_ERROR * abs(ratio):
        return None
    bracket = (Term(1.0, {}), Term(near, rest))
    return (
        Formula((first,), formula.columns, (max(digits),)),
        Formula(bracket, formula.columns, (1, RATIO_DIGITS)),
    )


def _has_only_powers(term: Term) -> bool:
    """Return True if a term has columns, and no functions of them such as logarithms."""
    return bool(term.factors) and not any(isinstance(f, Function) for f in term.factors.values())


def _written(formula: Formula) -> str:
    """Return a formula as text, as a product if `_factored` finds one."""
    factored = _factored(formula)
    return str(formula) if factored is None else "{} · ({})".format(*factored)


def _in_latex(formula: Formula) -> str:
    """Return a formula in LaTeX's math mode, as a product if `_factored` finds one."""
    factored = _factored(formula)
    if factored is None:
        return formula.latex()
    return rf"{factored[0].latex()} \left({factored[1].latex()}\right)"
