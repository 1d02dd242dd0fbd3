"""Every estimator, family and solver does what the paper's pseudo-code does, step by step.

`oracle.py` is the pseudo-code; `families_by_hand.py` lists the functions of each family. Numbers
agree to 1e-8 of the data's variance, choices and counts exactly.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import families_by_hand as hand
import numpy as np
import oracle
import pytest
from sklearn.base import clone

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.exceptions import NumericalWarning, OverfittingWarning, SaturationWarning
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

TOLERANCE = 1e-8  # of the data's variance
SOLVERS = ["qr", "gram"]


# The data


@cache
def planted(n: int = 300, seed: int = 0) -> np.ndarray:
    """Six columns of distinct variances: three variables and, with some noise, functions of them.

    The variables are normal, uniform and exponential, so that nothing is symmetric by chance.
    """
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal(n), rng.uniform(-1.7, 1.7, n)
    c = rng.exponential(size=n) - 1
    columns = [2.5 * a, 2 * b - 0.4 * a, 1.4 * c, a * b + 0.5 * c, np.sin(2 * a), 0.6 * b * c]
    noise = rng.standard_normal((n, 6)) * [0.05, 0.1, 0.2, 0.3, 0.4, 0.2]
    return np.column_stack(columns) + noise + [3.0, 0.0, -2.0, 0.1, 10.0, 0.0]


@cache
def discrete(n: int = 200) -> np.ndarray:
    """Six columns of two to five values each, three of them functions of the others."""
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    wrong = rng.random((2, n)) < 0.1
    noisy_sum = np.where(wrong[0], 0, (a + b) % 3)
    noisy_and = np.where(wrong[1], 1, (a > 1) & (c == 1))
    return np.column_stack([1.3 * a, 3 * b, c, noisy_sum, 0.7 * noisy_and, 0.5 * (a == 2) * b])


@cache
def random_basis(d: int = 6) -> np.ndarray:
    """Return an orthonormal basis, one direction a row."""
    return np.linalg.qr(np.random.default_rng(2).standard_normal((d, d)))[0]


@cache
def weights(n: int = 300) -> np.ndarray:
    """Weights that are no integers, some of them zero."""
    rng = np.random.default_rng(3)
    return np.where(rng.random(n) < 0.05, 0.0, rng.uniform(0.2, 3.0, n))


# The families, the library's and by hand


def asymmetric(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return u * np.tanh(v)


def bump(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.exp(-((u + 0.5) ** 2) - v**2)


def growth(z: np.ndarray) -> np.ndarray:
    """A function that tells a direction from its opposite."""
    return np.exp(0.3 * z)


def in_any_order(function: Callable[..., np.ndarray]) -> hand.NewFunctions:
    """z_j, |z_j|, and a function of two variables, both ways round."""

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
    """An estimator and the algorithm of the paper that it is checked against."""

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
        estimator = clone(self.estimator)
        if "count" in params:
            params[estimator._count_name] = params.pop("count")
        return estimator.set_params(**params)


PAIRS: dict[str, Pair] = {
    "GFR": Pair(GFR(), oracle.gfr),
    "GCA": Pair(GCA(), oracle.gca),
    "GCA, any basis": Pair(GCA(basis=random_basis()), oracle.gca, {"basis": random_basis()}),
    "GFS": Pair(GFS(), oracle.gfs),
    "GFA": Pair(GFA(), oracle.gfa),
}
every_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def fitting(pair: Pair, X: np.ndarray) -> Pair:
    """Return the pair with a basis, if it has one, of the size of X."""
    if "basis" not in pair.arguments:
        return pair
    basis = random_basis(X.shape[1])
    return Pair(GCA(basis=basis), oracle.gca, {"basis": basis})


def assert_same(estimator: Any, run: oracle.Run, reason: str) -> None:
    """Check all that a fit records against the oracle's run."""
    variance = run.total_residual_variance[0]
    if isinstance(estimator, GFR):
        assert estimator.components_.shape == run.choices.shape
        # Not up to sign: the sign is fixed, and functions such as exp depend on it.
        np.testing.assert_allclose(estimator.components_, run.choices, rtol=0, atol=TOLERANCE)
    elif isinstance(estimator, GCA):
        assert estimator.component_indices_.tolist() == run.choices
    else:
        assert estimator.selected_features_.tolist() == run.choices
        assert np.flatnonzero(estimator.support_).tolist() == sorted(run.choices)
    assert_same_trace(estimator, run, variance)
    assert estimator.stop_reason_ == reason


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


@cache
def oracle_run(name: str, family: str, weighted: bool) -> oracle.Run:
    if family in INDICATORS:
        X, functions = discrete(), INDICATORS[family][1]
    else:
        X, functions = planted(), FAMILIES[family][1]
    threshold = 1e-5 * X.var(axis=0).sum()
    w = weights(len(X)) if weighted else None
    return PAIRS[name].run(X, functions, threshold=threshold, weights=w)


MONOMIALS = [name for name in FAMILIES if "polynomial" in name or name[:-1] == "multilinear "]
ALL_SOLVERS = [
    *itertools.product(FAMILIES, SOLVERS),
    *((family, "moments") for family in MONOMIALS),
]


@pytest.mark.parametrize(("family", "solver"), ALL_SOLVERS)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("name", PAIRS)
def test_every_estimator_and_family_follows_the_pseudo_code(name, family, weighted, solver):
    X = planted()
    run = oracle_run(name, family, weighted)
    estimator = PAIRS[name].new(
        threshold=1e-5 * X.var(axis=0).sum(), family=FAMILIES[family][0], solver=solver
    )
    estimator.fit(X, sample_weight=weights() if weighted else None)
    assert_same(estimator, run, "threshold")
    assert estimator.solver_ == solver


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("family", INDICATORS)
@pytest.mark.parametrize("name", ["GFS", "GFA"])
def test_selectors_of_discrete_columns_follow_the_pseudo_code(name, family, weighted, solver):
    X = discrete()
    run = oracle_run(name, family, weighted)
    estimator = PAIRS[name].new(
        threshold=1e-5 * X.var(axis=0).sum(), family=INDICATORS[family][0], solver=solver
    )
    estimator.fit(X, sample_weight=weights(len(X)) if weighted else None)
    assert_same(estimator, run, "threshold")
    # z is a combination of its indicators, so that each step drops a function.
    assert all(estimator.n_dropped_functions_ >= 1)


@every_solver
def test_indicators_along_a_basis_follow_the_pseudo_code(solver):
    X, basis = discrete(), np.eye(6)[::-1]
    family, by_hand = INDICATORS["indicator 2"]
    run = oracle.gca(X, by_hand, 1e-5, basis=basis)
    gca = GCA(threshold=1e-5, basis=basis, family=family, solver=solver).fit(X)
    assert_same(gca, run, "threshold")


@pytest.mark.parametrize("name", ["multilinear", "polynomial", "hermite", "legendre", "fourier"])
@every_pair
def test_a_family_given_by_name_is_the_same_family(pair, name):
    by_hand = getattr(hand, name)(2)
    run = pair.run(planted(), by_hand, n_steps=3)
    estimator = pair.new(count=3, family=name, degree=2).fit(planted())
    assert_same(estimator, run, "n_components")


# Other shapes of data


def wide(n: int = 40, d: int = 70) -> np.ndarray:
    """More columns than rows, of variances that differ."""
    rng = np.random.default_rng(4)
    latent = rng.standard_normal((n, 5)) * [6, 5, 4, 3, 2]
    nonlinear = np.column_stack([latent[:, 0] * latent[:, 1], latent[:, 2] ** 2]) / 4
    mixing = rng.standard_normal((7, d))
    noise = rng.standard_normal((n, d)) * np.linspace(0.1, 0.5, d)
    return np.column_stack([latent, nonlinear]) @ mixing + noise


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("family", ["multilinear 2", "custom, sign-dependent"])
@pytest.mark.parametrize("name", ["GFR", "GCA", "GCA, any basis"])
def test_more_columns_than_rows(name, family, weighted, solver):
    X, (ours, by_hand) = wide(), FAMILIES[family]
    w = weights(len(X)) if weighted else None
    pair = fitting(PAIRS[name], X)
    run = pair.run(X, by_hand, n_steps=5, weights=w)
    estimator = pair.new(count=5, family=ours, solver=solver).fit(X, sample_weight=w)
    assert_same(estimator, run, "n_components")
    if name == "GCA":
        # The principal directions are those of the oracle too, as far as X extends.
        Xc, ow = oracle.centred(X, w)
        values, vectors = np.linalg.eigh(oracle.covariance(Xc, ow))
        expected = [oracle.signed(v) for v in vectors.T[::-1][:5]]
        assert np.all(np.diff(values[-6:]) > 0.1)
        np.testing.assert_allclose(estimator.basis_[:5], expected, rtol=0, atol=TOLERANCE)


@every_solver
@pytest.mark.parametrize("n", [300, 150], ids=["more rows", "more columns"])
def test_leading_eigenvectors_found_by_iteration_are_the_same(n, solver):
    """From 200 columns on, a step's direction is found by iteration."""
    X = wide(n, 220)
    run = oracle.gfr(X, hand.multilinear(2), n_steps=6)
    gfr = GFR(6, degree=2, solver=solver).fit(X)
    assert_same(gfr, run, "n_components")


def deficient(n: int = 150) -> np.ndarray:
    """Columns that repeat, that add up, that do not vary, and one that is a product of others."""
    rng = np.random.default_rng(5)
    a, b, c = rng.standard_normal((3, n)) * [[2.0], [1.5], [1.0]]
    constant = np.full(n, 7.3)
    return np.column_stack([b, a, constant, a, a + c, -0.5 * b, 0.2 * a * b, c, b + 4, a])


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("family", ["multilinear 1", "multilinear 2", "polynomial 2", "fourier 1"])
@pytest.mark.parametrize("name", PAIRS)
def test_copies_combinations_and_constants(name, family, weighted, solver):
    X, (ours, by_hand) = deficient(), FAMILIES[family]
    w = weights(len(X)) if weighted else None
    pair = fitting(PAIRS[name], X)
    run = pair.run(X, by_hand, threshold=1e-6, weights=w)
    estimator = pair.new(threshold=1e-6, family=ours, solver=solver).fit(X, sample_weight=w)
    assert_same(estimator, run, "threshold")
    if name in ("GFR", "GCA") and family == "multilinear 1":
        assert estimator.n_components_ == 4  # the rank


@every_solver
@every_pair
def test_without_a_threshold_the_fit_ends_where_only_rounding_errors_are_left(pair, solver):
    X = deficient()
    pair = fitting(pair, X)
    run = pair.run(X, hand.multilinear(2))
    count = X.shape[1]  # no limit, but for GFR and GFS, where None would mean 95 %
    estimator = pair.new(threshold=None, count=count, solver=solver).fit(X)
    assert_same(estimator, run, "exhausted")


@every_solver
@every_pair
def test_a_threshold_of_zero_is_as_good_as_none(pair, solver):
    X = deficient()
    pair = fitting(pair, X)
    run = pair.run(X, hand.multilinear(2), threshold=0.0)
    estimator = pair.new(threshold=0.0, solver=solver).fit(X)
    # Whether what is left is zero or a rounding error is a matter of rounding.
    assert estimator.stop_reason_ in ("threshold", "exhausted")
    assert_same(estimator, run, estimator.stop_reason_)


# Overfitting and saturation


@every_solver
@pytest.mark.parametrize("family", ["hermite 3", "multilinear"])
@every_pair
def test_saturation_leaves_exactly_nothing_and_is_announced(pair, family, solver):
    X, (ours, by_hand) = planted(28), FAMILIES[family]
    run = pair.run(X, by_hand, threshold=1e-9)
    assert run.saturated
    assert 1 + sum(run.n_functions) == len(X)
    with pytest.warns(SaturationWarning, match=f"After {len(run.choices)} steps .* all 28 samples"):
        estimator = pair.new(threshold=1e-9, family=ours, solver=solver).fit(X)
    assert_same(estimator, run, "saturated")
    assert estimator.residual_variance_[-1] == 0.0
    assert estimator.total_residual_variance_[-1] == 0.0


@every_solver
@every_pair
def test_more_functions_than_half_the_samples_are_announced(pair, solver):
    """With 27 functions and the constant, 56 samples are enough and 55 are not."""
    X = planted(56)
    enough = pair.new(count=6, family=Polynomial(2), solver=solver, threshold=None).fit(X)
    assert enough.n_functions_.sum() == 27
    run = pair.run(X[:-1], hand.polynomial(2), n_steps=6)
    estimator = clone(enough)
    with pytest.warns(OverfittingWarning, match="28 functions were fitted to 55 samples") as caught:
        estimator.fit(X[:-1])
    assert [w.category for w in caught] == [OverfittingWarning]
    assert_same(estimator, run, "n_components")


@every_solver
@pytest.mark.parametrize("family", [Fourier(3), Polynomial(3) + Fourier(2)], ids=repr)
@pytest.mark.parametrize("name", ["GFS", "GFA"])
def test_rows_that_no_function_can_tell_apart_do_not_saturate(name, family, solver):
    """The first and the last row differ in the last column only, which is not selected.

    Every function of the others has the same value on both rows. So there are no more independent
    functions than distinct rows, and something is left of the last column. An inaccuracy that is
    announced is excused.
    """
    n, wrong = 24, []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 8, (n - 1, 3)) * [30.0, 20.0, 10.0]
        values = np.vstack([values, values[0]])
        X = np.column_stack([values, rng.standard_normal(n)])
        estimator = PAIRS[name].new(threshold=6.0, family=family, solver=solver, count=3)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(X)
        assert 3 not in estimator.selected_features_
        assert any(issubclass(each.category, OverfittingWarning) for each in caught)
        if any(each.category is NumericalWarning for each in caught):
            continue
        left = (X[0, 3] - X[-1, 3]) ** 2 / 2 / n
        if (
            1 + estimator.n_functions_.sum() > len(np.unique(values, axis=0))
            or estimator.stop_reason_ == "saturated"
            or estimator.total_residual_variance_[-1] < left - 1e-8 * X[:, 3].var()
        ):
            wrong.append(seed)
    assert not wrong, f"rounding errors were taken for functions with the seeds {wrong}"


# When to stop


def between(values: list[float]) -> Iterator[float]:
    """Yield the middles of neighbouring values that differ."""
    ordered = sorted(set(values))
    for low, high in itertools.pairwise(ordered):
        if high - low > 1e-6 * ordered[-1]:
            yield (low + high) / 2


@every_solver
@pytest.mark.parametrize("name", ["GFR", "GFS"])
def test_gfr_and_gfs_stop_at_the_first_residual_variance_below_the_threshold(name, solver):
    """GFR and GFS take the same path whatever the threshold, and leave it sooner or later."""
    X, pair = planted(), PAIRS[name]
    full = pair.run(X, hand.multilinear(2))
    recorded = full.residual_variance
    assert len(recorded) == 7
    for m, (above, below) in enumerate(itertools.pairwise(recorded), start=1):
        threshold = (above + below) / 2
        estimator = pair.new(threshold=threshold, solver=solver).fit(X)
        assert len(estimator.n_functions_) == m
        assert_same(estimator, pair.run(X, hand.multilinear(2), threshold), "threshold")
    none = pair.new(threshold=1.001 * recorded[0], solver=solver).fit(X)
    assert len(none.residual_variance_) == 1
    assert_same(none, pair.run(X, hand.multilinear(2), n_steps=0), "threshold")


@every_solver
@pytest.mark.parametrize("name", ["GCA", "GCA, any basis", "GFA"])
def test_gca_and_gfa_go_on_while_a_residual_variance_reaches_the_threshold(name, solver):
    """GCA and GFA pass over what is below the threshold: the path depends on it."""
    X, pair = planted(), PAIRS[name]
    full = pair.run(X, hand.multilinear(2))
    chosen = []
    for threshold in between(full.residual_variance):
        estimator = pair.new(threshold=threshold, solver=solver).fit(X)
        assert_same(estimator, pair.run(X, hand.multilinear(2), threshold), "threshold")
        assert all(estimator.residual_variance_[:-1] >= threshold)
        assert estimator.residual_variance_[-1] < threshold
        chosen.append(len(estimator.n_functions_))
        indices = getattr(estimator, "component_indices_", None)
        kept = estimator.selected_features_ if indices is None else indices
        redundant = (
            estimator.redundant_features_ if indices is None else estimator.redundant_indices_
        )
        # At the end every candidate was either kept or found redundant.
        assert sorted([*kept, *redundant]) == list(range(6))
    assert len(set(chosen)) >= 4  # the thresholds did make a difference


@every_solver
@pytest.mark.parametrize(("name", "steps"), [("GFR", 0), ("GFS", 0), ("GCA", 1), ("GFA", 1)])
def test_a_variance_equal_to_the_threshold_is_too_small_for_gfr_and_gfs_only(name, steps, solver):
    """Algorithms 2 and 4 stop at <=, Algorithms 3 and 5 pass over what is <."""
    X, pair = planted(), PAIRS[name]
    largest = pair.new(count=1, solver=solver, threshold=None).fit(X).residual_variance_[0]
    estimator = pair.new(threshold=largest, solver=solver).fit(X)
    assert len(estimator.n_functions_) == steps
    assert estimator.stop_reason_ == "threshold"


@every_solver
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
@every_pair
def test_a_float_count_stops_once_that_share_of_the_variance_is_explained(pair, share, solver):
    X = planted()
    totals = np.array(pair.run(X, hand.multilinear(2)).total_residual_variance)
    steps = int(np.argmax(totals <= (1 - share) * totals[0]))
    assert steps >= 1
    estimator = pair.new(count=share, threshold=None, solver=solver).fit(X)
    run = pair.run(X, hand.multilinear(2), n_steps=steps)
    assert_same(estimator, run, "explained_variance")
    assert estimator.explained_variance_ratio_.sum() >= share
    assert estimator.explained_variance_ratio_[:-1].sum() < share


@every_solver
@every_pair
def test_the_first_limit_that_is_reached_stops_the_fit(pair, solver):
    X, functions = planted(), hand.multilinear(2)
    recorded = pair.run(X, functions, n_steps=4).residual_variance
    assert np.all(np.diff(recorded) < 0)
    low, high = recorded[4] / 2, (recorded[1] + recorded[2]) / 2
    few = pair.new(threshold=low, count=2, solver=solver).fit(X)
    assert_same(few, pair.run(X, functions, low, n_steps=2), "n_components")
    weak = pair.new(threshold=high, count=6, solver=solver).fit(X)
    assert_same(weak, pair.run(X, functions, high), "threshold")
    # 1 + 2 + 3 functions come with three variables, and 4 more with the next.
    small = pair.new(threshold=low, max_functions=9, solver=solver).fit(X)
    assert_same(small, pair.run(X, functions, low, n_steps=3), "max_functions")
    large = pair.new(threshold=low, max_functions=10, count=4, solver=solver).fit(X)
    assert_same(large, pair.run(X, functions, low, n_steps=4), "n_components")


@every_solver
@pytest.mark.parametrize(("name", "share"), [("GFR", 0.95), ("GFS", 0.95)])
def test_gfr_and_gfs_explain_95_percent_by_default(name, share, solver):
    X, pair = planted(), PAIRS[name]
    totals = np.array(pair.run(X, hand.multilinear(2)).total_residual_variance)
    steps = int(np.argmax(totals <= (1 - share) * totals[0]))
    run = pair.run(X, hand.multilinear(2), n_steps=steps)
    assert_same(pair.new(solver=solver).fit(X), run, "explained_variance")


# What the residual variances are


@every_solver
def test_gfr_records_the_top_eigenvalues_of_the_residual_covariances(solver):
    X = planted()
    run = oracle.gfr(X, hand.hermite(3), n_steps=5)
    gfr = GFR(5, family=Hermite(3), solver=solver).fit(X)
    atol = TOLERANCE * run.total_residual_variance[0]
    for j, Sigma in enumerate(run.covariances):
        eigenvalues = np.linalg.eigvalsh(Sigma)
        np.testing.assert_allclose(gfr.residual_variance_[j], eigenvalues[-1], rtol=0, atol=atol)
        np.testing.assert_allclose(
            gfr.total_residual_variance_[j], eigenvalues.sum(), rtol=0, atol=atol
        )
    along = [nu @ Sigma @ nu for nu, Sigma in zip(gfr.components_, run.covariances, strict=False)]
    np.testing.assert_allclose(gfr.residual_variance_[:-1], along, rtol=0, atol=atol)


@every_solver
@pytest.mark.parametrize("basis", ["pca", random_basis()], ids=["pca", "any basis"])
def test_gca_records_the_largest_residual_variance_along_its_basis(basis, solver):
    X = planted()
    gca = GCA(4, threshold=None, basis=basis, solver=solver).fit(X)
    run = oracle.gca(X, hand.multilinear(2), basis=gca.basis_, n_steps=4)
    for j, Sigma in enumerate(run.covariances):
        largest = max(rho @ Sigma @ rho for rho in gca.basis_)
        np.testing.assert_allclose(gca.residual_variance_[j], largest, rtol=TOLERANCE)
    np.testing.assert_array_equal(gca.components_, gca.basis_[gca.component_indices_])


@every_solver
def test_the_principal_basis_of_gca_is_pca_by_decreasing_variance(solver):
    X = planted()
    gca = GCA(solver=solver).fit(X)
    values, vectors = np.linalg.eigh(np.cov(X.T, ddof=0))
    expected = [oracle.signed(v) for v in vectors.T[::-1]]
    np.testing.assert_allclose(gca.basis_, expected, rtol=0, atol=TOLERANCE)
    along = np.var((X - gca.mean_) @ gca.basis_.T, axis=0)
    np.testing.assert_allclose(along, values[::-1], rtol=TOLERANCE)


# Relative thresholds and UFFS: the same loop over columns with another choice

Choose = Callable[[np.ndarray, np.ndarray, list[int]], int | None]


def pursue_columns(
    X: np.ndarray, functions: hand.NewFunctions, choose: Choose, w: np.ndarray | None = None
) -> oracle.Run:
    """Algorithm 4 or 5 with the choice left open: choose(sigma, original, chosen) or None."""
    X, w = oracle.centred(X, w)
    run, chosen, T, Z, d = oracle.Run(), [], [np.ones(len(w))], [], X
    original = w @ X**2
    while True:
        sigma = w @ d**2
        sigma = np.where(sigma > oracle.ZERO * original, sigma, 0.0)
        run.variances.append(sigma)
        run.record(sigma.max(), sigma.sum())
        column = choose(sigma, original, chosen)
        if column is None:
            break
        chosen.append(column)
        Z.append(oracle.scaled(X[:, column], w))
        d = oracle.orthogonalize(T, functions(len(Z)), Z, X, w, run)
    run.choices = chosen
    return run


def largest_of(
    rank: Callable[..., np.ndarray], eligible: Callable[[np.ndarray], np.ndarray]
) -> Choose:
    """Choose the largest of rank(sigma, original) among the eligible shares sigma / original."""

    def choose(sigma: np.ndarray, original: np.ndarray, chosen: list[int]) -> int | None:
        candidates = eligible(sigma / original) & (sigma > 0)
        if not candidates.any():
            return None
        return oracle.lowest_argmax(rank(sigma, original), candidates)

    return choose


def residual(sigma: np.ndarray, original: np.ndarray) -> np.ndarray:
    return sigma


def initial(sigma: np.ndarray, original: np.ndarray) -> np.ndarray:
    return original


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("threshold", [0.7, 0.4, 0.2, 0.1, 0.03])
@pytest.mark.parametrize("name", ["GFS", "GFA", "GCA", "GCA, any basis"])
def test_a_relative_threshold_is_a_share_of_each_candidates_own_variance(
    name, threshold, weighted, solver
):
    X = planted()
    w = weights() if weighted else None
    pair = PAIRS[name]
    estimator = pair.new(threshold=threshold, relative=True, solver=solver).fit(X, sample_weight=w)
    along = (X - estimator.mean_) @ estimator.basis_.T if isinstance(estimator, GCA) else X
    if name == "GFS":
        choose = largest_of(residual, lambda share: share > threshold)
    else:
        choose = largest_of(initial, lambda share: share >= threshold)
    run = pursue_columns(along, hand.multilinear(2), choose, w)
    assert 1 <= len(run.choices) <= 6
    assert_same(estimator, run, "threshold")


@every_solver
@pytest.mark.parametrize("name", ["GFS", "GFA"])
def test_on_standardized_columns_relative_and_absolute_are_the_same(name, solver):
    X = planted()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for threshold in (0.6, 0.3, 0.1):
        run = PAIRS[name].run(X, hand.multilinear(2), threshold)
        for relative in (False, True):
            estimator = PAIRS[name].new(threshold=threshold, relative=relative, solver=solver)
            assert_same(estimator.fit(X), run, "threshold")


def in_turn(n_columns: int) -> Choose:
    return lambda sigma, original, chosen: len(chosen) if len(chosen) < n_columns else None


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("degree", [1, 2, 3, None])
def test_uffs_finds_the_fourier_norms(degree, weighted, solver):
    X = planted()
    w = weights() if weighted else None
    norms = oracle.uffs(X, degree, weights=w)
    uffs = UFFS(degree=degree, solver=solver).fit(X, sample_weight=w)
    np.testing.assert_allclose(uffs.fourier_norms_, norms, rtol=0, atol=TOLERANCE)
    assert uffs.stop_reason_ == "exhausted"

    run = pursue_columns(X, hand.multilinear(degree), in_turn(6), w)
    assert_same_trace(uffs, run, run.total_residual_variance[0])


@every_solver
@pytest.mark.parametrize("cluster_size", [1, 2, 3, 4, 6, 10])
@pytest.mark.parametrize("degree", [1, 2, None])
def test_uffs_orthogonalizes_within_clusters(cluster_size, degree, solver):
    X = planted()
    norms = oracle.uffs(X, degree, cluster_size)
    uffs = UFFS(degree=degree, cluster_size=cluster_size, solver=solver).fit(X)
    np.testing.assert_allclose(uffs.fourier_norms_, norms, rtol=0, atol=TOLERANCE)

    # Cluster after cluster: what each step leaves of its own cluster, the others as they are.
    runs = [
        pursue_columns(part, hand.multilinear(degree), in_turn(part.shape[1]))
        for part in np.split(X, range(cluster_size, 6, cluster_size), axis=1)
    ]
    state = [run.variances[0] for run in runs]
    states = [np.concatenate(state)]
    for i, run in enumerate(runs):
        for sigma in run.variances[1:]:
            state[i] = sigma
            states.append(np.concatenate(state))
    close = {"rtol": 0, "atol": TOLERANCE * states[0].sum()}
    np.testing.assert_allclose(uffs.residual_variance_, [s.max() for s in states], **close)
    np.testing.assert_allclose(uffs.total_residual_variance_, [s.sum() for s in states], **close)
    assert uffs.n_functions_.tolist() == [n for run in runs for n in run.n_functions]
    assert uffs.n_dropped_functions_.tolist() == [n for run in runs for n in run.n_dropped]


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_uffs_gives_copies_combinations_and_constants_the_norm_zero(weighted, solver):
    X = deficient()
    w = weights(len(X)) if weighted else None
    norms = oracle.uffs(X, 2, weights=w)
    uffs = UFFS(degree=2, solver=solver).fit(X, sample_weight=w)
    # A norm is the root of a variance, and so is its rounding error.
    np.testing.assert_allclose(uffs.fourier_norms_**2, norms**2, rtol=0, atol=TOLERANCE)
    assert set(uffs.selected_features_) == set(np.flatnonzero(norms**2 > 0.01)) == {0, 1, 4}


@every_solver
@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("degree", [1, 2, None])
def test_uffs_selects_the_norms_above_the_threshold_by_decreasing_norm(degree, relative, solver):
    X = planted()
    norms = oracle.uffs(X, degree)
    squares = (norms if relative else norms * X.std(axis=0)) ** 2
    order = np.argsort(-squares)
    for threshold in between(squares.tolist()):
        uffs = UFFS(threshold=threshold, degree=degree, relative=relative, solver=solver).fit(X)
        expected = [j for j in order if squares[j] > threshold]
        assert uffs.selected_features_.tolist() == expected
        uffs.set_params(n_features_to_select=2).fit(X)
        assert uffs.selected_features_.tolist() == expected[:2]
    np.testing.assert_allclose(uffs.fourier_norms_**2, squares, rtol=0, atol=TOLERANCE * X.var())


@every_solver
def test_uffs_saturates_and_announces_it(solver):
    """32 characters of five features on 28 samples: the sixth feature has nothing left to add."""
    X = planted(28)
    norms = oracle.uffs(X)
    assert norms[5] == 0
    with pytest.warns(SaturationWarning, match="After 5 steps .* all 28 samples"):
        uffs = UFFS(solver=solver).fit(X)
    assert uffs.stop_reason_ == "saturated"
    assert uffs.fourier_norms_[5] == uffs.total_residual_variance_[-1] == 0.0
    np.testing.assert_allclose(uffs.fourier_norms_, norms, rtol=0, atol=TOLERANCE)
