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


def opened(kind, scaling, **options):
    if kind == "array":
        return centre(X, None, scaling)[0]
    if kind == "Dask":
        data = da.from_array(X, chunks=(700, 8))
        return open_dask(data, None, scaling, memory_budget=BUDGET, **options)[0]
    source = as_source(AgainAndAgain(X))
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


@pytest.mark.parametrize("kind", ["array", "stream", "Dask"])
def test_rotated_rows_have_the_covariance_of_the_new_coordinates(kind):
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0][:3]
    rows, deviations = opened(kind, "column").rotate(basis)
    z = (X - X.mean(axis=0)) / X.std(axis=0) @ basis.T
    np.testing.assert_allclose(deviations, z.std(axis=0))
    np.testing.assert_allclose(np.tril(rows.covariance()), np.tril(np.corrcoef(z.T)), atol=1e-12)
