"""Attributes of a fit: steps, reason to stop, kept and redundant candidates."""

import numpy as np
import pytest
from contract_cases import D, N, X
from support import ALL, EXTRACTORS, STEPWISE, make

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.exceptions import SaturationWarning
from gramian.families import Polynomial


def n_selected(fitted):
    if isinstance(fitted, tuple(EXTRACTORS)):
        return fitted.n_components_
    return len(fitted.selected_features_)


# Steps


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("estimator", ALL)
def test_fitted_attributes_have_the_documented_shapes(estimator, solver):
    fitted = make(estimator, 2, solver=solver).fit(X)
    steps = len(fitted.n_functions_)
    assert n_selected(fitted) == 2
    assert steps == 2 or estimator is UFFS
    assert fitted.mean_.shape == (D,)
    assert fitted.residual_variance_.shape == (steps + 1,)
    assert fitted.total_residual_variance_.shape == (steps + 1,)
    assert fitted.explained_variance_ratio_.shape == (steps,)
    assert fitted.n_functions_.shape == fitted.n_dropped_functions_.shape == (steps,)
    assert fitted.n_functions_.dtype.kind == fitted.n_dropped_functions_.dtype.kind == "i"
    assert fitted.solver_ == solver
    assert isinstance(fitted.orthogonality_loss_, float)
    assert 0 <= fitted.orthogonality_loss_ < 1e-8
    if estimator in EXTRACTORS:
        assert fitted.components_.shape == (2, D)
    else:
        assert fitted.selected_features_.shape == (2,)
        assert fitted.support_.shape == (D,)
        assert fitted.support_.dtype == bool


@pytest.mark.parametrize("estimator", ALL)
def test_residual_variances_run_from_that_of_the_data_to_the_unexplained_one(estimator):
    fitted = make(estimator, 2).fit(X)
    total = fitted.total_residual_variance_
    assert total[0] == pytest.approx(X.var(axis=0).sum())
    assert fitted.explained_variance_ratio_.sum() == pytest.approx(1 - total[-1] / total[0])
    assert (fitted.explained_variance_ratio_ >= 0).all()
    expected = {
        GFR: np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1],
        GCA: np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1],
    }.get(estimator, X.var(axis=0).max())
    assert fitted.residual_variance_[0] == pytest.approx(expected)
    assert (fitted.residual_variance_ <= total * (1 + 1e-12)).all()


@pytest.mark.parametrize("estimator", ALL)
def test_functions_kept_and_dropped_make_up_each_block(estimator):
    doubled = np.column_stack([X, X[:, 1]])
    fitted = make(estimator, threshold=None, degree=2).fit(doubled)
    steps = len(fitted.n_functions_)
    assert steps >= 3
    # The j-th variable brings itself and its product with each of the j - 1 before it.
    np.testing.assert_array_equal(
        fitted.n_functions_ + fitted.n_dropped_functions_, 1 + np.arange(steps)
    )


def test_dropped_functions_are_counted_at_the_step_that_drops_them():
    sign, other = np.random.default_rng(0).choice([-1.0, 1.0], (2, 300))
    table = np.column_stack([2 * sign, other])
    fitted = GFS(2, family=Polynomial(2), alpha=0, criterion="variance").fit(
        table
    )  # the square of a sign is constant
    np.testing.assert_array_equal(fitted.n_functions_, [1, 2])
    np.testing.assert_array_equal(fitted.n_dropped_functions_, [1, 1])


# Reasons to stop


RANK_3 = X[:, [1, 2, 3]] @ np.random.default_rng(2).standard_normal((3, D))
STOPS = {
    "count": (X, {"count": 2}),
    "threshold": (X, {"threshold": 0.5}),
    "explained_variance": (X, {"count": 0.5}),
    "exhausted": (RANK_3, {"count": D, "threshold": None}),
    "max_functions": (X, {"max_functions": 4}),
    "saturated": (
        np.random.default_rng(3).standard_normal((10, D)),
        {"degree": None, "threshold": 1e-9},
    ),
}


@pytest.mark.parametrize("reason", [reason for reason in STOPS if reason != "saturated"])
@pytest.mark.parametrize("estimator", STEPWISE)
def test_the_stop_reason_names_the_limit_that_was_reached(estimator, reason):
    table, params = STOPS[reason]
    fitted = make(estimator, **params).fit(table)
    assert fitted.stop_reason_ == (fitted._count_name if reason == "count" else reason)
    explained = 1 - fitted.total_residual_variance_ / fitted.total_residual_variance_[0]
    match reason:
        case "count":
            assert n_selected(fitted) == 2
        case "threshold":
            assert fitted.residual_variance_[-1] <= 0.5 < fitted.residual_variance_[-2]
        case "explained_variance":
            assert explained[-1] >= 0.5 > explained[-2]
        case "exhausted":
            assert n_selected(fitted) == 3
            assert fitted.residual_variance_[-1] <= 1e-12 * fitted.residual_variance_[0]
        case "max_functions":
            # One function, two more, and the next three would be too many.
            np.testing.assert_array_equal(fitted.n_functions_, [1, 2])
            assert n_selected(fitted) == 2


@pytest.mark.parametrize("estimator", ALL)
def test_the_stop_reason_is_saturated_if_functions_span_all_samples(estimator):
    table, params = STOPS["saturated"]
    with pytest.warns(SaturationWarning):
        fitted = make(estimator, **params).fit(table)
    assert fitted.stop_reason_ == "saturated"
    assert 1 + fitted.n_functions_.sum() == len(table)
    assert fitted.residual_variance_[-1] == fitted.total_residual_variance_[-1] == 0


def test_stop_reasons_of_uffs():
    assert UFFS(degree=2).fit(RANK_3).stop_reason_ == "exhausted"
    stopped = UFFS(degree=2, max_functions=4).fit(X)
    assert stopped.stop_reason_ == "max_functions"
    np.testing.assert_array_equal(stopped.n_functions_, [1, 2])


@pytest.mark.parametrize("estimator", STEPWISE)
def test_max_functions_does_not_count_the_constant(estimator):
    # 1 + 2 + 3 functions of three variables
    enough = make(estimator, 3, threshold=None, max_functions=6).fit(X)
    assert enough.stop_reason_ == enough._count_name
    assert enough.n_functions_.sum() == 6
    too_few = make(estimator, 3, threshold=None, max_functions=5).fit(X)
    assert too_few.stop_reason_ == "max_functions"
    assert too_few.n_functions_.sum() == 3
    assert n_selected(too_few) == 2


@pytest.mark.parametrize("estimator", STEPWISE)
def test_max_functions_below_the_size_of_the_first_block_keeps_nothing(estimator):
    fitted = make(estimator, family=Polynomial(2), max_functions=1).fit(X)
    assert fitted.stop_reason_ == "max_functions"
    assert n_selected(fitted) == len(fitted.n_functions_) == 0
    assert len(fitted.residual_variance_) == 1


@pytest.mark.parametrize("estimator", [GFR, GFS])
def test_gfr_and_gfs_explain_95_percent_by_default(estimator):
    fitted = estimator().fit(X)
    explained = 1 - fitted.total_residual_variance_ / fitted.total_residual_variance_[0]
    assert fitted.stop_reason_ == "explained_variance"
    assert explained[-1] >= 0.95 > explained[-2]


@pytest.mark.parametrize("estimator", [GFR, GFS])
def test_threshold_alone_replaces_the_default(estimator):
    fitted = estimator(threshold=1e-6).fit(X)
    assert fitted.stop_reason_ == "threshold"
    assert fitted.residual_variance_[-1] <= 1e-6


# Kept and redundant candidates


def test_gca_records_the_kept_directions_of_its_basis():
    fitted = GCA(threshold=1e-2, basis=np.eye(D), backward=False, alpha=0).fit(X)
    np.testing.assert_array_equal(fitted.basis_, np.eye(D))
    np.testing.assert_array_equal(fitted.component_indices_, [3, 1, 2])
    np.testing.assert_array_equal(fitted.redundant_indices_, [0, 4, 5])
    np.testing.assert_array_equal(fitted.components_, np.eye(D)[[3, 1, 2]])


def test_gca_takes_principal_directions_by_default():
    fitted = GCA(threshold=None, backward=False, alpha=0).fit(X)
    variances = np.var((X - X.mean(axis=0)) @ fitted.basis_.T, axis=0)
    np.testing.assert_allclose(fitted.basis_ @ fitted.basis_.T, np.eye(D), atol=1e-12)
    np.testing.assert_allclose(
        variances, np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1], atol=1e-12
    )
    np.testing.assert_array_equal(fitted.components_, fitted.basis_[fitted.component_indices_])
    assert (np.diff(fitted.component_indices_) > 0).all()


def test_gfa_records_selected_redundant_and_undecided_features():
    fitted = GFA(threshold=1e-2, backward=False, alpha=0).fit(X)
    np.testing.assert_array_equal(fitted.selected_features_, [3, 1, 2])
    np.testing.assert_array_equal(fitted.redundant_features_, [0, 4, 5])
    early = GFA(2, threshold=1e-2, backward=False, alpha=0).fit(X)
    np.testing.assert_array_equal(early.selected_features_, [3, 1])
    np.testing.assert_array_equal(early.redundant_features_, [0])


@pytest.mark.parametrize("threshold", [None, 0.0])
def test_without_a_threshold_exact_functions_and_constants_are_redundant(threshold):
    table = np.column_stack([X, np.ones(N)])
    gfa = GFA(threshold=threshold, backward=False, alpha=0).fit(table)
    assert gfa.stop_reason_ == "exhausted"
    np.testing.assert_array_equal(gfa.selected_features_, [3, 1, 2])
    np.testing.assert_array_equal(gfa.redundant_features_, [0, 4, 5, 6])
    gca = GCA(threshold=threshold, basis=np.eye(D + 1), backward=False, alpha=0).fit(table)
    np.testing.assert_array_equal(gca.redundant_indices_, [0, 4, 5, 6])
