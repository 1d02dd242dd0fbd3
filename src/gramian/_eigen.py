"""The leading eigenvector of a residual covariance, step after step."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, eigsh

from gramian._types import Array

DENSE_BELOW = 300
"""Below this size a direct method is faster than iterations."""


class LeadingEigenvector:
    """Finds the top eigenpair of a sequence of slowly changing symmetric matrices.

    Iterations start from the last step's vectors and run until rounding error; where they do not
    converge, a direct method takes over. The result is the same either way.
    """

    def __init__(self) -> None:
        self._start: Array | None = None

    def __call__(self, matrix: Array) -> tuple[float, Array]:
        """Return the largest eigenvalue and its unit vector, of either sign."""
        d = len(matrix)
        if d >= DENSE_BELOW and matrix.any():
            try:
                return self._iterate(matrix)
            except ArpackError:
                self._start = None
        values, vectors = eigh(matrix, subset_by_index=[d - 1, d - 1], check_finite=False)
        return float(values[0]), vectors[:, 0]

    def _iterate(self, matrix: Array) -> tuple[float, Array]:
        # A little of everything in the start, lest it be orthogonal to what it looks for.
        start = 1e-3 * np.random.default_rng(0).standard_normal(len(matrix))
        if self._start is not None:
            start += self._start
        values, vectors = eigsh(matrix, k=2, which="LA", v0=start, tol=0)
        top = int(np.argmax(values))
        # The runner-up is likely to lead the next step.
        self._start = vectors[:, 1 - top]
        return float(values[top]), vectors[:, top]


def orient(vector: Array, *, like: Array | None = None) -> Array:
    """Give a direction the sign that makes its largest entry positive; of equals, the first.

    Parameters
    ----------
    vector : array
        The direction.
    like : array, optional
        Decide by the entries of this vector instead.
    """
    deciding = vector if like is None else like
    size = np.abs(deciding)
    first = np.argmax(size >= (1 - 1e-6) * size.max())
    return -vector if deciding[first] < 0 else vector
