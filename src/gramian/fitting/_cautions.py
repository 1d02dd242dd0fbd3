"""Warnings about a fit: `fit` raises them, and reports repeat them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gramian.exceptions import (
    NumericalWarning,
    OverfittingWarning,
    SaturationWarning,
    UnitsWarning,
)

if TYPE_CHECKING:
    from gramian.fitting._any_model import Steps
    from gramian.fitting._fitted_model import FittedModel

MAX_LOSS = 1e-6
"""Largest loss of orthogonality without a warning."""
SPREAD = 100.0
"""Largest ratio of a column's standard deviation to the median without a warning about units."""
Caution = tuple[type[Warning], str]
"""Category of a warning, and its text."""


def cautions_of(model: FittedModel) -> list[Caution]:
    """Return the warnings about a pursuit."""
    record = model.record
    found = inaccuracy(record)
    if not model.rows_decided:  # left-out rows are not deceived by too many functions
        found = [*too_many_functions(record, model.freedom, model.remedy), *found]
    goes_by_variances = model.redundant is None and not model.asked.relative
    if goes_by_variances and model.scale is None:
        found += _of_units(model)
    return found


def too_many_functions(steps: Steps, freedom: float, remedy: str) -> list[Caution]:
    """Return a warning if functions are too many for the rows.

    Parameters
    ----------
    steps : Steps
        The steps of the fit.
    freedom : float
        The effective number of functions.
    remedy : str
        A parameter that helps, followed by a comma and a blank, or nothing.
    """
    if steps.stop_reason == "saturated":
        text = (
            f"After {len(steps.n_kept)} steps the functions span all {steps.n_rows} samples: "
            "every residual is zero, whatever the data, and the fit stopped. Use "
            f"{remedy}a lower degree, fewer directions, or more samples."
        )
        return [(SaturationWarning, text)]
    if 2 * freedom > steps.n_rows:
        text = (
            f"{freedom:.0f} functions were fitted to {steps.n_rows} samples. Above half "
            "as many functions as samples, residual variances measured on the same samples are "
            f"far too small. Use {remedy}a lower degree, fewer directions, or more samples."
        )
        return [(OverfittingWarning, text)]
    return []


def inaccuracy(steps: Steps) -> list[Caution]:
    """Return a warning if functions are close to linearly dependent."""
    if steps.orthogonality_loss <= MAX_LOSS:
        return []
    text = (
        "The functions are close to linearly dependent, and solver='gram' may be off by a "
        f"relative {steps.orthogonality_loss:.0e} in what it reports. Use solver='qr' if "
        "the data fit in memory, or a better conditioned family such as 'hermite'."
    )
    return [(NumericalWarning, text)]


def _of_units(model: FittedModel) -> list[Caution]:
    """Return a warning if the unit of one column hides most others."""
    deviations = np.sqrt(model.variances)
    varying = deviations[deviations > 0]
    if not len(varying) or deviations.max() <= SPREAD * np.median(varying):
        return []
    largest = int(np.argmax(deviations))
    text = (
        f"The deviation of {model.column_names[largest]!r} is "
        f"{deviations[largest] / np.median(varying):.3g} times that of half of the columns, so "
        f"that {model.algorithm}, which goes by variances, sees little else. Use scale=True, "
        "unless all columns have the same unit."
    )
    return [(UnitsWarning, text)]
