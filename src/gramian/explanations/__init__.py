"""Explanations: which columns are redundant, by which formula, and why others were kept."""

from gramian.explanations._explain import explain
from gramian.explanations._explanation import Explanation
from gramian.explanations._formula import Formula, Term
from gramian.explanations._functions import Function
from gramian.explanations._results import Edge, Graph, KeptFeature, Node, Redundancy

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
