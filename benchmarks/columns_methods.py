"""Methods that choose a few columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.linalg import qr

from gramian import GFS
from gramian_paper.baselines import available, selector

Array = np.ndarray
Sets = dict[int, list[int]]
"""Sets of columns by their size."""
Method = Callable[[Array, Sequence[int]], Sets]
SEED = 0


def prefixes(order: Sequence[int], sizes: Sequence[int]) -> Sets:
    """Return the first k columns of an order, for each size k."""
    return {k: [int(j) for j in order[:k]] for k in sizes}


def random_columns(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose columns at random."""
    return prefixes(np.random.default_rng(SEED).permutation(X.shape[1]), sizes)


def pivoted_qr(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose the largest residual variance, linearly."""
    return prefixes(qr(X - X.mean(axis=0), mode="r", pivoting=True)[1], sizes)


def cur(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose by the leading right singular vector of the residual (iterated CUR)."""
    left, chosen = X - X.mean(axis=0), []
    for _ in range(max(sizes)):
        _, vectors = np.linalg.eigh(left.T @ left)
        weights = vectors[:, -1] ** 2
        weights[chosen] = -1.0
        j = int(np.argmax(weights))
        chosen.append(j)
        column = left[:, j] / np.linalg.norm(left[:, j])
        left = left - np.multiply.outer(column, column @ left)
    return prefixes(chosen, sizes)


def fps(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose the column farthest from the chosen columns (farthest point sampling)."""
    squares = np.sum(X**2, axis=0)
    chosen = [int(np.argmax(squares))]
    distance = np.full(X.shape[1], np.inf)
    while len(chosen) < max(sizes):
        j = chosen[-1]
        distance = np.minimum(distance, squares + squares[j] - 2 * X[:, j] @ X)
        distance[chosen] = -1.0
        chosen.append(int(np.argmax(distance)))
    return prefixes(chosen, sizes)


def ranking(name: str, **options: Any) -> Method:
    """Return a method of the paper's package that ranks columns."""

    def choose(X: Array, sizes: Sequence[int]) -> Sets:
        found = {}
        for k in sizes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = selector(name, k, random_state=SEED, **options).fit(X)
            found[k] = made.selected_features_.tolist()
        return found

    return choose


def published(degree: int) -> Method:
    """Return GFS as published, by residual variance."""

    def choose(X: Array, sizes: Sequence[int]) -> Sets:
        return prefixes(
            _fit(
                GFS(max(sizes), criterion="variance", degree=degree, alpha=0.0), X
            ).selected_features_,
            sizes,
        )

    return choose


def by_gain(**options: Any) -> Method:
    """Return GFS by gain: the best set of each size from one fit."""

    def choose(X: Array, sizes: Sequence[int]) -> Sets:
        fitted = _fit(GFS(max(sizes), criterion="gain", **options), X)
        return {k: fitted.best_sets_[min(k, len(fitted.best_sets_)) - 1].tolist() for k in sizes}

    return choose


def _fit(estimator: GFS, X: Array) -> GFS:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X)


OURS = "GFS, gain of quadratic functions"
LINEAR = "GFS, linear gain"
FSCA = "FSCA (linear gain, no exchange)"
PUBLISHED = "GFS as published, degree 2"
PIVOTED = "pivoted QR (GFS as published, degree 1)"
METHODS: dict[str, Method] = {
    OURS: by_gain(family="polynomial", alpha="auto"),
    LINEAR: by_gain(degree=1),
    FSCA: by_gain(degree=1, exchange=False),
    PUBLISHED: published(2),
    PIVOTED: pivoted_qr,
    "CUR": cur,
    "FPS": fps,
    **({"fastcan": ranking("fastcan")} if available("fastcan") else {}),
    "MCFS": ranking("mcfs", variant="published"),
    **({"Laplacian score": ranking("laplacian-score")} if available("laplacian-score") else {}),
    "random": random_columns,
}
"""Methods by their names on the page."""
