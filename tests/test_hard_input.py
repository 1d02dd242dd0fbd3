"""Hard input: fitted correctly, or refused with the remedy."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from input_cases import A, B, N, X, assert_same_choice, fit
from support import ALL, EXTRACTORS, SELECTORS, SOLVERS, WITH_FAMILY, make

from gramian import GFA, GFR, GFS, UFFS
from gramian.exceptions import SaturationWarning
from gramian.families import Custom, Fourier, Hermite, Legendre, Multilinear, Polynomial

# Types of numbers


@pytest.mark.parametrize("estimator", ALL)
def test_all_types_of_numbers_give_equal_fits(estimator):
    integers = np.random.default_rng(0).integers(-5, 5, (N, 3))
    bits = integers > [0, 2, -2]
    for table in (integers, integers.astype(np.int8), integers.astype(object), bits):
        expected = fit(make(estimator, 2), table.astype(np.float64))
        fitted = fit(make(estimator, 2), table)
        assert_same_choice(fitted, expected, atol=0)
        np.testing.assert_array_equal(fitted.residual_variance_, expected.residual_variance_)
        np.testing.assert_array_equal(
            fitted.transform(table).astype(float), expected.transform(table.astype(float))
        )


@pytest.mark.parametrize("estimator", ALL)
def test_float32_is_fitted_in_double_precision(estimator):
    single = X.astype(np.float32)
    fitted = fit(make(estimator, 2), single)
    expected = fit(make(estimator, 2), single.astype(np.float64))
    assert_same_choice(fitted, expected, atol=0)
    np.testing.assert_array_equal(fitted.residual_variance_, expected.residual_variance_)


# Shapes


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_a_table_of_one_column_keeps_that_column(estimator, solver):
    fitted = fit(make(estimator, solver=solver), X[:, [0]])
    out = fitted.transform(X[:, [0]])
    expected = X[:, [0]] - X[:, 0].mean() if estimator in EXTRACTORS else X[:, [0]]
    np.testing.assert_allclose(out, expected, atol=1e-13)
    assert fitted.residual_variance_[-1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_two_rows_differ_along_one_direction(estimator, solver):
    table = np.array([[1.0, 5.0, 2.0], [2.0, 3.0, 2.0]])
    with pytest.warns(SaturationWarning):
        fitted = fit(make(estimator, solver=solver), table)
    assert len(fitted.n_functions_) == 1
    assert fitted.residual_variance_[-1] == 0
    if estimator in EXTRACTORS:
        direction = np.array([[-1.0, 2.0, 0.0]]) / np.sqrt(5)
        np.testing.assert_allclose(fitted.components_, direction, atol=1e-14)


WIDE = np.random.default_rng(5).standard_normal((30, 2000)) * np.linspace(2, 1, 2000)


def fit_and_peak(estimator, table):
    """Fit; return the fit and the peak memory in bytes."""
    tracemalloc.start()
    try:
        return fit(estimator, table), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_wide_tables_need_no_square_matrix(estimator):
    fitted, peak = fit_and_peak(make(estimator, 3), WIDE)
    assert peak < 10 * WIDE.nbytes < 2000 * 2000 * 8
    assert fitted.components_.shape == (3, 2000)
    first = np.linalg.svd(WIDE - WIDE.mean(axis=0), full_matrices=False)[2][0]
    assert abs(fitted.components_[0] @ first) == pytest.approx(1)
    assert fitted.total_residual_variance_[0] == pytest.approx(WIDE.var(axis=0).sum())


@pytest.mark.parametrize("estimator", SELECTORS)
def test_wide_tables_are_selected_from_without_a_square_matrix(estimator):
    params = {"cluster_size": 3} if estimator is UFFS else {}
    fitted, peak = fit_and_peak(make(estimator, 3, **params), WIDE)
    assert peak < 2000 * 2000 * 8
    assert fitted.support_.sum() == 3
    if estimator is not UFFS:
        assert fitted.selected_features_[0] == WIDE.var(axis=0).argmax()


def test_linear_reduction_of_a_wide_table_is_pca():
    fitted = fit(GFR(5, degree=1, alpha=0), WIDE)
    expected = np.linalg.svd(WIDE - WIDE.mean(axis=0), full_matrices=False)[2][:5]
    overlap = np.abs(np.sum(fitted.components_ * expected, axis=1))
    np.testing.assert_allclose(overlap, 1, rtol=1e-10)


# Columns and rows that add nothing


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 + 0.1, -1e200])
@pytest.mark.parametrize("estimator", ALL)
def test_constant_columns_are_ignored(estimator, constant, solver):
    table = np.column_stack([np.full(N, constant), X])
    fitted = fit(make(estimator, 2, solver=solver), table)
    without = fit(make(estimator, 2, solver=solver), X)
    assert fitted.mean_[0] == constant
    # UFFS takes a step for the constant column too, without effect.
    residual = fitted.residual_variance_[1 if estimator is UFFS else 0 :]
    np.testing.assert_allclose(residual, without.residual_variance_, rtol=1e-10)
    if estimator in EXTRACTORS:
        np.testing.assert_allclose(fitted.components_[:, 0], 0, atol=1e-12)
        np.testing.assert_allclose(fitted.components_[:, 1:], without.components_, atol=1e-10)
    else:
        np.testing.assert_array_equal(fitted.selected_features_, without.selected_features_ + 1)


@pytest.mark.parametrize("count", [None, 1, 0.5])
@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_a_constant_table_has_no_directions(estimator, count):
    table = np.tile([1.0, 0.1, -3.0], (10, 1))
    fitted = fit(make(estimator, count), table)
    assert fitted.n_components_ == 0
    assert fitted.components_.shape == (0, 3)
    assert fitted.transform(table).shape == (10, 0)
    assert len(fitted.get_feature_names_out()) == 0
    np.testing.assert_array_equal(fitted.inverse_transform(np.empty((10, 0))), table)
    np.testing.assert_array_equal(fitted.residual_variance_, [0])


@pytest.mark.parametrize("estimator", SELECTORS)
def test_nothing_is_selected_from_a_constant_table(estimator):
    table = np.tile([1.0, 0.1, -3.0], (10, 1))
    fitted = fit(make(estimator, 1), table)
    assert not fitted.support_.any()
    np.testing.assert_array_equal(fitted.residual_variance_, [0])
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(table).shape == (10, 0)


COPIES = {
    "duplicates": [1.0, 1.0, 1.0],
    "signs": [1.0, -1.0, 1.0],
    "scales": [1.0, -0.5, 1 / 3],
    "far scales": [1.0, 1e-7, -1e-9],
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("copies", COPIES)
@pytest.mark.parametrize("estimator", SELECTORS)
def test_the_first_of_exact_copies_is_selected(estimator, copies, solver):
    table = np.column_stack([*(scale * A for scale in COPIES[copies]), 0.5 * B])
    params = {"threshold": 1e-6, "relative": True, "solver": solver}
    fitted = fit(make(estimator, **params), table)
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 3])
    np.testing.assert_allclose(fitted.residual_variance_[-1], 0, atol=1e-12)
    if estimator is GFA:
        np.testing.assert_array_equal(fitted.redundant_features_, [1, 2])


@pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("copies", COPIES)
@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_exact_copies_are_one_direction(estimator, copies, solver):
    scales = np.array(COPIES[copies])
    table = np.outer(A, scales)
    fitted = fit(make(estimator, 3, threshold=None, solver=solver), table)
    assert fitted.stop_reason_ == "exhausted"
    np.testing.assert_allclose(
        fitted.components_, [scales / np.linalg.norm(scales)], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_repeated_rows_equal_integer_weights(estimator, solver):
    repeats = 1 + np.arange(N) % 3
    repeated = fit(make(estimator, 2, solver=solver), np.repeat(X, repeats, axis=0))
    weighted = fit(make(estimator, 2, solver=solver), X, sample_weight=repeats)
    assert_same_choice(repeated, weighted)
    np.testing.assert_allclose(repeated.residual_variance_, weighted.residual_variance_)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_rows_of_weight_zero_have_no_effect(estimator, solver):
    weight = np.ones(N)
    weight[::4] = 0
    spoiled = X.copy()
    spoiled[::4] = 1e150
    fitted = fit(make(estimator, 2, solver=solver), spoiled, sample_weight=weight)
    expected = fit(make(estimator, 2, solver=solver), X[weight > 0])
    assert_same_choice(fitted, expected)
    np.testing.assert_allclose(fitted.mean_, expected.mean_)


# Scales


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e150, 1e-150])
@pytest.mark.parametrize("estimator", ALL)
def test_tables_of_very_large_or_small_values_are_fitted_correctly(estimator, scale, solver):
    table = np.column_stack([X, 0.5 * A * B])
    params = {"solver": solver, "threshold": None}
    fitted = fit(make(estimator, 3, **params), scale * table)
    expected = fit(make(estimator, 3, **params), table)
    assert_same_choice(fitted, expected)
    np.testing.assert_allclose(
        fitted.residual_variance_ / scale / scale, expected.residual_variance_, atol=1e-12
    )
    np.testing.assert_allclose(
        fitted.transform(scale * table) / scale, expected.transform(table), atol=1e-12
    )
    assert fitted.stop_reason_ == expected.stop_reason_


MIXED = np.column_stack([1e150 * A, 1e-150 * B, 1e-152 * A * B])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", SELECTORS)
def test_relative_thresholds_treat_all_scales_alike(estimator, solver):
    params = {"threshold": 1e-6, "relative": True, "solver": solver}
    fitted = fit(make(estimator, **params), MIXED)
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 1])
    np.testing.assert_array_equal(fitted.transform(MIXED), MIXED[:, :2])
    np.testing.assert_allclose(fitted.mean_, MIXED.mean(axis=0), rtol=1e-10)
    if estimator is GFA:
        np.testing.assert_array_equal(fitted.redundant_features_, [2])


@pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_the_column_in_the_largest_unit_dominates_absolute_variances(estimator, solver):
    fitted = fit(make(estimator, 1, threshold=None, solver=solver), MIXED)
    total = fitted.total_residual_variance_
    assert total[0] == pytest.approx(MIXED[:, 0].var(), rel=1e-12)
    assert total[-1] <= 1e-12 * total[0]
    out = fitted.transform(MIXED)
    expected = MIXED[:, [0]]
    if estimator in EXTRACTORS:
        np.testing.assert_allclose(fitted.components_, [[1, 0, 0]], atol=1e-15)
        expected = expected - MIXED[:, 0].mean()
    np.testing.assert_allclose(out, expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", ALL)
def test_a_variance_beyond_floating_point_is_refused_with_the_column(estimator):
    with pytest.raises(ValueError, match=r"column 1, counted.*too large.*unit that is 1e201 t"):
        make(estimator).fit(X * [1, 1e200, 1])
    with pytest.raises(ValueError, match=r"column 2, counted.*too large.*unit that is 1e308 t"):
        make(estimator).fit(np.column_stack([A, B, 1.7e308 * (np.eye(N)[0] - np.eye(N)[1])]))


@pytest.mark.parametrize("estimator", ALL)
def test_a_column_beyond_floating_point_is_called_by_its_name(estimator):
    frame = pd.DataFrame(X * [1, 1e200, 1], columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"The values of column 'b' differ .*too large") as caught:
        make(estimator).fit(frame)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    if estimator is not UFFS:
        with pytest.raises(ValueError, match=r"The values of column 'a' differ .*too small"):
            make(estimator).fit(lambda: iter([pd.DataFrame(1e-200 * X, columns=["a", "b", "c"])]))


@pytest.mark.parametrize(
    "table",
    [1e-200 * X[:, ::-1], 1e154 * np.random.default_rng(0).uniform(size=(N, 60))],
    ids=["underflow", "overflow of the sum"],
)
@pytest.mark.parametrize("estimator", ALL)
def test_a_total_variance_beyond_floating_point_is_fitted_or_refused(estimator, table):
    expected = make(estimator, 2, degree=1, threshold=None).fit(table / np.abs(table).max())
    try:
        fitted = fit(make(estimator, 2, degree=1, threshold=None), table)
    except ValueError as error:
        assert "in a unit that is" in str(error)  # noqa: PT017
    else:
        assert_same_choice(fitted, expected)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_an_offset_costs_no_accuracy(estimator, solver):
    far = 1e9 + 0.1 * np.column_stack([X, 0.5 * A * B])
    near = far - 1e9  # exact reference: the columns as stored in float64
    params = {"solver": solver, "threshold": 1e-8}
    fitted = fit(make(estimator, **params), far)
    expected = fit(make(estimator, **params), near)
    assert_same_choice(fitted, expected, atol=1e-9)
    np.testing.assert_allclose(
        fitted.residual_variance_,
        expected.residual_variance_,
        rtol=1e-10,
        atol=1e-12 * near.var(axis=0).max(),
    )
    np.testing.assert_allclose(fitted.mean_ - 1e9, near.mean(axis=0), atol=2e-7)


@pytest.mark.parametrize(
    "family", [Polynomial(4), Hermite(4), Legendre(4), Multilinear(None), Fourier(2)], ids=repr
)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
@pytest.mark.filterwarnings("ignore::gramian.exceptions.NumericalWarning")
@pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")
def test_outliers_do_not_make_the_fit_diverge(estimator, solver, family):
    table = np.random.default_rng(7).standard_cauchy((250, 5))
    fitted = fit(make(estimator, family=family, threshold=1e-8, solver=solver), table)
    assert len(fitted.n_functions_) >= 3
    assert fitted.residual_variance_[-1] < fitted.residual_variance_[0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_powers_beyond_floating_point_are_refused_with_the_remedy(solver):
    table = np.append(np.linspace(-1, 1, 999), 1e6)[:, np.newaxis]
    family = Polynomial(300, max_variables=1)
    with pytest.raises(FloatingPointError, match=r"exceed the range.*Lower the degree.*outliers"):
        GFR(family=family, solver=solver, alpha=0, robust=False).fit(table)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e200, 1e-100, 1.0])
def test_the_scale_of_a_function_does_not_matter_or_is_refused(scale, solver):
    family = Custom([(lambda z: scale * z**2, 1)])
    table = np.column_stack([2 * A, A**2])
    try:
        fitted = fit(
            GFS(threshold=1e-6, family=family, solver=solver, alpha=0, criterion="variance"), table
        )
    except FloatingPointError as error:
        assert "range of float64" in str(error)  # noqa: PT017
        assert scale != 1
    else:
        np.testing.assert_array_equal(fitted.selected_features_, [0])


@pytest.mark.parametrize("factor", [1e307, 1e-300])
@pytest.mark.parametrize("estimator", ALL)
def test_only_ratios_of_weights_matter(estimator, factor):
    weight = 1.0 + np.arange(N) % 3
    fitted = fit(make(estimator, 2), X, sample_weight=factor * weight)
    expected = fit(make(estimator, 2), X, sample_weight=weight)
    assert_same_choice(fitted, expected)
    np.testing.assert_allclose(fitted.residual_variance_, expected.residual_variance_)
