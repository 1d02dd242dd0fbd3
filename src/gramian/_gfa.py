"""Gram-Schmidt Feature Analysis, Algorithm 5 of the paper."""

from __future__ import annotations

import os
from functools import partial
from typing import Literal

from gramian._choosers import LargestOriginal
from gramian._docs import FEATURES, documented
from gramian._fitting import Algorithm, Solver
from gramian._preparation import RandomState
from gramian._selector import DecodingSelector, select_columns
from gramian._types import IntArray
from gramian.families import Family


@documented(FEATURES, linear="linear redundancy only", last_fit="The\n    selection is kept.")
class GFA(DecodingSelector):
    """Gram-Schmidt Feature Analysis: drops the features that are functions of others.

    Features are kept in the order of their variance. Those of which functions of the kept features
    leave less variance than the threshold are redundant.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Keep no more than so many features, or if a float in (0, 1), stop when functions of the kept
        features explain this share of the total variance.
    threshold : float or None, default=1e-4
        A feature is redundant when its residual variance is below this (ε in the paper). None
        makes only those redundant of which nothing but rounding errors is left.
    relative : bool, default=False
        Whether the threshold is a share of each feature's own variance: with 1e-3, a feature is
        redundant when functions of those kept explain it with R² ≥ 0.999.
    <parameters>

    Attributes
    ----------
    selected_features_ : array of shape (n_selected,)
        The indices of the selected features, in the order of selection.
    support_ : boolean array of shape (n_features,)
        Which features are selected.
    redundant_features_ : array
        The indices of the features that were not kept and have less residual variance than the
        threshold, in increasing order.
    <attributes>

    See Also
    --------
    GFS : Keeps as few features as explain the variance of the others.
    GCA : The same idea for principal components.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> rng = np.random.default_rng(0)
    >>> voltage, current = rng.uniform(1, 2, (2, 1000))
    >>> X = np.column_stack([voltage, 0.1 * voltage * current, current])
    >>> GFA(threshold=1e-3, relative=True).fit(X).redundant_features_
    array([1])
    """

    _prescribes = True
    redundant_features_: IntArray

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        threshold: float | None = 1e-4,
        relative: bool = False,
        scale: bool = False,
        family: str | Family = "multilinear",
        degree: int | Literal["auto"] | None = 2,
        alpha: float | Literal["auto"] = 0.0,
        validation_fraction: float | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 5,
        tol: float = 1e-4,
        solver: Solver = "auto",
        max_functions: int | None = None,
        random_state: RandomState = 0,
        memory_budget: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.relative = relative
        self.scale = scale
        self.family = family
        self.degree = degree
        self.alpha = alpha
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.solver = solver
        self.max_functions = max_functions
        self.random_state = random_state
        self.memory_budget = memory_budget
        self.checkpoint = checkpoint
        self.verbose = verbose

    @property
    def _algorithm(self) -> Algorithm:
        return partial(select_columns, chooser=LargestOriginal, tells_redundant=True)
