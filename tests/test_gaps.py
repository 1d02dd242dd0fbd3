"""Missing values: transforms of incomplete rows, and fits to tables with gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import clone

import gramian
from gramian import GCA, GFA, GFR, GFS, UFFS, PolynomialManifold
from gramian.core.imputation import expected_codes, fit_plane, noise_of
from gramian.families import Multilinear
from gramian.fitting._gaps import GapTally, add_tallies, completion

ESTIMATORS = [
    GFR(3),
    GFR(3, scale=True),
    GCA(3),
    GFS(3),
    GFS(3, criterion="variance"),
    GFA(family="multilinear", laws=False),
    GFA(backward=False, relative=True),
    UFFS(degree=2),
    PolynomialManifold(2),
]
DECODING = [each for each in ESTIMATORS if not isinstance(each, UFFS)]
EXTRACTORS = [GFR(2), GFR(2, scale=True), GCA(2), PolynomialManifold(2), PolynomialManifold(1)]


def named(estimator):
    return repr(estimator)


def products(n=400, seed=0):
    """Return three columns and two products of them."""
    z = np.random.default_rng(seed).uniform(1, 2, (n, 3))
    return np.column_stack([z, z[:, 0] * z[:, 1], 3 * z[:, 1] * z[:, 2]])


def with_gaps(x, share, seed=1):
    gone = np.random.default_rng(seed).random(x.shape) < share
    gone[gone.all(axis=1), 0] = False
    return np.where(gone, np.nan, x)


def fitted(estimator, x):
    return type(estimator)(**estimator.get_params()).fit(x)


def test_expected_codes_are_conditional_expectations():
    rng = np.random.default_rng(0)
    lines, noise = rng.standard_normal((2, 5)), 0.3
    x = rng.standard_normal((40, 5))
    present = rng.random(x.shape) < 0.6
    present[0], present[1] = False, True
    covariance = lines.T @ lines + noise * np.eye(5)
    codes = expected_codes(np.where(present, x, np.nan), present, lines, noise)
    assert np.isnan(codes[0]).all()
    for row, seen, code in zip(x[1:], present[1:], codes[1:], strict=True):
        if seen.any():
            inverse = np.linalg.inv(covariance[np.ix_(seen, seen)])
            np.testing.assert_allclose(code, lines[:, seen] @ inverse @ row[seen], atol=1e-12)


@pytest.mark.parametrize("estimator", EXTRACTORS, ids=named)
def test_codes_of_complete_rows_do_not_depend_on_others_with_gaps(estimator):
    x = products()
    model = fitted(estimator, x)
    mixed = x.copy()
    mixed[::2, 1] = np.nan
    codes = model.transform(mixed)
    assert np.isfinite(codes).all()
    np.testing.assert_allclose(codes[1::2], model.transform(x)[1::2], atol=1e-12)


@pytest.mark.parametrize("estimator", EXTRACTORS, ids=named)
def test_a_missing_cell_without_information_does_not_change_the_code(estimator):
    """Cells of a constant column may be missing: the code does not change."""
    x = np.column_stack([products(), np.full(400, 7.0)])
    model = fitted(estimator, x)
    gaps = x.copy()
    gaps[:, 5] = np.nan
    np.testing.assert_allclose(model.transform(gaps), model.transform(x), atol=1e-3)


def test_codes_of_a_plane_are_the_nearest_points_of_the_cells_present():
    """Two cells of a row in a plane determine all other cells."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 2)) @ rng.standard_normal((2, 6)) + 5
    gaps = x.copy()
    for row in gaps:
        row[rng.permutation(6)[:3]] = np.nan
    for estimator in (GFR(2), GCA(2, alpha=0), PolynomialManifold(2, degree=1)):
        model = estimator.fit(x)
        filled = model.inverse_transform(model.transform(gaps))
        np.testing.assert_allclose(filled, x, atol=0.02)


def test_codes_on_a_surface_minimize_the_distance_over_the_cells_present():
    """Reference: a general minimizer that begins at the code of the complete row."""
    u = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    x = np.column_stack([u, u[:, 0] ** 2, u[:, 0] * u[:, 1], u.sum(axis=1)])
    model = PolynomialManifold(2, degree=2, code_penalty=0, tol=1e-12).fit(x)
    gaps = x[:8].copy()
    gaps[np.arange(8), np.arange(8) % 5] = np.nan
    found = model.reconstruction_error(gaps)

    def distance(code, row):
        return np.nansum((model.inverse_transform(code[np.newaxis])[0] - row) ** 2)

    for row, begin, error in zip(gaps, model.transform(x[:8]), found, strict=True):
        best = minimize(distance, begin, args=(row,), method="Nelder-Mead", tol=1e-12)
        assert error <= best.fun + 1e-6


@pytest.mark.parametrize("estimator", EXTRACTORS[:-1], ids=named)
def test_gaps_are_filled_better_than_by_means(estimator):
    x = products(600)
    model = fitted(estimator, x[:300])
    gaps = with_gaps(x[300:], 0.2)
    filled = model.inverse_transform(model.transform(gaps))
    gone = np.isnan(gaps)
    deviation = x.std(axis=0)
    error = ((filled - x[300:]) / deviation)[gone]
    means = ((x[:300].mean(axis=0) - x[300:]) / deviation)[gone]
    assert np.mean(error**2) < 0.6 * np.mean(means**2)


@pytest.mark.parametrize("estimator", DECODING, ids=named)
def test_a_row_without_any_value_has_no_code_and_no_error(estimator):
    x = products()
    model = fitted(estimator, x)
    gaps = x.copy()
    gaps[3] = np.nan
    codes = model.transform(gaps)
    assert np.isnan(codes[3]).all()
    assert np.isfinite(np.delete(codes, 3, axis=0)).all()
    back = model.inverse_transform(codes)
    assert np.isnan(back[3]).all()
    assert np.isfinite(np.delete(back, 3, axis=0)).all()
    errors = model.reconstruction_error(gaps)
    np.testing.assert_allclose(np.delete(errors - model.reconstruction_error(x), 3), 0, atol=1e-9)
    assert errors[3] == 0


def test_reconstruction_errors_count_only_present_cells():
    """GFA keeps three columns; products that are present are still reconstructed exactly."""
    x = products()
    model = GFA(family="multilinear", laws=False).fit(x)
    gaps = x.copy()
    gaps[:200, 3], gaps[200:, 4] = np.nan, np.nan
    assert model.score(gaps) == pytest.approx(1)
    gaps[:, 4] += 1
    expected = np.where(np.arange(400) < 200, 1.0, 0.0)
    np.testing.assert_allclose(model.reconstruction_error(gaps), expected, atol=1e-9)


def test_a_selection_keeps_gaps_and_columns_computed_from_them_are_missing():
    x = products()
    model = GFA(laws=True, family="multilinear").fit(x)
    kept = x[:, model.support_].copy()
    kept[0, 0] = np.nan
    back = model.inverse_transform(kept)
    np.testing.assert_array_equal(np.isnan(back[0]), [True, False, False, True, False])
    np.testing.assert_allclose(back[1:], x[1:])
    np.testing.assert_allclose(back[0, 4], x[0, 4])
    plain = GFA(family="multilinear", laws=False).fit(x).inverse_transform(kept)
    np.testing.assert_array_equal(np.isnan(plain[0]), [True, False, False, True, False])
    np.testing.assert_allclose(plain[0, 4], x[0, 4])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_a_fit_uses_only_complete_rows_if_there_are_enough(estimator):
    x = with_gaps(products(1000), 0.1)
    complete = x[~np.isnan(x).any(axis=1)]
    one, other = fitted(estimator, x), fitted(estimator, complete)
    assert one.gaps_.n_rows == 1000
    assert one.gaps_.n_complete == len(complete)
    assert one.gaps_.n_filled == 0
    assert not hasattr(other, "gaps_")
    np.testing.assert_array_equal(one.mean_, other.mean_)
    np.testing.assert_array_equal(one.transform(complete), other.transform(complete))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_a_fit_fills_gaps_if_complete_rows_are_few(estimator):
    x = products(200)
    model = fitted(estimator, with_gaps(x, 0.5))
    assert model.gaps_.n_filled == int(np.isnan(with_gaps(x, 0.5)).sum())
    if not isinstance(estimator, UFFS):
        assert model.score(x) > 0.7


@pytest.mark.parametrize(
    "estimator",
    [GFR(3), GFS(3), GFA(family="multilinear", laws=False), PolynomialManifold(2)],
    ids=named,
)
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_blocks_of_rows_are_fitted_as_a_table_in_memory(estimator, share):
    x = with_gaps(products(500), share)
    whole = fitted(estimator, x)
    streamed = fitted(estimator, lambda: iter(np.array_split(x, 7)))
    assert streamed.gaps_ == whole.gaps_
    np.testing.assert_allclose(streamed.score(x), whole.score(x), atol=1e-9)
    codes = streamed.transform(lambda: iter(np.array_split(x, 3)))
    np.testing.assert_allclose(codes, whole.transform(x), atol=1e-7)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_dask_collections_are_fitted_as_a_table_in_memory(share):
    da = pytest.importorskip("dask.array")
    x = with_gaps(products(500), share)
    weights = np.random.default_rng(0).uniform(1, 2, 500)
    parts = da.from_array(x, chunks=(90, 5))
    whole = GFS(3).fit(x, sample_weight=weights)
    lazy = GFS(3).fit(parts, sample_weight=da.from_array(weights, chunks=90))
    assert lazy.gaps_ == whole.gaps_
    np.testing.assert_allclose(lazy.mean_, whole.mean_)
    np.testing.assert_array_equal(lazy.selected_features_, whole.selected_features_)
    extractor = GFR(2).fit(parts)
    codes = extractor.transform(parts).compute()
    np.testing.assert_allclose(codes, extractor.transform(x), atol=1e-12)


def test_wide_tables_are_filled_from_a_plane():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 300))
    x += 0.1 * rng.standard_normal(x.shape)
    gaps = with_gaps(x, 0.2)
    filled = fit_plane(gaps).transform(gaps)
    gone = np.isnan(gaps)
    np.testing.assert_array_equal(filled[~gone], x[~gone])
    assert np.mean((filled - x)[gone] ** 2) < 0.05 * np.mean(x[gone] ** 2)
    model = GFR(3).fit(gaps)
    assert model.gaps_.n_filled == gone.sum()
    assert model.score(x) > 0.97


def test_tallies_of_gaps_in_parts_add_up():
    x = with_gaps(products(100), 0.3)
    x[5] = np.nan
    whole, parts = GapTally.of(x), add_tallies(GapTally.of(part) for part in np.array_split(x, 4))
    assert whole.n_missing == np.isnan(np.delete(x, 5, axis=0)).sum()
    for name in ("n_rows", "n_complete", "n_missing", "varies_less"):
        assert getattr(whole, name) == getattr(parts, name)
    np.testing.assert_array_equal(whole.ends, parts.ends)
    np.testing.assert_array_equal(whole.ends, [np.nanmin(x, axis=0), -np.nanmax(x, axis=0)])


def test_complete_rows_in_which_a_column_is_constant_are_not_enough():
    x = products(400)
    x[:, 4] = np.where(x[:, 0] > 1.5, 1.0, 0.0)
    x[x[:, 4] == 1, 1] = np.nan
    make, gaps = completion(GapTally.of(x), [Multilinear(2)], None, lambda share: x)
    assert gaps.n_filled > 0
    assert len(make(x, None)[0]) == 400


def test_missing_values_in_a_sparse_matrix_are_refused():
    x = products(50)
    x[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        GFR(2).fit(csr_array(x))


def test_infinity_is_refused_in_blocks_as_in_arrays():
    x = with_gaps(products(50), 0.1)
    x[7, 2] = np.inf
    for given in (x, lambda: iter([x])):
        with pytest.raises(ValueError, match="infin"):
            GFR(2).fit(given)


def test_columns_without_values_are_named():
    x = products(50)
    x[:, 2] = np.nan
    for given in (x, lambda: iter([x])):
        with pytest.raises(ValueError, match="Column 2 has no value in any row"):
            GFR(2).fit(given)


def test_noise_is_the_residual_variance_of_the_linear_model():
    lines = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert noise_of(6.0, lines) == pytest.approx(0.5)
    assert noise_of(5.0, lines) > 0


def test_a_stored_model_takes_incomplete_rows(tmp_path):
    x = products()
    gaps = with_gaps(x, 0.2)
    for estimator in (GFR(2), GCA(2), PolynomialManifold(2), GFA(family="multilinear", laws=False)):
        model = estimator.fit(x)
        model.save(tmp_path / "m.gram")
        again = gramian.load(tmp_path / "m.gram")
        np.testing.assert_allclose(again.transform(gaps), model.transform(gaps))
        np.testing.assert_allclose(again.score(gaps), model.score(gaps))


def test_float32_stays_float32():
    x = with_gaps(products(), 0.1)
    for estimator in (GFR(2), PolynomialManifold(2)):
        model = estimator.fit(x)
        codes = model.transform(x.astype(np.float32))
        assert codes.dtype == np.float32
        np.testing.assert_allclose(codes, model.transform(x), atol=1e-2)


def incomplete(seed=0):
    """Return rows with a product, a sum and missing cells, and a mask of the complete rows."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(1, 2, (300, 3))
    X = np.column_stack([z, z[:, 0] * z[:, 1], z[:, 2] + z[:, 0]])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, ~np.isnan(X).any(axis=1)


@pytest.mark.parametrize(
    "estimator", [GFA(family="multilinear", laws=False), GCA(), GFS(3), GFR(2)], ids=repr
)
def test_explain_and_certify_leave_incomplete_rows_out(estimator):
    X, complete = incomplete()
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X))
    fitted = clone(estimator).fit(X[complete])
    found = gramian.explain(fitted, X, sample_weight=weights)
    expected = gramian.explain(fitted, X[complete], sample_weight=weights[complete])
    assert str(found) == str(expected)
    assert found.table == expected.table
    assert str(gramian.certify(fitted, X)) == str(gramian.certify(fitted, X[complete]))


@pytest.mark.parametrize(
    "estimator", [GFA(family="multilinear", laws=False), GCA(), GFS(3), GFR(2)], ids=repr
)
def test_validation_data_leave_incomplete_rows_out(estimator):
    X, complete = incomplete()
    held, whole = incomplete(1)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X))
    one = clone(estimator).fit(X[complete], validation_data=(held, weights))
    other = clone(estimator).fit(X[complete], validation_data=(held[whole], weights[whole]))
    np.testing.assert_array_equal(
        one.validation_residual_variance_, other.validation_residual_variance_
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda fitted, X: gramian.explain(fitted, X),
        lambda fitted, X: gramian.certify(fitted, X),
        lambda fitted, X: fitted.fit(np.nan_to_num(X), validation_data=X),
    ],
)
def test_without_a_complete_row_the_error_says_what_to_do(ask):
    X, complete = incomplete()
    fitted = GFA(family="multilinear", laws=False).fit(X[complete])
    X[:, 2] = np.nan
    with pytest.raises(ValueError, match=r"Each of the 300 rows of .*GramianImputer"):
        ask(fitted, X)
