"""Conversion of a fitted model of UFFS to the content of a model file, and back."""

from __future__ import annotations

from typing import Any

from gramian.families import Multilinear
from gramian.fitting import FittedNorms, KeptColumns, Steps
from gramian.models._archive import AnyArray
from gramian.models._stored_numbers import Stored
from gramian.models._stored_pursuits import (
    STEPS,
    asked_from,
    check_choice,
    steps_from,
    steps_to_data,
)


def describe(
    model: FittedNorms, *, moments: bool | None
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the numbers of a fitted model for the JSON document, and no arrays.

    The schema copies all arrays of UFFS from attributes of the model.

    Parameters
    ----------
    model : FittedNorms
        The fitted model.
    moments : bool or None
        Not used: UFFS has no moments.
    """
    return steps_to_data(model.record, model.asked), {}


def restore(stored: Stored) -> FittedNorms:
    """Make a fitted model of UFFS from the content of a file.

    Parameters
    ----------
    stored : Stored
        Content of the file.
    """
    arrays, scalars = stored.arrays, {*STEPS}
    if isinstance(stored.fitted, dict):
        scalars |= {"asked", "n_copies"}.intersection(stored.fitted)
    fitted = stored.scalars(scalars)
    check_choice("selected_features_", "redundant_features_", arrays, stored.n_columns)
    return FittedNorms(
        algorithm=stored.algorithm,
        names=stored.names,
        mean=arrays["mean_"],
        scale=None,
        kept=KeptColumns(arrays["selected_features_"], stored.n_columns),
        norms=arrays["fourier_norms_"],
        family=Multilinear(stored.estimator.degree),
        record=Steps(**steps_from(fitted, stored)),
        asked=asked_from(fitted, stored.estimator),
    )
