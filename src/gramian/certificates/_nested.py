"""Fits of columns by functions of only those variables that a fit chose first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from gramian._support.types import Array
from gramian.core.pursuit import Decoder


def nested_fits(decoder: Decoder, n_variables: Sequence[int], of: Array) -> Array:
    """Fit combinations of the columns by functions of the first few variables.

    The fits are by least squares on the rows of the fit.

    Parameters
    ----------
    decoder : Decoder
        The functions, and their moments.
    n_variables : sequence of int
        The number of first variables that may take part, for each combination.
    of : array of shape (n_columns, n_combinations)
        The combinations.

    Returns
    -------
    coefficients : array of shape (n_functions, n_combinations)
        The coefficients of all functions; NaN if there are too many functions to compute them.
    """
    coefficients = np.zeros((len(decoder.coefficients), of.shape[1]))
    sizes = 1 + np.cumsum([0, *map(len, decoder.kept)])
    factor = None
    if decoder.moments is not None:
        gram, with_x = decoder.moments
        scale = 1 / np.sqrt(gram.diagonal())[:, np.newaxis]
        with suppress(LinAlgError):  # functions that are dependent up to rounding errors
            factor = cholesky(scale * gram * scale.T, lower=True)
            projected = solve_triangular(factor, scale * with_x @ of, lower=True)
    for j, n in enumerate(n_variables):
        size = sizes[n]
        if n == len(sizes) - 1:
            coefficients[:, j] = decoder.coefficients @ of[:, j]
        elif factor is None:
            coefficients[:, j] = np.nan
        else:
            coefficients[:size, j] = scale[:size, 0] * solve_triangular(
                factor[:size, :size], projected[:size, j], lower=True, trans=1
            )
    return coefficients
