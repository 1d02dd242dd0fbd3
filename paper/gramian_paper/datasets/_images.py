"""The paper's three sets of images: USPS, MNIST and COIL-20."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from gramian_paper._types import Array, IntArray
from gramian_paper.datasets._files import (
    Folder,
    Scaling,
    Source,
    as_numbers,
    check_choice,
    check_range,
    check_scaling,
    check_shape,
    deliver,
    obtain,
    pick,
    read_arrays,
    standardize,
)

Subset = Literal["train", "test", "all"]

# Names of the arrays in files from different distributors.
TABLE, LABELS = ("X", "fea", "x_train", "data"), ("y", "Y", "gnd", "y_train", "labels")
TEST_TABLE, TEST_LABELS = ("X_test", "x_test"), ("y_test",)


@dataclass(frozen=True)
class Images:
    """Expected properties of a set of images."""

    source: Source
    shape: tuple[int, int]
    n_train: int
    n_test: int
    ranges: tuple[tuple[float, float], ...]
    labels: range


USPS = Images(
    Source(
        "USPS",
        ("usps.npz", "usps.mat"),
        41082,
        "It also goes around as USPS.mat, with 9298 rows and arrays fea and gnd, or X and Y.",
        "Digits from handwritten addresses on envelopes, scanned by the United States Postal "
        "Service: 16 by 16 pixels, 7,291 for training and 2,007 for tests. J. J. Hull, A database "
        "for handwritten text recognition research, IEEE Transactions on Pattern Analysis and "
        "Machine Intelligence 16(5), 1994.",
    ),
    shape=(16, 16),
    n_train=7291,
    n_test=2007,
    ranges=((-1, 1), (0, 1), (0, 255)),
    labels=range(10),
)
MNIST = Images(
    Source(
        "MNIST",
        ("mnist.npz", "mnist.mat"),
        554,
        "Keras distributes it as mnist.npz, which will do.",
        "Handwritten digits, 28 by 28 pixels, 60,000 for training and 10,000 for tests. Y. LeCun, "
        "L. Bottou, Y. Bengio and P. Haffner, Gradient-based learning applied to document "
        "recognition, Proceedings of the IEEE 86(11), 1998.",
    ),
    shape=(28, 28),
    n_train=60_000,
    n_test=10_000,
    ranges=((0, 255), (0, 1)),
    labels=range(10),
)
COIL20 = Images(
    Source(
        "COIL-20",
        ("coil20.npz", "coil20.mat", "coil-20.mat"),
        None,
        "The feature selection repository of Arizona State University has it as COIL20.mat, with "
        "images of 32 by 32 pixels; the original images are at Columbia University's CAVE "
        "laboratory. (COIL2000 at OpenML is something else.)",
        "Photographs of 20 objects on a turntable, one every 5 degrees, here with 32 by 32 pixels. "
        "S. A. Nene, S. K. Nayar and H. Murase, Columbia Object Image Library (COIL-20), technical "
        "report CUCS-005-96, Columbia University, 1996.",
    ),
    shape=(32, 32),
    n_train=1440,
    n_test=0,
    ranges=((0, 1), (0, 255)),
    labels=range(1, 21),
)


def load_usps(
    folder: Folder = None,
    *,
    download: bool = False,
    subset: Subset = "train",
    scaling: Scaling = "standardized",
    return_X_y: bool = False,
) -> Any:
    """Load USPS: handwritten digits, 16 by 16 pixels.

    Parameters
    ----------
    folder : str, path or None, default=None
        The folder of ``usps.npz`` (arrays X and y, and X_test and y_test if there is a test part)
        or ``USPS.mat``. None stands for the folder in the environment variable ``GRAMIAN_DATA``.
    download : bool, default=False
        Whether to get the data from OpenML if there is no file; pandas is needed for that.
    subset : {"train", "test", "all"}, default="train"
        The 7,291 training rows, which the paper uses, the 2,007 test rows, or both.
    scaling : {"standardized", "unit"} or None, default="standardized"
        Mean 0 and variance 1, as in the paper's tables for GFR (a column that does not vary is 0;
        test rows are scaled as the training rows); from 0 to 1, as in its tables for GFS; or as
        they are in the file, from -1 to 1 as a rule.
    return_X_y : bool, default=False
        Whether to return the data and the labels alone.

    Returns
    -------
    bunch : ``sklearn.utils.Bunch``
        `data` of shape (n, 256), `target` (the digits), `feature_names`, `target_names`,
        `image_shape`, `DESCR`, and `filename`, where the data were found. If `return_X_y`, the
        first two.

    Examples
    --------
    >>> from gramian_paper.datasets import load_usps
    >>> load_usps("data", scaling="unit").data.shape  # doctest: +SKIP
    (7291, 256)
    """
    return _load(USPS, folder, download, subset, scaling, return_X_y)


def load_mnist(
    folder: Folder = None,
    *,
    download: bool = False,
    subset: Subset = "train",
    half: int | np.random.RandomState | None = None,
    scaling: Scaling = "standardized",
    return_X_y: bool = False,
) -> Any:
    """Load MNIST: handwritten digits, 28 by 28 pixels.

    Parameters
    ----------
    folder : str, path or None, default=None
        The folder of ``mnist.npz`` (arrays X, y, X_test and y_test, or Keras's x_train, …). None
        stands for the folder in the environment variable ``GRAMIAN_DATA``.
    download : bool, default=False
        Whether to get the data from OpenML if there is no file; pandas is needed for that.
    subset : {"train", "test", "all"}, default="train"
        The 60,000 training rows, the 10,000 test rows, or both.
    half : int, RandomState instance or None, default=None
        If not None, the seed with which half of the training rows are drawn. The paper states
        60,000 rows, but its numbers are those of about half as many.
    scaling : {"standardized", "unit"} or None, default="standardized"
        Mean 0 and variance 1, as in the paper's tables for GFR (a column that does not vary is 0;
        test rows are scaled as the training rows); from 0 to 1, as in its tables for GFS; or as
        they are in the file, from 0 to 255 as a rule.
    return_X_y : bool, default=False
        Whether to return the data and the labels alone.

    Returns
    -------
    bunch : ``sklearn.utils.Bunch``
        `data` of shape (n, 784), `target` (the digits), `rows` (the indices of the rows that were
        drawn, in increasing order, if `half` is given, or else None), `feature_names`,
        `target_names`, `image_shape`, `DESCR`, and `filename`, where the data were found. If
        `return_X_y`, the first two.

    Examples
    --------
    >>> from gramian_paper.datasets import load_mnist
    >>> load_mnist("data", half=0).data.shape  # doctest: +SKIP
    (30000, 784)
    """
    if half is not None and subset != "train":
        raise ValueError(
            f"half draws from the training rows, so that subset must be 'train'; got {subset!r}."
        )
    rows: IntArray | None = None
    if half is not None:
        order = check_random_state(half).permutation(MNIST.n_train)
        rows = np.sort(order[: MNIST.n_train // 2])
    return _load(MNIST, folder, download, subset, scaling, return_X_y, rows=rows)


def load_coil20(
    folder: Folder = None,
    *,
    download: bool = False,
    scaling: Scaling = "standardized",
    return_X_y: bool = False,
) -> Any:
    """Load COIL-20: 72 views of each of 20 objects, 32 by 32 pixels.

    Parameters
    ----------
    folder : str, path or None, default=None
        The folder of ``coil20.npz`` (arrays X and y) or ``COIL20.mat``. None stands for the folder
        in the environment variable ``GRAMIAN_DATA``.
    download : bool, default=False
        OpenML has no copy, so that a file is always needed.
    scaling : {"standardized", "unit"} or None, default="standardized"
        Mean 0 and variance 1, as in the paper's tables for GFR (a column that does not vary is
        0); from 0 to 1, as in its tables for GFS; or as they are in the file, from 0 to 1 or 255.
    return_X_y : bool, default=False
        Whether to return the data and the labels alone.

    Returns
    -------
    bunch : ``sklearn.utils.Bunch``
        `data` of shape (1440, 1024), `target` (the objects, 1 to 20), `feature_names`,
        `target_names`, `image_shape`, `DESCR`, and `filename`, where the data were found. If
        `return_X_y`, the first two.

    Examples
    --------
    >>> from gramian_paper.datasets import load_coil20
    >>> load_coil20("data").data.shape  # doctest: +SKIP
    (1440, 1024)
    """
    return _load(COIL20, folder, download, "train", scaling, return_X_y)


def _load(
    images: Images,
    folder: Folder,
    download: bool,
    subset: Subset,
    scaling: Scaling,
    return_X_y: bool,
    **more: Any,
) -> Any:
    """Return a part of a set of images, or given rows of the training part."""
    check_choice("subset", subset, ("train", "test", "all"))
    check_scaling(scaling)
    X, y, filename = _read(images, folder, download)
    low, high = check_range(X, images.ranges, filename)
    n_train = images.n_train
    if subset != "train" and len(X) == n_train:
        raise ValueError(
            f"{filename} has no test rows; load the training rows (subset='train') or get a file "
            "with all rows."
        )
    parts = {"train": slice(n_train), "test": slice(n_train, None), "all": slice(None)}
    chosen = more.get("rows")
    rows = parts[subset] if chosen is None else chosen
    data: Array = X[rows].astype(np.float64)
    if scaling == "standardized":
        reference = X[:n_train].astype(np.float64) if subset == "test" else None
        data = standardize(data, reference)
    elif scaling == "unit":
        data -= low
        data /= high - low
    height, width = images.shape
    return deliver(
        data,
        y[rows],
        return_X_y,
        feature_names=[f"pixel_{i}_{j}" for i in range(height) for j in range(width)],
        target_names=[str(label) for label in images.labels],
        image_shape=images.shape,
        DESCR=images.source.description,
        filename=filename,
        **more,
    )


def _read(images: Images, folder: Folder, download: bool) -> tuple[NDArray[Any], IntArray, str]:
    """Return all rows, training rows first, the labels, and the name of the source."""
    found = obtain(images.source, folder, download=download)
    if isinstance(found, Path):
        arrays, filename = read_arrays(found), str(found)
        X, y = pick(arrays, TABLE, filename), pick(arrays, LABELS, filename).ravel()
        if any(name in arrays for name in TEST_TABLE):
            X = np.concatenate([X, pick(arrays, TEST_TABLE, filename)])
            y = np.concatenate([y, pick(arrays, TEST_LABELS, filename).ravel()])
    else:
        filename = f"OpenML {images.source.openml}"
        X, y = found.data.to_numpy(), found.target.to_numpy()
    X = X.reshape(len(X), -1)
    n_features = images.shape[0] * images.shape[1]
    sizes = sorted({images.n_train, images.n_train + images.n_test})
    check_shape(X, [(size, n_features) for size in sizes], filename)
    check_shape(y, [(len(X),)], f"{filename}, array of labels,")
    labels: IntArray = as_numbers(y, f"{filename}, array of labels,").astype(np.intp)
    # Some copies count the classes from 0, and some from 1.
    labels += images.labels.start - labels.min()
    classes = np.unique(labels)
    if not np.array_equal(classes, images.labels):
        raise ValueError(
            f"{filename} has {len(classes)} classes where {len(images.labels)} are expected."
        )
    return X, labels, filename
