"""Gram-Schmidt Functional Selection, Algorithm 4 of the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from gramian._support.scikit_learn import Interval, StrOptions
from gramian._support.types import Array, IntArray
from gramian.core.pursuit import LargestResidual, Limits
from gramian.core.rows import Ledger, RecordedRows
from gramian.estimators._parameter_docs import FEATURES, documented
from gramian.estimators._selector import Selector, indices, select_columns
from gramian.families import Family, at_most
from gramian.fitting import (
    Algorithm,
    CheckedData,
    FittedModel,
    GreedySearch,
    Problem,
    RandomState,
    Request,
    Search,
    SetSearch,
    Solver,
    needs_no_shrinkage,
    report_for,
)

if TYPE_CHECKING:
    from gramian.core.gain import GainRequest

MOST_COLUMNS = 2000
"""Largest number of features for which criterion="auto" is the gain."""
QUICK = 0.25
"""Share of the largest number of functions without shrinkage: up to it, no quick search is made."""


@documented(
    FEATURES, linear="linear redundancy only", last_fit="The features\n    are selected anew."
)
class GFS(Selector):
    """Gram-Schmidt Functional Selection: the features from which the others can be computed.

    Features are selected one at a time. Each step adds the feature whose functions, together with
    functions of the features so far, explain most of *all* features. Selected features can be
    exchanged for better features later. With ``criterion="variance"`` GFS is the published
    algorithm: each step adds the feature with the largest residual variance, after projections on
    all functions of the features so far are subtracted.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The number of features, or if a float in (0, 1), the share of the total variance that the
        functions of the features are to explain. With neither `n_features_to_select` nor
        `threshold`, 95 % of the variance is explained.
    threshold : float or None, default=None
        Stop when no feature has a residual variance above this number (ε² in the paper).
    relative : bool, default=False
        True if the threshold is a share of each feature's own variance: with 1e-3, a feature is
        redundant when functions of the kept features explain it with R² ≥ 0.999.
    criterion : {"auto", "gain", "variance"}, default="auto"
        The criterion of selection. "gain" is the variance of all features that functions of a
        feature explain; "variance" is the feature's own residual variance, as published. "gain"
        takes longer, but needs fewer features to explain the others. "gain" needs the covariance of
        all features; so "auto" is "gain" up to 2,000 features, and "variance" beyond. With "gain",
        held-out rows that decided on `alpha` or `degree` join the last fit, and the selection is
        kept.
    n_candidates : int, default=12
        With the gain: the number of candidates, largest linear gain first, whose gain by all
        functions is computed. More candidates take longer; on USPS, with 16 features, 6 candidates
        leave 39.9 % of the variance, 12 leave 39.7 % and 48 leave 39.8 %.
    exchange : bool, default=True
        With the gain: True to revise the set. Features are exchanged for others as long as
        exchanges explain more, and a feature is dropped if the smaller set beats the best set of
        its size so far.
    backward : bool, default=False
        With the gain: True to begin with all features and drop one after the other, in place of
        adding. Each step drops the feature whose absence raises the total residual variance least.
        The functions of all features must be no more than half of the rows, unless `alpha` is a
        positive number. Features can be exchanged afterwards.
    beam : int, default=1
        With exchanges: the number of candidates that are tried at each size, each with the
        exchanges that follow, after a search without a beam. A wider beam never explains less of
        the rows of the fit, for any number of features. On USPS, with 12 features, a beam of 1
        leaves 45.8 % of the variance; a beam of 2 leaves 45.5 % and takes 2.5 times as long.
    given : sequence of str or int, or None, default=None
        With the gain: names or indices of features to begin with. These features are always
        selected, and never exchanged. If `n_features_to_select` equals their number, no feature is
        added: the fit shows how well they explain the others, and which feature to add or to drop.
    <parameters>

    Attributes
    ----------
    selected_features_ : array of shape (n_selected,)
        The indices of the selected features, in the order of selection; with the gain, the most
        important first: features at the end can be dropped with the least loss.
    support_ : boolean array of shape (n_features,)
        The mask of the selected features.
    best_sets_ : tuple of arrays
        With the gain: the best sets of 1, 2, ... features that the search evaluated.
    best_sets_residual_variance_ : array of shape (n_selected + 1,)
        With the gain: the total residual variance before the first feature, and with each set. This
        attribute, `losses_` and `next_gains_` are measured on the rows of the search: without
        held-out rows, if held-out rows decide on the penalty.
    losses_ : array of shape (n_selected,)
        With the gain: the increase of the total residual variance without each selected feature.
    next_features_, next_gains_ : arrays
        With the gain: features to add next, the best first, and the decrease of the total residual
        variance with each.
    <attributes>

    See Also
    --------
    GFA : Drops only features that are functions of others.
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

    The published criterion selects the feature of the largest variance first, even if this feature
    explains no other feature.

    >>> noise = rng.standard_normal(1000)
    >>> X = np.column_stack([9 * noise, a, b, a + b, a - b, a * b])
    >>> GFS(2, criterion="variance").fit(X).selected_features_
    array([0, 3])
    >>> gfs = GFS(2, scale=True).fit(X)
    >>> gfs.get_support(indices=True)
    array([1, 2])
    >>> gfs.next_features_
    array([0])
    """

    _default_explained = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Selector._parameter_constraints,
        "criterion": [StrOptions({"auto", "gain", "variance"})],
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
        "exchange": ["boolean"],
        "backward": ["boolean"],
        "beam": [Interval(Integral, 1, None, closed="left")],
        "given": ["array-like", None],
    }
    best_sets_: tuple[IntArray, ...]
    best_sets_residual_variance_: Array
    losses_: Array
    next_features_: IntArray
    next_gains_: Array

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        threshold: float | None = None,
        relative: bool = False,
        criterion: Literal["auto", "gain", "variance"] = "auto",
        n_candidates: int = 12,
        exchange: bool = True,
        backward: bool = False,
        beam: int = 1,
        given: Sequence[str | int] | None = None,
        scale: bool = False,
        family: str | Family = "multilinear",
        degree: int | Literal["auto"] | None = 2,
        alpha: float | Literal["auto"] = "auto",
        validation_fraction: float | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 5,
        tol: float = 1e-4,
        robust: Literal["auto", False] = "auto",
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
        self.criterion = criterion
        self.n_candidates = n_candidates
        self.exchange = exchange
        self.backward = backward
        self.beam = beam
        self.given = given
        self.scale = scale
        self.family = family
        self.degree = degree
        self.alpha = alpha
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.robust = robust
        self.solver = solver
        self.max_functions = max_functions
        self.random_state = random_state
        self.memory_budget = memory_budget
        self.checkpoint = checkpoint
        self.verbose = verbose

    @property
    def _search_cost(self) -> dict[str, Any]:
        if self.criterion == "variance":
            return {"covariance": False}
        return {
            "covariance": True,
            "n_candidates": int(self.n_candidates),
            "exchange": self.exchange,
            "beam": int(self.beam),
        }

    def _algorithm(self, data: CheckedData) -> Algorithm:
        given = () if self.given is None else tuple(self.given)
        wide = self.criterion == "auto" and data.n_columns > MOST_COLUMNS
        if wide and given:
            raise ValueError(
                f"given features are for criterion='gain', and for {data.n_columns} features "
                "'auto' is 'variance'. Set criterion='gain', which takes a matrix of features "
                "by features."
            )
        if self.criterion != "variance" and not wide:
            search = partial(
                search_columns,
                given=given,
                n_candidates=int(self.n_candidates),
                exchange=self.exchange,
                backward=self.backward,
                beam=int(self.beam),
            )
            quick = partial(needs_shrinkage, given=given)
            return Algorithm(search, repeats=True, needs_shrinkage=quick, covariance=True)
        if self.backward:
            raise ValueError(
                "backward=True is for criterion='gain': the published algorithm adds features. Set "
                "criterion='gain', or leave backward out."
            )
        if given:
            raise ValueError(
                "given features are for criterion='gain': the published algorithm chooses all of "
                "them itself. Set criterion='gain', or leave them out."
            )
        return Algorithm(partial(select_columns, chooser=LargestResidual, tells_redundant=False))

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        found = super()._attributes(model)
        if isinstance(model.search, SetSearch):
            sets = model.search.sets
            found["best_sets_"] = tuple(np.array(each, dtype=np.intp) for each in sets.columns)
            found["best_sets_residual_variance_"] = sets.total
            found["losses_"] = sets.losses
            found["next_features_"] = np.array(sets.following, dtype=np.intp)
            found["next_gains_"] = sets.gains
        return found


def search_columns(
    problem: Problem,
    request: Request,
    *,
    given: Sequence[str | int],
    n_candidates: int,
    exchange: bool,
    backward: bool,
    beam: int,
) -> FittedModel:
    """Search for the columns that explain most, and fit functions of them.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    request : Request
        The parameters of the fit.
    given : sequence of str or int
        Columns to begin with.
    n_candidates, exchange, backward, beam
        The parameters of :class:`GFS`.
    """
    from gramian.core.gain import search

    how: Search = GreedySearch()
    chosen, reason = request.prescribed, None
    if chosen is None:
        asked = _search_request(
            problem, request, given, n_candidates, exchange, beam=beam, backward=backward
        )
        rows = problem.rows
        if request.checkpoint is not None:
            folder = Path(request.checkpoint) / "search"
            rows = RecordedRows(rows, Ledger(folder, request.describe(problem, rows)))
        with report_for(request.verbose, "search", request.family, request.limits) as report:
            sets, reason = search(rows, request.family, asked, problem.held_out, report)
        how, chosen = SetSearch(sets), list(sets.columns[-1]) if sets.columns else []
    model = _fit_prescribed(problem, request, chosen)
    record = model.record
    if reason is not None and record.stop_reason != "saturated":
        record = replace(record, stop_reason=reason)
    return replace(model, record=record, search=how)


def _fit_prescribed(problem: Problem, request: Request, chosen: list[int]) -> FittedModel:
    """Fit functions of the columns `chosen`, without a search."""
    again = replace(request, prescribed=chosen, limits=Limits(n_steps=len(chosen)), threshold=None)
    return select_columns(problem, again, LargestResidual, tells_redundant=False)


def needs_shrinkage(problem: Problem, request: Request, *, given: Sequence[str | int]) -> bool:
    """Return True if a fit needs a penalty, which a quick search for columns decides.

    The quick search adds the column of the largest linear gain. Its answer also holds for the
    columns of the full search, because the number of functions decides on shrinkage. If functions
    are few in any case, the quick search is not made, because the full search takes little time.

    Parameters
    ----------
    problem, request, given
        Arguments of :func:`search_columns`; the request has a largest number of functions.
    """
    from gramian.core.gain import search

    n_steps, most = request.limits.n_steps, request.limits.max_functions
    assert most is not None
    if n_steps is not None and at_most(request.family, n_steps, QUICK * most):
        return False
    asked = _search_request(problem, request, given, n_candidates=1, exchange=False)
    sets, reason = search(problem.rows, request.family, asked)
    if reason == "max_functions" or not sets.columns:
        return reason == "max_functions"
    quick = replace(request, checkpoint=None, verbose=0)
    return not needs_no_shrinkage(_fit_prescribed(problem, quick, list(sets.columns[-1])), problem)


def _search_request(
    problem: Problem,
    request: Request,
    given: Sequence[str | int],
    n_candidates: int,
    exchange: bool,
    *,
    beam: int = 1,
    backward: bool = False,
) -> GainRequest:
    """Return the parameters of the search for the columns that explain most.

    Parameters are those of `search_columns`.
    """
    from gramian.core.gain import GainRequest

    first = indices(given, problem.names, problem.rows.n_columns, "given")
    if request.limits.n_steps is not None and len(first) > request.limits.n_steps:
        raise ValueError(
            f"{len(first)} features are given, and n_features_to_select="
            f"{request.limits.n_steps} is less. Give fewer, or select more."
        )
    return GainRequest(
        np.where(problem.centring.varies, problem.unit, 0.0),
        request.limits,
        request.threshold,
        request.relative,
        request.alphas,
        n_candidates,
        exchange,
        beam,
        first,
        backward,
    )
