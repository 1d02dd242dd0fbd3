"""Gram-Schmidt Functional Selection, Algorithm 4 of the paper."""

from __future__ import annotations

import os
from functools import partial
from typing import Literal

from gramian._choosers import LargestResidual
from gramian._docs import FEATURES, documented
from gramian._fitting import Algorithm, Solver
from gramian._preparation import RandomState
from gramian._selector import DecodingSelector, select_columns
from gramian.families import Family


@documented(
    FEATURES, linear="linear redundancy only", last_fit="The features\n    are selected anew."
)
class GFS(DecodingSelector):
    """Gram-Schmidt Functional Selection: the features from which the others can be computed.

    Features are selected one at a time: each is the one with the largest variance in what is left
    of X after its projections on all functions of the features so far are subtracted.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The number of features, or if a float in (0, 1), the share of the total variance that the
        functions of the features are to explain. With neither `n_features_to_select` nor
        `threshold`, 95 % of the variance is explained.
    threshold : float or None, default=None
        Stop when no feature has a residual variance above this (ε² in the paper).
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
    <attributes>

    See Also
    --------
    GFA : Keeps all features but those that are functions of others.
    UFFS : The peer that GFS generalizes; depends on the order of the features.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.standard_normal((2, 1000))
    >>> X = np.column_stack([a * b, 2 * a, a + b, 3 * b])
    >>> GFS(threshold=1e-6).fit(X).selected_features_
    array([3, 1])
    """

    _default_explained = True

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        threshold: float | None = None,
        relative: bool = False,
        scale: bool = False,
        family: str | Family = "multilinear",
        degree: int | Literal["auto"] | None = 2,
        alpha: float | Literal["auto"] = "auto",
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
        return partial(select_columns, chooser=LargestResidual, tells_redundant=False)
