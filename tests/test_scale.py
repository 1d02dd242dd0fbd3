"""scale=True: all columns have equal weight, and results are in the units of the table."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import STEPWISE, make

from gramian import GCA, GFA, GFR, GFS, certify, explain, load

RNG = np.random.default_rng(3)
A, B, C, D = RNG.normal([[1], [0], [2], [0]], 1, (4, 400))
UNITS = np.array([1e3, 1e-2, 1.0, 5.0, 1e-4, 40.0])
X = np.column_stack([A, B, C, D, A * B + C, B * C - 0.5 * D]) * UNITS + [5, -3, 0, 1, 2, 100]
X[:, 2] += 0.01 * RNG.standard_normal(400)
ROUNDING = {"rtol": 1e-9, "atol": 1e-12}


def both(estimator, **params):
    """Return a fit with scale=True, and a pipeline of scikit-learn's scaler and the estimator."""
    scaled = make(estimator, 3, scale=True, **params).fit(X)
    pipeline = make_pipeline(StandardScaler(), make(estimator, 3, **params)).fit(X)
    return scaled, pipeline, pipeline[-1]


@pytest.mark.parametrize("params", [{}, {"solver": "gram"}, {"alpha": 0.1}])
@pytest.mark.parametrize("estimator", STEPWISE)
def test_a_scaled_fit_equals_a_fit_to_standardized_columns(estimator, params):
    scaled, pipeline, inner = both(estimator, **params)
    for name in ("residual_variance_", "total_residual_variance_", "gcv_total_residual_variance_"):
        assert_allclose(getattr(scaled, name), getattr(inner, name), **ROUNDING)
    assert_array_equal(scaled.model_.kept.chosen, inner.model_.kept.chosen)
    assert_allclose(scaled.scale_, X.std(axis=0), rtol=1e-12)
    assert scaled.score(X[:100]) == pytest.approx(pipeline.score(X[:100]), abs=1e-9)
    standardized = pipeline[0].transform(X)
    assert_allclose(
        scaled.reconstruction_error(X), inner.reconstruction_error(standardized), atol=1e-9
    )


@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_held_out_rows_do_not_decide_ties(estimator):
    """All scaled columns have variance 1: the first ones win for any held-out rows."""
    for seed in range(5):
        table = X[RNG.permutation(len(X))]
        scaled = make(estimator, 1, scale=True, alpha="auto", random_state=seed).fit(table)
        assert_array_equal(scaled.selected_features_, [0])


@pytest.mark.parametrize("estimator", [GFR, GCA])
def test_directions_are_those_of_scaled_columns(estimator):
    scaled, pipeline, inner = both(estimator)
    assert_allclose(scaled.components_, inner.components_, atol=1e-9)
    assert_allclose(scaled.transform(X), pipeline.transform(X), atol=1e-9)


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("estimator", STEPWISE)
def test_reconstructions_are_in_the_units_of_the_table(estimator, linear):
    scaled, pipeline, inner = both(estimator)
    inside = inner.inverse_transform(pipeline.transform(X), linear=linear)
    expected = pipeline[0].inverse_transform(inside)
    found = scaled.inverse_transform(scaled.transform(X), linear=linear)
    assert_allclose(found / UNITS, expected / UNITS, atol=1e-9)


@pytest.mark.parametrize("estimator", STEPWISE)
def test_units_of_columns_do_not_matter(estimator):
    one = make(estimator, 3, scale=True).fit(X)
    other = make(estimator, 3, scale=True).fit(X / UNITS)
    assert_array_equal(one.model_.kept.chosen, other.model_.kept.chosen)
    assert_allclose(one.residual_variance_, other.residual_variance_, **ROUNDING)
    if not one.model_.selects:
        assert_allclose(one.transform(X), other.transform(X / UNITS), atol=1e-9)


@pytest.mark.parametrize("estimator", STEPWISE)
def test_held_out_residuals_are_in_units_of_the_scaled_columns(estimator):
    rest, held_out = X[100:], X[:100]
    scaled = make(estimator, 3, scale=True).fit(rest, validation_data=held_out)
    scaler = StandardScaler().fit(rest)
    plain = make(estimator, 3).fit(
        scaler.transform(rest), validation_data=scaler.transform(held_out)
    )
    assert_allclose(
        scaled.validation_total_residual_variance_, plain.validation_total_residual_variance_
    )
    assert_allclose(scaled.validation_residual_variance_, plain.validation_residual_variance_)


@pytest.mark.parametrize("estimator", STEPWISE)
def test_streams_and_model_files_of_scaled_fits_agree_with_arrays(estimator, tmp_path):
    np.save(tmp_path / "x.npy", X)
    whole = make(estimator, 3, scale=True).fit(X)
    stream = make(estimator, 3, scale=True, memory_budget=2**20)
    stream.fit(lambda: iter([X[:150], X[150:]]))
    assert_array_equal(whole.model_.kept.chosen, stream.model_.kept.chosen)
    assert_allclose(whole.residual_variance_, stream.residual_variance_, rtol=1e-8, atol=1e-10)
    assert_allclose(whole.transform(X), stream.transform(X), rtol=1e-8, atol=1e-8)
    whole.save(tmp_path / "model.gram")
    again = load(tmp_path / "model.gram")
    assert_array_equal(again.transform(X), whole.transform(X))
    assert again.score(X) == whole.score(X)


@pytest.mark.parametrize("estimator", STEPWISE)
def test_dask_collections_give_the_scaled_fit_of_arrays(estimator):
    array = pytest.importorskip("dask.array")
    whole = make(estimator, 3, scale=True).fit(X)
    parts = make(estimator, 3, scale=True).fit(array.from_array(X, chunks=(90, 6)))
    assert_array_equal(whole.model_.kept.chosen, parts.model_.kept.chosen)
    assert_allclose(whole.residual_variance_, parts.residual_variance_, rtol=1e-8, atol=1e-10)


def test_formulas_are_in_the_units_of_the_table():
    power = np.column_stack([A + 5, B + 6, 1e-3 * (A + 5) * (B + 6)])
    fitted = GFS(2, scale=True, alpha=0, criterion="variance").fit(power)
    (found,) = explain(fitted)
    assert found.r2 == pytest.approx(1)
    kept = fitted.selected_features_.tolist()
    target = next(i for i in range(3) if i not in kept)
    assert_allclose(found(fitted.transform(power)), power[:, target], rtol=1e-6)


def test_redundant_directions_are_explained():
    a, b = RNG.choice([-1, 1], (2, 1000)) * RNG.uniform(1, 2, (2, 1000))
    table = np.column_stack([a, b, a * b + 1e-3 * RNG.standard_normal(1000)]) * [1e3, 1, 1e-3]
    gca = GCA(threshold=0.01, scale=True, basis=np.eye(3), backward=False, alpha=0).fit(table)
    assert len(gca.redundant_indices_) == 1
    (found,) = explain(gca, table)
    coordinates = gca.model_.centre(table) @ (gca.basis_ / gca.scale_).T
    predicted = found(gca.transform(table))
    target = coordinates[:, gca.redundant_indices_[0]]
    assert 1 - np.mean((target - predicted) ** 2) / target.var() > 0.999
    assert certify(gca, table).holds


def test_a_constant_column_is_reconstructed_and_adds_no_variance():
    table = np.column_stack([X, np.full(len(X), 7.0)])
    for estimator in (
        GFR(3, scale=True, alpha=0),
        GFA(threshold=1e-3, scale=True, backward=False, alpha=0),
    ):
        fitted = estimator.fit(table)
        kept = fitted.inverse_transform(fitted.transform(table))
        assert_array_equal(kept[:, -1], 7.0)
        assert fitted.total_residual_variance_[0] == pytest.approx(6)
