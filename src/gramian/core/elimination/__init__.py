"""Elimination of columns that functions of other columns explain.

The result does not depend on the units or on the order of the columns. Open `_selection.py` first,
which runs all steps; `_backward_elimination.py` drops the columns.
"""

from gramian.core.elimination._backward_elimination import Preferences, eliminate
from gramian.core.elimination._exchange import KeptSetSearch, Minimal
from gramian.core.elimination._layout import Layout, lay_out
from gramian.core.elimination._layout_sums import FunctionSums, collect
from gramian.core.elimination._left_out_evidence import EXACT_SHARE
from gramian.core.elimination._left_out_groups import (
    leave_groups_out,
    squares_of_few,
    squares_without,
)
from gramian.core.elimination._remaining import LARGE, Remaining
from gramian.core.elimination._selection import (
    CHEAP,
    FEW,
    MAX_FUNCTIONS,
    MOST_OF_ROWS,
    PENALTIES,
    Selection,
    forward_order,
    select,
)
from gramian.core.elimination._verification import fit_columns, leave_one_out
from gramian.core.elimination._wrong_cells import WRONG, wrong_rows
