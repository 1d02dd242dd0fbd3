"""What all pursuits share: parameters, what a fit is asked for, fitted attributes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import deepcopy
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from scipy.sparse import issparse

from gramian._support.scikit_learn import Interval, RealNotInt, StrOptions
from gramian._support.types import Array, IntArray
from gramian.core.pursuit import Limits, StopReason
from gramian.estimators._estimator import Data, Estimator
from gramian.families import BY_NAME, Family, by_name
from gramian.fitting import (
    FEW,
    Asked,
    CheckedData,
    Cost,
    FittedModel,
    RandomState,
    Request,
    Solver,
    estimate,
    prefers_qr,
    shape_of,
)

DEFAULT_EXPLAINED = 0.95
"""The share of variance that GFR and GFS explain when nothing else is asked for."""
AUTO_ALPHAS = (0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, np.inf)
"""The penalties among which `alpha="auto"` chooses."""
COUNT = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")]


class PursuitEstimator(Estimator[FittedModel]):
    """Parameters and fitted attributes of every algorithm."""

    _count_name: ClassVar[Literal["n_components", "n_features_to_select"]]
    _default_explained: ClassVar[bool] = False
    """Whether, with neither a count nor a threshold, a share of the variance is explained."""
    _covariance: ClassVar[bool] = False
    """Whether the algorithm works with a residual covariance, or with variances only."""
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, None, closed="left"), None],
        "scale": ["boolean"],
        "family": [StrOptions({*BY_NAME, "auto"}), Family],
        "degree": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "solver": [StrOptions(set(get_args(Solver)))],
        "alpha": [Interval(Real, 0, np.inf, closed="both"), StrOptions({"auto"})],
        "validation_fraction": [Interval(RealNotInt, 0, 1, closed="neither"), None],
        "early_stopping": ["boolean"],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "memory_budget": [Interval(Integral, 2**20, None, closed="left"), None],
        "checkpoint": [str, os.PathLike, None],
        "max_functions": [Interval(Integral, 1, None, closed="left"), None],
        "verbose": ["verbose"],
    }

    threshold: float | Literal["auto"] | None
    family: str | Family
    degree: int | Literal["auto"] | None
    solver: Solver
    max_functions: int | None
    verbose: int
    # What follows is not for UFFS, which has these values once and for all.
    relative: bool | None = False
    scale: bool = False
    alpha: float | Literal["auto"] = 0.0
    validation_fraction: float | None = None
    early_stopping: bool = False
    n_iter_no_change: int = 5
    tol: float = 1e-4
    random_state: RandomState = 0
    memory_budget: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    n_features_in_: int
    n_samples_: int
    mean_: Array
    residual_variance_: Array
    total_residual_variance_: Array
    explained_variance_ratio_: Array
    degrees_of_freedom_: Array
    n_functions_: IntArray
    n_dropped_functions_: IntArray
    stop_reason_: StopReason
    solver_: str
    orthogonality_loss_: float

    @property
    def _alphas(self) -> tuple[float, ...]:
        return AUTO_ALPHAS if self.alpha == "auto" else (float(self.alpha),)

    @property
    def _least(self) -> tuple[float | None, bool]:
        """What is too little to be chosen, and whether that is a share."""
        assert self.threshold != "auto"
        return self.threshold, bool(self.relative)

    @property
    def _asked(self) -> Asked:
        """What the fit is measured against afterwards, whatever becomes of the parameters."""
        threshold, relative = self._least
        threshold = None if threshold is None else float(threshold)
        return Asked(threshold, relative, self._limits.explained, self.alpha == "auto")

    @property
    def _limits(self) -> Limits:
        """When the pursuit ends."""
        count: float | None = getattr(self, self._count_name)
        if count is None and self._default_explained and self.threshold is None:
            count = DEFAULT_EXPLAINED
        is_number = isinstance(count, Integral)
        return Limits(
            n_steps=int(count) if count is not None and is_number else None,
            count_name=self._count_name,
            explained=float(count) if count is not None and not is_number else None,
            max_functions=self.max_functions,
            patience=self.n_iter_no_change if self.early_stopping else None,
            tolerance=self.tol,
        )

    def _family(self) -> Family:
        """Return the family that is asked for, where it is known before the fit."""
        if isinstance(self.family, Family):
            return deepcopy(self.family)  # its parameters can change after the fit
        if self.degree == "auto" or self.family == "auto":
            raise ValueError(
                "family='auto' and degree='auto' are decided only during a fit. Give family and "
                "degree."
            )
        return by_name(self.family, self.degree)

    def _request(self, family: Family, part: str | None = None) -> Request:
        """Return what is asked for, of a family that is one `part` of several to compare."""
        family.rules()  # complains of wrong parameters

        folder, parameters = None, {}
        if self.checkpoint is not None:
            folder = Path(self.checkpoint)
            parameters = {
                name: repr(value)
                for name, value in self.get_params(deep=False).items()
                if name not in ("verbose", "checkpoint", "memory_budget")
            }
        return Request(
            type(self).__name__,
            family,
            self._limits,
            *self._least,
            self._alphas,
            solver=self.solver,
            checkpoint=folder and folder / (part or ""),
            last_checkpoint=folder and folder / "all-rows",
            verbose=int(self.verbose),
            parameters=parameters,
        )

    def _check_count(self, data: CheckedData) -> None:
        count: Any = getattr(self, self._count_name)
        if isinstance(count, Integral) and int(count) > data.n_columns:
            raise ValueError(
                f"{self._count_name}={count} is more than the {data.n_columns} features of X; give "
                f"at most {data.n_columns}."
            )

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        """Return the fitted attributes."""
        record = model.record
        gaps = {} if model.gaps is None else {"gaps_": model.gaps}
        return {
            **gaps,
            "model_": model,
            "n_features_in_": model.n_columns,
            "mean_": model.mean,
            "n_samples_": record.n_rows,
            "degrees_of_freedom_": record.degrees_of_freedom,
            "residual_variance_": record.largest,
            "total_residual_variance_": record.total,
            "explained_variance_ratio_": -np.diff(record.total) / (record.total[0] or 1.0),
            "n_functions_": record.n_kept,
            "n_dropped_functions_": record.n_dropped,
            "stop_reason_": record.stop_reason,
            "solver_": record.solver,
            "orthogonality_loss_": record.orthogonality_loss,
        }

    def estimate_cost(self, X: Data, n_steps: int | None = None) -> Cost:
        """Estimate what a fit would take, without fitting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or files
            The data, of which only the shape matters; for a sparse matrix also how many entries
            it has. The format of files must store the number of rows.
        n_steps : int, optional
            The number of directions or features; by default the number asked for, where one is.

        Returns
        -------
        cost : Cost
            The number of functions, bytes of memory and seconds. See :class:`gramian.results.Cost`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFR
        >>> GFR(20, degree=3).estimate_cost(np.empty((10_000, 100))).n_functions
        1351
        """
        self._validate_params()
        n_rows, n_columns = shape_of(X)
        count = getattr(self, self._count_name) if n_steps is None else n_steps
        if not isinstance(count, Integral):
            raise ValueError(
                "The number of steps of a fit is not known in advance unless "
                f"{self._count_name} is an integer: give n_steps, for example the largest number "
                "you would accept."
            )
        sparse = issparse(X)
        in_row_space = self._covariance and not sparse
        family, alphas = self._family(), self._alphas
        if self.alpha == "auto" and family.count(int(count)) <= FEW * n_rows:
            alphas = (0.0,)  # of a few functions, none is shrunk
        solver: Solver = "auto" if len(alphas) > 1 and self.solver == "qr" else self.solver
        return estimate(
            family,
            n_rows,
            min(n_rows, n_columns) if in_row_space else n_columns,
            int(count),
            solver="qr" if prefers_qr(solver, alphas, n_rows) else solver,
            covariance=self._covariance or bool(self._search_cost),
            n_penalties=len(alphas),
            n_stored=int(X.nnz) if sparse else None,
            **self._search_cost,
        )

    @property
    def _search_cost(self) -> dict[str, Any]:
        """What the cost of a search depends on that comes before the fit."""
        return {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def named_families(families: Sequence[str | Family], degrees: Sequence[int | None]) -> list[Family]:
    """Return all families to compare: those given as they are, the others of every degree."""
    for family in families:
        if not isinstance(family, Family) and family not in BY_NAME:
            raise ValueError(
                f"families must be instances of Family or names among {sorted(BY_NAME)}; got "
                f"{family!r}."
            )
    if not len(families) or not len(degrees):
        raise ValueError("A path needs at least one family and one degree.")
    fixed = [deepcopy(family) for family in families if isinstance(family, Family)]
    names = [family for family in families if isinstance(family, str)]
    return fixed + [by_name(name, degree) for degree in degrees for name in names]
