"""Numbers, names and colours that displays draw, from fits and from plain data."""

from __future__ import annotations

import sys
import warnings

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from plot_cases import close_figures, drawn  # noqa: F401
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.exceptions import OverfittingWarning
from gramian.plots import (
    ComponentsDisplay,
    ParityDisplay,
    PixelMapDisplay,
    ResidualVarianceDisplay,
    SelectionOrderDisplay,
)

pytestmark = pytest.mark.usefixtures("close_figures")


def table(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, n)) * [[3.0], [2.0], [1.0]]
    return pd.DataFrame({"volt": a, "ampere": b, "other": c, "power": 0.3 * a * b})


# Residual variance


def test_curves_show_residual_shares_of_the_fit_and_of_pca():
    X = table()
    gfr = GFR(3, validation_fraction=0.3, alpha=0).fit(X)
    display = ResidualVarianceDisplay.from_estimator(gfr, X)
    drawn(display)
    curves = {name: line.get_ydata() for name, line in display.lines_.items()}
    total = gfr.total_residual_variance_
    np.testing.assert_allclose(curves["residual"], total / total[0])
    held_out = gfr.validation_total_residual_variance_
    np.testing.assert_allclose(curves["validation"], held_out / held_out[0])
    np.testing.assert_allclose(curves["gcv"], gfr.gcv_total_residual_variance_ / total[0])
    pca = 1 - np.cumsum([0, *PCA().fit(X).explained_variance_ratio_])
    np.testing.assert_allclose(curves["pca"], pca[:4], atol=1e-12)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["PCA", "GFR, Multilinear(2)", "cross-validation (GCV)", "held-out rows"]


def test_pca_is_fitted_to_scaled_columns_if_the_fit_scales():
    X = table()
    gfr = GFR(3, scale=True, alpha=0).fit(1e3 ** np.arange(X.shape[1]) * X)
    display = ResidualVarianceDisplay.from_estimator(gfr, 1e3 ** np.arange(X.shape[1]) * X)
    drawn(display)
    pca = 1 - np.cumsum([0, *PCA().fit(X / X.std(axis=0)).explained_variance_ratio_])
    np.testing.assert_allclose(display.lines_["pca"].get_ydata(), pca[:4], atol=1e-9)


def test_the_largest_variances_are_drawn_with_the_threshold():
    X = table()
    gfs = GFS(threshold=0.5, alpha=0, criterion="variance").fit(X)
    display = ResidualVarianceDisplay.from_estimator(gfs, X, kind="largest", yscale="log")
    drawn(display)
    residual = gfs.residual_variance_
    shown = display.lines_["residual"].get_ydata()
    np.testing.assert_allclose(shown, np.where(residual > 0, residual, np.nan))
    pca = PCA().fit(X).explained_variance_ * 299 / 300
    np.testing.assert_allclose(display.lines_["pca"].get_ydata(), pca[: len(residual)])
    assert display.lines_["threshold"].get_ydata()[0] == 0.5
    assert set(display.lines_) == {"residual", "pca", "threshold"}


def test_diverging_held_out_curves_do_not_hide_the_others():
    display = ResidualVarianceDisplay([1, 0.5, 0.1], validation=[1, 80.0, np.inf]).plot()
    drawn(display)
    assert display.ax_.get_ylim()[1] < 2


@pytest.mark.parametrize("algorithm", [GFR, GCA, GFS, GFA])
def test_the_curves_of_every_algorithm_are_drawn(algorithm):
    display = ResidualVarianceDisplay.from_estimator(algorithm(2).fit(table()), name="it")
    drawn(display)
    assert display.lines_["residual"].get_label() == "it"


def test_curves_of_many_features_have_no_markers():
    few, many = (ResidualVarianceDisplay(np.ones(n)).plot() for n in (10, 300))
    assert few.lines_["residual"].get_marker() == "o"
    assert many.lines_["residual"].get_marker() == "None"


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind must be 'total' or 'largest'"):
        ResidualVarianceDisplay.from_estimator(GFR(1, alpha=0).fit(table()), kind="mean")


# Components


def test_bars_are_the_entries_of_directions():
    X = table()
    gfr = GFR(2, alpha=0).fit(X)
    display = ComponentsDisplay.from_estimator(gfr)
    drawn(display)
    for component, bars in zip(gfr.components_, display.artists_, strict=True):
        np.testing.assert_allclose([bar.get_width() for bar in bars], component)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(X.columns)


def test_bars_show_the_columns_of_largest_weight_if_there_are_many():
    components = np.zeros((2, 300))
    components[0, [7, 250]], components[1, 100] = [0.9, -0.4], 1.0
    display = ComponentsDisplay(components).plot(max_features=3)
    drawn(display)
    assert display.shown_.tolist() == [7, 100, 250]
    assert "the 3 of 300 columns with the largest weights" in display.ax_.get_xlabel()


def test_images_are_the_directions():
    X = np.random.default_rng(0).standard_normal((50, 12))
    gfr = GFR(3, degree=1, alpha=0).fit(X)
    display = ComponentsDisplay.from_estimator(gfr, image_shape=(3, 4))
    drawn(display)
    for component, image in zip(gfr.components_, display.artists_, strict=True):
        np.testing.assert_allclose(image.get_array(), component.reshape(3, 4))
        assert image.get_clim() == (-image.get_clim()[1], image.get_clim()[1])  # white is zero
    assert [text.get_text() for text in display.ax_.texts] == ["gfr0", "gfr1", "gfr2"]


def test_hundreds_of_images_are_drawn_without_titles():
    display = ComponentsDisplay(np.ones((300, 4)), image_shape=(2, 2)).plot()
    assert len(display.artists_) == 300
    assert not display.ax_.texts


def test_components_need_directions_and_an_image_of_the_right_size():
    with pytest.raises(TypeError, match="GFS has no directions"):
        ComponentsDisplay.from_estimator(GFS(1, alpha=0, criterion="variance").fit(table()))
    with pytest.raises(ValueError, match="has 9 pixels, but a direction has 4 entries"):
        ComponentsDisplay.from_estimator(GFR(1, alpha=0).fit(table()), image_shape=(3, 3))
    with pytest.raises(ValueError, match="has 2 names, but there are 4 columns"):
        ComponentsDisplay.from_estimator(GFR(1, alpha=0).fit(table()), feature_names=["a", "b"])


# The order of selection


def residual_by_hand(target: np.ndarray, *functions: np.ndarray) -> float:
    F = np.column_stack([np.ones(len(target)), *functions])
    return float(np.mean((target - F @ np.linalg.lstsq(F, target, rcond=None)[0]) ** 2))


@pytest.mark.parametrize(
    "estimator",
    [
        GFS(3, alpha=0, criterion="variance"),
        GFA(3, backward=False, alpha=0),
        GFS(3, threshold=1e-6, relative=True, alpha=0, criterion="variance"),
        GFA(3, threshold=1e-6, relative=True, backward=False, alpha=0),
    ],
)
def test_bars_show_the_residual_variance_of_features_before_their_choice(estimator):
    X = table()
    estimator = estimator.fit(X)
    display = SelectionOrderDisplay.from_estimator(estimator)
    drawn(display)
    names = [X.columns[i] for i in estimator.selected_features_]
    a, b, c = (X[name].to_numpy() for name in names)
    product = (a - a.mean()) * (b - b.mean())
    expected = [a.var(), residual_by_hand(b, a), residual_by_hand(c, a, b, product)]
    whole, left = display.bars_
    np.testing.assert_allclose([bar.get_width() for bar in left], expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose([bar.get_width() for bar in whole], [a.var(), b.var(), c.var()])
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [f"{i}. {name}" for i, name in enumerate(names, 1)]


@pytest.mark.parametrize("algorithm", [GFR, GCA])
def test_the_order_of_directions_is_drawn(algorithm):
    X = table()
    fit = algorithm(2).fit(X)
    display = SelectionOrderDisplay.from_estimator(fit)
    Z = fit.transform(X)
    expected = [Z[:, 0].var(), residual_by_hand(Z[:, 1], Z[:, 0])]
    np.testing.assert_allclose(display.residual_variance, expected)


def test_the_order_of_many_features_is_drawn_as_a_curve():
    X = np.random.default_rng(0).standard_normal((400, 60))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverfittingWarning)
        gfs = GFS(60, degree=1, alpha=0, criterion="variance").fit(X)
    display = SelectionOrderDisplay.from_estimator(gfs)
    drawn(display)
    assert not display.bars_
    np.testing.assert_allclose(display.lines_[1].get_ydata(), gfs.residual_variance_[:60])


def test_the_order_is_refused_if_the_fit_stored_no_moments():
    X = np.random.default_rng(0).standard_normal((2200, 46))
    gfa = GFA(threshold=1e-6, backward=False, alpha=0).fit(X)
    with pytest.raises(ValueError, match="more than 1,000 functions"):
        SelectionOrderDisplay.from_estimator(gfa)


def test_the_order_needs_a_fit_with_residual_variances_and_values_for_each_name():
    with pytest.raises(TypeError, match="UFFS has no residual variances"):
        SelectionOrderDisplay.from_estimator(UFFS(degree=2).fit(table()))
    with pytest.raises(ValueError, match="There are 2 names"):
        SelectionOrderDisplay(["a", "b"], [1.0])


# Parity


@pytest.mark.parametrize("feature", ["power", 3])
@pytest.mark.parametrize("linear", [False, True])
def test_points_are_true_and_reconstructed_values(feature, linear):
    X = table()
    gfs = GFS(3, alpha=0, criterion="variance").fit(X)
    display = ParityDisplay.from_estimator(gfs, X, feature, linear=linear)
    drawn(display)
    predicted = gfs.inverse_transform(gfs.transform(X), linear=linear)[:, 3]
    points = np.column_stack([X["power"], predicted])
    np.testing.assert_allclose(display.points_.get_offsets(), points)
    assert (display.r2_ > 0.999) is not linear
    assert display.ax_.get_xlabel() == "power"
    assert "R² = " in display.ax_.texts[0].get_text()


def test_parity_works_for_directions():
    X = table()
    display = ParityDisplay.from_estimator(GFR(4, alpha=0).fit(X), X, "volt")
    np.testing.assert_allclose(display.y_pred, X["volt"])
    assert display.r2_ == pytest.approx(1)


def test_a_formula_is_any_callable_of_the_table():
    X = table()
    display = ParityDisplay.from_formula(lambda t: 0.3 * t["volt"] * t["ampere"], X, "power")
    drawn(display)
    assert display.rmse_ < 1e-12
    display = ParityDisplay.from_formula(lambda t: t[:, 0], X.to_numpy(), "x0")
    assert display.r2_ == 1


def test_many_points_are_drawn_as_counts():
    values = np.random.default_rng(0).standard_normal(5000)
    display = ParityDisplay.from_predictions(values, values + 0.1)
    drawn(display)
    assert display.points_.get_array().sum() == 5000
    np.testing.assert_allclose(display.rmse_, 0.1)


def test_r2_is_not_rounded_up_to_one():
    true = np.linspace(-1, 1, 100)
    display = ParityDisplay.from_predictions(true, true + 0.01 * (-1) ** np.arange(100))
    assert "R² = 0.999706" in display.ax_.texts[0].get_text()


def test_a_constant_column_is_drawn():
    drawn(ParityDisplay.from_predictions(np.ones(5), np.ones(5)))


def test_unknown_columns_are_named():
    X = table()
    with pytest.raises(ValueError, match=r"There is no column 'current'; columns are 'volt"):
        ParityDisplay.from_estimator(GFS(2, alpha=0, criterion="variance").fit(X), X, "current")
    with pytest.raises(ValueError, match="There is no column 9: columns are 0 to 3"):
        ParityDisplay.from_estimator(GFS(2, alpha=0, criterion="variance").fit(X), X, 9)
    with pytest.raises(ValueError, match="2 true and 3 predicted values"):
        ParityDisplay([1, 2], [1, 2, 3])


# Pixels


@pytest.mark.parametrize("algorithm", [GFS, GFA])
def test_selected_pixels_are_drawn_at_their_place_in_the_image(algorithm):
    X = np.random.default_rng(0).standard_normal((80, 12)) + np.arange(12)
    fit = algorithm(5, degree=1).fit(X)
    display = PixelMapDisplay.from_estimator(fit, (3, 4))
    drawn(display)
    assert display.pixels_.get_array().tolist() == [1, 2, 3, 4, 5]
    for i, text in zip(fit.selected_features_, display.texts_, strict=True):
        column, row = text.get_position()
        assert row * 4 + column == i
    assert [text.get_text() for text in display.texts_] == ["1", "2", "3", "4", "5"]
    centres = [path.vertices[:4].mean(axis=0) for path in display.pixels_.get_paths()]
    np.testing.assert_allclose([4 * y + x for x, y in centres], fit.selected_features_)
    np.testing.assert_allclose(display.background, X.mean(axis=0).reshape(3, 4))


def test_many_pixels_have_no_numbers():
    display = PixelMapDisplay(range(300), (20, 20)).plot()
    drawn(display)
    assert not display.texts_
    assert len(display.figure_.axes) == 2  # with a bar of colours


def test_pixels_need_an_image_and_a_selection():
    X = table()
    with pytest.raises(ValueError, match="has 6 pixels, but the fit has 4 features"):
        PixelMapDisplay.from_estimator(GFS(2, alpha=0, criterion="variance").fit(X), (2, 3))
    with pytest.raises(TypeError, match="GFR selects no pixels"):
        PixelMapDisplay.from_estimator(GFR(2, alpha=0).fit(X), (2, 2))
    with pytest.raises(ValueError, match="must be a height and a width"):
        PixelMapDisplay([0], (4,))
    with pytest.raises(ValueError, match="from 0 to 3"):
        PixelMapDisplay([4], (2, 2))


# All of them


MAKERS = {
    "residual variance": lambda ax: ResidualVarianceDisplay([1, 0.5]).plot(ax),
    "components": lambda ax: ComponentsDisplay(np.eye(2)).plot(ax),
    "images": lambda ax: ComponentsDisplay(np.eye(4), image_shape=(2, 2)).plot(ax),
    "order": lambda ax: SelectionOrderDisplay(["a"], [1.0]).plot(ax),
    "parity": lambda ax: ParityDisplay([1, 2], [1, 2]).plot(ax),
    "pixels": lambda ax: PixelMapDisplay([0], (2, 2)).plot(ax),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_displays_draw_on_the_axes_given_or_on_new_ones(make):
    figure, ax = plt.subplots()
    display = make(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    drawn(display)
    display = make(None)
    assert display.figure_ is not figure
    drawn(display)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_without_matplotlib_the_error_names_the_extra(make, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'matplotlib: pip install "gramian\[figures\]"'):
        make(None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ResidualVarianceDisplay.from_estimator(GFR(alpha=0)),
        lambda: ComponentsDisplay.from_estimator(GFR(alpha=0)),
        lambda: SelectionOrderDisplay.from_estimator(GFS(alpha=0, criterion="variance")),
        lambda: ParityDisplay.from_estimator(GFS(alpha=0, criterion="variance"), table(), 0),
        lambda: PixelMapDisplay.from_estimator(GFS(alpha=0, criterion="variance"), (2, 2)),
    ],
)
def test_estimators_must_be_fitted(make):
    with pytest.raises(NotFittedError):
        make()


def test_dollars_in_names_are_drawn_as_text():
    X = table().rename(columns={"volt": "price in $", "ampere": "cost in $_x"})
    drawn(SelectionOrderDisplay.from_estimator(GFS(2, alpha=0, criterion="variance").fit(X)))
