"""Models written to files and read again."""

from __future__ import annotations

import dataclasses
import os
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from model_cases import (
    DECODING,
    ESTIMATORS,
    assert_same_fit,
    assert_works_alike,
    discrete,
    fit,
    table,
    unpack,
)
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from support import PUBLISHED

import gramian
from gramian import GCA, GFA, GFR, GFS, UFFS, models
from gramian.families import (
    Custom,
    Family,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
    Union,
)

X = table()
FIXTURES = Path(__file__).parent / "fixtures"
FAMILIES = [
    Multilinear(1),
    Multilinear(None),
    Polynomial(3),
    Polynomial(3, max_variables=1),
    Hermite(3),
    Legendre(2),
    Fourier(2, frequency=0.7),
    Multilinear(3) + Fourier(1) + Hermite(2),
    Union([Union([Multilinear(2), Polynomial(2)]), Legendre(3)]),
]
FITS = {
    "a number": {"count": 2},
    "a share": {"count": 0.5},
    "as published": {"published": True},
    "nothing": {"threshold": 1e9, "published": True},
    "shrinkage": {"alpha": 0.1},
    "infinite shrinkage": {"alpha": np.inf},
    "shrinkage found": {"alpha": "auto"},
    "family found": {"family": "auto", "degree": "auto"},
    "held-out rows": {"validation_fraction": 0.25, "early_stopping": True},
    "Gram": {"solver": "gram"},
    "moments": {"solver": "moments", "degree": 3},
    "NumPy's numbers": {"degree": np.int64(2), "threshold": np.float64(0.5)},
}


def made(estimator, count=None, *, published=False, **params):
    if published:
        params = {**PUBLISHED[estimator], **params}
    if count is not None:
        params[estimator._count_name] = count
    return estimator(**params)


def small(estimator, **params):
    return UFFS(degree=2) if estimator is UFFS else estimator(**params)


def there_and_back(fitted, path, **options):
    models.save(fitted, path / "model.gram", **options)
    return models.load(path / "model.gram")


@pytest.fixture
def path(tmp_path):
    return tmp_path


# Equality to the last bit


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("estimator", DECODING)
def test_a_loaded_model_equals_the_saved_one(estimator, name, path):
    fitted = fit(made(estimator, **FITS[name]), X)
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, X)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("estimator", DECODING)
def test_a_model_of_every_family_is_loaded_unchanged(estimator, family, path):
    fitted = fit(made(estimator, 3, family=family), X)
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, X)


@pytest.mark.parametrize("params", [{}, {"n_features_to_select": 2}, {"cluster_size": 3}])
def test_a_model_of_uffs_is_loaded_unchanged(params, path):
    fitted = fit(UFFS(degree=2, **params), X)
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, X)


@pytest.mark.parametrize("family", [Indicator(2), Indicator(None) + Polynomial(2)], ids=repr)
@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_levels_of_discrete_columns_are_loaded_unchanged(estimator, family, path):
    fitted = fit(estimator(family=family), discrete())
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, discrete(50, seed=1))
    for block, again in zip(
        fitted.model_.decoder.blocks, loaded.model_.decoder.blocks, strict=True
    ):
        middles, middles_again = (each.bases[0].evaluate.args[0] for each in (block, again))
        np.testing.assert_array_equal(middles, middles_again)


def test_limits_between_levels_are_loaded_unchanged(path):
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.choice(rng.standard_normal(4) * 10.0 ** rng.integers(-6, 6), (60, 2))
        fitted = fit(GFS(2, family=Indicator(1), alpha=0, criterion="variance"), values)
        loaded = there_and_back(fitted, path)
        for block, again in zip(
            fitted.model_.decoder.blocks, loaded.model_.decoder.blocks, strict=True
        ):
            np.testing.assert_array_equal(
                block.bases[0].evaluate.args[0], again.bases[0].evaluate.args[0]
            )


@pytest.mark.parametrize("estimator", DECODING)
def test_a_model_of_more_columns_than_rows_is_loaded_unchanged(estimator, path):
    wide = np.random.default_rng(0).standard_normal((12, 40))
    fitted = fit(made(estimator, 2), wide)
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, wide)


@pytest.mark.parametrize("estimator", DECODING)
def test_dropped_functions_stay_dropped_after_loading(estimator, path):
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (300, 4)) * [4, 3, 2, 1]
    fitted = fit(made(estimator, 3, family="polynomial"), signs)
    if estimator in (GFS, GFA):
        assert fitted.n_dropped_functions_.sum() > 0
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, signs)


def test_a_model_of_weighted_rows_is_loaded_unchanged(path):
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    fitted = fit(GFR(2, alpha=0), X, sample_weight=weights)
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    assert_works_alike(fitted, loaded, X)


@pytest.mark.parametrize("given", [np.eye(7)[::-1], np.eye(7).tolist()])
def test_a_user_defined_basis_is_loaded_unchanged(given, path):
    fitted = fit(GCA(basis=given, backward=False, alpha=0), X)
    loaded = there_and_back(fitted, path)
    np.testing.assert_array_equal(loaded.basis, np.asarray(given))
    assert_works_alike(fitted, loaded, X)
    assert_works_alike(fitted, clone(loaded).fit(X), X)


# Behaviour of a loaded estimator


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_model_file_holds_names_of_columns(estimator, path):
    frame = pd.DataFrame(X, columns=["a", "ß", "", "<script>", "e f", "\n", "日本"])
    fitted = fit(small(estimator), frame)
    loaded = there_and_back(fitted, path)
    assert_same_fit(fitted, loaded)
    expected = fitted.set_output(transform="pandas").transform(frame)
    pd.testing.assert_frame_equal(loaded.set_output(transform="pandas").transform(frame), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.transform(frame.rename(columns={"a": "b"}))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_loaded_model_can_be_shown_cloned_and_refitted(estimator, path):
    fitted = fit(small(estimator), X)
    loaded = there_and_back(fitted, path)
    assert repr(loaded) == repr(fitted)
    again = clone(loaded)
    with pytest.raises(NotFittedError):
        again.transform(X)
    assert_works_alike(fit(again, X), fitted, X)
    assert_works_alike(fit(loaded, X[:, :4]), fit(clone(fitted), X[:, :4]), X[:, :4])


def test_float32_stays_float32(path):
    loaded = there_and_back(fit(GFR(2, alpha=0), X), path)
    assert loaded.transform(X.astype(np.float32)).dtype == np.float32


def test_a_loaded_model_has_the_explanations_of_the_saved_one(path):
    fitted = fit(GFA(threshold=1e-3, backward=False, alpha=0), X)
    loaded = there_and_back(fitted, path)
    assert str(gramian.explain(loaded)) == str(gramian.explain(fitted))


# The file


def test_the_same_model_has_the_same_bytes_and_is_small(path):
    for name in ("one", "two"):
        models.save(fit(GFR(2, alpha=0), X), path / name)
    assert (path / "one").read_bytes() == (path / "two").read_bytes()
    many = table(5000)
    models.save(fit(GFR(2, alpha=0), many), path / "many")
    assert (path / "many").stat().st_size < 10_000


def test_moments_are_not_written_if_large_or_unwanted(path):
    fitted = fit(GFR(3, alpha=0), X)
    assert there_and_back(fitted, path).model_.decoder.moments is not None
    bare = there_and_back(fitted, path, moments=False)
    assert bare.model_.decoder.moments is None
    assert_works_alike(fitted, bare, X)
    wide = fit(
        GFS(28, alpha=0, criterion="variance"), np.random.default_rng(0).standard_normal((500, 40))
    )
    assert there_and_back(wide, path).model_.decoder.moments is None
    assert_same_fit(wide, there_and_back(wide, path, moments=True))


def test_a_model_file_holds_no_pickle(path):
    models.save(fit(GFR(2, alpha=0), X), path / "model.gram")
    members = unpack(path / "model.gram")
    for name, content in members.items():
        if name != "model.json":
            np.lib.format.read_array(BytesIO(content), allow_pickle=False)


def test_an_interrupted_write_leaves_the_old_file(path, monkeypatch):
    target = path / "model.gram"
    models.save(fit(GFR(2, alpha=0), X), target)
    before = target.read_bytes()

    def full_disk(descriptor):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        models.save(fit(GFR(3, alpha=0), X), target)
    assert target.read_bytes() == before
    assert os.listdir(path) == ["model.gram"]


def test_the_model_file_does_not_hold_the_checkpoint_folder(path):
    fitted = fit(GFS(2, solver="gram", checkpoint=path / "sums", alpha=0, criterion="variance"), X)
    assert there_and_back(fitted, path).checkpoint is None
    assert b"sums" not in (path / "model.gram").read_bytes()


# Models that cannot be written


def twice(u):
    return 2 * np.abs(u)


def radius(u, v):
    return np.hypot(u, v)


def test_custom_functions_are_passed_to_load(path):
    family = Custom([(np.tanh, 1), (radius, 2)], any_order=True) + Multilinear(2)
    fitted = fit(GFR(3, family=family, alpha=0), X)
    models.save(fitted, path / "model.gram")
    with pytest.raises(models.ModelFileError, match=r"functions=\{'radius': ..., 'tanh': ...\}"):
        models.load(path / "model.gram")
    loaded = models.load(path / "model.gram", functions={"radius": radius, "tanh": np.tanh})
    assert_works_alike(fitted, loaded, X)


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ([(lambda u: u**2, 1)], "define it with def"),
        ([(partial(np.power, 2.0), 1)], "define it with def"),
        ([(twice, 1), (type("Twice", (), {"__name__": "twice", "__call__": radius})(), 1)], "Two"),
    ],
)
def test_custom_functions_without_a_unique_name_are_refused(functions, message, path):
    fitted = fit(GFR(2, family=Custom(functions[:1]), alpha=0), X)
    fitted.family = Custom(functions)
    with pytest.raises(ValueError, match=message):
        models.save(fitted, path / "model.gram")
    assert not os.listdir(path)


class Odd(Family):
    def rules(self):
        return Multilinear(2).rules()


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GFR(2, family=Odd(), alpha=0), "Odd cannot be written. Express it by Custom"),
        (GFR(2, random_state=np.random.RandomState(0), alpha=0), r"set_params\(random_state=0\)"),
    ],
)
def test_custom_families_and_random_states_are_refused_by_save(estimator, message, path):
    with pytest.raises(ValueError, match=message):
        models.save(fit(estimator, X), path / "model.gram")
    assert not os.listdir(path)


def test_a_model_that_load_would_refuse_is_not_written(path):
    fitted = fit(GFR(2, alpha=0), X)
    fitted._become(dataclasses.replace(fitted.model_, mean=fitted.mean_ * np.nan))
    with pytest.raises(ValueError, match="does not fit in a model file: The array 'mean_'"):
        models.save(fitted, path / "model.gram")
    assert not os.listdir(path)


def test_only_fitted_estimators_of_gramian_are_written(path):
    with pytest.raises(NotFittedError):
        models.save(GFR(alpha=0), path / "model.gram")
    with pytest.raises(TypeError, match="Model files are for GFR"):
        models.save(Odd(), path / "model.gram")


# Methods of estimators


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_method_save_writes_a_file_that_load_reads(estimator, path):
    fitted = fit(small(estimator), X)
    fitted.save(path / "model.gram")
    assert_same_fit(fitted, gramian.load(path / "model.gram"))


# A file of the first version, and its model's results at the time of writing

EXTRACTED = [[5.317643771176313, 3.482372620806545], [-3.6152055928875737, 0.5900047510861253]]
RECONSTRUCTED = [
    4.917772264187958,
    2.4856636537840373,
    3.1867585137038565,
    7.0,
    0.685226523728868,
    2.7059738507295608,
    2.6837832458270277,
]


def test_a_file_of_the_first_version_transforms_as_before():
    model = models.read(FIXTURES / "extraction_1.gram")
    gfr = model.estimator
    assert isinstance(gfr, GFR)
    assert model.gramian_version == "0.1.0.dev0"
    assert gfr.family_ == Polynomial(2) + Fourier(1, frequency=0.5)
    assert gfr.alpha == 0.01
    Z = gfr.transform(X[:2])
    np.testing.assert_allclose(Z, EXTRACTED, rtol=1e-13)
    np.testing.assert_allclose(gfr.inverse_transform(Z)[0], RECONSTRUCTED, rtol=1e-12)


def test_a_file_that_scales_columns_before_the_fit_is_refused():
    with pytest.raises(models.ModelFileError, match="fit again with scale=True"):
        models.read(FIXTURES / "selection_1.gram")
