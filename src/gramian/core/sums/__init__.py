"""Sums over the rows of a table: Gram matrices of functions, moments, distinct values."""

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
    MomentTables,
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
from gramian.core.sums._variables import involved

__all__ = [
    "GATHERING_COST",
    "MAX_VARIABLES",
    "CombinedWork",
    "Direction",
    "FunctionValues",
    "FunctionWork",
    "GrowingRows",
    "Halves",
    "KnownLevels",
    "MomentTables",
    "MomentWork",
    "MonomialTuples",
    "Monomials",
    "Step",
    "StepMomentWork",
    "Sums",
    "Tuples",
    "VariableValues",
    "check_finite",
    "distinct_levels",
    "involved",
    "merge_tuples",
    "monomials",
    "out_of_range",
    "pieces",
    "plain_cost",
    "powers_of",
    "scaled",
    "tables_for_all",
    "tables_for_step",
]
