"""Explanations of a fit: formulas of dropped columns, and reasons why columns were kept."""

from gramian.explanations._explaining import RowsNeededError as RowsNeededError
from gramian.explanations._explaining import explain
from gramian.explanations._explaining import explain_checked as explain_checked
from gramian.explanations._explanation import Explanation
from gramian.explanations._redundancies import Edge, Graph, KeptFeature, Node, Redundancy
from gramian.explanations._subject import subject_of as subject_of
from gramian.explanations._target_moments import of_fit as of_fit
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
