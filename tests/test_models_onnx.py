"""Export of `transform` to ONNX, compared with `transform`."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest
from model_cases import ESTIMATORS, fit, table
from sklearn.exceptions import NotFittedError

from gramian import GFR, GFS, UFFS, PolynomialManifold, models
from gramian.families import Polynomial

X = table()


@pytest.fixture
def runtime():
    pytest.importorskip("onnx", reason="onnx is not installed: pip install gramian[onnx]")
    return pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def run(runtime, model, rows):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(["Z"], {"X": rows})[0]


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-6)])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_onnx_and_transform_give_equal_codes(estimator, dtype, tolerance, runtime):
    fitted = fit(UFFS(degree=2) if estimator is UFFS else estimator(), X)
    rows = X[:50].astype(dtype)
    found = run(runtime, models.to_onnx(fitted, dtype=dtype), rows)
    expected = fitted.transform(rows)
    assert found.dtype == expected.dtype == dtype
    size = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def sheet(n: int) -> np.ndarray:
    """Return points of a curved sheet with noise, and rows far away from the sheet."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.5, 1.5, (2, n))
    rows = np.column_stack([2 * a, 3 * b, a**2 + b**2, a * b, a - b, np.ones(n)])
    rows += 0.1 * rng.standard_normal(rows.shape)
    rows[::50] *= 20
    return rows


SURFACES = [
    PolynomialManifold(2, degree=3),
    PolynomialManifold(3, scale=True, code_penalty=0.0),
    PolynomialManifold(2, degree=1),
    PolynomialManifold(1, family="multilinear", tol=1e-8, max_steps=200),
    PolynomialManifold(2, family=Polynomial(4, max_variables=1), max_steps=3),
]


@pytest.mark.parametrize("estimator", SURFACES, ids=repr)
def test_onnx_and_transform_find_equal_nearest_points(estimator, runtime):
    import onnx

    rows = sheet(400)
    fitted = fit(estimator, np.delete(rows, np.s_[::50], axis=0))
    model = models.to_onnx(fitted, dtype="float64")
    onnx.checker.check_model(model, full_check=True)
    np.testing.assert_allclose(run(runtime, model, rows), fitted.transform(rows), atol=1e-9)


@pytest.mark.parametrize("estimator", SURFACES[:3], ids=repr)
def test_points_found_in_float32_are_equally_near(estimator, runtime):
    rows = sheet(400).astype(np.float32)
    fitted = fit(estimator, rows)
    found = run(runtime, models.to_onnx(fitted), rows)
    expected = fitted.transform(rows)
    assert found.dtype == np.float32
    away = np.abs(found - expected).max(axis=1)
    # rounding may add or remove the last step of a row
    assert np.quantile(away, 0.95) < 1e-4
    distances = [
        np.linalg.norm(rows - fitted.inverse_transform(codes), axis=1)
        for codes in (found, expected)
    ]
    np.testing.assert_allclose(*distances, rtol=0.01)


def test_a_surface_other_than_a_polynomial_is_refused(runtime):
    fitted = fit(PolynomialManifold(1, family="fourier", degree=1), sheet(100))
    with pytest.raises(ValueError, match=r"Fourier\(1.*'polynomial' or 'multilinear'"):
        models.to_onnx(fitted)


def test_the_graph_is_valid_and_holds_the_names(runtime, tmp_path):
    import onnx

    fitted = fit(GFS(2, alpha=0, criterion="variance"), pd.DataFrame(X, columns=list("abcdefg")))
    models.to_onnx(fitted, tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    names = {entry.key: json.loads(entry.value) for entry in model.metadata_props}
    assert names == {
        "feature_names_in": list("abcdefg"),
        "feature_names_out": fitted.get_feature_names_out().tolist(),
    }


def test_an_empty_selection_is_exported(runtime):
    fitted = fit(GFR(threshold=1e9, alpha=0), X)
    assert run(runtime, models.to_onnx(fitted, dtype="float64"), X).shape == (len(X), 0)


def test_a_wrong_type_of_numbers_is_refused(runtime):
    with pytest.raises(ValueError, match="dtype must be 'float32' or 'float64'"):
        models.to_onnx(fit(GFR(1, alpha=0), X), dtype="int8")


def test_only_fitted_estimators_of_gramian_are_exported(runtime):
    with pytest.raises(NotFittedError):
        models.to_onnx(GFR(alpha=0))
    with pytest.raises(TypeError, match="for the estimators of gramian"):
        models.to_onnx(object())


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx.helper", None)
    with pytest.raises(ImportError, match=r"gramian\[onnx\]"):
        models.to_onnx(fit(GFR(1, alpha=0), X))
