"""Gram-Schmidt Feature Analysis, Algorithm 5 of the paper."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from gramian._support.scikit_learn import Interval
from gramian._support.types import IntArray
from gramian._support.words import names_or_numbers
from gramian.core.elimination import Preferences
from gramian.core.pursuit import LargestOriginal
from gramian.estimators._elimination_fit import (
    CONSTRAINTS,
    SHARE,
    EliminationCandidates,
    Threshold,
    check_elimination,
    check_published,
    drop_redundant,
    threshold_of,
)
from gramian.estimators._laws_of_columns import (
    LawsOfColumns,
    laws_of_columns,
    laws_of_data,
    may_have_laws,
)
from gramian.estimators._parameter_docs import FEATURES, documented
from gramian.estimators._selector import Columns, Selector, indices, select_columns
from gramian.families import Family
from gramian.fitting import (
    Algorithm,
    CheckedData,
    Dropping,
    EliminationSearch,
    FittedModel,
    Problem,
    RandomState,
    RedundancySearch,
    Request,
    Solver,
)

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw, Relations

SHARE_BESIDE_LAWS = 1e-4
"""Residual share of variance that `threshold="auto"` stands for with `laws`. The share is smaller
than without laws: laws have dropped the computed features already, and features that are close to a
function by chance are kept."""


@documented(
    FEATURES,
    linear="linear redundancy only",
    last_fit="The\n    selection is kept.",
    family="str, Family or None, default=None",
    family_default=' By default\n    "polynomial", or "multilinear" with ``backward=False``.',
    robust=" With\n    `exceptions`, rows are trimmed that break a function which the others obey. "
    "A feature is\n    dropped only if it can be computed in the trimmed rows, too, except for the "
    "share\n    `exceptions` of all rows; if no feature more is dropped, all rows are fitted. So "
    "are\n    they with ``backward=False``.",
)
class GFA(Selector):
    """Gram-Schmidt Feature Analysis: drops the features that are functions of others.

    GFA begins with all features. It drops, one after the other, features that laws or functions of
    the remaining features explain, on rows that are left out of the fit. The result depends neither
    on the units nor on the order of the features. With ``backward=False`` GFA is the published
    algorithm.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The largest number of features to keep, or if a float in (0, 1), the share of the total
        variance at which no more features are kept. By default all features that are not
        redundant are kept.
    threshold : float, "auto" or None, default="auto"
        The largest residual variance of a redundant feature: a share of the feature's variance, so
        that 0.001 asks for R² ≥ 0.999, or if not `relative` a variance (ε in the paper). "auto" is
        0.0001 (with ``laws=False`` 0.001), or a variance of 0.0001 if not `relative`. With None,
        only features that are explained up to rounding errors are redundant.
    relative : bool or None, default=None
        True if the threshold is a share of each feature's own variance. By default True with
        ``backward=True``, which needs a share, otherwise False.
    backward : bool, default=True
        True to begin with all features and drop features that functions of others explain. The
        threshold must hold for rows that are left out of the fit that explains them, so that
        functions which span all samples make nothing redundant. False is the published algorithm:
        features are kept in the order of their variance, so that units and order matter.
    keep : sequence of str or int, optional
        Features that are never dropped, by name or index. For ``backward=True``.
    priority : sequence of str or int, optional
        Features to keep rather than others if either can be dropped, the most wanted first. For
        ``backward=True``. Without `priority`, the first name in the alphabet is kept in ties.
    laws : bool or None, default=None
        True to drop also columns that exact laws compute, as :func:`gramian.relations` finds laws:
        logarithms, ratios, roots, sums of many columns, thresholds and levels. A column that a law
        computes is dropped first, and computed by the law in reconstructions; residual variances
        are those of functions, `score` is that of reconstructions. In panel data, a
        column that is constant within each unit is not dropped merely because the unit's
        identifier determines it. By default True with ``backward=True``, which laws need, except
        for large sparse matrices: a search for laws would write out their zeros.
    exceptions : float, default=0.0
        The largest share of the rows in which a column that a law computes may differ from the
        law; with ``robust="auto"`` also a column that functions compute. By default, a law with
        exceptions drops no column, and functions do not drop its columns, because the exceptions
        would be lost.
    prove : bool, default=False
        True to search all sets of up to 20 features for a smaller set to keep;
        ``elimination_.minimal`` is "proved" if none exists. For ``backward=True``.
    <parameters>

    Attributes
    ----------
    selected_features_ : array of shape (n_selected,)
        The indices of the selected features. The feature that explains most comes first, or with
        ``backward=False`` the feature of largest variance.
    support_ : boolean array of shape (n_features,)
        The mask of the selected features.
    redundant_features_ : array
        The indices of the features whose residual variance is at most the threshold, in increasing
        order. If `n_features_to_select` is None, all features that were not kept.
    elimination_ : Selection
        With ``backward=True``: the order in which features were dropped, the residual share of each
        on left-out rows, and the kept features that each could replace. See
        :class:`gramian.results.Selection`.
    <attributes>

    See Also
    --------
    GFS : Keeps as few features as explain the variance of the others.
    GCA : Drops principal components that are functions of others.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> rng = np.random.default_rng(0)
    >>> voltage, current = rng.uniform(1, 2, (2, 1000))
    >>> X = np.column_stack([voltage, 1000 * voltage * current, current])
    >>> GFA().fit(X).redundant_features_
    array([1])

    In these units the product has the largest variance. So the published algorithm keeps the
    product first, and then both factors.

    >>> GFA(backward=False, relative=True).fit(X).redundant_features_
    array([], dtype=int64)

    Either Celsius or Fahrenheit can be dropped: `priority` decides.

    >>> celsius = rng.uniform(0, 30, 1000)
    >>> X = np.column_stack([celsius, 1.8 * celsius + 32, current])
    >>> gfa = GFA(priority=[1]).fit(X)
    >>> gfa.redundant_features_, gfa.elimination_.alternatives
    (array([0]), {0: (1,)})
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Selector._parameter_constraints,
        **CONSTRAINTS,
        "keep": ["array-like", None],
        "priority": ["array-like", None],
        "laws": ["boolean", None],
        "exceptions": [Interval(Real, 0, 1, closed="left")],
        "family": [*Selector._parameter_constraints["family"], None],
    }
    redundant_features_: IntArray

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        threshold: Threshold = "auto",
        relative: bool | None = None,
        backward: bool = True,
        keep: Columns | None = None,
        priority: Columns | None = None,
        laws: bool | None = None,
        exceptions: float = 0.0,
        prove: bool = False,
        scale: bool = False,
        family: str | Family | None = None,
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
        self.backward = backward
        self.keep = keep
        self.priority = priority
        self.laws = laws
        self.exceptions = exceptions
        self.prove = prove
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
    def _threshold(self) -> tuple[float | None, bool]:
        with_laws = self.backward and self.laws is not False
        share = SHARE_BESIDE_LAWS if with_laws else SHARE
        return threshold_of(self.threshold, self.relative, backward=self.backward, share=share)

    @property
    def _functions(self) -> str | Family:
        if self.family is None:
            return "polynomial" if self.backward else "multilinear"
        return self.family

    @property
    def _search_cost(self) -> dict[str, Any]:
        return {"covariance": self.backward, "eliminates": self.backward}

    def _algorithm(self, data: CheckedData) -> Algorithm:
        if not self.backward:
            check_published(prove=self.prove)
            for name in ("keep", "priority", "laws", "exceptions"):
                if getattr(self, name):
                    raise ValueError(f"{name} needs backward=True: set that, or leave {name} out.")
            published = partial(select_columns, chooser=LargestOriginal, tells_redundant=True)
            return Algorithm(published, repeats=True, trims=False)
        check_elimination(self._threshold[0], self.relative)
        return self._eliminations(data, all_rows=True)(frozenset())

    def _eliminations(
        self, data: CheckedData, *, all_rows: bool = False
    ) -> Callable[[frozenset[int]], Algorithm]:
        """Return a function from columns to the elimination for a table that never drops them.

        The laws of the table are searched once.

        Parameters
        ----------
        data : CheckedData
            The table.
        all_rows : bool, default=False
            True for all rows of a fit, of which the laws may be known.
        """
        wanted = self.laws or (self.laws is None and may_have_laws(data))
        every = laws_of_data(data, all_rows=all_rows) if wanted else None

        def elimination(stay: frozenset[int]) -> Algorithm:
            keep = [*(self.keep or ()), *stay]
            eliminate = partial(
                eliminate_columns,
                keep=keep,
                priority=self.priority,
                found=self._laws_among(every, data, keep),
                prove=self.prove,
            )
            dropping = Dropping(self.exceptions, keeping=self._eliminations)
            return Algorithm(eliminate, repeats=True, leaves_rows_out=True, dropping=dropping)

        return elimination

    def _laws_among(
        self, every: Relations | None, data: CheckedData, keep: Columns
    ) -> LawsOfColumns:
        """Return the laws that compute columns, and the columns that laws would compute nearly.

        Laws drop no column that is in `keep`.
        """
        names, n = data.names, data.n_columns
        return laws_of_columns(
            data,
            every,
            keep=indices(keep, names, n, "keep"),
            prefer=indices(self.priority or (), names, n, "priority"),
            exceptions=self.exceptions,
        )

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        assert isinstance(model.search, RedundancySearch)
        return {**super()._attributes(model), "redundant_features_": model.search.redundant}


def eliminate_columns(
    problem: Problem,
    request: Request,
    keep: Columns | None = None,
    priority: Columns | None = None,
    *,
    found: LawsOfColumns,
    prove: bool = False,
) -> FittedModel:
    """Begin with all columns, and drop columns that functions of the others explain.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    request : Request
        The parameters of the fit.
    keep, priority : sequence of str or int, optional
        The parameters of :class:`GFA`.
    found : LawsOfColumns
        Laws that compute columns. These columns are dropped first; the columns that laws need stay,
        and so do the columns that laws compute except in some rows.
    prove : bool
        The parameter of :class:`GFA`.
    """
    n_columns = problem.rows.n_columns
    names = names_or_numbers(problem.names, n_columns)
    place = {name: i for i, name in enumerate(names)}
    wanted = np.zeros(n_columns)
    first = indices(priority or (), problem.names, n_columns, "priority")
    wanted[first] = np.arange(len(first), 0, -1)
    given = [place[law.column] for law in found.laws]
    needed = {place[name] for law in found.laws for name in law.columns} - {*given}
    if request.limits.n_steps is None:
        needed |= {place[name] for name in found.stay}
    varies = problem.centring.varies.copy()
    varies[given] = False
    preferences = Preferences(
        frozenset(needed.union(indices(keep or (), problem.names, n_columns, "keep"))),
        wanted.tolist(),
        # Names break ties: columns that are equal up to their units differ only in their names.
        np.argsort(np.argsort(np.array(names, dtype=np.str_), kind="stable")).tolist(),
    )
    model = drop_redundant(
        EliminationCandidates(problem, problem.rows, varies, preferences, prove),
        request,
        lambda again: select_columns(problem, again, LargestOriginal, tells_redundant=True),
    )
    search = model.search
    if isinstance(search, EliminationSearch):
        selection = search.selection
        kept = {*selection.kept}
        exchanges = {
            place[column]: tuple(sorted(kept.intersection(place[name] for name in others)))
            for column, others in found.alternatives.items()
        }
        selection = replace(selection, alternatives={**selection.alternatives, **exchanges})
        search = replace(search, selection=selection)
    laws = _computed_by(found.laws, model)
    return replace(model, laws=laws, near_laws=found.near, search=search)


def _computed_by(laws: Sequence[ColumnLaw], model: FittedModel) -> tuple[ColumnLaw, ...]:
    """Return the laws whose inputs are kept columns, or columns that other laws compute.

    If `n_features_to_select` leaves out a column that a law needs, the law is not returned, and
    functions of the kept columns compute its column.
    """
    if not laws:
        return ()
    from gramian.laws import computable

    return tuple(computable(laws, model.kept_names).values())
