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
from gramian._pursuit import StopReason
from gramian._uffs import UFFS
from gramian.exceptions import ModelFileError
from gramian.families import Family
from gramian.models import _decoder
from gramian.models._archive import AnyArray
from gramian.models._families import Functions, from_data, plain, to_data
from gramian.models._schema import SCHEMAS, check_indices

Estimator = GFR | GCA | GFS | GFA | UFFS
CLASSES: dict[str, type[Estimator]] = {each.__name__: each for each in (GFR, GCA, GFS, GFA, UFFS)}
LEFT_OUT = ("checkpoint",)
"""Parameters that are not written: they name places on this machine."""
SOLVERS = ("qr", "gram", "moments")
MAX_INTEGER = 2**63
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
    arrays = {
        key: getattr(estimator, key)
        for key in SCHEMAS[name]
        if not key.startswith("decoder.") and key != "basis" and hasattr(estimator, key)
    }
    fitted: dict[str, Any] = {
        "n_samples_": int(estimator.n_samples_),
        "stop_reason_": estimator.stop_reason_,
        "solver_": estimator.solver_,
        "orthogonality_loss_": _number(float(estimator.orthogonality_loss_)),
    }
    if not isinstance(estimator, UFFS):
        fitted |= {
            "alpha_": _number(float(estimator.alpha_)),
            "family_": to_data(estimator.family_),
        }
        arrays |= _decoder.to_arrays(estimator._decoder, moments=moments)
    parameters = {
        key: _parameter(key, value)
        for key, value in estimator.get_params(deep=False).items()
        if key not in LEFT_OUT
    }
    if parameters.get("basis") == ARRAY:
        assert isinstance(estimator, GCA)
        arrays["basis"] = np.asarray(estimator.basis, dtype=np.float64)
    names = getattr(estimator, "feature_names_in_", None)
    document = {
        "estimator": name,
        "parameters": parameters,
        "n_features": int(estimator.n_features_in_),
        "feature_names": None if names is None else [str(each) for each in names],
        "fitted": fitted,
    }
    return document, arrays


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
    estimator.n_features_in_ = d
    names = _names(document.get("feature_names"), d)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    fitted = document.get("fitted")
    scalars = {"n_samples_", "stop_reason_", "solver_", "orthogonality_loss_"}
    if not isinstance(estimator, UFFS):
        scalars |= {"alpha_", "family_"}
    if not isinstance(fitted, dict) or set(fitted) != scalars:
        raise ModelFileError("Its description of the fit is missing or damaged.")
    _set_scalars(estimator, fitted)
    for key, array in arrays.items():
        if key in SCHEMAS[name] and key != "basis" and not key.startswith("decoder."):
            setattr(estimator, key, array)
    counts = np.append(estimator.n_functions_, estimator.n_dropped_functions_)
    if counts.min(initial=0) < 0:
        raise ModelFileError("A number of functions is negative.")
    if isinstance(estimator, GCA):
        _check_choice("component_indices_", "redundant_indices_", arrays, len(estimator.basis_))
        estimator.components_ = estimator.basis_[estimator.component_indices_]
    elif not isinstance(estimator, GFR):
        _check_choice("selected_features_", "redundant_features_", arrays, d)
        estimator._select(estimator.selected_features_.tolist())
    if not isinstance(estimator, UFFS):
        estimator.family_ = from_data(fitted["family_"], functions)
        estimator._decoder = _decoder.from_arrays(
            arrays, estimator.family_, estimator.n_functions_, estimator.n_dropped_functions_
        )
    return estimator


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


def _set_scalars(estimator: Estimator, fitted: dict[str, Any]) -> None:
    if type(fitted["n_samples_"]) is not int or not 1 <= fitted["n_samples_"] < MAX_INTEGER:
        raise ModelFileError("The number of samples is damaged.")
    if fitted["stop_reason_"] not in get_args(StopReason) or fitted["solver_"] not in SOLVERS:
        raise ModelFileError("Its stop_reason_ or solver_ is unknown to this version.")
    for key in ("n_samples_", "stop_reason_", "solver_"):
        setattr(estimator, key, fitted[key])
    for key in ("orthogonality_loss_", "alpha_"):
        if key in fitted:
            value = math.inf if fitted[key] == {"float": "inf"} else fitted[key]
            if type(value) is not float or value < 0:
                raise ModelFileError(f"{key} is damaged.")
            setattr(estimator, key, value)


def _check_choice(chosen: str, others: str, arrays: Mapping[str, AnyArray], n: int) -> None:
    check_indices(chosen, arrays[chosen], n, increasing=False)
    if others in arrays:
        check_indices(others, arrays[others], n, increasing=True)
        if np.intersect1d(arrays[chosen], arrays[others]).size:
            raise ModelFileError(f"{chosen!r} and {others!r} have an index in common.")
