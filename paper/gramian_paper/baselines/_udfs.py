"""Unsupervised Discriminative Feature Selection."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from sklearn.neighbors import NearestNeighbors

from gramian_paper._sklearn import Interval
from gramian_paper._types import Array, IntArray
from gramian_paper.baselines._ranking import COUNT, Labels, Ranking, largest_first
from gramian_paper.baselines._scores import VARIANT, Variant

SMALLEST_ROW = 1e-16
"""Norm below which a row of the weights counts as zero."""


class UDFS(Ranking):
    """Columns that matter most to a projection that keeps neighbourhoods apart.

    Minimizes Tr(WᵀMW) + γ Σ_j ‖w_j‖ over WᵀW = I, with w_j the row of W that belongs to column j,
    by iterated eigenvectors; a column's score is ‖w_j‖. M = Xᵀ(Σ_i S_i H B_i H S_iᵀ)X sums what
    the neighbourhood of each row, centred by H, says of its discrimination:
    B_i = (X̃_iᵀX̃_i + γI)⁻¹, and S_i puts it in the neighbours' places.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    variant : {"skfeature", "published"}, default="skfeature"
        As the package skfeature-chappers, which the paper used, has it: all B_i are summed at the
        places of the first rows' neighbours, whatever i is. Or as published.
    gamma : float, default=0.1
        The weight of the penalty, and of I in B_i; the package's default.
    n_clusters : int, default=5
        The number of columns of W; the package's default.
    n_neighbors : int, default=5
        The number of neighbours of each row; the package's default.
    max_iter : int, default=1000
        The largest number of iterations.

    Attributes
    ----------
    n_iter_ : int
        The number of iterations.
    objective_ : array of shape (n_iter,)
        What was minimized, after every iteration.

    Notes
    -----
    The package itself sums a dense matrix of n_samples² entries for every sample. This is the same
    arithmetic on the neighbours' entries alone.

    In the package's variant, the rank of M is at most `n_neighbors`. With more columns than that
    and `n_clusters` together, the first W is any basis of vectors for which M is 0: what is
    selected is then left to the rounding errors of the computer, in the package as here.

    References
    ----------
    Y. Yang, H. T. Shen, Z. Ma, Z. Huang and X. Zhou, "ℓ2,1-norm regularized discriminative feature
    selection for unsupervised learning", International Joint Conference on Artificial
    Intelligence, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import UDFS
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> len(UDFS(3).fit(X).selected_features_)
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "variant": [VARIANT],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_clusters": [COUNT],
        "n_neighbors": [COUNT],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int = 1,
        *,
        variant: Variant = "skfeature",
        gamma: float = 0.1,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        max_iter: int = 1000,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.variant = variant
        self.gamma = gamma
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        M = self._discrimination(X)
        d = X.shape[1]
        last = min(self.n_clusters, d) - 1
        penalties = np.ones(d)
        norms = np.zeros(d)
        objective: list[float] = []
        while len(objective) < self.max_iter:
            _, W = linalg.eigh(M + self.gamma * np.diag(penalties), subset_by_index=[0, last])
            norms = np.linalg.norm(W, axis=1)
            penalties = 0.5 / np.maximum(norms, SMALLEST_ROW)
            objective.append(float(np.sum(W * (M @ W)) + self.gamma * norms.sum()))
            if len(objective) > 1 and abs(objective[-1] - objective[-2]) < 1e-3:
                break
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        return largest_first(norms)

    def _discrimination(self, X: Array) -> Array:
        """Return M."""
        n = len(X)
        size = min(self.n_neighbors + 1, n)  # with the row itself
        places = NearestNeighbors(n_neighbors=size).fit(X).kneighbors(X, return_distance=False)
        centring = np.eye(size) - 1 / size
        local = X[places] - X[places].mean(axis=1, keepdims=True)
        grams = local @ local.transpose(0, 2, 1)
        blocks = centring @ np.linalg.inv(grams + self.gamma * np.eye(size)) @ centring
        if self.variant == "skfeature":
            # One matrix S for all rows: its column q marks the neighbours of row q.
            marks = np.zeros((n, size))
            for q in range(size):
                marks[places[q], q] = 1
            projected = X.T @ marks
            skewed: Array = projected @ blocks.sum(axis=0) @ projected.T
            return skewed
        shape = (n, size, size)
        rows = np.broadcast_to(places[:, :, None], shape)
        columns = np.broadcast_to(places[:, None, :], shape)
        total = sparse.coo_array(
            (blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n)
        ).tocsr()
        published: Array = X.T @ (total @ X)
        return published
