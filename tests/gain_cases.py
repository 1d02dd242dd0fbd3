"""Residual variance of all columns, given functions of some columns, by explicit regressions."""

from __future__ import annotations

from collections.abc import Sequence

import families_by_hand as hand
import numpy as np
from elimination_cases import functions_of, standardized


def left_by(
    X: np.ndarray,
    columns: Sequence[int],
    by_hand: hand.NewFunctions,
    *,
    alpha: float = 0.0,
    weights: np.ndarray | None = None,
) -> float:
    """Return the penalized residual variance of all columns of X, given functions of `columns`."""
    Z, w = standardized(X, weights)
    root = np.sqrt(w)[:, np.newaxis]
    Y = (X - w @ X) * root
    if not len(columns):
        return float(np.sum(Y**2))
    F = functions_of(Z, columns, by_hand)
    F = F / np.sqrt(w @ F**2)
    F = np.hstack([root, F * root])  # the constant and the columns are not penalized
    if alpha > 0:
        penalized = np.arange(F.shape[1]) > len(columns)
        F = np.vstack([F, np.sqrt(alpha) * np.diag(penalized.astype(float))])
        Y = np.vstack([Y, np.zeros((F.shape[1], Y.shape[1]))])
    return float(np.sum((Y - F @ np.linalg.lstsq(F, Y, rcond=1e-10)[0]) ** 2))


def greedy(X: np.ndarray, n: int, by_hand: hand.NewFunctions) -> list[int]:
    """Forward selection component analysis: add the column with the least residual variance."""
    chosen: list[int] = []
    for _ in range(n):
        others = [j for j in range(X.shape[1]) if j not in chosen]
        chosen.append(min(others, key=lambda j: left_by(X, [*chosen, j], by_hand)))
    return chosen


def related(seed: int, d: int = 9, n: int = 300) -> np.ndarray:
    """Return columns of many variances that depend on three hidden variables and their products."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, 3))
    hidden = np.column_stack([z, z[:, [0]] * z[:, 1:], z[:, [1]] ** 2])
    mixed = hidden @ rng.standard_normal((6, d)) + 0.7 * rng.standard_normal((n, d))
    return mixed * 1.3 ** rng.permutation(d) + rng.uniform(-3, 3, d)
