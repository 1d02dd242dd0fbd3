"""Shrinkage: exact solutions of the penalized problem, from the paper's fit to PCA."""

from __future__ import annotations

import warnings

import families_by_hand as hand
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import FAMILIES, INDICATORS, discrete, planted, weights
from property_cases import (
    a_property,
    assert_same_directions,
    families,
    names,
    new,
    nonlinear_table,
    seeds,
)
from reconstruction_cases import (
    Explicit,
    assert_fitted_to_all_rows,
    assert_held_out_residuals,
    axes_of,
    candidates_of,
    independent_grid,
    largest_of,
    noise,
    wide_table,
)
from sklearn.decomposition import PCA
from support import STEPWISE, make

from gramian import GCA, GFA, GFR, GFS
from gramian.core.orthogonalize import _gram
from gramian.estimators._pursuit_plan import AUTO_ALPHAS
from gramian.exceptions import OverfittingWarning, SaturationWarning

X = planted()
TRAIN, TEST = X[:200], X[200:]
ALPHAS = [1e-3, 0.3]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


def assert_penalized_residuals(fitted, explicit, tolerance=1e-10):
    """Check the residual variances of the rows of the fit, for every number of variables."""
    left = [explicit.left(j, alpha) for j, alpha in enumerate([0.0, *fitted.alpha_path_])]
    total = np.array([np.trace(each) for each in left])
    close = {"rtol": 0, "atol": tolerance * total[0]}
    np.testing.assert_allclose(fitted.total_residual_variance_, total, **close)
    largest = [largest_of(fitted, each) for each in left]
    np.testing.assert_allclose(fitted.residual_variance_, largest, **close)


def assert_choice_by_penalized_residuals(fitted, explicit):
    """Check that every choice has the largest penalized residual before its step."""
    candidates = candidates_of(fitted)
    original = explicit.left(0)
    for j, axis in enumerate(axes_of(fitted)):
        left = explicit.left(j, fitted.alpha_path_[j - 1] if j else 0.0)
        if candidates is None:
            top = np.linalg.eigh(left)[1][:, -1]
            assert abs(top @ axis) == pytest.approx(1.0, abs=1e-9)
        elif isinstance(fitted, GFS):
            assert np.argmax(axis) == np.argmax(left.diagonal())
        else:
            along = np.einsum("ij,jk,ik->i", candidates, left, candidates)
            enough = along >= (1e-4 if fitted.threshold == "auto" else fitted.threshold)
            variances = np.einsum("ij,jk,ik->i", candidates, original, candidates)
            best = np.argmax(np.where(enough, variances, -1.0))
            np.testing.assert_array_equal(axis, candidates[best])


# The penalized problem


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("name", FAMILIES)
@every_estimator
def test_residuals_are_the_minimum_of_the_penalized_problem(estimator, name, alpha):
    family, functions = FAMILIES[name]
    fitted = make(estimator, 3, family=family, alpha=alpha).fit(X)
    explicit = Explicit(fitted, functions, X)
    assert_penalized_residuals(fitted, explicit)
    assert_choice_by_penalized_residuals(fitted, explicit)
    np.testing.assert_array_equal(fitted.alpha_path_, [alpha] * 3)
    assert fitted.alpha_ == alpha


@pytest.mark.parametrize("name", INDICATORS)
@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_penalized_residuals_of_discrete_columns_are_right(estimator, name):
    # Functions of discrete columns are dependent; with a penalty none must be dropped except
    # products of levels that never occur together.
    family, functions = INDICATORS[name]
    train, test = discrete()[:140], discrete()[140:]
    fitted = make(estimator, 3, family=family, alpha=0.01).fit(train, validation_data=test)
    explicit = Explicit(fitted, functions, train)
    nothing = ~explicit.functions(3)[0].any(axis=0)
    assert fitted.n_dropped_functions_.sum() == nothing.sum()
    assert_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, test)


@pytest.mark.parametrize("solver", ["gram", "moments"])
@every_estimator
def test_penalized_residuals_with_weights_are_right(estimator, solver):
    w = weights()
    fitted = make(estimator, 4, degree=3, alpha=0.03, solver=solver)
    fitted.fit(TRAIN, sample_weight=w[:200], validation_data=(TEST, w[200:]))
    explicit = Explicit(fitted, hand.multilinear(3), TRAIN, w[:200])
    assert fitted.solver_ == solver
    assert_penalized_residuals(fitted, explicit)
    assert_choice_by_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, TEST, w[200:])


@every_estimator
def test_penalized_residuals_with_more_functions_than_rows_are_right(estimator):
    table = nonlinear_table(0, d=7, n=60)
    fitted = make(estimator, 5, threshold=1e-6, degree=3, alpha=1.0)
    fitted.fit(table[:20], validation_data=table[20:])
    assert fitted.n_functions_.sum() == 25
    explicit = Explicit(fitted, hand.multilinear(3), table[:20])
    assert_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, table[20:])


@every_estimator
def test_functions_in_excess_of_the_rows_are_dropped_but_variables_are_kept(estimator, monkeypatch):
    monkeypatch.setattr(_gram, "MIN_SHRUNK", 0)
    table = nonlinear_table(0, d=7, n=60)
    fitted = make(estimator, 5, threshold=1e-6, degree=3, alpha=1.0)
    fitted.fit(table[:20], validation_data=table[20:])
    # Four variables have 14 functions; the next 11 would exceed the 20 rows.
    np.testing.assert_array_equal(fitted.n_functions_, [1, 2, 4, 7, 1])
    np.testing.assert_array_equal(fitted.n_dropped_functions_, [0, 0, 0, 0, 10])
    all_of = hand.multilinear(3)
    explicit = Explicit(fitted, lambda i: all_of(i)[: 1 if i == 5 else None], table[:20])
    assert_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, table[20:])


@every_estimator
def test_penalized_residuals_with_more_columns_than_rows_are_right(estimator):
    train, test = wide_table()
    fitted = make(estimator, 4, alpha=0.1).fit(train, validation_data=test)
    explicit = Explicit(fitted, hand.multilinear(2), train)
    assert_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, test)


@a_property
@given(seeds, names, families, st.sampled_from([1e-4, 0.01, 1.0, 100.0]), st.integers(3, 5))
def test_penalized_residuals_of_any_table_are_right(seed, name, pair, alpha, d):
    family, functions = pair
    table = nonlinear_table(seed, d)
    fitted = new(name, count=3, threshold=1e-6, family=family, alpha=alpha)
    fitted.fit(table[:150], validation_data=table[150:])
    explicit = Explicit(fitted, functions, table[:150])
    assert_penalized_residuals(fitted, explicit)
    assert_choice_by_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, table[150:])


@a_property
@given(seeds, names)
def test_a_larger_penalty_leaves_more_residual_variance(seed, name):
    table = nonlinear_table(seed)
    left = [
        new(name, count=1, threshold=None, family="polynomial", degree=3, alpha=alpha)
        .fit(table)
        .total_residual_variance_[-1]
        for alpha in [0.0, 1e-3, 0.1, 10.0]
    ]
    assert (np.diff(left) >= -1e-12 * left[0]).all()


@every_estimator
def test_units_of_the_data_do_not_change_the_penalty(estimator):
    relative = {} if estimator is GFR else {"relative": True}
    one = make(estimator, 3, alpha=0.1, degree=3, **relative).fit(X)
    other = make(estimator, 3, alpha=0.1, degree=3, **relative).fit(1e6 * X)
    np.testing.assert_allclose(
        other.total_residual_variance_, 1e12 * one.total_residual_variance_, rtol=1e-9
    )
    np.testing.assert_allclose(axes_of(other), axes_of(one), atol=1e-9)


# Towards the paper, and towards PCA


@pytest.mark.parametrize("degree", [2, 3])
@every_estimator
def test_a_tiny_penalty_gives_the_fit_of_the_paper(estimator, degree):
    plain = make(estimator, 4, degree=degree).fit(TRAIN, validation_data=TEST)
    shrunk = make(estimator, 4, degree=degree, alpha=1e-10).fit(TRAIN, validation_data=TEST)
    close = {"rtol": 0, "atol": 1e-6 * plain.total_residual_variance_[0]}
    for name in ["residual_variance_", "total_residual_variance_"]:
        for attribute in [name, f"validation_{name}", f"gcv_{name}"]:
            if hasattr(plain, attribute):
                value, expected = getattr(shrunk, attribute), getattr(plain, attribute)
                np.testing.assert_allclose(value, expected, **close)
    np.testing.assert_allclose(axes_of(shrunk), axes_of(plain), atol=1e-6)
    np.testing.assert_allclose(
        shrunk.inverse_transform(shrunk.transform(TEST)),
        plain.inverse_transform(plain.transform(TEST)),
        atol=1e-5,
    )


@pytest.mark.parametrize("alpha", [1e9, 1e15, np.inf])
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_gfr_with_a_huge_penalty_is_pca(shape, alpha):
    train, test = (TRAIN, TEST) if shape == "tall" else wide_table()
    fitted = GFR(4, degree=3, alpha=alpha).fit(train)
    pca = PCA(4).fit(train)
    assert_same_directions(fitted.components_, pca.components_, up_to_sign=True)
    variance = train.var(axis=0).sum()
    left = variance - np.cumsum(pca.singular_values_**2) / len(train)
    np.testing.assert_allclose(
        fitted.total_residual_variance_[1:], left, rtol=0, atol=1e-7 * variance
    )
    np.testing.assert_allclose(
        fitted.inverse_transform(fitted.transform(test)),
        pca.inverse_transform(pca.transform(test)),
        atol=1e-5,
    )


@pytest.mark.parametrize("estimator", [GCA, GFS, GFA])
def test_an_infinite_penalty_keeps_only_linear_functions(estimator):
    linear = make(estimator, 4, degree=1).fit(TRAIN, validation_data=TEST)
    fitted = make(estimator, 4, degree=3, alpha=np.inf).fit(TRAIN, validation_data=TEST)
    np.testing.assert_allclose(axes_of(fitted), axes_of(linear), atol=1e-12)
    close = {"rtol": 0, "atol": 1e-10 * linear.total_residual_variance_[0]}
    for name in ["total_residual_variance_", "validation_total_residual_variance_"]:
        np.testing.assert_allclose(getattr(fitted, name), getattr(linear, name), **close)
    np.testing.assert_allclose(
        fitted.gcv_total_residual_variance_, linear.gcv_total_residual_variance_, **close
    )


# Saturation


@every_estimator
def test_a_penalized_fit_continues_where_a_plain_fit_saturates(estimator):
    table = np.random.default_rng(0).standard_normal((20, 10))
    with pytest.warns(SaturationWarning):
        plain = make(estimator, 8, degree=None, threshold=1e-9).fit(table)
    assert plain.stop_reason_ == "saturated"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverfittingWarning)
        warnings.simplefilter("error", SaturationWarning)
        fitted = make(estimator, 8, degree=None, threshold=1e-9, alpha=0.1).fit(table)
    assert fitted.stop_reason_ == fitted._count_name
    assert (np.diff(fitted.total_residual_variance_) < 0).all()
    assert fitted.residual_variance_[-1] > 0
    np.testing.assert_array_equal(fitted.n_functions_, 2 ** np.arange(8))
    assert_penalized_residuals(fitted, Explicit(fitted, hand.multilinear(), table))


# The penalty that held-out rows choose


def few_rows(seed=0, n=70):
    """Return few and noisy rows, for which shrinkage pays."""
    table = nonlinear_table(seed, d=6, n=n + 200)
    return table[:n], table[n:]


@pytest.mark.parametrize("degree", [2, 3])
@every_estimator
def test_the_chosen_penalty_minimizes_the_residual_of_held_out_rows(estimator, degree):
    train, test = few_rows()
    fitted = make(estimator, 4, degree=degree, alpha="auto").fit(train, validation_data=test)
    explicit = Explicit(fitted, hand.multilinear(degree), train)
    assert len(fitted.alpha_path_) == 4
    for j, chosen in enumerate(fitted.alpha_path_, start=1):
        totals = {a: np.trace(explicit.left_of(test, None, j, a)) for a in AUTO_ALPHAS}
        least = min(totals.values())
        assert chosen == next(a for a in AUTO_ALPHAS if totals[a] <= (1 + 1e-9) * least)
        assert fitted.validation_total_residual_variance_[j] == pytest.approx(least, rel=1e-9)
    assert fitted.alpha_ == fitted.alpha_path_[-1]
    assert fitted.alpha_ > 0
    assert_penalized_residuals(fitted, explicit)
    assert_choice_by_penalized_residuals(fitted, explicit)
    assert_held_out_residuals(fitted, explicit, test)


def test_the_decoder_uses_the_chosen_penalty():
    train, test = few_rows(n=40)
    fitted = GFR(4, degree=3, alpha="auto").fit(train, validation_data=test)
    assert len(set(fitted.alpha_path_)) > 1
    expected = Explicit(fitted, hand.multilinear(3), train).reconstruct(test, 4, fitted.alpha_)
    np.testing.assert_allclose(
        fitted.inverse_transform(fitted.transform(test)), expected, atol=1e-8
    )


@every_estimator
def test_the_smallest_of_equally_good_penalties_is_chosen(estimator):
    # A linear family has nothing to penalize.
    fitted = make(estimator, 3, degree=1, alpha="auto").fit(TRAIN, validation_data=TEST)
    plain = make(estimator, 3, degree=1).fit(TRAIN, validation_data=TEST)
    np.testing.assert_array_equal(fitted.alpha_path_, [0.0] * 3)
    assert fitted.alpha_ == 0.0
    np.testing.assert_allclose(
        fitted.validation_total_residual_variance_,
        plain.validation_total_residual_variance_,
        rtol=1e-9,
    )


@pytest.mark.parametrize("degree", [2, 3])
@every_estimator
def test_penalties_that_differ_by_rounding_are_equal(estimator, degree):
    # On a grid, products of variables do not explain the third column. In a
    # negligible column of noise, a penalty would reduce the residual.
    train, test = (
        np.column_stack([table[:, :3], 1e-5 * noise(len(table), 1, seed=len(table))])
        for table in independent_grid()
    )
    fitted = make(estimator, 2, degree=degree, alpha="auto").fit(train, validation_data=test)
    np.testing.assert_array_equal(fitted.alpha_path_, [0.0, 0.0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("estimator", [GFA, GFS])
def test_rounding_errors_do_not_choose_the_penalty_if_all_residuals_are_zero(estimator, seed):
    """All columns are kept: the fit with fewest functions has the smallest rounding errors."""
    X = np.random.default_rng(seed).standard_normal((60, 5))
    options = {"backward": False} if estimator is GFA else {"criterion": "gain"}
    fitted = estimator(5, family="polynomial", alpha="auto", **options).fit(X)
    assert len(fitted.selected_features_) == 5
    assert fitted.alpha_path_[-1] < np.inf
    assert fitted.alpha_ < np.inf


@every_estimator
def test_a_tenth_of_the_rows_chooses_the_penalty_for_the_fit_to_all_rows(estimator):
    table = nonlinear_table(0, d=6, n=120)
    fitted = make(estimator, 4, degree=3, alpha="auto").fit(table)
    (deciding,) = (
        make(estimator, 4, alpha="auto", validation_fraction=0.1)
        .path(table, degrees=[3])
        .estimators
    )
    assert deciding.alpha_ > 0
    assert_fitted_to_all_rows(fitted, deciding, hand.multilinear(3), table)


@every_estimator
def test_the_mean_is_that_of_all_rows_even_if_nothing_is_kept(estimator):
    fitted = make(estimator, None, threshold=1e9, alpha="auto").fit(X)
    assert len(fitted.n_functions_) == 0
    np.testing.assert_allclose(fitted.mean_, X.mean(axis=0))


@pytest.mark.parametrize("seed", range(4))
@every_estimator
def test_the_fit_to_all_rows_has_as_many_steps_as_the_fit_that_chose_the_penalty(estimator, seed):
    # The threshold alone would end the two fits at different steps.
    table = nonlinear_table(seed, d=8, n=80)
    fitted = make(estimator, None, threshold=0.3, alpha="auto", random_state=seed).fit(table)
    steps = len(fitted.n_functions_)
    assert len(axes_of(fitted)) == len(fitted.alpha_path_) == steps
    for name in vars(fitted):
        if name.endswith("residual_variance_"):
            assert len(getattr(fitted, name)) == steps + 1


@every_estimator
def test_noise_is_shrunk_and_exact_functions_are_not(estimator):
    table = noise(150, 10) * np.linspace(2, 1, 10)
    fitted = make(estimator, 5, degree=3, alpha="auto").fit(table)
    assert fitted.alpha_ >= 0.3
    grid, others = independent_grid()
    fitted = make(estimator, 3, degree=3, alpha="auto").fit(grid, validation_data=others)
    assert fitted.alpha_ == 0.0


# Refusals


@pytest.mark.parametrize("alpha", [1e-6, 1.0])
@every_estimator
def test_the_qr_solver_refuses_shrinkage(estimator, alpha):
    with pytest.raises(ValueError, match=r"solver='qr' cannot shrink.*Use solver='auto'\."):
        make(estimator, 2, alpha=alpha, solver="qr").fit(X)


@every_estimator
def test_automatic_shrinkage_with_qr_uses_qr_for_least_squares_and_sums_otherwise(estimator):
    many, (few, _) = nonlinear_table(0, d=6, n=2000), few_rows()
    plain = make(estimator, 2, alpha="auto", solver="qr").fit(many)
    assert (plain.solver_, plain.alpha_) == ("qr", 0.0)
    shrunk = make(estimator, 4, degree=3, alpha="auto", solver="qr").fit(few)
    assert shrunk.alpha_ > 0
    assert shrunk.solver_ in ("gram", "moments")


@pytest.mark.parametrize("alpha", [-1.0, "large", np.nan, None])
@every_estimator
def test_a_negative_or_invalid_penalty_is_refused(estimator, alpha):
    with pytest.raises(ValueError, match="alpha"):
        make(estimator, 2, alpha=alpha).fit(X)


@pytest.mark.parametrize("name", ["hermite 3", "fourier 2", "legendre 3"])
def test_columns_chosen_by_gain_enter_functions_with_variance_one(name):
    family, functions = FAMILIES[name]
    fitted = GFS(2, criterion="gain", family=family, alpha=0.1).fit(X)
    explicit = Explicit(fitted, functions, X)
    found = fitted.inverse_transform(fitted.transform(X))
    np.testing.assert_allclose(found, explicit.reconstruct(X, 2, 0.1), atol=1e-8)


@pytest.mark.parametrize("kind", [GFS, GFA])
def test_products_of_levels_that_never_occur_together_are_dropped_despite_a_penalty(kind, tmp_path):
    rows = [[0, 0], [0, 1], [1, 1], [2, 0], [1, 0], [1, 1], [0, 1]]  # no row has 2 and 1
    table = np.array(3 * rows, dtype=float)
    options = {"criterion": "variance"} if kind is GFS else {"backward": False, "threshold": 1e-9}
    fitted = kind(2, family="indicator", degree=2, alpha=0.1, **options).fit(table)
    assert fitted.n_dropped_functions_.sum() > 0
    assert (fitted.model_.decoder.moments[0].diagonal() > 0).all()
    fitted.save(tmp_path / "a.gram")  # saving refuses invalid moments
