"""Nonnegative Discriminative Feature Selection."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from gramian_paper._sklearn import Interval
from gramian_paper._types import Array, IntArray
from gramian_paper.baselines._graph import degrees, neighbour_graph
from gramian_paper.baselines._ranking import COUNT, Labels, Ranking, largest_first
from gramian_paper.baselines._scores import VARIANT, Variant

POSITIVE = Interval(Real, 0, None, closed="neither")


class NDFS(Ranking):
    """Columns from which nonnegative cluster indicators can be predicted linearly.

    Minimizes Tr(FᵀLF) + α(‖XW − F‖² + β Σ_j ‖w_j‖) over F ≥ 0, FᵀF = I, with L the Laplacian of a
    graph of nearest neighbours and w_j the row of W that belongs to column j; a column's score is
    ‖w_j‖. F starts with the clusters of k-means, and is updated by multiplication.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    variant : {"skfeature", "published"}, default="skfeature"
        As the package skfeature-chappers, which the paper used, does by default: all rows are
        scaled to length 1 before anything else, and L has the entries (d_i + d_j)/2 − w_ij, where d
        are the row sums of the weights. Or as published: rows are not scaled, and L is the
        normalized Laplacian I − D^(-1/2) W D^(-1/2).
    alpha, beta : float, default=1.0
        The weights in the objective; the package's defaults.
    gamma : float, default=1e9
        The weight of the penalty that makes FᵀF = I; the package's default.
    n_clusters : int, default=5
        The number of columns of F. The package has no default for it here; this is its default
        for MCFS and UDFS.
    n_neighbors : int, default=5
        The number of nearest rows to which each is connected, with weights 0 and 1; the package's
        default.
    max_iter : int, default=1000
        The largest number of iterations; as many as the package's.
    random_state : int, RandomState or None, default=None
        Where k-means starts.

    Attributes
    ----------
    n_iter_ : int
        The number of iterations.
    objective_ : array of shape (n_iter,)
        The objective as the package computes it to see whether it still changes:
        Tr(FᵀMF) + γ/4 ‖FᵀF − I‖, with M = L + α(I − X(XᵀX + βΔ)⁻¹Xᵀ), where Δ makes a quadratic
        function of the sum of norms.

    Notes
    -----
    The package itself makes dense matrices of n_samples² entries in every iteration. This is the
    same arithmetic without them.

    References
    ----------
    Z. Li, Y. Yang, J. Liu, X. Zhou and H. Lu, "Unsupervised feature selection using nonnegative
    spectral analysis", AAAI Conference on Artificial Intelligence, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import NDFS
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([-1, 1], 100) + 0.1 * rng.standard_normal(200)
    >>> X = np.column_stack([rng.standard_normal((200, 2)), 3 * groups])
    >>> NDFS(1, n_clusters=2, random_state=0).fit(X).selected_features_
    array([2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "variant": [VARIANT],
        "alpha": [POSITIVE],
        "beta": [POSITIVE],
        "gamma": [POSITIVE],
        "n_clusters": [COUNT],
        "n_neighbors": [COUNT],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int = 1,
        *,
        variant: Variant = "skfeature",
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1e9,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.variant = variant
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.random_state = random_state

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        rows: Array = normalize(X) if self.variant == "skfeature" else X
        graph = neighbour_graph(rows, self.n_neighbors + 1)
        weights = degrees(graph)
        products = rows.T @ rows
        F = self._initial_clusters(rows)
        penalties = np.ones(rows.shape[1])
        norms = np.zeros(rows.shape[1])
        objective: list[float] = []
        while len(objective) < self.max_iter:
            factor = linalg.cho_factor(products + np.diag(self.beta * penalties + 1e-6))
            W: Array = linalg.cho_solve(factor, rows.T @ F)
            MF = self._laplacian_times(graph, weights, F) + self.alpha * (F - rows @ W)
            norms = np.linalg.norm(W, axis=1)
            penalties = 0.5 / np.maximum(norms, 1e-16)
            F = F * (self.gamma * F / (MF + self.gamma * F @ (F.T @ F)))
            F /= np.linalg.norm(F, axis=0) + 1e-16
            unexplained = F - rows @ linalg.cho_solve(factor, rows.T @ F)
            MF = self._laplacian_times(graph, weights, F) + self.alpha * unexplained
            departure = np.linalg.norm(F.T @ F - np.eye(F.shape[1]))
            objective.append(float(np.sum(F * MF) + self.gamma / 4 * departure))
            if len(objective) > 1 and abs(objective[-1] - objective[-2]) < 1e-3:
                break
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        return largest_first(norms)

    def _initial_clusters(self, rows: Array) -> Array:
        """Return the indicators of the clusters of k-means, scaled to length 1, plus 0.02."""
        n_clusters = min(self.n_clusters, len(rows))
        labels = KMeans(n_clusters, n_init=10, random_state=self.random_state).fit_predict(rows)
        indicators = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
        F: Array = indicators / np.sqrt(np.maximum(indicators.sum(axis=0), 1)) + 0.02
        return F

    def _laplacian_times(self, graph: Any, weights: Array, F: Array) -> Array:
        if self.variant == "skfeature":
            sums = np.outer(np.ones(len(F)), weights @ F) + np.outer(weights, F.sum(axis=0))
            skewed: Array = sums / 2 - graph @ F
            return skewed
        scale = 1 / np.sqrt(weights)[:, None]
        published: Array = F - scale * (graph @ (scale * F))
        return published
