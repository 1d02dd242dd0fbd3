"""Formulas: sums of products of powers and functions of columns."""

from gramian.formulas._formula import Factors, Formula, Term, import_sympy
from gramian.formulas._function import (
    Function,
    Scaled,
    atom_function,
    called_function,
    values_of_atom,
)
from gramian.formulas._notation import (
    DIGITS,
    MAX_DIGITS,
    MINUS,
    latex_name,
    latex_number,
    number,
    quote,
    r_squared,
    superscript,
)
from gramian.formulas._sparse_sums import WIDTH, growing, shrinking

__all__ = [
    "DIGITS",
    "MAX_DIGITS",
    "MINUS",
    "WIDTH",
    "Factors",
    "Formula",
    "Function",
    "Scaled",
    "Term",
    "atom_function",
    "called_function",
    "growing",
    "import_sympy",
    "latex_name",
    "latex_number",
    "number",
    "quote",
    "r_squared",
    "shrinking",
    "superscript",
    "values_of_atom",
]
