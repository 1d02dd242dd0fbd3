"""Residual shares of fitted and of held-out rows."""

from __future__ import annotations

from gramian import GFR, GFS
from gramian_paper._types import Array


def shares_left(estimator: GFR | GFS) -> tuple[Array, Array]:
    """Return the share of the variance that is left with 0, 1, … directions or features.

    Parameters
    ----------
    estimator : GFR or GFS
        Fitted with `validation_data`.

    Returns
    -------
    of_fitted, of_held_out : array of shape (n_steps + 1,)
        The shares, of the rows' sum of squares about the mean of the fitted ones.
    """
    fitted = estimator.total_residual_variance_
    held_out = estimator.validation_total_residual_variance_
    return fitted / fitted[0], held_out / held_out[0]
