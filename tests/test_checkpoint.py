"""Checkpoints: an interrupted fit resumes where it stopped."""

import io
import json
import subprocess
import sys
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from source_cases import (
    ALGORITHMS,
    BUDGET,
    DASK_SOURCES,
    INDICES,
    AgainAndAgain,
    X,
    assert_same,
    estimator,
    make_table,
)

from gramian import GFR, GFS
from gramian.core.rows import Ledger
from gramian.core.rows._checksum import checksum_of
from gramian.core.rows._stream import StreamRows
from gramian.families import Polynomial

EACH = pytest.mark.parametrize("index", INDICES, ids=[each[0].__name__ for each in ALGORITHMS])
INTERRUPTED = """
import os, sys
sys.path.insert(0, {tests!r})
from source_cases import ALGORITHMS, AgainAndAgain, estimator, make_table
from gramian.core.rows import Ledger

note, count = Ledger.note, iter(range(1, 100))
def hooked(ledger, sums):
    note(ledger, sums)
    if next(count) == {n_steps}:
        os._exit(9)
Ledger.note = hooked
estimator(ALGORITHMS[{index}], checkpoint={folder!r}).fit(AgainAndAgain(make_table(9000)))
"""


def interrupt(folder, index, n_steps=2):
    """Fit in another process that ends in the middle of the fit."""
    tests = str(Path(__file__).parent)
    script = INTERRUPTED.format(tests=tests, n_steps=n_steps, index=index, folder=str(folder))
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == 9


@EACH
def test_a_killed_fit_is_resumed_without_repeating_a_step(tmp_path, index):
    folder = tmp_path / "checkpoint"
    interrupt(folder, index)
    assert sorted(path.name for path in folder.iterdir()) == [
        "000000.npz",
        "000001.npz",
        "fit.json",
    ]
    source = AgainAndAgain(make_table(9000))  # too large to be kept in memory
    resumed = estimator(ALGORITHMS[index], checkpoint=folder).fit(source)
    uninterrupted = estimator(ALGORITHMS[index]).fit(source)
    assert_same(resumed, uninterrupted, atol=0)
    n_steps = len(resumed.n_functions_)
    assert n_steps > 2
    for_ranges = 1
    assert source.n_passes == 1 + (n_steps - 2) + for_ranges + 1 + n_steps + for_ranges
    assert not list(folder.glob("*.tmp"))


@pytest.mark.parametrize("data", ["array", "Dask"])
def test_arrays_and_dask_collections_have_checkpoints(tmp_path, data):
    make = {"array": lambda: X, "Dask": DASK_SOURCES["array"]}[data]
    first = GFR(3, checkpoint=tmp_path / "a", alpha=0).fit(make())
    stored = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*.*")}
    assert len(stored) == 4 + 2  # three steps and their description; the ranges and theirs
    again = GFR(3, checkpoint=tmp_path / "a", alpha=0).fit(make())
    np.testing.assert_array_equal(first.components_, again.components_)
    assert stored == {path: path.read_bytes() for path in (tmp_path / "a").rglob("*.*")}
    assert_same(again, GFR(3, alpha=0).fit(X))


def test_a_finished_fit_is_read_from_its_checkpoint(tmp_path, monkeypatch):
    fitting = GFR(3, checkpoint=tmp_path, memory_budget=BUDGET, alpha=0)
    first = fitting.fit(AgainAndAgain()).components_

    def none(rows):
        raise AssertionError("The rows are not to be read.")

    monkeypatch.setattr(StreamRows, "blocks", none)
    np.testing.assert_array_equal(fitting.fit(AgainAndAgain()).components_, first)


def test_a_checkpoint_stores_levels(tmp_path):
    x = np.random.default_rng(0).integers(0, [2, 3, 4, 5], (6000, 4)).astype(float)
    source = AgainAndAgain(x)
    fitting = GFS(
        2,
        family="indicator",
        checkpoint=tmp_path,
        memory_budget=BUDGET,
        alpha=0,
        criterion="variance",
    )
    first = fitting.fit(source).residual_variance_
    n_passes = source.n_passes
    # The levels of all columns, and two steps of two passes: z, a combination of indicators of its
    # levels, is dropped only when the second pass confirms it.
    assert len(list(tmp_path.glob("*.npz"))) == 1 + 2 * 2
    np.testing.assert_array_equal(fitting.fit(source).residual_variance_, first)
    assert source.n_passes == n_passes + 1


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (GFR(3, degree=3, alpha=0), "degree was 2 and is 3"),
        (GFR(2, alpha=0), "n_components was 3 and is 2"),
        (GFS(3, alpha=0, criterion="variance"), "estimator was GFR and is GFS"),
    ],
)
def test_a_checkpoint_of_another_fit_is_refused_with_the_difference(tmp_path, other, message):
    GFR(3, checkpoint=tmp_path, alpha=0).fit(X)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match=f"is of another fit: {message}. Remove the folder"):
        other.set_params(checkpoint=tmp_path).fit(X)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (X[:-1], "n_rows was 3000 and is 2999|(mean|scale) of column 0 was"),
        (X + np.eye(8)[2], r"mean of column 2 was .* and is"),
        (X[:, :7], "n_columns was 8 and is 7|(mean|scale) was"),
    ],
)
def test_a_checkpoint_of_other_data_is_refused_with_the_difference(tmp_path, data, message):
    GFR(3, checkpoint=tmp_path, alpha=0).fit(X)
    with pytest.raises(ValueError, match=f"is of another fit: ({message})"):
        GFR(3, checkpoint=tmp_path, alpha=0).fit(data)


def test_a_fit_with_another_verbosity_resumes(tmp_path, capsys):
    first = GFR(2, checkpoint=tmp_path, alpha=0).fit(X)
    other = GFR(2, checkpoint=tmp_path, verbose=2, alpha=0).fit(X)
    np.testing.assert_array_equal(first.components_, other.components_)
    assert capsys.readouterr().out.count("step") == 2


@pytest.mark.parametrize("damage", [lambda content: content[:-100], lambda content: b"", "flip"])
@pytest.mark.parametrize("name", ["000001.npz", "fit.json"])
def test_a_damaged_file_is_named(tmp_path, name, damage):
    GFR(3, checkpoint=tmp_path, alpha=0).fit(X)
    path = tmp_path / name
    content = path.read_bytes()
    if damage == "flip":
        middle = len(content) // 2
        content = content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
    else:
        content = damage(content)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name} is damaged|is of another fit"):
        GFR(3, checkpoint=tmp_path, alpha=0).fit(X)


def test_a_full_disk_leaves_no_half_written_file(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path, {"a": 1})

    def full(stream, *arrays):
        stream.write(b"some of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        ledger.note([np.ones(3)])
    assert [path.name for path in tmp_path.iterdir()] == ["fit.json"]


def test_a_checkpoint_describes_its_fit_in_json(tmp_path):
    GFR(3, checkpoint=tmp_path, alpha=0).fit(X)
    description = json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))
    assert description["estimator"] == "GFR"
    assert description["n_rows"] == 3000


def test_qr_has_no_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="solver='qr' needs all rows in memory, and no checkpoint"):
        GFR(3, solver="qr", checkpoint=tmp_path, alpha=0).fit(X)


@pytest.mark.parametrize(
    "choice", [{"alpha": "auto"}, {"degree": "auto"}, {"family": "auto"}], ids=repr
)
def test_an_automatic_choice_has_a_checkpoint_for_each_of_its_fits(tmp_path, monkeypatch, choice):
    first = GFR(2, checkpoint=tmp_path / "a", **choice).fit(X)
    assert_same(first, GFR(2, solver="gram", **choice).fit(X))

    def none(ledger, sums):
        raise AssertionError("Nothing is left to compute.")

    monkeypatch.setattr(Ledger, "note", none)
    again = GFR(2, checkpoint=tmp_path / "a", **choice).fit(X)
    np.testing.assert_array_equal(first.components_, again.components_)


def test_a_fit_with_another_memory_budget_resumes(tmp_path):
    table = make_table(9000) + 1000.0
    first = GFR(3, checkpoint=tmp_path, memory_budget=BUDGET, alpha=0).fit(AgainAndAgain(table))
    source = AgainAndAgain(table)
    again = GFR(3, checkpoint=tmp_path, memory_budget=BUDGET + 2**19, alpha=0).fit(source)
    assert_same(first, again)
    assert source.n_passes == 1


def test_a_checkpoint_of_columns_in_other_units_is_refused(tmp_path):
    GFR(3, checkpoint=tmp_path, alpha=0).fit(X - X.mean(axis=0))
    with pytest.raises(ValueError, match="is of another fit: scale of column 0 was"):
        GFR(3, checkpoint=tmp_path, alpha=0).fit(2 * (X - X.mean(axis=0)))


def standardized(seed):
    x = make_table(3000, seed)
    return (x - x.mean(axis=0)) / x.std(axis=0)


SHUFFLED = np.column_stack(
    [np.random.default_rng(i).permutation(column) for i, column in enumerate(X.T)]
)
CHANGED = X.copy()
CHANGED[[5, 7], 3] = X[[7, 5], 3]


@pytest.mark.parametrize("kind", ["array", "stream", "Dask"])
@pytest.mark.parametrize(
    ("first", "second"),
    [(standardized(0), standardized(1)), (X, SHUFFLED), (X, CHANGED)],
    ids=["another standardized table", "shuffled columns", "two cells swapped"],
)
def test_a_checkpoint_of_similar_data_is_refused(tmp_path, first, second, kind):
    make = {"array": np.copy, "stream": AgainAndAgain, "Dask": dask_array}[kind]
    fitting = GFR(3, checkpoint=tmp_path, memory_budget=BUDGET, alpha=0)
    fitting.fit(make(first))
    with pytest.raises(ValueError, match=r"is of another fit: .*(of column \d|the rows) was"):
        fitting.fit(make(second))
    fitting.fit(make(first))


def dask_array(x, n_rows=700):
    return da.from_array(x, chunks=(n_rows, x.shape[1]))


def test_a_checkpoint_recognizes_its_data_in_every_form_and_row_order(tmp_path):
    forms = [X, AgainAndAgain(X), dask_array(X), dask_array(X, 1000), X[::-1], X.astype(object)]
    results = []
    for form in forms:
        fitting = GFR(3, solver="gram", checkpoint=tmp_path, memory_budget=BUDGET, alpha=0)
        results.append(fitting.fit(form).components_)
    for each in results:
        np.testing.assert_allclose(each, results[0], rtol=0, atol=1e-12)


def test_a_checkpoint_of_other_weights_is_refused(tmp_path):
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    GFR(3, checkpoint=tmp_path, alpha=0).fit(X, sample_weight=weights)
    with pytest.raises(ValueError, match="is of another fit"):
        GFR(3, checkpoint=tmp_path, alpha=0).fit(X, sample_weight=weights[::-1])


@given(
    x=arrays(np.float64, (12, 3), elements=st.floats(-1e6, 1e6)),
    edges=st.lists(st.integers(0, 12), max_size=3),
    seed=st.integers(0, 10),
)
@settings(max_examples=50, deadline=None)
def test_checksums_of_row_blocks_add_up_in_any_order(x, edges, seed):
    parts = np.split(np.random.default_rng(seed).permutation(x), sorted(edges))
    assert sum(checksum_of(part, None) for part in parts) % 2**64 == checksum_of(x, None)
    assert checksum_of(-x * [0.0, 1, 1], None) == checksum_of(x * [0.0, -1, -1], None)
    assert checksum_of(x, np.ones(12)) == checksum_of(x, None)


@pytest.mark.parametrize("path", ["file", "file/folder"])
def test_a_file_in_place_of_the_folder_is_refused(tmp_path, path):
    (tmp_path / "file").write_text("something", encoding="utf-8")
    with pytest.raises(ValueError, match=r"checkpoint='.*' is not a folder: .* Give a folder"):
        GFR(3, checkpoint=tmp_path / path, alpha=0).fit(X)


def npz(*sums):
    stream = io.BytesIO()
    np.savez(stream, *sums)
    return stream.getvalue()


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npz(np.ones((3, 3)), np.ones((3, 8))), r"an array of shape \(3, 3\) in place of \(2, 4\)"),
        (npz(np.ones((2, 4))), "1 arrays in place of 2"),
        (npz(np.full((2, 4), np.nan), np.ones((2, 8))), "values that are not finite"),
        (npz(np.ones((2, 4), int), np.ones((2, 8))), "values of type int64"),
        (npy(np.ones((2, 4))), "no archive of arrays"),
        (b"", "no archive of arrays"),
    ],
)
def test_sums_of_wrong_shape_type_or_value_are_reported_as_damage(tmp_path, content, message):
    fitting = GFR(3, solver="gram", checkpoint=tmp_path, alpha=0)
    fitting.fit(X)
    (tmp_path / "000001.npz").write_bytes(content)
    with pytest.raises(
        ValueError, match=rf"000001.npz is damaged: it (holds|is) {message}. Remove"
    ):
        fitting.fit(X)


@pytest.mark.parametrize("content", ["[1, 2]", "7", "null", "[" * 100_000])
def test_an_invalid_description_is_reported_as_damage(tmp_path, content):
    (tmp_path / "fit.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"fit.json is damaged: .* Remove"):
        GFR(3, checkpoint=tmp_path, alpha=0).fit(X)


def test_sums_beyond_floating_point_are_not_stored(tmp_path):
    table = np.append(np.linspace(-1, 1, 999), 1e6)[:, np.newaxis]
    family = Polynomial(300, max_variables=1)
    for _ in range(2):
        with pytest.raises(FloatingPointError, match="exceed the range"):
            GFR(family=family, solver="gram", checkpoint=tmp_path, alpha=0).fit(table)
        assert not list(tmp_path.glob("*.npz"))
