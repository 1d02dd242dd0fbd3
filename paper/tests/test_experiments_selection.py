"""Experiments with GFS, UFFS and GFA: small versions, compared with computations by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC
from test_published_numbers import load

from gramian import GFS
from gramian.datasets import make_planted_redundancy
from gramian_paper.datasets import make_uffs_comparison
from gramian_paper.experiments import Task, experiments, published, run, write_results
from gramian_paper.experiments import _data as data_module
from gramian_paper.experiments import _gfa_success as gfa_success
from gramian_paper.experiments import _gfs_accuracy as gfs_accuracy
from gramian_paper.experiments import _gfs_counts as gfs_counts
from gramian_paper.experiments import _planted_success as planted_success
from gramian_paper.experiments import _uffs as uffs
from gramian_paper.experiments._scripted_gfs import residual_path

NAMES = ["gfs-counts", "gfs-accuracy", "uffs", "gfa-success"]


def digits(n_rows=300):
    X, y = load_digits(return_X_y=True)
    return X[:n_rows] / 16, y[:n_rows]


@pytest.fixture
def small_data(monkeypatch):
    """Replace every data set by a few handwritten digits."""
    for name in data_module.LOADERS:
        monkeypatch.setitem(data_module.LOADERS, name, lambda folder, **options: digits())


def reproduce(name, cells, folder, size="full"):
    """Run some cells of an experiment and write its page; return the page and the results."""
    experiment = replace(experiments()[name], cells=lambda _size: cells)
    results = run(experiment, size, cache=folder / "cache")
    page, *others = write_results(experiment, results, folder)
    assert all(path.stat().st_size for path in others)
    return page.read_text(encoding="utf-8"), results


# The paper's numbers.


def test_published_counts_have_a_number_for_every_threshold_and_fall_with_it():
    tables = published("gfs-counts")[gfs_counts.LABEL]
    assert list(tables) == ["usps", "coil20", "credit"]
    for table in tables.values():
        assert list(table["degrees"]) == ["1", "2", "3", "4"]
        for counts in table["degrees"].values():
            assert len(counts) == len(table["thresholds"])
            assert counts == sorted(counts, reverse=True)


def test_published_accuracies_are_percentages_of_known_selectors():
    for table in published("gfs-accuracy")[gfs_accuracy.LABEL].values():
        assert tuple(table["selectors"]) == gfs_accuracy.IN_PAPER
        for rates in table["selectors"].values():
            assert len(rates) == len(table["n_features"])
            assert all(30 < rate < 100 for rate in rates)


def test_published_success_rates_have_fourteen_sizes_and_nine_rows():
    tables = published("gfa-success")
    assert len(tables) == 3
    for table in tables.values():
        assert len(table["sizes"]) == 14
        assert len(table["rates"]) == 3
        for rates in table["rates"].values():
            assert len(rates) == 14
            assert all(0 <= rate <= 100 for rate in rates)
            assert rates[-1] > 98 > rates[0] or rates[0] == 98.9


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", ["quick", "full"])
def test_cells_are_distinct_and_have_a_cost(name, size):
    experiment = experiments()[name]
    cells = experiment.cells(size)
    assert len({experiment.key(cell, 0) for cell in cells}) == len(cells)
    assert all(experiment.cost(cell) > 0 for cell in cells)


# Numbers of features.


def test_one_fit_gives_the_counts_of_separate_fits():
    X, _ = digits()
    thresholds = [0.02, 0.03, 0.05]
    values = gfs_counts.count_selected(X, 2, thresholds)
    separate = [
        len(GFS(threshold=t, alpha=0, criterion="variance").fit(X).selected_features_)
        for t in thresholds
    ]
    assert values["counts"] == separate
    assert values["counts"][0] == len(values["selected"])


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_residual_shares_are_those_of_linear_regression_on_the_functions(degree):
    X, _ = digits(400)
    fitted, held_out = X[:300], X[300:]
    values = gfs_counts.count_selected(fitted, degree, [0.04, 0.08], held_out)
    features, shares, counts = values["selected"], values["shares"], values["counts"]
    assert counts[0] > counts[1] > 1
    for count, share in zip(counts, shares, strict=True):
        model = make_pipeline(
            PolynomialFeatures(degree, interaction_only=True, include_bias=False),
            LinearRegression(),
        ).fit(fitted[:, features[:count]], fitted)
        expected = [
            np.sum((rows - model.predict(rows[:, features[:count]])) ** 2)
            / np.sum((rows - fitted.mean(axis=0)) ** 2)
            for rows in (fitted, held_out)
        ]
        np.testing.assert_allclose(share, expected, rtol=1e-8)
    assert shares[0][0] < shares[1][0]


def test_a_share_is_none_if_functions_outnumber_rows():
    X, _ = digits(80)
    shares = gfs_counts.count_selected(X[:60], 2, [0.001, 0.1], X[60:])["shares"]
    assert shares[0] is None
    assert shares[1] is not None


def test_the_scripts_arithmetic_gives_the_papers_counts_on_coil20_plus_one():
    table = published("gfs-counts")[gfs_counts.LABEL]["coil20"]
    path = residual_path(load("coil20"), 1, min(table["thresholds"]))
    counts = [sum(variance > t for variance in path) for t in table["thresholds"]]
    assert counts == [count + 1 for count in table["degrees"]["1"]]


def test_the_counts_experiment_runs(small_data, tmp_path):
    cells = [cell for cell in experiments()["gfs-counts"].cells("full") if cell["data"] != "credit"]
    page, results = reproduce("gfs-counts", cells, tmp_path)
    assert "USPS: number of selected features" in page
    assert "not fitted" in page
    for data in ("usps", "coil20"):
        counts = [gfs_counts.get(results, data, degree)["counts"] for degree in (1, 2, 3)]
        assert counts[0] > counts[1] > counts[2]  # fewer features with more functions
    assert gfs_counts.get(results, "credit", 1) is None


# Accuracy.


@pytest.mark.parametrize(
    ("n_features", "n_rows", "degree"),
    [(17, 7291, 4), (20, 7291, 4), (24, 7291, 3), (13, 1440, 4), (19, 1440, 3), (31, 1440, 2)],
)
def test_the_degree_is_the_highest_whose_functions_do_not_outnumber_the_rows(
    n_features, n_rows, degree
):
    assert gfs_accuracy.degree_for(n_features, n_rows) == degree


@pytest.mark.parametrize(
    "name", ["gfs", "gfs-1", "laplacian-score", "udfs", "fisher-score", "variance"]
)
def test_selectors_return_the_requested_number_of_features_for_each_count(name):
    X, y = digits()
    selected = gfs_accuracy.select(name, X, y, [9, 3])
    assert [len(np.unique(selected[count])) for count in (9, 3)] == [9, 3]


def test_accuracy_with_features_of_all_rows_equals_that_of_scikit_learn():
    X, y = digits()
    found = gfs_accuracy.accuracies("gfs", X, y, [5])
    columns = GFS(5, degree=4, alpha=0, criterion="variance").fit(X).selected_features_
    expected = cross_val_score(SVC(), X[:, columns], y, cv=StratifiedKFold(5)).mean()
    assert found[5] == pytest.approx(100 * expected, abs=0.005)


def test_accuracy_with_features_of_each_fold_equals_that_of_a_pipeline():
    X, y = digits()
    found = gfs_accuracy.accuracies("gfs", X, y, [5], within_folds=True)
    pipeline = make_pipeline(GFS(5, degree=4, alpha=0, criterion="variance"), SVC())
    expected = cross_val_score(pipeline, X, y, cv=StratifiedKFold(5)).mean()
    assert found[5] == pytest.approx(100 * expected, abs=0.005)


def test_the_accuracy_experiment_runs(small_data, tmp_path):
    cells = [
        {"data": "coil20", "selector": name, "within_folds": within, "counts": [13, 10]}
        for name in ("gfs", "fisher-score", "variance")
        for within in (False, True)
    ]
    cells.append(
        {"data": "coil20", "selector": "fisher-score", "misread": True, "counts": [13, 10]}
    )
    page, results = reproduce("gfs-accuracy", cells, tmp_path)
    assert "COIL-20: accuracy, %, features selected from all rows" in page
    assert "training rows only" in page
    for outcome in results.outcomes:
        assert all(20 < rate <= 100 for rate in outcome.values["accuracy"])
    best = results.get(data="coil20", selector="gfs", within_folds=False)["accuracy"]
    wrong = results.get(selector="fisher-score", misread=True)["accuracy"]
    assert best > wrong


# GFS and UFFS.


def test_uffs_is_exact_when_the_independent_features_come_first():
    X, _, truth = make_uffs_comparison(shuffle=False, random_state=1)
    selected, seconds = uffs.select("uffs", X)
    np.testing.assert_array_equal(np.sort(selected), truth.informative)
    assert seconds > 0


def test_gfs_selects_fewer_redundant_features_than_uffs_in_random_order():
    params = {"kind": "selection", "shuffled": True, "batch": 0, "rows": 1000, "repeats": 2}
    values = uffs.run(Task("uffs", params))
    assert sum(values["gfs raw"]["redundant"]) == 0
    assert sum(values["gfs raw"]["missed"]) == 0
    assert min(values["uffs raw"]["redundant"]) > 0
    assert values["uffs raw"]["redundant"] == values["uffs standardized"]["redundant"]


def test_the_comparison_with_uffs_runs(tmp_path):
    few = {"batch": 0, "rows": 1000, "repeats": 1}
    cells = [
        {"kind": "selection", "shuffled": True, **few},
        {"kind": "selection", "shuffled": False, **few},
        {"kind": "accuracy", "labels": "f1", "weights": "symmetric", **few},
        {"kind": "accuracy", "labels": "f2", "weights": "positive", **few},
    ]
    page, results = reproduce("uffs", cells, tmp_path)
    assert "Time of UFFS divided by time of GFS" in page
    assert "UFFS, standardized data, independent features first" in page
    assert uffs.gather(results, "gfs", kind="accuracy").shape == (2,)


# Success rates of GFA.


def test_success_means_exactly_the_independent_features():
    X, truth = make_planted_redundancy(500, random_state=0)
    assert planted_success.finds_exactly(gfa_success.keep, X, truth)
    assert planted_success.finds_exactly(lambda X, truth: truth.informative[::-1], X, truth)
    assert not planted_success.finds_exactly(lambda X, truth: truth.informative[1:], X, truth)
    assert not planted_success.finds_exactly(lambda X, truth: np.arange(X.shape[1]), X, truth)


def test_gfa_fails_where_a_product_is_more_variant_than_its_factors():
    X, truth = make_planted_redundancy(500, ratio=3.0, random_state=0)
    assert not planted_success.meets_premises(X, truth)
    assert not planted_success.finds_exactly(gfa_success.keep, X, truth)


def test_premises_fail_where_noise_hides_an_independent_feature():
    options = {"noise": 0.1, "variances": (0.05, 5.0), "ratio": 1e-6}
    met = [
        planted_success.meets_premises(*make_planted_redundancy(500, **options, random_state=seed))
        for seed in range(20)
    ]
    assert any(met)
    assert not all(met)


def test_rotation_does_not_change_the_premises():
    for noise in (0.0, 0.1):
        plain = make_planted_redundancy(300, noise=noise, random_state=3)
        rotated = make_planted_redundancy(300, noise=noise, rotate=True, random_state=3)
        assert planted_success.meets_premises(*plain) == planted_success.meets_premises(*rotated)


def test_residual_share_of_an_independent_feature_is_the_share_of_rows_not_spanned():
    rng = np.random.default_rng(0)
    shares = [gfa_success.share_left(rng.standard_normal((300, 12)), 2) for _ in range(40)]
    assert np.mean(shares) == pytest.approx(1 - 67 / 300, abs=0.02)  # 66 functions and the constant


def test_a_higher_rate_is_better_only_on_the_papers_own_data():
    values = {"runs": 100, "successes": 100, "outside_runs": 90, "outside_successes": 0}
    rate = planted_success.entry(values, 60.0, "30,15,2", 500)
    easier = planted_success.entry(values, 60.0, "30,15,2", 500, same_data=False)
    assert rate.verdict == "bettered"
    assert (easier.verdict, easier.reason) == ("missed", "easier")
    assert planted_success.success_rate(values, "all") == pytest.approx(100 * 100 / 190)


def test_shapes_whose_functions_span_all_rows_are_hopeless():
    assert planted_success.hopeless("30,15,3", 450)
    assert not planted_success.hopeless("30,15,3", 500)
    params = {"part": "text", "shape": "30,15,3", "rows": 400, "repeats": 2, "ratio": 0.85}
    values = gfa_success.run(Task("gfa-success", params))
    assert values["runs"] == 2
    assert values["successes"] == 0


def test_the_success_experiment_runs_and_gfa_succeeds(tmp_path):
    cells = [
        {**cell, "repeats": 2}
        for cell in experiments()["gfa-success"].cells("full")
        if (cell["shape"], cell["rows"]) == ("30,15,2", 500)
        or (cell["part"] in ("left", "degree 2") and cell["rows"] == 600)
        or (cell.get("ratio") == 0.01 and cell["rows"] == 800)
    ]
    page, results = reproduce("gfa-success", cells, tmp_path)
    assert "Corollary 2: products with noise" in page
    for corollary in (1, 2):
        found = results.get(part="text", corollary=corollary, shape="30,15,2", rows=500)
        assert found["successes"] == found["runs"] == 2
    assert results.get(part="scripts", shape="30,15,2", rows=500, noise=0.1)["runs"] <= 2
