"""Gram-Schmidt Functional Selection, Algorithm 4 of the paper."""

from __future__ import annotations

from typing import Self

from numpy.typing import ArrayLike

from gramian._base import Solver
from gramian._choosers import LargestResidual
from gramian._selector import Selector
from gramian.families import Family


class GFS(Selector):
    """Gram-Schmidt Functional Selection: the features from which the others can be computed.

    Features are selected one at a time: each is the one with the largest variance in what is left
    of X after its projections on all functions of the features so far are subtracted.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The number of features, or if a float in (0, 1), the share of the total variance that the
        functions of the features are to explain. With neither `n_features_to_select` nor
        `threshold`, 95 % of the variance is explained.
    threshold : float or None, default=None
        Stop when no feature has a residual variance above this (ε² in the paper).
    relative : bool, default=False
        Whether the threshold is a share of each feature's own variance: with 1e-3, a feature is
        redundant when functions of those kept explain it with R² ≥ 0.999.
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
    selected_features_ : array of shape (n_selected,)
        The indices of the selected features, in the order of selection.
    support_ : boolean array of shape (n_features,)
        Which features are selected.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    residual_variance_ : array of shape (n_selected + 1,)
        The largest residual variance of any feature before each step and after the last.
    total_residual_variance_ : array of shape (n_selected + 1,)
        The total residual variance, likewise.
    explained_variance_ratio_ : array of shape (n_selected,)
        The share of the total variance that each step explained.
    n_functions_ : array of shape (n_selected,)
        The number of functions that each step added.
    n_dropped_functions_ : array of shape (n_selected,)
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
    GFA : Keeps all features but those that are functions of others.
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
    """

    _default_explained = True

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        threshold: float | None = None,
        relative: bool = False,
        family: str | Family = "multilinear",
        degree: int | None = 2,
        solver: Solver = "auto",
        max_functions: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.relative = relative
        self.family = family
        self.degree = degree
        self.solver = solver
        self.max_functions = max_functions
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Select features.

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
        self : GFS
            The fitted estimator.
        """
        self._fit(X, sample_weight, LargestResidual)
        return self
