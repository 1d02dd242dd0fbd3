"""Statements of docs/theory beyond the paper's lemmas, for tables that hypothesis draws."""

from __future__ import annotations

import itertools

import families_by_hand as hand
import numpy as np
import pytest
from elimination_cases import share_left, standardized
from hypothesis import assume, given
from hypothesis import strategies as st
from property_cases import (
    a_property,
    a_slow_property,
    assert_same_up_to_rounding,
    families,
    names,
    new,
    nonlinear_table,
    seeds,
    solvers,
    tables,
)

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import Family, Fourier, Hermite, Legendre, Multilinear, Polynomial

penalties = st.sampled_from([0.0, 1e-3, 0.1, 3.0, np.inf])


def left_of(estimator, X):
    """Return the residual covariance of the fitted rows after decoding."""
    rest = X - estimator.inverse_transform(estimator.transform(X))
    return rest.T @ rest / len(X)


# index.md


@a_property
@given(names, tables, families, seeds, solvers)
def test_shifts_of_columns_do_not_change_the_fit(name, X, family, seed, solver):
    shifts = np.random.default_rng(seed).uniform(-100, 100, X.shape[1])
    options = {"count": 3, "threshold": None, "family": family[0], "solver": solver}
    one, other = new(name, **options).fit(X), new(name, **options).fit(X + shifts)
    assert_same_up_to_rounding(other, one)


# recursion.md


@a_property
@given(names, tables, families, penalties)
def test_residual_variance_grows_along_no_direction(name, X, family, alpha):
    """A step subtracts a positive semidefinite matrix; with shrinkage, the reported total falls."""
    fits = [
        new(name, count=m, threshold=None, family=family[0], alpha=alpha).fit(X) for m in (1, 2, 3)
    ]
    totals = [fit.total_residual_variance_[-1] for fit in fits]
    assert all(np.diff(totals) <= 1e-10 * X.var(axis=0).sum())
    if alpha == 0:
        covariances = [np.cov(X.T, ddof=0), *(left_of(fit, X) for fit in fits)]
        for before, after in itertools.pairwise(covariances):
            smallest = np.linalg.eigvalsh(before - after)[0]
            assert smallest >= -1e-9 * X.var(axis=0).sum()


@a_property
@given(names, tables, st.integers(1, 3), solvers)
def test_another_basis_of_the_same_span_gives_the_same_fit(name, X, degree, solver):
    """The sum over new orthonormal functions depends on their span only."""
    bases = (Polynomial(degree), Hermite(degree), Legendre(degree))
    fits = [new(name, count=3, threshold=None, family=each, solver=solver).fit(X) for each in bases]
    for fit in fits[1:]:
        assert_same_up_to_rounding(fit, fits[0])


# choosers.md


@a_property
@given(tables, families, st.floats(1e-3, 0.3), solvers)
def test_gfa_is_gca_with_the_axes_as_basis(X, family, share, solver):
    options = {"threshold": share * X.var(axis=0).max(), "family": family[0], "solver": solver}
    gfa = GFA(backward=False, **options).fit(X)
    gca = GCA(basis=np.eye(X.shape[1]), backward=False, **options).fit(X)
    assert gca.component_indices_.tolist() == gfa.selected_features_.tolist()
    assert gca.redundant_indices_.tolist() == gfa.redundant_features_.tolist()
    np.testing.assert_allclose(
        gca.total_residual_variance_,
        gfa.total_residual_variance_,
        rtol=0,
        atol=1e-9 * gfa.total_residual_variance_[0],
    )


@a_property
@given(seeds, families, st.floats(0.01, 0.5))
def test_a_redundant_column_stays_redundant_in_later_steps(seed, family, share):
    X = nonlinear_table(seed, d=6)
    threshold = share * X.var(axis=0).max()
    whole = GFA(threshold=threshold, family=family[0], backward=False, alpha=0).fit(X)
    found = set()
    for m in range(1, len(whole.selected_features_) + 1):
        fit = GFA(m, threshold=threshold, family=family[0], backward=False, alpha=0).fit(X)
        assert found <= set(fit.redundant_features_)
        found = set(fit.redundant_features_)
    assert found == set(whole.redundant_features_)


@a_property
@given(tables, families, st.floats(1e-3, 0.5), solvers)
def test_gfa_and_gca_visit_candidates_by_decreasing_original_variance(X, family, share, solver):
    """Every candidate is kept or redundant, and kept ones come in order of variance."""
    variances = X.var(axis=0)
    options = {"threshold": share * variances.max(), "family": family[0], "solver": solver}
    gfa = new("GFA", **options).fit(X)
    assert all(np.diff(variances[gfa.selected_features_]) < 0)
    seen = [*gfa.selected_features_, *gfa.redundant_features_]
    assert sorted(seen) == list(range(X.shape[1]))
    gca = new("GCA", **options).fit(X)
    assert all(np.diff(gca.component_indices_) > 0)  # principal directions, by variance


@a_property
@given(seeds, st.sampled_from([GFS, GFA, GCA]), st.floats(-9.7, -8.3), solvers)
def test_variances_within_one_in_a_billion_count_as_equal(seed, kind, power, solver):
    """The first of equal columns is chosen, and otherwise the one of larger variance."""
    assume(abs(power + 9) > 0.1)
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((60, 3)) - 0.0)[0]
    basis -= basis.mean(axis=0)
    basis = np.linalg.qr(basis)[0]  # orthonormal, of mean zero
    gap = 10.0**power  # relative difference of variances
    X = basis * np.sqrt([1.0, 1.0 + gap, 0.3])
    asked = {"basis": np.eye(3)} if kind is GCA else {}
    published = {"criterion": "variance"} if kind is GFS else {"backward": False}
    fit = kind(1, solver=solver, alpha=0, degree=1, **asked, **published).fit(X)
    chosen = fit.component_indices_ if kind is GCA else fit.selected_features_
    assert chosen.tolist() == ([0] if gap < 1e-9 else [1])


@a_property
@given(st.sampled_from(["GFR", "GCA"]), tables, families, solvers)
def test_the_largest_entry_of_a_direction_is_positive(name, X, family, solver):
    axes = new(name, count=3, threshold=None, family=family[0], solver=solver).fit(X).components_
    largest = np.abs(axes).argmax(axis=1)
    assert all(axes[range(len(axes)), largest] > 0)


# guarantees.md


@a_slow_property
@given(seeds, st.sampled_from([1e-3, 0.03]))
def test_the_published_algorithm_keeps_a_pruned_set_in_suitable_units(seed, tau):
    """Proposition of guarantees.md, if its assumptions hold on the rows."""
    X = nonlinear_table(seed, d=6)
    X[:, 4] = X[:, 0] * X[:, 1] + 1e-3 * X[:, 4]
    family, by_hand = Polynomial(2), hand.polynomial(2)
    pruned = GFA(threshold=tau, family=family, alpha=0, laws=False).fit(X)
    kept = sorted(pruned.selected_features_.tolist())
    others = [j for j in range(6) if j not in kept]
    Z, w = standardized(X)
    for k in kept:
        rest = [j for j in kept if j != k]
        assume(share_left(Z, w, k, rest, by_hand) > 1.01 * tau)
    for j in others:
        assert share_left(Z, w, j, kept, by_hand) <= tau
    units = np.full(6, 1e-3)
    order = np.random.default_rng(seed).permutation(len(kept))  # kept columns in any order
    units[kept] = 10.0 ** (1 + order)
    options = {"relative": True, "threshold": tau, "family": family}
    published = new("GFA", **options).fit(Z * units)
    assert sorted(published.selected_features_) == kept
    assert published.redundant_features_.tolist() == others


@pytest.mark.parametrize(
    "family", [Multilinear(2), Polynomial(4), Hermite(3), Legendre(5), Fourier(3)], ids=repr
)
@pytest.mark.parametrize("backward", [False, True])
def test_a_circle_is_captured_by_no_family(family: Family, backward):
    """One function must serve both branches; the best one, zero, explains nothing."""
    angles = 2 * np.pi * (np.arange(400) + 0.5) / 400  # symmetric: equally many on both branches
    X = np.column_stack([2 * np.cos(angles), np.sin(angles)])
    fit = GFA(threshold=0.5, relative=True, backward=backward, family=family, alpha=0, laws=False)
    fit.fit(X)
    assert fit.selected_features_.tolist() == [0, 1]
    assert fit.residual_variance_[1] == pytest.approx(X[:, 1].var(), rel=1e-9)


# shrinkage.md


@a_property
@given(names, tables, families, penalties)
def test_degrees_of_freedom_lie_between_the_variables_and_all_functions(name, X, family, alpha):
    fit = new(name, count=3, threshold=None, family=family[0], alpha=alpha).fit(X)
    freedom = fit.degrees_of_freedom_
    most = 1 + np.append(0, np.cumsum(fit.n_functions_))
    assert all(freedom <= most + 1e-9)
    assert all(freedom >= 1 + np.arange(len(freedom)) - 1e-9)
    if alpha == 0:
        np.testing.assert_allclose(freedom, most, rtol=1e-12)


@a_property
@given(names, tables, families, penalties)
def test_variables_explain_themselves_with_any_penalty(name, X, family, alpha):
    fit = new(name, count=3, threshold=None, family=family[0], alpha=alpha).fit(X)
    z = fit.transform(X)
    again = fit.transform(fit.inverse_transform(z))
    np.testing.assert_allclose(again, z, rtol=0, atol=1e-8 * np.abs(z).max())


@a_property
@given(tables, families, penalties)
def test_directions_are_orthonormal_with_any_penalty(X, family, alpha):
    axes = GFR(3, family=family[0], alpha=alpha).fit(X).components_
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), rtol=0, atol=1e-12)


@a_property
@given(names, tables, families, penalties)
def test_the_reported_variance_is_the_squared_error_plus_the_penalty(name, X, family, alpha):
    fit = new(name, count=2, threshold=None, family=family[0], alpha=alpha).fit(X)
    error = np.trace(left_of(fit, X))
    reported, total = fit.total_residual_variance_[[-1, 0]]
    if alpha in (0.0, np.inf):  # no function is penalized, or no penalized function is in the fit
        assert error == pytest.approx(reported, rel=0, abs=1e-9 * total)
    else:
        assert error <= reported + 1e-9 * total


# numerics.md


@a_property
@given(seeds, st.integers(4, 9), st.sampled_from([Hermite, Legendre]))
def test_orthogonal_polynomials_are_better_conditioned_than_monomials(seed, degree, kind):
    """Both span the same functions; the sums of `gram` lose fewer digits with the former."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(6000) if kind is Hermite else rng.uniform(-1, 1, 6000)
    X = np.column_stack([z, 0.1 * np.cos(3 * z)])
    losses = [
        GFS(1, family=family, solver="gram", alpha=0, criterion="variance").fit(X)
        for family in (kind(degree), Polynomial(degree))
    ]
    assert losses[0].orthogonality_loss_ <= losses[1].orthogonality_loss_


@a_property
@given(seeds, st.sampled_from(["qr", "gram", "moments"]))
def test_a_dropped_function_may_be_the_parent_of_others(seed, solver):
    """The third column, a product, is dropped, but its product with the fourth is needed."""
    a, b, c = np.random.default_rng(seed).uniform(-1, 2, (3, 300))
    X = np.column_stack([a, b, a * b, c, a * b * c])
    norms = UFFS(degree=2, solver=solver).fit(X).fourier_norms_
    assert norms[2] < 1e-6
    assert norms[4] < 1e-6
    assert all(norms[[0, 1, 3]] > 0.1)
