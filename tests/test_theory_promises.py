"""What docs/theory promises beyond the paper's lemmas, for all tables that hypothesis draws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_cases import (
    a_property,
    assert_same_up_to_rounding,
    families,
    names,
    new,
    nonlinear_table,
    seeds,
    solvers,
    tables,
)

from gramian import GCA, GFA, GFR
from gramian.families import Hermite, Legendre, Polynomial

penalties = st.sampled_from([0.0, 1e-3, 0.1, 3.0, np.inf])


def left_of(estimator, X):
    """The covariance of what the decoder leaves of the rows of the fit."""
    rest = X - estimator.inverse_transform(estimator.transform(X))
    return rest.T @ rest / len(X)


# recursion.md


@a_property
@given(names, tables, families, penalties)
def test_residual_variance_grows_in_no_direction(name, X, family, alpha):
    """What a step subtracts is positive semidefinite; with shrinkage that is the reported value."""
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
def test_what_is_redundant_at_some_step_stays_redundant(seed, family, share):
    X = nonlinear_table(seed, d=6)
    threshold = share * X.var(axis=0).max()
    whole = GFA(threshold=threshold, family=family[0], backward=False, alpha=0).fit(X)
    found = set()
    for m in range(1, len(whole.selected_features_) + 1):
        fit = GFA(m, threshold=threshold, family=family[0], backward=False, alpha=0).fit(X)
        assert found <= set(fit.redundant_features_)
        found = set(fit.redundant_features_)
    assert found == set(whole.redundant_features_)


# shrinkage.md


@a_property
@given(names, tables, families, penalties)
def test_whatever_the_penalty_variables_explain_themselves(name, X, family, alpha):
    fit = new(name, count=3, threshold=None, family=family[0], alpha=alpha).fit(X)
    z = fit.transform(X)
    again = fit.transform(fit.inverse_transform(z))
    np.testing.assert_allclose(again, z, rtol=0, atol=1e-8 * np.abs(z).max())


@a_property
@given(tables, families, penalties)
def test_whatever_the_penalty_directions_are_orthonormal(X, family, alpha):
    axes = GFR(3, family=family[0], alpha=alpha).fit(X).components_
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), rtol=0, atol=1e-12)


@a_property
@given(names, tables, families, penalties)
def test_the_reported_variance_is_the_squared_error_and_the_penalty(name, X, family, alpha):
    fit = new(name, count=2, threshold=None, family=family[0], alpha=alpha).fit(X)
    error = np.trace(left_of(fit, X))
    reported, total = fit.total_residual_variance_[[-1, 0]]
    if alpha in (0.0, np.inf):  # nothing is penalized, or what is has no part in the fit
        assert error == pytest.approx(reported, rel=0, abs=1e-9 * total)
    else:
        assert error <= reported + 1e-9 * total
