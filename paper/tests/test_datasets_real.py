"""Real data, where available: the loaders' options give the preprocessing of the paper's tables.

The folder and the expected numbers are those of test_published_numbers.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_published_numbers import COIL20, COIL20_GFS, CREDIT, DATA, counts, fit, path_to

from gramian import GFR, GFS
from gramian.exceptions import OverfittingWarning
from gramian_paper.datasets import (
    load_coil20,
    load_credit_approval,
    load_mnist,
    load_musk,
    load_usps,
)


@pytest.mark.parametrize(
    ("load", "file", "shape", "classes"),
    [
        (load_usps, "usps.npz", (7291, 256), range(10)),
        (load_mnist, "mnist.npz", (60_000, 784), range(10)),
        (load_coil20, "coil20.npz", (1440, 1024), range(1, 21)),
        (load_musk, "musk2.npz", (6598, 166), range(2)),
        (load_credit_approval, "crx.data", (690, 15), range(2)),
    ],
)
def test_data_sets_have_the_sizes_of_the_paper(load, file, shape, classes):
    path = path_to(file)
    bunch = load(DATA, scaling="unit")
    assert bunch.data.shape == shape
    assert (bunch.data.min(), bunch.data.max()) == (0, 1)
    assert np.array_equal(np.unique(bunch.target), classes)
    assert bunch.filename == str(path)
    assert len(bunch.feature_names) == shape[1]


def test_parts_and_molecules_have_known_sizes():
    path_to("usps.npz")
    assert load_usps(DATA, subset="test", scaling=None).data.shape == (2007, 256)
    path_to("musk2.npz")
    musk = load_musk(DATA)
    assert len(np.unique(musk.groups)) == 102
    assert musk.target.sum() == 1017
    assert all(len(np.unique(musk.target[musk.groups == group])) == 1 for group in range(102))


def test_gfr_on_standardized_coil_20_needs_as_many_directions_as_published():
    path_to("coil20.npz")
    X = load_coil20(DATA).data
    gfr = fit(GFR(threshold=min(COIL20), degree=3, alpha=0), X, OverfittingWarning)
    assert counts(gfr, COIL20) == [20, 19, 18, 17, 16, 14]


def test_gfs_on_unit_coil_20_needs_as_many_features_as_known():
    path_to("coil20.npz")
    gfs = GFS(threshold=min(COIL20_GFS), degree=3, alpha=0, criterion="variance").fit(
        load_coil20(DATA, scaling="unit").data
    )
    assert counts(gfs, COIL20_GFS) == [13, 12, 12, 11, 10]


@pytest.mark.parametrize(
    ("degree", "expected"), [(1, [13, 9, 6]), (2, [9, 7, 5]), (3, [8, 7, 5]), (4, [8, 6, 5])]
)
def test_gfr_on_standardized_credit_approval_needs_as_many_directions_as_known(degree, expected):
    path_to("crx.data")
    gfr = GFR(threshold=min(CREDIT), degree=degree, alpha=0).fit(load_credit_approval(DATA).data)
    assert counts(gfr, CREDIT) == expected


def test_half_of_mnist_has_about_as_many_principal_components_as_the_paper_counts():
    path_to("mnist.npz")
    X = load_mnist(DATA, half=0).data
    variances = np.linalg.eigvalsh(X.T @ X / len(X))
    ours = [np.sum(variances > t) + 1 for t in (0.05, 0.1, 0.2, 0.5, 0.75)]
    # The counts differ by about 3 between halves; all 60,000 rows have 595 and 472 at first.
    np.testing.assert_allclose(ours, [576, 451, 344, 233, 191], rtol=0, atol=8)
