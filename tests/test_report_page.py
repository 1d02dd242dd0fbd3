"""Content of the report, which is one file and loads no other."""

import re
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from report_cases import SECTIONS, Page, code_of, hostile_table, page_of, power_table, wide_table
from sklearn.exceptions import NotFittedError
from support import ALL, make

from gramian import GCA, GFA, GFR, GFS, UFFS, load, report
from gramian.exceptions import OverfittingWarning, SaturationWarning, UnitsWarning
from gramian.models import Preprocessing
from gramian.reports.fit_page._redundancy_drawing import draw_graph


@pytest.fixture(scope="module")
def power_page(tmp_path_factory):
    X = power_table()
    gfa = GFA(threshold=1e-3, relative=True, backward=False).fit(X)
    return page_of(tmp_path_factory.mktemp("power"), gfa, X, title="Power", command="gramian x")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("estimator", ALL)
def test_every_algorithm_gets_all_sections(tmp_path, estimator, named):
    X = power_table() if named else power_table().to_numpy()
    page = page_of(tmp_path, make(estimator, 3).fit(X), X)
    expected = set(SECTIONS) - ({"directions"} if estimator is UFFS else set())
    assert expected <= set(page.ids)
    assert page.size < 400_000
    assert estimator.__name__ in page.text
    assert ("voltage" if named else "x0") in page.text


def test_ids_are_unique_and_headings_in_order(power_page):
    assert len(power_page.ids) == len(set(power_page.ids))
    levels = power_page.headings
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_page_refers_to_no_other_file(power_page):
    assert not re.search(r"https?://", power_page.source)
    for tag, attributes in power_page.tags:
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, name, value)
    assert "@import" not in power_page.source
    assert "url(" not in power_page.source


def test_browser_is_told_to_load_nothing_and_to_run_no_other_script(power_page):
    metas = [each for each in power_page.all("meta") if "http-equiv" in each]
    policy = metas[0]["content"]
    assert policy.startswith("default-src 'none'")
    scripts = policy.split("script-src ")[1]
    assert "unsafe" not in scripts
    assert scripts.count("sha256-") == 1


def test_answer_says_how_many_columns_to_keep(power_page):
    assert "Keep 3 of 6 columns" in " ".join(power_page.text.split())


def test_page_shows_the_formula_of_a_dropped_column_with_its_r2(power_page):
    assert "0.1 · voltage · current" in power_page.text


def test_title_and_command_are_shown(power_page):
    assert "Power · gramian report" in power_page.text
    assert "gramian x" in power_page.text


def test_formulas_are_in_the_units_of_the_table_if_columns_were_scaled(tmp_path):
    X = power_table()
    gfa = GFA(threshold=1e-3, relative=True, scale=True, backward=False).fit(X)
    page = page_of(tmp_path, gfa, X)
    assert "0.1 · voltage · current" in page.text
    assert "In the units of the table; the fit scaled all columns to variance 1." in page.text
    mean = next(
        each for each in re.findall(r'data-value="([\d.]+)"', page.source.split('id="columns"')[1])
    )
    assert float(mean) == pytest.approx(X.voltage.mean())


def test_missing_values_are_counted_and_categories_are_numbers(tmp_path):
    X = power_table(colour=["red", "blue", "green"] * 100)
    X.loc[[3, 5], "heat"] = np.nan
    steps = Preprocessing.learn(X, X.columns, encode=True, impute="median")
    gfs = GFS(3, scale=True, criterion="variance").fit(steps.apply(X))
    page = page_of(tmp_path, gfs, X, preprocessing=steps)
    assert "2 values in 'heat' were missing, and were filled in" in page.text


def test_names_that_look_like_html_stay_text_everywhere(tmp_path):
    X = hostile_table()
    for i, estimator in enumerate(
        [GFA(threshold=1e-3, relative=True, backward=False), GFR(3), GFS(3, criterion="variance")]
    ):
        page = Page(report(estimator.fit(X), X, tmp_path / f"{i}.html", title=X.columns[0]))
        assert len(page.scripts) == 2
        assert not [each for each in page.all("img") if each.get("onerror")]
        assert not page.all("b")
        assert "<script>alert(1)</script>" in page.text
        assert "{{ 7 * 7 }}" in page.text
        assert "<!--" not in page.source


def test_a_table_of_two_columns_has_a_report(tmp_path):
    X = np.random.default_rng(0).standard_normal((50, 2))
    for estimator in (
        GFS(1, criterion="variance"),
        GFR(1),
        GFA(backward=False),
        UFFS(degree=2),
        GCA(backward=False),
    ):
        assert page_of(tmp_path, estimator.fit(X), X).size < 400_000


def test_300_columns_stay_within_400_kilobytes(tmp_path):
    X = wide_table()
    page = page_of(tmp_path, GFS(6, degree=1, criterion="variance").fit(X), X)
    assert page.size < 400_000
    assert "x299" in page.text
    assert "more columns" in page.text  # of the graph


def test_page_cautions_against_constant_and_dominant_columns(tmp_path):
    heavy = np.random.default_rng(0).standard_cauchy(300)
    X = power_table(still=np.full(300, 3.0), cauchy=heavy, rare=np.eye(300)[0])
    text = page_of(tmp_path, GFA(threshold=1e-3, relative=True, backward=False).fit(X), X).text
    assert "'still' does not vary" in text
    assert "with an excess kurtosis above 10: 'cauchy'" in text
    assert "'rare': at least 99 % of the values are equal" in text


def test_page_cautions_against_different_units_unless_columns_are_scaled(tmp_path):
    X = power_table()
    X["heat"] *= 1e4
    text = page_of(tmp_path, GFA(backward=False).fit(X), X).text
    assert "Units decide" in text
    assert "Fit with scale=True (--standardize)" in text
    with pytest.warns(UnitsWarning):
        gfs = GFS(3, criterion="variance").fit(X)
    text = page_of(tmp_path, gfs, X).text
    assert "One unit hides the others" in text
    assert "Use scale=True" in text
    assert "Units decide" not in text
    for estimator in (
        GFS(3, scale=True, criterion="variance"),
        GFA(scale=True, backward=False),
        GFA(family="multilinear", laws=False),
    ):
        text = page_of(tmp_path, estimator.fit(X), X).text
        assert "Units decide" not in text
        assert "One unit hides" not in text


def test_warnings_of_the_fit_are_on_the_page(tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 12))
    with pytest.warns(SaturationWarning):
        gfs = GFS(10, degree=3, alpha=0, criterion="variance").fit(X)
    page = page_of(tmp_path, gfs, X)
    assert "the functions span all 30 rows" in page.text
    assert "Explained, new rows" not in page.text  # as nothing is known of them
    with pytest.warns(OverfittingWarning):
        gfs = GFS(5, degree=2, alpha=0, criterion="variance").fit(X)
    assert "Too few rows for this many functions" in page_of(tmp_path, gfs, X).text


def test_columns_dropped_by_backward_elimination_have_evidence_and_alternatives(tmp_path):
    X = power_table()
    gfa = GFA(family="polynomial", laws=False).fit(X)
    page = page_of(tmp_path, gfa, X)
    assert "R² ≥ 0.999 on rows left out of the fit" in page.text
    assert "set backward=False (--forward)" in page.text
    assert "The order matters" not in page.text
    assert "Other columns could be kept" in page.text
    found = gfa.elimination_
    assert found.alternatives[4] == (0,)  # volts instead of voltage
    table = page.source.partition('id="dropped"')[2].partition("</table>")[0]
    rows = [re.sub("<[^>]*>", " ", row).split() for row in table.split("<tr>")[2:]]
    assert [row[0] for row in rows] == ["power", "volts", "loss"]
    assert rows[1][-2:] == ["duplicate", "voltage"]
    published = page_of(tmp_path, GFA(backward=False, scale=True).fit(X), X).text
    assert "The order matters" in published
    assert "Instead of" not in published


def test_page_cautions_against_few_rows_for_many_columns(tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 12))
    text = page_of(tmp_path, GFA(family="polynomial", laws=False).fit(X), X).text
    assert "Not all functions took part" in text


def test_code_on_the_page_holds_the_columns_to_keep(tmp_path):
    X = power_table()
    page = page_of(tmp_path, GFA(keep=["volts"], priority=["power", 2]).fit(X), X)
    assert "GFA(keep=['volts'], priority=['power', 2])" in code_of(page)


def test_page_cautions_if_held_out_rows_are_explained_less(tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 8))
    gfs = GFS(4, validation_fraction=0.3, criterion="variance").fit(X)
    page = page_of(tmp_path, gfs, X)
    assert "Held-out rows are explained less well" in page.text
    assert {each["key"] for each in page.charts["views"][0]["curves"]} >= {"fit", "held-out", "pca"}


def test_columns_that_uffs_drops_have_formulas_in_kept_columns(tmp_path):
    X = power_table()
    uffs = UFFS(degree=2, threshold=0.05).fit(X)
    assert X.columns[uffs.selected_features_].tolist() == ["voltage", "current", "heat"]
    page = page_of(tmp_path, uffs, X)
    rows = {}
    for table in ("kept", "dropped"):
        source = page.source.partition(f'id="{table}"')[2].partition("</table>")[0]
        rows[table] = [re.sub("<[^>]*>", " ", row).split() for row in source.split("<tr>")[2:]]
    assert [row[1] for row in rows["kept"]] == ["voltage", "current", "heat"]
    assert [row[1] for row in rows["dropped"]] == ["loss", "power", "volts"]
    assert float(rows["kept"][1][2]) == pytest.approx(uffs.fourier_norms_[1] ** 2, rel=1e-3)
    assert "Keep 3 of 6 columns" in " ".join(page.text.split())
    assert "For formulas of the columns that are dropped, fit GFA or GFS." in page.text


def test_advice_for_uffs_names_no_parameter_that_uffs_lacks(tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 6))
    with pytest.warns(OverfittingWarning):
        uffs = UFFS(degree=2).fit(X)
    page = page_of(tmp_path, uffs, X)
    assert "validation_fraction" not in page.text
    assert "alpha" not in page.text
    assert "in the order in which they are given" in page.text


def test_the_pca_curve_equals_that_of_scikit_learn(tmp_path):
    from sklearn.decomposition import PCA

    X = power_table()
    page = page_of(tmp_path, GFR(3).fit(X), X)
    curve = next(each for each in page.charts["views"][0]["curves"] if each["key"] == "pca")
    expected = 1 - np.cumsum(PCA().fit(X).explained_variance_ratio_)
    assert curve["values"][1:4] == pytest.approx(expected[:3])


@pytest.mark.parametrize(
    "estimator", [GFR(3, threshold=0.1, scale=True), GFS(3, scale=True, criterion="variance")]
)
def test_pca_is_fitted_to_scaled_columns_if_the_fit_scales(tmp_path, estimator):
    from sklearn.decomposition import PCA

    X = power_table() * [1e3, 1, 1e-2, 1, 5, 1]
    page = page_of(tmp_path, estimator.fit(X), X)
    variances = PCA().fit((X - X.mean()) / X.std()).explained_variance_ratio_
    expected = [1 - np.cumsum(variances), len(variances) * variances[1:]]
    for view, values in zip(page.charts["views"], expected, strict=False):
        curve = next(each for each in view["curves"] if each["key"] == "pca")
        assert curve["values"][1:4] == pytest.approx(values[:3])


def ids_and_noise():
    """Return a column of ids near 10¹⁷ beside independent columns, and the scaled columns."""
    columns = np.random.default_rng(0).standard_normal((400, 5))
    numbers = np.random.default_rng(1).permutation(400)
    table = pd.DataFrame(columns).add_prefix("c").assign(id=10**17 + 16 * numbers)
    shown = np.column_stack([columns, numbers])
    return table, (shown - shown.mean(axis=0)) / shown.std(axis=0)


def test_large_ids_do_not_change_the_pca_curve(tmp_path):
    from sklearn.decomposition import PCA

    X, scaled = ids_and_noise()
    page = page_of(tmp_path, GFR(3, scale=True).fit(X), X)
    curve = next(each for each in page.charts["views"][0]["curves"] if each["key"] == "pca")
    expected = 1 - np.cumsum(PCA().fit(scaled).explained_variance_ratio_)
    assert curve["values"][1:4] == pytest.approx(expected[:3], rel=1e-9)


@pytest.mark.parametrize("name", ["pixel_{0}_{1}", "pixel{2}"])
def test_pixels_are_shown_as_images(tmp_path, name):
    names = [name.format(i // 3, i % 3, i + 1) for i in range(9)]
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((80, 9)), columns=names)
    assert len(page_of(tmp_path, GFR(4).fit(X), X).all("img")) == 4


def test_columns_without_pixel_names_are_images_only_with_image_shape(tmp_path):
    X = np.random.default_rng(0).standard_normal((80, 12))
    gfr = GFR(4).fit(X)
    assert page_of(tmp_path, gfr, X).charts["heat"]["directions"] == [
        "gfr0",
        "gfr1",
        "gfr2",
        "gfr3",
    ]
    page = page_of(tmp_path, gfr, X, image_shape=(3, 4))
    assert page.charts["heat"] is None
    assert len(page.all("img")) == 4


def test_files_and_dask_collections_are_read(tmp_path):
    import dask.array
    import dask.dataframe

    X = power_table()
    X.to_parquet(tmp_path / "data.parquet")
    np.save(tmp_path / "data.npy", X.to_numpy())
    gfs = GFS(3, criterion="variance").fit(X)
    plain = GFS(3, criterion="variance").fit(X.to_numpy())
    for estimator, data in [
        (gfs, str(tmp_path / "data.parquet")),
        (plain, tmp_path / "data.npy"),
        (gfs, dask.dataframe.from_pandas(X, npartitions=3)),
        (plain, dask.array.from_array(X.to_numpy(), chunks=(100, 2))),
    ]:
        page = page_of(tmp_path, estimator, data)
        assert "300 rows \N{MULTIPLICATION SIGN} 6 columns" in page.text


def test_polars_and_arrow_tables_are_taken(tmp_path):
    import polars as pl
    import pyarrow

    X = power_table()
    polars = pl.from_pandas(X)
    assert "voltage" in page_of(tmp_path, GFS(3, criterion="variance").fit(polars), polars).text
    steps = Preprocessing.learn(X, X.columns)
    table = pyarrow.table({name: X[name].to_numpy() for name in X})
    gfs = GFS(3, criterion="variance").fit(steps.apply(X))
    assert "voltage" in page_of(tmp_path, gfs, table, preprocessing=steps).text


def test_slow_parts_use_a_sample_of_many_rows_and_the_page_says_so(tmp_path):
    X = np.random.default_rng(0).standard_normal((25_000, 4))
    page = page_of(tmp_path, GFS(2, criterion="variance").fit(X), X)
    assert "at most 20,000 rows of 25,000 rows" in page.text


def test_long_names_are_cut_but_stay_distinct(tmp_path):
    X = power_table().rename(columns={"voltage": "v" * 300, "power": "v" * 301})
    page = page_of(tmp_path, GFA(threshold=1e-3, relative=True, backward=False).fit(X), X)
    assert "v" * 120 not in page.text.replace(code_of(page), "")
    assert "… #0 · current" in page.text
    assert "… #3" in page.text


def test_models_loaded_without_moments_have_reports(tmp_path):
    X = power_table()
    GFA(threshold=1e-3, relative=True, backward=False).fit(X).save(
        tmp_path / "model.gram", moments=False
    )
    page = page_of(tmp_path, load(tmp_path / "model.gram"), X)
    assert "0.1 · voltage · current" in page.text
    few = page_of(tmp_path, load(tmp_path / "model.gram"), X[:20])
    assert "No formulas: the fit has stored no moments" in few.text


def test_a_report_does_not_change_the_estimator(tmp_path):
    X = power_table()
    steps = Preprocessing.learn(X, X.columns, impute="mean")
    gfs = GFS(3, scale=True, criterion="variance").fit(steps.apply(X))
    before = {name: repr(value) for name, value in vars(gfs).items()}
    page_of(tmp_path, gfs, X, preprocessing=steps)
    assert {name: repr(value) for name, value in vars(gfs).items()} == before


def test_unfitted_estimator_is_refused(tmp_path):
    with pytest.raises(NotFittedError, match="GFS"):
        report(GFS(criterion="variance"), power_table(), tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_other_estimators_are_refused(tmp_path):
    with pytest.raises(
        TypeError, match="about a fitted GFR, GCA, GFS, GFA, UFFS or PolynomialManifold; got str"
    ):
        report("GFS", power_table(), tmp_path / "report.html")


def test_other_columns_are_refused(tmp_path):
    X = power_table()
    with pytest.raises(ValueError, match="feature names"):
        report(
            GFS(2, criterion="variance").fit(X),
            X.rename(columns={"heat": "cold"}),
            tmp_path / "report.html",
        )
    with pytest.raises(ValueError, match="5 features"):
        report(
            GFS(2, criterion="variance").fit(X.to_numpy()),
            X.to_numpy()[:, 1:],
            tmp_path / "report.html",
        )
    steps = Preprocessing.learn(X, X.columns[1:])
    with pytest.raises(ValueError, match="they do not belong together"):
        report(
            GFS(2, criterion="variance").fit(X), X, tmp_path / "report.html", preprocessing=steps
        )
    assert not list(tmp_path.iterdir())


def test_folder_that_does_not_exist_is_refused(tmp_path):
    X = power_table()
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        report(GFS(2, criterion="variance").fit(X), X, tmp_path / "none" / "report.html")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        report(GFS(2, criterion="variance").fit(X), X, tmp_path)


def test_image_shape_must_have_a_pixel_for_each_column(tmp_path):
    X = power_table()
    with pytest.raises(ValueError, match="has 8 pixels, but there are 6 columns"):
        report(GFS(2, criterion="variance").fit(X), X, tmp_path / "report.html", image_shape=(2, 4))


@pytest.mark.parametrize("package", ["jinja2"])
def test_missing_packages_are_named(tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    X = power_table()
    with pytest.raises(ImportError, match=r'pip install "gramian\[report\]"'):
        report(GFS(2, criterion="variance").fit(X), X, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_fits_that_keep_nothing_or_everything_have_a_page(tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((100, 3)), columns=["a", "b", "c"])
    assert "Keep all 3 columns" in " ".join(
        page_of(tmp_path, GFA(backward=False).fit(X), X).text.split()
    )
    still = pd.DataFrame({"a": np.ones(20), "b": np.full(20, 2.0)})
    page = page_of(tmp_path, GFS(criterion="variance").fit(still), still)
    assert "Keep nothing: no column varies" in " ".join(page.text.split())


def test_the_graph_links_a_computed_column_to_columns_computed_from_it():
    dropped = [
        SimpleNamespace(feature="power", sources={"voltage": 0.6, "current": 0.4}, r2=1.0),
        SimpleNamespace(feature="energy", sources={"power": 1.0}, r2=0.9),
    ]
    kept = [SimpleNamespace(feature="voltage"), SimpleNamespace(feature="current")]
    graph = draw_graph(SimpleNamespace(dropped=dropped, explanation=SimpleNamespace(kept=kept)))
    assert list(graph.sources) == ["voltage", "current", "power"]
    named = [(list(graph.sources)[i], graph.targets[j].feature) for i, j, _, _ in graph.edges]
    assert {*named} == {("voltage", "power"), ("current", "power"), ("power", "energy")}
