"""Sums over rows: products of functions, distinct moments of monomials, distinct values.

Open `_function_sums.py` first, which sums the Gram matrix of any functions.
"""

from gramian.core.sums._distinct_values import KnownLevels, distinct_levels
from gramian.core.sums._float_range import check_finite, out_of_range, scaled
from gramian.core.sums._function_sums import (
    CombinedWork,
    FunctionValues,
    FunctionWork,
    Sums,
    VariableValues,
    plain_cost,
)
from gramian.core.sums._growing_rows import GrowingRows
from gramian.core.sums._moment_table import Halves
from gramian.core.sums._monomial_moments import (
    GATHERING_COST,
    MomentWork,
    Monomials,
    StepMomentWork,
    tables_for_all,
    tables_for_step,
)
from gramian.core.sums._monomial_tuples import (
    MAX_VARIABLES,
    MonomialTuples,
    Tuples,
    merge_tuples,
    monomials,
    powers_of,
)
from gramian.core.sums._pieces import pieces
from gramian.core.sums._steps import Direction, Step
