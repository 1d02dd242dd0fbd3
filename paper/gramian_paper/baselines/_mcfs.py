"""Multi-Cluster Feature Selection."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lars
from sklearn.utils import check_random_state

from gramian_paper._types import Array, IntArray
from gramian_paper.baselines._graph import degrees, neighbour_graph
from gramian_paper.baselines._packages import load
from gramian_paper.baselines._ranking import COUNT, Labels, Ranking, largest_first
from gramian_paper.baselines._scores import VARIANT, Variant


class MCFS(Ranking):
    """Columns from which the clusters of the data can be predicted linearly.

    The clusters are the eigenvectors of a graph of nearest neighbours, as in spectral clustering:
    Ly = λDy for the smallest λ but the trivial one. Each is regressed on the columns by least
    angles until as many columns as are to be selected have a coefficient; a column's score is its
    largest coefficient.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    variant : {"skfeature", "published"}, default="skfeature"
        By the package skfeature-chappers, which the paper used, with its default graph: all rows
        are scaled to length 1 before anything else, and a coefficient counts only if it is
        positive, although the signs of eigenvectors are arbitrary. It takes n_samples³ operations.
        Or as published: rows are not scaled, and the magnitudes of coefficients count; the sparse
        graph makes this much faster.
    n_clusters : int, default=5
        The number of eigenvectors, the package's default; the authors recommend the number of
        classes, where that is known.
    n_neighbors : int, default=5
        The number of nearest rows to which each is connected, with weights 0 and 1. The package's
        default, and the only number for that variant.
    random_state : int, RandomState or None, default=None
        Where the search for eigenvectors starts.

    Notes
    -----
    Where the graph falls into more than n_clusters parts, any basis of the parts' indicators is a
    set of eigenvectors, and the selection depends on which of them is found.

    References
    ----------
    D. Cai, C. Zhang and X. He, "Unsupervised feature selection for multi-cluster data", ACM SIGKDD
    Conference on Knowledge Discovery and Data Mining, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import MCFS
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([-1, 1], 100) + 0.1 * rng.standard_normal(200)
    >>> X = np.column_stack([rng.standard_normal((200, 2)), 3 * groups])
    >>> MCFS(1, variant="published", n_clusters=1).fit(X).selected_features_
    array([2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "variant": [VARIANT],
        "n_clusters": [COUNT],
        "n_neighbors": [COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int = 1,
        *,
        variant: Variant = "skfeature",
        n_clusters: int = 5,
        n_neighbors: int = 5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.variant = variant
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        n_clusters = min(self.n_clusters, len(X) - 1)
        with warnings.catch_warnings():
            # Least angles stop early, with a warning for each eigenvector, if the columns of X are
            # dependent; columns that were not reached correctly have the coefficient 0.
            warnings.simplefilter("ignore", ConvergenceWarning)
            if self.variant == "skfeature":
                return self._by_package(X, n_clusters)
            targets = embedding(
                neighbour_graph(X, self.n_neighbors + 1), n_clusters, self.random_state
            )
            return largest_first(coefficients(X, targets, self.n_features_to_select))

    def _by_package(self, X: Array, n_clusters: int) -> IntArray:
        package = load("skfeature.function.sparse_learning_based.MCFS", "skfeature-chappers")
        if self.n_neighbors != 5:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} needs variant='published'; the package's own "
                "graph has 5 neighbours."
            )
        # A copy, since the package scales the rows of its input in place.
        scores: Array = package.mcfs(
            X.copy(),
            n_selected_features=self.n_features_to_select,
            n_clusters=n_clusters,
            mode="raw",
        ).max(axis=1)
        return largest_first(scores)


def embedding(W: Any, n_clusters: int, random_state: int | np.random.RandomState | None) -> Array:
    """Solve Ly = λDy for the smallest λ except the trivial one.

    These are y = D^(-1/2) u with u the eigenvectors of D^(-1/2) W D^(-1/2) of the largest
    eigenvalues, 1 − λ. The trivial one, y = 1, is known and moved to the other end of the
    spectrum: where the graph falls into parts, λ = 0 has more solutions, and a solver would mix it
    into them.
    """
    scale = 1 / np.sqrt(degrees(W))
    matrix = sparse.diags_array(scale) @ W @ sparse.diags_array(scale)
    trivial = (1 / scale) / np.linalg.norm(1 / scale)
    n = len(scale)
    if n_clusters + 1 < n // 2:
        start = check_random_state(random_state).uniform(-1, 1, n)
        moved = LinearOperator(
            (n, n), dtype=np.float64, matvec=lambda u: matrix @ u - 2 * trivial * (trivial @ u)
        )
        values, vectors = eigsh(moved, k=n_clusters, which="LA", v0=start)
        vectors = vectors[:, np.argsort(-values)]
    else:
        dense = matrix.toarray() - 2 * np.outer(trivial, trivial)
        _, vectors = linalg.eigh(dense, subset_by_index=[n - n_clusters, n - 1])
        vectors = vectors[:, ::-1]
    targets: Array = scale[:, None] * vectors
    return targets


def coefficients(X: Array, targets: Array, n_nonzero: int) -> Array:
    """Regress each target on the columns; return each column's largest absolute coefficient."""
    fits = [Lars(n_nonzero_coefs=n_nonzero).fit(X, target).coef_ for target in targets.T]
    largest: Array = np.max(np.abs(fits), axis=0)
    return largest
