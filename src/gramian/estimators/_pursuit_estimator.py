"""Base class of GFR, GCA, GFS and GFA: parameters, fit, path, stability and costs."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from gramian._support.scikit_learn import Interval, Options, RealNotInt, StrOptions
from gramian._support.types import Array, IntArray
from gramian.core.pursuit import StopReason
from gramian.estimators._estimator import Data, Estimator, attributes_of, issue_warnings
from gramian.estimators._path import DEGREES, Path
from gramian.estimators._pursuit_plan import (
    check_count,
    comparison_of,
    cost_of,
    families_of,
    limits_of,
    plan_of,
)
from gramian.estimators._stability import Stability, resample
from gramian.families import BY_NAME, Family
from gramian.fitting import (
    Algorithm,
    Asked,
    CheckedData,
    Cost,
    EliminationSearch,
    FittedModel,
    RandomState,
    Solver,
    ValidationData,
    check_data,
    check_rows,
    fit_most_rows,
)

if TYPE_CHECKING:
    import gramian
    from gramian.core.elimination import Selection

COUNT = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")]


class PursuitEstimator(Estimator[FittedModel]):
    """Base class of estimators that choose directions or columns step by step.

    They are GFR, GCA, GFS and GFA.
    """

    _count_name: ClassVar[Literal["n_components", "n_features_to_select"]]
    _default_explained: ClassVar[bool] = False
    """True if, without a count and a threshold, the share `DEFAULT_EXPLAINED` is explained."""
    _scales_columns: ClassVar[bool]
    """True if each column is a candidate, so that it is scaled to variance 1 before the fit."""
    _in_row_space: ClassVar[bool] = False
    """True if a table with more columns than rows is fitted in the span of its rows."""
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
        "robust": [StrOptions({"auto"}), Options(bool, {False})],
        "random_state": ["random_state"],
        "memory_budget": [Interval(Integral, 2**20, None, closed="left"), None],
        "checkpoint": [str, os.PathLike, None],
        "max_functions": [Interval(Integral, 1, None, closed="left"), None],
        "verbose": ["verbose"],
    }

    threshold: float | Literal["auto"] | None
    scale: bool
    family: str | Family | None
    degree: int | Literal["auto"] | None
    alpha: float | Literal["auto"]
    validation_fraction: float | None
    early_stopping: bool
    n_iter_no_change: int
    tol: float
    robust: Literal["auto", False]
    solver: Solver
    max_functions: int | None
    random_state: RandomState
    memory_budget: int | None
    checkpoint: str | os.PathLike[str] | None
    verbose: int
    n_features_in_: int
    n_samples_: int
    mean_: Array
    scale_: Array | None
    family_: Family
    alpha_: float
    alpha_path_: Array
    residual_variance_: Array
    total_residual_variance_: Array
    explained_variance_ratio_: Array
    gcv_total_residual_variance_: Array
    validation_residual_variance_: Array
    validation_total_residual_variance_: Array
    degrees_of_freedom_: Array
    n_functions_: IntArray
    n_dropped_functions_: IntArray
    stop_reason_: StopReason
    solver_: str
    trimmed_rows_: IntArray
    orthogonality_loss_: float
    elimination_: Selection

    @abstractmethod
    def _algorithm(self, data: CheckedData) -> Algorithm:
        """Return the algorithm, after a check of the parameters that only this estimator has."""

    def fit(
        self,
        X: Data,
        y: None = None,
        sample_weight: Any = None,
        validation_data: ValidationData = None,
        *,
        groups: Any = None,
    ) -> Self:
        """Fit to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), files or a Dask collection
            The data: an array or data frame; a SciPy sparse array or matrix, which is centred
            without writing its zeros out; the path of a .csv, .tsv (also with .gz or .zst),
            .parquet, .feather, .arrow, .npy or .npz file, a list of paths, or a folder of Parquet
            files; a PyArrow dataset; an object that yields blocks of rows whenever it is iterated
            over, or a function that returns such an iterator; a Dask array or data frame.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), str or Dask array, optional
            Weights of the samples in every expectation, or the name of the column that holds them;
            an integer weight is equivalent to that many copies of the row. A row that is left out
            to choose `alpha`, or to test redundancy, is left out with all its copies.
        validation_data : array-like of shape (n_held_out, n_features), or tuple, optional
            Rows to measure residuals on that take no part in the expectations, or a pair of such
            rows and their weights; in place of a random part of X. Rows with missing values are
            left out.
        groups : array-like of shape (n_samples,) or str, optional
            Labels of the samples, or the name of the column that holds them, such as patients:
            wherever samples are left out or held out, all samples of a label are. X must be in
            memory.

        Returns
        -------
        self
            The fitted estimator.
        """
        # Check.
        self._validate_params()
        data = check_data(self, X, sample_weight, validation_data, self.memory_budget, groups)
        check_count(self, data)
        # Plan.
        plan = plan_of(self, self._algorithm(data))
        # Fill gaps, and fit.
        fitted = fit_most_rows(plan, data) if self.robust else plan.fit_any(data)
        model = replace(fitted, asked=self._asked)
        # Become.
        issue_warnings(model)
        self._become(model)
        return self

    @property
    def _threshold(self) -> tuple[float | None, bool]:
        """The threshold of residual variance, and True if it is a share of each variance."""
        assert self.threshold != "auto"
        return self.threshold, bool(getattr(self, "relative", False))

    @property
    def _functions(self) -> str | Family:
        """The family as the user gave it, by name or as an instance, or "auto"."""
        assert self.family is not None
        return self.family

    @property
    def _asked(self) -> Asked:
        """The parameters of the fit that reports and certificates compare with its result."""
        threshold, relative = self._threshold
        threshold = None if threshold is None else float(threshold)
        return Asked(threshold, relative, limits_of(self).explained, self.alpha == "auto")

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        record = model.record
        optional: dict[str, Any] = {
            "validation_residual_variance_": record.validation_largest,
            "validation_total_residual_variance_": record.validation_total,
        }
        if isinstance(model.search, EliminationSearch):
            optional["elimination_"] = model.search.selection
        return {
            **attributes_of(model),
            **{name: value for name, value in optional.items() if value is not None},
            "scale_": model.scale,
            "family_": model.family,
            "alpha_": record.alpha,
            "alpha_path_": record.alpha_path,
            "gcv_total_residual_variance_": record.gcv_total,
            "trimmed_rows_": model.trimmed,
        }

    def path(
        self,
        X: ArrayLike,
        *,
        degrees: Sequence[int | None] = DEGREES,
        families: Sequence[str | Family] | None = None,
        sample_weight: ArrayLike | None = None,
        validation_data: ValidationData = None,
        groups: Any = None,
    ) -> Path[Self]:
        """Fit several families and compare them on the same held-out rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        degrees : sequence of int, default=(1, 2, 3, 4)
            The degrees of families given by name.
        families : sequence of str or Family, optional
            The families; by default the family of this estimator, where "auto" stands for
            "multilinear" and "polynomial".
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples in every expectation.
        validation_data : array-like of shape (n_held_out, n_features), or tuple, optional
            The rows to compare by, in place of a random part of X.
        groups : array-like of shape (n_samples,) or str, optional
            Labels of the samples: all samples of a label are held out together, as in `fit`.

        Returns
        -------
        path : Path
            Fits to the rows that are not held out. Each ends before it has more than
            `max_functions` functions, by default 5,000. See :class:`gramian.results.Path`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFR
        >>> z = np.random.default_rng(0).standard_normal((500, 2))
        >>> X = np.column_stack([3 * z, z[:, 0] * z[:, 1], z[:, 0] ** 2])
        >>> path = GFR(2).path(X, degrees=[1, 2], families=["multilinear", "polynomial"])
        >>> path.best().family_
        Polynomial(2)
        """
        self._validate_params()
        seed = self.random_state
        if not isinstance(seed, Integral):  # the fits must tell which rows were held out
            seed = int(check_random_state(seed).randint(2**31))
        data = check_data(self, X, sample_weight, validation_data, self.memory_budget, groups)
        check_count(self, data)
        compared = families_of(self, families, degrees)
        plan = comparison_of(self, self._algorithm(data), compared, seed)
        assert plan.hold_out is not None
        complete, gaps = plan.without_gaps(data)
        fits = []
        for request, model in zip(plan.requests, plan.compare(complete), strict=True):
            fit = clone(self).set_params(
                family=request.family,
                degree=None,
                random_state=seed,
                max_functions=request.limits.max_functions,
                validation_fraction=plan.hold_out.share,
                checkpoint=request.checkpoint,
            )
            fit._become(replace(model, gaps=gaps, asked=fit._asked))
            fits.append(fit)
        return Path(tuple(fits))

    def explain(
        self, X: ArrayLike | None = None, **options: Any
    ) -> gramian.explanations.Explanation:
        """Say which columns are redundant, and by which formula; see :func:`gramian.explain`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Rows to test formulas on.
        **options : dict
            `max_terms`, `min_gain`, `features`, `sample_weight` and `time_limit`, as in
            :func:`gramian.explain`.

        Returns
        -------
        explanation : Explanation
            A sequence of `Redundancy`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFS
        >>> z = np.random.default_rng(0).uniform(1, 2, (300, 2))
        >>> X = np.column_stack([3 * z, 0.9 * z[:, 0] * z[:, 1]])
        >>> print(GFS(2).fit(X).explain())
        x2 = 0.1 · x0 · x1 (R² 1)
        """
        import gramian  # looked up when called: explanations are a room above estimators

        return gramian.explain(self, X, **options)

    def stability(
        self,
        X: ArrayLike,
        n_resamples: int = 50,
        *,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> Stability:
        """Fit to bootstrap resamples, and compare their choices with the choice of this fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data of this fit.
        n_resamples : int, default=50
            The number of resamples. Each takes as long as the fit.
        random_state : int, default=0
            The seed that draws the resamples.
        n_jobs : int, optional
            The number of fits that run at the same time, as in joblib.

        Returns
        -------
        stability : Stability
            The frequency of each feature or direction, and the agreement of each resample. See
            :class:`gramian.results.Stability`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFS
        >>> z = np.random.default_rng(0).standard_normal((300, 2))
        >>> X = np.column_stack([3 * z, z[:, 0] * z[:, 1]])
        >>> GFS(2).fit(X).stability(X, n_resamples=10).frequency
        array([1., 1., 0.])
        """
        if not isinstance(n_resamples, Integral) or n_resamples < 1:
            raise ValueError(f"n_resamples must be a positive number; got {n_resamples!r}.")
        table = check_rows(self, X, gaps=True)
        return self._compare(resample(self, table, n_resamples, random_state, n_jobs))

    @abstractmethod
    def _compare(self, others: Sequence[Self]) -> Stability:
        """Return the stability of this fit: `others` are fits to bootstrap resamples."""

    def estimate_cost(self, X: Data, n_steps: int | None = None) -> Cost:
        """Estimate the memory and time of a fit, without fitting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or files
            The data; only their shape is used, and for a sparse matrix the number of entries. The
            format of files must store the number of rows.
        n_steps : int, optional
            The number of directions or features; by default the estimator's number, if an integer.

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
        return cost_of(self, X, n_steps)

    @property
    def _search_cost(self) -> dict[str, Any]:
        """The arguments of `gramian.fitting.estimate` that depend on the algorithm, by name."""
        return {"covariance": False}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
