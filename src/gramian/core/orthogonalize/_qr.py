"""Algorithm 1 for function values in memory: block Gram-Schmidt with a second pass."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, qr

from gramian._support.blas import add_product, second_moments, solve_lower, times
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import NOISE
from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._orthogonalizer import RANK_TOLERANCE, Added, Extension
from gramian.core.orthogonalize._triangle import PREFERRED, cholesky_columns
from gramian.core.rows import MemoryRows
from gramian.core.sums import Direction, GrowingRows, Step, check_finite, distinct_levels
from gramian.families import Block, Family

LEAST_PIVOT = 1e-4
"""Smallest squared pivot for which a block is orthogonalized by Cholesky's method, which is fast;
with smaller pivots it would lose digits, and a pivoted QR decomposition is used."""


class QR:
    """Orthogonalizer for tables in memory: block classical Gram-Schmidt with a second pass.

    It stores the values of the orthonormal functions, one row per function. The loss of
    orthogonality stays near machine precision, even if functions are nearly linearly dependent:
    functions that are too close to a linear combination of others are dropped, and all other
    functions are orthogonalized twice.
    """

    name = "qr"
    noise = NOISE
    """Residual variances below this share of the original variance are rounding errors."""

    def __init__(self, rows: MemoryRows, family: Family) -> None:
        self._rows = rows.whole
        self._expansion = family.expand()
        self._z: list[Array] = []
        # The constant function, times the square roots of the weights, has norm one.
        self._store = GrowingRows(rows.root)
        self._q = GrowingRows(rows.root)
        self._directions: list[Direction] = []
        self.steps: list[Step] = []
        self.factors = [Factor(rows.n_columns)]
        self.use = 0
        self.norms = np.ones(1)
        self.variables: list[Array] = []
        self.work = 0.0
        self.n_functions = 1
        """The number of functions in the basis, including the constant function."""
        self.saturated = False
        """True if there are as many basis functions as rows, so that X has no residual."""

    @property
    def orthogonality_loss(self) -> float:
        """Size of the errors of E[f̂ĝ] for orthonormal f̂ and ĝ, measured in random directions."""
        q = self._q.view
        probes = np.random.default_rng(0).standard_normal((len(q), 4))
        error = times(q, times(q.T, probes)) - probes
        return float(np.max(np.linalg.norm(error, axis=0) / np.linalg.norm(probes, axis=0)))

    def substitute(self, direction: Direction) -> Block:
        """Add `direction` as a new variable, and return the block of functions that it adds."""
        z = direction.of(self._rows)
        self._directions.append(direction)
        self._z.append(z)
        block = self._expansion.grow(lambda _: distinct_levels(z))
        n_rows, n_columns = len(self._rows.root), self._rows.n_columns
        self.work = float(block.n_functions * n_rows * (4 * self.n_functions + n_columns))
        return block

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the block that `substitute` returned, and add it to the basis."""
        with np.errstate(over="ignore", invalid="ignore"):  # the next line checks for infinity
            values = block.evaluate(self._store.view, self._z)
        check_finite(values)
        self._store.append(values[block.stored])
        size = np.maximum(values.max(axis=1), -values.min(axis=1))
        size = np.where(size > 0, size, 1.0)
        values /= size[:, np.newaxis]  # so that squares do not overflow
        norms = np.sqrt(np.einsum("ij,ij->i", values, values))
        norms = np.where(norms > 0, norms, 1.0)
        values /= norms[:, np.newaxis]
        norms *= size
        self.variables.append(self._rows.products(values[0]))

        q = self._q.view
        n = len(q)
        first = _project_out(values, q)
        new, diagonal, pivots = _orthonormalize(values, room=len(self._rows.root) - n)
        second = _project_out(new, q)
        correction = np.eye(len(new))
        if len(new):
            correction = cholesky(second_moments(new.T), lower=True, check_finite=False)
            solve_lower(correction, new)
        self._q.append(new)
        self.n_functions = n + len(new)
        self.saturated = self.n_functions == len(self._rows.root)
        # g = first q + diagonal (second q + correction f̂)
        left = first[pivots]
        add_product(left, diagonal, second)
        extension = Extension(pivots, left, times(diagonal, correction), self._rows.products(new))
        kept = np.sort(pivots)
        self.factors[0].append(extension, n + np.searchsorted(kept, pivots))
        self.norms = np.append(self.norms, norms[kept])
        self.steps.append(Step(self._directions[-1], block, kept))
        return Added(norms, (extension,), len(kept), block.n_functions - len(kept))


def _project_out(values: Array, q: Array) -> Array:
    """Subtract the projections of `values` on the orthonormal rows `q`, in place.

    Return the coefficients of the projections, of shape (len(values), len(q)).
    """
    coefficients = times(values, q.T)
    add_product(values, coefficients, q, -1.0)
    return coefficients


def _orthonormalize(values: Array, room: int) -> tuple[Array, Array, IntArray]:
    """Return orthonormal rows that span the rows of `values`, which may be overwritten.

    The rows of `values` are residuals of functions of norm one. Rows whose residual is below the
    rank tolerance are dropped, and at most `room` rows are returned.

    Returns
    -------
    new : array of shape (rank, n_rows)
        The orthonormal rows.
    factor : array of shape (rank, rank)
        Lower triangular, with ``factor @ new == values[pivots]``.
    pivots : array of shape (rank,)
        The numbers of the rows of `values` from which the rows of `new` were computed.
    """
    if len(values) <= room:  # otherwise some rows must be dropped
        factor, pivots = cholesky_columns(second_moments(values.T), LEAST_PIVOT)
        if factor.shape[1] == len(values):
            new = values[pivots]
            solve_lower(factor, new)
            return new, factor, pivots
    values[0] *= PREFERRED
    q, r, order = qr(values.T, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
    r[:, order == 0] /= PREFERRED
    rank = min(np.count_nonzero(np.abs(r.diagonal()) > RANK_TOLERANCE), room)
    new = np.ascontiguousarray(q.T[:rank], dtype=np.float64)
    return new, np.ascontiguousarray(r[:rank, :rank].T), order[:rank].astype(np.intp)
