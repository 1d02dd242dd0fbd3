"""Gram-Schmidt Functional Reduction, Algorithm 2 of the paper."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.linalg import qr

from gramian._base import COUNT, PursuitEstimator, Solver
from gramian._choosers import TopEigenvector
from gramian._decoder import make_decoder
from gramian._extractor import Extractor
from gramian._preparation import Problem, RandomState
from gramian._types import Array
from gramian._validation import largest_of_directions
from gramian.families import Family
from gramian.rows import ArrayRows, Rows


class GFR(Extractor):
    """Gram-Schmidt Functional Reduction: PCA that does not pay twice for nonlinear redundancy.

    Directions are extracted one at a time. Each is the direction of largest variance in what is
    left of X after its projections on all functions of the directions so far are subtracted. With
    a linear family (``degree=1``) this is PCA.

    Parameters
    ----------
    n_components : int, float or None, default=None
        The number of directions, or if a float in (0, 1), the share of the total variance that the
        functions of the directions are to explain. With neither `n_components` nor `threshold`,
        95 % of the variance is explained.
    threshold : float or None, default=None
        Stop when no direction has a residual variance above this (ε² in the paper).
    family : str or Family, default="multilinear"
        The functions that count as redundancy: "multilinear", "polynomial", "hermite", "legendre",
        "fourier" or "indicator", of the given `degree`, or an instance from
        :mod:`gramian.families`. "auto" takes "multilinear" or "polynomial", whichever leaves less
        on held-out rows.
    degree : int, "auto" or None, default=2
        The degree of a family given by name; "auto" takes the degree from 1 to 4 that leaves least
        on held-out rows (see `path`).
    alpha : float or "auto", default=0
        Shrinkage: the ridge penalty of every function but the variables themselves, functions
        being scaled to norm one. 0 is the paper's least squares, infinity PCA. With
        "auto", held-out rows decide after every step, among values from 0 to infinity. All of them
        share one set of sums over rows.
    validation_fraction : float or None, default=None
        The share of rows to hold out, on which residual variances are measured as well. By default
        a tenth where held-out rows decide on something (`family`, `degree`, `alpha`,
        `early_stopping`), and none elsewhere. Rows that decided on one of the first three take
        part in a last fit, with what they decided on. The directions are
        found anew.
    early_stopping : bool, default=False
        Whether to stop when the total residual variance on held-out rows no longer falls.
    n_iter_no_change : int, default=5
        How many steps without improvement `early_stopping` puts up with.
    tol : float, default=1e-4
        The share of the total variance that counts as an improvement.
    solver : {"auto", "qr", "gram", "moments"}, default="auto"
        How functions are orthogonalized. "qr" keeps orthonormal functions in memory and is accurate
        to rounding. "gram" needs only sums over blocks of rows, is faster on many rows and loses
        accuracy when functions are close to linearly dependent. "moments" is "gram" for monomials
        with every distinct moment computed once, which pays from degree 3 on. "auto" is "qr" up to
        5,000 rows; beyond, each step is done by "gram" or "moments", whichever promises to be
        faster, and all by "qr" if accuracy demands it and the functions fit in 4 GiB.
    max_functions : int or None, default=None
        Stop before the functions, the constant not counted, exceed this number.
    random_state : int, RandomState or None, default=0
        Decides which rows are held out.
    memory_budget : int or None, default=None
        How many bytes rows of files, and what is computed of them, may take; by default 1 GiB.
        Files that need no more than an eighth of it are loaded.
    checkpoint : path or None, default=None
        A folder in which the sums of every step are stored. A fit that was interrupted, begun again
        with the same data and parameters, continues where it was.
    verbose : int, default=0
        1 shows a progress bar if standard error is a terminal; 2 prints a line a step.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        The directions, orthonormal, in the order of extraction. The largest entry of each is
        positive.
    n_components_ : int
        The number of directions.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    residual_variance_ : array of shape (n_components_ + 1,)
        The largest residual variance of any direction before each step and after the last.
    total_residual_variance_ : array of shape (n_components_ + 1,)
        The total residual variance, likewise.
    explained_variance_ratio_ : array of shape (n_components_,)
        The share of the total variance that each step explained.
    gcv_total_residual_variance_ : array of shape (n_components_ + 1,)
        An estimate of the total residual variance on new rows, from those of the fit alone:
        generalized cross-validation divides by (1 - p/N)², where p is the effective number of
        functions and N of rows. It takes the directions as given and the rows as independent, and
        with shrinkage it counts the penalty as residual.
    validation_residual_variance_, validation_total_residual_variance_ : arrays, likewise
        The largest and the total residual variance of held-out rows, where there are any, in a fit
        that they take no part in.
    alpha_ : float
        The penalty, after the last step.
    alpha_path_ : array of shape (n_components_,)
        The penalty after each step.
    family_ : Family
        The family.
    n_functions_ : array of shape (n_components_,)
        The number of functions that each step added.
    n_dropped_functions_ : array of shape (n_components_,)
        The number of functions that each step dropped as combinations of others.
    stop_reason_ : str
        "n_components", "threshold", "explained_variance", "early_stopping", "saturated" (the
        functions span all samples), "exhausted" (nothing but rounding errors is left) or
        "max_functions".
    solver_ : {"qr", "gram", "moments"}
        The solver that was used; "moments" if it was for any step.
    orthogonality_loss_ : float
        How far the functions are from orthonormal: measured for "qr", and otherwise machine
        precision times an estimate of the Gram matrix's condition.
    degrees_of_freedom_ : array of shape (n_components_ + 1,)
        The effective number of functions, the constant among them, before each step and after the
        last. Without shrinkage it is their number.
    n_samples_ : int
        The number of samples that took part in the fit.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features, where X has any.

    See Also
    --------
    GCA : Drops principal components that are functions of others.
    GFS : The same idea, selecting features.

    Notes
    -----
    The features are centred, not scaled: standardize them first if their units differ.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from gramian import GFR
    >>> X, _ = load_digits(return_X_y=True)
    >>> gfr = GFR(n_components=0.9).fit(X)
    >>> gfr.n_components_  # PCA needs 21
    15
    """

    _default_explained = True
    _covariance = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_components": [*COUNT, None],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        threshold: float | None = None,
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
        self.n_components = n_components
        self.threshold = threshold
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

    def _fit(self, problem: Problem) -> None:
        rows, basis = row_space(problem.rows)
        scale = float(problem.centring.scale[0])
        covariance = rows.covariance()
        fit = self._pursue(
            replace(problem, rows=rows),
            lambda n_penalties: TopEigenvector(
                covariance,
                unit=scale**2,
                threshold=self.threshold if problem.repeated is None else None,
                lift=lambda vector: vector if basis is None else vector @ basis,
                n_penalties=n_penalties,
            ),
            self._limits(problem.repeated),
            lambda n_penalties: problem.watch(
                scale,
                n_penalties,
                axes=None if basis is None else (basis.T, basis),
                largest=largest_of_directions,
            ),
        )
        directions = np.reshape(fit.chooser.directions, (-1, rows.n_columns))
        self.components_ = directions if basis is None else directions @ basis
        self._record_fit(rows, fit)
        variances = covariance.diagonal()
        if basis is not None:
            symmetric = np.tril(covariance) + np.tril(covariance, -1).T
            variances = np.einsum("ij,ij->j", basis, symmetric @ basis)
        self._variances = scale**2 * variances
        steps = fit.orthogonalizer.steps
        self._decoder = make_decoder(
            fit.orthogonalizer,
            units=[scale * step.direction.deviation for step in steps],
            to_columns=np.full(rows.n_columns, scale) if basis is None else scale * basis,
        )


def row_space(rows: Rows) -> tuple[Rows, Array | None]:
    """Express a table with more columns than rows in an orthonormal basis of its rows' span.

    All that matters of X happens in that span, and the algorithms for directions are equivariant
    under rotation, so that no matrix larger than n_rows by n_rows is needed.
    """
    if rows.n_columns <= rows.n_rows or not isinstance(rows, ArrayRows):
        return rows, None
    q, r = qr(rows.x.T, mode="economic", check_finite=False)
    return ArrayRows(np.ascontiguousarray(r.T), rows.root), np.ascontiguousarray(q.T)
