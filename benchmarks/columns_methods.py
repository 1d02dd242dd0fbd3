"""Ways to choose a few columns, and ways to decode all columns from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.linalg import qr

from gramian import GFS
from gramian_paper.baselines import available, selector

Array = np.ndarray
Sets = dict[int, list[int]]
"""Sets of columns by their size."""
Method = Callable[[Array, Sequence[int]], Sets]
PENALTIES = (1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0)
SEED = 0


def prefixes(order: Sequence[int], sizes: Sequence[int]) -> Sets:
    """Return the beginnings of an order of columns."""
    return {k: [int(j) for j in order[:k]] for k in sizes}


def random_columns(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose by chance."""
    return prefixes(np.random.default_rng(SEED).permutation(X.shape[1]), sizes)


def pivoted_qr(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose the largest residual variance, linearly."""
    return prefixes(qr(X - X.mean(axis=0), mode="r", pivoting=True)[1], sizes)


def cur(X: Array, sizes: Sequence[int]) -> Sets:
    """Choose by the leading right singular vector of what is left (iterated CUR)."""
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
    """Choose the column farthest from those chosen (farthest point sampling)."""
    squares = np.sum(X**2, axis=0)
    chosen = [int(np.argmax(squares))]
    distance = np.full(X.shape[1], np.inf)
    while len(chosen) < max(sizes):
        j = chosen[-1]
        distance = np.minimum(distance, squares + squares[j] - 2 * X[:, j] @ X)
        distance[chosen] = -1.0
        chosen.append(int(np.argmax(distance)))
    return prefixes(chosen, sizes)


def ranking(name: str) -> Method:
    """Return a method of the paper's package that ranks columns."""

    def choose(X: Array, sizes: Sequence[int]) -> Sets:
        found = {}
        for k in sizes:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = selector(name, k, random_state=SEED).fit(X)
            found[k] = made.selected_features_.tolist()
        return found

    return choose


def published(degree: int) -> Method:
    """Return GFS as published."""

    def choose(X: Array, sizes: Sequence[int]) -> Sets:
        return prefixes(
            _fit(GFS(max(sizes), degree=degree, alpha=0.0), X).selected_features_, sizes
        )

    return choose


def by_gain(**options: Any) -> Method:
    """Return GFS by gain: the best set of each size, of one fit."""

    def choose(X: Array, sizes: Sequence[int]) -> Sets:
        fitted = _fit(GFS(max(sizes), criterion="gain", **options), X)
        return {k: fitted.best_sets_[min(k, len(fitted.best_sets_)) - 1].tolist() for k in sizes}

    return choose


def _fit(estimator: GFS, X: Array) -> GFS:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X)


OURS = "GFS, gain of quadratic functions"
METHODS: dict[str, Method] = {
    OURS: by_gain(family="polynomial", alpha="auto"),
    "GFS, linear gain": by_gain(degree=1),
    "FSCA (linear gain, no exchange)": by_gain(degree=1, exchange=False),
    "GFS as published, degree 2": published(2),
    "pivoted QR (GFS as published, degree 1)": pivoted_qr,
    "CUR": cur,
    "FPS": fps,
    **{
        label: ranking(name)
        for label, name in {
            "fastcan": "fastcan",
            "MCFS": "mcfs",
            "Laplacian score": "laplacian-score",
        }.items()
        if available(name)
    },
    "random": random_columns,
}
"""Ways to choose columns, by what they are called on the page."""


def functions(Z: Array, degree: int) -> Array:
    """Return all monomials up to a degree, the columns themselves first."""
    return np.column_stack(
        [
            np.prod(Z[:, term], axis=1)
            for n in range(1, degree + 1)
            for term in combinations_with_replacement(range(Z.shape[1]), n)
        ]
    )


def split(n: int) -> tuple[Array, Array]:
    """Return rows to fit, and a fifth to choose penalties by."""
    order = np.random.default_rng(SEED).permutation(n)
    return order[n // 5 :], order[: n // 5]


def decode(X: Array, T: Array, columns: Sequence[int], degree: int) -> tuple[float, float]:
    """Return the share of variance that is left of rows to choose by, and of test rows.

    Ridge regression on monomials. The columns themselves have no penalty; that of the others is
    chosen by a fifth of the training rows, and the fit repeated with all of them.
    """
    columns = list(columns)
    fit, choose = split(len(X))
    F, G = functions(X[:, columns], degree), functions(T[:, columns], degree)
    first = _Ridge(F[fit], X[fit], len(columns))
    left = [first.left(F[choose], X[choose], penalty) for penalty in PENALTIES]
    best = int(np.argmin(left))
    again = _Ridge(F, X, len(columns))
    return left[best], again.left(G, T, PENALTIES[best])


class _Ridge:
    """A regression with any penalty."""

    def __init__(self, F: Array, X: Array, n_free: int) -> None:
        self.mean, self.x_mean = F.mean(axis=0), X.mean(axis=0)
        deviation = F.std(axis=0)
        self.deviation = np.where(deviation > 0, deviation, 1.0)
        Q = (F - self.mean) / self.deviation
        self.gram, self.cross = Q.T @ Q / len(Q), Q.T @ (X - self.x_mean) / len(Q)
        self.free = np.arange(F.shape[1]) < n_free

    def left(self, F: Array, X: Array, penalty: float) -> float:
        """Return the share of the variance of other rows that is left."""
        ridge = np.where(self.free, 1e-9, penalty)
        weights = np.linalg.solve(self.gram + np.diag(ridge), self.cross)
        target = X - self.x_mean
        residual = target - (F - self.mean) / self.deviation @ weights
        return float(np.sum(residual**2) / np.sum(target**2))
