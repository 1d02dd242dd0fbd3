"""PolynomialManifold on files and Dask collections: fits equal those of arrays."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from source_cases import BUDGET, FRAME, NAMES, WEIGHTED, WEIGHTS, X, write_parquet, write_parts

from gramian import PolynomialManifold

OPTIONS = {"n_components": 2, "tol": 1e-8, "memory_budget": BUDGET}
ARRAY = PolynomialManifold(**OPTIONS).fit(X)


def assert_same(one: PolynomialManifold, other: PolynomialManifold) -> None:
    np.testing.assert_allclose(one.mean_, other.mean_, rtol=1e-12)
    np.testing.assert_allclose(
        one.total_residual_variance_, other.total_residual_variance_, rtol=1e-7
    )
    np.testing.assert_allclose(one.components_, other.components_, atol=1e-6)
    np.testing.assert_allclose(one.transform(X), other.transform(X), atol=1e-6)


def without_names(model: PolynomialManifold) -> PolynomialManifold:
    del model.feature_names_in_
    return model


def test_files_give_the_fit_of_the_array(tmp_path):
    fit = PolynomialManifold(**OPTIONS).fit(write_parts(tmp_path))
    assert list(fit.feature_names_in_) == NAMES
    assert_same(ARRAY, without_names(fit))


def test_a_file_in_memory_gives_the_fit_of_the_array(tmp_path):
    fit = PolynomialManifold(2, tol=1e-8).fit(write_parquet(tmp_path))
    assert list(fit.feature_names_in_) == NAMES
    assert_same(ARRAY, without_names(fit))


def test_blocks_give_the_fit_of_the_array():
    fit = PolynomialManifold(**OPTIONS).fit(lambda: iter(np.array_split(X, 7)))
    assert_same(ARRAY, fit)


def test_dask_gives_the_fit_of_the_array():
    fit = PolynomialManifold(**OPTIONS).fit(da.from_array(X, chunks=(700, 3)))
    assert_same(ARRAY, fit)


def test_weights_in_a_column_equal_weights_in_an_array(tmp_path):
    expected = PolynomialManifold(**OPTIONS).fit(X, sample_weight=WEIGHTS)
    path = write_parquet(tmp_path, WEIGHTED)
    fit = PolynomialManifold(**OPTIONS).fit(path, sample_weight="weight")
    assert list(fit.feature_names_in_) == NAMES
    assert_same(expected, without_names(fit))
    frame = FRAME.assign(weight=WEIGHTS)
    assert_same(
        expected,
        without_names(PolynomialManifold(**OPTIONS).fit(frame, sample_weight="weight")),
    )
    many = dd.from_pandas(frame, npartitions=3)
    assert_same(
        expected, without_names(PolynomialManifold(**OPTIONS).fit(many, sample_weight="weight"))
    )


@pytest.mark.parametrize("kind", ["file", "dask"])
def test_held_out_rows_of_a_stream_choose_parameters(tmp_path, kind):
    data = write_parquet(tmp_path) if kind == "file" else da.from_array(X, chunks=(500, 8))
    model = PolynomialManifold(2, degree="auto", n_rounds=2, memory_budget=BUDGET).fit(data)
    assert model.n_samples_ == len(X)
    held_out = model.validation_total_residual_variance_
    assert held_out.min() == pytest.approx(model.total_residual_variance_[-1], rel=0.3)


def test_codes_points_and_errors_of_files_equal_those_of_the_array(tmp_path):
    model = PolynomialManifold(**OPTIONS).fit(FRAME)
    source = write_parquet(tmp_path)
    codes = model.transform(source, output=tmp_path / "codes.parquet")
    expected = model.transform(FRAME)
    np.testing.assert_allclose(pd.read_parquet(codes), expected, atol=1e-6)
    assert list(pd.read_parquet(codes).columns) == list(model.get_feature_names_out())
    points = model.inverse_transform(codes, output=tmp_path / "points.parquet")
    again = pd.read_parquet(points)
    np.testing.assert_allclose(again, model.inverse_transform(expected), atol=1e-5)
    assert list(again.columns) == NAMES
    np.testing.assert_allclose(
        model.reconstruction_error(source), model.reconstruction_error(FRAME), rtol=1e-6
    )
    assert model.score(source) == pytest.approx(model.score(FRAME))
    linear = model.transform(source, linear=True, output=tmp_path / "linear.npy")
    np.testing.assert_allclose(np.load(linear), model.transform(FRAME, linear=True), atol=1e-9)


def test_codes_points_and_errors_of_dask_are_lazy():
    rows = da.from_array(X, chunks=(700, 8))
    codes = ARRAY.transform(rows)
    np.testing.assert_allclose(codes.compute(), ARRAY.transform(X), atol=1e-6)
    points = ARRAY.inverse_transform(codes)
    assert points.shape == X.shape
    np.testing.assert_allclose(
        points.compute(), ARRAY.inverse_transform(ARRAY.transform(X)), atol=1e-5
    )
    np.testing.assert_allclose(
        ARRAY.reconstruction_error(rows).compute(), ARRAY.reconstruction_error(X), rtol=1e-6
    )
    assert ARRAY.score(rows) == pytest.approx(ARRAY.score(X))


def test_a_weight_column_that_does_not_exist_gets_a_clear_error():
    for data in (FRAME, dd.from_pandas(FRAME, npartitions=2)):
        with pytest.raises(ValueError, match="no column 'mass'"):
            PolynomialManifold(2).fit(data, sample_weight="mass")
