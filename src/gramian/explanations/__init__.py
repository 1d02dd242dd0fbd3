"""Explanations: which columns are redundant, by which formula, and why others were kept."""

from gramian.explanations._explaining import explain
from gramian.explanations._explanation import Explanation
from gramian.explanations._redundancies import Edge, Graph, KeptFeature, Node, Redundancy
from gramian.formulas._formula import Formula, Term
from gramian.formulas._function import Function

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
