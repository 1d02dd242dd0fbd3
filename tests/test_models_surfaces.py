"""Model files of curved surfaces: equal to the last bit, and hostile files refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from model_cases import (
    assert_same_fit,
    bounded_work,
    edit,
    fit,
    replace_array,
    unpack,
)

import gramian
from gramian import PolynomialManifold, models
from gramian.families import Multilinear, Polynomial


def sheet(n_rows: int = 300) -> np.ndarray:
    """Return points of a curved sheet in six dimensions."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.5, 1.5, (2, n_rows))
    return np.column_stack([2 * a, 30 * b, a**2 + b**2, a * b, a - b, np.ones(n_rows)])


X = sheet()
FITS = {
    "degree 3": {"degree": 3},
    "a plane": {"degree": 1},
    "scaled": {"scale": True, "alpha": 0.5},
    "chosen": {"degree": "auto", "alpha": "auto", "n_rounds": 2},
    "closed": {"family": "fourier", "degree": 1},
    "a union": {"family": Multilinear(1) + Polynomial(2, max_variables=1)},
    "tight": {"code_penalty": 0.0, "tol": 1e-9, "max_steps": 7},
}


@pytest.mark.parametrize("name", FITS)
def test_a_loaded_surface_equals_the_saved_one(name, tmp_path):
    model = fit(PolynomialManifold(2, **FITS[name]), X)
    model.save(tmp_path / "model.gram")
    again = gramian.load(tmp_path / "model.gram")
    assert_same_fit(model, again)
    codes = model.transform(X)
    np.testing.assert_array_equal(codes, again.transform(X))
    np.testing.assert_array_equal(model.transform(X, linear=True), again.transform(X, linear=True))
    np.testing.assert_array_equal(model.inverse_transform(codes), again.inverse_transform(codes))
    np.testing.assert_array_equal(model.reconstruction_error(X), again.reconstruction_error(X))
    again.save(tmp_path / "again.gram")
    assert unpack(tmp_path / "model.gram") == unpack(tmp_path / "again.gram")


def test_a_loaded_surface_of_more_columns_than_rows_equals_the_saved_one(tmp_path):
    wide = np.random.default_rng(0).standard_normal((6, 40)).T @ X[:30].T
    model = fit(PolynomialManifold(2), wide[:20])
    model.save(tmp_path / "model.gram")
    np.testing.assert_array_equal(
        gramian.load(tmp_path / "model.gram").transform(wide), model.transform(wide)
    )


def test_the_model_file_holds_names_and_preprocessing(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    steps = models.Preprocessing.learn(frame, list("abcdef"), impute="mean")
    model = PolynomialManifold(1).fit(frame)
    models.save(model, tmp_path / "model.gram", preprocessing=steps)
    found = models.read(tmp_path / "model.gram")
    assert list(found.estimator.feature_names_in_) == list("abcdef")
    assert list(found.estimator.get_feature_names_out()) == ["polynomialmanifold0"]
    assert found.preprocessing.columns == tuple("abcdef")


def test_parameters_changed_after_the_fit_do_not_change_the_search(tmp_path):
    model = PolynomialManifold(2, tol=1e-3).fit(X)
    codes = model.transform(X)
    model.set_params(tol=0.5, max_steps=1)
    model.save(tmp_path / "model.gram")
    np.testing.assert_array_equal(gramian.load(tmp_path / "model.gram").transform(X), codes)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "good.gram"
    fit(PolynomialManifold(2), X).save(path)
    return path


def set_(**values):
    return lambda document: document["fitted"].update(values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_(max_steps=2**40), "max_steps is damaged"),
        (set_(max_steps=0), "max_steps is damaged"),
        (set_(tol=-1.0), "tol is damaged"),
        (set_(tol=1), "tol is damaged"),
        (set_(code_penalty={"float": "inf"}), "code_penalty is damaged"),
        (set_(unit=0.0), "scale of its codes"),
        (set_(n_samples_=0), "n_samples_ is damaged"),
        (set_(more=1.0), "description of the fit"),
        (set_(family_={"class": "Polynomial", "parameters": {"degree": 3}}), "6 functions"),
        (set_(family_={"class": "Polynomial", "parameters": {"degree": 1000}}), "functions"),
        (set_(family_={"class": "Indicator", "parameters": {}}), "levels"),
        (lambda document: document["parameters"].update(max_steps=10**6), "max_steps"),
    ],
)
def test_wrong_descriptions_are_refused(change, message, source, tmp_path):
    path = edit(tmp_path / "bad.gram", change, source)
    with bounded_work(), pytest.raises(models.ModelFileError, match=message):
        models.load(path)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("surface.mixing", np.zeros((2, 2)), "degenerate"),
        ("surface.mixing", np.full((2, 2), np.nan), "NaN"),
        ("surface.mixing", np.eye(3), "does not fit"),
        ("surface.coefficients", np.zeros((7, 6)), "7 functions"),
        ("start.matrix", np.zeros((6, 4)), "does not fit"),
        ("scale_", np.zeros(6), "not positive"),
    ],
)
def test_wrong_arrays_are_refused(name, array, message, source, tmp_path):
    path = replace_array(tmp_path / "bad.gram", name, array, source)
    with bounded_work(), pytest.raises(models.ModelFileError, match=message):
        models.load(path)


def test_starting_angles_of_an_open_surface_are_refused(source, tmp_path):
    path = replace_array(tmp_path / "bad.gram", "start.matrix", np.zeros((6, 4)), source)
    replace_array(path, "start.offset", np.zeros(4))
    with pytest.raises(models.ModelFileError, match="start of its search"):
        models.load(path)


def test_a_small_file_cannot_declare_a_surface_that_takes_all_memory(tmp_path):
    k, degree = 150, 45  # many functions of each of 150 variables
    wide = np.random.default_rng(0).standard_normal((k + 2, k))
    small = fit(PolynomialManifold(k, degree=1, n_rounds=1), wide)
    small.save(tmp_path / "good.gram")
    family = {"class": "Polynomial", "parameters": {"degree": degree, "max_variables": 1}}
    path = edit(tmp_path / "bad.gram", set_(family_=family), tmp_path / "good.gram")
    replace_array(path, "surface.coefficients", np.zeros((1 + degree * k, k)))
    with bounded_work(), pytest.raises(models.ModelFileError, match="more tangents"):
        models.load(path)


def test_a_file_with_too_many_functions_is_refused(tmp_path):
    line = fit(PolynomialManifold(1, degree=1), X[:, :1])
    line.save(tmp_path / "good.gram")
    path = replace_array(
        tmp_path / "bad.gram", "surface.coefficients", np.zeros((40_000, 1)), tmp_path / "good.gram"
    )
    with bounded_work(), pytest.raises(models.ModelFileError, match="more functions"):
        models.load(path)


def test_more_steps_than_a_model_file_allows_are_refused_as_parameter():
    with pytest.raises(ValueError, match="10000"):
        PolynomialManifold(1, max_steps=10**6).fit(X)
