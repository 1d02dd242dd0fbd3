"""All baselines by name: one way to make them, and scikit-learn's contract."""

import importlib.util

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from gramian_paper.baselines import EXTRACTORS, SELECTORS, available, extractor, selector

QUICK = {"autoencoder": {"epochs": 5}, "umap": {"n_epochs": 10}}


def needs_package(name):
    missing = not available(name)
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=f"{name} is not installed"))


EVERY_EXTRACTOR = [needs_package(name) for name in EXTRACTORS]
EVERY_SELECTOR = [needs_package(name) for name in SELECTORS]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.uniform(-1, 1, (90, 6)) * [1, 2, 3, 1, 2, 3]
    X[:, 2] += 3 * y
    return X - X.mean(axis=0), y


@pytest.mark.parametrize("name", EVERY_EXTRACTOR)
def test_every_extractor_returns_the_requested_number_of_columns_reproducibly(name, data):
    X, _ = data
    made = extractor(name, 2, random_state=0, **QUICK.get(name, {}))
    first = made.fit_transform(X)
    assert first.shape == (90, 2)
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(clone(made).fit_transform(X), first)
    assert len(made.get_feature_names_out()) == 2
    assert made.transform(X[:4]).shape == (4, 2)
    assert made.get_params()["n_components"] == 2


@pytest.mark.parametrize("name", EVERY_SELECTOR)
def test_every_selector_keeps_the_requested_number_of_columns_reproducibly(name, data):
    X, y = data
    made = selector(name, 3, random_state=0)
    assert isinstance(made, SelectorMixin)
    support = made.fit(X, y).get_support()
    assert support.sum() == 3
    np.testing.assert_array_equal(np.sort(made.selected_features_), np.flatnonzero(support))
    np.testing.assert_array_equal(made.transform(X), X[:, support])
    np.testing.assert_array_equal(clone(made).fit(X, y).selected_features_, made.selected_features_)


@pytest.mark.parametrize("name", EVERY_SELECTOR)
def test_selectors_do_not_change_the_data(name, data):
    X, y = data
    before = X.copy()
    selector(name, 3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("name", EVERY_SELECTOR)
def test_selectors_keep_the_names_of_columns(name, data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef"))
    made = selector(name, 2, random_state=0).set_output(transform="pandas").fit(frame, y)
    assert list(made.transform(frame).columns) == list(frame.columns[made.get_support()])


@pytest.mark.parametrize("name", EVERY_SELECTOR)
def test_selectors_need_labels_only_if_they_are_supervised(name, data):
    X, _ = data
    made = selector(name, 2, random_state=0)
    if SELECTORS[name].supervised:
        with pytest.raises(ValueError, match="requires y to be passed"):
            made.fit(X)
        with pytest.raises(ValueError, match="one class only"):
            made.fit(X, np.zeros(len(X)))
    else:
        assert made.fit(X).get_support().sum() == 2


@pytest.mark.parametrize("name", EVERY_SELECTOR)
def test_too_many_features_are_refused_with_the_number_available(name, data):
    X, y = data
    with pytest.raises(ValueError, match="n_features_to_select=7 is more than the 6 features"):
        selector(name, 7).fit(X, y)


@pytest.mark.parametrize("name", EVERY_SELECTOR)
def test_all_columns_can_be_selected(name, data):
    X, y = data
    assert selector(name, 6, random_state=0).fit(X, y).get_support().all()


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "2"])
def test_counts_are_positive_integers(count):
    with pytest.raises(ValueError, match="n_components must be a positive integer"):
        extractor("pca", count)
    with pytest.raises(ValueError, match="n_features must be a positive integer"):
        selector("variance", count)


def test_an_unknown_name_is_refused_with_the_known_names():
    with pytest.raises(ValueError, match=r"no extractor 'mcfs'; there are pca, .*autoencoder"):
        extractor("mcfs", 2)
    with pytest.raises(ValueError, match=r"no selector 'pca'; there are mcfs, .*correlation"):
        selector("pca", 2)
    with pytest.raises(ValueError, match=r"no baseline 'tsne'; there are pca, .*correlation"):
        available("tsne")


@pytest.mark.parametrize(
    ("make", "name", "package"),
    [
        (extractor, "umap", "umap-learn"),
        (selector, "mcfs", "skfeature-chappers"),
        (selector, "fastcan", "fastcan"),
        (selector, "cur", "skmatter"),
        (selector, "fps", "skmatter"),
    ],
)
def test_a_missing_package_is_named(make, name, package, data, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    assert not available(name)
    with pytest.raises(ImportError, match=f"{package}: pip install {package}"):
        make(name, 2).fit(data[0])


def test_baselines_that_need_no_package_are_always_available(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    own = {name for name in [*EXTRACTORS, *SELECTORS] if available(name)}
    assert own == {
        *("pca", "kernel-pca", "fast-ica", "lpp", "autoencoder"),
        *("ndfs", "udfs", "laplacian-score", "trace-ratio", "fisher-score", "uffs"),
        *("variance", "correlation"),
    }


def test_descriptions_say_what_a_table_needs():
    for baseline in [*EXTRACTORS.values(), *SELECTORS.values()]:
        assert baseline.title
        assert baseline.reference
    assert {name for name in SELECTORS if SELECTORS[name].supervised} == {
        "trace-ratio",
        "fisher-score",
    }
    for name in ["umap", "autoencoder"]:
        if available(name):
            assert set(EXTRACTORS[name].varied) <= set(extractor(name, 2).get_params())


def test_kernel_pca_has_the_kernel_of_the_papers_tables():
    made = extractor("kernel-pca", 2)
    assert (made.kernel, made.degree, made.coef0, made.gamma) == ("poly", 4, 1, None)
    assert extractor("kernel-pca", 2, degree=2).degree == 2


@pytest.mark.parametrize("name", ["fisher-score", "laplacian-score", "correlation"])
def test_selectors_work_in_a_pipeline(name, data):
    X, y = data
    pipeline = make_pipeline(selector(name, 3), LogisticRegression())
    assert pipeline.fit(X, y).score(X, y) > 0.5
