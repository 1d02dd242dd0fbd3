"""Gram-Schmidt Functional Reduction, Algorithm 2 of the paper."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr

from gramian._base import COUNT, PursuitEstimator, Solver
from gramian._choosers import TopEigenvector
from gramian._extractor import Extractor
from gramian._types import Array
from gramian.families import Family
from gramian.rows import ArrayRows


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
        :mod:`gramian.families`.
    degree : int or None, default=2
        The degree of a family given by name.
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
        Whether to print a line a step.

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
    n_functions_ : array of shape (n_components_,)
        The number of functions that each step added.
    n_dropped_functions_ : array of shape (n_components_,)
        The number of functions that each step dropped as combinations of others.
    stop_reason_ : str
        "n_components", "threshold", "explained_variance", "saturated" (the functions span all
        samples), "exhausted" (nothing but rounding errors is left) or "max_functions".
    solver_ : {"qr", "gram", "moments"}
        The solver that was used; "moments" if it was for any step.
    orthogonality_loss_ : float
        How far the functions are from orthonormal: measured for "qr", and otherwise machine
        precision times an estimate of the Gram matrix's condition.
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
        degree: int | None = 2,
        solver: Solver = "auto",
        max_functions: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.threshold = threshold
        self.family = family
        self.degree = degree
        self.solver = solver
        self.max_functions = max_functions
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Extract directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples in every expectation; an integer weight is as good as so many
            copies of the row.

        Returns
        -------
        self : GFR
            The fitted estimator.
        """
        rows, centring = self._centre(X, sample_weight, "table")
        rows, basis = row_space(rows)
        covariance = rows.covariance()
        chooser, trace, orthogonalizer = self._pursue(
            rows,
            lambda: TopEigenvector(
                covariance,
                unit=float(centring.scale[0]) ** 2,
                threshold=self.threshold,
                lift=lambda vector: vector if basis is None else vector @ basis,
            ),
            self._limits(),
        )
        directions = np.reshape(chooser.directions, (-1, rows.n_columns))
        self.components_ = directions if basis is None else directions @ basis
        self._record(trace, rows.n_rows, orthogonalizer)
        return self


def row_space(rows: ArrayRows) -> tuple[ArrayRows, Array | None]:
    """Express a table with more columns than rows in an orthonormal basis of its rows' span.

    All that matters of X happens in that span, and the algorithms for directions are equivariant
    under rotation, so that no matrix larger than n_rows by n_rows is needed.
    """
    if rows.n_columns <= rows.n_rows:
        return rows, None
    q, r = qr(rows.x.T, mode="economic", check_finite=False)
    return ArrayRows(np.ascontiguousarray(r.T), rows.root), np.ascontiguousarray(q.T)
