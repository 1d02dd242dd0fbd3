"""Algorithm 1 of the paper, in two ways that agree up to rounding."""

from gramian.core.orthogonalize._distinct_values import KnownLevels
from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._function_sums import plain_cost
from gramian.core.orthogonalize._gram import Gram
from gramian.core.orthogonalize._moment_table import Halves, MomentTable, Tuples, merge_tuples
from gramian.core.orthogonalize._monomial_moments import (
    GATHERING,
    HALF_EVALUATION,
    MAX_VARIABLES,
    monomials,
    plan_moments,
    powers_of,
)
from gramian.core.orthogonalize._orthogonalizer import (
    Added,
    Direction,
    GrowingRows,
    Orthogonalizer,
    Step,
    check_finite,
    cholesky_columns,
)
from gramian.core.orthogonalize._qr import QR
from gramian.core.orthogonalize._range import scaled
from gramian.core.orthogonalize._variables import functions_of, variables_of

__all__ = [
    "GATHERING",
    "HALF_EVALUATION",
    "MAX_VARIABLES",
    "QR",
    "Added",
    "Direction",
    "Factor",
    "Gram",
    "GrowingRows",
    "Halves",
    "KnownLevels",
    "MomentTable",
    "Orthogonalizer",
    "Step",
    "Tuples",
    "check_finite",
    "cholesky_columns",
    "functions_of",
    "merge_tuples",
    "monomials",
    "plain_cost",
    "plan_moments",
    "powers_of",
    "scaled",
    "variables_of",
]
