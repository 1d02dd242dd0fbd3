"""Selection by gain: from files, in pieces, with weights, from checkpoints, in model files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_cases import run
from gain_cases import related

import gramian
from gramian import GFS
from gramian.exceptions import ModelFileError
from gramian.models._stored_searches import sets_from

X = related(11, d=10, n=2500)
OPTIONS = {"criterion": "gain", "family": "polynomial", "n_candidates": 6, "alpha": 0.0}


def assert_same(one: GFS, other: GFS) -> None:
    assert one.selected_features_.tolist() == other.selected_features_.tolist()
    assert len(one.best_sets_) == len(other.best_sets_)
    for mine, theirs in zip(one.best_sets_, other.best_sets_, strict=True):
        assert mine.tolist() == theirs.tolist()
    for name in ("best_sets_residual_variance_", "losses_", "next_gains_"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-7)
    assert one.next_features_.tolist() == other.next_features_.tolist()


@pytest.fixture(scope="module")
def fitted() -> GFS:
    return GFS(4, **OPTIONS).fit(X)


def test_a_file_that_is_read_in_pieces_gives_the_selection_in_memory(fitted, tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert_same(GFS(4, **OPTIONS, memory_budget=2**20).fit(tmp_path / "x.npy"), fitted)


def test_blocks_of_rows_and_dask_give_the_selection_in_memory(fitted):
    assert_same(GFS(4, **OPTIONS).fit(lambda: iter(np.array_split(X, 7))), fitted)
    da = pytest.importorskip("dask.array")
    assert_same(GFS(4, **OPTIONS).fit(da.from_array(X, chunks=(700, 10))), fitted)


def test_integer_weights_equal_copies_of_rows():
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    one = GFS(4, **OPTIONS).fit(X, sample_weight=weights)
    assert_same(one, GFS(4, **OPTIONS).fit(np.repeat(X, weights, axis=0)))


def test_the_search_resumes_from_its_checkpoint(fitted, tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", X)
    options = {**OPTIONS, "checkpoint": tmp_path / "sums", "memory_budget": 2**20}
    assert_same(GFS(4, **options).fit(tmp_path / "x.npy"), fitted)
    assert list((tmp_path / "sums" / "search").glob("*.npz"))

    def refuse(*_: object) -> None:
        raise AssertionError("the rows are read again")

    monkeypatch.setattr("gramian.core.gain._candidate_sums.CandidateWork.add", refuse)
    assert_same(GFS(4, **options).fit(tmp_path / "x.npy"), fitted)


def test_model_files_hold_the_best_sets(fitted, tmp_path):
    fitted.save(tmp_path / "model.gram")
    assert_same(gramian.load(tmp_path / "model.gram"), fitted)
    given = GFS(4, **OPTIONS, given=np.array([3, 1])).fit(X)
    given.save(tmp_path / "given.gram")
    assert gramian.load(tmp_path / "given.gram").given == [3, 1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("best_sets_", np.array([[0, 1], [0, 1]])),
        ("best_sets_", np.array([[0, -1], [0, 0]])),
        ("best_sets_", np.array([[12, -1], [0, 1]])),
        ("next_features_", np.array([-1])),
        ("losses_", None),
    ],
)
def test_damaged_sets_are_refused(name, value):
    arrays = {
        "best_sets_": np.array([[0, -1], [0, 1]]),
        "best_sets_residual_variance_": np.array([2.0, 1.0, 0.5]),
        "losses_": np.array([1.0, 0.5]),
        "next_features_": np.array([2]),
        "next_gains_": np.array([0.1]),
    }
    assert sets_from(arrays, 3) is not None
    arrays[name] = value
    with pytest.raises(ModelFileError):
        sets_from({k: v for k, v in arrays.items() if v is not None}, 3)


def test_given_features_stay_and_come_first():
    given = GFS(4, **OPTIONS, given=[7, 2]).fit(X)
    assert given.selected_features_[:2].tolist() == [7, 2]
    only = GFS(2, **OPTIONS, given=[7, 2]).fit(X)
    assert only.selected_features_.tolist() == [7, 2]
    left = only.total_residual_variance_[-1]
    best = int(only.next_features_[0])
    more = GFS(3, **OPTIONS, given=[7, 2, best]).fit(X)
    assert left - more.total_residual_variance_[-1] == pytest.approx(only.next_gains_[0], rel=1e-6)
    fewer = GFS(1, **OPTIONS, given=[7]).fit(X)
    assert fewer.total_residual_variance_[-1] - left == pytest.approx(only.losses_[1], rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": [99]}, "indices from 0 to 9; got 99"),
        ({"given": ["a"]}, "X has no names"),
        ({"given": [1, 1]}, "twice"),
        ({"given": [1, 2, 3, 4, 5]}, "is less"),
        ({"given": [1], "criterion": "variance"}, "criterion='gain'"),
    ],
)
def test_invalid_given_features_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        GFS(4, **{**OPTIONS, **options}).fit(X)


def test_a_search_costs_more_than_the_published_algorithm():
    cheap, dear = (GFS(10, criterion=each).estimate_cost(X) for each in ("variance", "gain"))
    plain = GFS(10, criterion="gain", exchange=False).estimate_cost(X)
    assert cheap.seconds < plain.seconds < dear.seconds
    wide = GFS(10, criterion="gain", beam=3).estimate_cost(X)
    assert dear.seconds < wide.seconds < 5 * dear.seconds


def test_the_command_lists_the_next_columns_to_add_and_to_drop(tmp_path):
    names = [f"c{i}" for i in range(10)]
    path = tmp_path / "table.csv"
    np.savetxt(path, X[:300], delimiter=",", header=",".join(names), comments="")
    done = run("select", str(path), "--given", "c7,c2", "-n", "3", "--json")
    found = json.loads(done.stdout)
    assert {"c7", "c2"} < {*found["kept"]}
    assert {*found["losses"]} == {*found["kept"]}
    assert not {*found["gains"]} & {*found["kept"]}
    assert [len(each) for each in found["best_sets"]] == [1, 2, 3]
    shown = run("select", str(path), "--criterion", "gain", "-n", "2").stdout
    assert "Next to add" in shown
    assert "First to give up" in shown
    assert run("select", str(path), "--given", "c7", "-a", "gfa").exit_code == 2


def test_the_display_shows_the_residual_variance_of_the_best_set_of_each_size(fitted):
    plt = pytest.importorskip("matplotlib.pyplot")
    from gramian.plots import SelectionOrderDisplay

    display = SelectionOrderDisplay.from_estimator(fitted)
    left = fitted.best_sets_residual_variance_
    assert display.best_left == pytest.approx(left[1:] / left[0])
    (right,) = display.ax_.child_axes
    assert len(right.get_yticklabels()) == 4
    # The bar of a chosen column is its own residual variance, not the largest of all columns.
    first = X[:, fitted.selected_features_[0]].var()
    assert display.residual_variance[0] == pytest.approx(first)
    plt.close(display.figure_)


def test_the_report_has_a_curve_for_the_best_sets(fitted, tmp_path):
    pytest.importorskip("jinja2")
    from gramian.reports import report

    text = report(fitted, X[:400], tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("best set of each size") >= 2  # the legend, and the data of the script
    plain = report(GFS(2, criterion="variance").fit(X), X[:400], tmp_path / "plain.html").read_text(
        encoding="utf-8"
    )
    assert "best set of each size" not in plain.partition("<script")[0]


def test_verbose_prints_the_steps_of_a_search(capsys):
    GFS(3, **OPTIONS, verbose=2).fit(X[:300])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[search]")]
    assert [line.split(":")[0] for line in lines] == [f"[search] step {i}" for i in (1, 2, 3)]
