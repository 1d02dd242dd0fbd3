"""Fits: checks of data, gaps, plans, fitted models, warnings and costs.

Open `_plan.py` first, which runs a fit; `_fitted_model.py` holds its result.
"""

from gramian.fitting._algorithm import Algorithm, Dropping
from gramian.fitting._any_model import AnyModel, Asked, Record, SteppedModel, Steps
from gramian.fitting._blockwise import (
    Output,
    aligned,
    any_named,
    apply_blockwise,
    by_name,
    check_output,
    lazily,
    source_of,
    weights_of,
    without_columns,
)
from gramian.fitting._cautions import (
    Caution,
    NearDependence,
    NearLaw,
    Overfitting,
    Remedy,
    Saturation,
    TrimmedRows,
    UnequalUnits,
)
from gramian.fitting._checked_data import ArrayData, CheckedData, Preparation, Problem
from gramian.fitting._cost import Cost, estimate
from gramian.fitting._fitted_manifold import FittedManifold
from gramian.fitting._fitted_model import ROWS_AT_ONCE, FittedModel
from gramian.fitting._fitted_norms import FittedNorms
from gramian.fitting._gaps import EmptyColumnError, Gaps, GapTally, completion, has_gaps
from gramian.fitting._held_out_rows import HoldOut, RandomState, TooFewRowsError
from gramian.fitting._input_checks import (
    ValidationData,
    check_data,
    check_in_memory,
    check_rows,
    check_weights,
    finite_but_gaps,
    only_complete,
    shape_of,
)
from gramian.fitting._kept_variables import (
    EliminationSearch,
    GreedySearch,
    KeptColumns,
    KeptComponents,
    KeptDirections,
    KeptVariables,
    RedundancySearch,
    Search,
    SetSearch,
    in_table_units,
)
from gramian.fitting._left_out import FEW, needs_no_shrinkage
from gramian.fitting._plan import (
    Plan,
    Request,
    Solver,
    best_of,
    prefers_qr,
    run,
    shares_left,
    steps_of,
)
from gramian.fitting._progress_bar import report_for
from gramian.fitting._trimmed_fit import MOST_WRONG, fit_most_rows
