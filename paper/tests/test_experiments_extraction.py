"""Small experiments on extraction, from cells to pages, on generated data."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from gramian import GFR
from gramian_paper.experiments import (
    _data,
    _extraction_accuracy,
    _gfr_kernel_pca,
    _gfr_residual_variance,
    experiments,
    run,
    write_results,
)
from gramian_paper.experiments._held_out import shares_left
from gramian_paper.experiments._page import tables


def digits_of_a_kind(folder, *, scaling="standardized", subset="train", half=None, return_X_y=True):
    """Return 400 rows of 30 columns, which mix products of 6 hidden variables, and 4 classes."""
    rng = np.random.default_rng({"train": 0, "test": 1}[subset])
    y = np.repeat([0, 1, 2, 3], 100)
    hidden = rng.standard_normal((400, 6)) + y[:, np.newaxis]
    mixing = np.random.default_rng(2).standard_normal((22, 30))
    products = PolynomialFeatures(2, interaction_only=True).fit_transform(hidden)
    X = products @ mixing + 0.1 * rng.standard_normal((400, 30))
    if scaling == "standardized":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return (X, y) if half is None else (X[::2], y[::2])


@pytest.fixture(autouse=True)
def generated(monkeypatch):
    monkeypatch.setattr(_data, "LOADERS", dict.fromkeys(_data.LOADERS, digits_of_a_kind))


def reproduce(name, tmp_path, cells, size="full"):
    """Run some cells of an experiment and write its files; return results and page."""
    experiment = replace(experiments()[name], cells=lambda size: cells)
    results = run(experiment, size, cache=tmp_path / "cache")
    write_results(experiment, results, tmp_path)
    return experiment, results, (tmp_path / f"{name}.md").read_text(encoding="utf-8")


def table(experiment, results, title):
    """Return the entries, by row and column, of the first table whose title has this beginning."""
    first = next(each for each in tables(experiment, results) if each.title.startswith(title))
    return {
        (row, column): entry
        for row, line in first.rows.items()
        for column, entry in zip(first.columns, line, strict=True)
    }


def test_counts_are_one_more_than_those_of_the_fits_and_fall_with_the_degree(tmp_path):
    cells = [
        {"part": "counts", "data": "usps", "degree": degree, "to": 0.1} for degree in (1, 2, 3)
    ]
    experiment, results, page = reproduce("gfr-residual-variance", tmp_path, cells)
    X, _ = digits_of_a_kind(None)
    found = table(experiment, results, "USPS")
    eigenvalues = np.linalg.eigvalsh(X.T @ X / len(X))
    assert found["1 (PCA)", "0.5"].ours == np.sum(eigenvalues > 0.5) + 1
    gfr = GFR(threshold=0.1, degree=2, alpha=0).fit(X)
    assert found["2", "0.1"].ours == gfr.n_components_ + 1
    assert found["2", "0.1"].ours < found["1 (PCA)", "0.1"].ours
    assert found["4", "0.1"].verdict == "not run"
    assert "images/gfr-residual-variance-curves.svg" in page


def test_a_fit_that_ended_above_a_threshold_has_no_count_for_it():
    values = {"residual_variance": [5.0, 2.0, 0.6, 0.4]}
    count = _gfr_residual_variance.count
    assert count(values, 1.0, 0.5) == 3
    assert count(values, 0.1, 0.5) is None


def test_held_out_residuals_use_a_decoder_of_the_fitted_rows_only(tmp_path):
    X, _ = digits_of_a_kind(None)
    new, _ = digits_of_a_kind(None, subset="test")
    gfr = GFR(4, degree=2, alpha=0).fit(X, validation_data=new)
    of_fitted, of_held_out = shares_left(gfr)
    assert np.allclose(of_fitted, gfr.total_residual_variance_ / gfr.total_residual_variance_[0])
    # The decoder by hand: least squares on the fitted rows, applied to the held-out rows.
    expand = PolynomialFeatures(2, interaction_only=True)
    functions = expand.fit_transform(gfr.transform(X))
    coefficients = np.linalg.lstsq(functions, X)[0]
    left = new - expand.transform(gfr.transform(new)) @ coefficients
    assert np.isclose(of_held_out[-1], np.sum(left**2) / np.sum((new - X.mean(axis=0)) ** 2))

    cells = [
        {"part": "held out", "data": data, "degree": 2, "functions": 20}
        for data in ("usps", "musk")
    ]
    _, results, page = reproduce("gfr-residual-variance", tmp_path, cells)
    assert len(results.get(data="usps")["held_out"]) == 6  # 5 directions have 15 functions
    assert results.get(data="musk")["rows"] == [320, 80]
    assert "gfr-residual-variance-held-out.svg" in page


def test_ratios_divide_the_next_variance_by_the_first_and_saturated_zeros_count_as_missed(tmp_path):
    cells = [
        {"data": "credit", "method": method}
        for method in ("multilinear", "polynomial", "kernel-pca")
    ]
    experiment, results, _ = reproduce("gfr-kernel-pca", tmp_path, cells)
    found = table(experiment, results, "Credit")
    values = results.get(data="credit", method="kernel-pca")["variances"]
    assert found["kernel PCA", "5"].ours == pytest.approx(100 * values[5] / values[0])
    saturated = found["GFR, polynomial", "9"]  # C(13, 4) functions, 400 rows
    assert saturated.ours == 0
    assert saturated.verdict == "missed"
    assert saturated.reason == "saturated"
    # The paper's row is its threshold, 0.5 for nine features, over the first variance.
    first, *others = results.get(data="credit", method="multilinear")["variances"]
    assert found["GFR, multilinear (bound)", "9"].ours == pytest.approx(10 * 0.5 / first)
    ratios = table(experiment, results, "Variance of the next feature")
    assert ratios["Credit Approval, times 10", "5"].ours == pytest.approx(10 * others[4] / first)
    assert "for any data" in _gfr_kernel_pca.REASONS["saturated"]


@pytest.mark.parametrize("method", ["gfr", "kernel-pca", "fast-ica", "pca", "lpp"])
def test_features_beat_chance_if_fitted_on_all_rows_or_inside_folds(method, tmp_path):
    cells = [{"part": part, "data": "credit", "method": method} for part in ("whole", "folds")]
    experiment, results, page = reproduce("extraction-accuracy", tmp_path, cells)
    for part in ("whole", "folds"):
        accuracies = results.get(part=part)["accuracies"]
        assert len(accuracies) == 3
        assert 40 < accuracies[0] <= 100  # guessing has 25 %
    assert "fitted inside each fold" in page
    name = _extraction_accuracy.NAMES[method]
    assert table(experiment, results, "Credit Approval")[name, "9"].paper is not None


def test_box_plots_show_all_settings(tmp_path):
    cells = [
        {
            "part": "box",
            "data": "credit",
            "method": "autoencoder",
            "options": {"hidden_layer_sizes": [8], "epochs": epochs},
        }
        for epochs in (2, 10)
    ]
    _, results, page = reproduce("extraction-accuracy", tmp_path, cells)
    assert len(_extraction_accuracy.boxes(results, "credit", "autoencoder")) == 2
    assert "extraction-accuracy-boxes.svg" in page


def test_mnist_is_classified_by_some_of_its_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(_extraction_accuracy, "MNIST_ROWS", 60)
    cells = [{"part": "whole", "data": "mnist", "method": method} for method in ("pca", "lpp")]
    _, results, _ = reproduce("extraction-accuracy", tmp_path, cells)
    assert all(value > 40 for value in results.get(method="pca")["accuracies"])
    assert all(value > 40 for value in results.get(method="lpp")["accuracies"])


def test_synthetic_data_are_classified_better_with_more_features(tmp_path):
    both = {"labels": "ltf", "repeats": 2}
    cells = [
        {**both, "features": 20, "rows": 1000, "counts": [10], "highest": 1.0},
        {**both, "features": 60, "rows": 500, "counts": [1] * 9 + [30], "highest": 2.0},
    ]
    experiment, results, page = reproduce("gfr-synthetic", tmp_path, cells)
    values = results.get(features=60)
    assert values["gfr_mean"][-1] > values["gfr_mean"][0]
    # The first direction is that of PCA for all families.
    assert values["gfr_mean"][0] == pytest.approx(values["pca_mean"][0])
    gains = table(experiment, results, "LTF labels, 60 features: GFR's accuracy minus PCA's")
    assert gains["ours", "1"].ours == pytest.approx(0)
    small = table(experiment, results, "LTF labels, 20 features, variances Unif(0, 1)")
    assert small["GFR", "1000"].ours == results.get(features=20)["gfr_mean"][0]
    assert small["GFR", "5000"] is None
    assert "gfr-synthetic-counts.svg" in page


def test_gca_finds_exactly_the_planted_directions_if_there_are_enough_rows(tmp_path):
    cells = [
        {
            "part": part,
            "corollary": 1,
            "shape": "30,15,2",
            "rows": 1000,
            "repeats": 2,
            "ratio": 0.85,
        }
        for part in ("text", "sample")
    ]
    experiment, results, page = reproduce("gca-success", tmp_path, cells)
    assert results.get(part="text")["successes"] == 2
    assert results.get(part="sample")["successes"] == 0  # sample directions mix variables
    found = table(experiment, results, "Corollary 1")
    assert found["(30, 15, 2)", "1000"].verdict == "reproduced"
    assert "gca-success-rates.svg" in page


def test_the_appendix_example_gives_the_papers_directions(tmp_path):
    cells = [{"rows": 10_000, "repeats": 4}]
    experiment, results, _ = reproduce("appendix-example", tmp_path, cells)
    found = table(experiment, results, "GFR")
    for row, column in (("X5", "first"), ("X2", "second"), ("X3", "third")):
        entry = found[row, column]
        assert entry.ours == pytest.approx(entry.paper, abs=0.05)


def test_times_are_measured_for_every_algorithm_and_size(tmp_path):
    small = {"rows": 100, "functions": 3, "columns": 5}
    cells = [
        {"algorithm": algorithm, "varied": varied, "sizes": sizes, "base": small}
        for algorithm in ("GFR", "GCA", "GFS", "GFA")
        for varied, sizes in (("rows", [50, 100]), ("functions", [2, 3]), ("columns", [5, 6]))
    ]
    experiment, results, page = reproduce("complexity", tmp_path, cells)
    assert results.get(algorithm="GFR", varied="functions")["sizes"] == [3, 6]
    assert len(table(experiment, results, "Measured exponents")) == 18
    assert "complexity-times.svg" in page
