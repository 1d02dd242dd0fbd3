"""Which columns follow from the others, whatever their units and order."""

from gramian.elimination._eliminate import Elimination, Preferences, eliminate
from gramian.elimination._exchange import Choice, KeptSetSearch
from gramian.elimination._functions import Layout, lay_out
from gramian.elimination._select import Selection, select
from gramian.elimination._sums import FunctionSums, collect
from gramian.elimination._verify import leave_one_out

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
