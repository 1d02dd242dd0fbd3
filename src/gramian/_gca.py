"""Gram-Schmidt Component Analysis, Algorithm 3 of the paper."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_array

from gramian._base import COUNT, PursuitEstimator, Solver
from gramian._choosers import LargestOriginal
from gramian._eigen import orient
from gramian._extractor import Extractor
from gramian._gfr import row_space
from gramian._types import Array
from gramian.families import Family
from gramian.rows import ArrayRows

CONSTANT = 1e-24
"""A direction with less than this share of the largest variance has nothing but rounding errors."""


class GCA(Extractor):
    """Gram-Schmidt Component Analysis: drops principal components that are functions of others.

    The directions of an orthonormal basis are kept in the order of their variance. Those along
    which functions of the kept components leave less variance than the threshold are redundant.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Keep no more than so many directions, or if a float in (0, 1), stop when functions of the
        kept components explain this share of the total variance.
    threshold : float or None, default=1e-4
        A direction is redundant when its residual variance is below this (ε in the paper). None
        makes only those redundant of which nothing but rounding errors is left.
    basis : "pca" or array of shape (n_features, n_features), default="pca"
        The principal directions, or the rows of an orthonormal matrix.
    relative : bool, default=False
        Whether the threshold is a share of each direction's own variance: with 1e-3, a direction is
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
    components_ : array of shape (n_components_, n_features)
        The directions that were kept, in the order of their variance.
    component_indices_ : array of shape (n_components_,)
        Their indices in the basis.
    redundant_indices_ : array
        The indices of the directions that were not kept and have less residual variance than the
        threshold, in increasing order.
    basis_ : array of shape (n_directions, n_features)
        The basis. Of principal directions there are no more than samples.
    n_components_ : int
        The number of directions.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    residual_variance_ : array of shape (n_components_ + 1,)
        The largest residual variance of a direction of the basis, before each step and
        after the last.
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
    GFA : The same idea for the features themselves.
    GFR : Extracts new directions instead of choosing among given ones.

    Notes
    -----
    The features are centred, not scaled: standardize them first if their units differ.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GCA
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.choice([-1, 1], (2, 1000)) * rng.uniform(1, 2, (2, 1000))
    >>> rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    >>> X = np.column_stack([3 * a, 2 * b, 0.1 * a * b]) @ rotation
    >>> GCA(threshold=0.01).fit(X).n_components_
    2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_components": [*COUNT, None],
        "basis": [StrOptions({"pca"}), "array-like"],
        "relative": ["boolean"],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        threshold: float | None = 1e-4,
        basis: Literal["pca"] | ArrayLike = "pca",
        relative: bool = False,
        family: str | Family = "multilinear",
        degree: int | None = 2,
        solver: Solver = "auto",
        max_functions: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.threshold = threshold
        self.basis = basis
        self.relative = relative
        self.family = family
        self.degree = degree
        self.solver = solver
        self.max_functions = max_functions
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find out which directions are redundant.

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
        self : GCA
            The fitted estimator.
        """
        rows, centring = self._centre(X, sample_weight, "table")
        if isinstance(self.basis, str):
            self.basis_ = principal_directions(rows)
        else:
            self.basis_ = self._check_basis(self.basis)
        rows = rows.rotate(self.basis_)
        deviations = np.linalg.norm(rows.x, axis=0)
        varies = deviations**2 > CONSTANT * deviations.max() ** 2
        rows.x /= np.where(varies, deviations, 1.0)
        variances = np.where(varies, (centring.scale[0] * deviations) ** 2, 0.0)
        chooser, trace, orthogonalizer = self._pursue(
            rows,
            lambda: LargestOriginal(variances, varies, self.threshold, self.relative),
            self._limits(),
        )
        self.component_indices_ = np.array(chooser.chosen, dtype=np.intp)
        self.components_ = self.basis_[self.component_indices_]
        self.redundant_indices_ = chooser.redundant
        self._record(trace, rows.n_rows, orthogonalizer)
        return self

    def _check_basis(self, basis: ArrayLike) -> Array:
        checked: Array = check_array(basis, dtype=np.float64, input_name="basis")
        d = self.n_features_in_
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


def principal_directions(rows: ArrayRows) -> Array:
    """Return the principal directions by rows, in the order of decreasing variance."""
    rows, basis = row_space(rows)
    directions = eigh(rows.covariance(), check_finite=False)[1].T[::-1]
    if basis is not None:
        directions = directions @ basis
    return np.array([orient(direction) for direction in directions])
