"""Gram-Schmidt Component Analysis, Algorithm 3 of the paper."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.utils.validation import check_array

from gramian._support.scikit_learn import StrOptions
from gramian._support.types import Array, IntArray
from gramian.core.elimination import Preferences
from gramian.core.pursuit import LargestOriginal, largest_of_columns, make_decoder, orient
from gramian.core.rows import Rows
from gramian.estimators._elimination_fit import (
    CONSTRAINTS,
    EliminationCandidates,
    Threshold,
    check_elimination,
    check_published,
    drop_redundant,
    threshold_of,
)
from gramian.estimators._extractor import Extractor
from gramian.estimators._gfr import row_space
from gramian.estimators._parameter_docs import DIRECTIONS, documented
from gramian.estimators._pursuit_estimator import COUNT, PursuitEstimator
from gramian.families import Family
from gramian.fitting import (
    MOST_WRONG,
    Algorithm,
    CheckedData,
    Dropping,
    FittedModel,
    KeptComponents,
    Problem,
    RandomState,
    RedundancySearch,
    Request,
    Solver,
    in_table_units,
    run,
)


@documented(
    DIRECTIONS,
    linear="linear redundancy only",
    last_fit="The choice of\n    directions is kept.",
    robust=" With ``backward=True``, rows are\n    trimmed that break a function of components "
    "which the others obey.",
)
class GCA(Extractor):
    """Gram-Schmidt Component Analysis: drops principal components that are functions of others.

    GCA begins with all directions of an orthonormal basis. It drops, one after the other,
    directions along which functions of the remaining components explain the data, on rows that are
    left out of the fit. With ``backward=False`` GCA is the published algorithm.

    Parameters
    ----------
    n_components : int, float or None, default=None
        The largest number of directions to keep, or if a float in (0, 1), the share of the total
        variance at which no more directions are kept. By default all directions that are not
        redundant are kept.
    threshold : float, "auto" or None, default="auto"
        The largest residual variance of a redundant direction: a share of the direction's variance,
        so that 0.001 asks for R² ≥ 0.999, or if not `relative` a variance (ε in the paper). "auto"
        is 0.001, or a variance of 0.0001 if not `relative`. With None, only directions that are
        explained up to rounding errors are redundant.
    basis : "pca" or array of shape (n_features, n_features), default="pca"
        The principal directions, or the rows of an orthonormal matrix.
    relative : bool or None, default=None
        True if the threshold is a share of each direction's own variance. By default True with
        ``backward=True``, which needs a share, otherwise False.
    backward : bool, default=True
        True to begin with all directions and drop directions that functions of others explain.
        The threshold must hold for rows that are left out of the fit that explains them. False is
        the published algorithm, which keeps directions in the order of their variance.
    prove : bool, default=False
        True to search all sets of up to 20 directions for a smaller set to keep;
        ``elimination_.minimal`` is "proved" if none exists. For ``backward=True``.
    <parameters>

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        The kept directions. The direction that explains most comes first, or with
        ``backward=False`` the direction of largest variance.
    component_indices_ : array of shape (n_components_,)
        The indices of the kept directions in the basis.
    redundant_indices_ : array
        The indices of the directions whose residual variance is at most the threshold, in
        increasing order. If `n_components` is None, all directions that were not kept.
    elimination_ : Selection
        With ``backward=True``: the order in which directions were dropped, and the residual share
        of each on left-out rows. See :class:`gramian.results.Selection`.
    basis_ : array of shape (n_directions, n_features)
        The basis; at most as many principal directions as samples.
    n_components_ : int
        The number of directions.
    <attributes>

    See Also
    --------
    GFA : Drops features that are functions of others.
    GFR : Extracts new directions instead of choosing among given ones.

    Notes
    -----
    The features are centred, and scaled only with ``scale=True``: set it if their units differ. The
    directions are then directions of the scaled features.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GCA
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.choice([-1, 1], (2, 1000)) * rng.uniform(1, 2, (2, 1000))
    >>> rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    >>> X = np.column_stack([3 * a, 2 * b, 0.1 * a * b]) @ rotation
    >>> GCA().fit(X).n_components_
    2
    """

    basis_: Array
    component_indices_: IntArray
    redundant_indices_: IntArray
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        **CONSTRAINTS,
        "n_components": [*COUNT, None],
        "basis": [StrOptions({"pca"}), "array-like"],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        threshold: Threshold = "auto",
        basis: Literal["pca"] | ArrayLike = "pca",
        relative: bool | None = None,
        backward: bool = True,
        prove: bool = False,
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
        self.n_components = n_components
        self.threshold = threshold
        self.basis = basis
        self.relative = relative
        self.backward = backward
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
        return threshold_of(self.threshold, self.relative, backward=self.backward)

    @property
    def _search_cost(self) -> dict[str, Any]:
        return {"covariance": self.backward, "eliminates": self.backward}

    def _algorithm(self, data: CheckedData) -> Algorithm:
        if self.backward:
            check_elimination(self._threshold[0], self.relative)
        else:
            check_published(prove=self.prove)
        fit = partial(keep_components, given=self.basis, backward=self.backward, prove=self.prove)
        dropping = Dropping(MOST_WRONG, partial(basis_of, given=self.basis))
        return Algorithm(
            fit,
            repeats=True,
            leaves_rows_out=self.backward,
            covariance=True,
            dropping=dropping if self.backward else None,
        )

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        kept, search = model.kept, model.search
        assert isinstance(kept, KeptComponents)
        assert isinstance(search, RedundancySearch)
        return {
            **super()._attributes(model),
            "basis_": kept.basis,
            "component_indices_": kept.chosen,
            "redundant_indices_": search.redundant,
        }


def keep_components(
    problem: Problem,
    request: Request,
    given: Literal["pca"] | ArrayLike,
    *,
    backward: bool = False,
    prove: bool = False,
) -> FittedModel:
    """Choose among the directions of a basis, and return the fitted model.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    request : Request
        The parameters of the fit.
    given : "pca" or array
        The basis.
    backward, prove : bool
        The parameters of :class:`GCA`.
    """
    axes, prefix = basis_of(problem, given), "pc" if isinstance(given, str) else "basis"
    rows, deviations = problem.rows.rotate(axes)
    varies = deviations > 0
    deviations = np.where(varies, deviations, 1.0)
    unit = float(problem.unit[0])  # equal for all columns
    scale = unit * deviations
    variances = np.where(varies, scale**2, 0.0)
    if isinstance(given, str):  # principal components are uncorrelated
        of_columns = np.einsum("i,ij->j", variances / unit**2, axes**2)
    else:
        of_columns = problem.rows.residual_covariance().diagonal()

    def fit(request: Request) -> FittedModel:
        pursued = run(
            problem,
            request,
            rows,
            LargestOriginal(
                variances,
                varies,
                request.threshold,
                request.relative,
                len(request.alphas),
                request.prescribed,
            ),
            problem.watch(
                unit,
                len(request.alphas),
                axes=(axes.T / deviations, deviations[:, np.newaxis] * axes),
                largest=lambda residuals: largest_of_columns(residuals.rotate(axes)),
            ),
        )
        chosen = np.array(pursued.chooser.chosen, dtype=np.intp)
        # Rounding errors along a constant column would decide which rows are far from the fit.
        units = problem.centring.scale * problem.centring.varies
        to_columns = deviations[:, np.newaxis] * axes * units
        return FittedModel(
            algorithm=request.algorithm,
            names=problem.names,
            mean=problem.centring.mean,
            scale=problem.scale,
            kept=KeptComponents(
                chosen, axes[chosen], in_table_units(axes[chosen], problem.scale), axes, prefix
            ),
            search=RedundancySearch(pursued.chooser.redundant),
            family=request.family,
            record=pursued.record(problem),
            decoder=make_decoder(
                pursued.orthogonalizer,
                scale[chosen],
                to_columns,
                problem.centring.scale**2 * of_columns,
                pursued.effective_n_rows,
            ),
            variances=variances,
        )

    if not backward:
        return fit(request)
    return drop_redundant(
        EliminationCandidates(problem, rows, varies, Preferences(), prove), request, fit
    )


def basis_of(problem: Problem, given: Literal["pca"] | ArrayLike) -> Array:
    """Return the directions among which GCA chooses, one a row.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    given : "pca" or array
        The basis.
    """
    if isinstance(given, str):
        return principal_directions(problem.rows)
    return check_basis(given, problem.rows.n_columns)


def check_basis(basis: ArrayLike, n_columns: int) -> Array:
    """Return the user's basis as an array; raise an error if it is not orthonormal.

    `n_columns` is the number of columns of the table.
    """
    d = n_columns
    checked: Array = check_array(basis, dtype=np.float64, input_name="basis")
    if checked.shape != (d, d):
        problem = f"an array of shape {checked.shape}"
    elif np.abs(checked @ checked.T - np.eye(d)).max() > 1e-8:
        problem = "one whose rows are not orthonormal"
    else:
        return checked
    raise ValueError(
        f"basis must be 'pca' or an orthonormal array of shape ({d}, {d}), one direction a "
        f"row; got {problem}."
    )


def principal_directions(rows: Rows) -> Array:
    """Return the principal directions as rows of a matrix, in the order of decreasing variance."""
    if rows.n_columns > rows.n_rows:
        rows = rows.dense()  # the directions take as much memory
    rows, basis = row_space(rows)
    directions = eigh(rows.covariance(), check_finite=False)[1].T[::-1]
    if basis is not None:
        directions = directions @ basis
    return np.array([orient(direction) for direction in directions])
