"""Gram-Schmidt Feature Analysis, Algorithm 5 of the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from gramian._choosers import LargestOriginal
from gramian._docs import FEATURES, documented
from gramian._fitting import Algorithm, Plan, Request, Solver
from gramian._model import FittedModel
from gramian._preparation import Problem, RandomState
from gramian._pursuit import Limits
from gramian._selector import DecodingSelector, select_columns
from gramian._types import IntArray
from gramian.families import Family

DEFAULT_SHARE = 1e-3
"""The share of a feature that may be left of it where no threshold is given."""


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
    backward : bool, default=False
        False is the published algorithm, whose result depends on the units and on the order of the
        features. True begins with all features and drops those that functions of the others
        explain, so that neither matters. The threshold is then a share of each feature's own
        variance, with 0.001 for None; it must hold for rows that are left out of the fit that
        explains them, so that functions which span all samples make nothing redundant. The number
        of features is found: `n_features_to_select` and `early_stopping` are refused.
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
    elimination_ : Selection
        With ``backward=True``: in which order features were dropped, what is left of each when rows
        are left out, and which kept features could be exchanged for it. Model files do not hold it.
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

    In other units the product varies most, comes first, and all features are kept; beginning with
    all features, units do not matter.

    >>> X[:, 1] *= 1000
    >>> GFA(threshold=1e-3, relative=True).fit(X).redundant_features_
    array([], dtype=int64)
    >>> GFA(threshold=1e-3, backward=True).fit(X).redundant_features_
    array([1])
    """

    _prescribes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DecodingSelector._parameter_constraints,
        "backward": ["boolean"],
    }
    redundant_features_: IntArray

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        threshold: float | None = 1e-4,
        relative: bool = False,
        backward: bool = False,
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
        self.backward = backward
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
        if self.backward:
            return eliminate_columns
        return partial(select_columns, chooser=LargestOriginal, tells_redundant=True)

    def _plan(self) -> Plan:
        plan = super()._plan()
        if not self.backward:
            return plan
        for name in ("n_features_to_select", "early_stopping"):
            if getattr(self, name):
                raise ValueError(
                    f"backward=True finds the number of features itself, and {name}="
                    f"{getattr(self, name)!r}. Leave it out, or use backward=False."
                )
        if len(plan.requests) > 1 or self.validation_fraction is not None:
            return replace(plan, decides=len(plan.requests) > 1)
        return replace(plan, hold_out=None, decides=False)  # rows are left out one by one

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        found = super()._attributes(model)
        if model.elimination is not None:
            found["elimination_"] = model.elimination
        return found


def eliminate_columns(problem: Problem, request: Request) -> FittedModel:
    """Begin with all columns, and drop those that functions of the others explain."""
    from gramian.elimination import Preferences, select

    varies, n_columns = problem.centring.varies, problem.rows.n_columns
    kept: Sequence[int] | None = request.prescribed
    found = None
    alpha = request.alphas[0]
    if kept is None:
        names = [str(i) for i in range(n_columns)] if problem.names is None else problem.names
        # Columns that are equal but for their units differ in nothing but the name.
        ranks = np.argsort(np.argsort(np.array(names, dtype=np.str_), kind="stable"))
        found = select(
            problem.rows,
            request.family,
            varies=np.flatnonzero(varies).tolist(),
            threshold=DEFAULT_SHARE if request.threshold is None else request.threshold,
            alpha=alpha if len(request.alphas) == 1 else "auto",
            preferences=Preferences(order=ranks.tolist()),
        )
        kept = sorted(found.kept, key=lambda i: -problem.unit[i])
        alpha = found.alpha
    folder = request.checkpoint
    for penalty in (alpha, np.inf):  # linear functions, if all of them span the rows
        if folder is not None and penalty != alpha:
            folder = Path(folder) / "linear"
        again = replace(
            request,
            checkpoint=folder,
            limits=Limits(n_steps=len(kept)),
            threshold=None,
            alphas=(penalty,),
            prescribed=list(kept),
        )
        model = select_columns(problem, again, LargestOriginal, tells_redundant=True)
        if model.record.stop_reason != "saturated":
            break
    dropped = np.setdiff1d(np.arange(n_columns), kept)
    record = replace(model.record, stop_reason="threshold")
    return replace(model, redundant=dropped, record=record, elimination=found)
