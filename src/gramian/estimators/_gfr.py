"""Gram-Schmidt Functional Reduction, Algorithm 2 of the paper."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr
from sklearn.utils import check_array

from gramian._support.types import Array
from gramian.core.pursuit import TopEigenvector, largest_of_directions, make_decoder
from gramian.core.rows import CONSTANT, ArrayRows, Rows
from gramian.estimators._extractor import Extractor
from gramian.estimators._parameter_docs import DIRECTIONS, documented
from gramian.estimators._pursuit_estimator import COUNT, PursuitEstimator
from gramian.families import Family
from gramian.fitting import (
    Algorithm,
    CheckedData,
    FittedModel,
    GreedySearch,
    KeptDirections,
    Problem,
    RandomState,
    Request,
    Solver,
    in_table_units,
    run,
)


@documented(DIRECTIONS, linear="PCA", last_fit="The directions are\n    found anew.")
class GFR(Extractor):
    """Gram-Schmidt Functional Reduction: PCA that does not pay twice for nonlinear redundancy.

    Directions are extracted one at a time. Each step adds the direction of largest residual
    variance: the variance of X after its projections on all functions of the directions so far are
    subtracted. With a linear family (``degree=1``) GFR is PCA.

    Parameters
    ----------
    n_components : int, float or None, default=None
        The number of directions, or if a float in (0, 1), the share of the total variance that the
        functions of the directions are to explain. With neither `n_components` nor `threshold`,
        95 % of the variance is explained.
    threshold : float or None, default=None
        Stop when no direction has a residual variance above this number (ε² in the paper).
    given : array-like of shape (n_given, n_features) or None, default=None
        Directions to begin with, one per row, of any length. They need not be orthogonal. If
        `n_components` equals their number, no direction is added: the fit only learns to
        reconstruct X from them.
    <parameters>

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        The directions, orthonormal, in the order of extraction. The largest entry of each is
        positive. Directions from `given` come first, scaled to length 1.
    n_components_ : int
        The number of directions.
    <attributes>

    See Also
    --------
    GCA : Drops principal components that are functions of others.
    GFS : Selects features in place of directions.

    Notes
    -----
    The features are centred, and scaled only with ``scale=True``: set it if their units differ. The
    directions are then directions of the scaled features.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from gramian import GFR
    >>> X, _ = load_digits(return_X_y=True)
    >>> gfr = GFR(n_components=0.9).fit(X)
    >>> gfr.n_components_  # PCA needs 21
    15

    With `given`, compare functions of six principal components and functions of six random
    projections by the share of variance that they explain.

    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> principal = PCA(6).fit(X).components_
    >>> by_chance = np.random.default_rng(0).standard_normal((6, 64))
    >>> [round(GFR(6, given=given).fit(X).score(X), 2) for given in (principal, by_chance)]
    [0.66, 0.45]
    """

    _default_explained = True
    _in_row_space = True
    _search_cost: ClassVar[dict[str, Any]] = {"covariance": True}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_components": [*COUNT, None],
        "given": ["array-like", None],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        threshold: float | None = None,
        given: ArrayLike | None = None,
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

    def _algorithm(self, data: CheckedData) -> Algorithm:
        return Algorithm(partial(extract, given=self.given), covariance=True)


def extract(problem: Problem, request: Request, given: ArrayLike | None = None) -> FittedModel:
    """Find directions one by one, and return the fitted model.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    request : Request
        The parameters of the fit.
    given : array-like, optional
        Directions to begin with.
    """
    first = None if given is None else check_directions(given, problem, request.limits.n_steps)
    rows, basis = row_space(problem.rows)
    unit = float(problem.unit[0])  # equal for all columns
    covariance = rows.residual_covariance()
    begin = first if first is None or basis is None else first @ basis.T
    for n, vector in enumerate([] if begin is None else begin):
        if vector @ covariance.times(vector) <= CONSTANT * covariance.trace:
            raise ValueError(
                f"X does not vary along direction {n} of `given`. Leave that direction out."
            )
    pursued = run(
        problem,
        request,
        rows,
        TopEigenvector(
            covariance,
            unit=unit**2,
            threshold=request.threshold,
            lift=lambda vector: vector if basis is None else vector @ basis,
            n_penalties=len(request.alphas),
            given=begin,
        ),
        problem.watch(
            unit,
            len(request.alphas),
            axes=None if basis is None else (basis.T, basis),
            largest=largest_of_directions,
        ),
    )
    directions = np.reshape(pursued.chooser.directions, (-1, rows.n_columns))
    variances = covariance.diagonal()
    if basis is not None:
        directions = directions @ basis
        lower = covariance.lower()
        symmetric = np.tril(lower) + np.tril(lower, -1).T
        variances = np.einsum("ij,ij->j", basis, symmetric @ basis)
    if first is not None:  # keep the part of given directions outside the span of the rows
        n = min(len(first), len(directions))
        directions[:n] = first[:n]
    scale = problem.centring.scale
    return FittedModel(
        algorithm=request.algorithm,
        names=problem.names,
        mean=problem.centring.mean,
        scale=problem.scale,
        kept=KeptDirections(
            np.arange(len(directions)), directions, in_table_units(directions, problem.scale)
        ),
        search=GreedySearch(),
        family=request.family,
        record=pursued.record(problem),
        decoder=make_decoder(
            pursued.orthogonalizer,
            units=[unit * step.direction.deviation for step in pursued.orthogonalizer.steps],
            to_columns=scale if basis is None else scale * basis,
            variances=scale**2 * variances,
            n_rows=pursued.effective_n_rows,
        ),
        variances=scale**2 * variances,
    )


def check_directions(given: ArrayLike, problem: Problem, n_steps: int | None) -> Array:
    """Check directions that the user gives, and return them scaled to length 1.

    Parameters
    ----------
    given : array-like of shape (n_given, n_columns)
        The directions.
    problem : Problem
        The prepared data.
    n_steps : int or None
        The number of directions of the fit; None if it is not fixed.
    """
    d = problem.rows.n_columns
    found: Array = check_array(given, dtype=np.float64, input_name="given")
    if found.shape[1] != d:
        raise ValueError(
            f"given has rows of {found.shape[1]} numbers, and X has {d} features. Give one "
            f"direction a row, with {d} numbers each."
        )
    if n_steps is not None and len(found) > n_steps:
        raise ValueError(
            f"{len(found)} directions are given, and n_components={n_steps} is less. Give fewer, "
            "or extract more."
        )
    largest = np.abs(found).max(axis=1, keepdims=True)  # squares may exceed float64
    found = found / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    found = found / np.where(lengths > 0, lengths, 1.0)
    for n, rank in enumerate(np.linalg.matrix_rank(found[: i + 1]) for i in range(len(found))):
        if rank <= n:
            raise ValueError(
                f"Direction {n} of `given` is zero or a combination of the directions before it. "
                "Leave that direction out."
            )
    return found


def row_space(rows: Rows) -> tuple[Rows, Array | None]:
    """Express a table with more columns than rows in an orthonormal basis of the span of its rows.

    Return the rows in this basis, and the basis; None as basis if the table has few columns. X has
    no component outside that span, and the algorithms for directions are equivariant under
    rotation. So no matrix larger than n_rows by n_rows is needed.
    """
    if rows.n_columns <= rows.n_rows or not isinstance(rows, ArrayRows):
        return rows, None
    q, r = qr(rows.x.T, mode="economic", check_finite=False)
    inner = ArrayRows(np.ascontiguousarray(r.T), rows.root, rows.groups)
    return inner, np.ascontiguousarray(q.T)
