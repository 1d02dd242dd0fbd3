"""Solver for the eigenvector of largest eigenvalue of a residual covariance, step after step."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from gramian._support.types import Array
from gramian.core.rows import ResidualCovariance

CONVERGED = 1e-13
"""Error ‖Σv - λv‖ / λ below which v counts as an eigenvector."""


class LeadingEigenvector:
    """Solver for the top eigenpairs of a sequence of matrices Σ_1, Σ_2, ...

    Each matrix is its predecessor minus a positive semidefinite matrix that removes the top
    eigenvector. So no eigenvalue exceeds the second eigenvalue of the predecessor, and a second
    eigenvector that is still an eigenvector with an equal eigenvalue is now the top eigenvector.
    With a linear family this always holds, and a few decompositions serve all steps. With other
    families this fails in the first step, and from then on only the top pair is computed: by
    iterations until rounding error or, if iterations are slower or do not converge, by a direct
    method.
    """

    def __init__(self) -> None:
        self._next: list[tuple[float, Array]] = []
        """Other eigenpairs of the last matrix that was decomposed, the smallest first."""
        self._n_pairs = 2

    def __call__(self, matrix: ResidualCovariance) -> tuple[float, Array]:
        """Return the largest eigenvalue and an eigenvector of length 1, whose sign is arbitrary."""
        start = None
        if matrix.trace <= 0:  # no variance is left
            self._next = []
            return 0.0, np.eye(1, matrix.size)[0]
        if self._next:
            value, start = self._next.pop()
            error = matrix.times(start) - value * start
            if np.linalg.norm(error) <= CONVERGED * value:
                if not self._next:
                    self._n_pairs *= 4
                return value, start
            self._n_pairs = 1
        values, vectors = self._decompose(matrix, start)
        *self._next, top = zip(values.tolist(), vectors.T, strict=True)
        return top

    def _decompose(self, matrix: ResidualCovariance, start: Array | None) -> tuple[Array, Array]:
        """Return the largest eigenvalues in increasing order, and their vectors as columns.

        `start` is the vector with which the iterations begin, or None.
        """
        d = matrix.size
        k, iterate = matrix.pairs(self._n_pairs)
        if iterate:
            # Noise keeps the start from being orthogonal to the eigenvector.
            v0 = 1e-3 * np.random.default_rng(0).standard_normal(d)
            if start is not None:
                v0 += start
            operator = LinearOperator((d, d), matvec=matrix.times, dtype=np.float64)
            try:
                values, vectors = eigsh(operator, k=k, which="LA", v0=v0, tol=CONVERGED)
            except ArpackError:
                pass  # use the direct method, which is slower and does not fail
            else:
                order = np.argsort(values)
                return values[order], vectors[:, order]
        direct: tuple[Array, Array] = eigh(
            matrix.lower(), subset_by_index=[d - k, d - 1], check_finite=False
        )
        return direct


def orient(vector: Array, *, like: Array | None = None) -> Array:
    """Return a direction or its negative, so that its entry of largest absolute value is positive.

    If several entries are equally large, the first of them decides.

    Parameters
    ----------
    vector : array
        The direction.
    like : array, optional
        A vector whose entries decide in place of the entries of `vector`.
    """
    deciding = vector if like is None else like
    size = np.abs(deciding)
    first = np.argmax(size >= (1 - 1e-6) * size.max())
    return -vector if deciding[first] < 0 else vector
