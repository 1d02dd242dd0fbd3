"""Texts of Python warnings about a fit, and their categories."""

from __future__ import annotations

from gramian._support.words import either
from gramian.exceptions import (
    NumericalWarning,
    OverfittingWarning,
    SaturationWarning,
    TrimmedRowsWarning,
    UnitsWarning,
)
from gramian.fitting import (
    Caution,
    NearDependence,
    Overfitting,
    Remedy,
    Saturation,
    TrimmedRows,
    UnequalUnits,
)

CATEGORIES: dict[type[Caution], type[Warning]] = {
    Saturation: SaturationWarning,
    Overfitting: OverfittingWarning,
    NearDependence: NumericalWarning,
    UnequalUnits: UnitsWarning,
    TrimmedRows: TrimmedRowsWarning,
}
REMEDIES = {
    Remedy.AUTO_ALPHA: "alpha='auto'",
    Remedy.AUTO_DEGREE: "degree='auto'",
    Remedy.LOWER_DEGREE: "a lower degree",
    Remedy.FEWER_FEATURES: "fewer features",
    Remedy.MORE_ROWS: "more samples",
    Remedy.QR_SOLVER: "solver='qr' if the data fit in memory",
    Remedy.BETTER_FAMILY: "a better conditioned family such as 'hermite'",
    Remedy.SCALE: "scale=True, unless all columns have the same unit",
    Remedy.ALL_ROWS: "robust=False to fit all rows",
}


def warning_of(caution: Caution) -> tuple[type[Warning], str]:
    """Return the category and the text of a Python warning.

    Parameters
    ----------
    caution : Caution
        The caution.
    """
    remedies = either(REMEDIES[each] for each in caution.remedies)
    return CATEGORIES[type(caution)], f"{_problem(caution)} Use {remedies}."


def _problem(caution: Caution) -> str:
    """Return one or two sentences that say what is wrong with a fit."""
    match caution:
        case Saturation():
            return (
                f"After {caution.n_steps} steps the functions span all {caution.n_rows} samples: "
                "every residual is zero, whatever the data, and the fit stopped."
            )
        case Overfitting():
            return (
                f"{caution.n_functions:.0f} functions were fitted to {caution.n_rows} samples. "
                "Above half as many functions as samples, residual variances measured on the "
                "samples of the fit are far too small."
            )
        case NearDependence():
            return (
                "The functions are close to linearly dependent, and residual variances of "
                f"solver='gram' may be off by a relative {caution.loss:.0e}."
            )
        case UnequalUnits():
            return (
                f"The standard deviation of {caution.column!r} is {caution.ratio:.3g} times the "
                f"median of all columns. {caution.algorithm} compares variances, so that this "
                "column hides the others."
            )
        case TrimmedRows():
            return (
                f"{caution.n_trimmed} of {caution.n_rows} samples lie far from the others, would "
                "decide the fit, and took no part in it: see trimmed_rows_. Look for wrong cells "
                "there."
            )
    raise NotImplementedError(type(caution))
