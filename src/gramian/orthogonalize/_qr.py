"""Orthogonalization by explicit orthonormal columns in memory: block Gram-Schmidt, twice."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from gramian._blas import add_product, second_moments, solve_lower, times
from gramian._types import Array
from gramian.families._base import Family
from gramian.families._expansion import Block
from gramian.orthogonalize._common import (
    NOISE,
    Added,
    Direction,
    GrowingRows,
    check_finite,
    distinct_levels,
    pivoted_cholesky,
)
from gramian.rows import ArrayRows

TOLERANCE = 1e-8
"""A function is dropped when orthogonalization leaves less than this share of its norm.

What is left of a function that is kept has a rounding error of machine precision over this share.
At its root, no smaller, that error cannot be mistaken for a function later.
"""
WELL_CONDITIONED = 1e-4
"""A Gram matrix whose squared pivots stay above this is factored without loss that matters."""


class QR:
    """Block classical Gram-Schmidt with a second pass, rank-revealing inside the block.

    Functions are stored as rows. The loss of orthogonality stays at rounding level however close
    the functions are to linear dependence, because what is too close is dropped and the rest is
    orthogonalized twice.
    """

    name = "qr"

    def __init__(self, rows: ArrayRows, family: Family) -> None:
        self._x = rows.x
        self._root = rows.root
        self._expansion = family.expand()
        self._z: list[Array] = []
        # The constant function, times the roots of the weights: its norm is one.
        self._store = GrowingRows(rows.root)
        self._q = GrowingRows(rows.root)

    @property
    def n_functions(self) -> int:
        """The number of orthonormal functions so far, the constant among them."""
        return len(self._q.view)

    @property
    def saturated(self) -> bool:
        """Whether the functions span all samples, so that nothing is left of X."""
        return self.n_functions == len(self._x)

    @property
    def noise(self) -> float:
        """The share of a variance below which a residual variance is rounding error."""
        return NOISE

    @property
    def orthogonality_loss(self) -> float:
        """How far the functions are from orthonormal, measured along random directions."""
        q = self._q.view
        probes = np.random.default_rng(0).standard_normal((len(q), 4))
        error = times(q, times(q.T, probes)) - probes
        return float(np.max(np.linalg.norm(error, axis=0) / np.linalg.norm(probes, axis=0)))

    def substitute(self, direction: Direction) -> Block:
        """Let a new variable in and return the functions that come with it."""
        z = direction.of(self._x, self._root)
        self._z.append(z)
        return self._expansion.grow(lambda limit: distinct_levels([z], limit))

    def work(self, block: Block) -> float:
        """Estimate the multiplications that orthogonalizing the block takes."""
        n_rows, n_columns = self._x.shape
        return float(block.n_functions * n_rows * (4 * self.n_functions + n_columns))

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the functions of the block just returned by `substitute`."""
        with np.errstate(over="ignore", invalid="ignore"):  # checked next
            values = block.evaluate(self._store.view, self._z)
        check_finite(values)
        self._store.append(values[block.stored])
        size = np.maximum(values.max(axis=1), -values.min(axis=1))
        values /= np.where(size > 0, size, 1.0)[:, np.newaxis]  # lest squares overflow
        norms = np.sqrt(np.einsum("ij,ij->i", values, values))
        if not norms.all():
            values, norms = values[norms > 0], norms[norms > 0]
        values /= norms[:, np.newaxis]

        q = self._q.view
        _project_out(values, q)
        new = _orthonormalize(values)[: len(self._x) - len(q)]
        _project_out(new, q)
        new = _orthonormalize(new)
        self._q.append(new)
        return Added(times(new, self._x), block.n_functions - len(new))


def _project_out(values: Array, q: Array) -> None:
    add_product(values, times(values, q.T), q, -1.0)


def _orthonormalize(values: Array) -> Array:
    """Return orthonormal rows with the span of the given ones, which may be overwritten.

    The given rows are what is left of rows of norm one; directions in which less than the
    tolerance is left are dropped.
    """
    factor, pivots, _ = pivoted_cholesky(second_moments(values.T), WELL_CONDITIONED)
    if len(pivots) == len(values):
        new = values[pivots]
        solve_lower(factor, new)
        return new
    q, r, _ = qr(values.T, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
    rank = np.count_nonzero(np.abs(r.diagonal()) > TOLERANCE)
    return np.ascontiguousarray(q.T[:rank], dtype=np.float64)
