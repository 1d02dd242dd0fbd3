"""Growing triangles and threaded work on them, compared with plain matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property, seeds

from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._orthogonalizer import Extension
from gramian.core.orthogonalize._triangle import MERGE_BELOW, BlockTriangle, split, subtract_square

workers = pytest.mark.parametrize("n_workers", [1, 2, 3, 7])


def lower_triangle(rng, n):
    """Return a well-conditioned lower triangle."""
    return np.tril(rng.standard_normal((n, n)) / np.sqrt(n), -1) + np.diag(rng.uniform(1, 2, n))


@a_property
@given(seeds, st.lists(st.integers(0, 2 * MERGE_BELOW), max_size=5))
def test_a_triangle_grown_by_blocks_equals_the_whole_one(seed, sizes):
    rng = np.random.default_rng(seed)
    whole = lower_triangle(rng, 1 + sum(sizes))
    grown, n = BlockTriangle(whole[:1, :1].copy()), 1
    for size in sizes:
        rows = slice(n, n + size)
        grown.append(whole[rows, :n].copy(), whole[rows, rows].copy())
        n += size
    np.testing.assert_array_equal(grown.dense(), whole)
    b = rng.standard_normal((n, 3))
    solved, transposed = b.copy(), b.copy()
    grown.solve(solved)
    grown.solve_transposed(transposed)
    np.testing.assert_allclose(whole @ solved, b, rtol=0, atol=1e-9)
    np.testing.assert_allclose(whole.T @ transposed, b, rtol=0, atol=1e-9)


@workers
@pytest.mark.parametrize("length", [0, 1, 2, 6, 7, 100])
def test_parts_cover_the_range_and_have_nearly_equal_length(length, n_workers):
    parts = split(length, n_workers)
    numbers = [i for part in parts for i in range(length)[part]]
    assert len(parts) == n_workers
    assert numbers == list(range(length))
    lengths = [part.stop - part.start for part in parts]
    assert max(lengths) - min(lengths) <= 1


@workers
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_several_threads_subtract_the_same_square_as_one(n, n_workers):
    rng = np.random.default_rng(n)
    a, w = rng.standard_normal((n, n)), rng.standard_normal((n, 4))
    found = a.copy()
    subtract_square(found, w, n_workers)
    np.testing.assert_allclose(np.tril(found), np.tril(a - w @ w.T), rtol=0, atol=1e-13)


@workers
def test_several_threads_give_the_same_projection_as_one(n_workers):
    rng = np.random.default_rng(0)
    lower, coefficients = lower_triangle(rng, 6), rng.standard_normal((5, 3))
    factor = Factor(3)
    lower[0, 0] = 1.0  # the constant
    extension = Extension(np.arange(5), lower[1:, :1].copy(), lower[1:, 1:].copy(), coefficients)
    factor.append(extension, np.array([5, 4, 1, 3, 2]))
    gram, with_x = rng.standard_normal((9, 8)), rng.standard_normal((9, 3))
    left = with_x.copy()
    found = factor.project(gram, left, n_workers)
    expected = np.linalg.solve(lower, gram[:, [0, 5, 4, 1, 3, 2]].T).T
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(left, with_x - expected[:, 1:] @ coefficients, rtol=0, atol=1e-12)
