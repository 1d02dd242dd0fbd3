"""Summaries of fitted estimators in a notebook."""

import re

import numpy as np
import pytest
from report_cases import HOSTILE, hostile_table, power_table
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from support import ALL, make

from gramian import GFR, GFS, UFFS
from gramian.exceptions import SaturationWarning


def summary(estimator):
    """Return the part below scikit-learn's diagram."""
    shown = estimator._repr_html_()
    return shown.partition('<div class="gramian-fit">')[2]


@pytest.mark.parametrize("estimator", ALL)
def test_unfitted_estimators_show_only_the_diagram_of_scikit_learn(estimator):
    def plain(text):
        return re.sub(r"-\d+", "", text)  # scikit-learn numbers elements consecutively

    shown = make(estimator)
    assert plain(shown._repr_html_()) == plain(estimator_html_repr(shown))


@pytest.mark.parametrize("estimator", ALL)
def test_fitted_estimators_add_a_summary_to_the_diagram(estimator):
    fitted = make(estimator, 2).fit(power_table())
    shown = fitted._repr_html_()
    assert "sk-top-container" in shown.partition("gramian-fit")[0]
    assert ("of the variance explained" in summary(fitted)) == (estimator is not UFFS)
    assert "<svg" in summary(fitted)
    assert f"{fitted.n_functions_.sum()} functions on 300 rows" in summary(fitted)
    assert fitted._repr_mimebundle_()["text/html"].count("gramian-fit") == shown.count(
        "gramian-fit"
    )


def test_columns_are_named_in_the_order_of_selection():
    X = power_table()
    gfs = GFS(3, criterion="variance").fit(X)
    found = re.findall("<bdi>(.*?)</bdi>", summary(gfs))
    assert found == X.columns[gfs.selected_features_].tolist()
    assert "3 of 6 columns kept" in summary(gfs)
    assert re.findall(
        "<bdi>(.*?)</bdi>", summary(GFS(1, criterion="variance").fit(X.to_numpy()))
    ) == ["x1"]


def test_many_columns_are_counted():
    X = np.random.default_rng(0).standard_normal((300, 20))
    assert "and 8 more" in summary(GFS(20, degree=1, criterion="variance").fit(X))


def test_directions_are_counted():
    assert "2 directions in place of 6 columns" in summary(GFR(2).fit(power_table()))


def test_held_out_rows_are_mentioned():
    fitted = GFR(2, validation_fraction=0.2).fit(power_table())
    assert "on held-out rows" in summary(fitted)


def test_warnings_of_the_fit_are_shown_but_not_raised_again():
    X = np.random.default_rng(0).standard_normal((30, 12))
    with pytest.warns(SaturationWarning):
        gfs = GFS(10, degree=3, alpha=0, criterion="variance").fit(X)
    assert "the functions span all 30 samples" in summary(gfs)


def test_names_that_look_like_html_stay_text():
    shown = summary(GFS(6, degree=1, criterion="variance").fit(hostile_table()))
    for name in HOSTILE[:3]:
        assert name not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_text_display_has_no_html():
    fitted = GFR(2).fit(power_table())
    with config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert list(fitted._repr_mimebundle_()) == ["text/plain"]


def test_pipelines_show_their_own_diagram():
    pipeline = make_pipeline(StandardScaler(), GFS(2, criterion="variance")).fit(power_table())
    shown = pipeline._repr_html_()
    assert "GFS" in shown
    assert "gramian-fit" not in shown
