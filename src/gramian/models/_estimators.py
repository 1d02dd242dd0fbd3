"""Estimators as plain data and arrays, and back."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian._gca import GCA
from gramian._gfa import GFA
from gramian._gfr import GFR
from gramian._gfs import GFS
from gramian._model import Basis, FittedModel, Project, Record, TakeColumns
from gramian._pursuit import StopReason
from gramian._types import Array, IntArray
from gramian._uffs import UFFS
from gramian.exceptions import ModelFileError
from gramian.families import Family
from gramian.models import _decoder, _elimination
from gramian.models._archive import AnyArray
from gramian.models._families import Functions, from_data, plain, to_data
from gramian.models._schema import SCHEMAS, check_indices

Estimator = GFR | GCA | GFS | GFA | UFFS
CLASSES: dict[str, type[Estimator]] = {each.__name__: each for each in (GFR, GCA, GFS, GFA, UFFS)}
LEFT_OUT = ("checkpoint",)
"""Parameters that are not written: they name places on this machine."""
SOLVERS = ("qr", "gram", "moments")
MAX_INTEGER = 2**63
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
ARRAY = {"array": "basis"}
"""Stands for GCA's parameter `basis` where it is an array."""


def to_data_and_arrays(
    estimator: Estimator, *, moments: bool | None
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Describe a fitted estimator.

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA or UFFS
        The estimator.
    moments : bool or None
        Whether to include the moments of the fit; with None, if they are small.
    """
    name = type(estimator).__name__
    if CLASSES.get(name) is not type(estimator):
        raise TypeError(f"Model files are for {', '.join(CLASSES)}; got {type(estimator)}.")
    check_is_fitted(estimator)
    model: FittedModel = estimator.model_
    record = model.record
    arrays = {name: array for name, array in _arrays_of(model).items() if array is not None}
    fitted: dict[str, Any] = {
        "n_samples_": int(record.n_rows),
        "stop_reason_": record.stop_reason,
        "solver_": record.solver,
        "orthogonality_loss_": _number(float(record.orthogonality_loss)),
    }
    if model.decoder is not None:
        fitted |= {
            "alpha_": _number(float(record.alpha)),
            "family_": to_data(model.family),
        }
        arrays |= _decoder.to_arrays(model.decoder, moments=moments)
    if model.elimination is not None:
        fitted["elimination"] = _elimination.to_data(model.elimination)
        arrays |= _elimination.to_arrays(model.elimination)
    parameters = {
        key: _parameter(key, value)
        for key, value in estimator.get_params(deep=False).items()
        if key not in LEFT_OUT
    }
    if parameters.get("basis") == ARRAY:
        basis = estimator.get_params(deep=False)["basis"]
        arrays["basis"] = np.asarray(basis, dtype=np.float64)
    document = {
        "estimator": name,
        "parameters": parameters,
        "n_features": model.n_columns,
        "feature_names": None if model.names is None else [str(each) for each in model.names],
        "fitted": fitted,
    }
    return document, arrays


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
    return found


def _number(value: Any) -> Any:
    """Return a number as JSON can hold it; infinity becomes ``{"float": "inf"}``."""
    value = plain(value)
    if isinstance(value, Real) and not isinstance(value, int) and math.isinf(value):
        return {"float": "inf"}
    return value


def _parameter(name: str, value: Any) -> Any:
    if isinstance(value, Family):
        return to_data(value)
    if name == "basis" and not isinstance(value, str):
        return ARRAY
    if name in ("keep", "priority") and value is not None:
        return [each if isinstance(each, str) else int(each) for each in value]
    value = _number(value)
    if isinstance(value, np.random.RandomState):
        raise ValueError(
            "random_state is a generator, whose state cannot be written to a model file. Set a "
            "number: set_params(random_state=0); the fit stays as it is."
        )
    return value


def from_data_and_arrays(
    document: Mapping[str, Any], arrays: Mapping[str, AnyArray], functions: Functions | None
) -> Estimator:
    """Make a fitted estimator.

    Parameters
    ----------
    document : mapping
        The description; its name and number of features are already checked.
    arrays : mapping from str to array
        The arrays; their shapes are already checked.
    functions : mapping from str to callable, optional
        The functions of Custom.
    """
    name, d = document["estimator"], document["n_features"]
    estimator = _make(CLASSES[name], document.get("parameters"), arrays, functions)
    names = _names(document.get("feature_names"), d)
    decodes = "decoder.coefficients" in SCHEMAS[name]
    fitted = document.get("fitted")
    scalars = {"n_samples_", "stop_reason_", "solver_", "orthogonality_loss_"}
    if decodes:
        scalars |= {"alpha_", "family_"}
    if "elimination.dropped" in arrays:
        scalars.add("elimination")
    if not isinstance(fitted, dict) or set(fitted) != scalars:
        raise ModelFileError("Its description of the fit is missing or damaged.")
    record = _record(fitted, arrays)
    if np.append(record.n_kept, record.n_dropped).min(initial=0) < 0:
        raise ModelFileError("A number of functions is negative.")
    scale = arrays.get("scale_")
    if scale is not None and (scale <= 0).any():
        raise ModelFileError("What columns were divided by is not positive.")
    chosen, redundant, directions, basis = _choice(arrays, estimator, d)
    elimination = None
    if "elimination" in scalars:
        assert redundant is not None
        elimination = _elimination.from_data_and_arrays(
            fitted["elimination"], arrays, chosen, redundant
        )
    family = from_data(fitted["family_"], functions) if decodes else estimator._family()
    model = FittedModel(
        algorithm=name,
        names=None if names is None else tuple(names),
        mean=arrays["mean_"],
        scale=scale,
        encoder=TakeColumns(chosen)
        if directions is None
        else Project(directions if scale is None else directions / scale),
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
        elimination=elimination,
    )
    estimator._become(model)
    return estimator


def _choice(
    arrays: Mapping[str, AnyArray], estimator: Estimator, d: int
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


def _make(
    kind: type[Estimator], data: Any, arrays: Mapping[str, AnyArray], functions: Functions | None
) -> Estimator:
    """Make the estimator with its parameters; those that are not in the file keep their default."""
    known = {*inspect.signature(kind).parameters} - {*LEFT_OUT}
    if not isinstance(data, dict) or not set(data) <= known:
        raise ModelFileError(f"It has parameters that {kind.__name__} of this version does not.")
    params = {}
    for name, value in data.items():
        if name == "family" and isinstance(value, dict):
            value = from_data(value, functions)
        elif name == "basis" and value == ARRAY and "basis" in arrays:
            value = arrays["basis"]
        elif value == {"float": "inf"}:
            value = math.inf
        elif name in ("keep", "priority") and isinstance(value, list):
            if not all(type(each) is int or is_text(each) for each in value):
                raise ModelFileError(f"Its parameter {name!r} is damaged.")
        elif not isinstance(value, str | int | float | None) or (
            isinstance(value, int) and abs(value) >= MAX_INTEGER
        ):
            raise ModelFileError(f"Its parameter {name!r} is damaged.")
        params[name] = value
    estimator = kind(**params)
    if ("basis" in arrays) != isinstance(params.get("basis"), np.ndarray):
        raise ModelFileError("It has a basis that its parameters do not mention.")
    try:
        estimator._validate_params()
    except ValueError as error:
        raise ModelFileError(f"A parameter is out of range: {str(error)[:300]}") from error
    return estimator


def _names(names: Any, d: int) -> list[str] | None:
    if names is None:
        return None
    if not isinstance(names, list) or len(names) != d or not all(map(is_text, names)):
        raise ModelFileError(f"The names of its {d} columns are damaged.")
    return names


def is_text(value: Any) -> bool:
    """Whether something is a text without lone surrogates (halves of characters)."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _record(fitted: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Record:
    if type(fitted["n_samples_"]) is not int or not 1 <= fitted["n_samples_"] < MAX_INTEGER:
        raise ModelFileError("The number of samples is damaged.")
    if fitted["stop_reason_"] not in get_args(StopReason) or fitted["solver_"] not in SOLVERS:
        raise ModelFileError("Its stop_reason_ or solver_ is unknown to this version.")
    numbers = {"orthogonality_loss_": 0.0, "alpha_": 0.0}
    for key in numbers:
        value = math.inf if fitted.get(key) == {"float": "inf"} else fitted.get(key, 0.0)
        if type(value) is not float or value < 0:
            raise ModelFileError(f"{key} is damaged.")
        numbers[key] = value
    return Record(
        stop_reason=fitted["stop_reason_"],
        solver=fitted["solver_"],
        orthogonality_loss=numbers["orthogonality_loss_"],
        n_rows=fitted["n_samples_"],
        alpha=numbers["alpha_"],
        **{field: arrays[name] for name, field in RECORDED.items() if name in arrays},
    )


def _check_choice(chosen: str, others: str, arrays: Mapping[str, AnyArray], n: int) -> None:
    check_indices(chosen, arrays[chosen], n, increasing=False)
    if others in arrays:
        check_indices(others, arrays[others], n, increasing=True)
        if np.intersect1d(arrays[chosen], arrays[others]).size:
            raise ModelFileError(f"{chosen!r} and {others!r} have an index in common.")
