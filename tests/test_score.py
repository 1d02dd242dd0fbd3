"""Quality of reconstruction: the score, errors by row, and searches guided by the score."""

from __future__ import annotations

import numpy as np
import pytest
from oracle_cases import planted, weights
from reconstruction_cases import independent_grid, of_degree, reconstruct
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import EXTRACTORS, STEPWISE, make

from gramian import GFA, GFR, GFS
from gramian.core.pursuit import _decoder
from gramian.fitting import _fitted_model as _model

X = planted()
TRAIN, TEST = X[:200], X[200:]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)
SELECTORS = [GFS, GFA]


# The score


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@every_estimator
def test_the_score_is_the_share_of_variance_explained(estimator, alpha):
    fitted = make(estimator, 3, alpha=alpha).fit(TRAIN)
    missed = np.sum((TEST - reconstruct(fitted, TEST)) ** 2)
    expected = 1 - missed / np.sum((TEST - TRAIN.mean(axis=0)) ** 2)
    assert fitted.score(TEST) == pytest.approx(expected, rel=1e-12)
    assert fitted.score(TEST, None) == fitted.score(TEST, y=np.ones(len(TEST)))


@pytest.mark.parametrize("solver", ["qr", "gram"])
@every_estimator
def test_the_score_of_the_fitted_rows_equals_the_recorded_one(estimator, solver):
    fitted = make(estimator, 3, degree=3, solver=solver).fit(TRAIN)
    total = fitted.total_residual_variance_
    assert fitted.score(TRAIN) == pytest.approx(1 - total[-1] / total[0], abs=1e-10)
    w = weights()[:200]
    fitted.fit(TRAIN, sample_weight=w)
    total = fitted.total_residual_variance_
    assert fitted.score(TRAIN, sample_weight=w) == pytest.approx(
        1 - total[-1] / total[0], abs=1e-10
    )


@pytest.mark.parametrize("alpha", [0.0, 0.1, "auto"])
@every_estimator
def test_the_recorded_residual_of_held_out_rows_is_that_of_the_functions(estimator, alpha):
    for w in (np.ones(len(X)), weights()):
        fitted = make(estimator, 3, degree=3, alpha=alpha)
        fitted.fit(TRAIN, sample_weight=w[:200], validation_data=(TEST, w[200:]))
        total = fitted.validation_total_residual_variance_
        filled = fitted.inverse_transform(fitted.transform(TEST), extrapolate=True)
        left = w[200:] @ (TEST - filled) ** 2
        whole = w[200:] @ (TEST - fitted.mean_) ** 2
        assert left.sum() / whole.sum() == pytest.approx(total[-1] / total[0], abs=1e-10)


@every_estimator
def test_a_weight_of_two_equals_a_repeated_row(estimator):
    fitted = make(estimator, 3).fit(TRAIN)
    twice = fitted.score(np.vstack([TEST, TEST[:30]]))
    w = np.ones(len(TEST))
    w[:30] = 2
    assert fitted.score(TEST, sample_weight=w) == pytest.approx(twice, rel=1e-12)
    assert fitted.score(TEST, sample_weight=np.full(len(TEST), 3.0)) == pytest.approx(
        fitted.score(TEST), rel=1e-12
    )
    for wrong in [np.ones(3), -w]:
        with pytest.raises(ValueError, match=r"sample_weight|[Nn]egative"):
            fitted.score(TEST, sample_weight=wrong)


def test_a_score_can_be_negative():
    rng = np.random.default_rng(0)
    z = rng.standard_normal(200)
    fitted = GFS(1, alpha=0, criterion="variance").fit(np.column_stack([2 * z, z]))
    assert fitted.score(np.column_stack([2 * z, -3 * z])) < 0


# Errors by row


@every_estimator
def test_errors_are_squared_distances_from_the_model(estimator):
    fitted = make(estimator, 3, alpha=0.1).fit(TRAIN)
    expected = np.sum((TEST - reconstruct(fitted, TEST)) ** 2, axis=1)
    np.testing.assert_allclose(fitted.reconstruction_error(TEST), expected, rtol=1e-9)


@pytest.mark.parametrize("rows", [1, 7, 99, 100])
@pytest.mark.parametrize("n_bytes", [1, 500])
@every_estimator
def test_scores_do_not_depend_on_the_size_of_blocks(estimator, rows, n_bytes, monkeypatch):
    fitted = make(estimator, 3, degree=3).fit(TRAIN)
    back, errors, score = (
        reconstruct(fitted, TEST),
        fitted.reconstruction_error(TEST),
        fitted.score(TEST),
    )
    monkeypatch.setattr(_model, "ROWS_AT_ONCE", rows)
    monkeypatch.setattr(_decoder, "BLOCK_BYTES", n_bytes)
    np.testing.assert_allclose(reconstruct(fitted, TEST), back, atol=1e-12)
    np.testing.assert_allclose(fitted.reconstruction_error(TEST), errors, rtol=1e-9)
    assert fitted.score(TEST) == pytest.approx(score, rel=1e-12)


@every_estimator
def test_errors_flag_the_row_that_breaks_a_planted_product(estimator):
    grid, others = independent_grid()
    broken = others.copy()
    broken[17, 3] += 0.2  # within the column's range, but no longer the product
    fitted = make(estimator, 3, degree=3, threshold=0.0).fit(grid)
    errors = fitted.reconstruction_error(broken)
    assert np.argmax(errors) == 17
    assert errors[17] == pytest.approx(0.04, rel=1e-6)
    assert np.delete(errors, 17).max() <= 1e-18
    pca = PCA(3).fit(grid)
    blind = np.sum((broken - pca.inverse_transform(pca.transform(broken))) ** 2, axis=1)
    assert np.argmax(blind) != 17


# Model selection


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("estimator", SELECTORS)
def test_a_grid_search_finds_the_degree_of_planted_functions(estimator, degree):
    search = GridSearchCV(make(estimator, 3), {"degree": [1, 2, 3]}, cv=3)
    search.fit(of_degree(degree, noise=0.05))
    assert search.best_params_ == {"degree": degree}
    assert search.best_score_ > 0.95


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_a_grid_search_finds_the_degree_of_planted_directions(estimator, degree):
    rng = np.random.default_rng(1)
    a, b, c = rng.uniform(-1.7, 1.7, (3, 500))
    products = [0.5 * a * b, 0.5 * b * c][: 2 * (degree > 1)] + [0.5 * a * b * c] * (degree > 2)
    table = np.column_stack([4 * a, 3 * b, 2 * c, *products, 0 * a])
    table += 0.05 * rng.standard_normal(table.shape)
    search = GridSearchCV(make(estimator, 3), {"degree": [1, 2, 3]}, cv=3).fit(table)
    assert search.best_params_ == {"degree": degree}


@every_estimator
def test_a_grid_search_covers_degree_penalty_and_number_of_features(estimator):
    count = estimator()._count_name
    grid = {"degree": [1, 3], "alpha": [0.0, 0.1], count: [1, 3]}
    search = GridSearchCV(make(estimator, threshold=1e-9), grid, cv=3).fit(TRAIN)
    assert search.best_params_[count] == 3
    assert search.best_params_["degree"] == 3
    assert 0 < search.best_score_ < 1
    assert search.score(TEST) == search.best_estimator_.score(TEST)


@every_estimator
def test_cross_validation_scores_are_shares_of_explained_variance(estimator):
    scores = cross_val_score(make(estimator, 3), X, cv=3)
    expected = []
    for i in range(3):
        out = np.zeros(300, dtype=bool)
        out[100 * i : 100 * (i + 1)] = True
        expected.append(make(estimator, 3).fit(X[~out]).score(X[out]))
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@every_estimator
def test_a_pipeline_has_a_score_and_an_inverse_transform(estimator):
    pipeline = make_pipeline(StandardScaler(), make(estimator, 3)).fit(TRAIN)
    scaler, fitted = pipeline[0], pipeline[1]
    assert pipeline.score(TEST) == fitted.score(scaler.transform(TEST))
    np.testing.assert_allclose(
        pipeline.inverse_transform(pipeline.transform(TEST)),
        scaler.inverse_transform(reconstruct(fitted, scaler.transform(TEST))),
    )


def test_weights_in_a_file_are_named_also_if_the_fit_has_no_names(tmp_path):
    rng = np.random.default_rng(0)
    rows, sizes = rng.normal(size=(60, 3)), rng.uniform(1, 2, 60)
    table = np.column_stack([sizes, rows])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="w,a,b,c", comments="")
    fitted = GFR(1, alpha=0).fit(rows)
    found = fitted.score(tmp_path / "t.csv", sample_weight="w")
    assert found == pytest.approx(fitted.score(rows, sample_weight=sizes))
