"""Unsupervised Fourier Feature Selection, the peer that GFS generalizes.

The estimator stands alone: in memory, without decoder, penalties or held-out rows.
"""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from gramian._support.given_data import as_given
from gramian._support.scikit_learn import Interval, StrOptions
from gramian._support.types import Array, IntArray
from gramian.core.orthogonalize import QR, Gram
from gramian.core.pursuit import GivenOrder, Limits, StopReason, joined_traces, pursue
from gramian.core.rows import ArrayRows, is_dask
from gramian.estimators._estimator import attributes_of, issue_warnings, replace_fitted
from gramian.estimators._summary import FittedSummary
from gramian.families import Multilinear
from gramian.fitting import (
    ArrayData,
    Asked,
    Cost,
    FittedNorms,
    KeptColumns,
    Preparation,
    Solver,
    by_name,
    check_data,
    check_rows,
    estimate,
    prefers_qr,
    report_for,
    shape_of,
    source_of,
    steps_of,
)

SCALED = Preparation("column")
"""Every feature has variance 1 while its products are orthogonalized."""


class UFFS(FittedSummary, SelectorMixin, BaseEstimator):
    """Unsupervised Fourier Feature Selection (Heidari et al., 2022).

    All products of features are orthogonalized in the order in which the features are given. The
    norm of the residual of a feature, its Fourier norm, says how much the feature adds to the
    features before it. The result depends on the order of the features; GFS finds an order of its
    own and stops early. The data must fit in memory.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        The largest number of features to select; features of largest Fourier norm come first.
    threshold : float or None, default=0.01
        Select only features whose squared Fourier norm is above this number (ε² in the paper).
    degree : int or None, default=None
        The largest number of features in a product; None for all ``2**n_features`` products, which
        is feasible for about a dozen features.
    cluster_size : int or None, default=None
        Orthogonalize only within clusters of this many consecutive features.
    relative : bool, default=True
        True for the norms of features scaled to variance 1, as published; False for the norms of
        the features in their units.
    solver : {"auto", "qr", "gram", "moments"}, default="auto"
        Method of orthogonalization. "qr" keeps orthonormal functions in memory and is accurate
        to rounding. "gram" needs only sums over blocks of rows, is faster on many rows and loses
        accuracy when functions are close to linearly dependent. "moments" is "gram" for monomials
        with every distinct moment computed once, which pays from degree 3 on. "auto" is "qr" up to
        5,000 rows; beyond, each step is done by "gram" or "moments", whichever promises to be
        faster, and all by "qr" if accuracy demands it and the functions fit in 4 GiB.
    max_functions : int or None, default=None
        Stop before the functions, the constant not counted, exceed this number.
    verbose : int, default=0
        1 shows a progress bar if standard error is a terminal; 2 prints one line per step.

    Attributes
    ----------
    selected_features_ : array of shape (n_selected,)
        The indices of the selected features, by decreasing Fourier norm.
    support_ : boolean array of shape (n_features,)
        The mask of the selected features.
    fourier_norms_ : array of shape (n_features,)
        The Fourier norm of each feature.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    residual_variance_ : array of shape (n_steps + 1,)
        The largest residual variance of any feature, before each feature's turn and after the last.
    total_residual_variance_ : array of shape (n_steps + 1,)
        The total residual variance, before each feature's turn and after the last.
    explained_variance_ratio_ : array of shape (n_steps,)
        The share of the total variance that each step explained.
    n_functions_ : array of shape (n_steps,)
        The number of functions that each step added.
    n_dropped_functions_ : array of shape (n_steps,)
        The number of functions that each step dropped as combinations of others.
    stop_reason_ : str
        The reason to stop: "saturated" (the functions span all samples), "exhausted" (all residuals
        are rounding errors) or "max_functions".
    solver_ : {"qr", "gram", "moments"}
        The solver that was used; "moments" if any step used it.
    orthogonality_loss_ : float
        The deviation of the functions from orthonormality: measured for "qr", otherwise machine
        precision times an estimate of the condition of the Gram matrix.
    degrees_of_freedom_ : array
        The number of orthogonal functions, including the constant, before each step and after the
        last.
    n_samples_ : int
        The number of samples that took part in the fit.
    gaps_ : Gaps
        The treatment of missing values (NaN); absent if no value was missing. See
        :class:`gramian.results.Gaps`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features; absent if X has no names.

    See Also
    --------
    GFS : Finds the order of features itself; orthogonalizes only functions of selected features.

    References
    ----------
    M. Heidari, J. K. Sreedharan, G. Shamir and W. Szpankowski, "Sufficiently informative and
    relevant features: an information-theoretic and Fourier-based framework", IEEE Transactions on
    Information Theory 68(9), 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import UFFS
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.standard_normal((2, 1000))
    >>> X = np.column_stack([a, b, a * b])
    >>> UFFS(degree=2).fit(X).get_support()
    array([ True,  True, False])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "threshold": [Interval(Real, 0, None, closed="left"), None],
        "degree": [Interval(Integral, 1, None, closed="left"), None],
        "cluster_size": [Interval(Integral, 1, None, closed="left"), None],
        "relative": ["boolean"],
        "solver": [StrOptions(set(get_args(Solver)))],
        "max_functions": [Interval(Integral, 1, None, closed="left"), None],
        "verbose": ["verbose"],
    }
    model_: FittedNorms
    selected_features_: IntArray
    support_: NDArray[np.bool_]
    fourier_norms_: Array
    n_functions_: IntArray
    stop_reason_: StopReason

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        threshold: float | None = 0.01,
        degree: int | None = None,
        cluster_size: int | None = None,
        relative: bool = True,
        solver: Solver = "auto",
        max_functions: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.degree = degree
        self.cluster_size = cluster_size
        self.relative = relative
        self.solver = solver
        self.max_functions = max_functions
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data; values may be missing (NaN).
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples in every expectation; an integer weight is equivalent to that
            many copies of the row.

        Returns
        -------
        self : UFFS
            The fitted estimator.
        """
        self._validate_params()
        _check_in_memory(X)
        data = check_data(self, X, sample_weight)
        assert isinstance(data, ArrayData)
        most = self.n_features_to_select
        if most is not None and most > data.n_columns:
            raise ValueError(
                f"n_features_to_select={most} is more than the {data.n_columns} features of X; "
                f"give at most {data.n_columns}."
            )
        family = Multilinear(self.degree)
        complete, gaps = data.without_gaps(SCALED, None, [family])
        problem = complete.problem(SCALED, None)
        rows, scale, varies = problem.rows, problem.centring.scale, problem.centring.varies
        assert isinstance(rows, ArrayRows)
        variances = np.where(varies, scale**2, 0.0)

        # Orthogonalize the products of features, cluster by cluster.
        size = self.cluster_size or rows.n_columns
        shares = np.empty(rows.n_columns)
        traces, orthogonalizers = [], []
        for start in range(0, rows.n_columns, size):
            cluster = slice(start, start + size)
            chooser = GivenOrder(variances[cluster], varies[cluster])
            part = ArrayRows(np.ascontiguousarray(rows.x[:, cluster]), rows.root)
            orthogonalizer = self._orthogonalizer(part, family)
            limits = Limits(max_functions=self.max_functions)
            with report_for(self.verbose, "UFFS", family, limits) as report:
                traces.append(pursue(chooser, orthogonalizer, limits, callback=report))
            left = chooser.shares_when_chosen
            shares[cluster] = np.where(left > orthogonalizer.noise, left, 0.0)
            orthogonalizers.append(orthogonalizer)

        # Keep the features of largest norm.
        squared_norms = shares if self.relative else shares * variances
        order = np.argsort(-squared_norms, kind="stable")
        if self.threshold is not None:
            order = order[squared_norms[order] > self.threshold]
        model = FittedNorms(
            algorithm="UFFS",
            names=problem.names,
            mean=problem.centring.mean,
            scale=None,
            kept=KeptColumns(order[:most].astype(np.intp), rows.n_columns),
            norms=np.sqrt(squared_norms),
            family=family,
            record=steps_of(joined_traces(traces), problem, orthogonalizers),
            asked=self._asked,
            gaps=gaps,
        )
        issue_warnings(model)
        self._become(model)
        return self

    def _orthogonalizer(self, rows: ArrayRows, family: Multilinear) -> QR | Gram:
        """Return the solver that orthogonalizes the products of features."""
        if prefers_qr(self.solver, (0.0,), rows.n_rows):
            return QR(rows, family)
        moments = None if self.solver == "auto" else self.solver == "moments"
        return Gram(rows, family, moments=moments)

    @property
    def _asked(self) -> Asked:
        """The parameters of the fit that reports and certificates compare with its result."""
        return Asked(None if self.threshold is None else float(self.threshold), self.relative)

    def _become(self, model: FittedNorms) -> None:
        """Replace all fitted attributes (names that end in _) at once by those of a model."""
        names = {} if model.names is None else {"feature_names_in_": np.array(model.names, object)}
        attributes = {
            **attributes_of(model),
            **names,
            "selected_features_": model.kept.chosen,
            "support_": model.kept.support,
            "fourier_norms_": model.norms,
        }
        replace_fitted(self, attributes)

    def inverse_transform(self, X: ArrayLike) -> Any:
        """Put the selected columns back in their places, with zeros for all other columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_selected_features)
            The selected columns. Columns of a data frame are taken by name if the frame has any of
            the selected names; otherwise they must be in the order of `get_feature_names_out`.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            The selected columns, and zeros.
        """
        check_is_fitted(self)
        return super().inverse_transform(by_name(X, self.get_feature_names_out()))

    def transform(self, X: ArrayLike) -> Any:
        """Take the selected columns of X, in the order in which X has them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data, in memory. Missing values stay missing.

        Returns
        -------
        X_selected : array of shape (n_samples, n_selected)
            The selected columns.
        """
        check_is_fitted(self)
        X = as_given(X)
        _check_in_memory(X)
        check_rows(self, X, gaps=True)  # scikit-learn's transform accepts infinite values
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file, which `gramian.load` reads.

        Parameters
        ----------
        path : path
            The file; by convention its name ends in .gram.
        """
        import gramian  # looked up when called: models are a room above estimators

        gramian.models.save(self, path)

    def estimate_cost(self, X: ArrayLike, n_steps: int | None = None) -> Cost:
        """Estimate the memory and time of a fit, without fitting.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data; only their shape is used.
        n_steps : int, optional
            The number of features whose products are orthogonalized; by default all features.

        Returns
        -------
        cost : Cost
            The number of functions, bytes of memory and seconds. See :class:`gramian.results.Cost`.
        """
        self._validate_params()
        n_rows, n_columns = shape_of(X)
        return estimate(
            Multilinear(self.degree),
            n_rows,
            n_columns,
            n_columns if n_steps is None else int(n_steps),
            solver="qr" if prefers_qr(self.solver, (0.0,), n_rows) else self.solver,
            covariance=False,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _check_in_memory(X: Any) -> None:
    """Raise an error if the data are not in memory, such as files."""
    if is_dask(X) or source_of(X) is not None:
        raise TypeError(
            "UFFS needs a table in memory, such as an array or a data frame. Read files first, for "
            "example with pandas.read_csv, or use GFS, which takes files, blocks of rows and Dask "
            "collections."
        )
