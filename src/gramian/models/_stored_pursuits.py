"""Conversion of fitted models of GFR, GCA, GFS and GFA to the content of a file, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from gramian._support.types import Array
from gramian.core.pursuit import StopReason
from gramian.exceptions import ModelFileError
from gramian.fitting import (
    Asked,
    EliminationSearch,
    FittedModel,
    KeptColumns,
    KeptComponents,
    KeptDirections,
    KeptVariables,
    Record,
    Steps,
    in_table_units,
)
from gramian.models import _stored_decoder as _decoder
from gramian.models import _stored_searches as _searches
from gramian.models._archive import AnyArray
from gramian.models._schema import SCHEMAS, check_indices
from gramian.models._stored_decoder import STORED_ROUNDING
from gramian.models._stored_families import from_data, to_data
from gramian.models._stored_numbers import Stored, number_from, number_to, positive_integer

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw

SOLVERS = ("qr", "gram", "moments")
"""Names of solvers that a file may have as `solver_`."""
MOST_ROWS = 2**53
"""Number of rows that no table has."""
STEPS = frozenset({"n_samples_", "stop_reason_", "solver_", "orthogonality_loss_"})
"""Names of the results that are no arrays, in every file of GFR, GCA, GFS, GFA and UFFS."""


def describe(
    model: FittedModel, *, moments: bool | None
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the data of a fitted model for the JSON document, and some of its arrays by name.

    The schema copies the other arrays from attributes of the model.

    Parameters
    ----------
    model : FittedModel
        The fitted model.
    moments : bool or None
        True to include the moments of the fit, False to leave them out; None to include them if
        they are small.
    """
    fitted = {
        **steps_to_data(model.record, model.asked),
        "alpha_": number_to(float(model.record.alpha)),
        "family_": to_data(model.family),
    }
    arrays = _decoder.to_arrays(model.decoder, moments=moments)
    arrays |= _searches.to_arrays(model.search)
    if isinstance(model.search, EliminationSearch):
        fitted["elimination"] = _searches.to_data(model.search.selection)
    if len(model.trimmed):
        arrays["trimmed_rows_"] = model.trimmed.astype("<i8")
    if model.laws:
        fitted["laws"] = [law.to_json() for law in model.laws]
    return fitted, arrays


def restore(stored: Stored) -> FittedModel:
    """Make a fitted model from the content of a file.

    Parameters
    ----------
    stored : Stored
        Content of the file.
    """
    arrays, estimator = stored.arrays, stored.estimator
    scalars = {*STEPS, "alpha_", "family_"}
    if "elimination.dropped" in arrays:
        scalars.add("elimination")
    if isinstance(stored.fitted, dict):
        scalars |= {"asked", "n_copies", "laws"}.intersection(stored.fitted)
    fitted = stored.scalars(scalars)
    record = Record(alpha=number_from(fitted, "alpha_"), **steps_from(fitted, stored))
    kept = _kept(stored)
    family = from_data(fitted["family_"], stored.functions)
    model = FittedModel(
        algorithm=stored.algorithm,
        names=stored.names,
        mean=arrays["mean_"],
        scale=stored.scale,
        kept=kept,
        search=_searches.restore(fitted.get("elimination"), arrays, kept),
        family=family,
        record=record,
        asked=asked_from(fitted, estimator),
        decoder=_decoder.from_arrays(arrays, family, record.n_kept, record.n_dropped),
        variances=arrays["_variances"],
    )
    if "trimmed_rows_" in arrays:
        trimmed = arrays["trimmed_rows_"]
        check_indices("trimmed_rows_", trimmed, MOST_ROWS, increasing=True)
        model = replace(model, trimmed=trimmed)
    if "laws" in scalars:
        if not model.selects:
            raise ModelFileError("It has laws of columns, but keeps directions.")
        laws = laws_from(fitted["laws"], model.column_names, model.kept_names)
        model = replace(model, laws=laws)
    return model


def _kept(stored: Stored) -> KeptVariables:
    """Make the kept variables (columns or directions) from a file; raise if it is damaged."""
    arrays, scale = stored.arrays, stored.scale
    if "components_" in arrays:
        directions = arrays["components_"]
        return KeptDirections(np.arange(len(directions)), directions, _in_units(directions, scale))
    if "basis_" in arrays:
        basis, chosen = arrays["basis_"], arrays["component_indices_"]
        check_choice("component_indices_", "redundant_indices_", arrays, len(basis))
        given = stored.estimator.get_params(deep=False)["basis"]
        prefix = "pc" if isinstance(given, str) else "basis"
        directions = basis[chosen]
        return KeptComponents(chosen, directions, _in_units(directions, scale), basis, prefix)
    check_choice("selected_features_", "redundant_features_", arrays, stored.n_columns)
    return KeptColumns(arrays["selected_features_"], stored.n_columns)


def _in_units(directions: Array, scale: Array | None) -> Array:
    """Divide directions by the scales of the columns, so that they apply to unscaled columns."""
    with np.errstate(over="ignore"):
        found = in_table_units(directions, scale)
    if not np.isfinite(found).all():
        raise ModelFileError("A scale of its columns is too small.")
    return found


def laws_from(data: Any, names: Sequence[str], kept: Sequence[str]) -> tuple[ColumnLaw, ...]:
    """Make the laws from their descriptions in a file; raise ModelFileError if one is damaged.

    Each law must compute a dropped column from kept columns and from columns that earlier laws
    compute.

    Parameters
    ----------
    data : list
        Descriptions of the laws, not checked yet.
    names : sequence of str
        Names of all columns of the fit.
    kept : sequence of str
        Names of the columns that the model keeps.
    """
    from gramian.laws import law_from_json

    if not isinstance(data, list) or len(data) > len(names):
        raise ModelFileError("Its laws are damaged.")
    left, known = {*names} - {*kept}, {*kept}
    found: list[ColumnLaw] = []
    for each in data:
        try:
            law = law_from_json(each)
        except ValueError as error:
            raise ModelFileError(f"One of its laws is damaged: {error}") from error
        if law.column not in left or not known.issuperset(law.columns):
            raise ModelFileError(
                f"Its law of {law.column[:60]!r} needs a column that is neither kept nor computed "
                "before."
            )
        left.remove(law.column)
        known.add(law.column)
        found.append(law)
    return tuple(found)


def steps_to_data(steps: Steps, asked: Asked) -> dict[str, Any]:
    """Return the results of a fit that are no arrays, as a dictionary for the JSON document."""
    return {
        "n_samples_": int(steps.n_rows),
        "stop_reason_": steps.stop_reason,
        "solver_": steps.solver,
        "orthogonality_loss_": number_to(float(steps.orthogonality_loss)),
        "asked": vars(asked),
        "n_copies": int(steps.n_copies),
    }


def steps_from(fitted: Mapping[str, Any], stored: Stored) -> dict[str, Any]:
    """Return the fields of `Steps` from a file, after checks.

    If the estimator has a `Record`, its fields are included, except for `alpha`.
    """
    if fitted["stop_reason_"] not in get_args(StopReason) or fitted["solver_"] not in SOLVERS:
        raise ModelFileError("Its stop_reason_ or solver_ is unknown to this version.")
    total = stored.arrays["total_residual_variance_"]
    if total.min() < 0 or (1 - STORED_ROUNDING) * total.max() > total[0]:
        raise ModelFileError("A residual variance is negative, or larger than the variance was.")
    recorded = {
        spec.source.removeprefix("record."): stored.arrays[name]
        for name, spec in SCHEMAS[stored.algorithm].items()
        if spec.source.startswith("record.") and name in stored.arrays
    }
    if np.append(recorded["n_kept"], recorded["n_dropped"]).min(initial=0) < 0:
        raise ModelFileError("A number of functions is negative.")
    return {
        **recorded,
        "stop_reason": fitted["stop_reason_"],
        "solver": fitted["solver_"],
        "orthogonality_loss": number_from(fitted, "orthogonality_loss_"),
        "n_rows": positive_integer(fitted, "n_samples_"),
        # Early files do not store copies.
        "n_copies": positive_integer({"n_copies": 0, **fitted}, "n_copies", least=0),
    }


def asked_from(fitted: Mapping[str, Any], estimator: Any) -> Asked:
    """Return the requests to the fit (threshold, share of variance to explain) from a file.

    Early files do not store them: then they follow from the parameters of the estimator.
    """
    if "asked" not in fitted:
        asked: Asked = estimator._asked
        return asked
    found = fitted["asked"] if isinstance(fitted["asked"], dict) else {}
    kinds = {name: type(value) for name, value in found.items()}
    numbers = [found.get(name) for name in ("threshold", "explained")]
    if (
        set(kinds) != {field.name for field in fields(Asked)}
        or not all(each is None or (type(each) is float and 0 <= each < np.inf) for each in numbers)
        or not kinds["relative"] is kinds["any_alpha"] is bool
    ):
        raise ModelFileError("Its record of what was asked of the fit is damaged.")
    return Asked(**found)


def check_choice(chosen: str, others: str, arrays: Mapping[str, AnyArray], n: int) -> None:
    """Raise ModelFileError unless the indices of chosen and redundant columns are valid.

    Indices must be from 0 to n - 1, and no index may be both chosen and redundant. `chosen` and
    `others` are the names of the two arrays in the file. For GCA, columns are directions of the
    basis.
    """
    check_indices(chosen, arrays[chosen], n, increasing=False)
    if others in arrays:
        check_indices(others, arrays[others], n, increasing=True)
        if np.intersect1d(arrays[chosen], arrays[others]).size:
            raise ModelFileError(f"{chosen!r} and {others!r} have an index in common.")
