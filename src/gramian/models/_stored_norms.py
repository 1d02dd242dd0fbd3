"""Models of UFFS as plain data and arrays, and back."""

from __future__ import annotations

from typing import Any

from gramian.families import Multilinear
from gramian.fitting import FittedNorms, Steps
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
    """Return the numbers of a fit; all its arrays are in the schema.

    Parameters
    ----------
    model : FittedNorms
        The fit.
    moments : bool or None
        Ignored: UFFS has no moments.
    """
    return steps_to_data(model.record, model.asked), {}


def restore(stored: Stored) -> FittedNorms:
    """Make a model.

    Parameters
    ----------
    stored : Stored
        The content of the file.
    """
    arrays, scalars = stored.arrays, {*STEPS}
    if isinstance(stored.fitted, dict):
        scalars |= {"asked"}.intersection(stored.fitted)
    fitted = stored.scalars(scalars)
    check_choice("selected_features_", "redundant_features_", arrays, stored.n_columns)
    return FittedNorms(
        algorithm=stored.algorithm,
        names=stored.names,
        mean=arrays["mean_"],
        scale=None,
        chosen=arrays["selected_features_"],
        norms=arrays["fourier_norms_"],
        family=Multilinear(stored.estimator.degree),
        record=Steps(**steps_from(fitted, stored)),
        asked=asked_from(fitted, stored.estimator),
    )
