"""Locality Preserving Projections."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from gramian_paper._sklearn import Interval
from gramian_paper._types import Array
from gramian_paper.baselines._graph import degrees, laplacian_times, neighbour_graph


class LPP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Locality Preserving Projections: linear coordinates in which neighbours stay close.

    With W the weights of a graph of nearest neighbours, D their row sums and L = D − W, the
    directions are the solutions of XᵀLX a = λ XᵀDX a with the smallest λ, scaled to aᵀXᵀDXa = 1.
    Where XᵀDX is singular (fewer rows than columns, constant columns), they are sought in the
    span of the rows of X, as with the PCA step that the authors recommend; no ridge is added.

    The defaults are those of the package lpproj, which the paper used: 0/1 weights and 5
    neighbours, the row itself being one of them; they give the paper's accuracies on COIL-20 and
    USPS to the last digit. Nothing is centred: XᵀDX, and with it the
    directions, depend on the means of the columns, so standardize first, as the paper does.

    Parameters
    ----------
    n_components : int, default=2
        The number of directions.
    n_neighbors : int, default=5
        The number of nearest rows to which each is connected, itself included.
    width : float or None, default=None
        None for weights 0 and 1; otherwise they are ``exp(-distance**2 / width**2)``.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The directions a, by increasing λ. The entry of largest magnitude of each is positive.
    eigenvalues_ : array of shape (n_components,)
        Their λ.
    rank_ : int
        The dimension of the span of the rows, in which the directions were sought.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features, where X has any.

    References
    ----------
    X. He and P. Niyogi, "Locality preserving projections", Advances in Neural Information
    Processing Systems 16, 2003.

    Examples
    --------
    A direction in which there are two groups, and one with more variance but no groups:

    >>> import numpy as np
    >>> from gramian_paper.baselines import LPP
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([-1, 1], 100) + 0.1 * rng.standard_normal(200)
    >>> X = np.column_stack([3 * rng.standard_normal(200), 5 * groups])
    >>> lpp = LPP(1).fit(X)
    >>> np.abs(lpp.components_).argmax()
    np.int64(1)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "width": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 5, width: float | None = None
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.width = width

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : None
            Ignored.

        Returns
        -------
        self : LPP
            The fitted estimator.
        """
        self._validate_params()
        table: Array = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        left, singular, right = linalg.svd(table, full_matrices=False)
        tolerance = max(table.shape) * np.finfo(np.float64).eps
        self.rank_ = int(np.count_nonzero(singular > tolerance * singular[0]))
        if self.n_components > self.rank_:
            raise ValueError(
                f"n_components={self.n_components} is more than the {self.rank_} dimensions that "
                f"the rows of X span; give at most {self.rank_}."
            )

        # In the orthonormal basis U of X = U S Vᵀ the matrix of the constraint, UᵀDU, is as well
        # conditioned as D, for any scales of the columns; a = V S⁻¹ b gives the directions.
        basis: Array = left[:, : self.rank_]
        W = neighbour_graph(table, self.n_neighbors, self.width)
        values, vectors = linalg.eigh(
            basis.T @ laplacian_times(W, basis),
            basis.T @ (degrees(W)[:, None] * basis),
            subset_by_index=[0, self.n_components - 1],
        )
        components = (vectors / singular[: self.rank_, None]).T @ right[: self.rank_]
        largest = np.abs(components).argmax(axis=1)
        components *= np.sign(components[np.arange(len(components)), largest])[:, None]
        self.components_: Array = components
        self.eigenvalues_: Array = values
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Project X on the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The coordinates.
        """
        check_is_fitted(self)
        table: Array = validate_data(self, X, dtype=np.float64, reset=False)
        return table @ self.components_.T
