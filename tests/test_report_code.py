"""Python code on the page of a report: it makes the same report."""

import re

import numpy as np
import pandas as pd
import pytest
from report_cases import Page, code_of, page_of, power_table

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import Custom, Multilinear, Polynomial
from gramian.models import Preprocessing


@pytest.mark.parametrize(
    "estimator",
    [
        GFS(0.9, validation_fraction=0.2, random_state=3, criterion="variance"),
        GFA(threshold=1e-3, relative=True, family=Multilinear(1) + Polynomial(2), backward=False),
        GFR(np.int64(2), family="polynomial", degree=2),
        GFS(3, family="auto", degree="auto", alpha="auto", criterion="variance"),
        GCA(2, backward=False),
        UFFS(degree=2, cluster_size=3),
    ],
)
def test_code_on_the_page_reproduces_the_report(tmp_path, monkeypatch, estimator):
    X = power_table()
    page = page_of(tmp_path, estimator.fit(X), X)
    monkeypatch.chdir(tmp_path)
    _run(code_of(page), X)
    assert _without_dates(Page(tmp_path / "report.html").source) == _without_dates(page.source)


def test_the_code_has_the_parameters_of_the_fit(tmp_path):
    X = power_table()
    fitted = GFS(2, alpha=0).fit(X).set_params(n_features_to_select=5, alpha=1.0)
    assert "GFS(alpha=0, n_features_to_select=2)" in code_of(page_of(tmp_path, fitted, X))


def test_code_with_preprocessing_runs(tmp_path, monkeypatch):
    X = power_table(colour=["red", "blue", "green"] * 100)
    X.loc[[3, 5], "heat"] = np.nan
    monkeypatch.chdir(tmp_path)
    learned = Preprocessing.learn(X, X.columns, encode=True, impute="mean")
    given = Preprocessing(
        learned.columns, "fill", 0.9 * learned.impute, {"colour": ["green", "blue", "red"]}
    )
    for steps in (learned, given):
        gfs = GFS(3, scale=True, criterion="variance").fit(steps.apply(X))
        namespace = _run(code_of(page_of(tmp_path, gfs, X, preprocessing=steps)), X)
        np.testing.assert_array_equal(namespace["preprocessing"].apply(X), steps.apply(X))
        assert namespace["estimator"].get_params() == gfs.get_params()


def test_code_names_the_input_file(tmp_path):
    np.save(tmp_path / "data.npy", power_table().to_numpy())
    path = str(tmp_path / "data.npy")
    code = code_of(page_of(tmp_path, GFS(2, criterion="variance").fit(path), path))
    assert f"X = {path!r}" in code


def test_code_omits_long_preprocessing(tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 70))).add_prefix("column ")
    other = Preprocessing(X.columns.tolist(), "fill", np.zeros(70))
    gfs = GFS(2, criterion="variance").fit(other.apply(X))
    code = code_of(page_of(tmp_path, gfs, X, preprocessing=other))
    assert "# preprocessing is that of the fit, from its model file" in code
    assert "np.array" not in code


def test_code_says_which_parameters_it_cannot_write(tmp_path):
    X = power_table()
    family = Custom([(np.abs, 1), (np.hypot, 2)])
    code = code_of(
        page_of(tmp_path, GFS(2, family=family, degree=None, criterion="variance").fit(X), X)
    )
    assert "# family is as it was in the fit." in code
    compile(code, "code", "exec")


def _run(code, X):
    namespace = {"X": X}
    exec(code, namespace)
    return namespace


def _without_dates(source):
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "", source)
