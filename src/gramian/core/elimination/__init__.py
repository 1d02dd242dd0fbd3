"""Which columns follow from the others, whatever their units and order."""

from gramian.core.elimination._backward_elimination import Elimination, Preferences, eliminate
from gramian.core.elimination._exchange import Choice, KeptSetSearch
from gramian.core.elimination._layout import Layout, lay_out
from gramian.core.elimination._layout_sums import FunctionSums, collect
from gramian.core.elimination._selection import Selection, select
from gramian.core.elimination._verification import leave_one_out

__all__ = [
    "Choice",
    "Elimination",
    "FunctionSums",
    "KeptSetSearch",
    "Layout",
    "Preferences",
    "Selection",
    "collect",
    "eliminate",
    "lay_out",
    "leave_one_out",
    "select",
]
