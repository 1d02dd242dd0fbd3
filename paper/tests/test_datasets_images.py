"""Loaders of images: they read the published files, check them, and scale as the paper does.

The files here have the right form and few rows; a fixture lowers the expected numbers of rows.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from scipy.io import savemat
from sklearn.utils import Bunch

from gramian_paper.datasets import _images, load_coil20, load_mnist, load_usps

LOADERS = {"USPS": load_usps, "MNIST": load_mnist, "COIL20": load_coil20}
FILES = {"USPS": "usps.npz", "MNIST": "mnist.npz", "COIL20": "coil20.npz"}
SIZES = {"USPS": (40, 20), "MNIST": (50, 20), "COIL20": (60, 0)}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.delenv("GRAMIAN_DATA", raising=False)
    for name, (n_train, n_test) in SIZES.items():
        images = replace(getattr(_images, name), n_train=n_train, n_test=n_test)
        monkeypatch.setattr(_images, name, images)


def draw(name):
    """Return all rows of a generated data set, and labels as the loader returns them."""
    images, n = getattr(_images, name), sum(SIZES[name])
    rng = np.random.default_rng(0)
    low, high = images.ranges[0]
    X = rng.uniform(low, high, (n, images.shape[0] * images.shape[1]))
    X[0, 0], X[1, 1] = low, high
    X[:, 5] = low  # a constant pixel
    y = np.resize(images.labels, n)
    return (np.round(X).astype(np.uint8) if name == "MNIST" else X.astype(np.float32)), y


def write(name, folder):
    """Write a file with both parts, and return its rows and labels."""
    X, y = draw(name)
    n = SIZES[name][0]
    test = {"X_test": X[n:], "y_test": y[n:]} if SIZES[name][1] else {}
    np.savez(folder / FILES[name], X=X[:n], y=y[:n], **test)
    return X, y


@pytest.mark.parametrize("name", LOADERS)
def test_rows_are_returned_unchanged_without_scaling(name, tmp_path):
    X, y = write(name, tmp_path)
    bunch = LOADERS[name](tmp_path, scaling=None)
    n = SIZES[name][0]
    np.testing.assert_array_equal(bunch.data, X[:n])
    np.testing.assert_array_equal(bunch.target, y[:n])
    assert bunch.data.dtype == np.float64
    assert bunch.filename == str(tmp_path / FILES[name])
    assert np.prod(bunch.image_shape) == len(bunch.feature_names) == X.shape[1]
    assert len(bunch.target_names) == len(np.unique(y))
    assert f"{bunch.image_shape[0]} by {bunch.image_shape[1]} pixels" in bunch.DESCR


@pytest.mark.parametrize("name", LOADERS)
def test_standardized_columns_have_mean_0_and_variance_1_or_are_0(name, tmp_path):
    write(name, tmp_path)
    data = LOADERS[name](tmp_path).data
    np.testing.assert_allclose(data.mean(axis=0), 0, atol=1e-12)
    expected = np.ones(data.shape[1])
    expected[5] = 0
    np.testing.assert_allclose(data.var(axis=0), expected, atol=1e-12)


@pytest.mark.parametrize("name", LOADERS)
def test_unit_columns_are_between_0_and_1(name, tmp_path):
    X, _ = write(name, tmp_path)
    low, high = getattr(_images, name).ranges[0]
    data = LOADERS[name](tmp_path, scaling="unit").data
    expected = (X[: len(data)].astype(np.float64) - low) / (high - low)
    np.testing.assert_allclose(data, expected, atol=1e-15)


@pytest.mark.parametrize("name", ["USPS", "MNIST"])
def test_test_rows_are_scaled_by_the_training_rows(name, tmp_path):
    X, y = write(name, tmp_path)
    X = X.astype(np.float64)
    n = SIZES[name][0]
    bunch = LOADERS[name](tmp_path, subset="test")
    deviation = X[:n].std(axis=0)
    deviation[5] = 1
    np.testing.assert_allclose(bunch.data, (X[n:] - X[:n].mean(axis=0)) / deviation, atol=1e-12)
    np.testing.assert_array_equal(bunch.target, y[n:])


@pytest.mark.parametrize("name", ["USPS", "MNIST"])
def test_all_rows_are_training_rows_and_then_test_rows(name, tmp_path):
    X, y = write(name, tmp_path)
    data, target = LOADERS[name](tmp_path, subset="all", scaling=None, return_X_y=True)
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(target, y)


def test_half_of_mnist_is_drawn_by_its_seed(tmp_path):
    X, y = write("MNIST", tmp_path)
    first, again, other = (load_mnist(tmp_path, half=seed, scaling=None) for seed in (0, 0, 1))
    assert first.data.shape == (25, 784)
    np.testing.assert_array_equal(first.data, X[first.rows])
    np.testing.assert_array_equal(first.target, y[first.rows])
    np.testing.assert_array_equal(first.rows, again.rows)
    assert np.all(np.diff(first.rows) > 0)
    assert first.rows.max() < 50
    assert not np.array_equal(first.rows, other.rows)
    np.testing.assert_allclose(load_mnist(tmp_path, half=0).data.mean(axis=0), 0, atol=1e-12)
    assert load_mnist(tmp_path).rows is None


@pytest.mark.parametrize("names", [("fea", "gnd"), ("X", "Y")])
@pytest.mark.parametrize(("name", "file"), [("USPS", "USPS.mat"), ("COIL20", "COIL20.mat")])
def test_matlab_files_hold_all_rows_and_count_classes_from_1(name, file, names, tmp_path):
    X, y = draw(name)
    classes = y - y.min() + 1
    savemat(tmp_path / file, dict(zip(names, (X, classes[:, np.newaxis]), strict=True)))
    bunch = LOADERS[name](tmp_path, scaling=None)
    n = SIZES[name][0]
    np.testing.assert_array_equal(bunch.data, X[:n])
    np.testing.assert_array_equal(bunch.target, y[:n])


def test_mnist_is_read_as_keras_writes_it(tmp_path):
    X, y = draw("MNIST")
    X = X.reshape(-1, 28, 28)
    np.savez(tmp_path / "mnist.npz", x_train=X[:50], y_train=y[:50], x_test=X[50:], y_test=y[50:])
    data, target = load_mnist(tmp_path, subset="test", scaling=None, return_X_y=True)
    np.testing.assert_array_equal(data, X[50:].reshape(20, 784))
    np.testing.assert_array_equal(target, y[50:])


def test_coil_20_with_values_up_to_255_is_scaled_to_unit_range(tmp_path):
    X, y = draw("COIL20")
    np.savez(tmp_path / "coil20.npz", X=np.round(255 * X).astype(np.uint8), y=y - 1)
    bunch = load_coil20(tmp_path, scaling="unit")
    np.testing.assert_allclose(bunch.data, np.round(255 * X) / 255)
    np.testing.assert_array_equal(bunch.target, y)


def test_the_folder_may_be_named_by_the_environment(tmp_path, monkeypatch):
    write("USPS", tmp_path)
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path))
    assert load_usps().data.shape == (40, 256)


def test_a_folder_argument_overrides_the_environment(tmp_path, monkeypatch):
    write("USPS", tmp_path)
    monkeypatch.setenv("GRAMIAN_DATA", str(tmp_path / "elsewhere"))
    assert load_usps(str(tmp_path)).filename == str(tmp_path / "usps.npz")


def test_the_preferred_of_several_files_is_read(tmp_path):
    write("USPS", tmp_path)
    (tmp_path / "USPS.mat").write_bytes(b"")
    assert Path(load_usps(tmp_path).filename).name == "usps.npz"


@pytest.mark.parametrize("name", LOADERS)
def test_without_a_folder_the_error_says_what_is_needed_and_how_to_get_it(name):
    with pytest.raises(FileNotFoundError, match="GRAMIAN_DATA") as error:
        LOADERS[name]()
    assert FILES[name] in str(error.value)
    assert getattr(_images, name).source.remedy in str(error.value)
    assert ("download=True" in str(error.value)) == (name != "COIL20")


def test_a_missing_file_is_named_with_its_folder(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"does not hold a file named usps\.npz or"
    ) as error:
        load_usps(tmp_path)
    assert str(tmp_path) in str(error.value)


def test_a_missing_folder_is_named_even_if_a_download_is_allowed(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere is not a folder"):
        load_usps(tmp_path / "nowhere", download=True)


def test_coil_20_cannot_be_downloaded_and_the_error_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"OpenML has no copy.*Arizona State.*Columbia"):
        load_coil20(tmp_path, download=True)


def damage(name, folder, **arrays):
    """Write the data set with some arrays replaced; None leaves one out."""
    X, y = draw(name)
    n = SIZES[name][0]
    whole = {"X": X[:n], "y": y[:n]} | arrays
    np.savez(folder / FILES[name], **{k: v for k, v in whole.items() if v is not None})


def with_gap(X):
    X = X.astype(np.float64)
    X[3, 7] = np.nan
    return X


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: {"X": X[:-1]}, r"has the shape \(\d+, \d+\) where \(\d+, \d+\)"),
        (lambda X, y: {"X": X[:, :-1]}, r"has the shape .* it is another data set"),
        (lambda X, y: {"y": y[:-1]}, r"array of labels, has the shape"),
        (lambda X, y: {"y": np.ones_like(y)}, r"has 1 classes where \d+ are expected"),
        (lambda X, y: {"X": X.astype(float) * 3}, r"has values between .* are expected"),
        (lambda X, y: {"X": X.astype(str)}, r"where numbers are expected"),
        (lambda X, y: {"X": with_gap(X)}, r"has 1 values that are missing"),
        (lambda X, y: {"X": None}, r"has no array named X, fea, x_train or data; it has y"),
        (lambda X, y: {"y": None}, r"has no array named y, Y, gnd, y_train or labels; it has X"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(name, change, message, tmp_path):
    X, y = draw(name)
    n = SIZES[name][0]
    damage(name, tmp_path, **change(X[:n], y[:n]))
    with pytest.raises(ValueError, match=message) as error:
        LOADERS[name](tmp_path)
    assert FILES[name] in str(error.value)


def test_scaled_copies_of_images_give_the_same_numbers(tmp_path):
    X, _ = draw("USPS")
    damage("USPS", tmp_path)
    unit, standardized = (load_usps(tmp_path, scaling=s).data for s in ("unit", "standardized"))
    damage("USPS", tmp_path, X=(X[:40].astype(np.float64) + 1) / 2)
    np.testing.assert_allclose(load_usps(tmp_path, scaling="unit").data, unit, atol=1e-15)
    np.testing.assert_allclose(load_usps(tmp_path).data, standardized, atol=1e-12)


def test_labels_that_are_not_numbers_are_named(tmp_path):
    damage("USPS", tmp_path, y=np.array(["a"] * 40))
    with pytest.raises(ValueError, match="array of labels, has a value that is not a number"):
        load_usps(tmp_path)


@pytest.mark.parametrize("subset", ["test", "all"])
def test_a_file_without_test_rows_is_named_when_they_are_asked_for(subset, tmp_path):
    damage("USPS", tmp_path)
    assert load_usps(tmp_path).data.shape == (40, 256)
    with pytest.raises(ValueError, match=r"usps\.npz has no test rows"):
        load_usps(tmp_path, subset=subset)


@pytest.mark.parametrize("file", ["usps.npz", "usps.mat"])
def test_a_file_that_cannot_be_read_is_named(file, tmp_path):
    write("USPS", tmp_path)
    whole = (tmp_path / "usps.npz").read_bytes()
    (tmp_path / "usps.npz").unlink()
    (tmp_path / file).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=f"{file} cannot be read.*get it again"):
        load_usps(tmp_path)


def test_a_matlab_file_of_version_7_3_is_not_called_damaged(tmp_path):
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (tmp_path / "usps.mat").write_bytes(header + bytes(1000))
    with pytest.raises(ValueError, match=r"version 7\.3.*-v7"):
        load_usps(tmp_path)


def test_pickled_objects_are_never_loaded(tmp_path):
    np.savez(tmp_path / "usps.npz", X=np.array([{}], dtype=object), y=np.zeros(1))
    with pytest.raises(ValueError, match=r"usps\.npz cannot be read.*allow_pickle"):
        load_usps(tmp_path)


@pytest.mark.parametrize("name", LOADERS)
def test_an_unknown_scaling_is_named(name, tmp_path):
    with pytest.raises(ValueError, match="scaling must be 'standardized', 'unit' or None"):
        LOADERS[name](tmp_path, scaling="minmax")


def test_an_unknown_subset_is_named(tmp_path):
    for load in (load_usps, load_mnist):
        with pytest.raises(ValueError, match="subset must be 'train', 'test' or 'all'; got 'val'"):
            load(tmp_path, subset="val")


def test_half_of_the_test_rows_is_refused(tmp_path):
    with pytest.raises(ValueError, match="half draws from the training rows"):
        load_mnist(tmp_path, half=0, subset="test")


@pytest.mark.parametrize(("name", "number"), [("USPS", 41082), ("MNIST", 554)])
@pytest.mark.parametrize("folder", [False, True])
def test_downloads_ask_openml_for_the_right_number(name, number, folder, tmp_path, monkeypatch):
    X, y = draw(name)
    asked = []

    def fetch(**options):
        asked.append(options)
        classes = pd.Series((y + (name == "USPS")).astype(str), dtype="category")
        return Bunch(data=pd.DataFrame(X), target=classes)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    place = tmp_path if folder else None  # an empty folder
    bunch = LOADERS[name](place, download=True, subset="all", scaling=None)
    np.testing.assert_array_equal(bunch.data, X)
    np.testing.assert_array_equal(bunch.target, y)
    assert bunch.filename == f"OpenML {number}"
    assert asked == [{"data_id": number, "as_frame": True}]


def test_nothing_is_downloaded_if_the_file_exists(tmp_path, monkeypatch):
    write("USPS", tmp_path)
    monkeypatch.delattr(sklearn.datasets, "fetch_openml")
    assert load_usps(tmp_path, download=True).filename == str(tmp_path / "usps.npz")


@pytest.mark.parametrize(
    ("raised", "message"),
    [(ImportError("no pandas"), "need pandas"), (OSError("no route"), "41082.*no route.*USPS")],
)
def test_a_failed_download_says_why(raised, message, monkeypatch):
    def fetch(**options):
        raise raised

    monkeypatch.setattr(sys.modules["sklearn.datasets"], "fetch_openml", fetch)
    with pytest.raises(type(raised), match=message):
        load_usps(download=True)
