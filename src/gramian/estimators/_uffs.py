"""Unsupervised Fourier Feature Selection, the peer that GFS generalizes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.scikit_learn import Interval
from gramian._support.types import Array
from gramian.core.pursuit import GivenOrder, Limits, Trace
from gramian.core.rows import ArrayRows
from gramian.estimators._selector import Selector
from gramian.families import Family, Multilinear
from gramian.fitting import (
    CheckedData,
    FittedModel,
    Preparation,
    Problem,
    Request,
    Solver,
    TakeColumns,
    check_data,
    record_of,
    run,
)


class UFFS(Selector):
    """Unsupervised Fourier Feature Selection (Heidari et al., 2022).

    All products of features are orthogonalized in the order in which the features are given. What
    this leaves of a feature, its Fourier norm, says how much it adds to the features before it.
    The result depends on the order of the features; GFS finds an order of its own and stops early.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        Select at most this many features, those of largest Fourier norm.
    threshold : float or None, default=0.01
        Select only features whose squared Fourier norm is above this (ε² in the paper).
    degree : int or None, default=None
        The largest number of features in a product; None for all ``2**n_features`` products, which
        is feasible for about a dozen features.
    cluster_size : int or None, default=None
        Orthogonalize only within clusters of this many consecutive features.
    relative : bool, default=True
        Whether norms are those of features scaled to variance 1, as the authors have them, or
        those of the features as they are.
    solver : {"auto", "qr", "gram", "moments"}, default="auto"
        How functions are orthogonalized. "qr" keeps orthonormal functions in memory and is accurate
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
        Which features are selected.
    fourier_norms_ : array of shape (n_features,)
        The Fourier norm of each feature.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    residual_variance_ : array of shape (n_steps + 1,)
        The largest residual variance of any feature, before each feature's turn and after the last.
    total_residual_variance_ : array of shape (n_steps + 1,)
        The total residual variance, likewise.
    explained_variance_ratio_ : array of shape (n_steps,)
        The share of the total variance that each step explained.
    n_functions_ : array of shape (n_steps,)
        The number of functions that each step added.
    n_dropped_functions_ : array of shape (n_steps,)
        The number of functions that each step dropped as combinations of others.
    stop_reason_ : str
        "saturated" (the functions span all samples), "exhausted" (nothing but rounding errors is
        left) or "max_functions".
    solver_ : {"qr", "gram", "moments"}
        The solver that was used; "moments" if it was for any step.
    orthogonality_loss_ : float
        How far the functions are from orthonormal: measured for "qr", and otherwise machine
        precision times an estimate of the Gram matrix's condition.
    degrees_of_freedom_ : array
        The number of orthogonal functions, the constant among them, before each step and after the
        last.
    n_samples_ : int
        The number of samples that took part in the fit.
    gaps_ : Gaps
        What was done about missing values (NaN), if there were any. See
        :class:`gramian.results.Gaps`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features, where X has any.


    See Also
    --------
    GFS : Finds the order of features itself and orthogonalizes only what it selects.

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

    fourier_norms_: Array
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Selector._parameter_constraints,
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "degree": [Interval(Integral, 1, None, closed="left"), None],
        "cluster_size": [Interval(Integral, 1, None, closed="left"), None],
    }
    del _parameter_constraints["family"]

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

    def _family(self) -> Multilinear:
        assert self.degree != "auto"
        return Multilinear(self.degree)

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
        request = self._request(self._family())
        data = check_data(self, X, sample_weight)
        self._check_count(data)

        def fit(data: CheckedData) -> FittedModel:
            problem = data.problem(Preparation("column"), None)
            if not isinstance(problem.rows, ArrayRows):
                raise TypeError("UFFS needs the data in memory; use GFS for files and Dask.")
            return select_by_norms(problem, request, self.n_features_to_select, self.cluster_size)

        model, gaps = data.fit(fit, [request.family])
        model = replace(model, gaps=gaps, asked=self._asked)
        self._warn(model)
        self._become(model)
        return self

    def _request(self, family: Family, part: str | None = None) -> Request:
        limits = Limits(max_functions=self.max_functions)  # all columns have their turn
        return replace(super()._request(family, part), limits=limits)

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        return {**super()._attributes(model), "fourier_norms_": model.norms}


def select_by_norms(
    problem: Problem, request: Request, most: int | None, cluster_size: int | None
) -> FittedModel:
    """Orthogonalize the columns in their order, cluster by cluster, and keep the largest norms."""
    rows, centring = problem.rows, problem.centring
    assert isinstance(rows, ArrayRows)
    varies = centring.varies
    variances = np.where(varies, centring.scale**2, 0.0)
    size = cluster_size or rows.n_columns
    shares = np.empty(rows.n_columns)
    fits = []
    for start in range(0, rows.n_columns, size):
        cluster = slice(start, start + size)
        part = ArrayRows(np.ascontiguousarray(rows.x[:, cluster]), rows.root)
        make_chooser = partial(GivenOrder, variances[cluster], varies[cluster])
        fit = run(problem, request, part, make_chooser)
        left = fit.chooser.shares_when_chosen
        shares[cluster] = np.where(left > fit.orthogonalizer.noise, left, 0.0)
        fits.append(fit)

    squared_norms = shares if request.relative else shares * variances
    order = np.argsort(-squared_norms, kind="stable")
    if request.threshold is not None:
        order = order[squared_norms[order] > request.threshold]
    chosen = order[:most].astype(np.intp)
    trace = _concatenate([fit.trace for fit in fits])
    return FittedModel(
        algorithm=request.algorithm,
        names=problem.names,
        mean=centring.mean,
        scale=None,
        encoder=TakeColumns(chosen),
        chosen=chosen,
        redundant=None,
        family=request.family,
        record=record_of(trace, rows.n_rows, [fit.orthogonalizer for fit in fits]),
        norms=np.sqrt(squared_norms),
    )


def _concatenate(traces: list[Trace]) -> Trace:
    """Tell the stories of several clusters of features as one: first cluster first."""
    if len(traces) == 1:
        return traces[0]
    whole = Trace([], [], stop_reason=traces[-1].stop_reason, degrees_of_freedom=[])
    for i, trace in enumerate(traces):
        if trace.stop_reason != "exhausted":
            whole.stop_reason = trace.stop_reason
        others = [(each.largest[-1], each.total[-1]) for each in traces[:i]]
        others += [(each.largest[0], each.total[0]) for each in traces[i + 1 :]]
        largest = max(other[0] for other in others)
        total = sum(other[1] for other in others)
        new = slice(1 if i else 0, None)
        whole.largest += [max(largest, value) for value in trace.largest[new]]
        whole.total += [total + value for value in trace.total[new]]
        whole.n_kept += trace.n_kept
        whole.n_dropped += trace.n_dropped
        whole.degrees_of_freedom += trace.degrees_of_freedom[new]
    return whole
