"""Baselines against the accuracies that the paper reports for them.

The tests need COIL-20; see test_published_numbers.py for where it is looked for. The paper's
protocol: a support vector machine with radial basis functions, five folds over the whole set, and
features that were found on the whole set.
"""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from test_published_numbers import path_to

from gramian_paper.baselines import TraceRatio, extractor, ranks_read_as_columns


@pytest.fixture(scope="module")
def coil20():
    with np.load(path_to("coil20.npz")) as file:
        return file["X"].astype(np.float64), file["y"].ravel()


def accuracy(X, y):
    return 100 * cross_val_score(SVC(), X, y, cv=5).mean()


def test_lpp_has_the_papers_accuracy_on_coil20(coil20):
    X, y = coil20
    Z = extractor("lpp", 14).fit_transform(StandardScaler().fit_transform(X))
    measured = [accuracy(Z[:, :n], y) for n in (14, 13, 12)]
    assert measured == pytest.approx([90.56, 90.35, 89.03], abs=0.05)


def test_kernel_pca_has_the_papers_accuracy_on_coil20_if_not_standardized(coil20):
    X, y = coil20
    Z = extractor("kernel-pca", 14, random_state=0).fit_transform(X)
    measured = [accuracy(Z[:, :n], y) for n in (14, 13, 12)]
    assert measured == pytest.approx([96.67, 96.81, 96.25], abs=0.05)


def test_the_trace_ratio_has_the_papers_accuracy_on_coil20_if_ranks_are_read_as_columns(coil20):
    X, y = coil20
    order = TraceRatio(31).fit(X, y).selected_features_
    columns = ranks_read_as_columns(order, X.shape[1])
    measured = [accuracy(X[:, columns[:n]], y) for n in (31, 19, 13, 10, 9)]
    assert measured == pytest.approx([66.52, 57.85, 43.75, 41.25, 39.10], abs=0.05)
    assert accuracy(X[:, order[:9]], y) > measured[-1] + 5
