"""Decoder: reconstruction of all columns from the kept ones."""

from __future__ import annotations

import pickle

import families_by_hand as hand
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import FAMILIES, INDICATORS, discrete, planted, weights
from property_cases import a_property, families, names, new, nonlinear_table, seeds, solvers
from reconstruction_cases import Explicit, independent_grid, of_degree, reconstruct, wide_table
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from support import EXTRACTORS, STEPWISE, make, orthonormal, unlike_variables

from gramian import GCA, GFA, GFR, GFS
from gramian.families import Custom, Polynomial

X = planted()
TRAIN, TEST = X[:200], X[200:]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)
SELECTORS = [GFS, GFA]


def assert_decodes(fitted, explicit, table, alpha=0.0):
    n = len(fitted.n_functions_)
    expected = explicit.reconstruct(table, n, alpha)
    size = np.abs(expected - explicit.mean).max()
    found = reconstruct(fitted, table, extrapolate=True)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * size)


# Least squares


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("name", FAMILIES)
@every_estimator
def test_the_decoder_is_least_squares_on_all_functions(estimator, name, solver):
    family, functions = FAMILIES[name]
    fitted = make(estimator, 3, family=family, solver=solver).fit(TRAIN)
    explicit = Explicit(fitted, functions, TRAIN)
    assert_decodes(fitted, explicit, TRAIN)
    assert_decodes(fitted, explicit, TEST)


@pytest.mark.parametrize("name", INDICATORS)
@pytest.mark.parametrize("estimator", SELECTORS)
def test_the_decoder_of_discrete_columns_is_least_squares(estimator, name):
    family, functions = INDICATORS[name]
    fitted = make(estimator, 3, family=family).fit(discrete())
    assert_decodes(fitted, Explicit(fitted, functions, discrete()), discrete())


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("name", ["multilinear 3", "polynomial 2", "fourier 2", "union"])
@every_estimator
def test_the_decoder_of_a_penalized_fit_is_penalized_least_squares(estimator, name, alpha):
    family, functions = FAMILIES[name]
    fitted = make(estimator, 3, family=family, alpha=alpha).fit(TRAIN)
    assert_decodes(fitted, Explicit(fitted, functions, TRAIN), TEST, alpha)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@every_estimator
def test_the_decoder_is_weighted_least_squares(estimator, alpha):
    w = weights()[:200]
    fitted = make(estimator, 3, degree=3, alpha=alpha).fit(TRAIN, sample_weight=w)
    assert_decodes(fitted, Explicit(fitted, hand.multilinear(3), TRAIN, w), TEST, alpha)


@pytest.mark.parametrize("solver", ["qr", "gram"])
@every_estimator
def test_the_decoder_leaves_out_dropped_functions(estimator, solver):
    family = Polynomial(2) + Custom([(np.square, 1), (np.multiply, 2)])
    fitted = make(estimator, 3, family=family, solver=solver).fit(TRAIN)
    assert fitted.n_dropped_functions_.sum() == 6
    assert_decodes(fitted, Explicit(fitted, hand.polynomial(2), TRAIN), TEST)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@every_estimator
def test_the_decoder_is_least_squares_with_more_columns_than_rows(estimator, alpha):
    train, test = wide_table()
    fitted = make(estimator, 4, alpha=alpha).fit(train)
    assert_decodes(fitted, Explicit(fitted, hand.multilinear(2), train), test, alpha)


@every_estimator
def test_the_decoder_is_least_squares_with_shared_moments(estimator):
    fitted = make(estimator, 5, degree=4, solver="moments").fit(TRAIN)
    assert_decodes(fitted, Explicit(fitted, hand.multilinear(4), TRAIN), TEST)


@a_property
@given(seeds, names, families, solvers, st.sampled_from([0.0, 0.01, 1.0]), st.integers(3, 5))
def test_the_decoder_is_least_squares_for_any_table(seed, name, pair, solver, alpha, d):
    family, functions = pair
    table = nonlinear_table(seed, d)
    solver = "auto" if alpha else solver
    fitted = new(name, count=3, threshold=None, family=family, solver=solver, alpha=alpha)
    fitted.fit(table[:150])
    assert_decodes(fitted, Explicit(fitted, functions, table[:150]), table[150:], alpha)


@every_estimator
def test_stored_moments_cover_all_functions_for_any_chosen_penalty(estimator, tmp_path):
    """Penalties share sums; the fit with the chosen penalty may leave functions out."""
    rng = np.random.default_rng(0)
    X, new_rows = rng.standard_normal((40, 6)), rng.standard_normal((400, 6))
    fitted = make(estimator, 3, degree=3, alpha="auto").fit(X, validation_data=new_rows)
    assert np.isinf(fitted.alpha_)
    decoder = fitted.model_.decoder
    f = decoder.evaluate(fitted.model_.kept.encode(X - fitted.mean_))
    np.testing.assert_allclose(decoder.moments[0], f @ f.T / 40, atol=1e-12)
    np.testing.assert_allclose(decoder.moments[1], f @ (X - fitted.mean_) / 40, atol=1e-12)
    fitted.save(tmp_path / "fit.gram")  # saving refuses impossible moments


@every_estimator
def test_transform_of_an_inverse_transform_returns_the_code(estimator):
    fitted = make(estimator, 3, degree=3, alpha=0.1).fit(TRAIN)
    kept = fitted.transform(TEST)
    np.testing.assert_allclose(fitted.transform(fitted.inverse_transform(kept)), kept, atol=1e-9)


@every_estimator
def test_rows_are_decoded_one_by_one(estimator):
    fitted = make(estimator, 3, degree=3).fit(TRAIN)
    one_by_one = np.vstack([reconstruct(fitted, row[np.newaxis]) for row in TEST[:5]])
    np.testing.assert_allclose(one_by_one, reconstruct(fitted, TEST)[:5], atol=1e-12)


# Planted redundancy


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("estimator", SELECTORS)
def test_columns_that_are_functions_of_others_are_reconstructed(estimator, degree, solver):
    table = of_degree(degree)
    train, test = table[:300], table[300:]
    fitted = make(estimator, 3, degree=degree, solver=solver).fit(train)
    np.testing.assert_allclose(reconstruct(fitted, test), test, rtol=0, atol=1e-9)
    assert fitted.score(test) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_columns_of_very_different_units_are_reconstructed(estimator):
    rng = np.random.default_rng(0)
    a, b, c = unlike_variables(rng, 300)
    units = np.array([1e9, 1.0, 1e-3, 1e-7, 1e-9])
    table = np.column_stack([a, b, 10 * c, 0.1 * a * b, 0.1 * a * c + b]) * units + units
    relative = {"threshold": 1e-8, "relative": True}
    fitted = make(estimator, None, **relative).fit(table[:200])
    if estimator is GFS:  # criterion: residual variance, which begins with large units
        assert fitted.selected_features_.tolist() == [0, 1, 2]
    assert len(fitted.selected_features_) == 3
    error = (reconstruct(fitted, table[200:]) - table[200:]) / units
    assert np.abs(error).max() <= 1e-8


@pytest.mark.parametrize("alpha", [0.0, 1e-12])
@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
@every_estimator
def test_planted_products_are_reconstructed_to_rounding(estimator, unit, alpha):
    grid, others = independent_grid()
    rotation = orthonormal(np.random.default_rng(0), 6) if estimator in EXTRACTORS else np.eye(6)
    fitted = make(estimator, 3, degree=3, threshold=0.0, alpha=alpha)
    fitted.fit(unit * (grid @ rotation + 5))
    back = reconstruct(fitted, unit * (others @ rotation + 5))
    np.testing.assert_allclose(back / unit, others @ rotation + 5, atol=1e-10)
    linear = PCA(3).fit(grid @ rotation)
    missed = linear.inverse_transform(linear.transform(others @ rotation)) - others @ rotation
    assert np.abs(missed).max() > 0.1


@pytest.mark.parametrize("estimator", SELECTORS)
def test_selected_columns_are_reconstructed_exactly(estimator):
    fitted = make(estimator, 3, degree=3, threshold=None, alpha=0.5).fit(TRAIN[:, ::-1])
    assert (np.diff(fitted.selected_features_) < 0).any()
    test = TEST[:, ::-1]
    for table in [test, 1e6 * test, test.astype(np.float32)]:
        back = reconstruct(fitted, table)
        np.testing.assert_array_equal(back[:, fitted.support_], table[:, fitted.support_])


# The linear reconstruction


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("solver", ["auto", "gram"])
@every_estimator
def test_linear_reconstruction_is_linear_regression_on_the_code(estimator, solver, alpha):
    w = weights()[:200]
    fitted = make(estimator, 4, degree=3, solver=solver, alpha=alpha).fit(TRAIN, sample_weight=w)
    regression = LinearRegression().fit(fitted.transform(TRAIN), TRAIN, sample_weight=w)
    expected = regression.predict(fitted.transform(TEST))
    np.testing.assert_allclose(reconstruct(fitted, TEST, linear=True), expected, atol=1e-9)


@every_estimator
def test_linear_reconstruction_with_more_columns_than_rows(estimator):
    train, test = wide_table()
    fitted = make(estimator, 4).fit(train)
    regression = LinearRegression().fit(fitted.transform(train), train)
    expected = regression.predict(fitted.transform(test))
    np.testing.assert_allclose(reconstruct(fitted, test, linear=True), expected, atol=1e-9)


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_a_linear_gfr_reconstructs_as_pca_does(n, linear):
    fitted = GFR(n, degree=1, alpha=0).fit(TRAIN)
    pca = PCA(n).fit(TRAIN)
    expected = pca.inverse_transform(pca.transform(TEST))
    np.testing.assert_allclose(reconstruct(fitted, TEST, linear=linear), expected, atol=1e-10)


@every_estimator
def test_the_nonlinear_decoder_explains_more_than_the_linear_one(estimator):
    fitted = make(estimator, 3, degree=3).fit(TRAIN)
    nonlinear = np.sum((reconstruct(fitted, TRAIN) - TRAIN) ** 2)
    linear = np.sum((reconstruct(fitted, TRAIN, linear=True) - TRAIN) ** 2)
    assert nonlinear < 0.9 * linear


# Types and shapes


@pytest.mark.parametrize("linear", [False, True])
@every_estimator
def test_float32_codes_give_float32_reconstructions(estimator, linear):
    fitted = make(estimator, 3).fit(TRAIN)
    kept = fitted.transform(TEST.astype(np.float32))
    assert kept.dtype == np.float32
    back = fitted.inverse_transform(kept, linear=linear)
    assert back.dtype == np.float32
    np.testing.assert_allclose(back, reconstruct(fitted, TEST, linear=linear), atol=1e-4)
    assert reconstruct(fitted, TEST, linear=linear).dtype == np.float64
    errors = fitted.reconstruction_error(TEST.astype(np.float32))
    assert errors.dtype == np.float64
    np.testing.assert_allclose(errors, fitted.reconstruction_error(TEST), rtol=1e-3, atol=1e-4)


@every_estimator
def test_a_fit_that_keeps_nothing_reconstructs_the_mean(estimator):
    fitted = make(estimator, None, threshold=1e9).fit(TRAIN)
    assert len(fitted.n_functions_) == 0
    nothing = np.empty((7, 0))
    for linear in [False, True]:
        back = fitted.inverse_transform(nothing, linear=linear)
        np.testing.assert_array_equal(back, np.tile(fitted.mean_, (7, 1)))
    assert fitted.score(TRAIN) == 0.0
    errors = np.sum((TEST - fitted.mean_) ** 2, axis=1)
    np.testing.assert_allclose(fitted.reconstruction_error(TEST), errors)


@pytest.mark.parametrize("solver", ["qr", "gram"])
@every_estimator
def test_a_fit_that_keeps_nothing_has_only_the_constant_function(estimator, solver):
    fitted = make(estimator, threshold=1e9, solver=solver).fit(TRAIN)
    np.testing.assert_array_equal(fitted.model_.decoder.coefficients, np.zeros((1, TRAIN.shape[1])))
    np.testing.assert_array_equal(fitted.model_.decoder.moments[0], [[1.0]])


@every_estimator
def test_constant_columns_are_reconstructed(estimator):
    table = np.column_stack([X, np.full(len(X), 7.3)])
    fitted = make(estimator, 3).fit(table)
    np.testing.assert_allclose(reconstruct(fitted, table)[:, -1], 7.3, rtol=1e-14)


@every_estimator
def test_a_table_without_variance_is_reconstructed(estimator):
    table = np.tile([1.0, 2.0, 3.0], (5, 1))
    fitted = make(estimator, None).fit(table)
    assert fitted.score(table) == 1.0
    np.testing.assert_array_equal(fitted.reconstruction_error(table), np.zeros(5))


@pytest.mark.parametrize("width", [1, 2, 4, 6])
@every_estimator
def test_a_wrong_number_of_coordinates_is_refused(estimator, width):
    fitted = make(estimator, 3).fit(X)
    words = f"has {width} columns, but {estimator.__name__} kept 3"
    with pytest.raises(ValueError, match=words):
        fitted.inverse_transform(np.ones((5, width)))


@every_estimator
def test_wrong_tables_are_refused(estimator):
    fitted = make(estimator, 3).fit(X)
    for method in [fitted.score, fitted.reconstruction_error]:
        with pytest.raises(ValueError, match="2 features"):
            method(X[:, :2])
        with pytest.raises(ValueError, match="infinity"):
            method(np.full_like(X, np.inf))
        with pytest.raises(ValueError, match="2D array"):
            method(X[0])
    with pytest.raises(ValueError, match="infinity"):
        fitted.inverse_transform(np.full((4, 3), np.inf))
    with pytest.raises(ValueError, match="2D array"):
        fitted.inverse_transform(np.ones(3))


@every_estimator
def test_an_unfitted_estimator_refuses_to_reconstruct(estimator):
    for method in ["score", "reconstruction_error", "inverse_transform"]:
        with pytest.raises(NotFittedError):
            getattr(estimator(), method)(X)


@every_estimator
def test_frames_and_arrays_are_reconstructed_equally(estimator):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fitted = make(estimator, 3).set_output(transform="pandas").fit(frame)
    plain = make(estimator, 3).fit(X)
    kept = fitted.transform(frame)
    assert isinstance(kept, pd.DataFrame)
    np.testing.assert_allclose(fitted.inverse_transform(kept), reconstruct(plain, X), atol=1e-12)
    assert fitted.score(frame) == pytest.approx(plain.score(X))
    np.testing.assert_allclose(fitted.reconstruction_error(frame), plain.reconstruction_error(X))
    with pytest.raises(ValueError, match="same order"):
        fitted.score(frame[list("fedcba")])


# Copies


@pytest.mark.parametrize("name", FAMILIES)
def test_a_pickled_fit_of_any_family_decodes_as_before(name):
    fitted = GFR(3, family=FAMILIES[name][0], alpha=0).fit(TRAIN)
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(reconstruct(loaded, TEST), reconstruct(fitted, TEST))
    assert loaded.score(TEST) == fitted.score(TEST)
    assert loaded.family_ == fitted.family_


@pytest.mark.parametrize("alpha", [0.0, 0.1, "auto"])
@every_estimator
def test_a_pickled_fit_of_any_estimator_decodes_as_before(estimator, alpha):
    fitted = make(estimator, 3, alpha=alpha).fit(TRAIN)
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(reconstruct(loaded, TEST), reconstruct(fitted, TEST))
    assert loaded.reconstruction_error(TEST).sum() == fitted.reconstruction_error(TEST).sum()


@pytest.mark.parametrize("estimator", SELECTORS)
def test_fits_to_discrete_columns_can_be_pickled(estimator):
    fitted = make(estimator, 3, family="indicator").fit(discrete())
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(reconstruct(loaded, discrete()), reconstruct(fitted, discrete()))


@every_estimator
def test_a_clone_has_the_parameters_and_no_decoder(estimator):
    fitted = make(estimator, 3, alpha=0.1, validation_fraction=0.2, random_state=3).fit(TRAIN)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.score(TEST)
    copy.fit(TRAIN)
    np.testing.assert_array_equal(reconstruct(copy, TEST), reconstruct(fitted, TEST))


@every_estimator
def test_a_fit_keeps_no_rows(estimator):
    small, large = (
        len(pickle.dumps(make(estimator, 3, family=Polynomial(2)).fit(np.tile(X, (n, 1)))))
        for n in [1, 10]
    )
    assert large <= small + 100


def test_gca_reconstructs_redundant_directions():
    grid, others = independent_grid()
    fitted = GCA(degree=3, backward=False, alpha=0).fit(grid)
    assert fitted.n_components_ == 3
    assert len(fitted.redundant_indices_) == 3
    np.testing.assert_allclose(reconstruct(fitted, others), others, atol=1e-10)


@pytest.mark.parametrize("estimator", STEPWISE)
def test_constant_columns_come_back_exactly_however_far_rows_are(estimator):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6)) @ rng.standard_normal((6, 6))
    X[:, [1, 4]] = 0.0, 7.3
    fitted = make(estimator, 2).fit(X)
    for size in (1.0, 1e9):
        back = fitted.inverse_transform(size * fitted.transform(X), extrapolate=True)
        np.testing.assert_array_equal(back[:, 1], 0.0)
        np.testing.assert_array_equal(back[:, 4], fitted.mean_[4])
