"""What the user should know about a fit: warnings when it ends, and remarks on its pages."""

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
    from gramian.fitting._fitted_model import FittedModel

MAX_LOSS = 1e-6
"""The loss of orthogonality that is warned of."""
SPREAD = 100.0
"""From this ratio of standard deviations on, the unit of one column hides the others."""
Caution = tuple[type[Warning], str]
"""A kind of warning, and its text."""


def cautions_of(model: FittedModel) -> list[Caution]:
    """Return what the user should know about a pursuit."""
    record, remedy = model.record, model.remedy
    found: list[Caution] = []
    if model.rows_decided:
        pass  # rows that decide are not deceived by too many functions
    elif record.stop_reason == "saturated":
        text = (
            f"After {len(record.n_kept)} steps the functions span all {record.n_rows} samples: "
            "every residual is zero, whatever the data, and the fit stopped. Use "
            f"{remedy}a lower degree, fewer directions, or more samples."
        )
        found.append((SaturationWarning, text))
    elif 2 * model.freedom > record.n_rows:
        text = (
            f"{model.freedom:.0f} functions were fitted to {record.n_rows} samples. Above half "
            "as many functions as samples, residual variances measured on the same samples are "
            f"far too small. Use {remedy}a lower degree, fewer directions, or more samples."
        )
        found.append((OverfittingWarning, text))
    if record.orthogonality_loss > MAX_LOSS:
        text = (
            "The functions are close to linearly dependent, and solver='gram' may be off by a "
            f"relative {record.orthogonality_loss:.0e} in what it reports. Use solver='qr' if "
            "the data fit in memory, or a better conditioned family such as 'hermite'."
        )
        found.append((NumericalWarning, text))
    goes_by_variances = model.decodes and model.redundant is None and not model.asked.relative
    if goes_by_variances and model.scale is None:
        found += _of_units(model)
    return found


def _of_units(model: FittedModel) -> list[Caution]:
    """Return a warning if the unit of one column hides most others."""
    assert model.variances is not None
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
