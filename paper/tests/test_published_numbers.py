"""The paper's tables, as a stable orthogonalization reproduces them.

A count is the number of directions or features whose residual variance was above t when they were
taken. The paper's tables for GFR are one higher: they count the first direction that is not above t
too. One fit down to the smallest t gives the counts for all of them.

The data are not the project's to redistribute. The tests look for them in the folder that the
environment variable GRAMIAN_DATA names, or else in ``../shared/data`` beside the repository; see
paper/README.md for what is expected there.
"""

import csv
import os
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from gramian import GFA, GFR, GFS
from gramian.exceptions import OverfittingWarning, SaturationWarning
from gramian.families import Multilinear

DATA = Path(
    os.environ.get("GRAMIAN_DATA") or Path(__file__).parents[2].resolve().parent / "shared" / "data"
)

COIL20, USPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5), (0.1, 0.15, 0.2, 0.5, 1)
MUSK = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
CREDIT = (0.5, 0.75, 1)
USPS_GFS, COIL20_GFS = (0.03, 0.04, 0.05, 0.06, 0.07, 0.08), (0.01, 0.0125, 0.015, 0.0175, 0.02)


@pytest.fixture(autouse=True)
def one_thread():
    """Use one BLAS thread, so that the time of a fit does not depend on other programs."""
    with threadpool_limits(1):
        yield


def path_to(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not in {DATA}; name its folder in GRAMIAN_DATA")
    return path


def load(name):
    with np.load(path_to(f"{name}.npz")) as file:
        return file["X"].astype(np.float64)


def load_credit():
    """Return the 15 columns of Credit Approval: categories as codes, gaps as mode or mean."""
    with open(path_to("crx.data"), newline="") as file:
        table = np.array(list(csv.reader(file)))[:, :15]
    columns = []
    for i, column in enumerate(table.T):
        present = column != "?"
        filled = np.empty(len(column))
        if i in (1, 2, 7, 10, 13, 14):
            filled[present] = column[present].astype(np.float64)
            filled[~present] = filled[present].mean()
        else:
            _, filled[present] = np.unique(column[present], return_inverse=True)
            filled[~present] = np.bincount(filled[present].astype(int)).argmax()
        columns.append(filled)
    return np.column_stack(columns)


def fit(estimator, X, warning):
    """Fit, and check that exactly the expected warning is given."""
    with pytest.warns(warning) if warning else nullcontext() as caught:
        estimator.fit(X)
    if warning:
        assert [each.category for each in caught] == [warning]
    return estimator


def counts(estimator, thresholds):
    return [int(np.sum(estimator.residual_variance_ > t)) for t in thresholds]


@pytest.mark.parametrize(
    ("data", "degree", "thresholds", "expected", "warning"),
    [
        ("coil20", 1, COIL20[3:], [263, 189, 114], None),
        ("coil20", 2, COIL20, [49, 46, 41, 37, 32, 26], OverfittingWarning),
        ("coil20", 3, COIL20, [20, 19, 18, 17, 16, 14], OverfittingWarning),
        ("coil20", 4, COIL20, [14, 14, 13, 13, 12, 11], SaturationWarning),
        ("usps", 1, USPS, [157, 128, 112, 69, 44], None),
        ("usps", 2, USPS, [60, 51, 45, 29, 20], None),
        ("usps", 3, USPS, [28, 26, 25, 19, 15], OverfittingWarning),
        ("musk2", 1, MUSK, [121, 103, 82, 67, 51, 36, 25], None),
        ("musk2", 2, MUSK, [50, 44, 37, 31, 26, 19, 15], None),
        ("musk2", 3, MUSK, [26, 24, 22, 20, 18, 14, 12], None),
        ("musk2", 4, MUSK, [19, 18, 17, 16, 15, 13, 11], OverfittingWarning),
    ],
)
def test_gfr_on_standardized_features(data, degree, thresholds, expected, warning):
    X = StandardScaler().fit_transform(load(data))
    gfr = fit(GFR(threshold=min(thresholds), degree=degree, alpha=0), X, warning)
    assert counts(gfr, thresholds) == expected
    assert gfr.n_components_ == expected[0]
    assert np.all(np.diff(gfr.residual_variance_) <= 0)


def test_gfr_stops_when_its_functions_span_all_samples():
    # The paper's own scripts do not stop: 14 variables have 1,470 functions of degree 4, and
    # COIL-20 has 1,440 rows. The constant is one of the 1,440 functions that fit.
    X = StandardScaler().fit_transform(load("coil20"))
    gfr = fit(GFR(threshold=0.01, degree=4, alpha=0), X, SaturationWarning)
    assert gfr.stop_reason_ == "saturated"
    assert gfr.n_functions_.sum() == 1439
    assert (gfr.n_functions_ + gfr.n_dropped_functions_).sum() == Multilinear(4).count(14) == 1470
    assert gfr.residual_variance_[-1] == gfr.total_residual_variance_[-1] == 0


@pytest.mark.parametrize(
    ("degree", "expected"), [(1, [13, 9, 6]), (2, [9, 7, 5]), (3, [8, 7, 5]), (4, [8, 6, 5])]
)
def test_gfr_on_credit_approval(degree, expected):
    X = StandardScaler().fit_transform(load_credit())
    gfr = GFR(threshold=min(CREDIT), degree=degree, alpha=0).fit(X)
    assert counts(gfr, CREDIT) == expected


@pytest.mark.parametrize(
    ("data", "degree", "thresholds", "expected"),
    [
        ("usps", 1, USPS_GFS, [86, 66, 49, 41, 36, 30]),
        ("usps", 2, USPS_GFS, [40, 32, 26, 22, 19, 17]),
        ("usps", 3, USPS_GFS, [24, 21, 19, 17, 16, 13]),
        ("coil20", 1, COIL20_GFS, [92, 73, 60, 49, 40]),
        ("coil20", 2, COIL20_GFS, [23, 21, 18, 16, 15]),
        ("coil20", 3, COIL20_GFS, [13, 12, 12, 11, 10]),
        ("coil20", 4, COIL20_GFS, [11, 10, 10, 9, 9]),
    ],
)
def test_gfs_on_features_between_0_and_1(data, degree, thresholds, expected):
    X = load(data)
    if data == "usps":  # stored in [-1, 1]
        X = (X + 1) / 2
    gfs = GFS(threshold=min(thresholds), degree=degree, alpha=0, criterion="variance").fit(X)
    assert counts(gfs, thresholds) == expected
    assert len(gfs.selected_features_) == expected[0]


def planted(rng, n_samples, n_features, n_independent, degree):
    """Return normal columns and multiples of their products, shuffled, and where the former are.

    As the paper's text has it: the columns' variances are Unif(0, n). A multiple is such that in
    the sample its variance is 0.85 times the smallest of its factors', so that it is the least
    variant of the variables in its redundancy.
    """
    deviations = np.sqrt(rng.uniform(0, n_independent, n_independent))
    independent = deviations * rng.standard_normal((n_samples, n_independent))
    columns = list(independent.T)
    for _ in range(n_features - n_independent):
        factors = independent[:, rng.choice(n_independent, degree, replace=False)]
        product = factors.prod(axis=1)
        columns.append(np.sqrt(0.85 * factors.var(axis=0).min() / product.var()) * product)
    order = rng.permutation(n_features)
    return np.column_stack(columns)[:, order], np.flatnonzero(order < n_independent)


@pytest.mark.parametrize(
    ("degree", "n_samples", "warning"), [(2, 500, None), (3, 600, OverfittingWarning)]
)
@pytest.mark.parametrize("seed", range(10))
def test_gfa_finds_exactly_the_independent_features(degree, n_samples, warning, seed):
    X, independent = planted(np.random.default_rng(seed), n_samples, 30, 15, degree)
    gfa = fit(GFA(threshold=1e-4, degree=degree, backward=False, alpha=0), X, warning)
    np.testing.assert_array_equal(gfa.get_support(indices=True), independent)
    assert gfa.stop_reason_ == "threshold"


@pytest.mark.parametrize("seed", range(3))
def test_gfa_lacks_samples_for_degree_3_at_400(seed):
    # 14 of the 15 variables have 469 functions; the fit saturates before the last variable.
    X, independent = planted(np.random.default_rng(seed), 400, 30, 15, 3)
    gfa = fit(GFA(threshold=1e-4, degree=3, backward=False, alpha=0), X, SaturationWarning)
    assert len(gfa.selected_features_) == len(independent) - 1
    assert gfa.stop_reason_ == "saturated"
