"""The covariance of columns, for all kinds of rows."""

import dask.array as da
import numpy as np
import pytest
from source_cases import BUDGET, AgainAndAgain, X

from gramian.core.rows import as_source, centre, open_dask, open_stream

EXPECTED = {
    "column": np.tril(np.corrcoef(X.T)),
    "table": np.tril(np.cov(X.T, bias=True)) / X.var(axis=0).max(),
}


def opened(kind, scaling, table=X, **options):
    if kind == "array":
        return centre(table, None, scaling)[0]
    if kind == "Dask":
        data = da.from_array(table, chunks=(700, -1))
        return open_dask(data, None, scaling, memory_budget=BUDGET, **options)[0]
    source = as_source(AgainAndAgain(table))
    return open_stream(source, scaling, memory_budget=BUDGET, **options)[0]


@pytest.mark.parametrize("scaling", EXPECTED)
@pytest.mark.parametrize("kind", ["array", "stream", "Dask"])
def test_every_kind_of_rows_has_a_covariance(kind, scaling):
    for options in [{}] if kind == "array" else [{}, {"covariance": True}, {"covariance": False}]:
        rows = opened(kind, scaling, **options)
        np.testing.assert_allclose(np.tril(rows.covariance()), EXPECTED[scaling], atol=1e-12)
        assert rows.covariance().flags.f_contiguous


@pytest.mark.parametrize(("asked", "n_passes"), [(True, 1), (None, 2), (False, 2)])
def test_a_covariance_requested_at_opening_needs_no_extra_pass(asked, n_passes):
    data = AgainAndAgain(X)
    rows, _, _ = open_stream(as_source(data), "column", memory_budget=BUDGET, covariance=asked)
    rows.covariance()
    assert data.n_passes == n_passes


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["array", "stream", "Dask"])
def test_a_direction_is_constant_if_only_rounding_errors_vary_along_it(kind, seed):
    rng = np.random.default_rng(seed)
    table = rng.poisson(0.1, (4000, 4)) * rng.uniform(0.5, 2, 4)
    table = np.column_stack([table, table[:, 0] + 2 * table[:, 2]])
    null = np.array([1.0, 0, 2, 0, -1]) * table.std(axis=0)  # for columns of variance 1
    basis = np.array([[0.0, 1, 0, 0, 0], null / np.linalg.norm(null)])
    deviations = opened(kind, "column", table).rotate(basis)[1]
    assert deviations[0] == pytest.approx(1)
    assert deviations[1] == 0


@pytest.mark.parametrize("kind", ["array", "stream", "Dask"])
def test_a_small_column_beside_a_large_one_is_not_constant(kind):
    table = X[:, :2] * [1e6, 0.1]
    deviations = opened(kind, "table", table).rotate(np.eye(2))[1]
    np.testing.assert_allclose(deviations[1] / deviations[0], np.divide(*table.std(axis=0)[::-1]))


@pytest.mark.parametrize("kind", ["array", "stream", "Dask"])
def test_rotated_rows_have_the_covariance_of_the_new_coordinates(kind):
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0][:3]
    rows, deviations = opened(kind, "column").rotate(basis)
    z = (X - X.mean(axis=0)) / X.std(axis=0) @ basis.T
    np.testing.assert_allclose(deviations, z.std(axis=0))
    np.testing.assert_allclose(np.tril(rows.covariance()), np.tril(np.corrcoef(z.T)), atol=1e-12)
