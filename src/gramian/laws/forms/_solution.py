"""Solution: a law among numbers, solved for one of its columns."""

from __future__ import annotations

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
    Term,
    import_sympy,
    latex_name,
    power_of_ten,
    quote,
    superscript,
)
from gramian.laws.columns import Decimals, as_printed, numbers_of
from gramian.laws.forms._column_law import ColumnLaw
from gramian.laws.forms._solution_document import document_of, solution_parts
from gramian.tables import Clock

RATIO_DIGITS = 3
"""Largest number of digits of the ratio of two coefficients that are factored out."""
RATIO_ERROR = 1e-9
"""Largest relative error of this ratio."""
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
    decimals : int, Single or None
        The number of decimals that the result is rounded to, or the kind of single precision; None
        for no rounding.
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
    decimals: Decimals = None
    clocks: Mapping[str, Clock] = field(default_factory=dict)

    @property
    def _function(self) -> Literal["exp", "log", "root"]:
        """The function that is applied to the ratio to compute the column."""
        return "exp" if self.exponential else "log" if self.logarithm else "root"

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
        found = self._unrounded(table)
        return as_printed(found, self.decimals)

    def rounded_to(self, decimals: Decimals) -> Solution:
        """Return the solution with a result that is rounded as a table has it.

        Parameters
        ----------
        decimals : int, Single or None
            The number of decimals, or the kind of single precision; None for no rounding.
        """
        return replace(self, decimals=decimals)

    def _unrounded(self, table: Mapping[str, ArrayLike]) -> Array:
        """Return the column before it is rounded to `decimals`."""
        known = {name: numbers_of(table[name], self.clocks.get(name)) for name in self.columns}
        with np.errstate(all="ignore"):
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
        """The right-hand side of the equation, as text."""
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
        top, bottom = str(self.numerator), str(self.denominator)
        factored = _factored(self.numerator)
        if factored is not None:
            top = "{} · ({})".format(*factored)
        if bottom == "1":
            return top
        if len(self.numerator.terms) > 1 and factored is None:
            top = f"({top})"
        compound = len(self.denominator.terms) > 1 or " " in bottom
        return f"{top} / ({bottom})" if compound else f"{top} / {bottom}"

    def latex(self) -> str:
        """Return the equation in LaTeX's math mode."""
        exponent = self._power_of_ten
        if exponent is not None:
            return f"{latex_name(self.column)} = 10^{{{exponent.latex()}}}"
        inner = self.numerator.latex()
        factored = _factored(self.numerator)
        if factored is not None:
            inner = rf"{factored[0].latex()} \left({factored[1].latex()}\right)"
        if str(self.denominator) != "1":
            inner = rf"\frac{{{inner}}}{{{self.denominator.latex()}}}"
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
    """Write a formula of two terms as a product: a · b · (1 − 0.01 · c), for a price with discount.

    Return the factor of both terms, and the sum in brackets, which begins with 1. Return None if
    neither term divides the other, or if no number becomes shorter.
    """
    if len(formula.terms) != 2:
        return None
    first, second = sorted(formula.terms, key=lambda each: len(each.factors))
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
    digits = max(formula.digits, default=0) or RATIO_DIGITS
    bracket = (Term(1.0, {}), Term(near, rest))
    return (
        Formula((first,), formula.columns, (digits,)),
        Formula(bracket, formula.columns, (1, RATIO_DIGITS)),
    )
