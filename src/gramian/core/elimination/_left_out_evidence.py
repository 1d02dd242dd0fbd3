"""Generalized cross-validation: the share of a column that an explanation leaves on new rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array

LEAST_SPARE_ROWS = 5
"""Smallest number of rows beyond the number of functions with which there is evidence."""
EXACT_SHARE = 1e-9
"""Residual share of variance that rounding errors can leave of an exact function: sums of products
lose half of the digits of float64."""


@dataclass(frozen=True)
class Evidence:
    """Generalized cross-validation: residual shares on new rows, and their margins.

    The share s that p functions leave of a column on N rows is about s / (1 - p/N)² on new rows.
    So almost as many functions as rows explain nothing, however small their residuals are.

    Parameters
    ----------
    n_rows : float
        The number of rows; with weights, the effective number.
    threshold : float
        The share of a column that an explanation may leave.
    """

    n_rows: float
    threshold: float

    def inflation(self, n_functions: float) -> float:
        """Return the ratio of residual shares on new rows to those on the rows of the fit.

        Parameters
        ----------
        n_functions : float
            The number of functions of the fit, without the constant.
        """
        spare = self.n_rows - n_functions - 1
        return float((self.n_rows / spare) ** 2) if spare >= LEAST_SPARE_ROWS else np.inf

    def on_new_rows(self, share: Array | float, n_functions: float) -> Array:
        """Return the estimated residual share on new rows.

        Parameters
        ----------
        share : array or float
            The residual share on the rows of the fit.
        n_functions : float
            The number of functions of the fit, without the constant.
        """
        inflation = self.inflation(n_functions)
        if np.isinf(inflation):  # also for a share of zero
            return np.full(np.shape(share), np.inf)
        return np.asarray(share) * inflation

    def margin(self, share: Array | float) -> Array:
        """Return log(threshold / share), which is the larger, the better a column is explained.

        Negative values become 0, and the value for an exact explanation is the upper limit.
        """
        return np.log(
            self.threshold / np.clip(share, min(EXACT_SHARE, self.threshold), self.threshold)
        )
