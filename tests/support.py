"""Shared by several test files: lists of estimators, ways to make them, and random data."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from gramian import GCA, GFA, GFR, GFS, UFFS

EXTRACTORS = [GFR, GCA]
SELECTORS = [GFS, GFA, UFFS]
ALL = EXTRACTORS + SELECTORS
STEPWISE = [GFR, GCA, GFS, GFA]  # UFFS visits all features, and selects afterwards
WITH_FAMILY = STEPWISE
SOLVERS = ["qr", "gram"]
PUBLISHED: dict[type, dict[str, Any]] = {
    GFR: {"alpha": 0},
    GCA: {"alpha": 0, "backward": False},
    GFS: {"alpha": 0, "criterion": "variance"},
    GFA: {"alpha": 0, "backward": False},
    UFFS: {"degree": 2},
}
"""Parameters that select the algorithms as published."""


def make(estimator: type, count: float | None = None, **params: Any) -> Any:
    """Make an estimator as published; `count` is the number of directions or features."""
    return estimator(count, **{**PUBLISHED[estimator], **params})


def clone_with(estimator: Any, **params: Any) -> Any:
    """Return a clone with other parameters; `count` is the number of directions or features."""
    copy = clone(estimator)
    if "count" in params:
        params[copy._count_name] = params.pop("count")
    return copy.set_params(**params)


def orthonormal(rng: np.random.Generator, d: int) -> np.ndarray:
    """Return a random orthonormal basis, one direction a row."""
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def unlike_variables(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return normal, uniform and exponential values: three different distributions."""
    return rng.standard_normal(n), rng.uniform(-1.7, 1.7, n), rng.exponential(size=n) - 1


OLD = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
read_csv = partial(pd.read_csv, **({"float_precision": "round_trip"} if OLD else {}))
"""Function that reads a CSV file with all digits of its numbers."""
