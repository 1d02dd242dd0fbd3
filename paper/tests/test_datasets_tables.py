"""Loaders of tables: they read the files that UCI publishes, check them, and fill gaps.

The files here have the right form and few rows; a fixture lowers the expected numbers of rows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from gramian_paper.datasets import _tables, load_credit_approval, load_musk

N = 12
CREDIT = """\
b,30.83,0,u,g,w,v,1.25,t,t,01,f,g,00202,0,+
a,58.67,4.46,u,g,q,h,3.04,t,t,06,f,g,00043,560,+
?,24.50,0.5,u,g,q,h,1.5,t,f,0,f,g,00280,824,+
b,?,1.54,y,p,w,v,3.75,t,t,05,t,g,?,3,-
b,20.17,5.625,?,g,w,v,1.71,t,f,0,f,s,00120,0,-

"""


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.delenv("GRAMIAN_DATA", raising=False)
    monkeypatch.setattr(_tables, "MUSK_SHAPE", (N, 166))
    monkeypatch.setattr(_tables, "N_MOLECULES", 4)
    monkeypatch.setattr(_tables, "CREDIT_SHAPE", (5, 16))


@pytest.fixture
def musk():
    """Return generated conformations, their labels, and the molecules' names."""
    X = np.random.default_rng(0).integers(-300, 300, (N, 166))
    return X, np.repeat([1, 0], N // 2), np.repeat(["MUSK-b", "MUSK-a", "NON-c", "NON-d"], N // 4)


def write_clean2(folder, musk, name="clean2.data"):
    X, y, molecules = musk
    lines = [
        f"{molecule},{molecule}+{i},{','.join(map(str, row))},{label}."
        for i, (row, label, molecule) in enumerate(zip(X, y, molecules, strict=True))
    ]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_musk_is_read_as_uci_publishes_it(musk, tmp_path):
    write_clean2(tmp_path, musk)
    bunch = load_musk(tmp_path, scaling=None)
    np.testing.assert_array_equal(bunch.data, musk[0])
    np.testing.assert_array_equal(bunch.target, musk[1])
    np.testing.assert_array_equal(bunch.groups, np.repeat([1, 0, 2, 3], 3))  # alphabetical
    assert (len(bunch.feature_names), len(bunch.target_names)) == (166, 2)
    assert bunch.filename == str(tmp_path / "clean2.data")


def test_musk_is_read_from_arrays(musk, tmp_path):
    X, y, _ = musk
    np.savez(tmp_path / "musk2.npz", X=X.astype(np.int16), y=y, molecule=np.repeat([0, 1, 2, 3], 3))
    bunch = load_musk(tmp_path, scaling=None)
    np.testing.assert_array_equal(bunch.data, X)
    np.testing.assert_array_equal(bunch.groups, np.repeat([0, 1, 2, 3], 3))
    np.savez(tmp_path / "musk2.npz", X=X, y=y)
    assert load_musk(tmp_path).groups is None


def test_groups_number_molecules_in_the_order_of_their_numbers(musk, tmp_path):
    X, y, _ = musk
    molecule = np.repeat([0, 2, 10, 11], 3)
    np.savez(tmp_path / "musk2.npz", X=X, y=y, molecule=molecule)
    np.testing.assert_array_equal(load_musk(tmp_path).groups, np.repeat([0, 1, 2, 3], 3))


def test_musk_is_scaled_by_columns(musk, tmp_path):
    X, y, _ = musk
    X[:, 3] = 7
    np.savez(tmp_path / "musk2.npz", X=X, y=y)
    data, target = load_musk(tmp_path, return_X_y=True)
    varies = np.arange(166) != 3
    np.testing.assert_allclose(data.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.var(axis=0), varies, atol=1e-12)
    np.testing.assert_array_equal(target, y)
    unit = load_musk(tmp_path, scaling="unit").data
    np.testing.assert_allclose(unit.min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(unit.max(axis=0), varies, atol=1e-12)


def test_credit_approval_has_codes_means_and_modes(tmp_path):
    (tmp_path / "crx.data").write_text(CREDIT, encoding="utf-8")
    bunch = load_credit_approval(tmp_path, scaling=None)
    data = bunch.data
    np.testing.assert_array_equal(data[:, 0], [1, 0, 1, 1, 1])  # missing: b, the most frequent
    mean = np.mean([30.83, 58.67, 24.5, 20.17])
    np.testing.assert_allclose(data[:, 1], [30.83, 58.67, 24.5, mean, 20.17])
    np.testing.assert_array_equal(data[:, 3], [0, 0, 0, 1, 0])
    np.testing.assert_allclose(data[:, 13], [202, 43, 280, np.mean([202, 43, 280, 120]), 120])
    np.testing.assert_array_equal(bunch.target, [1, 1, 1, 0, 0])
    assert bunch.missing.sum() == 4
    assert bunch.missing[2, 0]
    assert bunch.categories["A1"] == ["a", "b"]
    assert bunch.feature_names[13] == "A14"
    numeric = [
        n for n, k in zip(bunch.feature_names, bunch.feature_kinds, strict=True) if k[0] == "n"
    ]
    assert numeric == ["A2", "A3", "A8", "A11", "A14", "A15"]
    assert set(bunch.categories) == set(bunch.feature_names) - set(numeric)


def test_credit_approval_is_scaled_by_columns(tmp_path):
    (tmp_path / "crx.data").write_text(CREDIT, encoding="utf-8")
    data, target = load_credit_approval(tmp_path, return_X_y=True)
    np.testing.assert_allclose(data.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data[:, 1].var(), 1)
    assert target.sum() == 3
    unit = load_credit_approval(tmp_path, scaling="unit").data
    assert (unit.min(), unit.max()) == (0, 1)


@pytest.mark.parametrize(
    ("load", "file"), [(load_musk, "clean2.data"), (load_credit_approval, "crx.data")]
)
def test_a_missing_file_is_named_with_the_ways_to_get_it(load, file, tmp_path):
    with pytest.raises(FileNotFoundError, match=rf"{file}; or let it .*download=True\. The UCI"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="scaling must be"):
        load(tmp_path, scaling="log")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("\nb,20.17", "\nb,20.17,9"), "line 5, has 17 values where 16"),
        (lambda text: text[: text.index("a,58")], r"has the shape \(1, 16\) where \(5, 16\)"),
        (lambda text: "", r"has the shape \(0, 16\)"),
        (lambda text: text.replace(",-", ",no"), r"labels other than \+ and -"),
        (lambda text: text.replace("58.67", "many"), "column A2, has a value that is not a number"),
    ],
)
def test_a_wrong_credit_approval_is_named_with_what_is_wrong(change, message, tmp_path):
    (tmp_path / "crx.data").write_text(change(CREDIT), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as error:
        load_credit_approval(tmp_path)
    assert "crx.data" in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: {"X": a["X"][:-1]}, "has the shape"),
        (lambda a: {"X": a["X"][:, 1:]}, "has the shape"),
        (lambda a: {"y": a["y"][1:]}, "array of labels, has the shape"),
        (lambda a: {"y": a["y"] + 1}, "labels other than 0 and 1"),
        (lambda a: {"X": np.where(a["X"] == a["X"][0, 0], np.nan, a["X"])}, "missing or infinite"),
        (lambda a: {"molecule": a["y"][1:]}, "array of molecules, has the shape"),
    ],
)
def test_a_wrong_musk_is_named_with_what_is_wrong(change, message, musk, tmp_path):
    arrays = {"X": musk[0], "y": musk[1]}
    np.savez(tmp_path / "musk2.npz", **(arrays | change(arrays)))
    with pytest.raises(ValueError, match=message) as error:
        load_musk(tmp_path)
    assert "musk2.npz" in str(error.value)


def test_version_1_of_musk_is_refused_as_version_2(musk, tmp_path):
    write_clean2(tmp_path, tuple(part[:-1] for part in musk))
    with pytest.raises(ValueError, match=r"clean2\.data has the shape \(11, 166\)"):
        load_musk(tmp_path)


@pytest.mark.parametrize("names", [True, False])
def test_musk_of_openml_has_molecules_if_a_column_names_them(names, musk, monkeypatch):
    X, y, molecules = musk
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(1, 167)])
    frame.insert(0, "conformation", [f"c{i}" for i in range(N)])
    if names:
        frame.insert(0, "molecule", molecules)
    bunch = Bunch(data=frame, target=pd.Series(y.astype(str), dtype="category"))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **options: bunch)
    loaded = load_musk(download=True, scaling=None)
    np.testing.assert_array_equal(loaded.data, X)
    np.testing.assert_array_equal(loaded.target, y)
    assert loaded.filename == "OpenML 1116"
    if names:
        np.testing.assert_array_equal(loaded.groups, np.repeat([1, 0, 2, 3], 3))
    else:
        assert loaded.groups is None


def test_credit_approval_of_openml_equals_that_of_uci(tmp_path, monkeypatch):
    (tmp_path / "crx.data").write_text(CREDIT, encoding="utf-8")
    frame = pd.read_csv(tmp_path / "crx.data", header=None, na_values="?")
    for i in range(16):
        if i not in (1, 2, 7, 10, 13, 14):
            frame[i] = frame[i].astype("category")
    bunch = Bunch(data=frame.iloc[:, :15], target=frame[15])
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **options: bunch)
    downloaded = load_credit_approval(download=True, scaling=None)
    read = load_credit_approval(tmp_path, scaling=None)
    np.testing.assert_allclose(downloaded.data, read.data)
    np.testing.assert_array_equal(downloaded.target, read.target)
    assert downloaded.categories == read.categories
    assert downloaded.filename == "OpenML 29"
