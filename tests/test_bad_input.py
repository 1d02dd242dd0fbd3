"""Bad input: the error names the problem and the remedy."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from input_cases import N, X, assert_same_choice, fit
from scipy import sparse
from sklearn.exceptions import NotFittedError
from support import ALL, EXTRACTORS, SELECTORS, WITH_FAMILY, make, orthonormal

from gramian import GCA, GFA, GFS, UFFS
from gramian.families import Fourier, Hermite, Multilinear

# Values that are not numbers


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_named(estimator, value):
    table = X.copy()
    table[3, 1] = value
    with pytest.raises(ValueError, match="contains infinity"):
        make(estimator).fit(table)
    fitted = make(estimator, 2).fit(X)
    with pytest.raises(ValueError, match="contains infinity"):
        fitted.transform(table)


@pytest.mark.parametrize("estimator", ALL)
def test_missing_values_of_pandas_are_recognized(estimator):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).astype("Float64")
    frame.loc[3, "b"] = pd.NA
    table = X.copy()
    table[3, 1] = np.nan
    fitted = make(estimator).fit(frame)
    assert fitted.gaps_.n_rows - fitted.gaps_.n_complete == 1
    np.testing.assert_array_equal(fitted.mean_, make(estimator).fit(table).mean_)


@pytest.mark.parametrize("estimator", ALL)
def test_text_is_refused_with_an_example(estimator):
    with pytest.raises(ValueError, match="could not convert string to float: 'red'"):
        make(estimator).fit([["red", "1"], ["green", "2"], ["blue", "3"]])


@pytest.mark.parametrize("estimator", ALL)
def test_complex_values_are_refused(estimator):
    with pytest.raises(ValueError, match="Complex data not supported"):
        make(estimator).fit(X + 1j)


@pytest.mark.parametrize("estimator", [UFFS])
def test_sparse_data_is_refused_with_the_remedy(estimator):
    with pytest.raises(TypeError, match=r"dense data is required.*toarray"):
        make(estimator).fit(sparse.csr_array(X))


def test_explain_asks_for_dense_rows():
    fitted = GFS(2).fit(sparse.csr_array(X))
    with pytest.raises(TypeError, match=r"explain takes dense rows: give X\.toarray\(\)"):
        fitted.explain(sparse.csr_array(X))


def test_text_in_an_arrow_table_is_named():
    table = pa.table({"a": X[:, 0], "b": ["red", "blue"] * (N // 2)})
    with pytest.raises(ValueError, match="Column 'b' holds values that are not numbers"):
        GFS(1).fit(table)


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
def test_shapes_other_than_a_table_are_refused(estimator, table, message):
    with pytest.raises(ValueError, match=message):
        make(estimator).fit(table)


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
        (np.eye(N)[0], "sample_weight must be positive for at least 2 of the samples"),
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


def test_a_column_of_an_arrow_table_holds_weights():
    weights = np.arange(N) % 3
    table = pa.table({"a": X[:, 0], "w": weights, "b": X[:, 1], "c": X[:, 2]})
    found = GFS(2).fit(table, sample_weight="w")
    np.testing.assert_array_equal(found.mean_, GFS(2).fit(X, sample_weight=weights).mean_)
    assert found.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="There is no column 'v' to take weights from"):
        GFS(2).fit(table, sample_weight="v")


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
def test_inverse_transform_of_another_width_is_refused(estimator, width):
    fitted = make(estimator, 2).fit(X)
    message = f"X has {width} columns, but {estimator.__name__} kept 2"
    if estimator is UFFS:
        message = "X has a different shape than during fitting"
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
def test_a_count_equal_to_the_number_of_features_is_accepted(estimator):
    fitted = fit(make(estimator, 3, threshold=None), X)
    assert fitted.transform(X).shape == X.shape
    assert fitted.residual_variance_[-1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("estimator", ALL)
def test_a_count_of_true_means_one_as_in_scikit_learn(estimator):
    fitted = fit(make(estimator, True), X)
    assert fitted.transform(X).shape == (N, 1)


def test_uffs_refuses_a_share_of_variance_as_count():
    with pytest.raises(
        ValueError, match=r"'n_features_to_select' parameter of UFFS must be an int"
    ):
        UFFS(0.5).fit(X)


@pytest.mark.parametrize("size", [0, 1.5, -2])
def test_cluster_size_out_of_range_is_named(size):
    with pytest.raises(ValueError, match=r"'cluster_size' parameter of UFFS.*range \[1"):
        UFFS(cluster_size=size).fit(X)


@pytest.mark.parametrize("estimator", [GCA, GFS, GFA, UFFS])
def test_relative_must_be_a_boolean(estimator):
    with pytest.raises(ValueError, match=r"'relative' parameter.*instance of 'bool'.*Got 'yes'"):
        make(estimator, relative="yes").fit(X)


@pytest.mark.parametrize("family", ["polynomials", Multilinear, None, 2], ids=repr)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_an_unknown_family_is_refused_with_the_known_ones(estimator, family):
    if estimator is GFA and family is None:
        pytest.skip("None is GFA's default family")
    with pytest.raises(ValueError, match=r"'family' parameter.*'multilinear'.*an instance of"):
        make(estimator, family=family).fit(X)


@pytest.mark.parametrize("family", ["polynomial", "hermite", "legendre", "fourier"])
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_a_family_that_needs_a_degree_asks_for_one(estimator, family):
    with pytest.raises(ValueError, match=f"degree of {family.capitalize()} must be a positive int"):
        make(estimator, family=family, degree=None).fit(X)


@pytest.mark.parametrize("family", [Multilinear(0), Multilinear(1.5), Fourier(2) + Hermite(0)])
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_bad_degrees_of_family_instances_are_refused_at_fit(estimator, family):
    with pytest.raises(ValueError, match=r"degree of \w+ must be a positive integer"):
        make(estimator, family=family).fit(X)


ROTATION = orthonormal(np.random.default_rng(3), 3)


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
def test_an_invalid_basis_is_refused(basis, message):
    with pytest.raises(ValueError, match=message):
        GCA(basis=basis, backward=False, alpha=0).fit(X)


def test_a_basis_may_be_nested_lists():
    expected = fit(GCA(basis=ROTATION, backward=False, alpha=0), X)
    assert_same_choice(
        fit(GCA(basis=ROTATION.tolist(), backward=False, alpha=0), X), expected, atol=0
    )
