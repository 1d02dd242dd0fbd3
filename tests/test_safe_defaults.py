"""Default parameters: on new rows, fits are not worse than PCA or the mean."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from gramian import GCA, GFA, GFR, GFS
from gramian.exceptions import UnitsWarning

NOISE = 0.05
"""Tolerance: difference between two equally good fits on one split of a small table."""
LITTLE = 1e-3
"""Share of the variance that a few held-out rows cannot distinguish from zero."""


def lognormal(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return np.exp(rng.standard_normal((n, 3)) @ rng.standard_normal((3, d)) / 2)


def patches():
    image = np.add.outer(np.sin(np.arange(90) / 7) * 9, np.cos(np.arange(120) / 5) * 7)
    image += np.random.default_rng(0).standard_normal(image.shape)
    blocks = np.lib.stride_tricks.sliding_window_view(image, (6, 6))[::6, ::6]
    return blocks.reshape(-1, 36)


TABLES = {
    "iris": lambda: datasets.load_iris().data,
    "wine": lambda: datasets.load_wine().data,
    "breast cancer": lambda: datasets.load_breast_cancer().data,
    "digits": lambda: datasets.load_digits().data,
    "diabetes": lambda: datasets.load_diabetes().data,
    "linnerud": lambda: np.hstack(datasets.load_linnerud(return_X_y=True)),
    "swiss roll": lambda: datasets.make_swiss_roll(800, noise=0.1, random_state=0)[0],
    "patches": patches,
    "lognormal": lambda: lognormal(400, 12),
    "lognormal, few rows": lambda: lognormal(60, 25),
}

SMALL = [name for name in TABLES if name not in ("digits", "breast cancer", "patches")]


def split(name):
    table = TABLES[name]()
    fitted, new = train_test_split(table, test_size=0.25, random_state=0)
    deviations = fitted.std(axis=0)
    varies = deviations > 0
    return fitted[:, varies] / deviations[varies], new[:, varies] / deviations[varies]


def left_by_pca(fitted, new, n):
    pca = PCA(n).fit(fitted)
    rest = new - pca.inverse_transform(pca.transform(new))
    return np.sum(rest**2) / np.sum((new - fitted.mean(axis=0)) ** 2)


@pytest.mark.parametrize("name", TABLES)
def test_gfr_is_never_worse_than_pca_or_the_mean(name):
    fitted, new = split(name)
    for n in (1, 3, 10, 20):
        if n < min(fitted.shape):
            left = 1 - GFR(n).fit(fitted).score(new)
            assert left <= (1 + NOISE) * left_by_pca(fitted, new, n) + LITTLE, n
            assert left <= 1 + NOISE, n


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("estimator", [GFS, GFA, GCA])
def test_gca_gfs_and_gfa_are_never_worse_than_the_mean(name, estimator):
    fitted, new = split(name)
    asked = {"n_features_to_select": 4} if estimator is GFS and fitted.shape[1] > 4 else {}
    assert 1 - estimator(**asked).fit(fitted).score(new) <= 1 + NOISE


@pytest.mark.parametrize("estimator", [GFR, GFS])
def test_the_default_is_least_squares_if_functions_are_few(estimator):
    X = np.random.default_rng(0).standard_normal((1000, 6))
    X = np.column_stack([X, X[:, 0] * X[:, 1]])
    default, published = estimator(4).fit(X), estimator(4, alpha=0).fit(X)
    assert default.alpha_ == 0
    assert default.solver_ == published.solver_
    assert default.n_samples_ == published.n_samples_
    np.testing.assert_array_equal(default.transform(X), published.transform(X))
    np.testing.assert_array_equal(
        default.total_residual_variance_, published.total_residual_variance_
    )


def test_one_outlying_row_leads_to_shrinkage():
    X = np.random.default_rng(0).standard_normal((500, 6))
    X[0] *= 1e3
    assert GFR(3).fit(X[1:]).alpha_ == 0
    assert GFR(3, robust=False).fit(X).alpha_ > 0


def test_the_leave_one_out_error_equals_that_of_explicit_fits():
    """Reference: explicit fits without each row, with given directions."""
    from gramian.fitting._checked_data import Preparation
    from gramian.fitting._input_checks import check_data
    from gramian.fitting._left_out import LeftOut

    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4))
    X[:, 3] = X[:, 0] * X[:, 1] + 0.1 * X[:, 3]
    fit = GFS(2, alpha=0, threshold=None).fit(X)
    problem = check_data(fit, X, None).problem(Preparation("column"), None)
    gram = fit.model_.decoder.moments[0]
    norms = np.sqrt(gram.diagonal())
    factor = np.linalg.cholesky(gram / np.outer(norms, norms))
    work = LeftOut(fit.model_, problem.centring.scale, norms, factor, 1)
    ((left, predicted, size),) = problem.rows.sum(work)

    z = X[:, fit.selected_features_]
    functions = np.column_stack([np.ones(len(X)), z, z[:, 0] * z[:, 1]])
    whole = functions @ np.linalg.lstsq(functions, X, rcond=None)[0]
    rest = np.empty_like(X)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        rest[i] = X[i] - functions[i] @ np.linalg.lstsq(functions[others], X[others], rcond=None)[0]
    np.testing.assert_allclose(left, np.mean((X - whole) ** 2) * 4, rtol=1e-9)
    np.testing.assert_allclose(predicted, np.mean(rest**2) * 4, rtol=1e-9)
    np.testing.assert_allclose(size, X.var(axis=0).sum(), rtol=1e-9)


def test_files_and_dask_choose_the_penalty_of_arrays(tmp_path):
    array = pytest.importorskip("dask.array")
    X = np.random.default_rng(0).standard_normal((600, 5))
    X = np.column_stack([X, X[:, 0] * X[:, 1]])
    whole = GFR(3, solver="gram").fit(X)
    blocks = GFR(3, memory_budget=2**20).fit(lambda: iter([X[:250], X[250:]]))
    parts = GFR(3).fit(array.from_array(X, chunks=(200, 6)))
    for fit in (blocks, parts):
        assert fit.alpha_ == whole.alpha_ == 0
        np.testing.assert_allclose(fit.components_, whole.components_, atol=1e-9)


@pytest.mark.parametrize("estimator", [GFR, GFS])
def test_a_dominant_unit_gives_a_warning(estimator):
    X = datasets.load_breast_cancer(as_frame=True).data
    with pytest.warns(UnitsWarning, match=r"'worst area' is .* Use scale=True"):
        estimator(3).fit(X)
    estimator(3, scale=True).fit(X)
    estimator(3).fit(X / X.std())
