"""Explanations: formulas of redundant columns, and reasons for kept columns.

Open `_explaining.py` first, which holds the function `explain`.
"""

from gramian.explanations._explaining import RowsNeededError, explain, explain_checked
from gramian.explanations._explanation import Explanation
from gramian.explanations._redundancies import Edge, Graph, KeptFeature, Node, Redundancy
from gramian.explanations._subject import subject_of
from gramian.explanations._target_moments import of_fit
from gramian.formulas import Formula, Function, Term

__all__ = [
    "Edge",
    "Explanation",
    "Formula",
    "Function",
    "Graph",
    "KeptFeature",
    "Node",
    "Redundancy",
    "Term",
    "explain",
]
