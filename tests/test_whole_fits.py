"""Atomic fits: a fit that fails leaves the estimator unchanged."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from gramian import (
    GCA,
    GFA,
    GFR,
    GFS,
    UFFS,
    GramianImputer,
    PolynomialManifold,
    certify,
    load,
    report,
)
from gramian.fitting._progress_bar import Lines

RNG = np.random.default_rng(0)
FACTORS = RNG.standard_normal((300, 3))
X = np.column_stack([3 * FACTORS, FACTORS[:, 0] * FACTORS[:, 1], FACTORS[:, 2] ** 2]) + 5
OTHER = 1000 * RNG.standard_normal((80, 5)) - 7
"""Rows on another scale, so that any leak of their values is visible."""
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)

ESTIMATORS = {
    "GFR": GFR(2, alpha=0),
    "GFR, scaled": GFR(2, scale=True, alpha=0),
    "GFR, all chosen": GFR(2, degree="auto", alpha="auto"),
    "GCA": GCA(3, backward=False, alpha=0),
    "GFS": GFS(3, alpha=0, criterion="variance"),
    "GFS, chosen penalty": GFS(3, alpha="auto", criterion="variance"),
    "GFA": GFA(3, backward=False, alpha=0),
    "UFFS": UFFS(3, degree=2),
    "PolynomialManifold": PolynomialManifold(2, degree=2, alpha=0.01, n_rounds=2),
    "GramianImputer": GramianImputer(),
}
PURSUITS = [name for name in ESTIMATORS if name[0] == "G" and name != "GramianImputer"]


class Interrupted:
    """Blocks of rows whose second pass raises an error."""

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
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    before = estimator.get_params()
    monkeypatch.setattr(Lines, "__call__", interrupt)  # after the first step
    monkeypatch.setattr("gramian.estimators._manifold_plan.fit_rounds", interrupt)
    monkeypatch.setattr("gramian.core.imputation._imputation.best_correction", interrupt)
    if "verbose" in before:
        estimator.verbose = 2
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(OTHER)
    estimator.set_params(**before)


def lost_connection(estimator, monkeypatch):
    with pytest.raises((OSError, ValueError), match="connection was lost"):
        estimator.set_params(memory_budget=2**20).fit(Interrupted(OSError))


FAULTS = [not_finite, too_few, interrupted_by_user]


def outputs(estimator, path):
    """Return all attributes and results of a fit that users see."""
    attributes = {key: value for key, value in vars(estimator).items() if key.endswith("_")}
    del attributes["model_"]
    found = [estimator.transform(GAPS if isinstance(estimator, GramianImputer) else X)]
    if hasattr(estimator, "save"):
        estimator.save(path)
        found.append(path.read_bytes())
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
def test_a_refit_that_fails_leaves_the_fit_unchanged(name, fault, tmp_path, monkeypatch):
    estimator = copy.deepcopy(ESTIMATORS[name]).fit(X)
    before = outputs(estimator, tmp_path / "model.gram")
    with monkeypatch.context() as patched:
        fault(estimator, patched)
    assert_unchanged(estimator, before, tmp_path / "model.gram")


@pytest.mark.parametrize("name", [*PURSUITS, "PolynomialManifold"])
def test_a_stream_that_breaks_off_leaves_the_fit_unchanged(name, tmp_path, monkeypatch):
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
def test_no_attribute_of_an_earlier_fit_remains_after_another(name):
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


@pytest.mark.parametrize("name", PURSUITS)
def test_the_model_encodes_and_decodes_as_the_estimator_does(name, tmp_path):
    estimator = copy.deepcopy(ESTIMATORS[name]).fit(X)
    estimator.save(tmp_path / "model.gram")
    for fitted in (estimator, load(tmp_path / "model.gram")):
        model = fitted.model_
        kept = model.kept.encode(model.centre(X))
        assert len(model.kept_names) == kept.shape[1] == len(model.kept.chosen)
        assert {*fitted.get_feature_names_out()} == {*model.kept_names}
        reconstructed = fitted.inverse_transform(fitted.transform(X))
        np.testing.assert_allclose(model.decode(kept), reconstructed, atol=1e-9)


@pytest.mark.parametrize("name", PURSUITS)
def test_parameters_changed_after_the_fit_do_not_change_its_certificate_or_display(name, tmp_path):
    before = copy.deepcopy(ESTIMATORS[name]).fit(X)
    after = copy.deepcopy(before).set_params(threshold=7.0, alpha=0.5)
    if "relative" in after.get_params():
        after.set_params(relative=True)
    loaded = []
    for each in (before, after):
        each.save(tmp_path / "model.gram")
        loaded.append(load(tmp_path / "model.gram"))
    told = [
        [certify(each, X), each._repr_html_().partition("gramian-fit")[2], each.model_.asked]
        for each in (before, after, *loaded)
    ]
    assert all(str(each) == str(told[0]) for each in told)


def test_a_report_marks_the_threshold_of_the_fit(tmp_path):
    gfs = GFS(threshold=0.5, criterion="variance", alpha=0).fit(X)
    gfs.set_params(threshold=7.0)
    page = report(gfs, X, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "threshold 0.5" in page
    assert "threshold 7" not in page
