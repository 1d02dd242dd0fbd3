"""Sparse matrices: the fit of the dense table, without a dense copy."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from support import STEPWISE
from support import make as make_plain

import gramian.core.rows._sparse as sparse_rows
from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import Indicator

pytestmark = pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")
N_ROWS, N_COLUMNS, STEPS = 300, 40, 5


def hard_table() -> sp.csr_array:
    """Return columns with zeros, without zeros, far from zero, constant, empty and redundant."""
    rng = np.random.default_rng(0)
    x = np.where(rng.random((N_ROWS, N_COLUMNS)) < 0.15, rng.exponential(size=(N_ROWS, 1)), 0.0)
    x *= np.linspace(3, 1, N_COLUMNS)
    x[:, 3] = 1e6 + 2 * rng.standard_normal(N_ROWS)
    x[:, 4] = 0.0
    x[:, 5] = 7.0
    x[:, 6] = np.where(np.arange(N_ROWS) % 20, 10.0, 0.0)
    x[:, 7] = 0.3 * x[:, 0] * x[:, 1]
    return sp.csr_array(x)


def random_matrix(shape: tuple[int, int], density: float, rng: np.random.Generator) -> sp.csr_array:
    """Return a matrix with a share of entries between 0 and 1; the others are zero."""
    n = round(density * shape[0] * shape[1])
    cells = rng.choice(shape[0] * shape[1], n, replace=False)
    return sp.csr_array((rng.random(n), np.divmod(cells, shape[1])), shape=shape)


def make(estimator: type, count: float | None = None, **params: Any) -> Any:
    """Make an estimator that is the published algorithm."""
    if estimator in (GCA, GFA):
        params.setdefault("backward", False)
    return make_plain(estimator, count, **params)


WEIGHTS = np.random.default_rng(1).integers(0, 3, N_ROWS).astype(float)
FITTED = [
    "mean_",
    "total_residual_variance_",
    "residual_variance_",
    "validation_residual_variance_",
    "validation_total_residual_variance_",
    "alpha_path_",
    "n_functions_",
    "components_",
    "selected_features_",
    "redundant_features_",
    "component_indices_",
    "redundant_indices_",
]


def operators() -> Any:
    """Make the covariance of any number of columns an operator."""
    return mock.patch.object(sparse_rows, "MATRIX_COLUMNS", 10)


def assert_same(sparse: Any, dense: Any, X: sp.csr_array) -> None:
    """Check that two fits, their transforms and their scores are equal."""
    for name in FITTED:
        assert hasattr(sparse, name) == hasattr(dense, name)
        if hasattr(dense, name):
            expected = getattr(dense, name)
            size = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
            assert_allclose(getattr(sparse, name), expected, rtol=1e-8, atol=1e-9 * size)
    table = X.toarray()
    z, expected = sparse.transform(X), dense.transform(table)
    z = z.toarray() if sp.issparse(z) else z
    assert_allclose(z, expected, atol=1e-8)
    assert_allclose(sparse.inverse_transform(z), dense.inverse_transform(expected), atol=1e-7)
    assert_allclose(sparse.score(X), dense.score(table), atol=1e-10)
    assert_allclose(
        sparse.reconstruction_error(X), dense.reconstruction_error(table), rtol=1e-7, atol=1e-8
    )


@pytest.mark.parametrize("estimator", STEPWISE)
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"scale": True, "solver": "gram"},
        {"degree": 3, "solver": "moments"},
        {"degree": 1},
        {"validation_fraction": 0.2, "early_stopping": True},
        {"alpha": "auto", "scale": True},
    ],
    ids=str,
)
def test_a_sparse_fit_equals_the_dense_fit(estimator, params):
    X = hard_table()
    dense = make(estimator, STEPS, **params).fit(X.toarray(), sample_weight=WEIGHTS)
    with operators():
        sparse = make(estimator, STEPS, **params).fit(X, sample_weight=WEIGHTS)
    assert_same(sparse, dense, X)


@pytest.mark.parametrize("estimator", STEPWISE)
def test_a_sparse_fit_equals_the_dense_fit_with_more_columns_than_rows(estimator):
    X = random_matrix((30, 200), 0.2, np.random.default_rng(2))
    dense = make(estimator, 2).fit(X.toarray())
    with operators():
        sparse = make(estimator, 2).fit(X)
    assert_same(sparse, dense, X)
    if estimator is GCA:
        assert sparse.basis_.shape == dense.basis_.shape


@pytest.mark.parametrize(
    "form", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix, sp.coo_array]
)
def test_all_forms_of_sparse_matrices_give_equal_fits(form):
    X = hard_table()
    expected = GFR(2).fit(X)
    given = form(X)
    assert_allclose(GFR(2).fit(given).components_, expected.components_, atol=1e-12)
    assert (given != form(X)).nnz == 0


def test_repeated_entries_are_added_and_the_matrix_is_not_changed():
    X = hard_table().tocoo()
    twice = sp.coo_array(
        (np.tile(X.data / 2, 2), (np.tile(X.row, 2), np.tile(X.col, 2))), shape=X.shape
    )
    indptr = np.append(0, np.cumsum(np.bincount(twice.row, minlength=N_ROWS)))
    order = np.argsort(twice.row, kind="stable")
    raw = sp.csr_array((twice.data[order], twice.col[order], indptr), shape=X.shape)
    n_stored = raw.nnz
    fitted = GFS(STEPS, criterion="variance").fit(raw)
    assert raw.nnz == n_stored
    assert_same(fitted, GFS(STEPS, criterion="variance").fit(X.toarray()), X.tocsr())


def test_columns_of_sparse_matrices_have_levels():
    rng = np.random.default_rng(3)
    x = np.where(rng.random((N_ROWS, 6)) < 0.4, rng.integers(1, 3, (N_ROWS, 6)), 0).astype(float)
    dense = GFS(2, family=Indicator(), degree=None, criterion="variance").fit(x)
    sparse = GFS(2, family=Indicator(), degree=None, criterion="variance").fit(sp.csr_array(x))
    assert_same(sparse, dense, sp.csr_array(x))


def test_held_out_rows_may_be_sparse_or_not():
    X = hard_table()
    train, test = X[:200], X[200:]
    expected = GFR(3).fit(train.toarray(), validation_data=test.toarray())
    for data in (test, (test, None), test.toarray(), (test, np.ones(100))):
        found = GFR(3).fit(train, validation_data=data)
        assert_allclose(
            found.validation_residual_variance_, expected.validation_residual_variance_, rtol=1e-8
        )


def test_backward_elimination_uses_dense_blocks_of_rows():
    rng = np.random.default_rng(4)
    x = np.where(rng.random((N_ROWS, 4)) < 0.5, rng.standard_normal((N_ROWS, 4)), 0.0)
    x = np.column_stack([x, x[:, 0] * x[:, 1]])
    dense = GFA(threshold=1e-3, backward=True, family="multilinear", laws=False).fit(x)
    sparse = GFA(threshold=1e-3, backward=True, family="multilinear", laws=False).fit(
        sp.csc_array(x)
    )
    assert_array_equal(sparse.redundant_features_, dense.redundant_features_)
    assert len(sparse.redundant_features_)


@pytest.mark.parametrize(
    "estimator", [GFR(2), GCA(), GFS(3), GFA(family="multilinear", laws=False)], ids=repr
)
def test_fractional_weights_give_equal_sparse_and_dense_fits_by_default(estimator):
    rng = np.random.default_rng(7)
    x = np.where(rng.random((N_ROWS, 5)) < 0.5, rng.standard_normal((N_ROWS, 5)), 0.0)
    x = np.column_stack([x, x[:, 0] * x[:, 1]])
    weights = rng.exponential(size=N_ROWS)
    dense = clone(estimator).fit(x, sample_weight=weights)
    assert_same(
        clone(estimator).fit(sp.csr_array(x), sample_weight=weights), dense, sp.csr_array(x)
    )
    assert not np.allclose(clone(estimator).fit(x).mean_, dense.mean_)  # weights have an effect


def test_backward_elimination_of_too_many_columns_is_refused():
    X = random_matrix((50, 100_000), 1e-4, np.random.default_rng(6))
    with pytest.raises(ValueError, match=r"100,000 columns.*backward=False"):
        GFA(family="multilinear", laws=False).fit(X)


def test_sparse_and_dense_rows_share_a_checkpoint(tmp_path):
    X = hard_table()
    sparse = GFS(3, checkpoint=tmp_path / "sums", criterion="variance").fit(
        X, sample_weight=WEIGHTS
    )
    dense = GFS(3, checkpoint=tmp_path / "sums", criterion="variance").fit(
        X.toarray(), sample_weight=WEIGHTS
    )
    assert_array_equal(sparse.selected_features_, dense.selected_features_)
    X.data[5] += 1.0
    with pytest.raises(ValueError, match=r"checksum|mean"):
        GFS(3, checkpoint=tmp_path / "sums", criterion="variance").fit(X, sample_weight=WEIGHTS)


def test_path_and_stability_take_sparse_matrices():
    X = hard_table()
    best = GFS(2, criterion="variance").path(X, degrees=[1, 2]).best()
    assert (
        best.family_
        == GFS(2, criterion="variance").path(X.toarray(), degrees=[1, 2]).best().family_
    )
    found = GFS(2, criterion="variance").fit(X).stability(X, n_resamples=3)
    expected = GFS(2, criterion="variance").fit(X.toarray()).stability(X.toarray(), n_resamples=3)
    assert_array_equal(found.frequency, expected.frequency)


def test_a_selection_of_a_sparse_matrix_is_sparse():
    X = hard_table()
    selected = GFS(3, criterion="variance").fit(X).transform(X)
    assert sp.issparse(selected)
    assert selected.shape == (N_ROWS, 3)


def test_float32_stays_float32():
    X = hard_table()
    X.data[X.indices == 3] -= 1e6
    fitted = GFR(2).fit(X)
    single = fitted.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, fitted.transform(X), atol=1e-2)


@pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")
def test_no_matrix_of_columns_by_columns_exists():
    """With 20,000 columns such a matrix would take 3.2 GB."""
    rng = np.random.default_rng(5)
    X = random_matrix((200, 20_000), 0.005, rng)
    factors = sp.csr_array(np.linspace(9, 5, 3) * rng.choice([-1, 0, 1], (200, 3)))
    X += factors @ random_matrix((3, 20_000), 0.005, rng)
    with mock.patch.object(sparse_rows.SparseBlock, "x", property(None)):
        fitted = GFR(2, alpha=0.0).fit(X)
    table = X.toarray() - X.mean(axis=0)
    top = np.linalg.eigh(table @ table.T)[1][:, -1] @ table
    assert_allclose(abs(fitted.components_[0] @ top) / np.linalg.norm(top), 1.0, atol=1e-9)


def test_methods_that_need_dense_rows_refuse_sparse_ones():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        UFFS(2, degree=2).fit(hard_table())


def test_the_cost_of_a_sparse_fit_has_no_matrix_of_columns_by_columns():
    X = sp.csr_array((11_000, 100_000))
    cost = GFR(20).estimate_cost(X)
    assert cost.n_functions == 211
    assert cost.memory < 2e9
