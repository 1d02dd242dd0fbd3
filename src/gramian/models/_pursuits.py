"""Models of a pursuit as plain data and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from gramian._model import Basis, FittedModel, Project, Record, TakeColumns
from gramian._pursuit import StopReason
from gramian._types import Array, IntArray
from gramian.exceptions import ModelFileError
from gramian.models import _decoder, _elimination, _laws, _sets
from gramian.models._archive import AnyArray
from gramian.models._decoder import ROUNDING
from gramian.models._families import from_data, to_data
from gramian.models._schema import SCHEMAS, check_indices
from gramian.models._stored import Stored, count, number_from, number_to

SOLVERS = ("qr", "gram", "moments")
RECORDED = {
    "residual_variance_": "largest",
    "total_residual_variance_": "total",
    "degrees_of_freedom_": "degrees_of_freedom",
    "n_functions_": "n_kept",
    "n_dropped_functions_": "n_dropped",
    "alpha_path_": "alpha_path",
    "gcv_total_residual_variance_": "gcv_total",
    "validation_residual_variance_": "validation_largest",
    "validation_total_residual_variance_": "validation_total",
}
"""The arrays of a record: their names in files, which are those of attributes, and their own."""


def describe(
    model: FittedModel, *, moments: bool | None
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the numbers and the arrays of a fit.

    Parameters
    ----------
    model : FittedModel
        The fit.
    moments : bool or None
        Whether to include the moments of the fit; with None, if they are small.
    """
    record = model.record
    arrays = {name: array for name, array in _arrays_of(model).items() if array is not None}
    fitted: dict[str, Any] = {
        "n_samples_": int(record.n_rows),
        "stop_reason_": record.stop_reason,
        "solver_": record.solver,
        "orthogonality_loss_": number_to(float(record.orthogonality_loss)),
    }
    if model.decoder is not None:
        fitted |= {"alpha_": number_to(float(record.alpha)), "family_": to_data(model.family)}
        arrays |= _decoder.to_arrays(model.decoder, moments=moments)
    if model.elimination is not None:
        fitted["elimination"] = _elimination.to_data(model.elimination)
        arrays |= _elimination.to_arrays(model.elimination)
    if model.laws:
        fitted["laws"] = [law.to_json() for law in model.laws]
    return fitted, arrays


def _arrays_of(model: FittedModel) -> dict[str, AnyArray | None]:
    """Return the arrays of a fit, by the names of the attributes that show them."""
    found: dict[str, AnyArray | None] = {
        **{name: getattr(model.record, field) for name, field in RECORDED.items()},
        "mean_": model.mean,
        "scale_": model.scale,
        "_variances": model.variances,
        "fourier_norms_": model.norms,
    }
    if model.basis is not None:
        found["basis_"] = model.basis.axes
        found["component_indices_"] = model.chosen
        found["redundant_indices_"] = model.redundant
    elif model.directions is not None:
        found["components_"] = model.directions
    else:
        found["selected_features_"] = model.chosen
        found["redundant_features_"] = model.redundant
    if model.best_sets is not None:
        found |= _sets.to_arrays(model.best_sets)
    return found


def restore(stored: Stored) -> FittedModel:
    """Make a model.

    Parameters
    ----------
    stored : Stored
        What the file holds.
    """
    arrays, estimator = stored.arrays, stored.estimator
    decodes = "decoder.coefficients" in SCHEMAS[stored.algorithm]
    scalars = {"n_samples_", "stop_reason_", "solver_", "orthogonality_loss_"}
    if decodes:
        scalars |= {"alpha_", "family_"}
    if "elimination.dropped" in arrays:
        scalars.add("elimination")
    if isinstance(stored.fitted, dict) and "laws" in stored.fitted and decodes:
        scalars.add("laws")
    fitted = stored.scalars(scalars)
    record = _record(fitted, arrays)
    if np.append(record.n_kept, record.n_dropped).min(initial=0) < 0:
        raise ModelFileError("A number of functions is negative.")
    scale = stored.scale
    chosen, redundant, directions, basis = _choice(arrays, estimator, stored.n_columns)
    elimination = None
    if "elimination" in scalars:
        assert redundant is not None
        elimination = _elimination.from_data_and_arrays(
            fitted["elimination"],
            arrays,
            stored.n_columns if basis is None else len(basis.axes),
            redundant,
        )
    family = from_data(fitted["family_"], stored.functions) if decodes else estimator._family()
    model = FittedModel(
        algorithm=stored.algorithm,
        names=stored.names,
        mean=arrays["mean_"],
        scale=scale,
        encoder=TakeColumns(chosen)
        if directions is None
        else Project(_in_units(directions, scale)),
        chosen=chosen,
        redundant=redundant,
        family=family,
        record=record,
        decoder=_decoder.from_arrays(arrays, family, record.n_kept, record.n_dropped)
        if decodes
        else None,
        variances=arrays.get("_variances"),
        directions=directions,
        basis=basis,
        norms=arrays.get("fourier_norms_"),
        best_sets=_sets.from_arrays(arrays, stored.n_columns),
        elimination=elimination,
    )
    if "laws" in scalars:
        if not model.selects:
            raise ModelFileError("It has laws of columns, and keeps none.")
        laws = _laws.from_data(fitted["laws"], model.column_names, model.kept_names)
        model = replace(model, laws=laws)
    return model


def _in_units(directions: Array, scale: Array | None) -> Array:
    """Return directions as they are in the columns' own units."""
    if scale is None:
        return directions
    with np.errstate(over="ignore"):
        found: Array = directions / scale
    if not np.isfinite(found).all():
        raise ModelFileError("What columns were divided by is too small.")
    return found


def _choice(
    arrays: Mapping[str, AnyArray], estimator: Any, d: int
) -> tuple[IntArray, IntArray | None, Array | None, Basis | None]:
    """Return what was chosen, what is redundant, and the directions that belong to the choice."""
    if "components_" in arrays:
        return np.arange(len(arrays["components_"])), None, arrays["components_"], None
    if "basis_" in arrays:
        axes = arrays["basis_"]
        _check_choice("component_indices_", "redundant_indices_", arrays, len(axes))
        chosen = arrays["component_indices_"]
        given = estimator.get_params(deep=False)["basis"]
        basis = Basis(axes, "pc" if isinstance(given, str) else "basis")
        return chosen, arrays["redundant_indices_"], axes[chosen], basis
    _check_choice("selected_features_", "redundant_features_", arrays, d)
    return arrays["selected_features_"], arrays.get("redundant_features_"), None, None


def _record(fitted: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Record:
    if fitted["stop_reason_"] not in get_args(StopReason) or fitted["solver_"] not in SOLVERS:
        raise ModelFileError("Its stop_reason_ or solver_ is unknown to this version.")
    total = arrays["total_residual_variance_"]
    if total.min() < 0 or (1 - ROUNDING) * total.max() > total[0]:
        raise ModelFileError("A residual variance is negative, or larger than the variance was.")
    return Record(
        stop_reason=fitted["stop_reason_"],
        solver=fitted["solver_"],
        orthogonality_loss=number_from(fitted, "orthogonality_loss_"),
        n_rows=count(fitted, "n_samples_"),
        alpha=number_from(fitted, "alpha_") if "alpha_" in fitted else 0.0,
        **{field: arrays[name] for name, field in RECORDED.items() if name in arrays},
    )


def _check_choice(chosen: str, others: str, arrays: Mapping[str, AnyArray], n: int) -> None:
    check_indices(chosen, arrays[chosen], n, increasing=False)
    if others in arrays:
        check_indices(others, arrays[others], n, increasing=True)
        if np.intersect1d(arrays[chosen], arrays[others]).size:
            raise ModelFileError(f"{chosen!r} and {others!r} have an index in common.")
