"""Methods that curved codes are compared with; all parameters are chosen on training rows."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from manifold_data import Data
from sklearn.decomposition import PCA, KernelPCA

from gramian import GFR, PolynomialManifold

Array = np.ndarray
TORCH = os.environ.get("GRAMIAN_TORCH")
"""Interpreter of an environment with PyTorch; without one the autoencoder is left out."""

LEAST_RIDGE = -6
"""Exponent of ten of the ridge below which rounding errors dominate KernelPCA's inverse."""
MAX_TUNING = 3000
"""Largest number of rows for tuning KernelPCA, whose time grows with their cube."""
MAX_INVERSE = 2
"""Largest number of codes for UMAP's inverse, which triangulates the codes: for digits with 5
codes seven minutes were not enough."""


@dataclass(frozen=True)
class Coded:
    """Codes and reconstructions of a table by a method."""

    chosen: str
    train: Array
    """Codes of the training rows."""
    test: Array
    points: Array | None
    """Reconstructions of the test rows; None if the method has none."""
    seconds: float
    """Seconds of the fit with the chosen parameters."""
    tuning: float
    """Seconds of the choice of parameters."""


def lost(rows: Array, points: Array) -> float:
    """Return the share of variance that a reconstruction loses; rows have mean zero in the fit."""
    return float(np.sum((rows - points) ** 2) / np.sum(rows**2))


def coded(model: Any, data: Data, chosen: str, seconds: float, tuning: float = 0.0) -> Coded:
    train, test = (np.asarray(model.transform(rows)) for rows in (data.train, data.test))
    points = np.asarray(model.inverse_transform(test))
    return Coded(chosen, train, test, points, seconds, tuning)


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return fit(), time.perf_counter() - start


def pca(data: Data, k: int) -> Coded:
    model, seconds = timed(lambda: PCA(k).fit(data.train))
    return coded(model, data, "", seconds)


def gfr(data: Data, k: int) -> Coded:
    auto = {"family": "auto", "degree": "auto", "alpha": "auto"}
    model, seconds = timed(lambda: GFR(k, **auto).fit(data.train))
    return coded(model, data, f"{model.family_}, alpha={model.alpha_:g}", seconds)


def manifold(data: Data, k: int, degree: Any = "auto") -> Coded:
    model, seconds = timed(
        lambda: PolynomialManifold(k, degree=degree, alpha="auto", n_rounds="auto").fit(data.train)
    )
    chosen = f"{model.family_}, alpha={model.alpha_:g}, {model.n_rounds_} rounds"
    return coded(model, data, chosen, seconds)


def quadratic(data: Data, k: int) -> Coded:
    """Alternate codes and a quadratic decoder, as in model reduction."""
    return manifold(data, k, degree=2)


def kernel_pca(data: Data, k: int) -> Coded:
    """Tune kernel, width and ridge, and extend the grid while the best value is at its edge."""
    train, held_out = data.halves()
    train = train[:MAX_TUNING]

    def make(kernel: str, gamma: int, ridge: int) -> KernelPCA:
        return KernelPCA(
            k,
            kernel=kernel,
            degree=3,
            gamma=4.0**gamma / train.shape[1],
            alpha=10.0**ridge,
            fit_inverse_transform=True,
            eigen_solver="randomized",
            random_state=0,
        )

    @cache
    def error(kernel: str, gamma: int, ridge: int) -> float:
        model = make(kernel, gamma, ridge).fit(train)
        return lost(held_out, model.inverse_transform(model.transform(held_out)))

    def tune() -> tuple[str, int, int]:
        found = []
        for kernel in ("rbf", "poly"):
            place, before = (-1, -1), None
            while place != before:
                gamma, ridge = before = place
                around = [
                    (gamma + i, ridge + j)
                    for i in (-1, 0, 1)
                    for j in (-1, 0, 1)
                    if ridge + j >= LEAST_RIDGE
                ]
                place = min(around, key=lambda each: error(kernel, *each))
            found.append((error(kernel, *place), (kernel, *place)))
        return min(found)[1]

    best, tuning = timed(tune)
    model, seconds = timed(lambda: make(*best).fit(data.train))
    words = f"{best[0]}, gamma={4.0 ** best[1]:g}/columns, ridge {10.0 ** best[2]:g}"
    return coded(model, data, words, seconds, tuning)


def autoencoder(data: Data, k: int) -> Coded | None:
    """Train an autoencoder in the environment that has PyTorch."""
    if TORCH is None:
        return None
    script = Path(__file__).with_name("autoencoder.py")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "rows.npz", Path(folder) / "codes.npz"
        np.savez(source, train=data.train, test=data.test)
        subprocess.run([TORCH, script, source, str(k), target], check=True)
        found = np.load(target)
        return Coded(
            str(found["chosen"]),
            found["train"],
            found["test"],
            found["points"],
            float(found["seconds"]),
            float(found["tuning"]),
        )


def umap(data: Data, k: int) -> Coded:
    """Fit UMAP; its inverse, by which it is tuned, exists for few dimensions only."""
    from umap import UMAP

    def fit(rows: Array, n_neighbors: int) -> Any:
        return UMAP(n_neighbors, n_components=k, random_state=0, n_jobs=1).fit(rows)

    if k > MAX_INVERSE:
        model, seconds = timed(lambda: fit(data.train, 15))
        train, test = (np.asarray(model.transform(rows)) for rows in (data.train, data.test))
        return Coded("15 neighbours", train, test, None, seconds, 0.0)
    train, held_out = data.halves()

    def error(n_neighbors: int) -> float:
        model = fit(train, n_neighbors)
        return lost(held_out, model.inverse_transform(model.transform(held_out)))

    n_neighbors, tuning = timed(lambda: min((5, 15, 50), key=error))
    model, seconds = timed(lambda: fit(data.train, n_neighbors))
    return coded(model, data, f"{n_neighbors} neighbours", seconds, tuning)


METHODS: dict[str, Callable[[Data, int], Coded | None]] = {
    "PCA": pca,
    "KernelPCA, tuned": kernel_pca,
    "UMAP and its inverse": umap,
    "GFR, all chosen": gfr,
    "autoencoder": autoencoder,
    "quadratic manifold, alternated": quadratic,
    "**PolynomialManifold, all chosen**": manifold,
}
