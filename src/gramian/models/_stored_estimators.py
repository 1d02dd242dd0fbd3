"""Conversion of a fitted estimator to the content of a model file, and back."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gramian._support.words import is_storable_text
from gramian.estimators import GCA, GFA, GFR, GFS, UFFS, PolynomialManifold
from gramian.exceptions import ModelFileError
from gramian.families import Family
from gramian.models import _stored_norms as _norms
from gramian.models import _stored_pursuits as _pursuits
from gramian.models import _stored_surfaces as _surfaces
from gramian.models._archive import AnyArray
from gramian.models._schema import SCHEMAS, arrays_of
from gramian.models._stored_families import Functions, from_data, to_data
from gramian.models._stored_numbers import INFINITY, MAX_INTEGER, Stored, number_to

StoredEstimator = GFR | GCA | GFS | GFA | UFFS | PolynomialManifold
"""Estimators that a model file can store."""
KINDS: dict[type[StoredEstimator], ModuleType] = {
    **dict.fromkeys((GFR, GCA, GFS, GFA), _pursuits),
    PolynomialManifold: _surfaces,
    UFFS: _norms,
}
"""For each estimator, the module whose `describe` and `restore` convert its fitted model."""
ESTIMATORS: dict[str, type[StoredEstimator]] = {each.__name__: each for each in KINDS}
"""From the name of an estimator in a model file to its class."""
LEFT_OUT = ("checkpoint",)
"""Parameters of estimators that are not stored, because they are paths on the user's machine."""
ARRAYS = ("basis", "given")
"""Parameters that can be a matrix of directions, which is stored as an array: `basis` of GCA and
`given` of GFR."""


def to_data_and_arrays(
    estimator: StoredEstimator, *, moments: bool | None
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the JSON document and the arrays (by name) that describe a fitted estimator.

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The fitted estimator.
    moments : bool or None
        True to include the moments of the fit, False to leave them out; None to include them if
        they are small.
    """
    name = type(estimator).__name__
    if ESTIMATORS.get(name) is not type(estimator):
        raise TypeError(f"Model files are for {', '.join(ESTIMATORS)}; got {type(estimator)}.")
    check_is_fitted(estimator)
    model = estimator.model_
    fitted, arrays = KINDS[type(estimator)].describe(model, moments=moments)
    arrays |= arrays_of(model, SCHEMAS[name])
    given = estimator.get_params(deep=False)
    parameters = {
        key: _parameter(key, value) for key, value in given.items() if key not in LEFT_OUT
    }
    for key in ARRAYS:
        if parameters.get(key) == {"array": key}:
            arrays[key] = np.asarray(given[key], dtype=np.float64)
    document = {
        "estimator": name,
        "parameters": parameters,
        "n_features": model.n_columns,
        "feature_names": None if model.names is None else [str(each) for each in model.names],
        "fitted": fitted,
    }
    return document, arrays


def _parameter(name: str, value: Any) -> Any:
    """Return the value of a parameter in a form that JSON can store."""
    if isinstance(value, Family):
        return to_data(value)
    if name in ARRAYS and np.ndim(value) == 2:
        return {"array": name}
    if name in ("keep", "priority", "given") and value is not None:
        return [str(each) if isinstance(each, str) else int(each) for each in value]
    value = number_to(value)
    if isinstance(value, np.random.RandomState):
        raise ValueError(
            "random_state is a generator, whose state cannot be written to a model file. Set a "
            "number: set_params(random_state=0). The fit does not change."
        )
    return value


def from_data_and_arrays(
    document: Mapping[str, Any], arrays: Mapping[str, AnyArray], functions: Functions | None
) -> StoredEstimator:
    """Make a fitted estimator from the content of a file.

    Parameters
    ----------
    document : mapping
        JSON document of the file. The estimator's name and the number of features are already
        checked.
    arrays : mapping from str to array
        All arrays of the file; their shapes are already checked.
    functions : mapping from str to callable, optional
        The user's functions in a `Custom` family, by name.
    """
    name, d = document["estimator"], document["n_features"]
    estimator = _make(ESTIMATORS[name], document.get("parameters"), arrays, functions)
    names = _names(document.get("feature_names"), d)
    fitted = document.get("fitted")
    stored = Stored(name, names, d, estimator, fitted, arrays, functions)
    estimator._become(KINDS[type(estimator)].restore(stored))
    return estimator


def _make(
    kind: type[StoredEstimator],
    data: Any,
    arrays: Mapping[str, AnyArray],
    functions: Functions | None,
) -> StoredEstimator:
    """Make an estimator with the parameters of the file, not fitted yet.

    Parameters that are not in the file keep their default values.
    """
    known = {*inspect.signature(kind).parameters} - {*LEFT_OUT}
    if not isinstance(data, dict) or not set(data) <= known:
        raise ModelFileError(f"It has parameters that {kind.__name__} of this version does not.")
    params = {}
    for name, value in data.items():
        if name == "family" and isinstance(value, dict):
            value = from_data(value, functions)
        elif name in ARRAYS and value == {"array": name} and name in arrays:
            value = arrays[name]
        elif value == INFINITY:
            value = math.inf
        elif name in ("keep", "priority", "given") and isinstance(value, list):
            if not all(type(each) is int or is_storable_text(each) for each in value):
                raise ModelFileError(f"Its parameter {name!r} is damaged.")
        elif not isinstance(value, str | int | float | None) or (
            isinstance(value, int) and abs(value) >= MAX_INTEGER
        ):
            raise ModelFileError(f"Its parameter {name!r} is damaged.")
        params[name] = value
    estimator = kind(**params)
    for name in ARRAYS:
        if (name in arrays) != isinstance(params.get(name), np.ndarray):
            raise ModelFileError(f"It has an array {name!r} that its parameters do not mention.")
    try:
        estimator._validate_params()
    except ValueError as error:
        raise ModelFileError(f"A parameter is out of range: {str(error)[:300]}") from error
    return estimator


def _names(names: Any, d: int) -> tuple[str, ...] | None:
    """Return the names of the `d` columns of the fit; None if the columns had no names."""
    if names is None:
        return None
    if not isinstance(names, list) or len(names) != d or not all(map(is_storable_text, names)):
        raise ModelFileError(f"The names of its {d} columns are damaged.")
    return tuple(names)
