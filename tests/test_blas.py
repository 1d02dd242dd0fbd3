"""Matrix products in pieces equal products in one piece."""

import numpy as np
import pytest

from gramian import GFS
from gramian._support import blas as _blas
from gramian.exceptions import SaturationWarning
from gramian.families import Fourier


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 20, 24])
def test_triangles_in_tiles_equal_triangles_in_one_piece(monkeypatch, n, order):
    monkeypatch.setattr(_blas, "MAX_SIDE", 8)
    x = np.asarray(np.random.default_rng(n).standard_normal((5, n)), order=order)
    found = _blas.second_moments(x)
    np.testing.assert_allclose(found, np.tril(x.T @ x), atol=1e-13)
    assert found.flags.f_contiguous
    _blas.subtract_second_moments(found, x)
    np.testing.assert_allclose(found, 0, atol=1e-13)


def test_no_triangle_exceeds_the_size_limit(monkeypatch):
    monkeypatch.setattr(_blas, "MAX_SIDE", 8)
    sizes = []
    dsyrk = _blas.blas.dsyrk

    def recorded(*args, **kwargs):
        out = dsyrk(*args, **kwargs)
        sizes.append(len(out))
        return out

    monkeypatch.setattr(_blas.blas, "dsyrk", recorded)
    for n in (4, 8, 30):
        _blas.subtract_second_moments(_blas.second_moments(np.ones((3, n))), np.ones((2, n)))
    assert sizes == [4, 4, 8, 8]


@pytest.mark.parametrize("solver", ["qr", "gram"])
def test_more_functions_than_rows_need_no_square_matrix_of_functions(monkeypatch, solver):
    x = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    largest = []
    zeros = np.zeros

    def recorded(shape, *args, **kwargs):
        largest.append(np.prod(shape))
        return zeros(shape, *args, **kwargs)

    monkeypatch.setattr(np, "zeros", recorded)
    dsyrk = _blas.blas.dsyrk

    def triangle(*args, **kwargs):
        out = dsyrk(*args, **kwargs)
        largest.append(out.size)
        return out

    monkeypatch.setattr(_blas.blas, "dsyrk", triangle)
    with pytest.warns(SaturationWarning):
        fitted = GFS(
            1, family=Fourier(1500, max_variables=1), solver=solver, alpha=0, criterion="variance"
        ).fit(x)
    assert fitted.n_functions_[0] == 59
    assert max(largest) < 2001 * 2001
