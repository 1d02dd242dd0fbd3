"""Tables of the comparison of curved codes, split into training and test rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GroupShuffleSplit, train_test_split

Array = np.ndarray
TEST = 0.25
"""Share of test rows of tables without an official split."""


@dataclass(frozen=True)
class Data:
    """Rows of a table, centred and scaled by the training rows."""

    train: Array
    test: Array
    train_labels: Array
    test_labels: Array
    mean: Array
    deviation: Array
    shape: tuple[int, int] | None
    """Height and width of the images, if rows are images."""
    split: str
    """Description of the split."""

    def halves(self, share: float = 0.1) -> tuple[Array, Array]:
        """Return the training rows without the held-out rows, and the held-out rows."""
        order = np.random.default_rng(0).permutation(len(self.train))
        n = int(share * len(order))
        return self.train[order[n:]], self.train[order[:n]]

    def images(self, rows: Array) -> Array:
        """Return standardized rows as pictures."""
        assert self.shape is not None
        return (rows * self.deviation + self.mean).reshape(-1, *self.shape)


def standardized(
    train: Array,
    test: Array,
    labels: tuple[Array, Array],
    shape: tuple[int, int] | None,
    split: str,
    *,
    one_scale: bool = False,
) -> Data:
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    if one_scale:
        deviation = np.full(len(mean), train.std(axis=0).max())
    both = [(rows - mean) / deviation for rows in (train, test)]
    return Data(*both, *labels, mean, deviation, shape, split)


def usps() -> Data:
    from gramian_paper.datasets import load_usps

    train, test = (load_usps(subset=subset, scaling=None) for subset in ("train", "test"))
    labels = train.target, test.target
    return standardized(train.data, test.data, labels, (16, 16), "the official split")


def mnist() -> Data:
    from gramian_paper.datasets import load_mnist

    train, test = (load_mnist(subset=subset, scaling=None) for subset in ("train", "test"))
    chosen = np.random.default_rng(0).permutation(len(train.data))[:10_000]
    labels = train.target[chosen], test.target
    words = "10,000 of the official training rows at random, all official test rows"
    rows = train.data[chosen], test.data
    return standardized(*rows, labels, (28, 28), words, one_scale=True)


def random_split(
    X: Array, y: Array, shape: tuple[int, int] | None, *, one_scale: bool = False
) -> Data:
    train, test, *labels = train_test_split(X, y, test_size=TEST, random_state=0, stratify=y)
    words = "a quarter of the rows of each class to test, at random"
    pair = labels[0], labels[1]
    return standardized(train, test, pair, shape, words, one_scale=one_scale)


def coil20() -> Data:
    from gramian_paper.datasets import load_coil20

    bunch = load_coil20(scaling=None)
    return random_split(bunch.data, bunch.target, (32, 32))


def digits() -> Data:
    return random_split(*load_digits(return_X_y=True), (8, 8), one_scale=True)


def breast_cancer() -> Data:
    return random_split(*load_breast_cancer(return_X_y=True), None)


def musk() -> Data:
    from gramian_paper.datasets import load_musk

    bunch = load_musk(scaling=None)
    X, y, groups = bunch.data, bunch.target, bunch.groups
    splitter = GroupShuffleSplit(1, test_size=TEST, random_state=0)
    train, test = next(splitter.split(X, y, groups))
    words = "a quarter of the molecules to test, at random"
    return standardized(X[train], X[test], (y[train], y[test]), None, words)


TABLES: dict[str, tuple[Callable[[], Data], tuple[int, ...]]] = {
    "USPS": (usps, (5, 10, 20, 40)),
    "MNIST": (mnist, (10, 20, 30)),
    "COIL-20": (coil20, (5, 10, 20)),
    "digits": (digits, (2, 5, 10, 20)),
    "breast cancer": (breast_cancer, (2, 5, 10)),
    "Musk": (musk, (10,)),
}
"""Function that makes each table, and its numbers of features."""
