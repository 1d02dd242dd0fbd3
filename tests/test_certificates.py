"""Certificates: the paper's theorems, with numbers, on fits."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property, seeds
from support import make

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.certificates import EntropyCertificate, RedundancyCertificate, certify
from gramian.exceptions import OverfittingWarning, UnitsWarning


def discrete_table(seed: int, n: int, d: int, n_values: int) -> np.ndarray:
    """Return columns over a small alphabet: random ones, functions of them, and near functions."""
    rng = np.random.default_rng(seed)
    alphabet = np.sort(rng.choice(np.arange(-5, 6), n_values, replace=False)).astype(float)
    chances = rng.dirichlet(np.ones(n_values))
    X = rng.choice(alphabet, (n, d), p=chances)
    for j in range(1, d):
        kind = rng.integers(4)
        if kind == 1:  # a function of two columns, by a table
            table = rng.choice(alphabet, (n_values, n_values))
            a, b = np.searchsorted(alphabet, X[:, rng.integers(0, j, 2)]).T
            X[:, j] = table[a, b]
        elif kind == 2:  # a copy with rare errors
            errors = rng.random(n) < 0.05
            X[:, j] = np.where(errors, X[:, j], X[:, rng.integers(j)])
    return X


discrete_tables = st.builds(
    discrete_table, seeds, st.integers(3, 80), st.integers(1, 5), st.integers(2, 4)
)


def entropy_by_hand(rows: Any) -> float:
    counts = np.array(list(Counter(rows).values()))
    return float(np.log2(counts.sum()) - np.sum(counts * np.log2(counts)) / counts.sum())


def fit(estimator: Any, X: np.ndarray) -> Any:
    """Fit without warnings of units and of too many functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverfittingWarning)
        warnings.simplefilter("ignore", UnitsWarning)
        return estimator.fit(X)


@a_property
@given(
    discrete_tables,
    st.sampled_from([GFR, GFS]),
    st.sampled_from(["multilinear", "polynomial"]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.01, 0.1, 0.5, 2.0, 100.0]),
    st.sampled_from([1.0, 1.0, 1e-4, 1e4]),
)
def test_theorems_1_and_4_hold(X, algorithm, family, degree, threshold, unit):
    X = X * np.append(unit, np.ones(X.shape[1] - 1))
    estimator = fit(make(algorithm, threshold=threshold, family=family, degree=degree), X)
    certificate = certify(estimator, X)
    # H(X|Z) by its definition; coordinates are the same up to rounding for the same row.
    Z = np.round(estimator.model_.kept.encode(X - estimator.mean_) / np.abs(X).max(), 11) + 0.0
    expected = entropy_by_hand(map(tuple, X)) - entropy_by_hand(map(tuple, Z))
    np.testing.assert_allclose(certificate.conditional_entropy, expected, atol=1e-9)
    chain = [
        certificate.conditional_entropy,
        certificate.residual_bound,
        certificate.entropy_bound,
        certificate.linear_bound,
    ]
    assert np.all(np.diff(chain) >= -1e-9), chain
    assert certificate.holds
    if threshold:  # the threshold; without a threshold, the level of rounding errors
        assert certificate.epsilon**2 <= threshold * (1 + 1e-9) + 1e-12


@a_property
@given(discrete_tables, discrete_tables, st.sampled_from([GFR, GFS]), st.sampled_from([0.0, 0.1]))
def test_the_bounds_hold_with_shrinkage_and_on_new_rows(X, others, algorithm, alpha):
    d = min(X.shape[1], others.shape[1])
    estimator = fit(algorithm(0.5, alpha=alpha), X[:, :d])
    certificate = certify(estimator, others[:, :d])
    assert certificate.conditional_entropy <= certificate.residual_bound + 1e-9
    assert certificate.residual_bound <= certificate.entropy_bound + 1e-9
    assert certificate.entropy_bound <= certificate.linear_bound + 1e-9


def rare_errors() -> np.ndarray:
    """Return a fair bit, and a copy of it with errors in 2 of 100 rows, one in each direction."""
    bit = np.repeat([0.0, 1.0], 50)
    copy = bit.copy()
    copy[[0, 50]] = 1 - copy[[0, 50]]
    return np.column_stack([2 * bit, copy])


def test_the_constants_of_theorem_4_agree_with_a_computation_by_hand():
    """The best fit of the copy is 0.02 and 0.98, so residuals are 0.02 in size, or 0.98."""
    X = rare_errors()
    certificate = certify(GFS(1, alpha=0, criterion="variance").fit(X), X)
    assert isinstance(certificate, EntropyCertificate)
    assert (certificate.n_features, certificate.n_kept, certificate.n_rows) == (2, 1, 100)
    assert (certificate.n_distinct_rows, certificate.n_distinct_kept) == (4, 2)
    assert (certificate.alphabet_size, certificate.n_values) == (3, 2)  # {0, 1, 2}; the copy has 2
    np.testing.assert_allclose(certificate.alpha_min, 0.02)
    np.testing.assert_allclose(certificate.epsilon**2, 0.98 * 0.02**2 + 0.02 * 0.98**2)
    h = -0.02 * np.log2(0.02) - 0.98 * np.log2(0.98)
    np.testing.assert_allclose(certificate.conditional_entropy, h)
    np.testing.assert_allclose(certificate.entropy, 1 + h)
    # Correction in bits: two values more than Z has, in 100 rows.
    corrected = h + 2 / (200 * np.log(2))
    np.testing.assert_allclose(certificate.corrected_conditional_entropy, corrected)
    np.testing.assert_allclose(certificate.coverage, 0.98)
    # No residual is zero, so the bound is the largest possible entropy or more.
    np.testing.assert_allclose(certificate.residual_bound, 1.0)
    np.testing.assert_allclose(certificate.entropy_bound, 2.0)
    np.testing.assert_allclose(certificate.linear_bound, 3 * certificate.epsilon / 0.02)
    assert not certificate.informative


def test_a_bound_below_one_half_is_the_papers_formula():
    """Residuals of two columns: one is zero in 98 of 100 rows, the other in all rows."""
    X = np.zeros((100, 3))
    X[:50, 0] = 5.0
    X[[10, 20], 1] = [0.5, -0.5]  # uncorrelated with the first, of mean zero
    certificate = certify(GFS(1, degree=1, alpha=0, criterion="variance").fit(X), X)
    q = certificate.epsilon**2 / certificate.alpha_min**2
    np.testing.assert_allclose(q, 0.02)
    h = -q * np.log2(q) - (1 - q) * np.log2(1 - q)
    np.testing.assert_allclose(certificate.entropy_bound, 2 * (h + q * np.log2(3)))
    np.testing.assert_allclose(certificate.residual_bound, h + q * np.log2(3))
    assert certificate.informative
    assert "no less than H(X)" not in str(certificate)


def test_directions_can_take_more_values_than_columns():
    """Corners of a cube: columns take two values, projections up to eight."""
    X = np.array(np.meshgrid([0.0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    X = np.vstack([X, [[0, 0, 0], [0, 0, 0], [1, 1, 0], [0, 1, 1]]])  # no two variances are equal
    certificate = certify(GFR(1, degree=1, alpha=0).fit(X), X)
    assert certificate.alphabet_size == 2
    assert certificate.n_values > 2
    assert certificate.holds


@pytest.mark.parametrize("algorithm", [GFR, GFS])
def test_columns_that_kept_columns_determine_have_no_conditional_entropy(algorithm):
    bits = np.array(np.meshgrid([-1, 1], [-1, 1])).reshape(2, -1).T
    X = np.tile(np.column_stack([3 * bits[:, 0], 2 * bits[:, 1], bits.prod(axis=1)]), (9, 1))
    certificate = certify(algorithm(2).fit(X), X)
    assert certificate.alpha_min == np.inf
    assert certificate.epsilon == certificate.entropy_bound == certificate.conditional_entropy == 0
    np.testing.assert_allclose(certificate.entropy, 2.0)
    assert "0 bits, since every residual is zero" in str(certificate)


def test_fits_that_keep_all_columns_or_none_are_certified():
    X = rare_errors()
    for algorithm in (GFR, GFS):
        certificate = certify(algorithm(2).fit(X), X)
        assert certificate.conditional_entropy == certificate.linear_bound == 0
        certificate = certify(algorithm(threshold=10.0).fit(X), X)
        assert certificate.n_kept == 0
        assert certificate.conditional_entropy == certificate.entropy


def test_the_certificate_of_continuous_data_says_nothing():
    X = np.random.default_rng(0).standard_normal((50, 3))
    text = str(certify(GFS(2, alpha=0, criterion="variance").fit(X), X))
    assert "Most rows occur only once" in text
    assert "so the theorem says nothing about this fit" in " ".join(text.split())


def test_entropies_of_few_rows_are_corrected_upwards():
    """8 bits, 3 of them kept: the entropy is 5. The plug-in estimate from 300 rows is too small."""
    X = np.random.default_rng(0).integers(0, 2, (300, 8)) * np.arange(8, 0, -1)
    certificate = certify(GFS(3, alpha=0, criterion="variance").fit(X), X)
    assert certificate.conditional_entropy < certificate.corrected_conditional_entropy < 5
    assert certificate.coverage < 0.8


# GCA and GFA


def planted(n: int = 300, noise: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, n)) * [[3.0], [2.0], [1.0]]
    power = 0.1 * a * b + noise * rng.standard_normal(n)
    return pd.DataFrame({"volt": a, "ampere": b, "other": c, "power": power})


def residual_by_hand(X: np.ndarray, target: int, *functions: np.ndarray) -> float:
    F = np.column_stack([np.ones(len(X)), *functions])
    rest = X[:, target] - F @ np.linalg.lstsq(F, X[:, target], rcond=None)[0]
    return float(np.mean(rest**2))


def test_an_exact_redundancy_meets_all_conditions_and_corollary_1():
    X = planted()
    certificate = certify(GFA(threshold=1e-4, backward=False, alpha=0).fit(X), X)
    assert isinstance(certificate, RedundancyCertificate)
    assert certificate.holds
    assert [each.name for each in certificate.kept] == ["volt", "ampere", "other"]
    (power,) = certificate.redundant
    assert (power.name, power.index, power.exact) == ("power", 3, True)
    assert power.epsilon == 1e-4
    unchecked = [each.name for each in certificate.conditions if each.holds is None]
    assert unchecked == ["outside the family", "local"]
    text = " ".join(str(certificate).split())
    assert text.startswith("GFA kept 3 columns and found 1 redundant.")
    assert "The conditions of Theorem 5 that can be checked hold on 300 rows." in text
    assert "as Corollary 1 asks" in text


def test_residual_variances_are_those_given_all_columns_of_larger_variance():
    X = planted(noise=0.01)
    certificate = certify(GFA(threshold=1e-3, backward=False, alpha=0).fit(X), X)
    values = X.to_numpy()
    a, b, c, _ = values.T
    volt, ampere, other = certificate.kept
    (power,) = certificate.redundant
    np.testing.assert_allclose(volt.residual_variance, a.var())
    np.testing.assert_allclose(ampere.residual_variance, residual_by_hand(values, 1, a))
    np.testing.assert_allclose(other.residual_variance, residual_by_hand(values, 2, a, b, a * b))
    products = [a, b, c, (a - a.mean()) * (b - b.mean())]
    products += [(a - a.mean()) * (c - c.mean()), (b - b.mean()) * (c - c.mean())]
    before = products if power.n_more_variant == 3 else [a, b, products[3]]
    np.testing.assert_allclose(power.residual_variance, residual_by_hand(values, 3, *before))
    assert not power.exact
    assert certificate["captured"].holds
    assert "Corollary 2 (A)" in " ".join(str(certificate).split())


def test_a_redundant_column_must_follow_from_columns_of_larger_variance():
    """A kept column of smaller variance does not help to capture a redundant column."""
    X = planted()
    X["other"] *= 0.01
    certificate = certify(GFA(threshold=1e-9, backward=False, alpha=0).fit(X), X)
    (power,) = certificate.redundant
    assert power.name == "power"
    assert power.n_more_variant == 2
    assert power.exact
    assert certificate.holds


def test_new_rows_that_break_a_redundancy_fail_the_certificate():
    X = planted()
    gfa = GFA(threshold=1e-4, backward=False, alpha=0).fit(X)
    X["power"] += np.random.default_rng(1).standard_normal(len(X))
    certificate = certify(gfa, X)
    assert not certificate.holds
    assert certificate["captured"].holds is False
    assert "power" in certificate["captured"].text
    assert "captured (FAILS)" in str(certificate)


def test_new_rows_in_which_a_kept_column_is_redundant_fail_the_certificate():
    X = planted()
    gfa = GFA(threshold=0.02, backward=False, alpha=0).fit(X)
    X["other"] = 0.0
    condition = certify(gfa, X)["no others"]
    assert condition.holds is False
    assert "other" in condition.text


def test_a_fit_that_ended_early_leaves_components_undecided():
    X = planted()
    condition = certify(GFA(1, backward=False, alpha=0).fit(X), X)["decided"]
    assert condition.holds is False
    assert "(n_features_to_select) with 3 components neither kept nor redundant" in condition.text


def test_copies_are_captured_and_reported_as_equally_variant():
    X = planted()
    X["copy"] = -X["volt"]
    certificate = certify(GFA(threshold=1e-4, backward=False, alpha=0).fit(X), X)
    assert certificate.holds
    assert "copy and volt have equal variances" in certificate["distinct"].text


def test_shrinkage_and_too_many_functions_violate_conditions_of_the_theorem():
    X = planted()
    certificate = certify(GFA(threshold=1e-4, alpha=0.1, backward=False).fit(X), X)
    assert certificate["projection"].holds is False
    few = X[:12]
    with pytest.warns(OverfittingWarning):
        gfa = GFA(threshold=1e-4, backward=False, alpha=0).fit(few)
    assert certify(gfa, few)["enough rows"].holds is False


def test_relative_thresholds_are_shares_of_each_variance():
    X = planted(noise=0.01)
    (power,) = certify(
        GFA(threshold=0.01, relative=True, backward=False, alpha=0).fit(X), X
    ).redundant
    np.testing.assert_allclose(power.epsilon, 0.01 * power.variance)


@pytest.mark.parametrize("threshold", [1e-3, None])
def test_gca_is_certified_along_its_basis(threshold):
    X = planted()
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    gca = GCA(threshold=threshold, basis=rotation, backward=False, alpha=0).fit(
        X.to_numpy() @ rotation
    )
    certificate = certify(gca, X.to_numpy() @ rotation)
    assert certificate.holds
    assert [each.name for each in certificate.redundant] == ["direction 3"]
    assert certificate.redundant[0].exact
    assert "Theorem 2" in str(certificate)


def test_with_thousands_of_functions_nested_fits_are_left_undecided():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2600, 46)) * np.arange(60, 14, -1)
    X[:, 45] = X[:, 0]
    certificate = certify(
        GFA(threshold=1e-6, backward=False, alpha=0).fit(X), X
    )  # 1 + 45 + 990 functions
    assert certificate.n_functions > 1000
    assert certificate["no others"].holds is None
    assert certificate["captured"].holds is None  # the copy has the second largest variance


def test_conditions_are_indexed_by_name():
    certificate = certify(GFA(backward=False, alpha=0).fit(planted()), planted())
    with pytest.raises(KeyError):
        certificate["nonsense"]


def test_certificates_are_frozen():
    certificate = certify(GFA(backward=False, alpha=0).fit(planted()), planted())
    with pytest.raises(FrozenInstanceError):
        certificate.n_rows = 3


def test_uffs_has_no_certificate():
    with pytest.raises(TypeError, match="theorems about GFR, GFS, GCA and GFA; got UFFS"):
        certify(UFFS(degree=2).fit(planted()), planted())
