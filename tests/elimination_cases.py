"""Tables with redundant columns, and residual shares of columns by explicit regressions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import families_by_hand as hand
import numpy as np

from gramian.core.elimination import FunctionSums, Preferences, Selection, collect, lay_out, select
from gramian.core.rows import centre
from gramian.families import Family

DROP = 1e-9  # relative to a function's norm: a smaller remainder is a rounding error


def standardized(X: np.ndarray, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return columns of weighted mean 0 and variance 1, and weights that add up to one."""
    w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    w = w / w.sum()
    Z = X - w @ X
    return Z / np.sqrt(w @ Z**2), w


def functions_of(Z: np.ndarray, columns: Sequence[int], by_hand: hand.NewFunctions) -> np.ndarray:
    """Return the values of all functions of `columns`, one a column; the columns come first."""
    chosen = [Z[:, j] for j in columns]
    others = [
        np.atleast_2d(f(chosen[:j])) for j in range(1, len(chosen) + 1) for f in by_hand(j)[1:]
    ]
    return np.vstack([*[z[np.newaxis] for z in chosen], *others]).T


def share_left(
    Z: np.ndarray,
    w: np.ndarray,
    target: int,
    columns: Sequence[int],
    by_hand: hand.NewFunctions,
    alpha: float = 0.0,
) -> float:
    """Return the penalized residual share of column `target`, given functions of `columns`."""
    if not len(columns):
        return 1.0
    root = np.sqrt(w)[:, np.newaxis]
    F = functions_of(Z, columns, by_hand)
    F = (F - w @ F) * root
    norms = np.linalg.norm(F, axis=0)
    present = norms > DROP
    penalized = np.arange(F.shape[1])[present] >= len(columns)
    F = F[:, present] / norms[present]
    y = Z[:, target] * root[:, 0]
    if alpha > 0:
        F = np.vstack([F, np.sqrt(alpha) * np.diag(penalized.astype(float))])
        y = np.append(y, np.zeros(F.shape[1]))
    left = y - F @ np.linalg.lstsq(F, y, rcond=1e-10)[0]
    return float(left @ left)


def sums_of(X: np.ndarray, family: Family, weights: np.ndarray | None = None) -> FunctionSums:
    """Collect the sums of all functions of all columns of an array."""
    rows, _ = centre(X, weights, "column")
    return collect(rows, lay_out(rows, family, range(X.shape[1])))


def selection_of(
    X: np.ndarray, family: Family, weights: np.ndarray | None = None, **options: Any
) -> Selection:
    """Select columns of an array."""
    rows, centring = centre(X, weights, "column")
    return select(rows, family, varies=np.flatnonzero(centring.varies).tolist(), **options)


def planted(
    seed: int, n_independent: int = 6, n_derived: int = 4, n: int = 1000, noise: float = 1e-3
) -> tuple[np.ndarray, set[int]]:
    """Return independent and derived columns, in random units and order.

    A derived column is a product of two independent columns plus a multiple of one of them.
    The second value holds the indices of the derived columns.
    """
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, n_independent))
    pairs = [(i, j) for j in range(n_independent) for i in range(j)]
    columns = list(z.T)
    for i, j in rng.permutation(pairs)[:n_derived]:
        exact = z[:, i] * z[:, j] + rng.uniform(0.5, 2) * z[:, rng.integers(n_independent)]
        columns.append(exact + noise * exact.std() * rng.standard_normal(n))
    order = rng.permutation(len(columns))
    X = np.column_stack(columns)[:, order] * 10 ** rng.uniform(-3, 3, len(columns))
    return X + rng.uniform(-1, 1, X.shape[1]), set(np.flatnonzero(order >= n_independent).tolist())


def by_name(names: Sequence[str], columns: Collection[int]) -> set[str]:
    """Return the names of columns."""
    return {names[j] for j in columns}


def prefer_names(names: Sequence[str], **options: Any) -> Preferences:
    """Return preferences that break ties between equal columns by name."""
    ranks = np.argsort(np.argsort(np.array(names)))
    return Preferences(order=ranks.tolist(), **options)
