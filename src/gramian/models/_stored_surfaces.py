"""Conversion of fitted models of PolynomialManifold to the content of a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian.core.manifold import (
    MAX_STEPS,
    AngleStart,
    LinearStart,
    Manifold,
    NearestSearch,
    Start,
    Surface,
    Terms,
)
from gramian.exceptions import ModelFileError
from gramian.families import Family, Fourier
from gramian.fitting import FittedManifold
from gramian.models._archive import AnyArray
from gramian.models._stored_decoder import grow
from gramian.models._stored_families import from_data, to_data
from gramian.models._stored_numbers import Stored, number_from, positive_integer

MAX_FUNCTIONS = 2**15
"""Largest number of functions of a surface in a file; their matrix of products takes 8 GiB."""
MAX_TANGENTS = 2**27
"""Largest number of coefficients of the tangents of a surface in a file. The search for nearest
points keeps them in memory."""
MAX_CONDITION = 1e14
"""Largest condition number of the matrix from codes to coordinates of the surface. Files with a
larger one are refused, because the matrix cannot be inverted accurately."""


def describe(
    model: FittedManifold, *, moments: bool | None = None
) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return the numbers of a fitted surface for the JSON document, and no arrays.

    The schema copies all arrays from attributes of the model.

    Parameters
    ----------
    model : FittedManifold
        The fitted model.
    moments : bool or None
        Not used: a surface has no moments.
    """
    manifold = model.manifold
    fitted = {
        "n_samples_": int(model.n_rows),
        "alpha_": float(model.alpha),
        "family_": to_data(model.family),
        "unit": float(manifold.unit),
        "code_penalty": float(manifold.search.tether),
        "tol": float(manifold.search.tol),
        "max_steps": int(manifold.search.max_steps),
    }
    return fitted, {}


def restore(stored: Stored) -> FittedManifold:
    """Make a fitted surface from the content of a file.

    Parameters
    ----------
    stored : Stored
        Content of the file.
    """
    arrays = stored.arrays
    names = {"n_samples_", "alpha_", "family_", "unit", "code_penalty", "tol", "max_steps"}
    fitted = stored.scalars(names)
    family = from_data(fitted["family_"], stored.functions)
    manifold = Manifold(
        Surface(_terms(family, arrays), arrays["surface.coefficients"]),
        _start(family, arrays),
        NearestSearch(
            number_from(fitted, "code_penalty", most=np.finfo(np.float64).max),
            number_from(fitted, "tol"),
            positive_integer(fitted, "max_steps", most=MAX_STEPS),
        ),
        arrays["surface.mixing"],
        arrays["surface.offset"],
        arrays["surface.lines"],
        number_from(fitted, "unit", most=np.finfo(np.float64).max),
    )
    if not manifold.unit or not np.linalg.cond(manifold.mixing) < MAX_CONDITION:
        raise ModelFileError("The scale of its codes is missing or degenerate.")
    return FittedManifold(
        algorithm=stored.algorithm,
        names=stored.names,
        mean=arrays["mean_"],
        scale=stored.scale,
        manifold=manifold,
        family=family,
        alpha=number_from(fitted, "alpha_"),
        total=arrays["total_residual_variance_"],
        n_samples=positive_integer(fitted, "n_samples_"),
        validation_total=arrays.get("validation_total_residual_variance_"),
    )


def _terms(family: Family, arrays: Mapping[str, AnyArray]) -> Terms:
    """Make the functions of the surface from the family and the number of codes.

    Codes are coordinates on the surface. Raise ModelFileError if the number of functions differs
    from the number of coefficients in the file.
    """
    n_functions, n_columns = arrays["surface.coefficients"].shape
    n_codes = len(arrays["surface.offset"])
    if not n_codes or n_functions > MAX_FUNCTIONS:
        raise ModelFileError("It has no codes, or more functions than a model file can hold.")
    blocks, n = [], 1
    for block in grow(family, n_codes):
        blocks.append(block)
        n += block.n_functions
        if n > n_functions:
            break
    if n != n_functions:
        raise ModelFileError(f"It has {n_functions} functions, a number its family cannot have.")
    try:
        terms = Terms(blocks)
    except ValueError as error:
        raise ModelFileError(str(error)[:300]) from error
    if len(terms.lower) * n_codes * min(n_functions, n_columns) > MAX_TANGENTS:
        raise ModelFileError("Its surface has more tangents than a model file can hold.")
    return terms


def _start(family: Family, arrays: Mapping[str, AnyArray]) -> Start:
    """Make the estimate with which the search for nearest points starts: linear, or by angles."""
    linear = LinearStart(arrays["start.matrix"], arrays["start.offset"])
    n, n_codes = len(linear.offset), len(arrays["surface.offset"])
    if n == n_codes:
        return linear
    if n != 2 * n_codes or not isinstance(family, Fourier):
        raise ModelFileError("The start of its search is damaged.")
    return AngleStart(linear, family.frequency)
