"""Bad and hard input: it works, or the error names the problem and the remedy."""

import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.exceptions import NumericalWarning, OverfittingWarning, SaturationWarning
from gramian.families import Custom, Fourier, Hermite, Indicator, Legendre, Multilinear, Polynomial

EXTRACTORS = [GFR, GCA]
SELECTORS = [GFS, GFA, UFFS]
ALL = EXTRACTORS + SELECTORS
WITH_FAMILY = [GFR, GCA, GFS, GFA]
SOLVERS = ["qr", "gram"]

N = 200
SIGNS = np.random.default_rng(0).choice([-1, 1], (3, N))
A, B, C = SIGNS * np.random.default_rng(1).uniform(1, 2, (3, N))
X = np.column_stack([3 * A, 2 * B, C])


def make(estimator, count=None, **params):
    """Make an estimator; the count is of directions or of features."""
    if estimator is UFFS:
        params.setdefault("degree", 2)
    return estimator(count, **params)


def fit(estimator, table, **params):
    """Fit, and check what holds whatever the data."""
    fitted = estimator.fit(table, **params)
    for residual in (fitted.residual_variance_, fitted.total_residual_variance_):
        assert np.isfinite(residual).all()
        assert (residual >= 0).all()
        assert (np.diff(residual) <= 1e-12 * residual[0]).all()
    steps = len(fitted.n_functions_)
    assert len(fitted.residual_variance_) == len(fitted.total_residual_variance_) == steps + 1
    assert np.isfinite(fitted.explained_variance_ratio_).all()
    assert np.isfinite(fitted.mean_).all()
    assert np.isfinite(fitted.orthogonality_loss_)
    if isinstance(fitted, tuple(EXTRACTORS)):
        gram = fitted.components_ @ fitted.components_.T
        np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-10)
    return fitted


def assert_same_choice(one, other, atol=1e-10):
    """The same directions, or the same features in the same order."""
    if isinstance(one, tuple(EXTRACTORS)):
        np.testing.assert_allclose(one.components_, other.components_, atol=atol)
    else:
        np.testing.assert_array_equal(one.selected_features_, other.selected_features_)


# Values that are no numbers


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "Input X contains NaN"), (np.inf, "contains infinity"), (-np.inf, "infinity")],
)
def test_missing_and_infinite_values_are_named(estimator, value, message):
    table = X.copy()
    table[3, 1] = value
    with pytest.raises(ValueError, match=message):
        make(estimator).fit(table)
    fitted = make(estimator, 2).fit(X)
    with pytest.raises(ValueError, match=message):
        fitted.transform(table)


@pytest.mark.parametrize("estimator", ALL)
def test_missing_values_of_pandas_are_named(estimator):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).astype("Float64")
    frame.loc[3, "b"] = pd.NA
    with pytest.raises(ValueError, match="Input X contains NaN"):
        make(estimator).fit(frame)


@pytest.mark.parametrize("estimator", ALL)
def test_text_is_refused_with_an_example(estimator):
    with pytest.raises(ValueError, match="could not convert string to float: 'red'"):
        make(estimator).fit([["red", "1"], ["green", "2"], ["blue", "3"]])


@pytest.mark.parametrize("estimator", ALL)
def test_complex_values_are_refused(estimator):
    with pytest.raises(ValueError, match="Complex data not supported"):
        make(estimator).fit(X + 1j)


@pytest.mark.parametrize("estimator", ALL)
def test_sparse_data_is_refused_with_the_remedy(estimator):
    with pytest.raises(TypeError, match=r"dense data is required.*toarray"):
        make(estimator).fit(sparse.csr_array(X))


@pytest.mark.parametrize("estimator", ALL)
def test_types_of_numbers_make_no_difference(estimator):
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


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.empty((0, 3)), r"0 sample\(s\).*minimum of 2 is required"),
        (np.empty((5, 0)), r"0 feature\(s\).*minimum of 1 is required"),
        ([[1.0, 2.0, 3.0]], r"1 sample\(s\).*minimum of 2 is required"),
        ([1.0, 2.0, 3.0], r"Expected 2D array, got 1D(.|\n)*Reshape your data"),
        (np.zeros((4, 3, 2)), "dim 3"),
    ],
    ids=["no rows", "no columns", "one row", "1-D", "3-D"],
)
def test_shapes_that_make_no_table_are_refused(estimator, table, message):
    with pytest.raises(ValueError, match=message):
        make(estimator).fit(table)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_one_column_is_its_own_summary(estimator, solver):
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


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_wide_tables_need_no_square_matrix(estimator):
    start = time.process_time()
    tracemalloc.start()
    fitted = fit(make(estimator, 3), WIDE)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * WIDE.nbytes < 2000 * 2000 * 8
    assert time.process_time() - start < 5
    assert fitted.components_.shape == (3, 2000)
    first = np.linalg.svd(WIDE - WIDE.mean(axis=0), full_matrices=False)[2][0]
    assert abs(fitted.components_[0] @ first) == pytest.approx(1)
    assert fitted.total_residual_variance_[0] == pytest.approx(WIDE.var(axis=0).sum())


@pytest.mark.parametrize("estimator", SELECTORS)
def test_wide_tables_are_selected_from(estimator):
    params = {"cluster_size": 3} if estimator is UFFS else {}
    start = time.process_time()
    fitted = fit(make(estimator, 3, **params), WIDE)
    assert time.process_time() - start < 5
    assert fitted.support_.sum() == 3
    if estimator is not UFFS:
        assert fitted.selected_features_[0] == WIDE.var(axis=0).argmax()


def test_linear_reduction_of_a_wide_table_is_pca():
    fitted = fit(GFR(5, degree=1), WIDE)
    expected = np.linalg.svd(WIDE - WIDE.mean(axis=0), full_matrices=False)[2][:5]
    overlap = np.abs(np.sum(fitted.components_ * expected, axis=1))
    np.testing.assert_allclose(overlap, 1, rtol=1e-10)


# Columns that add nothing


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 + 0.1, -1e200])
@pytest.mark.parametrize("estimator", ALL)
def test_constant_columns_are_ignored(estimator, constant, solver):
    table = np.column_stack([np.full(N, constant), X])
    fitted = fit(make(estimator, 2, solver=solver), table)
    without = fit(make(estimator, 2, solver=solver), X)
    assert fitted.mean_[0] == constant
    # UFFS takes its turn with the constant too, to no effect.
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
def test_of_exact_copies_the_first_is_selected(estimator, copies, solver):
    table = np.column_stack([*(scale * A for scale in COPIES[copies]), 0.5 * B])
    params = {"threshold": 1e-6, "relative": True, "solver": solver}
    fitted = fit(make(estimator, **params), table)
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 3])
    np.testing.assert_allclose(fitted.residual_variance_[-1], 0, atol=1e-12)
    if estimator is GFA:
        np.testing.assert_array_equal(fitted.redundant_features_, [1, 2])


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
def test_repeated_rows_are_integer_weights(estimator, solver):
    repeats = 1 + np.arange(N) % 3
    repeated = fit(make(estimator, 2, solver=solver), np.repeat(X, repeats, axis=0))
    weighted = fit(make(estimator, 2, solver=solver), X, sample_weight=repeats)
    assert_same_choice(repeated, weighted)
    np.testing.assert_allclose(repeated.residual_variance_, weighted.residual_variance_)


# Scales


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e150, 1e-150])
@pytest.mark.parametrize("estimator", ALL)
def test_a_very_large_or_small_table_is_fitted_as_any_other(estimator, scale, solver):
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


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_absolute_variances_are_those_of_the_large_column(estimator, solver):
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
    with pytest.raises(ValueError, match=r"column 1 exceeds.*Rescale the columns.*StandardScaler"):
        make(estimator).fit(X * [1, 1e200, 1])
    with pytest.raises(ValueError, match=r"column 2 exceeds.*Rescale the columns.*StandardScaler"):
        make(estimator).fit(np.column_stack([A, B, 1.7e308 * (np.eye(N)[0] - np.eye(N)[1])]))


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
        assert "escale" in str(error)  # noqa: PT017
    else:
        assert_same_choice(fitted, expected)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_an_offset_costs_no_accuracy(estimator, solver):
    far = 1e9 + 0.1 * np.column_stack([X, 0.5 * A * B])
    near = far - 1e9  # exact: what float64 kept of the columns
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
        GFR(family=family, solver=solver).fit(table)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e200, 1e-100, 1.0])
def test_the_scale_of_a_function_does_not_matter_or_is_refused(scale, solver):
    family = Custom([(lambda z: scale * z**2, 1)])
    table = np.column_stack([2 * A, A**2])
    try:
        fitted = fit(GFS(threshold=1e-6, family=family, solver=solver), table)
    except FloatingPointError as error:
        assert "range of float64" in str(error)  # noqa: PT017
        assert scale != 1
    else:
        np.testing.assert_array_equal(fitted.selected_features_, [0])


# Order of use


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("method", ["transform", "inverse_transform"])
def test_use_before_fit_is_an_error(estimator, method):
    with pytest.raises(NotFittedError, match=f"This {estimator.__name__} instance is not fitted"):
        getattr(make(estimator), method)(X)


@pytest.mark.parametrize("estimator", ALL)
def test_names_before_fit_are_an_error(estimator):
    with pytest.raises(NotFittedError):
        make(estimator).get_feature_names_out()


@pytest.mark.parametrize("estimator", SELECTORS)
def test_support_before_fit_is_an_error(estimator):
    with pytest.raises(NotFittedError):
        make(estimator).get_support()


@pytest.mark.parametrize("estimator", ALL)
def test_another_number_of_columns_is_refused(estimator):
    fitted = make(estimator, 2).fit(X)
    message = f"X has 2 features, but {estimator.__name__} is expecting 3 features"
    with pytest.raises(ValueError, match=message):
        fitted.transform(X[:, :2])


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("estimator", ALL)
def test_inverse_of_another_width_is_refused(estimator, width):
    fitted = make(estimator, 2).fit(X)
    message = {
        GFR: f"Z has {width} columns, but GFR extracted 2 components",
        GCA: f"Z has {width} columns, but GCA extracted 2 components",
    }.get(estimator, "X has a different shape than during fitting")
    with pytest.raises(ValueError, match=message):
        fitted.inverse_transform(X[:, :width])


# Parameters


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"threshold": -0.1}, r"'threshold' parameter.*range \[0.*Got -0\.1"),
        ({"threshold": np.nan}, r"'threshold' parameter.*range \[0.*Got nan"),
        ({"threshold": "small"}, r"'threshold' parameter.*range \[0.*Got 'small'"),
        ({"degree": 0}, r"'degree' parameter.*int in the range \[1.*Got 0"),
        ({"degree": -1}, r"'degree' parameter.*int in the range \[1.*Got -1"),
        ({"degree": 1.5}, r"'degree' parameter.*int in the range \[1.*Got 1\.5"),
        ({"solver": "svd"}, r"'solver' parameter.*\{.*'auto'.*\}.*Got 'svd'"),
        ({"max_functions": 0}, r"'max_functions' parameter.*range \[1.*Got 0"),
        ({"max_functions": 2.5}, r"'max_functions' parameter.*range \[1.*Got 2\.5"),
        ({"verbose": -1}, r"'verbose' parameter.*Got -1"),
    ],
    ids=repr,
)
def test_parameters_out_of_range_are_named_with_the_range(estimator, params, message):
    with pytest.raises(ValueError, match=message):
        make(estimator, **params).fit(X)


@pytest.mark.parametrize("count", [0, -1, 1.0, 1.5, 0.0, -0.5, np.nan, "all"])
@pytest.mark.parametrize("estimator", ALL)
def test_counts_out_of_range_are_named_with_the_range(estimator, count):
    name = "n_components" if estimator in EXTRACTORS else "n_features_to_select"
    allowed = r"int in the range \[1.*"
    if estimator is not UFFS:
        allowed += r"float in the range \(0\.0, 1\.0\)"
    with pytest.raises(ValueError, match=f"'{name}' parameter.*{allowed}.*Got {count!r}"):
        make(estimator, count).fit(X)


@pytest.mark.parametrize("estimator", ALL)
def test_a_count_above_the_number_of_features_is_refused(estimator):
    name = "n_components" if estimator in EXTRACTORS else "n_features_to_select"
    message = f"{name}=4 is more than the 3 features of X; give at most 3"
    with pytest.raises(ValueError, match=message):
        make(estimator, 4).fit(X)


@pytest.mark.parametrize("estimator", ALL)
def test_all_features_may_be_asked_for(estimator):
    fitted = fit(make(estimator, 3, threshold=None), X)
    assert fitted.transform(X).shape == X.shape
    assert fitted.residual_variance_[-1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("estimator", ALL)
def test_true_is_one_as_in_scikit_learn(estimator):
    fitted = fit(make(estimator, True), X)
    assert fitted.transform(X).shape == (N, 1)


def test_uffs_takes_no_share_of_variance():
    with pytest.raises(
        ValueError, match=r"'n_features_to_select' parameter of UFFS must be an int"
    ):
        UFFS(0.5).fit(X)


@pytest.mark.parametrize("size", [0, 1.5, -2])
def test_cluster_size_out_of_range_is_named(size):
    with pytest.raises(ValueError, match=r"'cluster_size' parameter of UFFS.*range \[1"):
        UFFS(cluster_size=size).fit(X)


@pytest.mark.parametrize("estimator", [GCA, GFS, GFA, UFFS])
def test_relative_is_a_truth_value(estimator):
    with pytest.raises(ValueError, match=r"'relative' parameter.*instance of 'bool'.*Got 'yes'"):
        make(estimator, relative="yes").fit(X)


@pytest.mark.parametrize("family", ["polynomials", Multilinear, None, 2], ids=repr)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_an_unknown_family_is_refused_with_the_known_ones(estimator, family):
    with pytest.raises(ValueError, match=r"'family' parameter.*'multilinear'.*or an instance of"):
        make(estimator, family=family).fit(X)


@pytest.mark.parametrize("family", ["polynomial", "hermite", "legendre", "fourier"])
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_a_family_that_needs_a_degree_says_so(estimator, family):
    with pytest.raises(ValueError, match=f"degree of {family.capitalize()} must be a positive int"):
        make(estimator, family=family, degree=None).fit(X)


@pytest.mark.parametrize("family", [Multilinear(0), Multilinear(1.5), Fourier(2) + Hermite(0)])
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_bad_degrees_of_instances_are_found_at_fit(estimator, family):
    with pytest.raises(ValueError, match=r"degree of \w+ must be a positive integer"):
        make(estimator, family=family).fit(X)


ROTATION = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        (np.eye(2), r"orthonormal array of shape \(3, 3\).*got an array of shape \(2, 2\)"),
        (np.eye(3)[:2], r"orthonormal array of shape \(3, 3\).*got an array of shape \(2, 3\)"),
        (2 * np.eye(3), r"orthonormal array of shape \(3, 3\).*rows are not orthonormal"),
        (np.tri(3), r"orthonormal array of shape \(3, 3\).*rows are not orthonormal"),
        (np.full((3, 3), np.nan), "Input basis contains NaN"),
        (np.zeros(3), "Expected 2D array, got 1D array"),
        ("fourier", r"'basis' parameter of GCA.*\{'pca'\} or an array-like. Got 'fourier'"),
        (None, r"'basis' parameter of GCA.*\{'pca'\} or an array-like. Got None"),
    ],
    ids=["2 x 2", "2 x 3", "scaled", "oblique", "NaN", "1-D", "unknown name", "None"],
)
def test_a_basis_that_is_none_is_refused(basis, message):
    with pytest.raises(ValueError, match=message):
        GCA(basis=basis).fit(X)


def test_a_basis_may_be_nested_lists():
    expected = fit(GCA(basis=ROTATION), X)
    assert_same_choice(fit(GCA(basis=ROTATION.tolist()), X), expected, atol=0)


# Weights


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(N), "Negative values in data passed to `sample_weight`"),
        (
            np.zeros(N),
            "Sample weights must contain at least one non-zero|sample_weight must be pos",
        ),
        (np.eye(N)[0], "sample_weight must be positive for at least two samples"),
        (np.ones(N - 1), r"sample_weight.shape == \(199,\), expected \(200,\)"),
        (np.ones((N, 2)), "Sample weights must be 1D"),
        (np.full(N, np.nan), "Input sample_weight contains NaN"),
        (np.full(N, np.inf), "Input sample_weight contains infinity"),
    ],
    ids=["negative", "zero", "one row", "length", "2-D", "NaN", "infinity"],
)
def test_bad_weights_are_named(estimator, weight, message):
    with pytest.raises(ValueError, match=message):
        make(estimator).fit(X, sample_weight=weight)


@pytest.mark.parametrize("factor", [1e307, 1e-300])
@pytest.mark.parametrize("estimator", ALL)
def test_weights_count_up_to_a_factor(estimator, factor):
    weight = 1.0 + np.arange(N) % 3
    fitted = fit(make(estimator, 2), X, sample_weight=factor * weight)
    expected = fit(make(estimator, 2), X, sample_weight=weight)
    assert_same_choice(fitted, expected)
    np.testing.assert_allclose(fitted.residual_variance_, expected.residual_variance_)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_rows_of_weight_zero_are_not_there(estimator, solver):
    weight = np.ones(N)
    weight[::4] = 0
    spoiled = X.copy()
    spoiled[::4] = 1e150
    fitted = fit(make(estimator, 2, solver=solver), spoiled, sample_weight=weight)
    expected = fit(make(estimator, 2, solver=solver), X[weight > 0])
    assert_same_choice(fitted, expected)
    np.testing.assert_allclose(fitted.mean_, expected.mean_)


# The user's own functions


def nan_for_negatives(z):
    return np.where(z > 0, z, np.nan)


def infinite(z):
    return np.full_like(z, np.inf)


def scalar(z):
    return 1.0


def column(z):
    return z[:, np.newaxis]


def too_short(z):
    return z[1:]


def imaginary(z):
    return 1j * z


def textual(z):
    return z.astype(str)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (nan_for_negatives, "'nan_for_negatives' returned NaN or infinity.*make it finite"),
        (infinite, "'infinite' returned NaN or infinity.*make it finite"),
        (scalar, r"'scalar' returned an array of shape \(\).*return one value a row"),
        (column, r"'column' returned an array of shape \(200, 1\).*return one value a row"),
        (too_short, r"'too_short' returned an array of shape \(199,\).*return one value a row"),
        (imaginary, "'imaginary' returned values of type complex128; real numbers"),
        (textual, "'textual' returned values of type <U.*; real numbers"),
    ],
)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_bad_results_of_a_function_are_named_with_it(estimator, solver, function, message):
    with pytest.raises(ValueError, match=message):
        make(estimator, family=Custom([(function, 1)]), solver=solver).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_error_inside_a_function_is_the_users_own(solver):
    def broken(z):
        raise ZeroDivisionError("my own mistake")

    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        GFR(family=Custom([(broken, 1)]), solver=solver).fit(X)


@pytest.mark.parametrize(
    "functions",
    [
        None,
        [],
        [np.abs],
        [(np.abs,)],
        [(np.abs, 0)],
        [(np.abs, -1)],
        [(np.abs, 1.5)],
        [(np.abs, "1")],
        [("abs", 1)],
        [(np.abs, 1), (np.hypot, None)],
    ],
    ids=repr,
)
def test_custom_functions_without_an_arity_are_refused_with_an_example(functions):
    with pytest.raises(ValueError, match=r"pairs of a callable and its arity.*Custom\(\[\(np.abs"):
        GFR(family=Custom(functions)).fit(X)


@pytest.mark.parametrize(("function", "arity"), [(np.hypot, 1), (lambda u, v: u + v, 3)])
def test_a_function_of_another_arity_fails_as_a_call_does(function, arity):
    with pytest.raises(TypeError, match=r"argument|operand"):
        GFS(3, family=Custom([(function, arity)])).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_second_argument_cannot_be_mistaken_for_an_output(solver):
    # np.abs(u, v) writes to v.
    with pytest.raises((TypeError, ValueError)):
        GFS(3, family=Custom([(np.abs, 2)]), solver=solver).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_function_that_changes_its_argument_changes_nothing_else(solver):
    def cube_in_place(z):
        z **= 3
        return z

    table = np.column_stack([3 * A, 2 * B, 0.1 * A**3])
    params = {"threshold": None, "solver": solver}
    expected = fit(GFS(2, family=Custom([(lambda z: z**3, 1), (np.hypot, 2)]), **params), table)
    try:
        fitted = fit(GFS(2, family=Custom([(cube_in_place, 1), (np.hypot, 2)]), **params), table)
    except ValueError as error:
        assert "read-only" in str(error)  # noqa: PT017
    else:
        np.testing.assert_allclose(fitted.residual_variance_, expected.residual_variance_)


@pytest.mark.parametrize(
    "function", [lambda z: z > 0, lambda z: np.rint(z).astype(int), lambda z: (z**2).tolist()]
)
def test_functions_may_return_booleans_integers_and_lists(function):
    fitted = fit(GFS(2, family=Custom([(function, 1)])), X)
    np.testing.assert_array_equal(fitted.n_functions_ + fitted.n_dropped_functions_, [2, 2])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_constant_and_repeated_functions_are_dropped(estimator, solver):
    family = Custom([(np.ones_like, 1), (np.zeros_like, 1), (np.positive, 1), (np.abs, 1)])
    fitted = fit(make(estimator, 2, family=family, solver=solver, threshold=None), X)
    np.testing.assert_array_equal(fitted.n_functions_, [2, 2])
    np.testing.assert_array_equal(fitted.n_dropped_functions_, [3, 3])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_indicators_of_continuous_data_are_refused_with_the_remedy(estimator, solver):
    with pytest.raises(ValueError, match=r"more than max_levels=32.*KBinsDiscretizer.*raise max"):
        make(estimator, family="indicator", solver=solver).fit(X)


def test_max_levels_is_the_number_of_levels_still_accepted():
    table = np.column_stack([3 * (np.arange(N) % 5), np.arange(N) % 2])
    assert fit(GFS(2, family=Indicator(2, max_levels=5)), table).support_.all()
    with pytest.raises(ValueError, match="max_levels=4"):
        GFS(2, family=Indicator(2, max_levels=4)).fit(table)


# Warnings


def caught(record):
    assert len(record) == 1
    return record[0]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_more_functions_than_half_of_the_samples_are_warned_of(estimator, solver):
    table = np.random.default_rng(0).standard_normal((13, 3))  # 1 + 1 + 2 + 3 functions
    with pytest.warns(
        OverfittingWarning,
        match=r"7 functions were fitted to 13 samples.*lower degree.*fewer.*more samples",
    ) as record:
        fit(make(estimator, 3, threshold=None, solver=solver), table)
    assert caught(record).category is OverfittingWarning
    table = np.random.default_rng(0).standard_normal((14, 3))
    fit(make(estimator, 3, threshold=None, solver=solver), table)  # half is no more than half


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_saturation_is_warned_of(estimator, solver):
    table = np.random.default_rng(0).standard_normal((12, 5))
    with pytest.warns(
        SaturationWarning,
        match=r"After 4 steps the functions span all 12 samples.*lower degree.*more samples",
    ) as record:
        fitted = fit(make(estimator, degree=None, threshold=1e-9, solver=solver), table)
    caught(record)
    assert fitted.stop_reason_ == "saturated"
    assert fitted.residual_variance_[-1] == fitted.total_residual_variance_[-1] == 0


NEAR_COPY = np.column_stack([2 * A, 2 * A + 6e-5 * B])
NEARLY_LINEAR = Custom([(lambda z: z + 2e-4 * np.abs(z), 1)])
ILL_CONDITIONED = {
    GFR: (GFR(1, family=NEARLY_LINEAR, solver="gram"), X),
    GCA: (GCA(1, family=NEARLY_LINEAR, solver="gram"), X),
    GFS: (GFS(2, threshold=None, degree=1, solver="gram"), NEAR_COPY),
    GFA: (GFA(2, threshold=None, degree=1, solver="gram"), NEAR_COPY),
    UFFS: (UFFS(2, degree=1, solver="gram"), NEAR_COPY),
}


@pytest.mark.parametrize("estimator", ALL)
def test_near_dependence_is_warned_of_with_the_gram_solver(estimator):
    model, table = ILL_CONDITIONED[estimator]
    with pytest.warns(NumericalWarning, match=r"solver='gram' may be off.*solver='qr'.*hermite"):
        fitted = fit(clone(model), table)
    assert fitted.orthogonality_loss_ > 1e-8
    accurate = fit(clone(model).set_params(solver="qr"), table)
    assert accurate.orthogonality_loss_ < 1e-12
    assert_same_choice(fitted, accurate, atol=1e-6)


@pytest.mark.parametrize("size", [1e-4, 1e-5, 1e-6])
def test_near_dependent_functions_are_not_dropped_in_silence(size):
    a = np.random.default_rng(0).standard_normal(6000)
    table = np.column_stack([3 * a, np.abs(a)])  # all of |z| is in what the function adds to z
    model = GFS(1, family=Custom([(lambda z: z + size * np.abs(z), 1)]))
    accurate = fit(clone(model).set_params(solver="qr"), table)
    assert accurate.residual_variance_[-1] < 1e-5
    automatic = fit(clone(model), table)
    np.testing.assert_allclose(
        automatic.residual_variance_, accurate.residual_variance_, rtol=1e-6, atol=1e-8
    )
    with pytest.warns(NumericalWarning, match=r"Use solver='qr'"):
        fit(clone(model).set_params(solver="gram"), table)


OVERFITTING = np.random.default_rng(0).standard_normal((13, 3))  # 7 functions
SATURATED = OVERFITTING[:7]


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("category", [OverfittingWarning, SaturationWarning, NumericalWarning])
def test_warnings_point_to_the_line_that_called_fit(estimator, category):
    model, table = {
        OverfittingWarning: (make(estimator, 3, threshold=None), OVERFITTING),
        SaturationWarning: (make(estimator, 3, threshold=None), SATURATED),
        NumericalWarning: ILL_CONDITIONED[estimator],
    }[category]
    with pytest.warns(category) as record:
        clone(model).fit(table)
    assert caught(record).filename == __file__
