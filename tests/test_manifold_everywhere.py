"""Curved codes on the command line, in reports and in notebooks, compared with the estimator."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, read_csv, run, succeed
from report_cases import Page, hostile_table, power_table
from sklearn.base import clone

from gramian import PolynomialManifold, load, report
from gramian.reports.fit_page._surface_page import count_around

__all__ = ["folder"]
COLUMNS = ["voltage", "current", "width", "height", "power", "area", "perimeter"]
MODEL = ["-x", "key,label", "-a", "manifold", "-n", "2"]


def expected(**options) -> tuple[PolynomialManifold, pd.DataFrame]:
    """Fit with the command's default parameters."""
    table = read_csv("data.csv")[COLUMNS]
    options = {"scale": True, "alpha": "auto", "n_rounds": "auto", **options}
    return PolynomialManifold(2, **options).fit(table), table


def test_extract_writes_the_codes_and_a_model(folder):
    options = ["--same-unit", "--alpha", "0.1", "-o", "z.csv", "-m", "m.gram", "-q"]
    succeed("extract", "data.csv", *MODEL, *options)
    model, table = expected(scale=False, alpha=0.1, n_rounds=5)
    codes = read_csv("z.csv")
    assert list(codes.columns) == ["polynomialmanifold0", "polynomialmanifold1"]
    np.testing.assert_allclose(codes, model.transform(table), atol=1e-12)
    with pytest.warns(UserWarning, match="preprocessing"):
        again = load("m.gram")
    np.testing.assert_array_equal(again.transform(table), model.transform(table))


def test_apply_and_reconstruct_agree_with_the_estimator(folder):
    succeed("extract", "data.csv", *MODEL, "--degree", "3", "-m", "m.gram", "-q")
    model, _ = expected(degree=3)
    new = read_csv("new.csv")
    succeed("apply", "m.gram", "new.csv", "--id", "key", "-o", "z.csv", "-q")
    codes = read_csv("z.csv", dtype={"key": str})
    np.testing.assert_allclose(codes.iloc[:, 1:], model.transform(new[COLUMNS]), atol=1e-12)
    assert codes["key"].iloc[3] == "0003"
    for source in ("z.csv", "new.csv"):  # from codes, or from all columns
        succeed("reconstruct", "m.gram", source, "-o", "all.csv", "-q")
        points = model.inverse_transform(model.transform(new[COLUMNS]))
        np.testing.assert_allclose(read_csv("all.csv")[COLUMNS], points, rtol=1e-9)


def test_text_and_json_report_the_attributes_of_the_fit(folder):
    said = succeed("extract", "data.csv", *MODEL, "-q", "--json").stdout
    document = json.loads(said)
    model, _ = expected()
    assert document["algorithm"] == "manifold"
    assert document["kept"] == list(model.get_feature_names_out())
    assert document["rounds"] == model.n_rounds_
    np.testing.assert_allclose(document["total_residual_variance"], model.total_residual_variance_)
    shares = np.sum(model.components_**2, axis=1) / model.total_residual_variance_[0]
    np.testing.assert_allclose(document["linearly_explained_variance"], shares)
    shown = succeed("extract", "data.csv", *MODEL).stdout
    assert "2 codes of 7 columns" in shown
    assert f"after {model.n_rounds_} round" in shown


def test_held_out_rows_choose_automatic_parameters(folder):
    options = ["--degree", "auto", "--seed", "1"]
    document = json.loads(succeed("extract", "data.csv", *MODEL, *options, "-q", "--json").stdout)
    model, _ = expected(degree="auto", random_state=1)
    assert document["family"] == repr(model.family_)
    np.testing.assert_allclose(
        document["held_out_total_residual_variance"], model.validation_total_residual_variance_
    )


def test_inspect_shows_the_model(folder):
    succeed("extract", "data.csv", *MODEL, "-m", "m.gram", "-q")
    shown = succeed("inspect", "m.gram").stdout
    assert "PolynomialManifold(" in shown
    assert "2 codes: polynomialmanifold0 and polynomialmanifold1" in shown
    document = json.loads(succeed("inspect", "m.gram", "--json").stdout)
    assert document["functions"] == 6
    assert document["rounds"] == len(document["explained_variance"])


def test_a_file_larger_than_memory_gives_the_same_codes(folder):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (2, 3000))
    sheet = np.column_stack([2 * a, b, a * b, a**2 + b**2, a - b, a + b**2])
    names = [f"c{i}" for i in range(48)]
    wide = np.tile(sheet, 8) + 0.01 * rng.standard_normal((3000, 48))
    pd.DataFrame(wide, columns=names).to_parquet("big.parquet")
    options = ["-a", "manifold", "-n", "2", "-q", "--alpha", "0.03"]
    succeed("extract", "big.parquet", *options, "-o", "whole.npy")
    succeed("extract", "big.parquet", *options, "--memory-budget", "2MiB", "-o", "pieces.npy")
    np.testing.assert_allclose(np.load("pieces.npy"), np.load("whole.npy"), atol=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-n", "0.9"], "takes a number of codes"),
        (["--threshold", "1"], "not for manifold"),
        (["--relative"], "not for manifold"),
        (["--family", "indicator"], "need derivatives"),
        (["--family", "auto"], "need derivatives"),
        (["--forward"], "--forward is for"),
        (["--dry-run"], "cannot tell the cost of manifold"),
        (["-n", "8"], "more than the 7 columns"),
    ],
)
def test_options_unknown_to_curved_codes_are_refused(options, message, folder):
    done = run("extract", "data.csv", "-x", "key,label", "-a", "manifold", *options)
    assert done.exit_code == 2
    assert message in done.stderr


def test_too_few_rows_are_reported(folder):
    read_csv("data.csv").head(9).to_csv("few.csv", index=False)
    done = succeed("extract", "few.csv", *MODEL, "--alpha", "0.1")
    assert "6 functions were fitted to 9 rows" in done.stderr


def test_the_command_writes_a_report(folder):
    done = succeed("report", "data.csv", *MODEL, "-o", "page.html", "-m", "m.gram")
    assert "wrote page.html" in done.stderr
    assert "PolynomialManifold" in Page(folder / "page.html").text


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    table = power_table()
    model = PolynomialManifold(2, scale=True, degree="auto").fit(table)
    return model, Page(report(model, table, tmp_path_factory.mktemp("page") / "page.html"))


def test_the_page_has_a_map_of_every_column(page):
    model, found = page
    sections = {"answer", "map", "follow", "number", "directions", "data", "cautions", "again"}
    assert sections <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))
    drawn = [each["alt"] for each in found.all("img") if "on the map" in (each.get("alt") or "")]
    assert len(drawn) == 1 + model.n_features_in_
    assert "Keep 2 codes in place of 6 columns" in " ".join(found.text.split())


def test_the_page_gives_the_share_explained_of_each_column(page):
    model, found = page
    table = power_table()
    left = table - model.inverse_transform(model.transform(table))
    r2 = 1 - (left**2).mean() / table.var(ddof=0)
    values = [float(cell["data-value"]) for cell in found.all("td") if cell.get("data-value")]
    for value in r2:
        assert np.abs(np.array(values) - value).min() < 1e-9


def test_pixels_become_images_of_the_surface(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (2, 200))
    pixels = np.column_stack([a, b, a * b, a**2])
    model = PolynomialManifold(2).fit(pixels)
    found = Page(report(model, pixels, tmp_path / "page.html", image_shape=(2, 2)))
    assert [each for each in found.all("img") if each.get("class") == "montage"]


@pytest.mark.parametrize("n_components", [1, 3])
def test_names_that_look_like_markup_stay_text(n_components, tmp_path):
    table = hostile_table()
    model = PolynomialManifold(n_components).fit(table)
    found = Page(report(model, table, tmp_path / "page.html"))
    assert len(found.scripts) == 2  # the numbers, and the script of the page
    assert not [each for each in found.all("img") if not each["src"].startswith("data:")]


def test_rows_are_counted_around_each_place_of_the_map():
    codes = np.array([[0.0, 0.0], [0.1, 0.0], [2.0, 2.0], [9.0, 9.0]])
    steps = np.linspace(-2, 2, 5)
    counts = count_around(codes, steps, 5)
    by_hand = [
        [sum(max(abs(x - place), abs(y - height)) <= 1.5 for x, y in codes) for place in steps]
        for height in steps[::-1]
    ]
    np.testing.assert_array_equal(counts, by_hand)
    np.testing.assert_array_equal(count_around(codes[:, :1], steps, 1), [[0, 2, 2, 3, 1]])


def test_a_notebook_shows_codes_and_rounds():
    model = PolynomialManifold(2).fit(power_table())
    shown = model._repr_mimebundle_()["text/html"]
    assert "2 codes in place of 6 columns" in shown
    assert f"in {model.n_rounds_} round" in shown
    assert "gramian-fit" not in clone(model)._repr_mimebundle_()["text/html"]


def test_displays_draw_codes_and_refuse_unsuitable_estimators():
    pytest.importorskip("matplotlib")
    from gramian.plots import ComponentsDisplay, ResidualVarianceDisplay, SelectionOrderDisplay

    model = PolynomialManifold(2).fit(power_table())
    assert ComponentsDisplay.from_estimator(model).ax_ is not None
    for display in (ResidualVarianceDisplay, SelectionOrderDisplay):
        with pytest.raises(TypeError, match="in rounds"):
            display.from_estimator(model)
