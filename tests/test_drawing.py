"""Random samples of rows from a table in pieces."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gramian.core.rows import draw


def drawn(sizes, most, seed=0):
    """Draw from the numbers 0, 1, ... in pieces of the given sizes."""
    ends = np.cumsum(sizes)
    pieces = (np.arange(end - size, end) for size, end in zip(sizes, ends, strict=True))
    return draw(pieces, most, seed, lambda piece, mask: piece[mask], np.concatenate)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(1, 50))
def test_the_sample_does_not_depend_on_the_pieces(sizes, most):
    rows, n_rows = drawn(sizes, most)
    assert n_rows == sum(sizes)
    keys = np.random.default_rng(0).random(n_rows)
    assert rows.tolist() == np.sort(np.argsort(keys)[:most]).tolist()


def test_all_rows_are_equally_likely():
    often = np.zeros(30)
    for seed in range(2000):
        rows, _ = drawn([7, 3, 20], 10, seed)
        often[rows] += 1
    assert np.abs(often / 2000 - 1 / 3).max() < 0.05
