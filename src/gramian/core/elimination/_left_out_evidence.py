"""What an explanation is worth on rows that did not take part in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array

FEWEST = 5
"""Evidence needs at least this many more rows than functions."""
EXACT = 1e-9
"""Residual share of variance that rounding errors can leave of an exact function: sums of products
lose half of the digits of float64."""


@dataclass(frozen=True)
class Evidence:
    """Generalized cross-validation: when a share left counts as explained, and by how much.

    The share s that p functions leave of a column on N rows is about s / (1 - p/N)² on new rows.
    Functions that come near to the rows in number therefore explain nothing, however little they
    leave.

    Parameters
    ----------
    n_rows : float
        The number of rows, or the effective number where they have weights.
    threshold : float
        The share of a column that an explanation may leave.
    """

    n_rows: float
    threshold: float

    def inflation(self, n_functions: float) -> float:
        """Return by how much more is left on new rows; the constant is not counted."""
        spare = self.n_rows - n_functions - 1
        return float((self.n_rows / spare) ** 2) if spare >= FEWEST else np.inf

    def on_new_rows(self, share: Array | float, n_functions: float) -> Array:
        """Estimate the share left on new rows."""
        inflation = self.inflation(n_functions)
        if np.isinf(inflation):  # of nothing as well
            return np.full(np.shape(share), np.inf)
        return np.asarray(share) * inflation

    def margin(self, share: Array | float) -> Array:
        """Return how far an estimated share is below the threshold, as a logarithm; 0 if above."""
        return np.log(self.threshold / np.clip(share, min(EXACT, self.threshold), self.threshold))
