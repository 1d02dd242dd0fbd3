"""The graph of nearest neighbours on which LPP and the spectral selectors are built."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import kneighbors_graph

from gramian_paper._types import Array


def neighbour_graph(X: Array, n_neighbors: int, width: float | None = None) -> Any:
    """Connect each row to its nearest rows.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The data.
    n_neighbors : int
        The number of nearest rows to which each is connected, itself included; no more than there
        are rows.
    width : float or None, default=None
        None for weights 0 and 1; otherwise they are ``exp(-distance**2 / width**2)``.

    Returns
    -------
    W : sparse array of shape (n_samples, n_samples)
        The symmetric weights: two rows are connected if either is a neighbour of the other.
    """
    n_neighbors = min(n_neighbors, len(X))
    mode = "connectivity" if width is None else "distance"
    W = kneighbors_graph(X, n_neighbors, mode=mode, include_self=True)
    if width is not None:
        W.data = np.exp(-((W.data / width) ** 2))
    return W.maximum(W.T).tocsr()


def degrees(W: Any) -> Array:
    """Sum the weights of each row's connections."""
    return np.asarray(W.sum(axis=1), dtype=np.float64).ravel()


def laplacian_times(W: Any, X: Array) -> Array:
    """Multiply the graph's Laplacian, D − W, with the columns of X."""
    product: Array = degrees(W)[:, None] * X - W @ X
    return product
