"""A fit happens whole or not at all: what fails leaves the estimator as it was."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from gramian import GCA, GFA, GFR, GFS, UFFS, load
from gramian._progress import Lines

RNG = np.random.default_rng(0)
FACTORS = RNG.standard_normal((300, 3))
X = np.column_stack([3 * FACTORS, FACTORS[:, 0] * FACTORS[:, 1], FACTORS[:, 2] ** 2]) + 5
OTHER = 1000 * RNG.standard_normal((80, 5)) - 7
"""Rows on another scale: whatever leaks from them shows."""

ESTIMATORS = {
    "GFR": GFR(2, alpha=0),
    "GFR, scaled": GFR(2, scale=True, alpha=0),
    "GFR, all chosen": GFR(2, degree="auto", alpha="auto"),
    "GCA": GCA(3, backward=False, alpha=0),
    "GFS": GFS(3, alpha=0, criterion="variance"),
    "GFS, chosen penalty": GFS(3, alpha="auto", criterion="variance"),
    "GFA": GFA(3, backward=False, alpha=0),
    "UFFS": UFFS(3, degree=2),
}
DECODING = [name for name in ESTIMATORS if name != "UFFS"]


class Interrupted:
    """Blocks of rows of which the second pass breaks off."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error, self.passes = error, 0

    def __iter__(self):
        self.passes += 1
        yield OTHER[:40]
        if self.passes > 1:
            raise self.error("the connection was lost")
        yield OTHER[40:]


def not_finite(estimator, monkeypatch):
    bad = OTHER.copy()
    bad[7, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        estimator.fit(bad)


def too_few(estimator, monkeypatch):
    with pytest.raises(ValueError, match="minimum"):
        estimator.fit(OTHER[:1])


def interrupted_by_user(estimator, monkeypatch):
    def interrupt(self, trace):
        raise KeyboardInterrupt

    monkeypatch.setattr(Lines, "__call__", interrupt)
    estimator.verbose, before = 2, estimator.verbose
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(OTHER)
    estimator.verbose = before


def lost_connection(estimator, monkeypatch):
    with pytest.raises((OSError, ValueError), match="connection was lost"):
        estimator.set_params(memory_budget=2**20).fit(Interrupted(OSError))


FAULTS = [not_finite, too_few, interrupted_by_user]


def outputs(estimator, path):
    """All that users see of a fit."""
    estimator.save(path)
    attributes = {key: value for key, value in vars(estimator).items() if key.endswith("_")}
    del attributes["model_"]
    found = [path.read_bytes(), estimator.transform(X)]
    if hasattr(estimator, "score"):
        found += [estimator.score(X), estimator.inverse_transform(estimator.transform(X))]
    return found, attributes


def assert_unchanged(estimator, before, path):
    found, attributes = outputs(estimator, path)
    for old, new in zip(before[0], found, strict=True):
        assert_array_equal(np.asarray(old), np.asarray(new))
    assert attributes.keys() == before[1].keys()
    for name, value in before[1].items():
        assert attributes[name] is value, name


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_refit_that_fails_leaves_the_fit_as_it_was(name, fault, tmp_path, monkeypatch):
    estimator = copy.deepcopy(ESTIMATORS[name]).fit(X)
    before = outputs(estimator, tmp_path / "model.gram")
    fault(estimator, monkeypatch)
    assert_unchanged(estimator, before, tmp_path / "model.gram")


@pytest.mark.parametrize("name", DECODING)
def test_a_stream_that_breaks_off_leaves_the_fit_as_it_was(name, tmp_path, monkeypatch):
    estimator = copy.deepcopy(ESTIMATORS[name]).set_params(memory_budget=2**20).fit(X)
    before = outputs(estimator, tmp_path / "model.gram")
    lost_connection(estimator, monkeypatch)
    assert_unchanged(estimator, before, tmp_path / "model.gram")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_first_fit_that_fails_leaves_an_unfitted_estimator(name, fault, monkeypatch):
    estimator = copy.deepcopy(ESTIMATORS[name])
    fault(estimator, monkeypatch)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)
    assert not [key for key in vars(estimator) if key.endswith("_")]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_nothing_of_an_earlier_fit_is_left_after_another(name):
    pandas = pytest.importorskip("pandas")
    estimator = copy.deepcopy(ESTIMATORS[name])
    if "validation_fraction" in estimator.get_params():
        estimator.set_params(validation_fraction=0.2)
    estimator.fit(pandas.DataFrame(X, columns=list("abcde")))
    assert "feature_names_in_" in vars(estimator)
    again = copy.deepcopy(ESTIMATORS[name]).fit(OTHER)
    estimator.set_params(**again.get_params()).fit(OTHER)
    assert {*vars(estimator)} == {*vars(again)}


def test_the_fitted_model_cannot_be_changed():
    model = GFS(2, alpha=0, criterion="variance").fit(X).model_
    with pytest.raises(AttributeError):
        model.mean = np.zeros(5)


@pytest.mark.parametrize("name", DECODING)
def test_the_model_tells_what_the_estimator_does(name, tmp_path):
    estimator = copy.deepcopy(ESTIMATORS[name]).fit(X)
    estimator.save(tmp_path / "model.gram")
    for fitted in (estimator, load(tmp_path / "model.gram")):
        model = fitted.model_
        kept = model.encoder(model.centre(X))
        assert len(model.kept_names) == kept.shape[1] == len(model.chosen)
        assert {*fitted.get_feature_names_out()} == {*model.kept_names}
        reconstructed = fitted.inverse_transform(fitted.transform(X))
        np.testing.assert_allclose(model.decode(kept), reconstructed, atol=1e-9)
