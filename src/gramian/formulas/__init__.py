"""Formulas: sums of terms, each a coefficient times powers and functions of columns.

They can be evaluated, and written as text, in LaTeX and for SymPy. Open `_formula.py` first.
"""

from gramian.formulas._formula import Factors, Formula, Term, import_sympy
from gramian.formulas._function import Function
from gramian.formulas._notation import (
    DIGITS,
    MAX_DENOMINATOR,
    MAX_DIGITS,
    MINUS,
    PART_DIGITS,
    fraction,
    latex_name,
    latex_number,
    number,
    power_of_ten,
    quote,
    r_squared,
    superscript,
)
from gramian.formulas._sparse_sums import FITTED_SUMS, WIDTH, growing, shrinking
