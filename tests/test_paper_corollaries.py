"""The paper's Theorems 2 and 5 and their corollaries: GCA and GFA eliminate redundancies."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import families_by_hand as hand
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from property_cases import a_property, assert_same_directions, residual_covariance, seeds, solvers
from support import orthonormal

from gramian import GCA, GFA
from gramian.families import Family, Hermite, Multilinear, Polynomial


@dataclass(frozen=True)
class Planted:
    """A table with variables that are, up to epsilon, functions of others of larger variance."""

    Z: np.ndarray
    independent: list[int]
    epsilon: float

    @property
    def by_variance(self) -> list[int]:
        """Return the independent variables in the order in which GCA and GFA should keep them."""
        variances = self.Z.var(axis=0)
        return sorted(self.independent, key=lambda i: -variances[i])

    @property
    def redundant(self) -> list[int]:
        return sorted(set(range(self.Z.shape[1])) - set(self.independent))


def smooth(product: np.ndarray) -> np.ndarray:
    """Return a smooth function that is no polynomial but close to one."""
    return np.tanh(0.4 * product)


def plant(
    rng: np.random.Generator,
    base: np.ndarray,
    sets: list[tuple[int, ...]],
    function: Callable[[np.ndarray], np.ndarray] = lambda product: product,
    noise: np.ndarray | None = None,
    shrink: float = 1.0,
) -> Planted:
    """Add to independent columns a function of a product of some of them for every set.

    As in the paper's experiments, the variance of each is 0.85 of the least variant factor's. The
    epsilon is the largest second moment of the noise, or else the largest error of least squares on
    the multilinear functions of the factors, but no less than the paper's 1e-4. It is a little
    more, since what is captured leaves at most epsilon (the definition), but what is passed over
    less than epsilon (the algorithms). Columns are shuffled.
    """
    variances = base.var(axis=0)
    standard = (base - base.mean(axis=0)) / base.std(axis=0)
    added, epsilon = [], 1e-4
    for i, factors in enumerate(sets):
        r = function(standard[:, factors].prod(axis=1))
        delta = np.zeros(len(r)) if noise is None else noise[:, i] * r.std()
        size = 0.85 * shrink**i * variances[list(factors)].min()
        k = np.sqrt(size / (r + delta).var())
        added.append(k * (r + delta))
        epsilon = max(epsilon, 1.001 * k**2 * np.mean(delta**2))
        if noise is None and function is smooth:
            Z = [standard[:, j] for j in factors]
            error = residual_covariance(added[-1][:, np.newaxis], Z, hand.multilinear(2))
            epsilon = max(epsilon, 1.001 * float(error[0, 0]))
    assume(epsilon < 0.5 * variances.min())  # independent columns must not be redundant themselves
    Z = np.column_stack([base, *added])
    order = rng.permutation(Z.shape[1])
    independent = [j for j, i in enumerate(order) if i < base.shape[1]]
    return Planted(Z[:, order], independent, epsilon)


@dataclass(frozen=True)
class Setting:
    """Parameters of planted redundancies."""

    seed: int
    n_independent: int
    n_redundant: int
    n_factors: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def sets(self, rng: np.random.Generator) -> list[tuple[int, ...]]:
        """Return distinct sets of factors."""
        possible = list(itertools.combinations(range(self.n_independent), self.n_factors))
        chosen = rng.permutation(len(possible))[: self.n_redundant]
        return [possible[i] for i in chosen]

    def normal(self, rng: np.random.Generator, n_rows: int = 400) -> np.ndarray:
        """Return independent normal columns with variances from Unif(0, n), but not near zero."""
        variances = rng.uniform(1, self.n_independent + 1, self.n_independent)
        return rng.standard_normal((n_rows, self.n_independent)) * np.sqrt(variances)

    def symmetric(
        self, rng: np.random.Generator, n_noises: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return columns and noise whose products are exactly uncorrelated in the sample.

        All combinations of signs occur, each with the same magnitudes.
        """
        n_columns = self.n_independent + n_noises
        magnitudes = rng.uniform(0.3, 2.0, (6, n_columns))
        signs = np.array(list(itertools.product([-1, 1], repeat=n_columns)))
        rows = (signs[:, np.newaxis] * magnitudes).reshape(-1, n_columns)
        ratios = rng.uniform(1.5, 2.0, self.n_independent - 1)
        base = rows[:, : self.n_independent]
        base = base / base.std(axis=0) * np.sqrt(np.cumprod([1.0, *ratios]))
        return base, rows[:, self.n_independent :]


def settings_with(n_factors: st.SearchStrategy[int]) -> st.SearchStrategy[Setting]:
    return st.builds(Setting, seeds, st.integers(3, 6), st.integers(1, 5), n_factors)


PLANTED_FAMILIES = st.sampled_from([Multilinear, Polynomial, Hermite])


def check_gfa_and_gca(planted: Planted, family: Family, solver: str) -> None:
    """Check that GFA keeps just the independent columns, GCA the independent directions."""
    gfa = GFA(threshold=planted.epsilon, family=family, solver=solver, backward=False, alpha=0).fit(
        planted.Z
    )
    assert gfa.selected_features_.tolist() == planted.by_variance
    assert gfa.redundant_features_.tolist() == planted.redundant
    assert gfa.stop_reason_ == "threshold"

    rng = np.random.default_rng(0)
    d = planted.Z.shape[1]
    basis = orthonormal(rng, d)
    X = planted.Z @ basis + rng.uniform(-3, 3, d)
    gca = GCA(
        threshold=planted.epsilon,
        basis=basis,
        family=family,
        solver=solver,
        backward=False,
        alpha=0,
    ).fit(X)
    assert gca.component_indices_.tolist() == planted.by_variance
    assert gca.redundant_indices_.tolist() == planted.redundant
    np.testing.assert_array_equal(gca.components_, basis[planted.by_variance])
    # The coordinates along them are the independent variables.
    expected = planted.Z - planted.Z.mean(axis=0)
    np.testing.assert_allclose(gca.transform(X), expected[:, planted.by_variance], atol=1e-9)


def check_principal(planted: Planted, family: Family, solver: str) -> None:
    """Check that GCA keeps just the independent principal components."""
    rng = np.random.default_rng(0)
    d = planted.Z.shape[1]
    basis = orthonormal(rng, d)
    X = planted.Z @ basis + rng.uniform(-3, 3, d)
    covariance = np.cov(planted.Z.T, ddof=0)
    np.testing.assert_allclose(covariance, np.diag(covariance.diagonal()), atol=1e-10)
    gca = GCA(threshold=planted.epsilon, family=family, solver=solver, backward=False, alpha=0).fit(
        X
    )
    by_variance = np.argsort(-covariance.diagonal())
    assert by_variance[gca.component_indices_].tolist() == planted.by_variance
    assert sorted(by_variance[gca.redundant_indices_]) == planted.redundant
    assert_same_directions(gca.components_, basis[planted.by_variance], up_to_sign=True)


@a_property
@given(settings_with(st.integers(2, 3)), PLANTED_FAMILIES, solvers)
def test_corollary_1_redundancies_in_the_span_are_eliminated(setting, family, solver):
    rng = setting.rng
    planted = plant(rng, setting.normal(rng), setting.sets(rng))
    assert planted.epsilon == 1e-4
    check_gfa_and_gca(planted, family(setting.n_factors), solver)


@a_property
@given(st.builds(Setting, seeds, st.integers(3, 5), st.integers(1, 4), st.integers(2, 3)), solvers)
def test_corollary_1_holds_for_principal_components(setting, solver):
    rng = setting.rng
    planted = plant(rng, setting.symmetric(rng)[0], setting.sets(rng), shrink=0.95)
    check_principal(planted, Multilinear(setting.n_factors), solver)


@a_property
@given(settings_with(st.integers(2, 3)), PLANTED_FAMILIES, solvers)
def test_corollary_2_noisy_redundancies_are_eliminated(setting, family, solver):
    """The threshold is the variance of the noise in the sample, as in the paper's experiments."""
    rng = setting.rng
    base, sets = setting.normal(rng), setting.sets(rng)
    noise = 0.2 * rng.standard_normal((len(base), len(sets)))
    planted = plant(rng, base, sets, noise=noise)
    check_gfa_and_gca(planted, family(setting.n_factors), solver)


@a_property
@given(st.builds(Setting, seeds, st.integers(3, 4), st.integers(1, 3), st.integers(2, 3)), solvers)
def test_corollary_2_holds_for_principal_components(setting, solver):
    rng = setting.rng
    sets = setting.sets(rng)
    base, noise = setting.symmetric(rng, len(sets))
    planted = plant(rng, base, sets, noise=0.2 * noise, shrink=0.95)
    check_principal(planted, Multilinear(setting.n_factors), solver)


@a_property
@given(settings_with(st.just(2)), solvers)
def test_corollary_3_redundancies_that_the_family_approximates_are_eliminated(setting, solver):
    """The threshold is the largest error of the family on the redundancies' own variables."""
    rng = setting.rng
    planted = plant(rng, setting.normal(rng), setting.sets(rng), smooth)
    assume(planted.epsilon > 1e-4)  # at least one redundancy is outside the span
    check_gfa_and_gca(planted, Multilinear(2), solver)


@a_property
@given(st.builds(Setting, seeds, st.integers(3, 5), st.integers(1, 3), st.just(2)), solvers)
def test_corollary_3_holds_for_principal_components(setting, solver):
    rng = setting.rng
    planted = plant(rng, setting.symmetric(rng)[0], setting.sets(rng), smooth, shrink=0.95)
    assume(planted.epsilon > 1e-4)
    check_principal(planted, Multilinear(2), solver)


@a_property
@given(seeds, solvers)
def test_corollary_2b_a_branch_of_an_implicit_redundancy_is_eliminated(seed, solver):
    """R = z₁² + z₂² - 1 has no derivative by z₂ where z₂ = 0, on a set of measure zero.

    On the branch z₂ > 0 the redundancy is captured up to an epsilon by polynomials.
    """
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, np.pi, 300)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    Z = np.column_stack([circle[:, 1], 2 * rng.standard_normal(300), circle[:, 0]])
    z = [circle[:, 0] / circle[:, 0].std()]
    captured = residual_covariance(circle[:, 1:] - circle[:, 1:].mean(), z, hand.polynomial(4))
    epsilon = float(captured[0, 0])
    assert 0 < epsilon < 0.05 * circle[:, 1].var()
    gfa = GFA(
        threshold=epsilon,
        family=Polynomial(4, max_variables=1),
        solver=solver,
        backward=False,
        alpha=0,
    ).fit(Z)
    assert gfa.selected_features_.tolist() == [1, 2]
    assert gfa.redundant_features_.tolist() == [0]


@a_property
@given(settings_with(st.just(2)), seeds, solvers)
def test_planted_redundancies_are_found_in_any_smaller_units(setting, seed, solver):
    """Noise of 4 % means R² of about 0.95 or more in any unit; absolute thresholds need a unit."""
    rng = setting.rng
    base, sets = setting.normal(rng), setting.sets(rng)
    planted = plant(rng, base, sets, noise=0.2 * rng.standard_normal((len(base), len(sets))))
    units = np.ones(planted.Z.shape[1])
    units[planted.redundant] = 10.0 ** np.random.default_rng(seed).uniform(
        -3, 0, len(planted.redundant)
    )
    for Z in (planted.Z, planted.Z * units):
        gfa = GFA(threshold=0.06, relative=True, solver=solver, backward=False, alpha=0).fit(Z)
        assert gfa.selected_features_.tolist() == planted.by_variance
        assert gfa.redundant_features_.tolist() == planted.redundant
