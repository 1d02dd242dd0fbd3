"""Neighbouring rows: in a time series they resemble each other."""

from __future__ import annotations

import numpy as np

from gramian._support.types import Array

SERIAL = 0.5
"""Correlation of neighbouring values above which rows depend on their neighbours."""
FEWEST_ROWS = 30
"""Smallest number of rows in which the correlation of neighbouring rows is computed."""


def neighbours_resemble(x: Array) -> bool:
    """Return True if a column has similar values in neighbouring rows, as in a time series.

    The test is the correlation of ranks of neighbouring rows (von Neumann's ratio).
    """
    if len(x) < FEWEST_ROWS:
        return False
    ranks = np.empty(len(x))
    ranks[np.argsort(x, kind="stable")] = np.arange(len(x))
    steps, spread = np.diff(ranks), ranks - ranks.mean()
    return bool(1 - np.sum(steps**2) / (2 * np.sum(spread**2)) > SERIAL)
