"""Data, families and comparisons of the estimators with the paper's pseudo-code.

`oracle.py` is the pseudo-code; `families_by_hand.py` lists the functions of each family. Numbers
agree to 1e-8 of the data's variance, choices and counts exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import families_by_hand as hand
import numpy as np
import oracle
import pytest
from support import SOLVERS, clone_with, orthonormal, unlike_variables

from gramian import GCA, GFA, GFR, GFS
from gramian.families import (
    Custom,
    Family,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
)

TOLERANCE = 1e-8  # relative to the data's variance


# The data


@cache
def planted(n: int = 300, seed: int = 0) -> np.ndarray:
    """Return six columns of distinct variances: three variables, and noisy functions of them."""
    rng = np.random.default_rng(seed)
    a, b, c = unlike_variables(rng, n)
    columns = [2.5 * a, 2 * b - 0.4 * a, 1.4 * c, a * b + 0.5 * c, np.sin(2 * a), 0.6 * b * c]
    noise = rng.standard_normal((n, 6)) * [0.05, 0.1, 0.2, 0.3, 0.4, 0.2]
    return np.column_stack(columns) + noise + [3.0, 0.0, -2.0, 0.1, 10.0, 0.0]


@cache
def discrete(n: int = 200) -> np.ndarray:
    """Return six columns of two to five values each, three of them functions of the others."""
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    wrong = rng.random((2, n)) < 0.1
    noisy_sum = np.where(wrong[0], 0, (a + b) % 3)
    noisy_and = np.where(wrong[1], 1, (a > 1) & (c == 1))
    return np.column_stack([1.3 * a, 3 * b, c, noisy_sum, 0.7 * noisy_and, 0.5 * (a == 2) * b])


@cache
def random_basis(d: int = 6) -> np.ndarray:
    """Return an orthonormal basis, one direction a row."""
    return orthonormal(np.random.default_rng(2), d)


@cache
def weights(n: int = 300) -> np.ndarray:
    """Return weights that are not integers, some of them zero."""
    rng = np.random.default_rng(3)
    return np.where(rng.random(n) < 0.05, 0.0, rng.uniform(0.2, 3.0, n))


def deficient(n: int = 150) -> np.ndarray:
    """Return a table with a copy, a sum, a constant, and a product among its columns."""
    rng = np.random.default_rng(5)
    a, b, c = rng.standard_normal((3, n)) * [[2.0], [1.5], [1.0]]
    constant = np.full(n, 7.3)
    return np.column_stack([b, a, constant, a, a + c, -0.5 * b, 0.2 * a * b, c, b + 4, a])


# The families, the library's and by hand


def asymmetric(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return u * np.tanh(v)


def bump(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.exp(-((u + 0.5) ** 2) - v**2)


def growth(z: np.ndarray) -> np.ndarray:
    """Return exp(0.3 z), which is different for a direction and its opposite."""
    return np.exp(0.3 * z)


def in_any_order(function: Callable[..., np.ndarray]) -> hand.NewFunctions:
    """z_j, |z_j|, and a function of two variables, in both orders of its arguments."""

    def new_functions(j: int) -> list[hand.Function]:
        pairs = [p for i in range(j - 1) for p in ((i, j - 1), (j - 1, i))]
        return [
            hand.the_variable(j),
            lambda Z: np.abs(Z[j - 1]),
            *(lambda Z, p=p: function(Z[p[0]], Z[p[1]]) for p in pairs),
        ]

    return new_functions


def half_sine(z: np.ndarray) -> np.ndarray:
    return np.sin(0.5 * z)


def half_cosine(z: np.ndarray) -> np.ndarray:
    return np.cos(0.5 * z)


FAMILIES: dict[str, tuple[Family, hand.NewFunctions]] = {
    "multilinear 1": (Multilinear(1), hand.multilinear(1)),
    "multilinear 2": (Multilinear(2), hand.multilinear(2)),
    "multilinear 3": (Multilinear(3), hand.multilinear(3)),
    "multilinear": (Multilinear(None), hand.multilinear()),
    "polynomial 2": (Polynomial(2), hand.polynomial(2)),
    "polynomial 3": (Polynomial(3), hand.polynomial(3)),
    "additive polynomial 4": (Polynomial(4, max_variables=1), hand.polynomial(4, 1)),
    "polynomial 3 of pairs": (Polynomial(3, max_variables=2), hand.polynomial(3, 2)),
    "hermite 3": (Hermite(3), hand.hermite(3)),
    "legendre 3": (Legendre(3), hand.legendre(3)),
    "fourier 1": (Fourier(1), hand.fourier(1)),
    "fourier 2": (Fourier(2), hand.fourier(2)),
    "additive fourier 3": (Fourier(3, max_variables=1), hand.fourier(3, 1)),
    "slow fourier": (
        Fourier(1, max_variables=1, frequency=0.5),
        hand.custom([(half_sine, 1), (half_cosine, 1)]),
    ),
    "custom": (Custom([(np.abs, 1), (bump, 2)]), hand.custom([(np.abs, 1), (bump, 2)])),
    "custom, sign-dependent": (Custom([(growth, 1)]), hand.custom([(growth, 1)])),
    "custom, any order": (
        Custom([(np.abs, 1), (asymmetric, 2)], any_order=True),
        in_any_order(asymmetric),
    ),
    "union": (Multilinear(3) + Fourier(2), hand.union(hand.multilinear(3), hand.fourier(2))),
    "union with custom": (
        Multilinear(2) + Custom([(growth, 1), (bump, 2)]),
        hand.union(hand.multilinear(2), hand.custom([(growth, 1), (bump, 2)])),
    ),
}

INDICATORS: dict[str, tuple[Family, hand.NewFunctions]] = {
    "indicator 1": (Indicator(1), hand.indicator(1)),
    "indicator 2": (Indicator(2), hand.indicator(2)),
    "indicator": (Indicator(None), hand.indicator()),
}


# The estimators, the library's and the oracle's


@dataclass(frozen=True)
class Pair:
    """An estimator, and the paper's algorithm as its reference."""

    estimator: Any
    algorithm: Callable[..., oracle.Run]
    arguments: dict[str, Any] = field(default_factory=dict)

    def run(
        self,
        X: np.ndarray,
        functions: hand.NewFunctions,
        threshold: float = 0.0,
        **limits: Any,
    ) -> oracle.Run:
        return self.algorithm(X, functions, threshold, **self.arguments, **limits)

    def new(self, **params: Any) -> Any:
        """Return the estimator; `count` is the number of directions or features."""
        return clone_with(self.estimator, **params)


PAIRS: dict[str, Pair] = {
    "GFR": Pair(GFR(alpha=0), oracle.gfr),
    "GCA": Pair(GCA(backward=False, alpha=0), oracle.gca),
    "GCA, any basis": Pair(
        GCA(basis=random_basis(), backward=False, alpha=0), oracle.gca, {"basis": random_basis()}
    ),
    "GFS": Pair(GFS(alpha=0, criterion="variance"), oracle.gfs),
    "GFA": Pair(GFA(backward=False, alpha=0), oracle.gfa),
}
every_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def fitting(pair: Pair, X: np.ndarray) -> Pair:
    """Return the pair, with a basis of the size of X if the algorithm takes a basis."""
    if "basis" not in pair.arguments:
        return pair
    basis = random_basis(X.shape[1])
    return Pair(GCA(basis=basis, backward=False, alpha=0), oracle.gca, {"basis": basis})


# The comparison


def assert_same(estimator: Any, run: oracle.Run, reason: str) -> None:
    """Check every recorded attribute of a fit against the oracle's run."""
    variance = run.total_residual_variance[0]
    if isinstance(estimator, GFR):
        assert estimator.components_.shape == run.choices.shape
        # Signs must agree, because functions such as exp depend on the sign.
        np.testing.assert_allclose(estimator.components_, run.choices, rtol=0, atol=TOLERANCE)
    elif isinstance(estimator, GCA):
        assert estimator.component_indices_.tolist() == run.choices
    else:
        assert estimator.selected_features_.tolist() == run.choices
        assert np.flatnonzero(estimator.support_).tolist() == sorted(run.choices)
    assert_same_trace(estimator, run, variance)
    assert estimator.stop_reason_ == stop_reason(estimator, reason)


def stop_reason(estimator: Any, reason: str) -> str:
    """Return the estimator's word for the oracle's reason to stop."""
    return estimator._count_name if reason == "count" else reason


def assert_same_trace(estimator: Any, run: oracle.Run, variance: float) -> None:
    close = {"rtol": 0, "atol": TOLERANCE * variance}
    np.testing.assert_allclose(estimator.residual_variance_, run.residual_variance, **close)
    totals = run.total_residual_variance
    np.testing.assert_allclose(estimator.total_residual_variance_, totals, **close)
    explained = -np.diff(totals) / variance
    np.testing.assert_allclose(
        estimator.explained_variance_ratio_, explained, rtol=0, atol=TOLERANCE
    )
    assert estimator.n_functions_.tolist() == run.n_functions
    assert estimator.n_dropped_functions_.tolist() == run.n_dropped


def between(values: list[float]) -> Iterator[float]:
    """Yield the midpoints of neighbouring distinct values."""
    ordered = sorted(set(values))
    for low, high in itertools.pairwise(ordered):
        if high - low > 1e-6 * ordered[-1]:
            yield (low + high) / 2
